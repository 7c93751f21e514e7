"""Results that are looked at together: named ones, or the best of each system; and which of them describe theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber

from registry.models import PublicSystemSnapshot, Result
from registry.query.public_record import NotOnRecord, current_results

OF_DOCUMENTS = Q(trust=Result.Trust.REPORTED)
"""What a document reports stands in no order with results."""


def named_results(public_ids: Sequence[str]) -> list[Result]:
    """The results of these ids, in their order. One query. Raises NotOnRecord for the first id that is not there."""
    results = Result.objects.select_related("release").defer("search").filter(public_id__in=public_ids)
    results_by_id = {result.public_id: result for result in results}
    for public_id in public_ids:
        if public_id not in results_by_id:
            raise NotOnRecord("result", public_id)
    return [results_by_id[public_id] for public_id in public_ids]


def best_of_systems(condition: Q, column: str, top: int) -> list[Result]:
    """The best result of each system by a column, the best `top` of them; what has no number there has no place."""
    place = Window(RowNumber(), partition_by=F("system_id"), order_by=[F(column).desc(), F("id").asc()])
    results = current_results(condition).filter(**{f"{column}__isnull": False}).defer("search")
    best = results.annotate(place_in_system=place).filter(place_in_system=1)
    return list(best.select_related("release").order_by(F(column).desc(), "id")[:top])


def described_ids(result_ids: Iterable[int]) -> set[int]:
    """Primary keys of those of some results whose systems are described."""
    return set(PublicSystemSnapshot.objects.filter(result__in=list(result_ids)).values_list("result_id", flat=True))
