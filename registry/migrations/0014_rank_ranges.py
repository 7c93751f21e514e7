"""Ranges of ranks beside the entries of lists; the database takes them away with their entry."""

import django.db.models.deletion
from django.db import migrations, models

FORWARD = """
ALTER TABLE registry_rankrange ADD CONSTRAINT rank_range_of_entry
    FOREIGN KEY (entry_id) REFERENCES registry_listentry (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
"""
BACKWARD = "ALTER TABLE registry_rankrange DROP CONSTRAINT rank_range_of_entry;"


class Migration(migrations.Migration):
    dependencies = [("registry", "0013_saved_rankings")]

    operations = [
        migrations.CreateModel(
            name="RankRange",
            fields=[
                (
                    "entry",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="range",
                        serialize=False,
                        to="registry.listentry",
                    ),
                ),
                ("low", models.PositiveIntegerField(help_text="The best rank.")),
                ("high", models.PositiveIntegerField(help_text="The worst.")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("low__lte", models.F("high"))), name="rank_range_low_to_high"
                    )
                ],
            },
        ),
        migrations.RunSQL(FORWARD, BACKWARD),
    ]
