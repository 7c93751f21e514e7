"""Editions of the record, and triggers that note each transaction which writes what an edition tells.

A site enters the record with its first result; before that it may be added as often as accounts are.
"""

from django.db import migrations, models

NOTED = {
    "INSERT OR UPDATE OR DELETE OR TRUNCATE": (
        "result",
        "measurement",
        "rankedlist",
        "listentry",
        "release",
        "system",
        "platform",
    ),
    "UPDATE OR DELETE OR TRUNCATE": ("site",),
}
FUNCTION = """
CREATE FUNCTION registry_note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO registry_recordchange VALUES (pg_current_xact_id()::text::bigint, clock_timestamp())
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
"""
TRIGGERS = [
    (
        f"CREATE TRIGGER change_is_noted AFTER {events} ON registry_{table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION registry_note_change();",
        f"DROP TRIGGER change_is_noted ON registry_{table};",
    )
    for events, tables in NOTED.items()
    for table in tables
]


class Migration(migrations.Migration):
    dependencies = [("registry", "0016_steps")]

    operations = [
        migrations.CreateModel(
            name="Edition",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(help_text="Random; the folder of its files.", max_length=16, unique=True),
                ),
                ("as_of", models.DateTimeField(help_text="The record is told as it was then.")),
                (
                    "manifest",
                    models.JSONField(help_text="What manifest.json says: counts, size and sha256 of each file."),
                ),
            ],
            options={"get_latest_by": "id", "ordering": ["-id"]},
        ),
        migrations.CreateModel(
            name="RecordChange",
            fields=[
                ("transaction", models.BigIntegerField(primary_key=True, serialize=False)),
                ("changed_at", models.DateTimeField()),
            ],
        ),
        migrations.RunSQL(FUNCTION, "DROP FUNCTION registry_note_change();"),
        *(migrations.RunSQL(forward, backward) for forward, backward in TRIGGERS),
    ]
