"""History rows are never changed or deleted, whoever asks: the database refuses."""

from django.db import migrations

FORWARD = """
CREATE FUNCTION submissions_event_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the history of submissions is append-only' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER event_is_final BEFORE UPDATE OR DELETE ON submissions_event
    FOR EACH ROW EXECUTE FUNCTION submissions_event_is_final();
"""
BACKWARD = """
DROP TRIGGER event_is_final ON submissions_event;
DROP FUNCTION submissions_event_is_final();
"""


class Migration(migrations.Migration):
    dependencies = [("submissions", "0002_derivatives")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
