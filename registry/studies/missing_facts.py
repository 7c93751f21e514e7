"""Why numbers of a study have no divisor, or no place on an axis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from registry.models import Result
from registry.query.facts.axes import MEANING_FIELDS
from registry.query.facts.divisors import PER
from registry.query.facts.gaps import count_gaps
from registry.query.questions.study_query import CONTEXT, StudyQuery
from registry.studies import run

NO_FACTS = frozenset((*MEANING_FIELDS, "trust", "result", "label"))
"""Axes that every number has, or that are no facts of results."""


def gaps_of_study(question: StudyQuery, answer: run.StudyTable) -> list[dict[str, Any]]:
    """Rows of `registry.query.facts.gaps.Gap`, the divisor's first. One query, none where nothing is missing."""
    names = dict(_incomplete_names(question, answer))
    if not names:
        return []
    measured_ids = run.measured_results(question, answer.metrics).values("pk")
    results = question.source.table_rows(Result).filter(pk__in=measured_ids)
    return [gap.as_row() for gap in count_gaps(results, names)]


def _incomplete_names(question: StudyQuery, answer: run.StudyTable) -> Iterator[tuple[str, bool]]:
    """Facts that some number lacks, and whether each has to be a number above zero."""
    if question.per and any(row["missing"] for row in answer.rows):
        yield PER[question.per], True
    for name in question.axes:
        is_fact = name not in NO_FACTS and not name.startswith(CONTEXT)
        if is_fact and name != PER.get(question.per) and any(row[name] is None for row in answer.rows):
            yield name, False
