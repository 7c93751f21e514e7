"""The numbers of some results that a question names: measurements, and scores as if they were some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from registry import questions
from registry.models import Measurement
from registry.record import MEASUREMENT, Row, rows_of
from validators.distributions import is_repeat
from validators.units import UNITS


def of_results(results: Sequence[Any], words: Sequence[str] = ()) -> dict[int, list[Row]]:
    """By primary key of a result its numbers, those that the words of a question mean, or all. One query.

    Repeats inside a run and shares in % are left out. Raises UnknownMetric.
    """
    by_result: dict[int, list[Row]] = {one.pk: _columns(one) for one in results}
    columns = {"result": "result_id"} | MEASUREMENT
    for row in rows_of(columns, Measurement.objects.filter(result__in=list(by_result)).order_by("result", "position")):
        if row["unit"] != "%" and not is_repeat(row["context"], row["stat"]):
            by_result[row["result"]].append(row)
    if not words:
        return by_result
    known = [_metric(row) for rows in by_result.values() for row in rows]
    wanted = set(questions.metrics(words, list(dict.fromkeys(known))))
    return {pk: [row for row in rows if _metric(row) in wanted] for pk, rows in by_result.items()}


def _metric(row: Row) -> questions.Metric:
    return questions.Metric(row["op"], row["quantity"], row["stat"])


def _columns(result: Any) -> list[Row]:
    """Score and its halves, as measurements."""
    return [
        {"op": name, "quantity": "", "stat": "", "value": value * (UNITS[printed].factor if unit else 1.0)}
        | {"unit": unit, "printed_unit": printed, "context": {}}
        for name, (unit, printed) in questions.COLUMN_METRICS.items()
        if (value := getattr(result, name))
    ]
