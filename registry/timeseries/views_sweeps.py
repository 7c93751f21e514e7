"""The page of the standard sweep of a system."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.presentation import numbers
from registry.presentation.words import best_unit, capitalize_sentence, format_in_unit, humanize
from registry.query.facts.axes import find_axis
from registry.query.public_record import Row
from registry.query.row_sources import PUBLIC, RowSource
from registry.query.values import qualified_values
from registry.timeseries import sweeps
from registry.web.caching import public_page


@public_page
def sweep_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Each part as a table of its cells."""
    return show_sweep(request, slug)


def show_sweep(request: HttpRequest, slug: str, source: RowSource = PUBLIC) -> HttpResponse:
    """The page of the sweep of one system, asked of a source."""
    sweep_document = sweeps.sweep_document(slug, source)
    context = {
        "section": "systems",
        "system_sweep": sweep_document,
        "missing": sweep_document["cells"] - sweep_document["measured"],
        "parts": [_part_context(part) for part in sweep_document["parts"]],
    }
    return render(request, "timeseries/sweep.html", context)


def _part_context(part: Row) -> dict[str, Any]:
    cells = [_cell_context(cell) for cell in part["cells"]]
    return part | {
        "rows": [cell for cell in cells if cell["latest"]],
        "missing": [cell["name"] for cell in cells if not cell["latest"]],
        "unplaced_results": [
            row | {"not_said": ", ".join(find_axis(name).title for name in row["not_said"])}
            for row in part["unplaced_results"]
        ],
    }


def _cell_context(cell: Row) -> dict[str, Any]:
    runs = [run for run in (cell["latest"], cell["before"]) if run]
    unit = best_unit(({"value": run["value"], "printed_unit": ""} for run in runs), cell["unit"]) if runs else ""
    return cell | {
        "name": ", ".join([capitalize_sentence(humanize(cell["op"])), *cell["choices"]]),
        "unit": unit,
        "latest": cell["latest"] and cell["latest"] | {"written": _run_value_text(cell["latest"], unit)},
        "before": cell["before"] and cell["before"] | {"written": _run_value_text(cell["before"], unit)},
        "times": _format_times(cell),
        "unknown": ", ".join(map(humanize, cell["unknown"])),
    }


def _run_value_text(run: Row, unit: str) -> str:
    return qualified_values.number_of_row(run).written(lambda value: format_in_unit(value, unit))


def _format_times(cell: Row) -> str:
    """How many times the number before the newest is."""
    if not cell["before"]:
        return ""
    times = qualified_values.divide_numbers(
        qualified_values.number_of_row(cell["latest"]), qualified_values.number_of_row(cell["before"])
    )
    return times.written(lambda value: numbers.format_times(value, 3)) if times else ""
