"""What there is to ask: every metric and every axis of the record under the names that people use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from registry.presentation.words import label_operation, label_quantity
from registry.query.facts import axes, fact_index
from registry.query.kept_sums import Keep
from registry.query.public_record import Row
from registry.query.questions import facets
from registry.query.questions.study_query import COLUMN_METRICS, Metric
from registry.query.row_sources import PUBLIC, RowSource
from registry.web.caching import cached_value
from validators.quantities import find_place, label_statistic

COLUMN_TITLES = {
    "score": "score",
    "bandwidth_gib_per_s": "bandwidth half of the score",
    "rate_kiops": "metadata half of the score",
}

RESULTS_OF_BLOCK = 2_000
"""Results in the order of their ids whose metrics are counted together: numbers of published results do not change."""
_ALL_IDS = {"first": 0, "size": 2**62}
"""Bounds as of a block, with every result in it."""
# What a load writes anew, and what is erased, makes another block.
_BLOCKS = """
    SELECT r.id / %(size)s, concat_ws('-', count(*), max(r.id), count(e.result_id), (
        SELECT max(id) FROM registry_catalogueload))
    FROM registry_result r LEFT JOIN registry_erasure e ON e.result_id = r.id
    GROUP BY 1
"""
# A column of results stands among them as an op without a quantity.
_METRICS = """
    SELECT m.op, m.quantity, m.stat, r.tool, m.printed_unit, count(*)
    FROM (
        SELECT DISTINCT op, quantity, stat, printed_unit, result_id FROM registry_measurement
        WHERE result_id >= %(first)s AND result_id < %(first)s + %(size)s
    ) m JOIN registry_result r ON r.id = m.result_id AND r.id >= %(first)s AND r.id < %(first)s + %(size)s
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT columns.name, '', '', r.tool, '', count(columns.value)
    FROM registry_result r CROSS JOIN LATERAL (
        VALUES ('score', r.score), ('bandwidth_gib_per_s', r.bandwidth_gib_per_s), ('rate_kiops', r.rate_kiops)
    ) AS columns (name, value)
    WHERE r.id >= %(first)s AND r.id < %(first)s + %(size)s AND columns.value IS NOT NULL
    GROUP BY 1, 4
"""


def list_metrics(source: RowSource = PUBLIC, keep: Keep | None = None) -> list[Row]:
    """Every metric with `title, tools, unit, group, results`, columns of results first.

    `unit` is the one that most results of it are printed in; `group` is its quantity in words, empty where tools mean
    several things by it. One query; with `keep` one for each block of results, too, whose counts are not kept.
    """
    columns: dict[str, dict[str, int]] = {name: {} for name in COLUMN_METRICS}
    measured_counts = []
    for row in _metric_counts(source, keep):
        op, quantity, _, tool, _, count = row
        if quantity:
            measured_counts.append(row)
        else:
            columns[op][tool] = count
    return [*_column_rows(columns), *_measured_rows(measured_counts)]


def public_metrics() -> list[Row]:
    """Every metric of the record, as list_metrics has them, kept until the record changes. One query."""
    name = f"metric-rows-1:{facets.record_version()}"
    return cached_value(name, partial(list_metrics, keep=cached_value))


def _metric_counts(source: RowSource, keep: Keep | None) -> list[tuple[Any, ...]]:
    """Rows of op, quantity, statistic, tool, printed unit and number of results: of a metric those of most first."""
    rows = _kept_by_block(source, keep) if keep else source.fetch_rows(_METRICS, _ALL_IDS)
    counts: Counter[tuple[str, ...]] = Counter()
    for *metric, count in rows:
        counts[tuple(metric)] += count
    ordered = sorted(counts.items(), key=lambda item: (item[0][:4], -item[1], item[0]))
    return [(*metric, count) for metric, count in ordered]


def _kept_by_block(source: RowSource, keep: Keep) -> Iterator[tuple[Any, ...]]:
    """The rows of _METRICS of each block of results."""
    for block, state in source.fetch_rows(_BLOCKS, {"size": RESULTS_OF_BLOCK}):
        bounds = {"first": block * RESULTS_OF_BLOCK, "size": RESULTS_OF_BLOCK}
        name = f"metric-counts-1:{RESULTS_OF_BLOCK}:{block}:{state}"
        yield from keep(name, partial(source.fetch_rows, _METRICS, bounds))


def _column_rows(columns: Mapping[str, Mapping[str, int]]) -> list[Row]:
    return [
        {
            "metric": name,
            "title": COLUMN_TITLES[name],
            "tools": list(counts),
            "unit": COLUMN_METRICS[name][1],
            "group": "score",
            "results": sum(counts.values()),
        }
        for name, counts in columns.items()
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
