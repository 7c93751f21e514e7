"""Results that are looked at together: named ones, or the best of each system; and which of them describe theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from registry.models import PublicSystemSnapshot, Result
from registry.query.public_record import NotOnRecord, current_results

OF_DOCUMENTS = Q(trust=Result.Trust.REPORTED)
"""What a document reports stands in no order with results."""
FIRST_ROWS, MORE_ROWS = 4, 8
"""So many rows are read at first for each system that is asked for, and so many times more where they are too few."""


def named_results(public_ids: Sequence[str]) -> list[Result]:
    """The results of these ids, in their order. One query. Raises NotOnRecord for the first id that is not there."""
    results = Result.objects.select_related("release").defer("search").filter(public_id__in=public_ids)
    results_by_id = {result.public_id: result for result in results}
    for public_id in public_ids:
        if public_id not in results_by_id:
            raise NotOnRecord("result", public_id)
    return [results_by_id[public_id] for public_id in public_ids]


def best_of_systems(condition: Q, column: str, top: int) -> list[Result]:
    """The best result of each system by a column, the best `top` of them; what has no number there has no place.

    Reads the best rows by the index of the column, and more of them only while they are of too few systems.
    """
    order = (Coalesce(F(column), Value(-1.0)).desc(), "id")
    results = current_results(condition).filter(**{f"{column}__isnull": False}).order_by(*order)
    most = top * FIRST_ROWS
    first_ids, are_more = _first_of_systems(results, most)
    while len(first_ids) < top and are_more:
        most *= MORE_ROWS
        first_ids, are_more = _first_of_systems(results, most)
    return list(results.filter(pk__in=first_ids[:top]).select_related("release").defer("search"))


def _first_of_systems(results: QuerySet[Result], most: int) -> tuple[list[int], bool]:
    """Primary keys of the first result of each system among the first `most`, and whether there may be more results."""
    rows = list(results.values_list("pk", "system_id")[:most])
    first_ids: dict[int | None, int] = {}
    for pk, system_id in rows:
        first_ids.setdefault(system_id, pk)
    return list(first_ids.values()), len(rows) == most


def described_ids(result_ids: Iterable[int]) -> set[int]:
    """Primary keys of those of some results whose systems are described."""
    return set(PublicSystemSnapshot.objects.filter(result__in=list(result_ids)).values_list("result_id", flat=True))
