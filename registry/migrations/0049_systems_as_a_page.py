from django.db import migrations, models
from django.db.models import Case, F, Value, When
from django.db.models.functions import Lower


class Migration(migrations.Migration):
    """Systems by name in the order of their page, where those without one come last."""

    dependencies = [
        ('registry', '0046_best_results_and_sites_in_order'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='system',
            index=models.Index(
                Lower(Case(When(name='', then=Value('\uffff')), default=F('name'))), F('id'), name='system_named_first'
            ),
        ),
    ]
