from django.db import migrations, models
from django.db.models.functions import Coalesce, Lower


class Migration(migrations.Migration):
    """The best results of a score without those of documents, and sites by name, in the order in which they are read."""

    dependencies = [
        ('registry', '0045_note_marks'),
    ]

    operations = [
        *(
            migrations.AddIndex(
                model_name='result',
                index=models.Index(
                    models.OrderBy(Coalesce(models.F(column), models.Value(-1.0)), descending=True),
                    models.F('id'),
                    condition=models.Q(('trust', 'reported'), _negated=True),
                    name=name,
                ),
            )
            for column, name in (
                ('score', 'result_best_scores'),
                ('bandwidth_gib_per_s', 'result_best_bandwidths'),
                ('rate_kiops', 'result_best_rates'),
            )
        ),
        migrations.AddIndex(
            model_name='site',
            index=models.Index(Lower('name'), models.F('id'), name='site_in_order'),
        ),
    ]
