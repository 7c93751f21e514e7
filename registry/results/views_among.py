"""A result among similar results, as a page: where it stands, who is better, and how the better ones differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.presentation import numbers
from registry.presentation.words import (
    best_unit,
    capitalize_sentence,
    format_fact,
    format_in_unit,
    label_fact,
    number_named,
    shown_unit,
)
from registry.query import public_record
from registry.query.public_record import Row
from registry.query.questions import study_query
from registry.query.values import qualified_values
from registry.results.among import among_document
from registry.results.views import title
from registry.web.caching import public_page
from validators.units import UNITS

VALUES_SHOWN = 4
USUAL_UNITS = {"B/s": "GiB/s", "ops/s": "kIOPS"}


@public_page
def among_page(request: HttpRequest, public_id: str) -> HttpResponse:
    """One result among similar results."""
    metric = study_query.single_value(request.GET, "metric")
    document = among_document(public_id, metric)
    result = public_record.find_result(public_id)
    leading = next((row for row in document["numbers"] if _metric_text(row) == document["metric"]), None)
    names = public_record.names_by_id([row["id"] for row in document["better"]])
    context = {
        "section": "results",
        "result": result,
        "name": title(result),
        "answer": document,
        "address": f"/api/v1/results/{public_id}/among/" + (f"?metric={metric}" if metric else ""),
        "conditions": [row | {"words": _condition_words(row)} for row in document["conditions"]],
        "numbers": [_number_row(row, result.tool) for row in document["numbers"]],
        "leading": _number_row(leading, result.tool) if leading else None,
        "better": [_better_row(row, leading, names) for row in document["better"]] if leading else [],
        "differences": [_difference_row(row) for row in document["differences"]],
    }
    return render(request, "results/among.html", context)


def _metric_text(row: Row) -> str:
    return ".".join(filter(None, (row["op"], row["quantity"], row["stat"])))


def _condition_words(row: Row) -> str:
    """ "5 to 20", "the same"; empty where this result does not say it."""
    if not row["applied"]:
        return ""
    if row["low"] is None:
        return f"the same: {row['value']}"
    return f"{numbers.format_printed(row['low'])} to {numbers.format_printed(row['high'])}"


def _unit_of(row: Row) -> str:
    return USUAL_UNITS.get(row["unit"]) or best_unit([row | {"printed_unit": row["unit"]}], row["unit"])


def _write_number(value: float | None, qualifier: str, unit: str) -> str:
    if value is None:
        return numbers.MISSING
    text = format_in_unit(value, unit) if unit in UNITS else numbers.format_significant(value, 4)
    return qualified_values.in_words(qualifier, text)


def _number_row(row: Row, tool: str) -> Row:
    """A number as the table has it: `place` says how many of the systems are not better."""
    unit = _unit_of(row)
    systems = row["better"] + row["equal"] + row["worse"] + row["unknown"]
    share = row["share_not_better"]
    return row | {
        "metric": _metric_text(row),
        "name": capitalize_sentence(number_named(row | {"tool": tool})),
        "unit": shown_unit(unit) if unit in UNITS else "",
        "written": _write_number(row["value"], row["qualifier"], unit),
        "median_written": _write_number(row["median"], "", unit),
        "best_written": _write_number(row["best"], row["best_qualifier"], unit),
        "systems": systems,
        "share": "" if share is None else numbers.format_significant(100 * share),
    }


def _better_row(row: Row, leading: Row, names: Mapping[str, Row]) -> Row:
    times = numbers.format_times(row["ratio"]) if row["ratio"] is not None else "not known"
    return row | {
        "release": names.get(row["id"], row)["release"],
        "written": _write_number(row["value"], row["qualifier"], _unit_of(leading)),
        "times": qualified_values.in_words(row["qualifier"], times) if row["ratio"] is not None else times,
        "clients": numbers.format_int(row["client_nodes"]) or numbers.MISSING,
    }


def _difference_row(row: Row) -> Row:
    values: list[dict[str, Any]] = row["values"]
    most_frequent = [value | {"value": format_fact(row["name"], value["value"])} for value in values[:VALUES_SHOWN]]
    written = {
        "title": capitalize_sentence(label_fact(row["name"])),
        "own": format_fact(row["name"], row["own"]) if row["own"] else "",
    }
    return row | written | {"shown_values": most_frequent, "more": len(values[VALUES_SHOWN:])}
