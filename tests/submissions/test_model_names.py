"""Models that got other names: tables, rights that were granted and kinds of rows in an export keep theirs."""

import io
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import transaction

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


@dataclass(frozen=True)
class Renaming:
    """What a database had of the former models, and what it has of them once it was migrated with that."""

    former_types: int
    granted: int
    types_left: list[str]
    rights: set[str]
    of_scrubbed_copies: list[tuple[str, str]]


@pytest.fixture(scope="module")
def renaming(django_db_setup: None, django_db_blocker: Any) -> Renaming:
    """Back to where the models had their former names and forth again, once for what is asked of it: it takes long."""
    with django_db_blocker.unblock():
        try:
            with transaction.atomic():
                facts = _rename()
                transaction.set_rollback(True)
        finally:
            ContentType.objects.clear_cache()
    return facts


def _rename() -> Renaming:
    former = ContentType.objects.filter(model__in=["systemsnapshot", "derivative", "recheck", "lateentry", "following"])
    staff = Account.objects.create_user("staff")
    call_command("migrate", "submissions", "0024", verbosity=0)
    call_command("migrate", "registry", "0020", verbosity=0)
    for codename in ("view_derivative", "delete_following", "view_systemsnapshot"):
        staff.user_permissions.add(*Permission.objects.filter(codename=codename))
    former_types, granted = former.count(), staff.user_permissions.count()
    call_command("migrate", verbosity=0)
    of_copies = Permission.objects.filter(content_type=ContentType.objects.get_for_model(ScrubbedCopy))
    return Renaming(
        former_types=former_types,
        granted=granted,
        types_left=[row.model for row in former.all()],
        rights=Account.objects.get(pk=staff.pk).get_all_permissions(),
        of_scrubbed_copies=sorted(of_copies.values_list("codename", "name")),
    )


def test_permissions_outlive_the_renaming_of_models(renaming: Renaming) -> None:
    assert renaming.granted == 4
    assert renaming.rights == {
        "registry.view_publicsystemsnapshot",
        "submissions.delete_subscription",
        "submissions.view_scrubbedcopy",
        "submissions.view_submittedsystem",
    }


def test_renamed_models_leave_no_former_type_or_permission(renaming: Renaming) -> None:
    assert renaming.former_types == 6
    assert renaming.types_left == []
    assert renaming.of_scrubbed_copies == [
        ("add_scrubbedcopy", "Can add scrubbed copy"),
        ("change_scrubbedcopy", "Can change scrubbed copy"),
        ("delete_scrubbedcopy", "Can delete scrubbed copy"),
        ("view_scrubbedcopy", "Can view scrubbed copy"),
    ]


def test_exports_name_kinds_of_rows_after_tables() -> None:
    assert personal_data._kind_name(DeadlineException) == "lateentry"
    assert personal_data._kind_name(ContentType) == "contenttype"
