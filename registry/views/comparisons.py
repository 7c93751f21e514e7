"""Results side by side: their numbers with ratios to the first, and what else differed."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry import filters, record, snapshots
from registry.comparison import compare
from registry.record import Row
from registry.views import numerals, wording
from registry.views.caching import public_page
from registry.views.snapshots import compared
from validators.system.difference import difference
from validators.units import from_canonical

SHOWN_UNITS = {"B/s": "GiB/s", "ops/s": "kIOPS", "s": "s"}
ROWS_SHOWN = 200


@public_page
def page(request: HttpRequest) -> HttpResponse:
    """Two to twenty results; without any the page asks for them."""
    if not request.GET.get("results"):
        return render(request, "results/compare.html", {"section": "results"})
    ids = filters.result_ids(request.GET)
    sides, headings = record.sides(ids)
    found = compare(sides)
    phases = [row for row in found["measurements"] if row["stat"] == "phase" and row["unit"] in SHOWN_UNITS]
    shown = [_phase(row) for row in phases] or [_figure(row) for row in found["measurements"]]
    context = {
        "section": "results",
        "ids": ",".join(ids),
        "address": f"/api/v1/compare/?results={quote(','.join(ids), safe=',')}",
        "headings": headings,
        "notes": found["notes"],
        "comparable": found["comparable"],
        "figures": shown[:ROWS_SHOWN],
        "more": max(0, len(shown) - ROWS_SHOWN),
        "differences": [_parameter(row) for row in found["differences"]],
        "equal": found["equal"],
        "system": compared(difference(snapshots.documents(ids)), ids),
    }
    return render(request, "results/compare.html", context)


def _phase(row: Row) -> dict[str, Any]:
    unit = SHOWN_UNITS[row["unit"]]
    cells = [
        {
            "value": numerals.decimal(from_canonical(value, unit)) if value is not None else numerals.MISSING,
            "ratio": numerals.decimal(ratio, 3) if ratio is not None else "",
        }
        for value, ratio in zip(row["values"], row["ratios"], strict=True)
    ]
    return {"name": row["op"], "quantity": row["quantity"], "unit": unit, "first": cells[0], "others": cells[1:]}


def _figure(row: Row) -> dict[str, Any]:
    """A row of a tool without phases: its unit fits the largest value, and what tells it from others is written out."""
    known = [{"value": value, "unit": row["unit"], "printed_unit": ""} for value in row["values"] if value is not None]
    unit = wording.unit_of(known, row["unit"])
    cells = [
        {
            "value": wording.written(value, unit) if value is not None else numerals.MISSING,
            "ratio": numerals.decimal(ratio, 3) if ratio is not None else numerals.MISSING if differs else "",
        }
        for value, ratio, differs in zip(row["values"], row["ratios"], row["differs"], strict=True)
    ]
    words = (row["quantity"].replace("_", " "), row["stat"], wording.of(row["context"]))
    quantity = " ".join(filter(None, words))
    return {"name": row["op"], "quantity": quantity, "unit": unit, "first": cells[0], "others": cells[1:]}


def _parameter(row: Row) -> dict[str, Any]:
    return {
        "name": row["parameter"],
        "values": [numerals.MISSING if value is None else str(value)[:200] for value in row["values"]],
    }
