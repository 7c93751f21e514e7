"""The numbers of some results that a question names: measurements, and scores as if they were some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from registry.query import public_record
from registry.query.public_record import Row
from registry.query.questions import study_query
from registry.query.row_sources import PUBLIC, RowSource
from validators.distributions import is_repeat
from validators.quantities import canonical_name
from validators.units import to_canonical


def values_by_result(
    results: Sequence[Any], words: Sequence[str] = (), source: RowSource = PUBLIC
) -> dict[int, list[Row]]:
    """By primary key of a result its numbers, those that the words of a question mean, or all. One query.

    Repeats inside a run and shares in % are left out. Raises UnknownMetric.
    """
    measurements = public_record.measurements_by_result([result.pk for result in results], source=source)
    by_result = {result.pk: [*score_rows(result), *filter(_is_usable, measurements[result.pk])] for result in results}
    if not words:
        return by_result
    recorded_metrics = [_row_metric(row) for rows in by_result.values() for row in rows]
    study_query.parse_metrics(words, list(dict.fromkeys(recorded_metrics)))
    tools = {result.pk: result.tool for result in results}
    return {pk: [row for row in rows if _is_meant(words, tools[pk], row)] for pk, rows in by_result.items()}


def _is_meant(words: Sequence[str], tool: str, row: Row) -> bool:
    return study_query.is_meant(words, _row_metric(row), canonical_name(tool, row))


def _is_usable(row: Row) -> bool:
    return row["unit"] != "%" and not is_repeat(row["context"], row["stat"])


def _row_metric(row: Row) -> study_query.Metric:
    return study_query.Metric(row["op"], row["quantity"], row["stat"])


def score_rows(result: Any) -> list[Row]:
    """The score of a result and its halves as measurements, under the names that studies ask by."""
    rows = []
    for name, (unit, printed_unit) in study_query.COLUMN_METRICS.items():
        if (value := getattr(result, name)) is not None:
            factor = to_canonical(1.0, printed_unit)[0] if unit else 1.0
            again = [factor * score for score in result.repeated_scores.get(name, ())]
            row = {"op": name, "quantity": "", "stat": "", "value": factor * value, "unit": unit}
            printed_fields = {"printed_value": value, "printed_unit": printed_unit}
            rows.append(row | printed_fields | {"context": {}, "repeats": again or None})
    return rows
