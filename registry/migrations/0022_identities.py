"""Former names of sites, systems and platforms, the acts that made them, and results that print a measurement again."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('registry', '0021_public_system_snapshots'),
    ]

    operations = [
        migrations.CreateModel(
            name='IdentityChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('site', 'institution'), ('system', 'system'), ('platform', 'platform')], max_length=8)),
                ('action', models.CharField(choices=[('merge', 'merge'), ('split', 'split')], max_length=5)),
                ('from_slug', models.CharField(help_text='Where what moved was before.', max_length=160)),
                ('from_name', models.CharField(blank=True, max_length=200)),
                ('to_slug', models.CharField(help_text='Where it went.', max_length=160)),
                ('to_name', models.CharField(blank=True, max_length=200)),
                ('reason', models.TextField(help_text='Public.')),
                ('source', models.CharField(blank=True, help_text="What proves it; of an editor's act may be empty.", max_length=300)),
                ('decided_by', models.CharField(blank=True, help_text='Private. Empty: a data file of the registry.', max_length=150)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('moved', models.JSONField(default=dict, help_text='results, systems, successors, former: ids and slugs of what moved; merges: inner acts.')),
                ('public', models.BooleanField(default=True, help_text='The former name stood in the record, so everybody may know.')),
                ('undone_at', models.DateTimeField(blank=True, null=True)),
                ('undone_by', models.CharField(blank=True, help_text='Private.', max_length=150)),
                ('undone_reason', models.TextField(blank=True, help_text='Public.')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='platform',
            name='merged_into',
            field=models.ForeignKey(blank=True, editable=False, help_text='What it is now, never a former name itself; null: it is no former name. Its slug is never used again.', null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='former', to='registry.platform'),
        ),
        migrations.AddField(
            model_name='result',
            name='same_as',
            field=models.ForeignKey(blank=True, db_index=False, help_text='The result whose measurement this prints once more; what counts results counts that one.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='printed_again', to='registry.result'),
        ),
        migrations.AddField(
            model_name='site',
            name='merged_into',
            field=models.ForeignKey(blank=True, editable=False, help_text='What it is now, never a former name itself; null: it is no former name. Its slug is never used again.', null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='former', to='registry.site'),
        ),
        migrations.AddField(
            model_name='system',
            name='merged_into',
            field=models.ForeignKey(blank=True, editable=False, help_text='What it is now, never a former name itself; null: it is no former name. Its slug is never used again.', null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='former', to='registry.system'),
        ),
        migrations.AddIndex(
            model_name='result',
            index=models.Index(condition=models.Q(('same_as__isnull', False)), fields=['same_as'], name='result_printed_again'),
        ),
        migrations.AddField(
            model_name='identitychange',
            name='part_of',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='registry.identitychange'),
        ),
        migrations.AddIndex(
            model_name='identitychange',
            index=models.Index(fields=['kind', 'to_slug'], name='identity_change_to'),
        ),
        migrations.AddIndex(
            model_name='identitychange',
            index=models.Index(fields=['kind', 'from_slug'], name='identity_change_from'),
        ),
        migrations.AddConstraint(
            model_name='identitychange',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='identity_change_has_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='identitychange',
            constraint=models.CheckConstraint(condition=models.Q(('from_slug', models.F('to_slug')), _negated=True), name='identity_change_moves'),
        ),
        migrations.AddConstraint(
            model_name='identitychange',
            constraint=models.CheckConstraint(condition=models.Q(('undone_at', None), models.Q(('undone_reason', ''), _negated=True), _connector='OR'), name='identity_change_undone_with_a_reason'),
        ),
    ]
