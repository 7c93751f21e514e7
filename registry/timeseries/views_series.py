"""The page of a system over time: a picture and a table of each series, its steps, and what else differed at each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.models import Step
from registry.presentation import numbers, svg_results
from registry.presentation.system_description import what_differed
from registry.presentation.words import (
    best_unit,
    capitalize_sentence,
    describe_context,
    format_in_unit,
    humanize,
    number_named,
    shown_unit,
)
from registry.query import filters, qualified_values, study_query
from registry.query.public_record import Row
from registry.timeseries import series
from registry.web.caching import public_page
from validators.units import UNITS

MOST_DRAWN = 4
MOST_ROWS = 200


@public_page
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """The series of one system."""
    query = filters.without_empty(request.GET)
    asked = series.read(query)
    shown = series.document(slug, asked)
    written_out = [_series(row) for row in _told_apart(shown["series"])[:MOST_ROWS]]
    context = {
        "section": "systems",
        "shown": shown,
        "metric": asked.metric[0] if asked.metric else "",
        "filters": [(name, value) for name, values in asked.filters.lists() for value in values],
        "rows": written_out,
        "more": max(0, len(shown["series"]) - MOST_ROWS),
        "drawn": [one | _drawing(row) for one, row in zip(written_out[:MOST_DRAWN], shown["series"], strict=False)],
        "changes": [_change(change) for change in shown["changes"]],
        "not_joined": [_not_joined(one) for one in reversed(shown["not_joined"])],
        "query": query.urlencode(),
    }
    return render(request, "systems/history.html", context)


def moves(shown: Row) -> list[dict[str, Any]]:
    """The steps of all series by the results on both sides of them, newest day first, each number in words."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in _told_apart(shown["series"]):
        written_out = _series(row)
        for step in written_out["steps"]:
            pair = {name: step[name] for name in ("before", "after", "day")}
            told = found.setdefault((step["before"], step["after"]), pair | {"told": []})["told"]
            told.append(" ".join(filter(None, [sentence_on(written_out | step), _said(step)])))
    return sorted(found.values(), key=lambda one: one["day"], reverse=True)


def _told_apart(rows: Sequence[Row]) -> list[Row]:
    """Series with those of their settings and of their scale only in which others of the same benchmark differ."""
    return [row | {part: _varying(row, rows, part) for part in ("settings", "scale")} for row in rows]


def _varying(row: Row, rows: Sequence[Row], part: str) -> Row:
    others = [one[part] for one in rows if one["tool"] == row["tool"]]
    return {name: value for name, value in row[part].items() if len({one.get(name) for one in others}) > 1}


def in_words(row: Row) -> dict[str, Any]:
    """A step that has the columns of its series (row_of in registry/timeseries/detected_steps.py)."""
    levels = [{"value": row[name], "printed_unit": row["printed_unit"]} for name in ("level_before", "level_after")]
    unit = _in_unit(row, levels)
    return _step(row, unit) | _named(row, unit)


def sentence_on(step: Mapping[str, Any]) -> str:
    """What moved, from where to where, and whether that is good."""
    what = f"{step['name']} ({step['about']}; {step['trust']})"
    levels = f"from {step['from']} to {step['to']}{numbers.NO_BREAK}{step['unit']}".strip()
    times = f"\N{MULTIPLICATION SIGN}{numbers.NO_BREAK}{step['times']}"
    return f"{what} {levels}, {times}: {'better' if step['better'] else 'worse'}."


def _said(step: Mapping[str, Any]) -> str:
    """What was said of a step, as a sentence; "" where nothing was."""
    if step["state"] == Step.State.NEW:
        return ""
    return ": ".join(filter(None, [Step.State(step["state"]).label.capitalize(), step["note"]])).rstrip(".") + "."


def _named(row: Row, unit: str) -> dict[str, str]:
    """What a series is of."""
    clients = row["client_nodes"]
    counted = clients and numbers.pluralize(clients, "client node")
    kind = row.get("list") and f"{row['list']} list"
    about = [
        row["tool"],
        row["mode"],
        describe_context(row["context"]),
        describe_context(row["settings"]),
        counted,
        describe_context(row.get("scale", {})),
        kind,
    ]
    return {
        "name": capitalize_sentence(number_named(row)),
        "metric": str(study_query.Metric(row["op"], row["quantity"], row["stat"])),
        "about": ", ".join(filter(None, about)),
        "trust": row["trust"],
        "unit": shown_unit(unit),
    }


def _series(row: Row) -> dict[str, Any]:
    unit = _unit(row)
    first, last = row["points"][0], row["points"][-1]
    times = qualified_values.of(last) / qualified_values.of(first) if first["value"] else None
    return _named(row, unit) | {
        "count": len(row["points"]),
        "first": _said_value(first, unit),
        "last": _said_value(last, unit),
        "last_result": last["result"],
        "last_day": last["day"],
        "ratio": times.written(numbers.times) if times else numbers.MISSING,
        "points": [(point["day"], point["result"], _said_value(point, unit)) for point in row["points"]],
        "steps": [_step(step, unit) for step in row["steps"]],
    }


def _unit(row: Row) -> str:
    return _in_unit(row, ({"value": point["value"], "printed_unit": row["printed_unit"]} for point in row["points"]))


def _in_unit(row: Row, values: Iterable[Row]) -> str:
    """The unit that is printed, as all rates of a page are read in one; of what has none, one that fits."""
    printed = row["printed_unit"]
    fits = printed in UNITS and UNITS[printed].canonical == row["unit"]
    return str(printed) if fits else best_unit(values, row["unit"])


def _said_value(point: Row, unit: str) -> str:
    return qualified_values.of(point).written(lambda value: _value(value, unit))


def _value(value: float, unit: str) -> str:
    return format_in_unit(value, unit) if unit else numbers.format_significant(value, 4)


def _step(step: Row, unit: str) -> dict[str, Any]:
    return step | {
        "from": _value(step["level_before"], unit),
        "to": _value(step["level_after"], unit),
        "times": numbers.times(step["ratio"], 3),
        "said": _said(step) if "state" in step else "",
        "chance_written": "< 0.0001" if step["chance"] < 0.0001 else f"{step['chance']:.4f}",
    }


def _drawing(row: Row) -> dict[str, Any]:
    unit = _unit(row)
    factor = UNITS[unit].factor if unit else 1.0
    values = [point["value"] / factor for point in row["points"]]
    edges = [0, *(step["place"] for step in row["steps"]), len(values)]
    levels = [row["steps"][0]["level_before"], *(step["level_after"] for step in row["steps"])] if row["steps"] else []
    stretches = [(low, high, level / factor) for (low, high), level in zip(pairwise(edges), levels, strict=False)]
    return {"drawing": svg_results.levels([str(point["day"]) for point in row["points"]], values, stretches)}


def _not_joined(one: Row) -> dict[str, Any]:
    """A result that stands alone, with why."""
    score = numbers.format_decimal(one["score"]) or numbers.MISSING
    names = ", ".join(humanize(name) for name in one["unknown"])
    kind = one["list"] and f"{one['list']} list"
    about = ", ".join(filter(None, [one["tool"], one["mode"], kind, one["trust"]]))
    return one | {"score": score, "about": about, "reason": f"Not known: {names}"}


def _change(one: Row) -> dict[str, Any]:
    return one | {"differs": what_differed(one["configuration"], [one["before"], one["after"]])}
