"""What other runs of the configuration in the archive measured; results that are there have none."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('registry', '0014_rank_ranges'),
    ]

    operations = [
        migrations.AddField(
            model_name='measurement',
            name='repeats',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), blank=True, help_text='Canonical, of each run of the configuration in its archive, this one too; null: it ran once.', null=True, size=None),
        ),
        migrations.AddField(
            model_name='result',
            name='repeated_scores',
            field=models.JSONField(blank=True, default=dict, help_text='By column, score, bandwidth and rate of each run of the configuration in its archive, this one too.'),
        ),
    ]
