"""Somebody who writes to the tables adds a newest record that is none: changes and proofs of the thing go on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.utils import timezone

from registry.log import appending, recording, verification
from registry.models import LogOpening, RankedList, Result, Site
from tests.registry.record import make_list, make_release, make_result, stored_in

pytestmark = pytest.mark.django_db

FORM = '"version":1,"act":"rechecked","recorded_at":"2026-11-29T18:00:00Z","previous":null'
NO_RECORDS = (
    *("", "no JSON", "[]", "null", "[" * 100_000, '{"type":"result"}', '{"type":[],"act":{},"recorded_at":7}'),
    f'{{"type":"result",{FORM},"result":{{"score":{"9" * 5000}}},"parts":{{}}}}',
)
WITHOUT_FACTS = (
    f'{{"type":"result",{FORM}}}',
    *(f'{{"type":"result",{FORM},"result":{facts},"parts":{{}}}}' for facts in ("7", "[]", "null", '{"score":NaN}')),
    f'{{"type":"result",{FORM},"result":{{"note":"\\ud800"}},"parts":{{}}}}',
    f'{{"type":"result",{FORM},"result":{{}}}}',
    '{"type":"result","act":"rechecked","recorded_at":"2026-11-29T18:00:00Z","result":{},"parts":{}}',
)
ACTS = (recording.WITHDRAWN, recording.IDENTIFIED, recording.RECHECKED, recording.LOADED)


def add_record(subject: str, kind: str, canonical: str) -> LogOpening:
    ((leaf, salt),) = recording.new_leaves([canonical])
    now = timezone.now().replace(microsecond=0)
    return LogOpening.objects.create(
        leaf=leaf, kind=kind, act="rechecked", recorded_at=now, subject=subject, salt=salt, canonical=canonical
    )


def newest_record(subject: str) -> dict[str, Any]:
    return json.loads(LogOpening.objects.filter(subject=subject).latest("leaf_id").canonical or "")


@pytest.mark.parametrize("act", ACTS)
def test_the_next_change_of_a_result_follows_what_is_no_record(result, act: str) -> None:
    for canonical in (*NO_RECORDS, *WITHOUT_FACTS):
        added = add_record("results/hw-1", "result", canonical)
        assert recording.record_results([result.pk], act) == 1, canonical[:100]
        record = newest_record("results/hw-1")
        assert (record["act"], record["previous"], record["result"]["score"]) == (act, str(added.leaf), 40)


def test_no_change_by_hand_slips_in_behind_what_is_no_record(result) -> None:
    add_record("results/hw-1", "result", "no JSON")
    Result.objects.update(score=80.0, withdrawn_reason="A wrong clock.")
    recording.record_results([result.pk], recording.WITHDRAWN)
    record = newest_record("results/hw-1")
    assert (record["result"]["score"], record["result"]["withdrawn_reason"]) == (40, "A wrong clock.")


def test_a_record_that_was_edited_is_not_built_on(result) -> None:
    opening = LogOpening.objects.get()
    LogOpening.objects.update(canonical=(opening.canonical or "").replace('"score":40', '"score":80'))
    Result.objects.update(score=80.0, withdrawn_reason="A wrong clock.")
    add_record("results/hw-1", "result", opening.canonical or "")
    recording.record_results([result.pk], recording.WITHDRAWN)
    assert newest_record("results/hw-1")["result"]["score"] == 40


def test_the_first_record_follows_what_is_no_record(result) -> None:
    LogOpening.objects.all().delete()
    added = add_record("results/hw-1", "result", "no JSON")
    assert recording.record_results([result.pk], recording.PUBLISHED) == 1
    assert newest_record("results/hw-1")["previous"] == str(added.leaf)


@pytest.mark.parametrize("entries", ["7", "[7]", "[{}]", "null"])
def test_the_next_change_of_a_list_follows_what_is_no_record(entries: str) -> None:
    release = make_release("T1", imported=False, deadline=timezone.now())
    ranked_list = make_list(release, "full", [make_result(release, "hw-1", 40.0)])
    RankedList.objects.update(frozen_at=timezone.now())
    recording.record_lists([ranked_list], recording.PUBLISHED)
    add_record("lists/T1/full", "list", f'{{"type":"list",{FORM},"list":{{"entries":{entries}}},"parts":{{}}}}')
    ranked_list.entries.update(rank_high=3)
    assert recording.record_lists([ranked_list], recording.RANGED) == 1
    assert [row["rank_high"] for row in newest_record("lists/T1/full")["list"]["entries"]] == [3]


def test_the_proof_names_what_is_no_record_and_an_earlier_one(result, client) -> None:
    earlier = LogOpening.objects.get()
    for number, canonical in enumerate(NO_RECORDS, 2):
        added = add_record("results/hw-1", "result", canonical)
        answer = client.get("/api/v1/results/hw-1/proof/")
        body = answer.json()
        assert (answer.status_code, body["code"]) == (503, "log.malformed-record"), canonical[:100]
        assert str(added.leaf) in body["detail"] and f"?leaf={earlier.leaf}" in body["detail"]
        proof = client.get(f"/api/v1/results/hw-1/proof/?leaf={earlier.leaf}").json()
        assert (proof["record"]["act"], len(proof["records"])) == ("published", number)


@pytest.mark.parametrize("path", ["sites/{}/proof/", "lists/T1/full/proof/", "releases/T1/proof/"])
def test_the_proof_of_other_things_names_what_is_no_record(client, path: str) -> None:
    release = make_release("T1", imported=False, deadline=timezone.now())
    make_list(release, "full", [make_result(release, "hw-1", 40.0)])
    RankedList.objects.update(frozen_at=timezone.now())
    recording.note_unrecorded()
    recording.record_unrecorded()
    path = path.format(Site.objects.get().slug)
    add_record(path.removesuffix("/proof/"), "site", "no JSON")
    answer = client.get(f"/api/v1/{path}")
    assert (answer.status_code, answer.json()["code"]) == (503, "log.malformed-record")


def test_the_record_after_what_is_no_record_fits(result, tmp_path, settings) -> None:
    settings.STORAGES = stored_in(tmp_path)
    add_record("results/hw-1", "result", "no JSON")
    Result.objects.update(withdrawn_at=timezone.now(), withdrawn_reason="A wrong clock.")
    recording.record_results([result.pk], recording.WITHDRAWN)
    appending.append_waiting()
    (line,) = verification.opening_breaks()
    assert line.startswith("results/hw-1: its record of ") and line.endswith(" is none in its form.")
