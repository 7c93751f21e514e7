"""Tokens with scopes and last use. Those that exist go on working as before: for everything, without end."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


MOVE = """
DO $$ BEGIN IF to_regclass('knox_authtoken') IS NOT NULL THEN
    INSERT INTO submissions_token (digest, beginning, made_at, expires_at, account_id, name, scopes)
    SELECT digest, left(token_key, 15), created, expiry, user_id, '', '{read,submit,review,release,account}'
    FROM knox_authtoken;
    DROP TABLE knox_authtoken;
    DELETE FROM django_migrations WHERE app = 'knox';
END IF; END $$
"""


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0008_receipt_keys'),
    ]

    operations = [
        migrations.CreateModel(
            name='Token',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(help_text='SHA-512 of the key.', max_length=128, unique=True)),
                ('beginning', models.CharField(help_text='Of the key, to tell tokens apart.', max_length=15)),
                ('name', models.CharField(blank=True, help_text='What it is for.', max_length=80)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'read what the account may see'), ('submit', 'upload, check, answer, submit, withdraw'), ('review', 'review'), ('release', 'make and publish releases and lists'), ('account', 'manage tokens and members')], max_length=10), size=None)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField(blank=True, help_text='Null: made before tokens expired.', null=True)),
                ('last_used_at', models.DateTimeField(blank=True, help_text='To within a minute.', null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-made_at', '-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('scopes__contained_by', ['read', 'submit', 'review', 'release', 'account']), ('scopes__len__gt', 0)), name='token_scopes_are_known')],
            },
        ),
        migrations.RunSQL(MOVE, migrations.RunSQL.noop),
    ]
