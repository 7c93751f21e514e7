"""The verdict on a run in words: for pages, letters and feeds."""

from __future__ import annotations

from typing import Any

from registry.models import RunVerdict
from registry.presentation import numbers
from registry.presentation.words import (
    capitalize_sentence,
    describe_context,
    format_in_unit,
    number_named,
    shown_unit,
    unit_for_people,
)
from registry.query.public_record import Row

OUTSIDE = (RunVerdict.Verdict.LOWER, RunVerdict.Verdict.HIGHER)
MOST_SENTENCES = 10
"""Metrics of one run that a letter or a feed names."""


def verdict_context(row: Row) -> dict[str, Any]:
    """A verdict with its sentence, and each of its metrics in words and in a unit that people read."""
    metrics = [_metric_context(metric | {"tool": row["tool"]}) for metric in row["metrics"]]
    return row | {
        "about": _run_name(row),
        "sentence": _run_sentence(row),
        "outside": [metric for metric in metrics if metric["verdict"] in OUTSIDE],
        "others": [metric for metric in metrics if metric["verdict"] not in OUTSIDE],
    }


def verdict_sentences(row: Row) -> list[str]:
    """What of a run is lower or higher, one sentence for each metric, the clearest first."""
    outside = verdict_context(row)["outside"]
    more = len(outside) - MOST_SENTENCES
    return [_metric_sentence(metric) for metric in outside[:MOST_SENTENCES]] + (
        [f"{numbers.pluralize(more, 'more metric')}."] if more > 0 else []
    )


def verdict_title(row: Row) -> str:
    """Of a run outside of what was expected, in a line."""
    count = sum(metric["verdict"] in OUTSIDE for metric in row["metrics"])
    return f"{row['result']}: {numbers.pluralize(count, 'metric')} {row['verdict']} than expected"


def _run_sentence(row: Row) -> str:
    """The verdict on a run as a whole."""
    runs = "the run before it" if row["earlier"] == 1 else f"the {row['earlier']} runs before it"
    if row["verdict"] == RunVerdict.Verdict.CANNOT_TELL:
        return f"Cannot be told. {row['reason']}"
    if row["verdict"] == RunVerdict.Verdict.EXPECTED:
        judged = numbers.pluralize(row["judged"], "metric")
        lie = "lies" if row["judged"] == 1 else "all lie"
        return f"As expected: {judged} {lie} within the range expected from {runs}."
    count = sum(metric["verdict"] in OUTSIDE for metric in row["metrics"])
    worth = {True: ", for the better", False: ", for the worse", None: ""}[row["better"]]
    again = " The run before did so already." if row["continues"] else ""
    beyond = f"{count} of {numbers.pluralize(row['judged'], 'metric')} {'lies' if count == 1 else 'lie'}"
    return f"{row['verdict'].capitalize()}: {beyond} outside the range expected from {runs}{worth}.{again}"


def _run_name(row: Row) -> str:
    clients = row["client_nodes"]
    counted = clients and numbers.pluralize(clients, "client node")
    kind = row.get("list") and f"{row['list']} list"
    return ", ".join(filter(None, [row["tool"], row["mode"], counted, kind, row["trust_label"]]))


def _metric_context(metric: Row) -> dict[str, Any]:
    unit = unit_for_people(metric, [{"value": metric["value"], "printed_unit": ""}])
    written = {name: _format_value(metric[name], unit) for name in ("value", "expected")}
    ends = [_format_value(metric[name], unit) for name in ("expected_low", "expected_high")]
    chance = metric["chance"]
    return metric | {
        "name": capitalize_sentence(number_named(metric)),
        "where": describe_context(metric["context"]),
        "shown_unit": shown_unit(unit),
        "written": written["value"],
        "middle": written["expected"],
        "range": "" if metric["expected"] is None else f"{ends[0]} to {ends[1]}",
        "times": "" if metric["ratio"] is None else numbers.format_times(metric["ratio"], 3),
        "chance_written": "" if chance is None else "< 0.0001" if chance < 0.0001 else f"{chance:.4f}",
    }


def _metric_sentence(metric: Row) -> str:
    name = f"{metric['name']} ({metric['where']})" if metric["where"] else metric["name"]
    unit = f"{numbers.NO_BREAK}{metric['shown_unit']}" if metric["shown_unit"] else ""
    times = f"\N{MULTIPLICATION SIGN}{numbers.NO_BREAK}{metric['times']}"
    worth = {True: ": better", False: ": worse", None: ""}[metric["better"]]
    return f"{name} {metric['written']}{unit}, expected {metric['range']}{unit}, {times} of the middle{worth}."


def _format_value(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    return format_in_unit(value, unit) if unit else numbers.format_significant(value, 4)
