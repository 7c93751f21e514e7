"""What the record can be asked for: every kind of number that it has, and the results that count at a moment."""

from __future__ import annotations

import datetime as dt

from django.db.models import Exists, OuterRef, Q, QuerySet

from registry.models import Result
from registry.query.questions.study_query import Metric
from registry.query.row_sources import PUBLIC, RowSource

# Each step is one probe of measurement_of_metric, however many rows there are.
_METRICS = """
    WITH RECURSIVE seen AS (
        (SELECT op, quantity, stat FROM registry_measurement ORDER BY op, quantity, stat LIMIT 1)
        UNION ALL
        SELECT n.op, n.quantity, n.stat FROM seen s CROSS JOIN LATERAL (
            SELECT op, quantity, stat FROM registry_measurement m
            WHERE (m.op, m.quantity, m.stat) > (s.op, s.quantity, s.stat) ORDER BY op, quantity, stat LIMIT 1
        ) n
    )
    SELECT op, quantity, stat FROM seen
"""


def known_metrics(source: RowSource = PUBLIC) -> list[Metric]:
    """Every kind of number that some result has, in order."""
    return [Metric(*row) for row in source.fetch_rows(_METRICS)]


def results_as_of(as_of: dt.datetime | None, source: RowSource = PUBLIC) -> QuerySet[Result]:
    """Results that count, today or at a moment: recorded, not withdrawn, in their newest revision."""
    later = Result.objects.filter(revises=OuterRef("pk"), revises__isnull=False)
    if as_of is None:
        return source.table_rows(Result).filter(~Exists(later), withdrawn_at=None)
    counted = Q(withdrawn_at=None) | Q(withdrawn_at__gt=as_of)
    return source.table_rows(Result).filter(
        counted, ~Exists(later.filter(recorded_at__lte=as_of)), recorded_at__lte=as_of
    )
