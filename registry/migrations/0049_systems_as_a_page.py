from django.db import migrations, models
from django.db.models import Case, F, Value, When
from django.db.models.functions import Lower


class Migration(migrations.Migration):
    """Systems by name in the order of their page, where those without one come last."""

    dependencies = [
        ('registry', '0047_recorded_names'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='system',
            index=models.Index(
                Lower(Case(When(name='', then=Value('\uffff')), default=F('name'))), F('id'), name='system_named_first'
            ),
        ),
    ]
