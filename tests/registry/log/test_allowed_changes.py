"""A record changes of the one before it what its act may change. One that somebody added to the tables betrays it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from collectors.server.log import history
from registry.log import allowed_changes, recording, verification
from registry.log.canonical_form import canonical_text
from registry.models import LogOpening, Result

LIST = {
    "release": "sc26",
    "list": "full",
    "trust": "verified",
    "note": "",
    "entries": [{"rank": 1, "rank_low": 1, "rank_high": 2, "score": 9.5}],
}
RESULT = {"id": "hw-1", "trust": "verified", "score": 9.5, "withdrawn_at": None, "measurements": [{"value": 1.5}]}
RELEASE = {"slug": "sc26", "imported": False, "published_at": None, "deadline": "2026-11-01"}
NAME = {"slug": "north-lab", "name": "North Lab", "former_slugs": []}
FACTS: dict[str, dict[str, Any]] = {"result": RESULT, "list": LIST, "release": RELEASE, "site": NAME, "edition": {}}
FACTS |= {"reproduction": {"outcome": "agrees"}, "name_change": {"reason": "One house.", "undone_at": None}}
READERS = [allowed_changes.undue_changes, history.undue_changes]
"""The operator's, and that of the collector."""


def record(kind: str, act: str = "published", **changed: Any) -> dict[str, Any]:
    return {"type": kind, "act": act, kind: FACTS[kind] | changed, "parts": {"files": "00"}}


def test_the_operator_and_the_collector_have_one_table() -> None:
    assert history.load_rules() == allowed_changes.MAY_CHANGE
    assert {*history.ACTS, "added", "restored", "explained"} == recording.ACTS.keys()


@pytest.mark.parametrize("undue_changes", READERS)
@pytest.mark.parametrize(
    ("kind", "act", "changed"),
    [
        ("result", "withdrawn", {"withdrawn_at": "2026-11-02"}),
        ("result", "rechecked", {"later_evidence": []}),
        ("result", "named", {"institution": "North Lab"}),
        ("list", "ranged", {"entries": [LIST["entries"][0] | {"rank_low": 2}]}),
        ("list", "amended", {"entries": [], "note": "Amended on 2026-11-02: x"}),
        ("list", "erased", {"entries": []}),
        ("release", "changed", {"deadline": "2026-11-03"}),
        ("release", "published", {"published_at": "2026-11-03"}),
        ("site", "identified", {"former_slugs": ["south-lab"]}),
        ("site", "changed", {"name": "Northern Lab"}),
        ("name_change", "undone", {"undone_at": "2026-11-03"}),
    ],
)
def test_an_act_changes_its_part(undue_changes: Any, kind: str, act: str, changed: dict[str, Any]) -> None:
    assert undue_changes(record(kind), record(kind, act, **changed)) == []


@pytest.mark.parametrize("undue_changes", READERS)
@pytest.mark.parametrize(
    ("kind", "act", "changed", "undue"),
    [
        *(("result", act, {"score": 99.0}, ["score"]) for act in ("withdrawn", "identified", "rechecked", "named")),
        ("result", "withdrawn", {"withdrawn_at": "2026-11-02", "new": 1}, ["new"]),
        ("result", "named", {"measurements": [{"value": 2.5}]}, ["measurements"]),
        ("result", "loaded", {"score": 99.0}, ["trust"]),
        ("result", "loaded", {"score": 99.0, "trust": "imported"}, ["trust"]),
        *(("result", act, {}, ["act"]) for act in ("published", "first-recorded", "amended")),
        ("list", "ranged", {"entries": [LIST["entries"][0] | {"score": 99.0}]}, ["entries"]),
        ("list", "amended", {"entries": []}, ["note"]),
        ("list", "loaded", {"entries": []}, ["trust"]),
        ("release", "changed", {"published_at": "2026-11-03"}, ["published_at"]),
        ("release", "published", {"deadline": "2026-11-03"}, ["deadline"]),
        ("release", "loaded", {"deadline": "2026-11-03"}, ["imported"]),
        ("site", "identified", {"name": "Elsewhere"}, ["name"]),
        ("site", "loaded", {"name": "Elsewhere"}, ["name"]),
        ("name_change", "undone", {"reason": "Another."}, ["reason"]),
        ("reproduction", "published", {"outcome": "not reproduced"}, ["act"]),
        ("edition", "published", {}, ["act"]),
    ],
)
def test_undue_changes_of_an_act_are_named(
    undue_changes: Any, kind: str, act: str, changed: dict[str, Any], undue: list[str]
) -> None:
    assert undue_changes(record(kind), record(kind, act, **changed)) == undue


def test_parts_of_a_result_are_compared_as_its_facts_are() -> None:
    other = record("result", "withdrawn") | {"parts": {"files": "11"}}
    assert [reader(record("result"), other) for reader in READERS] == [["parts"], ["parts"]]


def add_record(result: Result, act: str, **changed: Any) -> None:
    """What somebody with the tables, and without the registry, writes: a leaf, and a record that fits it."""
    before = LogOpening.objects.filter(subject=f"results/{result.public_id}").latest("leaf")
    document = json.loads(before.canonical or "")
    document |= {"act": act, "previous": str(before.leaf), "result": document["result"] | changed}
    text = canonical_text(document)
    ((leaf, salt),) = recording.new_leaves([text])
    facts = {"kind": "result", "act": act, "recorded_at": before.recorded_at, "subject": before.subject}
    LogOpening.objects.create(leaf=leaf, salt=salt, canonical=text, **facts)


@pytest.mark.django_db
@pytest.mark.parametrize("act", ["withdrawn", "rechecked", "identified", "published"])
def test_a_record_that_was_added_to_the_tables_is_named(result: Result, act: str) -> None:
    assert list(verification.opening_breaks()) == []
    result.score = 99.0
    result.save()
    add_record(result, act, score=99.0)
    in_tables = [line for line in verification.table_breaks() if line.startswith("results/")]
    assert in_tables == [], "the table is as the newest record"
    (line,) = verification.opening_breaks()
    assert line.startswith(f"results/{result.public_id}: a record says {act}, and changes what that never does: ")


@pytest.mark.django_db
def test_a_record_that_leaves_out_the_one_before_it_is_named(result: Result) -> None:
    add_record(result, "withdrawn", withdrawn_at="2026-11-02T00:00:00Z")
    LogOpening.objects.filter(act="published").delete()
    (line,) = verification.opening_breaks()
    assert "follows another one than stands there" in line
