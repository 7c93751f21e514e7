from django.db import migrations, models


class Migration(migrations.Migration):
    """What a study reads of all numbers of a metric stands in one index; numbers that a source qualifies in another."""

    dependencies = [
        ('registry', '0041_reproductions'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='measurement',
            index=models.Index(fields=['op', 'quantity', 'stat', 'result'], include=('value', 'unit', 'printed_value', 'printed_unit', 'id'), name='measurement_of_metric'),
        ),
        migrations.AddIndex(
            model_name='measurement',
            index=models.Index(condition=models.Q(('context__has_key', 'qualifier')), fields=['op', 'quantity', 'stat', 'result'], name='measurement_qualified'),
        ),
        # The earlier code reads the same from the first.
        migrations.RemoveIndex(model_name='measurement', name='measurement_by_metric'),
    ]
