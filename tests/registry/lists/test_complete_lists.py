"""The lists that are known whole, rebuilt from the results of the record by the rules of their time.

Each is equal to the published one, or differs by what `EXPLAINED` and the recorded overrides say, no more and no less.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from registry.lists.definitions import imported_definition, read_definitions
from registry.lists.ranking import EXCLUDE, INCLUDE, Entry, Override, PublishedRow, compare_lists, rank_entries

HISTORY = Path(__file__).resolve().parents[3] / "registry" / "loading" / "data" / "history"
ORDER = [row["slug"] for row in json.loads((HISTORY / "releases.json").read_text(encoding="utf-8"))]
RESULTS = {row["id"]: row for row in json.loads((HISTORY / "results.json").read_text(encoding="utf-8"))}
OVERRIDES = json.loads((HISTORY / "overrides.json").read_text(encoding="utf-8"))
LISTS = {
    (release_lists["release"], name): ranked_list["entries"]
    for path in HISTORY.glob("lists/*.json")
    for release_lists in [json.loads(path.read_text(encoding="utf-8"))]
    for name, ranked_list in release_lists["lists"].items()
}
UNTIL_ISC21 = ORDER[: ORDER.index("ISC21") + 1]
FULL = ("SC19/full", "ISC20/full", "SC20/full", "ISC21/full")
HISTORICAL = ("SC19/historical", "ISC20/historical", "SC20/historical", "ISC21/historical")
BOTH_SC18 = ("SC18/io500", "SC18-recomputed/io500")
SINCE = "SC19"
"""The full lists of SC19 and later begin anew with the runs of SC19; the historical ones have all."""


class Explained(NamedTuple):
    """Submissions that these published lists have and the rules don't (include), or the other way round (exclude)."""

    lists: Sequence[str]
    action: str
    submissions: Sequence[int]
    reason: str


EXPLAINED = [
    Explained(
        ["SC17/io500"],
        INCLUDE,
        [46, 65, 96, 104, 109, 134, 160, 205],
        "The database of IO500 dates the runs of SC17 to ISC18; only a row that it deleted later has its own release.",
    ),
    Explained(
        BOTH_SC18,
        EXCLUDE,
        [81, 144, 147, 199, 207, 210, 220],
        "Runs on ten nodes stood on the new 10-node list of SC18 alone.",
    ),
    Explained(
        BOTH_SC18,
        EXCLUDE,
        [93, 99, 137, 165, 169, 193],
        "No reason is published; ISC19 leaves them out as well.",
    ),
    Explained(BOTH_SC18, INCLUDE, [95], "It stands in place of 93, a better run of the same system that is left out."),
    Explained(
        BOTH_SC18,
        INCLUDE,
        [178, 179],
        "The database says today that they were not entered for ranking; the list has them, as ISC19 does.",
    ),
    Explained(["SC18/io500"], INCLUDE, [218], "A second run of a system beside 216; the recomputed list lacks it."),
    Explained(
        ["SC18/ten", "SC18-recomputed/ten"],
        INCLUDE,
        [180],
        "The database does not say that it was declared for the 10-node list; it ran on ten nodes.",
    ),
    Explained(
        ["ISC19/full"], INCLUDE, [106], "Submitted on 2019-06-24, after the list; the database dates it to SC19."
    ),
    Explained(
        ["ISC19/full", *HISTORICAL],
        EXCLUDE,
        [222, 225, 234, 243, 259, 313],
        "IO500 deleted the row later as a duplicate of another submission.",
    ),
    Explained(
        [*FULL, *HISTORICAL], EXCLUDE, range(497, 511), "A run of the student competition, on the list scc alone."
    ),
    Explained(
        FULL,
        EXCLUDE,
        [106, 118, 119, 132, 171, 177],
        "Submitted in June and July 2019, before the rules of SC19; on the historical lists.",
    ),
    Explained(
        ["ISC21/full", "ISC21/historical"],
        EXCLUDE,
        [538, 544, 545, 549],
        "A second submission on ten nodes, on the 10-node list of ISC21 alone.",
    ),
]

RANKED_LISTS = [(release, name) for release in UNTIL_ISC21 for name in ("io500", "ten") if (release, name) in LISTS]
ALL_RUNS = [key for key in LISTS if key[0] in UNTIL_ISC21 and key[1] in ("full", "historical")]
DELETED = {f"io500-{number}" for number in (222, 225, 234, 243, 259, 313)}


def entered_until(release: str, since: str = "SC17") -> set[str]:
    first, last = ORDER.index(since), ORDER.index(release)
    return {id for id, row in RESULTS.items() if first <= ORDER.index(row["release"]) <= last}


def explained(release: str, name: str) -> list[Override]:
    rows = [row for row in EXPLAINED if f"{release}/{name}" in row.lists]
    return [Override(f"io500-{number}", row.action, row.reason) for row in rows for number in row.submissions]


def entries(ids: Iterable[str], release: str, name: str) -> list[Entry]:
    """Results with their declared facts, and with the score of that list where they stand on it."""
    own = {row[1]: row[2] for row in LISTS[release, name]}
    facts = ("institution", "system", "filesystem_type", "client_nodes", "ten_node")
    return [
        Entry(
            id,
            {"score": own.get(id, RESULTS[id].get("score"))},
            {fact: RESULTS[id].get(fact) for fact in facts} | {"opted_in": RESULTS[id].get("opted_in", True)},
        )
        for id in sorted(ids)
    ]


def candidates(release: str, name: str) -> set[str]:
    """What the record has for a list: until SC18 all that was entered, then what the full list has."""
    if name == "historical" or (release, name) == ("ISC19", "full"):
        return entered_until(release)
    if name == "full":
        return entered_until(release, SINCE)
    if (release, "full") in LISTS:
        return rebuilt_ids(release, "full")
    return entered_until(release) - (DELETED if release == "SC18-recomputed" else set())


def decisions(release: str, name: str) -> list[Override]:
    recorded = [row for row in OVERRIDES if (row["release"], row["list"]) == (release, name)]
    return [Override(row["result"], row["action"], row["reason"]) for row in recorded] + explained(release, name)


def rebuilt_ids(release: str, name: str) -> set[str]:
    changes = decisions(release, name)
    ids = candidates(release, name) | {change.entry for change in changes}
    definition = imported_definition(read_definitions(), name, release, ORDER)
    assert definition is not None
    return {row.entry for row in rank_entries(entries(ids, release, name), definition, changes).rows}


def published(release: str, name: str) -> list[PublishedRow]:
    return [PublishedRow(*row[:3]) for row in LISTS[release, name]]


@pytest.mark.parametrize(("release", "name"), [*RANKED_LISTS, *ALL_RUNS])
def test_a_complete_list_is_rebuilt_by_its_rules(release: str, name: str) -> None:
    definition = imported_definition(read_definitions(), name, release, ORDER)
    assert definition is not None
    changes = decisions(release, name)
    ids = candidates(release, name) | {change.entry for change in changes}
    assert not compare_lists(published(release, name), rank_entries(entries(ids, release, name), definition, changes))


@pytest.mark.parametrize(("release", "name"), [*RANKED_LISTS, *ALL_RUNS])
def test_every_explained_difference_exists(release: str, name: str) -> None:
    definition = imported_definition(read_definitions(), name, release, ORDER)
    assert definition is not None
    by_rules = rank_entries(entries(candidates(release, name), release, name), definition)
    differences = compare_lists(published(release, name), by_rules)
    assert {change.entry: change.action for change in decisions(release, name)} == {
        **dict.fromkeys(differences.missing, INCLUDE),
        **dict.fromkeys(differences.surplus, EXCLUDE),
    }


def test_every_complete_list_except_student_lists_is_rebuilt() -> None:
    complete_lists = {key for key in LISTS if key[0] in UNTIL_ISC21}
    assert complete_lists - {*RANKED_LISTS, *ALL_RUNS} == {("SC19", "scc")}
    assert len(complete_lists) == 9 + 7 + 5 + 4 + 1  # io500, ten, full, historical, scc


def test_explanations_of_differences_are_true() -> None:
    ten = {row[1] for row in LISTS["SC18", "ten"]}
    assert all(f"io500-{number}" in ten for number in (81, 144, 147, 199, 207, 210, 220, 180))
    left_out = {
        row["result"]
        for row in OVERRIDES
        if (row["release"], row["list"], row["action"]) == ("ISC19", "io500", EXCLUDE)
    }
    assert {f"io500-{number}" for number in (93, 99, 137, 165, 169, 193)} <= left_out
    assert {row[1] for row in LISTS["SC19", "scc"]} == {f"io500-{number}" for number in range(497, 511)}
    assert all("deleted" in RESULTS[id]["note"] for id in DELETED)
    assert {RESULTS[f"io500-{number}"]["submitted_on"][:7] for number in (118, 119, 132, 171, 177)} == {"2019-07"}
    assert RESULTS["io500-180"]["client_nodes"] == 10
    for number in (538, 544, 545, 549):
        homes = {
            key
            for key, rows in LISTS.items()
            if key[0] in UNTIL_ISC21 and f"io500-{number}" in [row[1] for row in rows]
        }
        assert homes == {("ISC21", "ten")}
