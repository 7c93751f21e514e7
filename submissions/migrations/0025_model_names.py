"""Models get the names by which they are called; their tables keep their own, and no statement changes the schema."""

from django.db import migrations
from django.db.migrations.state import StateApps

RENAMED = [
    ('SystemSnapshot', 'SubmittedSystem', 'system snapshot', 'submitted system'),
    ('Derivative', 'ScrubbedCopy', 'derivative', 'scrubbed copy'),
    ('Recheck', 'RecheckComparison', 'recheck', 'recheck comparison'),
    ('LateEntry', 'DeadlineException', 'late entry', 'deadline exception'),
    ('Following', 'Subscription', 'following', 'subscription'),
]


def rename_permissions(apps: StateApps, schema_editor: object) -> None:
    """What was granted stays granted: Django renames the content types, but not the permissions on them."""
    for old, new, _, words in RENAMED:
        _rename(apps, old.lower(), new.lower(), words)


def restore_permissions(apps: StateApps, schema_editor: object) -> None:
    for old, new, words, _ in RENAMED:
        _rename(apps, new.lower(), old.lower(), words)


def _rename(apps: StateApps, old: str, new: str, words: str) -> None:
    permissions = apps.get_model("auth", "Permission").objects.filter(content_type__app_label="submissions")
    for action in ("add", "change", "delete", "view"):
        permissions.filter(codename=f"{action}_{old}").update(
            codename=f"{action}_{new}", name=f"Can {action} {words}"
        )


class Migration(migrations.Migration):

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
        ('submissions', '0024_copy_agreement'),
    ]

    operations = [
        *(
            operation
            for old, new, *_ in RENAMED
            for operation in (
                migrations.AlterModelTable(name=old.lower(), table=f'submissions_{old.lower()}'),
                migrations.RenameModel(old_name=old, new_name=new),
            )
        ),
        migrations.AlterModelOptions(name='deadlineexception', options={'ordering': ['decided_at', 'id']}),
        migrations.AlterModelOptions(name='scrubbedcopy', options={'verbose_name_plural': 'scrubbed copies'}),
        migrations.RunPython(rename_permissions, restore_permissions),
    ]
