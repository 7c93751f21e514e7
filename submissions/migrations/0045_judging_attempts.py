"""When a published run was last tried to be judged, why it could not be, and when that is tried again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0044_questions")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="judging_failed_at",
            field=models.DateTimeField(
                blank=True, editable=False, help_text="When its reproduction could last not be judged.", null=True
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="judging_due_at",
            field=models.DateTimeField(
                blank=True, editable=False, help_text="When that is tried again; null: at once.", null=True
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="judging_failure",
            field=models.CharField(
                blank=True, db_default="", editable=False, help_text="Why it could not be judged.", max_length=200
            ),
        ),
    ]
