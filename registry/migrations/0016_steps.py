"""Steps of systems as rows; those of results that the record has already are found after the migration."""
import django.db.models.constraints
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

ALL_DUE = """
INSERT INTO registry_stepsdue (system_id) SELECT system_id FROM registry_result GROUP BY system_id HAVING count(*) >= 6;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('registry', '0015_repeats_of_results'),
    ]

    operations = [
        migrations.CreateModel(
            name='StepsDue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='registry.system')),
            ],
            options={
                'verbose_name_plural': 'steps due',
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Step',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('series', models.CharField(help_text='Which one it is in: a digest of what tells it from others.', max_length=32)),
                ('op', models.CharField(max_length=60)),
                ('quantity', models.CharField(blank=True, max_length=30)),
                ('stat', models.CharField(blank=True, max_length=30)),
                ('unit', models.CharField(blank=True, max_length=12)),
                ('printed_unit', models.CharField(blank=True, max_length=12)),
                ('context', models.JSONField(blank=True, default=dict, help_text='Without what says only what a number is worth.')),
                ('better', models.BooleanField()),
                ('day', models.DateField(help_text='Of the result after it.')),
                ('level_before', models.FloatField()),
                ('level_after', models.FloatField()),
                ('chance', models.FloatField()),
                ('found_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('gone_at', models.DateTimeField(help_text='Since when the results no longer show it.', null=True)),
                ('state', models.CharField(choices=[('new', 'new'), ('investigating', 'investigating'), ('explained', 'explained'), ('accepted', 'accepted'), ('false_alarm', 'false alarm')], default='new', max_length=13)),
                ('note', models.CharField(blank=True, help_text='Public.', max_length=500)),
                ('version', models.PositiveIntegerField(default=0, help_text='How often its state or note was changed.')),
                ('after', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='registry.result')),
                ('before', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='registry.result')),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='steps', to='registry.system')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('level_after__gt', 0), ('level_before__gt', 0)), name='step_levels_are_positive'), models.UniqueConstraint(deferrable=django.db.models.constraints.Deferrable['DEFERRED'], fields=('system', 'series', 'after', 'better'), name='step_once'), models.CheckConstraint(condition=models.Q(('state__in', ['new', 'investigating']), models.Q(('note', ''), _negated=True), _connector='OR'), name='step_is_closed_with_a_note')],
            },
        ),
        migrations.RunSQL(ALL_DUE, migrations.RunSQL.noop),
    ]
