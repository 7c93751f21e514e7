"""The page of the standard sweep of a system."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.presentation import numbers
from registry.presentation.words import best_unit, capitalize_sentence, format_in_unit, humanize
from registry.query import qualified_values
from registry.query.public_record import Row
from registry.timeseries import sweeps
from registry.web.caching import public_page


@public_page
def sweep(request: HttpRequest, slug: str) -> HttpResponse:
    """Each part as a table of its cells."""
    shown = sweeps.document(slug)
    context = {
        "section": "systems",
        "shown": shown,
        "missing": shown["cells"] - shown["measured"],
        "parts": [_part(part) for part in shown["parts"]],
    }
    return render(request, "systems/sweep.html", context)


def _part(part: Row) -> dict[str, Any]:
    cells = [_cell(cell) for cell in part["cells"]]
    return part | {
        "rows": [cell for cell in cells if cell["latest"]],
        "missing": [cell["name"] for cell in cells if not cell["latest"]],
    }


def _cell(cell: Row) -> dict[str, Any]:
    runs = [run for run in (cell["latest"], cell["before"]) if run]
    unit = best_unit(({"value": run["value"], "printed_unit": ""} for run in runs), cell["unit"]) if runs else ""
    return cell | {
        "name": ", ".join([capitalize_sentence(humanize(cell["op"])), *cell["choices"]]),
        "unit": unit,
        "latest": cell["latest"] and cell["latest"] | {"written": _said(cell["latest"], unit)},
        "before": cell["before"] and cell["before"] | {"written": _said(cell["before"], unit)},
        "times": _times(cell),
        "unknown": ", ".join(map(humanize, cell["unknown"])),
    }


def _said(run: Row, unit: str) -> str:
    return qualified_values.of(run).written(lambda value: format_in_unit(value, unit))


def _times(cell: Row) -> str:
    """How many times the number before the newest is."""
    if not cell["before"]:
        return ""
    times = qualified_values.ratio(qualified_values.of(cell["latest"]), qualified_values.of(cell["before"]))
    return times.written(lambda value: numbers.times(value, 3)) if times else ""
