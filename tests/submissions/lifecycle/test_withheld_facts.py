"""What public rows have that no public record has: an edit of it is found by the operator, who alone has the record."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection

from registry.log import recording
from registry.models import IdentityChange, Override, Reproduction
from submissions.accounts import personal_data
from submissions.lifecycle import private_records
from submissions.models import PrivateRecord, Submission
from submissions.publication.erasure import erase
from submissions.publication.verification.withheld_rows import withheld_breaks
from tests.registry.record import make_release, make_result
from tests.submissions.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def decided(cast: Cast, published: Submission) -> Submission:
    """A published run; Erin decided twice about its place, and merged two institutions and took that back."""
    for reason in ("A first thought.", "It ran on another machine."):
        body = {"result": "hw-1", "action": "exclude", "reason": reason}
        assert cast.erin.post("lists/sc99/io500/overrides/", body).status_code == 200
    release = make_release("sc30", "2030-11-01")
    for number, site in enumerate(("East Lab", "West Lab"), 1):
        make_result(release, f"io500-{number}", institution=site, system_name=f"Fjord {number}")
    body = {"kind": "site", "former": "east-lab", "into": "west-lab", "reason": "The annual report says so."}
    act = cast.erin.post("identities/merge/", body).json()["id"]
    assert cast.erin.post(f"identities/{act}/undo/", {"reason": "It was wrong."}).status_code == 200
    private_records.record_private()
    return published


def mark(original: str, result: str) -> None:
    """A mark of reproduction, as the registry makes it."""
    release = make_release("sc31", "2031-11-01")
    by_id = {public_id: make_result(release, public_id) for public_id in (original, result)}
    Reproduction.objects.create(
        result=by_id[result], original=by_id[original], kind="reproduced", outcome="agrees", shares_members_with=[]
    )
    recording.record_marks([by_id[result].pk], recording.PUBLISHED)


def execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(sql)
        assert cursor.rowcount == 1, "the edit of the test changed one row"


def test_unchanged_rows_pass(decided: Submission) -> None:
    mark("hw-8", "hw-9")
    assert list(withheld_breaks()) == []
    kinds = PrivateRecord.objects.filter(submission=None).order_by("leaf").values_list("kind", flat=True)
    assert list(kinds) == ["ranking", "ranking", "naming", "naming", "sharing"]


EDITS = {
    "who decided about a list": (
        "UPDATE registry_override SET decided_by = 'dana'",
        "has decided_by ",
    ),
    "why it decided so": (
        "UPDATE registry_override SET reason = 'It was late.'",
        "has reason 'It was late.', the log 'It ran on another machine.'",
    ),
    "when it was decided": (
        "UPDATE registry_override SET decided_at = decided_at - interval '1 day'",
        "has decided_at ",
    ),
    "a decision that is gone": ("DELETE FROM registry_override", "and it is gone."),
    "who merged names": (
        "UPDATE registry_identitychange SET decided_by = 'dana'",
        "has decided_by ",
    ),
    "nobody who took it back": (
        "UPDATE registry_identitychange SET undone_by = ''",
        "has undone_by None",
    ),
    "members in common": (
        "UPDATE registry_reproduction SET shares_members_with = '[\"hw-7\"]'",
        "has shares_members_with[0] 'hw-7', the log 'nothing'.",
    ),
    "an emptied record": (
        "UPDATE submissions_privaterecord SET salt = NULL, canonical = NULL, erased_at = now() WHERE kind = 'sharing'",
        "was emptied, and nothing was erased.",
    ),
    "a record of another text": (
        "UPDATE submissions_privaterecord SET canonical = replace(canonical, '[]', 'null') WHERE kind = 'sharing'",
        "was changed since.",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_found(decided: Submission, name: str) -> None:
    mark("hw-8", "hw-9")
    sql, sentence = EDITS[name]
    execute(sql)
    lines = list(withheld_breaks())
    assert len(lines) == 1 and sentence in lines[0], lines


def test_a_decision_written_past_the_registry_has_no_record(decided: Submission) -> None:
    former = Override.objects.get()
    Override.objects.create(
        release=former.release, list_name="full", result=former.result, action="exclude", reason="x", decided_by="erin"
    )
    assert [rows.count() for rows in private_records.unrecorded_rows().values() if rows] == [1]


def test_an_older_decision_is_recorded_once(decided: Submission) -> None:
    """As after an upgrade."""
    PrivateRecord.objects.filter(submission=None).delete()
    for _ in range(2):
        private_records.record_private()
    records = [
        json.loads(text) for text in PrivateRecord.objects.filter(submission=None).values_list("canonical", flat=True)
    ]
    assert [(record["type"], record["act"]) for record in records] == [
        *(("ranking", "first-recorded"), ("naming", "first-recorded")),
    ]


def test_people_are_numbers_so_that_an_erased_account_stays_its_decider(decided: Submission, cast: Cast) -> None:
    texts = "".join(PrivateRecord.objects.filter(submission=None).values_list("canonical", flat=True))
    assert "erin" not in texts and f'"decided_by":{cast.erin.account.pk}' in texts
    personal_data.erase_account(cast.erin.account)
    assert IdentityChange.objects.get().decided_by.startswith("erased-")
    assert list(withheld_breaks()) == []


def test_an_erased_result_takes_the_reason_with_it(decided: Submission, cast: Cast) -> None:
    erase.erase_result("hw-1", cast.fay.account, "person")
    assert list(withheld_breaks()) == []
    rankings = PrivateRecord.objects.filter(kind="ranking")
    assert set(rankings.values_list("canonical", flat=True)) == {None}


def test_owners_of_runs_do_not_get_these_records(decided: Submission, cast: Cast) -> None:
    answer: Any = cast.alice.get(f"submissions/{decided.pk}/records/")
    assert {row["record"]["type"] for row in answer.json()["results"]} == {"receipt", "event", "check", "decision"}
