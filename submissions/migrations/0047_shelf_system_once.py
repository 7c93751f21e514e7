"""The described system of an upload stands on the shelf once for all its runs; until now each run had a copy."""

import django.db.models.deletion
from django.db import migrations, models

# Uploads whose runs may have a copy each: workers store them again. Until then the copies are read.
STORE_AGAIN = """
UPDATE submissions_submission SET shelved_at = NULL
WHERE id IN (SELECT submission_id FROM submissions_shelfrun GROUP BY submission_id HAVING count(*) > 1)
"""


class Migration(migrations.Migration):
    dependencies = [("submissions", "0046_shelf_each_run")]

    operations = [
        migrations.AddField(
            model_name="shelfobservedparameter",
            name="submission",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="submissions.submission"
            ),
        ),
        migrations.AddField(
            model_name="shelfsystemsnapshot",
            name="submission",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="submissions.submission"
            ),
        ),
        migrations.RunSQL(STORE_AGAIN, migrations.RunSQL.noop),
    ]
