from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('registry', '0039_indexes_of_ranks'),
    ]

    operations = [
        migrations.AlterField(
            model_name='logopening',
            name='kind',
            field=models.CharField(choices=[('result', 'result'), ('list', 'list'), ('release', 'release'), ('erasure', 'erasure'), ('key', 'key'), ('restoration', 'restoration')], max_length=12),
        ),
        migrations.AlterField(
            model_name='logopening',
            name='subject',
            field=models.CharField(help_text='results/ID, lists/RELEASE/LIST, releases/RELEASE, as below /api/v1/; else of the log itself.', max_length=200),
        ),
        # The next append looks for releases that have no record yet.
        migrations.RunSQL('UPDATE registry_logstate SET unheld_since = now()', migrations.RunSQL.noop),
    ]
