"""Why a study is empty: values of its filters, and of the contexts of its measurements, that nothing has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from registry.models import Measurement
from registry.query.public_record import nearest_names
from registry.query.questions import filters, unknown_values
from registry.query.questions.study_query import CONTEXT, Metric, StudyQuery
from registry.query.questions.unknown_values import Row
from registry.query.row_sources import RowSource

MOST_READ = 2000
"""Measurements whose contexts are read. Of a metric with more nothing is said: the others may have the value."""


def explain_study(question: StudyQuery, metrics: Sequence[Metric], *, empty: bool) -> list[Row]:
    """As `unknown_values.explain_empty`, of the filters and `context.NAME` of a study; one query more for these."""
    rows = unknown_values.explain_empty(filters.as_query(question.filters), empty=empty, source=question.source)
    places = [
        (name, value) for name, values in question.filters.items() if name.startswith(CONTEXT) for value in values
    ]
    return [*rows, *_unknown_contexts(places, metrics, question.source)] if empty and places and metrics else rows


def _unknown_contexts(places: Iterable[tuple[str, str]], metrics: Sequence[Metric], source: RowSource) -> Iterable[Row]:
    named = reduce(or_, [Q(**metric._asdict()) for metric in metrics])
    contexts = list(
        source.table_rows(Measurement).order_by().filter(named).values_list("context", flat=True)[: MOST_READ + 1]
    )
    if len(contexts) > MOST_READ:
        return
    for name, value in places:
        key = name.removeprefix(CONTEXT)
        recorded = [context[key] for context in contexts if key in context]
        if not any(candidate in recorded for candidate in filters.typed_candidates(value)):
            yield _unknown_row(name, value, map(_context_text, recorded))


def _unknown_row(name: str, value: str, candidates: Iterable[str]) -> Row:
    """A value of a context that no measurement of the question has, with the nearest that one has."""
    near, message = nearest_names(value, candidates), f"No measurement of this question has {name}={value}."
    return {"code": unknown_values.CODE, "name": name, "value": value, "nearest": near, "message": message}


def _context_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
