"""Whether a run may stand on a list, and if not, why: the one place for results on the record and for submissions.

Plain values in and out. A `Candidate` holds what a definition may ask for; registry/lists/listing.py makes one of a
result, submissions/publication/publishable.py one of a submission, from which publication makes the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from registry.lists.definitions import lower_is_better
from registry.lists.ranking import (
    MEASUREMENT_SCORE,
    Entry,
    Exclusion,
    Override,
    Ranking,
    best_value,
    rank_entries,
)
from validators.units import from_canonical

SCORE_NAMES = ("score", "bandwidth_gib_per_s", "rate_kiops")
_PARAMETER_PREFIX = "p."
_VERIFIED_ALONE = {
    "fact": "trust",
    "is": "verified",
    "code": "not-verified",
    "otherwise": "Only verified results are ranked here.",
}
"""Holds of every list of a release run here, also of a proposed definition that does not say so."""


@dataclass(frozen=True)
class Candidate:
    """What conditions of a definition may ask of a run, by the names of `fact` in list-definition.schema.json.

    `release` is its slug. `answers` is complete or incomplete, None where no list of the run asks for any.
    `parameters` are asked for as `p.NAME`; `scores` are ranked: GiB/s, kIOPS, the score without a unit.
    """

    trust: str
    release: str | None
    tool_version: str
    client_nodes: int | None
    ten_node: bool | None
    opted_in: bool
    production: bool | None
    reproducibility: str
    lists: Sequence[str]
    answers: str | None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def facts(self) -> dict[str, Any]:
        """The values that conditions are held against, by name."""
        named = {name: getattr(self, name) for name in CONDITION_NAMES}
        return named | {f"{_PARAMETER_PREFIX}{name}": value for name, value in self.parameters.items()}


CONDITION_NAMES = tuple(row.name for row in fields(Candidate) if row.name not in ("parameters", "scores"))


def entry_of(
    candidate: Candidate,
    id: str,
    body: Mapping[str, Any],
    measurements: Iterable[Mapping[str, Any]] = (),
    *,
    identity: Mapping[str, str] | None = None,
    entered: str = "",
) -> Entry:
    """The entry that a candidate is on the list of that body.

    `measurements` are those of the run, as a report has them, where the body ranks one. `identity` says of whom it is:
    institution, system, filesystem_type. `entered` is an ISO date.
    """
    scores = {**candidate.scores, MEASUREMENT_SCORE: measured_in_unit(measurements, body)}
    return Entry(id, scores, candidate.facts | dict(identity or {}), entered)


def exclusion_of(
    candidate: Candidate, body: Mapping[str, Any], measurements: Iterable[Mapping[str, Any]] = ()
) -> Exclusion | None:
    """Why a candidate could not rank on the list of that body, though no other run were there; None where it could."""
    exclusions = rank_pool([entry_of(candidate, "", body, measurements)], body).exclusions
    return exclusions[0] if exclusions else None


def rank_pool(pool: Iterable[Entry], body: Mapping[str, Any], decisions: Iterable[Override] = ()) -> Ranking:
    """Rank a pool as the body of a definition says, in the direction of what it ranks. Raises DefinitionError."""
    if body["pool"] == "results" and not any(condition["fact"] == "trust" for condition in body["eligible"]):
        body = {**body, "eligible": [_VERIFIED_ALONE, *body["eligible"]]}
    return rank_entries(pool, body, decisions, lower_is_better=lower_is_better(body))


def measured_in_unit(measurements: Iterable[Mapping[str, Any]], body: Mapping[str, Any]) -> float | None:
    """What the list ranks of these measurements, in its unit; None where it ranks a score, or none of them is it."""
    if "ranks" not in body:
        return None
    value = best_value(measurements, body["ranks"], lower_is_better=lower_is_better(body))
    return None if value is None else from_canonical(value, body["ranks"]["unit"])
