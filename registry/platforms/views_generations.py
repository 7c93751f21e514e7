"""Pages of lines of platforms: x-factors as picture and table, what gains come from, and sizing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.errors import Problem
from registry.platforms import generations, sizing
from registry.presentation import numbers, svg_results
from registry.presentation.words import best_unit, divisors, format_in_unit, humanize, number_named, shown_unit
from registry.query import filters, qualified_values
from registry.query.public_record import Row
from registry.web.caching import public_page

MOST_LINES = 3
"""Numbers of one picture; the table has all."""
LARGEST = 15
"""Times by which a number gains at most to be in a picture: beyond, the others could not be told apart."""


@public_page
def index(request: HttpRequest) -> HttpResponse:
    """Every line of platforms."""
    return render(request, "systems/generations.html", {"section": "systems", "lines": generations.lines()})


@public_page
def line(request: HttpRequest, slug: str) -> HttpResponse:
    """The line of a platform."""
    asked = generations.read(filters.without_empty(request.GET))
    shown = generations.document(slug, asked)
    context = {
        "section": "systems",
        "slug": slug.lower(),
        "shown": shown,
        "asked": {"metric": asked.metric[0] if asked.metric else "", "x": asked.x, "per": asked.per},
        "axes": [
            ("platform", "generation"),
            ("release", "release"),
            ("io500_release", "release that a document names"),
        ],
        "pers": divisors(),
        "rows": [_written(row, shown["order"]) for row in shown["rows"]],
        "figures": _figures(shown["rows"], shown["order"]),
        "address": f"/api/v1/generations/{slug.lower()}/?{urlencode(filters.without_empty(request.GET), doseq=True)}",
    }
    return render(request, "systems/line.html", context)


def _written(row: Row, order: Sequence[str]) -> dict[str, Any]:
    """One number as its line of the table: a cell for each step, then what its gain comes from."""
    found = {one["step"]: one for one in row["steps"]}
    unit = best_unit(row["steps"], row["unit"])
    cells = [(_short(step, order), _cell(found[step], unit) if step in found else None) for step in order]
    last = row["steps"][-1]
    return {
        "name": number_named(row),
        "tool": row["tool"],
        "trust": row["trust"],
        "unit": shown_unit(unit),
        "cells": cells,
        "total": _factor(last, "x_first"),
        "causes": [(cause, numbers.times(factor)) for cause, factor in row["by_cause"].items()],
        "possible": [(" or ".join(one["may_be"]), _factor(one, "factor")) for one in row["by_possible"]],
        "changes": [_change(one) for one in row["chain"] or row["changes"]],
    }


def _cell(step: Row, unit: str) -> dict[str, str]:
    value = format_in_unit(step["value"], unit) if unit else numbers.format_decimal(step["value"])
    said = qualified_values.in_words(step["qualifier"], value)
    return {"value": said, "x": _factor(step, "x_first"), "result": step["result"]}


def _factor(row: Row, name: str) -> str:
    """How many times, in words: "less than 2.34x"."""
    if row[name] is None:
        return "not known"
    return qualified_values.in_words(row[f"{name}_qualifier"], f"{numbers.times(row[name])}\N{MULTIPLICATION SIGN}")


def _change(one: Row) -> dict[str, Any]:
    return {
        "before": one["before"],
        "after": one["after"],
        "factor": _factor(one, "factor"),
        "cause": one["cause"],
        "differs": [(kind, ", ".join(names)) for kind, names in one["differs"].items()],
        "unrecorded": ", ".join(one["unrecorded"]),
    }


def _figures(rows: Sequence[Row], order: Sequence[str]) -> list[dict[str, Any]]:
    """A picture for each benchmark, quantity and trust of what its first numbers gained."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        title = " ".join(filter(None, [row["tool"], humanize(row["quantity"])]))
        groups.setdefault((title, row["trust"]), []).append(row)
    return [figure for named, found in groups.items() if (figure := _figure(", ".join(named), found, order))]


def _figure(title: str, rows: Sequence[Row], order: Sequence[str]) -> dict[str, Any] | None:
    places = {step: place for place, step in enumerate(order)}
    series = [(_named_apart(row, rows), _times(row, places)) for row in rows]
    drawn = [sery for sery in series if len(sery[1]) > 1 and max(value for _, value in sery[1]) <= LARGEST][:MOST_LINES]
    if not drawn:
        return None
    most = max(value for _, values in drawn for _, value in values)
    left_out = f" {len(drawn)} of {len(series)} numbers; the table has all." if len(drawn) < len(series) else ""
    return {
        "title": title,
        "note": f"Times better than the first, from zero, steps evenly apart.{left_out}",
        "drawing": svg_results.lines([_short(step, order) for step in order], drawn, 0.0, most),
    }


def _named_apart(row: Row, rows: Sequence[Row]) -> str:
    """The operation; where several numbers of a quantity are of it, with its statistic."""
    alone = sum(one["op"] == row["op"] for one in rows) == 1
    return number_named(row | {"quantity": ""} | ({"stat": ""} if alone else {}))


def _times(row: Row, places: dict[str, int]) -> list[tuple[int, float]]:
    """Without bounds, of which a line would say that they were measured."""
    drawn = (
        step for step in row["steps"] if step["x_first"] and step["x_first_qualifier"] in ("", qualified_values.ABOUT)
    )
    return [(places[one["step"]], one["x_first"]) for one in drawn]


def _short(step: str, order: Sequence[str]) -> str:
    """What tells a step from the others: the last word of a platform's name, where no other ends in it."""
    word = step.split()[-1]
    return word if sum(one.split()[-1] == word for one in order) == 1 else step


@public_page
def size(request: HttpRequest) -> HttpResponse:
    """A form, and the answer where something was asked."""
    query = filters.without_empty(request.GET)
    answer, problem = None, None
    if "target" in query:
        try:
            answer = sizing.document(sizing.read(query))
        except Problem as error:
            problem = error
    context = {
        "section": "systems",
        "platforms": generations.measured_platforms(),
        "asked": query,
        "answer": answer and _sized(answer),
        "problem": problem,
        "address": f"/api/v1/sizing/?{urlencode(query, doseq=True)}",
    }
    return render(request, "systems/sizing.html", context, status=problem.status if problem else 200)


def _sized(answer: Row) -> dict[str, Any]:
    ceiling = answer["ceiling"]
    return answer | {
        "counted": _counted(answer["units"]),
        "rests_on": _rests_on(answer["units"]),
        "target_written": f"{numbers.format_printed(answer['target'])}{numbers.NO_BREAK}{answer['unit']}",
        "at_ceiling": ceiling and numbers.format_significant(ceiling["of_one"], 4),
        "rows": [row | {"written": _of_one(row)} for row in answer["basis"]],
    }


def _counted(units: Row) -> str:
    """How many, as far as it is known."""
    low, middle, high = units["low"], units["middle"], units["high"]
    if middle is None and None not in (low, high):
        return f"at least {low:,d}; {high:,d} are enough"
    if middle is None:
        return f"at least {low:,d}" if high is None else f"at most {high:,d}"
    range_ = numbers.format_rank_range(low, high) if low is not None else ""
    return qualified_values.in_words(units["qualifier"], range_ or numbers.format_int(middle))


def _rests_on(units: Row) -> str:
    """What the number is made of, in words."""
    if units["middle"] is None:
        known = "how many are enough is not known" if units["high"] is None else "how few would do is not known"
        return "from bounds alone" if None not in (units["low"], units["high"]) else f"{known}, from bounds alone"
    if units["measurements"] == 1:
        return "from one measurement"
    return f"median {numbers.format_int(units['middle'])} of {units['measurements']} measurements"


def _of_one(row: Row) -> str:
    return qualified_values.in_words(row["qualifier"], numbers.format_significant(row["of_one"], 4))
