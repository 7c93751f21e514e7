"""Who wrote to the record not long ago. Triggers on its tables fill it (registry/database/public_writes.py).

The function writes with the rights of its owner: whoever may write to the record notes it, also before rights on this
table were given.
"""

from django.db import migrations, models

FUNCTION = """
CREATE FUNCTION registry_note_write() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO registry_publicwrite AS noted VALUES (pg_current_xact_id()::text::bigint, clock_timestamp())
        ON CONFLICT (transaction) DO UPDATE SET written_at = EXCLUDED.written_at
        WHERE noted.written_at < transaction_timestamp();
    RETURN NULL;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("registry", "0033_rules_violated")]

    operations = [
        migrations.CreateModel(
            name="PublicWrite",
            fields=[
                ("transaction", models.BigIntegerField(primary_key=True, serialize=False)),
                ("written_at", models.DateTimeField()),
            ],
        ),
        migrations.RunSQL(FUNCTION, "DROP FUNCTION registry_note_write() CASCADE;"),
    ]
