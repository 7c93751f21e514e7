"""A letter says that a request for an account was granted; no statement is run."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0049_withheld_records'),
    ]

    operations = [
        migrations.AlterField(
            model_name='accountrequest',
            name='kind',
            field=models.CharField(choices=[('sign-up', 'sign-up'), ('reset', 'reset of a password'), ('granted', 'request for access that was granted'), ('refused', 'request for access that was refused')], max_length=7),
        ),
    ]
