"""The page of a system over time: a picture and a table of each series, its steps, and what else differed at each."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry import filters, series
from registry.record import Row
from registry.views import numerals, plots
from registry.views.caching import public_page
from registry.views.snapshots import what_differed
from registry.views.wording import number_named, of, sentence, unit_of, written
from validators.units import UNITS

MOST_DRAWN = 4
MOST_ROWS = 200


@public_page
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """The series of one system."""
    query = filters.without_empty(request.GET)
    asked = series.read(query)
    shown = series.document(slug, asked)
    written_out = [_series(row) for row in shown["series"][:MOST_ROWS]]
    context = {
        "section": "systems",
        "shown": shown,
        "metric": asked.metric[0] if asked.metric else "",
        "filters": [(name, value) for name, values in asked.filters.lists() for value in values],
        "rows": written_out,
        "more": max(0, len(shown["series"]) - MOST_ROWS),
        "drawn": [one | _drawing(row) for one, row in zip(written_out[:MOST_DRAWN], shown["series"], strict=False)],
        "changes": [_change(one) for one in shown["changes"]],
        "query": query.urlencode(),
    }
    return render(request, "systems/history.html", context)


def moves(shown: Row) -> list[dict[str, Any]]:
    """The steps of all series by the results on both sides of them, newest day first, each number in words."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in shown["series"]:
        written_out = _series(row)
        for step in written_out["steps"]:
            pair = {name: step[name] for name in ("before", "after", "day")}
            told = found.setdefault((step["before"], step["after"]), pair | {"told": []})["told"]
            what = f"{written_out['name']} ({written_out['about']}; {row['trust']})"
            levels = f"from {step['from']} to {step['to']}{numerals.NO_BREAK}{written_out['unit']}".strip()
            told.append(f"{what} {levels}: {'better' if step['better'] else 'worse'}.")
    return sorted(found.values(), key=lambda one: one["day"], reverse=True)


def _series(row: Row) -> dict[str, Any]:
    unit = _unit(row)
    first, last = row["points"][0], row["points"][-1]
    clients = row["client_nodes"]
    return {
        "name": sentence(number_named(row)),
        "metric": ".".join(filter(None, (row["op"], row["quantity"], row["stat"]))),
        "about": ", ".join(
            filter(
                None,
                [row["tool"], row["mode"], of(row["context"]), clients and numerals.counted(clients, "client node")],
            )
        ),
        "trust": row["trust"],
        "unit": "" if unit == "count" else unit,
        "count": len(row["points"]),
        "first": _value(first["value"], unit),
        "last": _value(last["value"], unit),
        "last_result": last["result"],
        "last_day": last["day"],
        "ratio": numerals.decimal(last["value"] / first["value"]) if first["value"] else numerals.MISSING,
        "points": [(one["day"], one["result"], _value(one["value"], unit)) for one in row["points"]],
        "steps": [_step(one, unit) for one in row["steps"]],
    }


def _unit(row: Row) -> str:
    return unit_of(({"value": one["value"], "printed_unit": row["printed_unit"]} for one in row["points"]), row["unit"])


def _value(value: float, unit: str) -> str:
    return written(value, unit) if unit else numerals.significant(value, 4)


def _step(step: Row, unit: str) -> dict[str, Any]:
    return step | {
        "from": _value(step["level_before"], unit),
        "to": _value(step["level_after"], unit),
        "times": numerals.decimal(step["ratio"], 3),
        "chance_written": "< 0.0001" if step["chance"] < 0.0001 else f"{step['chance']:.4f}",
    }


def _drawing(row: Row) -> dict[str, Any]:
    unit = _unit(row)
    factor = UNITS[unit].factor if unit else 1.0
    values = [one["value"] / factor for one in row["points"]]
    edges = [0, *(step["place"] for step in row["steps"]), len(values)]
    levels = [row["steps"][0]["level_before"], *(step["level_after"] for step in row["steps"])] if row["steps"] else []
    stretches = [(low, high, level / factor) for (low, high), level in zip(pairwise(edges), levels, strict=False)]
    return {"drawing": plots.levels([str(one["day"]) for one in row["points"]], values, stretches)}


def _change(one: Row) -> dict[str, Any]:
    return one | {"differs": what_differed(one["configuration"], [one["before"], one["after"]])}
