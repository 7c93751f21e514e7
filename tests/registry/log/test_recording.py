"""Acts are recorded: each once, with its reason and the record before it, and nothing that the act did not change."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from registry.log import recording, verification
from registry.models import LogLeaf, LogOpening, LogState, Measurement, RankedList, Release, Result, Site
from registry.query.public_record import find_result, list_measurements
from registry.results.api import as_result
from submissions.errors import ReleaseInvalid
from submissions.publication import releases
from tests.registry.record import make_list, make_release, make_result

pytestmark = pytest.mark.django_db


def records(subject: str = "results/hw-1") -> list[dict[str, Any]]:
    openings = LogOpening.objects.filter(subject=subject).order_by("leaf")
    return [json.loads(opening.canonical) for opening in openings if opening.canonical]


def test_a_record_has_what_the_api_shows_under_the_same_names(result) -> None:
    (record,) = records()
    answer = Client().get("/api/v1/results/hw-1/").json()
    assert {name: answer[name] for name in record["result"]} == record["result"]
    computed = {
        *("source_address", "printed_again", "revised_by", "changes", "repeats", "evidence_in_short", "lists"),
        *("unconfirmed_operations", "source_links", "next_trust", "reproduced", "rules_violated", "trust_label"),
        "level_by_rule",
    }
    of_storage = {name for name in answer if name.endswith("_since") or name == "copy_withheld_at"}
    assert answer.keys() - record["result"].keys() == computed | of_storage
    assert as_result(find_result("hw-1"), list_measurements(result))["score"] == 40.0


def test_a_leaf_is_the_digest_of_salt_and_text(result) -> None:
    opening = LogOpening.objects.get()
    digest = hashlib.sha256(bytes(opening.salt) + opening.canonical.encode()).digest()
    assert bytes(LogLeaf.objects.get().entry) == digest


def test_equal_records_have_different_leaves(result) -> None:
    recording.forget_openings(["results/hw-1"])
    recording.record_results([result.pk], recording.PUBLISHED)
    first, second = LogLeaf.objects.order_by("pk")
    assert first.entry != second.entry


def test_unchanged_results_are_not_recorded_again(result) -> None:
    assert recording.record_results([result.pk], recording.WITHDRAWN) == 0
    assert len(records()) == 1


def test_an_act_refers_to_the_record_before_it(result) -> None:
    Result.objects.update(withdrawn_at=timezone.now(), withdrawn_reason="A wrong clock.")
    assert recording.record_results([result.pk], recording.WITHDRAWN) == 1
    first, second = records()
    assert (second["act"], second["previous"]) == ("withdrawn", str(LogLeaf.objects.earliest("pk")))
    assert second["result"]["withdrawn_reason"] == "A wrong clock."
    assert first["previous"] is None


@pytest.mark.parametrize("act", [recording.WITHDRAWN, recording.IDENTIFIED, recording.RECHECKED])
def test_a_value_changed_by_hand_is_not_recorded_with_an_act(result, act: str) -> None:
    """Seen to fail with records that are read whole from the tables."""
    Result.objects.update(score=80.0, withdrawn_reason="x", later_evidence={"x": 1})
    Measurement.objects.update(value=1.0)
    recording.record_results([result.pk], act)
    assert [record["result"]["score"] for record in records()] == [40] * len(records())
    assert records()[-1]["result"]["measurements"] == records()[0]["result"]["measurements"]


def test_the_row_of_a_record_has_its_time_in_whole_seconds(result) -> None:
    """As the record: what the row had beyond would be covered by nothing."""
    recording.record_results([result.pk], recording.WITHDRAWN)
    assert {opening.recorded_at.microsecond for opening in LogOpening.objects.all()} == {0}


def test_results_published_here_are_recorded_by_acts_only(result) -> None:
    Result.objects.update(score=80.0)
    recording.note_unrecorded()
    recording.record_unrecorded()
    assert [record["result"]["score"] for record in records()] == [40]


def test_older_things_are_counted_by_the_day_of_their_first_record() -> None:
    make_result(make_release("T1"), "io500-1", 40.0)
    recording.note_unrecorded()
    assert verification.uncovered_counts() == {}
    recording.record_unrecorded()
    counts = {"result": 1, "release": 1, "institution": 1, "system": 1}
    assert verification.uncovered_counts() == {timezone.now().date(): counts}


def test_a_load_changes_no_recorded_name_of_an_institution() -> None:
    make_result(make_release("T1"), "io500-1", 40.0)
    for _ in range(2):
        recording.note_unrecorded()
        recording.record_unrecorded()
        Site.objects.update(name="Rewritten past the registry", also_printed_as=["T 1"])
    (first, loaded) = records(f"sites/{Site.objects.get().slug}")
    assert loaded["site"] == first["site"] | {"also_printed_as": ["T 1"]}
    assert any("site.name" in line for line in verification.table_breaks())


def test_a_load_records_what_it_corrected() -> None:
    stored_result = make_result(make_release("T1"), "io500-1", 40.0)
    recording.note_unrecorded()
    assert recording.record_unrecorded() == 4  # the result, its release, institution and system
    Result.objects.filter(pk=stored_result.pk).update(score=41.0)
    assert recording.record_unrecorded() == 0
    recording.note_unrecorded()
    assert recording.record_unrecorded() == 1
    assert [(record["act"], record["result"]["score"]) for record in records("results/io500-1")] == [
        ("first-recorded", 40),
        ("loaded", 41),
    ]
    assert LogState.objects.get().unheld_since is None


def test_recomputed_ranks_are_the_only_new_records() -> None:
    release = make_release("T1", imported=False, deadline=timezone.now())
    stored_result = make_result(release, "hw-1", 40.0)
    ranked_list = make_list(release, "full", [stored_result])
    RankedList.objects.update(frozen_at=timezone.now())
    recording.record_lists([ranked_list], recording.PUBLISHED)
    ranked_list.entries.update(score=80.0, rank_high=3)
    recording.record_lists([ranked_list], recording.RANGED)
    _, second = records("lists/T1/full")
    assert [(row["score"], row["rank_high"]) for row in second["list"]["entries"]] == [(40, 3)]


def test_a_list_that_is_not_frozen_is_not_recorded() -> None:
    release = make_release("T1", imported=False, deadline=timezone.now())
    ranked_list = make_list(release, "full", [make_result(release, "hw-1")])
    RankedList.objects.update(frozen_at=None)
    assert recording.record_lists([ranked_list], recording.PUBLISHED) == 0


def test_an_erased_record_keeps_its_leaf_without_salt_and_text(result, client) -> None:
    recording.forget_openings(["results/hw-1"])
    opening = LogOpening.objects.get()
    assert (opening.salt, opening.canonical) == (None, None)
    assert opening.erased_at and LogLeaf.objects.count() == 1
    answer = client.get("/api/v1/results/hw-1/proof/")
    assert (answer.status_code, answer.json()["code"]) == (404, "log.not-recorded")


def test_an_earlier_record_is_addressed_by_its_leaf(result, client) -> None:
    Result.objects.update(withdrawn_at=timezone.now())
    recording.record_results([result.pk], recording.WITHDRAWN)
    proof = client.get("/api/v1/results/hw-1/proof/").json()
    newest, oldest = proof["records"]
    assert (newest["act"], oldest["act"], newest["leaf"]) == ("withdrawn", "published", proof["leaf"])
    former = client.get(f"/api/v1/results/hw-1/proof/?leaf={oldest['leaf']}").json()
    assert (former["leaf"], former["record"]["act"]) == (oldest["leaf"], "published")
    assert proof["record"]["previous"] == former["leaf"]


@pytest.mark.parametrize("leaf", ["00" * 32, "x", "' OR 1=1", "\0"])
def test_no_other_leaf_opens_a_record(result, client, leaf: str) -> None:
    assert client.get("/api/v1/results/hw-1/proof/", {"leaf": leaf}).status_code in (400, 404)


@pytest.mark.parametrize(
    "path", ["results/hw-9/proof/", "results/demo-1/proof/", "lists/t1/full/proof/", "lists/x/y/proof/"]
)
def test_unpublished_things_have_no_proof(result, client, path: str) -> None:
    assert client.get(f"/api/v1/{path}").status_code == 404


def test_a_proof_not_yet_in_the_log_is_marked_as_pending(result, client) -> None:
    proof = client.get("/api/v1/results/hw-1/proof/").json()
    assert (proof["leaf_index"], proof["inclusion_proof"], proof["tree_size"]) == (None, [], 0)


def test_a_proof_costs_as_many_queries_for_any_log(result, client, django_assert_max_num_queries) -> None:
    with django_assert_max_num_queries(5):
        client.get("/api/v1/results/hw-1/proof/")


# Releases


@pytest.fixture
def release() -> Release:
    return releases.create_release("t9", timezone.now() + timedelta(days=9), name="T9")


def test_a_release_is_recorded_as_the_api_shows_it(release: Release) -> None:
    (record,) = records("releases/t9")
    answer = Client().get("/api/v1/releases/t9/").json()
    assert (record["act"], record["previous"]) == ("called", None)
    assert answer == record["release"] | {"lists": []}
    proof = Client().get("/api/v1/releases/T9/proof/").json()
    assert proof["record"] == record


def test_a_changed_release_is_recorded_with_the_record_before(release: Release) -> None:
    releases.change_release(release, accepting_reviewers=2)
    called, changed = records("releases/t9")
    assert changed["previous"] == str(LogLeaf.objects.earliest("pk"))
    assert (called["release"]["accepting_reviewers"], changed["release"]["accepting_reviewers"]) == (1, 2)
    releases.change_release(release, accepting_reviewers=2)
    assert len(records("releases/t9")) == 2


def test_a_deadline_moved_by_hand_is_not_recorded_with_the_publication(release: Release) -> None:
    """Seen to fail with releases that are read whole from the table."""
    before = records("releases/t9")[0]["release"]
    Release.objects.update(deadline=timezone.now(), published_at=timezone.now())
    recording.record_releases([release], recording.PUBLISHED)
    after = records("releases/t9")[-1]["release"]
    assert after["published_at"] and after["deadline"] == before["deadline"]
    recording.note_unrecorded()
    recording.record_unrecorded()
    assert len(records("releases/t9")) == 2


def test_releases_older_than_their_records_are_recorded_once_and_copies_again() -> None:
    make_release("T1", imported=True)
    recording.note_unrecorded()
    assert recording.record_unrecorded() == 1
    Release.objects.update(note="Corrected at the source.")
    recording.note_unrecorded()
    assert recording.record_unrecorded() == 1
    assert [record["act"] for record in records("releases/T1")] == ["first-recorded", "loaded"]


def test_a_refused_release_leaves_no_record() -> None:
    with pytest.raises(ReleaseInvalid):
        releases.create_release("t9", timezone.now(), opens=timezone.now() + timedelta(days=1))
    assert not LogOpening.objects.exists()
    assert Client().get("/api/v1/releases/t9/proof/").status_code == 404
