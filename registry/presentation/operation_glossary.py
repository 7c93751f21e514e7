"""What the figures of a run are, in the words of its benchmark's descriptor: operations, and what numbers are over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from registry.presentation.words import humanize
from validators import catalogue
from validators.metric_semantics import Figure, find_meaning

Row = Mapping[str, Any]


def glossary(tool: str, version: str, measured: Sequence[Row]) -> dict[str, Any]:
    """{"address" of the benchmark's page, "operations": [(ops, quantity, text)], "statistics": [(of, stats, text)]}.

    Empty for a tool that has no descriptor.
    """
    benchmark = catalogue.find(tool)
    if benchmark is None:
        return {}
    return {
        "address": f"/docs/benchmarks/{benchmark.slug}/",
        "operations": list(_operations(tool, measured)),
        "statistics": list(_statistics(tool, version, measured)),
    }


def _operations(tool: str, measured: Iterable[Row]) -> Iterable[tuple[str, str, str]]:
    grouped: dict[tuple[str, str], dict[str, None]] = {}
    for row in measured:
        if found := catalogue.describe(tool, row["op"], row["quantity"]):
            text = f"{found.description}; {found.better} is better"
            grouped.setdefault((row["quantity"], text), {})[row["op"]] = None
    return ((", ".join(ops), humanize(quantity), text) for (quantity, text), ops in grouped.items())


def _statistics(tool: str, version: str, measured: Iterable[Row]) -> Iterable[tuple[str, str, str]]:
    """What the output itself says of a statistic (`scope`), else what the descriptor says of the version."""
    grouped: dict[tuple[str, str], dict[str, None]] = {}
    for row in measured:
        entry = find_meaning(catalogue.meanings(tool), Figure(row, version, {}))
        if text := row["context"].get("scope") or (entry or {}).get("scope", ""):
            grouped.setdefault((row["quantity"], str(text)), {})[row["stat"]] = None
    return ((humanize(quantity), ", ".join(map(humanize, stats)), text) for (quantity, text), stats in grouped.items())
