"""Names and editions have records in the log."""

from django.db import migrations, models

KINDS = [
    ("result", "result"),
    ("list", "list"),
    ("release", "release"),
    ("name_change", "change of names"),
    ("site", "institution"),
    ("system", "system"),
    ("platform", "platform"),
    ("edition", "edition"),
    ("erasure", "erasure"),
    ("key", "key"),
    ("restoration", "restoration"),
]


class Migration(migrations.Migration):
    dependencies = [("registry", "0046_best_results_and_sites_in_order")]

    operations = [
        migrations.AlterField(
            model_name="logopening",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=12),
        ),
        migrations.AlterField(
            model_name="logopening",
            name="subject",
            field=models.CharField(
                help_text=(
                    "results/ID, lists/RELEASE/LIST, releases/RELEASE, name-changes/ID, sites/SLUG, systems/SLUG,"
                    " platforms/SLUG, as below /api/v1/; editions/NAME; else of the log itself."
                ),
                max_length=200,
            ),
        ),
        # The next append looks for names that have no record yet.
        migrations.RunSQL("UPDATE registry_logstate SET unheld_since = now()", migrations.RunSQL.noop),
    ]
