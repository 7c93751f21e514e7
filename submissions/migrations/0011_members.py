"""Members have a role in their institution, and others are invited."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('registry', '0008_release_called_at'),
        ('submissions', '0010_revisions'),
    ]

    operations = [
        migrations.AddField(
            model_name='membership',
            name='role',
            field=models.CharField(choices=[('submitter', 'submitter'), ('admin', 'administrator')], default='submitter', max_length=10),
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('invitee', models.CharField(help_text='Name of an account, or mail address.', max_length=254)),
                ('role', models.CharField(choices=[('submitter', 'submitter'), ('admin', 'administrator')], default='submitter', max_length=10)),
                ('made_at', models.DateTimeField()),
                ('institution', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='registry.site')),
                ('invited_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['invitee'], name='invitation_by_invitee')],
                'constraints': [models.UniqueConstraint(fields=('institution', 'invitee'), name='invitation_once')],
            },
        ),
    ]
