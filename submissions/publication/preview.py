"""A list before it is published: what would stand on it, and why not what doesn't; also under proposed definitions.

The release is published in a transaction that is taken back, so that a preview can't differ from what it foretells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from registry.lists import listing
from registry.lists.definitions import ranked_measure, require_valid
from registry.lists.eligibility import rank_pool
from registry.lists.ranking import DefinitionError, Entry, Ranking
from registry.models import Measurement, Release, Result
from submissions.errors import ProposalInvalid
from submissions.models import Account
from submissions.permissions import require_role
from submissions.publication import publish
from validators import catalogue, schema, scoring
from validators.benchmarks.io500 import score as io500
from validators.units import from_canonical

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Preview:
    """Rows as they would be ranked, and exclusions with their reasons. Ids of unpublished results are provisional."""

    release: Release
    body: Row
    entries: list[Row]
    excluded: list[Row]


def preview_list(
    release: Release, name: str, account: Account, *, definition: Any = None, score: Any = None
) -> Preview:
    """What the list would be now, under the newest definition or a proposed body, and under a proposed IO500 score.

    Nothing is stored. A proposed score is taken to repeat as well as the present one. Raises Forbidden below reviewer,
    ProposalInvalid where the proposed body is no definition.
    """
    require_role(account, Account.Role.REVIEWER)
    body = _proposed_body(name, definition)
    rule = None if score is None else _proposed_score(score)
    try:
        with publish.trial_publication(release) as unpublished:
            decisions = listing.load_decisions(release, name)
            pool = listing.list_candidates(release, name, body, [decision.entry for decision in decisions])
            if rule is not None:
                pool = _rescore_pool(pool, rule)
            ranking = rank_pool(pool, body, decisions)
            ranges = listing.preview_rank_ranges(release, body, ranking)
            results_by_id = Result.objects.select_related("release").in_bulk(
                [entry.id for entry in pool], field_name="public_id"
            )
    except DefinitionError as error:
        raise ProposalInvalid(str(error)) from error
    return Preview(release, body, *_preview_rows(ranking, ranges, results_by_id, unpublished))


def preview_as_json(preview: Preview) -> Row:
    """A preview as JSON."""
    return {
        "release": preview.release.slug,
        "list": preview.body["name"],
        "definition": {"name": preview.body["name"], "version": preview.body["version"]},
        "ranks": ranked_measure(preview.body),
        "entries": preview.entries,
        "excluded": preview.excluded,
    }


def _proposed_body(name: str, proposed: Any) -> Row:
    if proposed is None:
        definitions = listing.newest_definitions([name])
        if name not in definitions:
            raise ProposalInvalid(f"There is no list {name[:40]!r}, and no definition of one is proposed.")
        return definitions[name]
    try:
        body = require_valid(proposed)
    except DefinitionError as error:
        raise ProposalInvalid(f"The definition: {error}") from error
    if body["name"] != name or body["pool"] != "results":
        raise ProposalInvalid(f"A proposal for {name} has that name, and the pool `results`.")
    return body


def _proposed_score(proposed: Any) -> scoring.Definition:
    """A definition of scores.1 alone. Raises ProposalInvalid."""
    document = io500.stored() | {"definitions": [proposed]}
    for error in schema.errors(document, "scores.1"):
        raise ProposalInvalid(f"The score: {error.json_path.removeprefix('$.definitions[0]')}: {error.message[:200]}")
    rule = scoring.Definition.from_json(proposed)
    if unknown := [phase for phase in rule.phases if phase not in document["phases"]]:
        raise ProposalInvalid(f"The score: no phase is called {unknown[0][:60]}.")
    return rule


def _rescore_pool(pool: list[Entry], rule: scoring.Definition) -> list[Entry]:
    """The entries with the score that their phases make; without a phase that it needs, with none."""
    rows = Measurement.objects.filter(result__public_id__in=[entry.id for entry in pool], stat="phase")
    quantities: Mapping[str, str] = io500.stored()["phases"]
    values: dict[str, dict[str, float]] = {}
    for result, op, quantity, value in rows.values_list("result__public_id", "op", "quantity", "value"):
        if quantities.get(op) == quantity:
            values.setdefault(result, {})[op] = from_canonical(value, _printed_unit(op, quantity))
    return [
        replace(entry, scores={**entry.scores, "score": _score_or_none(values.get(entry.id, {}), rule)})
        for entry in pool
    ]


def _printed_unit(op: str, quantity: str) -> str:
    """In which the phases of a score are combined: as IO500 prints them."""
    described = catalogue.describe("io500", op, quantity)
    if described is None:
        raise LookupError(f"the descriptor of io500 has no {quantity} of {op}")
    return described.unit


def _score_or_none(values: Mapping[str, float], rule: scoring.Definition) -> float | None:
    try:
        return scoring.evaluate(values, rule).value
    except scoring.ScoreError:
        return None


def _preview_rows(
    ranking: Ranking,
    ranges: Mapping[str, tuple[int, int]],
    results_by_id: Mapping[str, Result],
    unpublished: Mapping[str, UUID],
) -> tuple[list[Row], list[Row]]:
    listed = [
        {"rank": row.rank, "rank_low": low, "rank_high": high, "score": row.score, "note": row.reason}
        | _result_identity(results_by_id[row.entry], unpublished)
        for row in ranking.rows
        for low, high in [ranges[row.entry]]
    ]
    excluded = [
        {"code": exclusion.code, "why": exclusion.why} | _result_identity(results_by_id[exclusion.entry], unpublished)
        for exclusion in ranking.exclusions
    ]
    return listed, excluded


def _result_identity(result: Result, unpublished: Mapping[str, UUID]) -> Row:
    submission = unpublished.get(result.public_id)
    return {
        "result": result.public_id,
        "submission": None if submission is None else str(submission),
        "release": result.release.slug if result.release else None,
        "institution": result.institution,
        "system": result.system_name,
    }
