"""Marks of reproduction stand in the files of the record: writing one is noted, so that these are made again."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("registry", "0044_recorded_name_changes")]

    operations = [
        migrations.RunSQL(
            "CREATE TRIGGER change_is_noted AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON registry_reproduction"
            " FOR EACH STATEMENT EXECUTE FUNCTION registry_note_change();",
            "DROP TRIGGER change_is_noted ON registry_reproduction;",
        ),
    ]
