"""Entries of a frozen list made here never move: the database refuses, unless the transaction names its reason.

A transaction that amends a list sets `highwater.amend` to the reason. Imported lists are copies that
load_catalogue brings to their data files, so they are left to it.
"""

from django.db import migrations

FORWARD = """
CREATE FUNCTION registry_list_is_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(current_setting('highwater.amend', true), '') = '' AND EXISTS (
        SELECT 1 FROM registry_rankedlist
        WHERE id IN (OLD.ranked_list_id, NEW.ranked_list_id) AND trust = 'verified' AND frozen_at IS NOT NULL
    ) THEN
        RAISE EXCEPTION 'the list is frozen; an amendment names its reason' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER list_is_frozen BEFORE INSERT OR UPDATE OR DELETE ON registry_listentry
    FOR EACH ROW EXECUTE FUNCTION registry_list_is_frozen();
"""
BACKWARD = """
DROP TRIGGER list_is_frozen ON registry_listentry;
DROP FUNCTION registry_list_is_frozen();
"""


class Migration(migrations.Migration):
    dependencies = [("registry", "0003_read_api_indexes")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
