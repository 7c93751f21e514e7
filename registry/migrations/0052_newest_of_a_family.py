from django.db import migrations, models
from django.db.models import F
from django.db.models.functions import Upper


class Migration(migrations.Migration):
    """The newest results of a family of file systems, of which similar results are the first that fit."""

    dependencies = [
        ('registry', '0050_recorded_marks'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='result',
            index=models.Index(Upper('filesystem_family'), F('id').desc(), name='result_by_family_newest'),
        ),
        migrations.RemoveIndex(model_name='result', name='result_by_family'),
    ]
