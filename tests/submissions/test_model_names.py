"""Models that got other names: tables, rights that were granted and kinds of rows in an export keep theirs."""

import io

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command

from submissions.accounts import personal_data
from submissions.models import Account, DeadlineException, ScrubbedCopy

RENAMING = {"registry": "0021", "submissions": "0025"}


@pytest.mark.parametrize("app", sorted(RENAMING))
@pytest.mark.django_db
def test_renaming_models_changes_no_table(app: str) -> None:
    output = io.StringIO()
    call_command("sqlmigrate", app, RENAMING[app], stdout=output, no_color=True)
    lines = output.getvalue().splitlines()
    assert [line for line in lines if line and not line.startswith("--")] == ["BEGIN;", "COMMIT;"]
    assert "-- Rename model" in output.getvalue()


@pytest.mark.django_db
def test_permissions_outlive_the_renaming_of_models() -> None:
    staff = Account.objects.create_user("staff")
    call_command("migrate", "submissions", "0024", verbosity=0)
    call_command("migrate", "registry", "0020", verbosity=0)
    for codename in ("view_derivative", "delete_following", "view_systemsnapshot"):
        staff.user_permissions.add(*Permission.objects.filter(codename=codename))
    assert staff.user_permissions.count() == 4
    call_command("migrate", verbosity=0)
    assert Account.objects.get(pk=staff.pk).get_all_permissions() == {
        "registry.view_publicsystemsnapshot",
        "submissions.delete_subscription",
        "submissions.view_scrubbedcopy",
        "submissions.view_submittedsystem",
    }


@pytest.mark.django_db
def test_renamed_models_leave_no_former_type_or_permission() -> None:
    former_names = ["systemsnapshot", "derivative", "recheck", "lateentry", "following"]
    call_command("migrate", "submissions", "0024", verbosity=0)
    call_command("migrate", "registry", "0020", verbosity=0)
    assert ContentType.objects.filter(model__in=former_names).count() == 6
    call_command("migrate", verbosity=0)
    assert not ContentType.objects.filter(model__in=former_names).exists()
    permissions = Permission.objects.filter(content_type=ContentType.objects.get_for_model(ScrubbedCopy))
    assert sorted(permissions.values_list("codename", "name")) == [
        ("add_scrubbedcopy", "Can add scrubbed copy"),
        ("change_scrubbedcopy", "Can change scrubbed copy"),
        ("delete_scrubbedcopy", "Can delete scrubbed copy"),
        ("view_scrubbedcopy", "Can view scrubbed copy"),
    ]


def test_exports_name_kinds_of_rows_after_tables() -> None:
    assert personal_data._kind_name(DeadlineException) == "lateentry"
    assert personal_data._kind_name(ContentType) == "contenttype"
