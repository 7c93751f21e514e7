"""The digest of the bytes as received names who has them: a result without a name loses it, and one that was erased."""

from django.db import migrations, models

FORWARD = """
UPDATE registry_result SET bundle_sha256 = '' WHERE bundle_sha256 <> '' AND snapshot @> '{"anonymous": true}';
UPDATE registry_result SET bundle_sha256 = '', snapshot = snapshot || '{"erased": true}'
    WHERE id IN (SELECT result_id FROM registry_erasure);
"""


class Migration(migrations.Migration):

    dependencies = [
        ('registry', '0030_damaged_bytes'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='result',
            name='verified_result_has_a_bundle',
        ),
        migrations.AlterField(
            model_name='result',
            name='bundle_sha256',
            field=models.CharField(blank=True, help_text='Of the bytes as received, which stay private; empty of anonymous results.', max_length=64),
        ),
        migrations.AddConstraint(
            model_name='result',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('trust', 'verified'), _negated=True), models.Q(('bundle_sha256', ''), _negated=True), ('snapshot__contains', {'anonymous': True}), ('snapshot__contains', {'erased': True}), _connector='OR'), name='verified_result_has_a_bundle'),
        ),
        # Last: no table may be altered after its rows were written in one transaction.
        migrations.RunSQL(FORWARD, migrations.RunSQL.noop),
    ]
