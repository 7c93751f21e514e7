"""What there is to ask: every metric and every axis of the record under the names that people use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from registry.presentation.words import label_operation, label_quantity
from registry.query.facts import axes, fact_index
from registry.query.public_record import Row
from registry.query.questions.study_query import COLUMN_METRICS, Metric
from registry.query.row_sources import PUBLIC, RowSource
from validators.quantities import find_place, label_statistic

COLUMN_TITLES = {
    "score": "score",
    "bandwidth_gib_per_s": "bandwidth half of the score",
    "rate_kiops": "metadata half of the score",
}

# measurement_of_metric has all that is read of measurements; who asks keeps the answer until the record changes.
_METRICS = """
    SELECT m.op, m.quantity, m.stat, r.tool, m.printed_unit, count(DISTINCT m.result_id)
    FROM registry_measurement m JOIN registry_result r ON r.id = m.result_id
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 6 DESC, 5
"""
_SCORED = """
    SELECT tool, count(score), count(bandwidth_gib_per_s), count(rate_kiops) FROM registry_result
    WHERE score IS NOT NULL OR bandwidth_gib_per_s IS NOT NULL OR rate_kiops IS NOT NULL GROUP BY tool ORDER BY tool
"""


def list_metrics(source: RowSource = PUBLIC) -> list[Row]:
    """Every metric with `title, tools, unit, group, results`, columns of results first. Two queries.

    `unit` is the one that most results of it are printed in; `group` is its quantity in words, empty where tools mean
    several things by it.
    """
    return [*_column_rows(source.fetch_rows(_SCORED)), *_measured_rows(source.fetch_rows(_METRICS))]


def _column_rows(scored: Iterable[tuple[Any, ...]]) -> list[Row]:
    by_name: dict[str, dict[str, int]] = {name: {} for name in COLUMN_METRICS}
    for tool, *counts in scored:
        for name, count in zip(COLUMN_METRICS, counts, strict=True):
            if count:
                by_name[name][tool] = count
    return [
        {
            "metric": name,
            "title": COLUMN_TITLES[name],
            "tools": list(counts),
            "unit": COLUMN_METRICS[name][1],
            "group": "score",
            "results": sum(counts.values()),
        }
        for name, counts in by_name.items()
    ]


def _measured_rows(metric_counts: Iterable[tuple[Any, ...]]) -> list[Row]:
    rows_by_metric: dict[Metric, list[Row]] = {}
    for op, quantity, stat, tool, unit, count in metric_counts:
        row = {"op": op, "quantity": quantity, "stat": stat, "tool": tool, "printed_unit": unit, "results": count}
        rows_by_metric.setdefault(Metric(op, quantity, stat), []).append(row)
    return [_metric_row(metric, rows) for metric, rows in rows_by_metric.items()]


def _metric_row(metric: Metric, rows: list[Row]) -> Row:
    most = max(rows, key=lambda row: row["results"])
    labels = {place.quantity.label if (place := find_place(row["tool"], row)) else "" for row in rows}
    words = (label_operation(most), label_quantity(most), label_statistic(metric.stat))
    return {
        "metric": str(metric),
        "title": " ".join(filter(None, words)),
        "tools": sorted({row["tool"] for row in rows}),
        "unit": most["printed_unit"],
        "group": labels.pop() if len(labels) == 1 else "",
        "results": sum(row["results"] for row in rows),
    }


def list_axes() -> list[Row]:
    """Every axis: those of the vocabulary, then other facts of results. One query.

    `alias_of` is the axis that reads a fact under its own name, so that both ask the same.
    """
    named = axes.list_axes()
    rest = sorted(set(fact_index.fact_names()) - {axis.name for axis in named})
    readers = {source: axis.name for axis in reversed(named) for source in axis.reads}
    return [
        {
            "name": axis.name,
            "title": axis.title,
            "unit": axis.unit,
            "reads": list(axis.reads),
            "alias_of": readers.get(axis.name),
        }
        for axis in (*named, *map(axes.find_axis, rest))
    ]
