"""Ranking, as plain arithmetic: entries and a list definition in, ranked rows and reasons out.

No database, clock or network. A definition is data (registry/lists/data/*.json, shape in
registry/schemas/list-definition.schema.json); docs/lists.md tells the same in words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from registry.query.names.text_folding import fold_text

INCLUDE = "include"
EXCLUDE = "exclude"
SCORE = "score"
MEASUREMENT_SCORE = "measured"

OVERRIDE_EXCLUDED = "override-excluded"
NO_SCORE = "no-score"
NOT_BEST = "not-best"


class DefinitionError(ValueError):
    """A list definition or an override asks for something that ranking does not know."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One result that may stand on a list.

    `scores` holds what a definition may rank by (score, bandwidth_gib_per_s, rate_kiops, or as `measured` the
    measurement that its `ranks` names, in its unit), `facts` what it may ask for.
    `entered` is an ISO date: of two equal scores the earlier one stands first.
    """

    id: str
    scores: Mapping[str, float | None]
    facts: Mapping[str, Any] = field(default_factory=dict)
    entered: str = ""


@dataclass(frozen=True, slots=True)
class Override:
    """A manual decision about one entry: include it, exclude it, or rank it by another score. Always with a reason."""

    entry: str
    action: str
    reason: str
    score: float | None = None

    def __post_init__(self) -> None:
        if self.action not in (INCLUDE, EXCLUDE, SCORE):
            raise DefinitionError(f"unknown override action {self.action!r}")
        if not self.reason.strip():
            raise DefinitionError(f"the override of {self.entry} gives no reason")
        if (self.action == SCORE) != (self.score is not None):
            raise DefinitionError(f"the override of {self.entry} must give a score exactly when its action is score")


@dataclass(frozen=True, slots=True)
class RankedRow:
    """One row: entries with equal scores share `rank`; they fill the ranks `rank_low` to `rank_high` (1,2,2,4)."""

    rank: int
    rank_high: int
    entry: str
    score: float
    reason: str = ""

    @property
    def rank_low(self) -> int:
        return self.rank


@dataclass(frozen=True, slots=True)
class Exclusion:
    """An entry that is not on the list, with a stable code and a sentence that says why."""

    entry: str
    code: str
    why: str


@dataclass(frozen=True, slots=True)
class Ranking:
    rows: tuple[RankedRow, ...]
    exclusions: tuple[Exclusion, ...]


def rank_entries(
    entries: Iterable[Entry],
    definition: Mapping[str, Any],
    overrides: Iterable[Override] = (),
    *,
    lower_is_better: bool = False,
) -> Ranking:
    """Rank `entries` as `definition` says, then apply the manual decisions to that list.

    A score override counts from the start. Exclude takes one row off the list and include puts one on it, past
    eligibility and the best-per rule; neither moves any other entry on or off, so a published list differs from its
    definition by exactly its overrides. A missing, NaN, infinite or not positive score never ranks, whatever an
    override says. Raises DefinitionError for an unknown condition, a second override of one entry, or an override of
    an entry that is not there.
    """
    pool = list(entries)
    decisions = _decisions_by_result(overrides, pool)
    name = definition.get("score", MEASUREMENT_SCORE)
    scores = {entry.id: _entry_score(entry, name, decisions.get(entry.id)) for entry in pool}
    order = _ranking_order(scores, lower_is_better)
    reasons = {entry.id: _find_exclusion(entry, scores[entry.id], definition) for entry in pool}
    candidates = [entry for entry in pool if not reasons[entry.id]]
    reasons |= _find_beaten(sorted(candidates, key=order), definition["best_per"], scores)
    for decision in decisions.values():
        if decision.action == EXCLUDE:
            reasons[decision.entry] = Exclusion(decision.entry, OVERRIDE_EXCLUDED, decision.reason)
        elif decision.action == INCLUDE and scores[decision.entry] is not None:
            reasons[decision.entry] = None
    listed = sorted((entry for entry in pool if not reasons[entry.id]), key=order)
    exclusions = sorted(filter(None, reasons.values()), key=lambda exclusion: natural_key(exclusion.entry))
    return Ranking(tuple(_ranked_rows(listed, scores, decisions)), tuple(exclusions))


def best_value(
    measurements: Iterable[Mapping[str, Any]], ranks: Mapping[str, Any], *, lower_is_better: bool
) -> float | None:
    """The best canonical value of the measurements that a definition's `ranks` names; None where none is it."""
    row = best_measurement(measurements, ranks, lower_is_better=lower_is_better)
    return None if row is None else row["value"]


def best_measurement(
    measurements: Iterable[Mapping[str, Any]], ranks: Mapping[str, Any], *, lower_is_better: bool
) -> Mapping[str, Any] | None:
    """The measurement with that value."""
    metric = {name: ranks[name] for name in ("op", "quantity", "stat")}
    context = ranks.get("context", {})
    matches = [row for row in measurements if _has_value(row, metric) and _has_value(row["context"], context)]
    return (min if lower_is_better else max)(matches, key=lambda row: row["value"], default=None)


def _has_value(row: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    return all(name in row and row[name] == value for name, value in expected.items())


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that puts io500-9 before io500-46."""
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"([0-9]+)", text))


def _decisions_by_result(overrides: Iterable[Override], pool: Sequence[Entry]) -> dict[str, Override]:
    entry_ids = {entry.id for entry in pool}
    if len(entry_ids) != len(pool):
        raise DefinitionError("an entry stands twice in the pool")
    decisions: dict[str, Override] = {}
    for override in overrides:
        if override.entry in decisions:
            raise DefinitionError(f"two overrides decide about {override.entry}")
        if override.entry not in entry_ids:
            raise DefinitionError(f"an override decides about {override.entry}, which is not in the pool")
        decisions[override.entry] = override
    return decisions


def _entry_score(entry: Entry, name: str, decision: Override | None) -> float | None:
    score = decision.score if decision and decision.action == SCORE else entry.scores.get(name)
    return score if score is not None and math.isfinite(score) and score > 0 else None


def _find_exclusion(entry: Entry, score: float | None, definition: Mapping[str, Any]) -> Exclusion | None:
    if score is None:
        return Exclusion(entry.id, NO_SCORE, "It has no score that can be ranked.")
    for condition in definition["eligible"]:
        if not _meets_condition(condition, entry.facts):
            return Exclusion(entry.id, condition["code"], condition["otherwise"])
    return None


_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "is": lambda fact, expected: fact == expected,
    "is_not": lambda fact, unwanted: fact != unwanted,
    "one_of": lambda fact, accepted: fact in accepted,
    "at_least": lambda fact, least: isinstance(fact, int | float) and fact >= least,
    "contains": lambda fact, member: isinstance(fact, list | str) and member in fact,
}


def _meets_condition(condition: Mapping[str, Any], facts: Mapping[str, Any]) -> bool:
    """Whether the facts meet a condition; an unknown fact meets only `is_not`."""
    tests = [(test, condition[name]) for name, test in _TESTS.items() if name in condition]
    if len(tests) != 1:
        raise DefinitionError(f"condition {condition.get('code')!r} needs exactly one of {', '.join(_TESTS)}")
    test, expected = tests[0]
    return test(facts.get(condition["fact"]), expected)


def _ranking_order(scores: Mapping[str, float | None], lower_is_better: bool) -> Callable[[Entry], tuple[Any, ...]]:
    """Best score first; equal scores by date of entry, then by id, so that the order never depends on the input."""
    sign = 1 if lower_is_better else -1
    return lambda entry: (sign * (scores[entry.id] or 0.0), entry.entered, natural_key(entry.id))


def _find_beaten(
    ordered: Sequence[Entry], best_per: Sequence[str], scores: Mapping[str, float | None]
) -> dict[str, Exclusion]:
    """Of entries, best first, those that come after another one with the same facts."""
    best: dict[tuple[str, ...], Entry] = {}
    beaten: dict[str, Exclusion] = {}
    for entry in ordered if best_per else ():
        first = best.setdefault(tuple(fold_text(entry.facts.get(fact)) for fact in best_per), entry)
        if first is not entry:
            same = _join_phrase(best_per)
            why = f"{first.id} has the same {same} and scores {scores[first.id]:g}."
            beaten[entry.id] = Exclusion(entry.id, NOT_BEST, why)
    return beaten


def _join_phrase(facts: Sequence[str]) -> str:
    """["institution", "filesystem_type"] -> "institution and file system type"."""
    words = [fact.replace("filesystem", "file system").replace("_", " ") for fact in facts]
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _ranked_rows(
    ordered: Sequence[Entry], scores: Mapping[str, float | None], decisions: Mapping[str, Override]
) -> Iterable[RankedRow]:
    values = [scores[entry.id] or 0.0 for entry in ordered]
    first: dict[float, int] = {}
    for position, value in enumerate(values, 1):
        first.setdefault(value, position)
    last = {value: position for position, value in enumerate(values, 1)}
    for entry, value in zip(ordered, values, strict=True):
        decision = decisions.get(entry.id)
        yield RankedRow(first[value], last[value], entry.id, value, decision.reason if decision else "")


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One row of a list as it was published."""

    rank: int
    entry: str
    score: float


@dataclass(frozen=True, slots=True)
class Differences:
    """How a published list differs from the computed one; empty (and false) when it does not.

    `missing` are published but not computed, `surplus` computed but not published. `scores` and `ranks` hold
    (entry, published, computed); a published rank inside a tie's range is no difference.
    """

    missing: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()
    scores: tuple[tuple[str, float, float], ...] = ()
    ranks: tuple[tuple[str, int, int], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.surplus or self.scores or self.ranks)


def compare_lists(published: Iterable[PublishedRow], computed: Ranking) -> Differences:
    """Compare a published list with a computed one, for `rebuild_list --check` and for recording overrides."""
    rows = {row.entry: row for row in computed.rows}
    published_by_entry = {row.entry: row for row in published}
    both = [(published_by_entry[entry], rows[entry]) for entry in published_by_entry if entry in rows]
    return Differences(
        missing=tuple(sorted(published_by_entry.keys() - rows.keys(), key=natural_key)),
        surplus=tuple(sorted(rows.keys() - published_by_entry.keys(), key=natural_key)),
        scores=tuple((was.entry, was.score, now.score) for was, now in both if was.score != now.score),
        ranks=tuple(
            (was.entry, was.rank, now.rank) for was, now in both if not now.rank_low <= was.rank <= now.rank_high
        ),
    )
