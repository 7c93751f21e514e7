"""Mergings and splittings are records of the log, which an outsider and the operator hold against the tables."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.test import Client

from registry.identity import merging
from registry.log import appending, recording
from registry.log import verification as log_verification
from registry.models import IdentityChange, LogOpening, LogState
from tests.registry.log.second_reader import Disagreement, SecondReader, require_shown
from tests.registry.record import make_release, make_result
from tests.submissions.identities.test_acts import merge, record, undo  # noqa: F401
from tests.submissions.publication import random_edits

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("record")]

NOT_RECORDED = {
    "decided_by": "recorded for the operator alone",
    "undone_by": "recorded for the operator alone",
}
BY_DIGEST = ("moved",)
"""Recorded by a digest that the operator alone can compare."""


def records(number: int) -> list[dict[str, Any]]:
    openings = LogOpening.objects.filter(subject=f"name-changes/{number}").order_by("leaf")
    return [json.loads(opening.canonical or "") for opening in openings]


def fetch(path: str) -> bytes:
    answer = Client().get(f"/log/{path}")
    assert answer.status_code == 200, path
    return answer.content


def require_as_logged(reader: SecondReader, number: int) -> dict[str, Any]:
    """What the outsider proves of a change, by the API alone."""
    cache.clear()
    client = Client(raise_request_exception=False)
    proof = client.get(f"/api/v1/name-changes/{number}/proof/")
    answer = client.get(f"/api/v1/name-changes/{number}/")
    if (proof.status_code, answer.status_code) != (200, 200):
        raise Disagreement(f"{proof.status_code} {answer.status_code}")
    reader.require_proof(proof.json())
    document: dict[str, Any] = proof.json()
    require_shown(document["record"]["name_change"], answer.json())
    return document


def test_a_merging_is_recorded_as_the_api_shows_it(cast: Any) -> None:
    act = merge(cast, source="annual report 2029").json()
    (act_record,) = records(act["id"])
    assert (act_record["type"], act_record["act"], act_record["previous"]) == ("name_change", "identified", None)
    assert act_record["name_change"] == Client().get(f"/api/v1/name-changes/{act['id']}/").json()
    facts = act_record["name_change"]
    assert (facts["kind"], facts["act"], facts["from_slug"], facts["to_slug"]) == (
        *("site", "merge", "south-lab", "north-lab"),
    )
    assert (facts["from_name"], facts["to_name"]) == ("South Lab", "North Lab")
    assert (facts["reason"], facts["source"]) == ("The annual report says so.", "annual report 2029")
    assert "erin" not in json.dumps(act_record)


def test_a_merging_taken_back_is_recorded_after_the_first_record(cast: Any) -> None:
    act = merge(cast).json()["id"]
    assert undo(cast, act).status_code == 200
    first, undone = records(act)
    assert undone["act"] == "undone"
    assert undone["previous"] == str(LogOpening.objects.filter(subject=f"name-changes/{act}").earliest("leaf").leaf)
    assert (first["name_change"]["undone_at"], undone["name_change"]["undone_reason"]) == (None, "It was wrong.")
    assert undone["name_change"]["undone_at"]


def test_parts_of_a_merging_are_recorded_and_undone_with_it(cast: Any) -> None:
    make_result(make_release("sc31", "2031-11-01"), "io500-9", institution="North Lab", system_name="Geest")
    act = merge(cast).json()["id"]
    (part,) = IdentityChange.objects.filter(part_of=act)
    assert records(part.pk)[0]["name_change"]["part_of"] == act
    undo(cast, act)
    assert [row["act"] for row in records(part.pk)] == ["identified", "undone"]


def test_a_splitting_is_recorded(cast: Any) -> None:
    body = {"kind": "site", "slug": "south-lab", "moving": ["south-lab-haar"], "name": "Far Lab", "reason": "Two."}
    answer = cast.erin.post("identities/split/", body)
    assert answer.status_code == 200, answer.content
    (act_record,) = records(answer.json()["id"])
    assert (act_record["name_change"]["act"], act_record["name_change"]["to_name"]) == ("split", "Far Lab")


def test_a_refused_merging_leaves_no_record(cast: Any) -> None:
    assert merge(cast, into="south-lab").status_code == 409
    assert cast.dana.post("identities/merge/", {"kind": "site"}).status_code in (403, 404)
    assert not LogOpening.objects.filter(kind="name_change").exists()


def test_a_name_that_was_never_public_is_not_recorded_or_shown(cast: Any) -> None:
    act = merge(cast).json()["id"]
    IdentityChange.objects.update(public=False)
    LogOpening.objects.all().delete()
    recording.note_unrecorded()
    recording.record_unrecorded()
    assert records(act) == []
    client = Client()
    assert client.get("/api/v1/name-changes/").json()["results"] == []
    refused = client.get(f"/api/v1/name-changes/{act}/")
    assert (refused.status_code, refused.json()["code"]) == (404, "record.no-name-change")
    assert client.get(f"/api/v1/name-changes/{act}/proof/").status_code == 404


@pytest.mark.parametrize("number", ["0", "999999", str(2**63), str(10**40), "-1", "x"])
@pytest.mark.parametrize("address", ["", "proof/"])
def test_an_unknown_change_has_no_address(cast: Any, number: str, address: str) -> None:
    assert Client().get(f"/api/v1/name-changes/{number}/{address}").status_code == 404


def test_changes_older_than_their_records_are_recorded_once(cast: Any) -> None:
    decision = merging.Decision("A data file says so.", source="merged.json")
    act = merging.merge_names("site", "south-lab", "north-lab", decision).change
    assert records(act.pk) == []
    recording.note_unrecorded()
    recording.record_unrecorded()
    recording.note_unrecorded()
    recording.record_unrecorded()
    assert [row["act"] for row in records(act.pk)] == ["first-recorded"]
    IdentityChange.objects.update(reason="Rewritten past the registry.")
    recording.note_unrecorded()
    recording.record_unrecorded()
    assert len(records(act.pk)) == 1, "a change without an act is not recorded"
    assert any(f"name-changes/{act.pk}: name_change.reason" in line for line in log_verification.table_breaks())


def test_an_undoing_records_nothing_else_of_a_change(cast: Any) -> None:
    act = merge(cast).json()["id"]
    IdentityChange.objects.update(reason="Rewritten past the registry.")
    undo(cast, act)
    assert records(act)[-1]["name_change"]["reason"] == "The annual report says so."


def test_changes_are_listed_newest_first(cast: Any) -> None:
    first = merge(cast).json()["id"]
    undo(cast, first)
    second = merge(cast).json()["id"]
    listed = Client().get("/api/v1/name-changes/").json()
    assert ([row["id"] for row in listed["results"]], listed["next"]) == ([second, first], None)
    assert Client().get("/api/v1/name-changes/", {"cursor": "x"}).status_code == 400
    assert Client().get("/api/v1/name-changes/", {"kind": "site"}).status_code == 400


def test_every_edited_value_of_a_change_is_found_by_outsider_and_operator(cast: Any) -> None:
    """Seen to fail without the record: the tables alone say nothing."""
    merge(cast, source="annual report 2029")
    act = merge(cast, "system", "south-lab-geest", "south-lab-haar").json()["id"]
    undo(cast, act)
    recording.note_unrecorded()
    assert appending.append_waiting() is not None
    reader, source = SecondReader(fetch), random.Random(45)
    numbers = list(IdentityChange.objects.values_list("pk", flat=True))
    for number in numbers:
        require_as_logged(reader, number)
    assert list(log_verification.table_breaks()) == []
    edits, unseen = 0, []
    for column in random_edits.columns_of(["registry_identitychange"]):
        if column.name in NOT_RECORDED:
            continue
        for _ in range(4):
            with random_edits.undone():
                try:
                    with transaction.atomic():
                        row = random_edits.edit_row(column, source)
                except DatabaseError:
                    continue
                if row is None:
                    continue
                edits += 1
                if not any("name-changes/" in line for line in log_verification.table_breaks()):
                    unseen.append(f"{column.name} by the operator")
                if column.name in BY_DIGEST:
                    continue
                try:
                    require_as_logged(reader, row["id"])
                    unseen.append(f"{column.name} by the outsider")
                except (Disagreement, LookupError, ValueError, TypeError):
                    pass
    assert edits > 30 and not unseen


def test_a_deleted_change_is_named_by_verify_record(cast: Any) -> None:
    act = merge(cast).json()["id"]
    LogState.objects.update(unheld_since=None)
    IdentityChange.objects.all().delete()
    out = io.StringIO()
    with pytest.raises(CommandError, match="is not whole"):
        call_command("verify_record", stdout=out, stderr=io.StringIO())
    assert f"name-changes/{act}: the log has it, and its rows are gone." in out.getvalue()
