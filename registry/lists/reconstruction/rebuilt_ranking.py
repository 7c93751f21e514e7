"""Who stands on a rebuilt list, as plain arithmetic: candidates and known official ranks in, ranks and reasons out.

The rules are those of lists (registry/lists/ranking.py, conditions.json). Known official ranks are evidence of what
archives do not say: who stands on them met the rules, and who should stand among them and does not was left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from registry.lists import conditions
from registry.lists.definitions import LISTS
from registry.lists.official import may_be_same
from registry.lists.ranking import NOT_BEST, Entry, Exclusion, rank_entries

Row = dict[str, Any]

RULES: dict[str, Sequence[str]] = {
    "io500": ("no-student-run@1", "ten-nodes-or-more@1"),
    "ten": ("no-student-run@1", "exactly-ten-nodes@1"),
    "full": ("no-student-run@1",),
}
"""What archives can tell of a list: names of conditions.json."""
PRODUCTION = frozenset({"production", "ten-production"})
NODES_UNKNOWN = ("client-nodes-unknown", "Nothing that is published says on how many client nodes it ran.")
NOT_ON_OFFICIAL = (
    "not-on-official-lists",
    "Known ranks of official lists that were published since reach below its score, and it is not among them.",
)
BEATEN = (NOT_BEST, "A better run of the same institution, system and file system stands here.")
_NODE_RULES = frozenset({"fewer-than-ten-client-nodes", "not-ten-client-nodes"})


def rank_rebuilt(
    name: str, best_per: Sequence[str], pool: Sequence[Row], published: Sequence[Row], release: int
) -> tuple[list[tuple[int, str]], list[Exclusion]]:
    """(rank, public id) of each entry, and why each other candidate is none.

    `published` are rows of the official lists since the last one known whole, up to `release`, oldest first.
    """
    members = {row["result"] for row in published}
    proven_ids = {row["public_id"] for row in pool if row["carried_over"] or row["id"] in members}
    entries = {row["public_id"]: _make_entry(row) for row in pool}
    unlisted = [entry for public_id, entry in entries.items() if public_id not in proven_ids]
    eligible = rank_entries(unlisted, {"eligible": _conditions(name), "best_per": [], "score": "score"})
    standing = proven_ids | {row.entry for row in eligible.rows}
    denied = {row["public_id"] for row in pool if row["id"] in find_denied(pool, published)} & standing
    official_ids = {row["public_id"] for row in pool if row["id"] in _on_lists_of(release, published)}
    best = _find_best([entries[public_id] for public_id in standing - denied], best_per, _by_side(pool, published))
    ranking = rank_entries((entries[id] for id in best | official_ids), _only_best(()))
    listed = [(row.rank, row.entry) for row in ranking.rows]
    compared = [entries[public_id] for public_id in best | denied]
    still_best = {row.entry for row in rank_entries(compared, _only_best(best_per)).rows}
    beaten = (standing - denied - best - official_ids) | (denied - still_best)
    exclusions = [
        *(_reword(row, entries[row.entry]) for row in eligible.exclusions),
        *(Exclusion(public_id, *BEATEN) for public_id in beaten),
        *(Exclusion(public_id, *NOT_ON_OFFICIAL) for public_id in denied & still_best),
        *ranking.exclusions,
    ]
    return listed, exclusions


def find_denied(pool: Iterable[Row], published: Iterable[Row]) -> set[int]:
    """Results that the official lists of some release since left out, though their known ranks reach below the score.

    Where production and research are two lists, only both together tell that; a list known whole reaches down to zero.
    What stands on a list of the newest release again is not meant.
    """
    releases: dict[int, dict[str, list[Row]]] = {}
    for row in published:
        releases.setdefault(row["release"], {}).setdefault(row["list"], []).append(row)
    denied: set[int] = set()
    here: set[int] = set()
    is_split = False
    for lists in releases.values():
        is_split = is_split or not PRODUCTION.isdisjoint(lists)
        here = {row["result"] for rows in lists.values() for row in rows}
        denied -= here
        if len(lists) < 1 + is_split:
            continue
        reach = max(0.0 if rows[0]["complete"] else min(row["score"] for row in rows) for rows in lists.values())
        day = next(iter(lists.values()))[0]["held_on"]
        came = [row for row in pool if row["release__held_on"] <= day and row["id"] not in here]
        denied |= {row["id"] for row in came if _lies_above(row["score"], reach)}
    return denied


def _lies_above(score: float | None, reached: float) -> bool:
    return score is not None and score > reached and not may_be_same(reached, score)


def _on_lists_of(release: int, published: Iterable[Row]) -> set[int]:
    return {row["result"] for row in published if row["release"] == release}


def _by_side(pool: Iterable[Row], published: Iterable[Row]) -> tuple[set[str], set[str]]:
    """Public ids of what is known to be research, and to be in production; one that was moved is both."""
    ids = {row["id"]: row["public_id"] for row in pool}
    sides: tuple[set[str], set[str]] = (set(), set())
    for row in published:
        if row["result"] in ids:
            sides[row["list"] in PRODUCTION].add(ids[row["result"]])
    return sides


def _find_best(entries: Sequence[Entry], best_per: Sequence[str], sides: tuple[set[str], set[str]]) -> set[str]:
    """Entries that no better one of the same system displaces. Research displaces nothing on a production list."""
    research, production = sides
    of_side = [
        {row.entry for row in rank_entries(side, _only_best(best_per)).rows}
        for side in (
            [entry for entry in entries if entry.id not in production or entry.id in research],
            [entry for entry in entries if entry.id not in research or entry.id in production],
        )
    ]
    return (of_side[0] & research) | (of_side[1] & production) | (of_side[0] & of_side[1])


def _only_best(best_per: Sequence[str]) -> Row:
    return {"eligible": [], "best_per": best_per, "score": "score"}


def _reword(exclusion: Exclusion, entry: Entry) -> Exclusion:
    """That a number is not known is another reason than that it is too small."""
    unknown = exclusion.code in _NODE_RULES and entry.facts["client_nodes"] is None
    return Exclusion(exclusion.entry, *NODES_UNKNOWN) if unknown else exclusion


@cache
def _conditions(name: str) -> list[Row]:
    body = {"name": name, "eligible": RULES[name]}
    return list(conditions.expand_definition(body, conditions.read_conditions(LISTS))["eligible"])


def _make_entry(row: Mapping[str, Any]) -> Entry:
    """Printed names decide what is one system, as they did for the published lists."""
    facts = {
        "institution": row["institution"],
        "system": row["system_name"],
        "filesystem_type": row["filesystem_type"],
        "client_nodes": row["client_nodes"],
        "p.scc": row["scc"],
    }
    entered = row["submitted_on"].isoformat() if row["submitted_on"] else ""
    return Entry(row["public_id"], {"score": row["score"]}, facts, entered)
