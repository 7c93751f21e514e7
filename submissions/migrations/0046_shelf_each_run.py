"""A place on the shelf for each run of an upload of which none counts; until now only one that counts had a place."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Coalesce


# Checked uploads without a place, or with one for the run that was chosen: workers look at them for their other runs.
LOOK_AGAIN = """
UPDATE submissions_submission SET shelved_at = NULL
WHERE shelved_at IS NOT NULL AND institution_id IS NOT NULL AND NOT test
  AND state IN ('checked', 'submitted', 'in_review', 'changes_requested', 'accepted', 'published')
  AND (chosen_primary IS NOT NULL
    OR NOT EXISTS (SELECT 1 FROM submissions_shelfrun WHERE submission_id = submissions_submission.id))
"""


class Migration(migrations.Migration):
    dependencies = [("submissions", "0045_judging_attempts")]

    operations = [
        migrations.AddField(
            model_name="shelfrun",
            name="run_key",
            field=models.UUIDField(help_text="Its id; null: that of its submission, whose run counts.", null=True),
        ),
        migrations.AddField(
            model_name="shelfrun",
            name="run_path",
            field=models.TextField(db_default="", help_text="Where its output lies in the upload; empty: not known."),
        ),
        migrations.AlterField(
            model_name="shelfrun",
            name="submission",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="shelf_runs",
                to="submissions.submission",
            ),
        ),
        migrations.AddField(
            model_name="shelfrun",
            name="key",
            field=models.GeneratedField(
                db_persist=True,
                expression=Coalesce("run_key", models.F("submission_id")),
                output_field=models.UUIDField(),
            ),
        ),
        migrations.AddConstraint(
            model_name="shelfrun",
            constraint=models.UniqueConstraint(fields=("key",), name="shelf_run_key_once"),
        ),
        migrations.RunSQL(LOOK_AGAIN, migrations.RunSQL.noop),
    ]
