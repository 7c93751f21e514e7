"""The page of a system over time: a picture and a table of each series, its steps, and what else differed at each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.models import Step
from registry.presentation import numbers
from registry.presentation.charts import result_charts
from registry.presentation.system_description import what_differed
from registry.presentation.verdict_words import verdict_context
from registry.presentation.words import (
    capitalize_sentence,
    describe_context,
    format_in_unit,
    humanize,
    number_named,
    shown_unit,
    unit_for_people,
)
from registry.query.public_record import Row
from registry.query.questions import filters, study_query
from registry.query.row_sources import PUBLIC, RowSource
from registry.query.values import qualified_values
from registry.timeseries import series
from registry.web.caching import public_page
from validators.units import UNITS

MOST_DRAWN = 4
RATES = ("B/s", "ops/s")
"""Canonical units of which a page has one unit each."""
MOST_ROWS = 200


@public_page
def history_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The series of one system."""
    return show_history(request, slug)


def show_history(request: HttpRequest, slug: str, source: RowSource = PUBLIC) -> HttpResponse:
    """The page of the series of one system, asked of a source."""
    query = filters.without_empty(request.GET)
    selection = series.parse_selection(query, source)
    system_history = series.series_document(slug, selection)
    rows = _in_one_unit(system_history["series"])
    written_out = [_series_context(row) for row in _with_varying_settings(rows)[:MOST_ROWS]]
    context = {
        "section": "systems",
        "system_history": system_history,
        "metric": selection.metric[0] if selection.metric else "",
        "metric_choices": _metric_choices(rows, selection.metric[:1]),
        "filters": [(name, value) for name, values in selection.filters.lists() for value in values],
        "answer": _leading_sentence(rows, system_history["fewest"]),
        "rows": written_out,
        "more": max(0, len(system_history["series"]) - MOST_ROWS),
        "drawn": [
            written_row | _series_drawing(row) for written_row, row in zip(written_out[:MOST_DRAWN], rows, strict=False)
        ],
        "changes": [_change_context(change) for change in system_history["changes"]],
        "newest": system_history["newest"] and verdict_context(system_history["newest"]),
        **{name: [verdict_context(row) for row in system_history[name]] for name in ("newest_others", "unexpected")},
        "not_joined": [_not_joined(result) for result in reversed(system_history["not_joined"])],
        "query": query.urlencode(),
    }
    return render(request, "timeseries/history.html", context)


def _metric_choices(rows: Sequence[Row], chosen: Sequence[str]) -> list[tuple[str, str]]:
    """The metrics of the series with their labels; what was chosen is among them, even where it names several."""
    written = [_series_words(row, row["unit"]) for row in rows]
    choices = dict.fromkeys(chosen) | {row["metric"]: row["name"] for row in written}
    return [(metric, name or metric) for metric, name in choices.items()]


def _leading_sentence(rows: Sequence[Row], fewest: int) -> str:
    """How many changes were found, with the newest in words; "" without a series. `fewest` results can show a step."""
    if not rows:
        return ""
    moved = [_series_context(row) for row in _with_varying_settings(rows) if row["steps"]]
    steps = [written_row | step for written_row in moved for step in written_row["steps"]]
    if steps:
        newest = max(steps, key=lambda step: step["day"])
        counted = numbers.pluralize(len(steps), "performance change")
        return f"{counted}; the newest, {newest['day']:%Y-%m-%d}: {sentence_on(newest)}"
    short = sum(len(row["points"]) < fewest for row in rows)
    if short == len(rows):
        return f"Too few results to find a performance change: none of {len(rows)} series has {fewest}."
    short_words = f"; {short} have fewer than the {fewest} results that are needed" if short else ""
    return f"No performance change found in {len(rows)} series{short_words}."


def step_changes(system_history: Row) -> list[dict[str, Any]]:
    """The steps of all series by the results on both sides of them, newest day first, each number in words."""
    move_by_pair: dict[tuple[str, str], dict[str, Any]] = {}
    for row in _with_varying_settings(system_history["series"]):
        written_out = _series_context(row)
        for step in written_out["steps"]:
            pair = {name: step[name] for name in ("before", "after", "day")}
            sentences = move_by_pair.setdefault((step["before"], step["after"]), pair | {"sentences": []})["sentences"]
            sentences.append(" ".join(filter(None, [sentence_on(written_out | step), _step_remark(step)])))
    return sorted(move_by_pair.values(), key=lambda move: move["day"], reverse=True)


def _with_varying_settings(rows: Sequence[Row]) -> list[Row]:
    """Series with those of their settings and of their scale only in which others of the same benchmark differ."""
    return [row | {part: _varying_text(row, rows, part) for part in ("settings", "scale")} for row in rows]


def _in_one_unit(rows: Sequence[Row]) -> list[Row]:
    """Series with all bandwidths of the page in one unit, and all rates: that in which most of them are printed.

    Of what is printed for other programs, it is one that people read.
    """
    units: dict[str, Counter[str]] = {}
    for row in rows:
        if row["unit"] in RATES and row["printed_unit"] in UNITS:
            units.setdefault(row["unit"], Counter())[row["printed_unit"]] += 1
    usual = {
        canonical: unit_for_people(
            {"unit": canonical, "printed_unit": counted.most_common(1)[0][0]},
            (point for row in rows if row["unit"] == canonical for point in _printed_points(row)),
        )
        for canonical, counted in units.items()
    }
    return [
        row | {"printed_unit": usual.get(row["unit"], row["printed_unit"]), "printed_as": row["printed_unit"]}
        for row in rows
    ]


def _printed_points(row: Row) -> list[Row]:
    return [{"value": point["value"], "printed_unit": row["printed_unit"]} for point in row["points"]]


def _varying_text(row: Row, rows: Sequence[Row], part: str) -> Row:
    others = [other_row[part] for other_row in rows if other_row["tool"] == row["tool"]]
    return {name: value for name, value in row[part].items() if len({other.get(name) for other in others}) > 1}


def in_words(row: Row) -> dict[str, Any]:
    """A step that has the columns of its series (row_of in registry/timeseries/detected_steps.py)."""
    levels = [{"value": row[name], "printed_unit": row["printed_unit"]} for name in ("level_before", "level_after")]
    unit = unit_for_people(row, levels)
    return _step_context(row, unit) | _series_words(row, unit)


def sentence_on(step: Mapping[str, Any]) -> str:
    """What moved, from where to where, and whether that is good."""
    what = f"{step['name']} ({step['about']}; {step['trust']})"
    levels = f"from {step['from']} to {step['to']}{numbers.NO_BREAK}{step['unit']}".strip()
    times = f"\N{MULTIPLICATION SIGN}{numbers.NO_BREAK}{step['times']}"
    return f"{what} {levels}, {times}: {'better' if step['better'] else 'worse'}."


def _step_remark(step: Mapping[str, Any]) -> str:
    """What was said of a step, as a sentence; "" where nothing was."""
    if step["state"] == Step.State.NEW:
        return ""
    return ": ".join(filter(None, [Step.State(step["state"]).label.capitalize(), step["note"]])).rstrip(".") + "."


def _series_words(row: Row, unit: str) -> dict[str, str]:
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


def _series_context(row: Row) -> dict[str, Any]:
    unit = _series_unit(row)
    first, last = row["points"][0], row["points"][-1]
    times = qualified_values.number_of_row(last) / qualified_values.number_of_row(first) if first["value"] else None
    printed_as = row.get("printed_as", unit)
    return _series_words(row, unit) | {
        "printed_as": printed_as if printed_as not in ("", unit) and unit in UNITS else "",
        "count": len(row["points"]),
        "first": _point_text(first, unit),
        "last": _point_text(last, unit),
        "last_result": last["result"],
        "last_day": last["day"],
        "ratio": times.written(numbers.format_times) if times else numbers.MISSING,
        "points": [(point["day"], point["result"], _point_text(point, unit)) for point in row["points"]],
        "steps": [_step_context(step, unit) for step in row["steps"]],
    }


def _series_unit(row: Row) -> str:
    """The unit that is printed, as all rates of a page are read in one; of what has none, one that fits."""
    return unit_for_people(row, _printed_points(row))


def _point_text(point: Row, unit: str) -> str:
    return qualified_values.number_of_row(point).written(lambda value: _format_value(value, unit))


def _format_value(value: float, unit: str) -> str:
    return format_in_unit(value, unit) if unit else numbers.format_significant(value, 4)


def _step_context(step: Row, unit: str) -> dict[str, Any]:
    return step | {
        "from": _format_value(step["level_before"], unit),
        "to": _format_value(step["level_after"], unit),
        "times": numbers.format_times(step["ratio"], 3),
        "said": _step_remark(step) if "state" in step else "",
        "chance_written": "< 0.0001" if step["chance"] < 0.0001 else f"{step['chance']:.4f}",
    }


def _series_drawing(row: Row) -> dict[str, Any]:
    unit = _series_unit(row)
    factor = UNITS[unit].factor if unit else 1.0
    values = [point["value"] / factor for point in row["points"]]
    edges = [0, *(step["place"] for step in row["steps"]), len(values)]
    levels = [row["steps"][0]["level_before"], *(step["level_after"] for step in row["steps"])] if row["steps"] else []
    stretches = [(low, high, level / factor) for (low, high), level in zip(pairwise(edges), levels, strict=False)]
    days = [point["day"] for point in row["points"]]
    return {
        "drawing": result_charts.draw_levels(days, values, stretches),
        "day_words": "Days to scale" if days[0] < days[-1] else "Runs of one day, evenly apart",
    }


def _not_joined(result: Row) -> dict[str, Any]:
    """A result that stands alone, with why."""
    score = numbers.format_decimal(result["score"]) or numbers.MISSING
    names = ", ".join(humanize(name) for name in result["unknown"])
    kind = result["list"] and f"{result['list']} list"
    about = ", ".join(filter(None, [result["tool"], result["mode"], kind, result["trust_label"]]))
    return result | {"score": score, "about": about, "reason": f"Not known: {names}"}


def _change_context(change: Row) -> dict[str, Any]:
    return change | {"differs": what_differed(change["configuration"], [change["before"], change["after"]])}
