"""What the record can be asked for: every kind of number that it has, and the results that count at a moment."""

from __future__ import annotations

import datetime as dt

from django.db.models import Exists, OuterRef, Q, QuerySet

from registry.models import Measurement, Result
from registry.query.questions.study_query import Metric
from registry.query.row_sources import PUBLIC, RowSource


def known_metrics(source: RowSource = PUBLIC) -> list[Metric]:
    """Every kind of number that some result has, in order."""
    return [Metric(*row) for row in source.distinct_rows(Measurement, ("op", "quantity", "stat"))]


def results_as_of(as_of: dt.datetime | None, source: RowSource = PUBLIC) -> QuerySet[Result]:
    """Results that count, today or at a moment: recorded, not withdrawn, in their newest revision."""
    later = Result.objects.filter(revises=OuterRef("pk"), revises__isnull=False)
    if as_of is None:
        return source.table_rows(Result).filter(~Exists(later), withdrawn_at=None)
    counted = Q(withdrawn_at=None) | Q(withdrawn_at__gt=as_of)
    return source.table_rows(Result).filter(
        counted, ~Exists(later.filter(recorded_at__lte=as_of)), recorded_at__lte=as_of
    )
