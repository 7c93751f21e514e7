"""The model gets the name by which it is called; its table keeps its own, and no statement changes the schema."""

from django.db import migrations
from django.db.migrations.state import StateApps


def rename_permissions(apps: StateApps, schema_editor: object) -> None:
    """What was granted stays granted: Django renames the content type, but not the permissions on it."""
    _rename(apps, "systemsnapshot", "publicsystemsnapshot", "public system snapshot")


def restore_permissions(apps: StateApps, schema_editor: object) -> None:
    _rename(apps, "publicsystemsnapshot", "systemsnapshot", "system snapshot")


def _rename(apps: StateApps, old: str, new: str, words: str) -> None:
    permissions = apps.get_model("auth", "Permission").objects.filter(content_type__app_label="registry")
    for action in ("add", "change", "delete", "view"):
        permissions.filter(codename=f"{action}_{old}").update(
            codename=f"{action}_{new}", name=f"Can {action} {words}"
        )


class Migration(migrations.Migration):

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
        ('registry', '0020_later_evidence'),
    ]

    operations = [
        migrations.AlterModelTable(name='systemsnapshot', table='registry_systemsnapshot'),
        migrations.RenameModel(old_name='SystemSnapshot', new_name='PublicSystemSnapshot'),
        migrations.RunPython(rename_permissions, restore_permissions),
    ]
