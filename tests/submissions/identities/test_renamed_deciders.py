"""An administrator renames an account in /admin/: what it decided stays known as its decision."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from registry.log import appending, recording
from registry.models import IdentityChange
from submissions.models import Account
from submissions.publication.verification import withheld_rows
from tests.submissions.identities.test_acts import merge, record, undo  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("record")]


def rename(cast: Any, account: Account, name: str) -> None:
    client = Client()
    client.force_login(cast.fay.account)
    counts = {f"{form}-{part}_FORMS": "0" for form in ("memberships", "ties") for part in ("TOTAL", "INITIAL")}
    fields = {"username": name, "role": account.role, "is_active": "on"} | counts
    fields |= {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    answer = client.post(f"/admin/submissions/account/{account.pk}/change/", fields)
    assert answer.status_code == 302, answer.content.decode()


def test_decisions_get_the_new_name_and_fit_their_records(cast: Any) -> None:
    undo(cast, merge(cast).json()["id"])
    recording.note_unrecorded()
    assert appending.append_waiting() is not None
    rename(cast, cast.erin.account, "erin-of-the-committee")
    act = IdentityChange.objects.get()
    assert (act.decided_by, act.undone_by) == ("erin-of-the-committee",) * 2
    assert list(withheld_rows.withheld_breaks()) == []


def test_a_decision_under_a_name_without_account_is_named_with_that_name(cast: Any) -> None:
    """So it was with accounts that were renamed before their decisions followed."""
    merge(cast)
    recording.note_unrecorded()
    assert appending.append_waiting() is not None
    Account.objects.filter(pk=cast.erin.account.pk).update(username="erin-of-the-committee")
    act, erin = IdentityChange.objects.get(), cast.erin.account.pk
    assert list(withheld_rows.withheld_breaks()) == [
        f"The naming {act.pk} has decided_by 'erin', which is no account, the log {erin}."
    ]
    rename(cast, Account.objects.get(pk=erin), "erin")
    assert list(withheld_rows.withheld_breaks()) == []
