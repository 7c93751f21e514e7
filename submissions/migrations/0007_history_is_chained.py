"""Each row of the history carries a hash over itself and the hash of the row before, computed by the database.

The chain is one for each submission. The trigger takes the lock of the submission's row first, which whoever changes a
state holds already: of two that write at once the second waits and then sees the first. An id drawn before that wait
would be out of order and is drawn again. A row that comes with a hash, from a backup, keeps it: verify_history judges it.
"""

from django.db import migrations, models

FORWARD = """
CREATE FUNCTION submissions_event_hash(previous text, e submissions_event) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT encode(sha256(convert_to(jsonb_build_array(
        previous, e.id, e.submission_id, to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
        e.actor_id, e.from_state, e.to_state, e.reason)::text, 'UTF8')), 'hex')
$$;
CREATE FUNCTION submissions_event_chain() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last_id bigint;
    last_hash text;
BEGIN
    IF NEW.hash <> '' THEN
        RETURN NEW;
    END IF;
    PERFORM 1 FROM submissions_submission WHERE id = NEW.submission_id FOR NO KEY UPDATE;
    SELECT id, hash INTO last_id, last_hash FROM submissions_event
        WHERE submission_id = NEW.submission_id ORDER BY id DESC LIMIT 1;
    IF last_id >= NEW.id THEN
        NEW.id := nextval(pg_get_serial_sequence('submissions_event', 'id'));
    END IF;
    NEW.hash := submissions_event_hash(coalesce(last_hash, ''), NEW);
    RETURN NEW;
END $$;
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE submissions_event DISABLE TRIGGER event_is_final;
DO $$
DECLARE
    e submissions_event;
    of_submission uuid;
    last_hash text;
BEGIN
    FOR e IN SELECT * FROM submissions_event ORDER BY submission_id, id LOOP
        IF of_submission IS DISTINCT FROM e.submission_id THEN
            of_submission := e.submission_id;
            last_hash := '';
        END IF;
        last_hash := submissions_event_hash(last_hash, e);
        UPDATE submissions_event SET hash = last_hash WHERE id = e.id;
    END LOOP;
END $$;
ALTER TABLE submissions_event ENABLE TRIGGER event_is_final;
CREATE TRIGGER event_chain BEFORE INSERT ON submissions_event
    FOR EACH ROW EXECUTE FUNCTION submissions_event_chain();
"""
BACKWARD = """
DROP TRIGGER event_chain ON submissions_event;
DROP FUNCTION submissions_event_chain();
DROP FUNCTION submissions_event_hash(text, submissions_event);
"""


class Migration(migrations.Migration):
    dependencies = [("submissions", "0006_signatures_and_refusals")]

    operations = [
        migrations.AddField(
            model_name="event",
            name="hash",
            field=models.CharField(
                default="", editable=False, help_text="Computed by the database.", max_length=64
            ),
        ),
        migrations.RunSQL(FORWARD, BACKWARD),
    ]
