"""A refusal binds the account that sent the file, and no other one.

Refusals were kept by sha256 alone. Each becomes one of the submissions whose own check found the secret; other
submissions with the same bytes lose nothing any more. Where no such check is left, the refusal goes.
"""

from django.db import migrations
from django.db.migrations.state import StateApps
from django.db.models import Q

PROTECTED = ("submitted", "in_review", "changes_requested", "accepted", "published")


def bind(apps: StateApps, schema_editor: object) -> None:
    RefusedBundle = apps.get_model("submissions", "RefusedBundle")
    Submission = apps.get_model("submissions", "Submission")
    SecretFile = apps.get_model("submissions", "SecretFile")
    Check = apps.get_model("submissions", "Check")
    for refused in RefusedBundle.objects.iterator():
        row = [{"sha256": refused.sha256}]
        holding = Q(sha256=refused.sha256) | Q(beside__contains=row) | Q(former_versions__files__contains=row)
        for submission in Submission.objects.filter(holding).distinct():
            if submission.state in PROTECTED or submission.result_id is not None:
                continue
            checks = Check.objects.filter(
                submission=submission, report__findings__contains=[{"code": "bundle.secret"}]
            )
            places = {
                f"{finding['message']} {finding['where']}"
                for check in checks
                for finding in check.report["findings"]
                if finding["code"] == "bundle.secret" and finding["where"]
            }
            if places:
                SecretFile.objects.get_or_create(
                    submission=submission,
                    sha256=refused.sha256,
                    defaults={
                        "account_id": submission.account_id,
                        "where": "\n".join(sorted(places)),
                        "outcome": "blocked",
                        "bytes_deleted_at": refused.refused_at,
                    },
                )


class Migration(migrations.Migration):
    dependencies = [("submissions", "0021_secret_files")]

    operations = [
        migrations.RunPython(bind, migrations.RunPython.noop),
        # The table stays for one release: until the restart the earlier code looks into it at each upload (decision 76).
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel(name="RefusedBundle")]),
    ]
