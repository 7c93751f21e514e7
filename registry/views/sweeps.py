"""The page of the standard sweep of a system."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry import qualified
from registry.over_time import sweeps
from registry.record import Row
from registry.views import numerals
from registry.views.caching import public_page
from registry.views.wording import sentence, spoken, unit_of, written


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
    unit = unit_of(({"value": run["value"], "printed_unit": ""} for run in runs), cell["unit"]) if runs else ""
    return cell | {
        "name": ", ".join([sentence(spoken(cell["op"])), *cell["choices"]]),
        "unit": unit,
        "latest": cell["latest"] and cell["latest"] | {"written": _said(cell["latest"], unit)},
        "before": cell["before"] and cell["before"] | {"written": _said(cell["before"], unit)},
        "times": _times(cell),
        "unknown": ", ".join(map(spoken, cell["unknown"])),
    }


def _said(run: Row, unit: str) -> str:
    return qualified.of(run).written(lambda value: written(value, unit))


def _times(cell: Row) -> str:
    """How many times the number before the newest is."""
    if not cell["before"]:
        return ""
    times = qualified.ratio(qualified.of(cell["latest"]), qualified.of(cell["before"]))
    return times.written(lambda value: numerals.times(value, 3)) if times else ""
