"""What the figures of a run are, in the words of its benchmark's descriptor: operations, and what numbers are over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from registry.presentation.words import label_operation
from validators import catalogue
from validators.metric_semantics import ComparableValue, find_meaning
from validators.quantities import NONE, label_of, label_statistic

Row = Mapping[str, Any]


def build_glossary(tool: str, version: str, measurements: Sequence[Row]) -> dict[str, Any]:
    """{"address" of the benchmark's page, "operations": [(ops, quantity, text)], "statistics": [(of, stats, text)]}.

    Empty for a tool that has no descriptor.
    """
    benchmark = catalogue.find(tool)
    if benchmark is None:
        return {}
    return {
        "address": f"/docs/benchmarks/{benchmark.slug}/",
        "operations": list(_operation_rows(tool, measurements)),
        "statistics": list(_statistic_rows(tool, version, measurements)),
    }


def _operation_rows(tool: str, measurements: Iterable[Row]) -> Iterable[tuple[str, str, str]]:
    grouped: dict[tuple[str, str], dict[str, None]] = {}
    for row in measurements:
        if entry := catalogue.describe(tool, row["op"], row["quantity"]):
            text = entry.description + (f"; {entry.better} is better" if entry.better != NONE else "")
            grouped.setdefault((label_of(row, tool), text), {})[label_operation({"tool": tool, "op": row["op"]})] = None
    return ((", ".join(ops), label, text) for (label, text), ops in grouped.items())


def _statistic_rows(tool: str, version: str, measurements: Iterable[Row]) -> Iterable[tuple[str, str, str]]:
    """What the output itself says of a statistic (`scope`), else what the descriptor says of the version."""
    grouped: dict[tuple[str, str], dict[str, None]] = {}
    for row in measurements:
        entry = find_meaning(catalogue.meanings(tool), ComparableValue(row, version, {}))
        if text := row["context"].get("scope") or (entry or {}).get("scope", ""):
            grouped.setdefault((label_of(row, tool), str(text)), {})[label_statistic(row["stat"])] = None
    return ((label, ", ".join(stats), text) for (label, text), stats in grouped.items())
