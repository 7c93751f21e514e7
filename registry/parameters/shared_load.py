"""Results whose parameters are looked at together, read from the record: named ones, or the best of each system."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from django.http import QueryDict

from registry.parameters.shared import SharedFact, list_shared
from registry.query.best_results import OF_DOCUMENTS, best_of_systems, described_ids, named_results
from registry.query.differences import configuration_diff
from registry.query.facts import fact_index
from registry.query.facts.axes import find_axis
from registry.query.facts.configuration_facts import without_identity
from registry.query.public_record import Row
from registry.query.questions import filters, id_lists, study_query
from registry.query.questions.study_query import COLUMN_METRICS
from registry.query.responses.trust_levels import label_of

NAMES = ("results", "by", "top")
FEWEST_TOP, USUAL_TOP, MOST_TOP = 2, 10, 100
VALUES_SHOWN = 10


def shared_document(query: QueryDict) -> Row:
    """The facts that some results share: those of `results=`, or the best `top` systems `by` a score under filters.

    Four queries, and more where the best results are of few systems. Raises InvalidValue and UnknownParameter for what
    is asked wrongly, NotOnRecord for an id that is not there.
    """
    by = study_query.single_choice(query, "by", COLUMN_METRICS) or "score"
    top = _parse_top(study_query.single_value(query, "top"))
    named = "results" in query
    results = named_results(id_lists.compared_ids(query)) if named else best_of_systems(_conditions(query), by, top)
    facts_by_result = fact_index.facts_by_result([result.pk for result in results])
    own_facts = [without_identity(facts_by_result[result.pk], result.tool) for result in results]
    described = described_ids(result.pk for result in results)
    rows = [_fact_row(row) for row in list_shared(own_facts)]
    return {
        "by": None if named else by,
        "top": None if named else top,
        "results": [_result_row(result, by, result.pk in described) for result in results],
        "described": len(described),
        "tunables_known": sum(row["kind"] == "tuning" for row in rows),
        "facts": rows,
    }


def _parse_top(text: str) -> int:
    try:
        top = filters.whole_number(text) if text else USUAL_TOP
    except ValueError:
        top = 0
    if not FEWEST_TOP <= top <= MOST_TOP:
        raise filters.InvalidValue("top", f"a whole number from {FEWEST_TOP} to {MOST_TOP}")
    return top


def _conditions(query: QueryDict) -> Q:
    """The filters of results/; without `trust`, documents are left out."""
    met = filters.result_conditions(filters.without_names(query, NAMES))
    return met if filters.values_of(query, "trust") else met & ~OF_DOCUMENTS


def _result_row(result: Any, by: str, is_described: bool) -> Row:
    value: Any = getattr(result, by)
    return {
        "id": result.public_id,
        "institution": result.institution,
        "system": result.system_name,
        "release": result.release.slug if result.release else None,
        "trust": result.trust,
        "trust_label": label_of(result),
        "client_nodes": result.client_nodes,
        "value": value,
        "described": is_described,
    }


def _fact_row(row: SharedFact) -> Row:
    return {
        "name": row.name,
        "title": find_axis(row.name).title,
        "kind": configuration_diff.fact_category(row.name),
        "value": row.values[0][0],
        "results": row.values[0][1],
        "known_results": row.known_results,
        "unknown": row.unknown,
        "shared": row.is_shared,
        "values": [{"value": text, "results": count} for text, count in row.values[:VALUES_SHOWN]],
    }
