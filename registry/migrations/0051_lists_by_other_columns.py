from django.db import migrations, models
from django.db.models import F, OrderBy


class Migration(migrations.Migration):
    """Entries of a list in the order of another column than that of the list."""

    dependencies = [
        ('registry', '0049_systems_as_a_page'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='listentry',
            index=models.Index(F('ranked_list'), order, F('position'), name=f'list_entry_{name}'),
        )
        for name, order in (
            ('score_up', OrderBy(F('score'))),
            ('bandwidth_down', OrderBy(F('bandwidth_gib_per_s'), descending=True, nulls_last=True)),
            ('bandwidth_up', OrderBy(F('bandwidth_gib_per_s'))),
            ('rate_down', OrderBy(F('rate_kiops'), descending=True, nulls_last=True)),
            ('rate_up', OrderBy(F('rate_kiops'))),
            ('clients_down', OrderBy(F('client_nodes'), descending=True, nulls_last=True)),
            ('clients_up', OrderBy(F('client_nodes'))),
        )
    ]
