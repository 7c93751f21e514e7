"""Which result a run is to reproduce; and from when until when accounts are members of institutions.

A trigger keeps the periods, whoever changes memberships. How those of today began is not known.
"""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

KEEP = """
INSERT INTO submissions_membershipperiod (account_id, institution_id)
    SELECT account_id, institution_id FROM submissions_membership;
CREATE FUNCTION submissions_keep_membership_period() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE submissions_membershipperiod SET ended_at = clock_timestamp()
            WHERE account_id = OLD.account_id AND institution_id = OLD.institution_id AND ended_at IS NULL;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO submissions_membershipperiod (account_id, institution_id, began_at)
            VALUES (NEW.account_id, NEW.institution_id, clock_timestamp());
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER membership_period_is_kept AFTER INSERT OR DELETE OR UPDATE OF account_id, institution_id
    ON submissions_membership FOR EACH ROW EXECUTE FUNCTION submissions_keep_membership_period();
"""
FORGET = """
DROP TRIGGER membership_period_is_kept ON submissions_membership;
DROP FUNCTION submissions_keep_membership_period();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0038_public_writes"),
        ("submissions", "0040_directory_entries"),
    ]

    operations = [
        migrations.AddField(
            model_name="account",
            name="memberships_known_since",
            field=models.DateTimeField(
                db_default=django.db.models.functions.datetime.Now(),
                editable=False,
                help_text="Since when its memberships are kept as periods.",
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="reproduces",
            field=models.ForeignKey(
                blank=True,
                help_text="The published result that this run is to reproduce.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="registry.result",
            ),
        ),
        migrations.CreateModel(
            name="MembershipPeriod",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("began_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="membership_periods",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "institution",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.site"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)),
                        fields=("account", "institution"),
                        name="membership_period_open_once",
                    )
                ],
            },
        ),
        migrations.RunSQL(KEEP, FORGET),
    ]
