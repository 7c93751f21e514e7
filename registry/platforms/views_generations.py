"""Pages of lines of platforms: x-factors as picture and table, what gains come from, and sizing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from registry.errors import Problem
from registry.platforms import generations, sizing
from registry.presentation import numbers
from registry.presentation.charts import result_charts
from registry.presentation.words import (
    best_unit,
    capitalize_sentence,
    describe_condition,
    describe_conditions,
    describe_fact_values,
    divisor_choices,
    format_in_unit,
    humanize,
    number_named,
    shown_unit,
)
from registry.query.facts import axes
from registry.query.public_record import Row
from registry.query.questions import facets, filters, study_query
from registry.query.row_sources import PUBLIC, RowSource
from registry.query.values import qualified_values
from registry.web.caching import public_page
from registry.web.filter_fields import Field, error_texts
from validators import catalogue

REFUSALS = (filters.InvalidValue, filters.UnknownParameter, study_query.UnknownMetric, study_query.UnknownAxis)
"""What may be wrong with a question; the form is kept."""
STEPS = [("release", "release"), ("io500_release", "release that a document names")]
"""What steps may be instead of generations, as the form offers it."""
MOST_LINES = 3
"""Numbers of one picture; the table has all."""
EXAMPLE = {
    "platform": "cray-e2000",
    "target": "1000",
    "unit": "GB/s",
    "direction": "write",
    "kind": "bandwidth",
}
"""What the page of sizing answers where nothing is asked."""
LARGEST = 15
"""Times by which a number gains at most to be in a picture: beyond, the others could not be told apart."""


@public_page
def line_index(request: HttpRequest) -> HttpResponse:
    """Every line of platforms."""
    return render(request, "platforms/generations.html", {"section": "systems", "lines": generations.list_lines()})


@public_page
def line_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The line of a platform."""
    question = filters.without_empty(request.GET)
    context: dict[str, Any] = {
        "section": "systems",
        "slug": slug.lower(),
        "address": f"/api/v1/generations/{slug.lower()}/?{urlencode(question, doseq=True)}",
    }
    try:
        document = generations.generations_document(slug, generations.parse_query(question))
    except REFUSALS as error:
        fields = _line_fields(question, error)
        context |= {
            "platforms": generations.load_line(slug),
            "fields": fields,
            "problem": error,
            "has_field_errors": any(field.error for field in fields),
        }
        return render(request, "platforms/line.html", context, status=error.status)
    context |= {
        "platforms": document["platforms"],
        "fields": _line_fields(question),
        "generations": document,
        "rows": [_table_row(row, document["order"]) for row in document["rows"]],
        "unmatched": [_unmatched_row(row) for row in document["unmatched"]],
        "figures": _draw_figures(document["rows"], document["order"]),
    }
    return render(request, "platforms/line.html", context)


def _line_fields(query: QueryDict, refusal: Problem | None = None) -> list[Field]:
    """Steps, divisor and metric as they were asked for; what is refused of a name stands at its field."""
    errors = error_texts(refusal)
    if refusal and isinstance(refusal, study_query.UnknownMetric | study_query.UnknownAxis):
        errors = {"x" if name == "axis" else name: refusal.detail for name in errors}
    values = {name: query.get(name, "") for name in generations.NAMES}
    steps = values["x"] if values["x"] != generations.X else ""
    divisors = [(name, f"per {words}") for name, words in divisor_choices()]
    return [
        Field(
            *("x", "Steps", steps),
            choices=facets.include_selected(STEPS, steps),
            every="generation",
            error=errors.get("x", ""),
        ),
        Field(
            *("per", "Numbers", values["per"]),
            choices=facets.include_selected(divisors, values["per"]),
            every="in total",
            error=errors.get("per", ""),
        ),
        Field(
            *("metric", "Metric", values["metric"]),
            placeholder="any: write.bandwidth, find",
            error=errors.get("metric", ""),
        ),
    ]


def _table_row(row: Row, order: Sequence[str]) -> dict[str, Any]:
    """One number as its line of the table: a cell for each step, then what its gain comes from."""
    steps_by_name = {step["step"]: step for step in row["steps"]}
    unit = best_unit(row["steps"], row["unit"])
    cells = [
        (_short_name(step, order), _step_cell(steps_by_name[step], unit) if step in steps_by_name else None)
        for step in order
    ]
    last = row["steps"][-1]
    return {
        "name": capitalize_sentence(number_named(row | {"printed_unit": last["printed_unit"]})),
        "tool": catalogue.tool_name(row["tool"]),
        "trust": row["trust"],
        "alike_in": _conditions_in_words(row),
        "varies": [
            (step["step"], ", ".join(f"{_condition_title(name)} {' / '.join(values)}" for name, values in facts))
            for step in row["steps"]
            if (facts := list(step["varies"].items()))
        ],
        "unit": shown_unit(unit),
        "cells": cells,
        "total": _format_factor(last, "x_first"),
        "causes": [(cause, numbers.format_times(factor)) for cause, factor in row["by_cause"].items()],
        "possible": [(" or ".join(gain["may_be"]), _format_factor(gain, "factor")) for gain in row["by_possible"]],
        "changes": [_change_row(change) for change in row["chain"] or row["changes"]],
    }


def _conditions_in_words(row: Row) -> str:
    return ", ".join(f"{_condition_title(fact['name'])} {fact['value']}" for fact in row["conditions"])


def _condition_title(name: str) -> str:
    return axes.find_axis(name).title


def _unmatched_row(row: Row) -> dict[str, Any]:
    """Two numbers without a factor, and why there is none."""
    unit = best_unit([row["before"], row["after"]], row["unit"])
    steps = [row[end]["step"] for end in ("before", "after")]
    return {
        "name": capitalize_sentence(number_named(row | {"printed_unit": row["after"]["printed_unit"]})),
        "tool": catalogue.tool_name(row["tool"]),
        "trust": row["trust"],
        "unit": shown_unit(unit),
        "ends": [
            {"step": _short_name(row[end]["step"], steps), **_written_end(row[end], unit)}
            for end in ("before", "after")
        ],
        "address": f"/compare/?results={row['before']['result']},{row['after']['result']}",
        "differs": _condition_pairs(row["differs"]),
        "unknown": _condition_pairs(row["unknown"]),
        "reasons": row["reasons"],
    }


def _condition_pairs(facts: Sequence[Row]) -> list[str]:
    return describe_conditions((fact["name"], [fact["before"], fact["after"]]) for fact in facts)


def _written_end(end: Row, unit: str) -> dict[str, str]:
    value = format_in_unit(end["value"], unit) if unit else numbers.format_decimal(end["value"])
    return {"value": qualified_values.in_words(end["qualifier"], value), "result": end["result"]}


def _step_cell(step: Row, unit: str) -> dict[str, str]:
    return _written_end(step, unit) | {"x": _format_factor(step, "x_first")}


def _format_factor(row: Row, name: str) -> str:
    """How many times, in words: "less than 2.34x"."""
    if row[name] is None:
        return "not known"
    return qualified_values.in_words(
        row[f"{name}_qualifier"], f"{numbers.format_times(row[name])}\N{MULTIPLICATION SIGN}"
    )


def _change_row(change: Row) -> dict[str, Any]:
    return {
        "before": change["before"],
        "after": change["after"],
        "factor": _format_factor(change, "factor"),
        "cause": change["cause"],
        "differs": [(kind, ", ".join(names)) for kind, names in change["differs"].items()],
        "unrecorded": ", ".join(change["unrecorded"]),
    }


def _draw_figures(rows: Sequence[Row], order: Sequence[str]) -> list[dict[str, Any]]:
    """A picture for each benchmark, quantity, trust and set of conditions of what its first numbers gained."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        title = " ".join(filter(None, [catalogue.tool_name(row["tool"]), humanize(row["quantity"])]))
        groups.setdefault((title, row["trust"], _conditions_in_words(row)), []).append(row)
    return [
        figure
        for named, group_rows in groups.items()
        if (figure := _draw_figure(", ".join(filter(None, named)), group_rows, order))
    ]


def _draw_figure(title: str, rows: Sequence[Row], order: Sequence[str]) -> dict[str, Any] | None:
    places = {step: place for place, step in enumerate(order)}
    series = [(_named_apart(row, rows), _factor_points(row, places)) for row in rows]
    drawn = [sery for sery in series if len(sery[1]) > 1 and max(value for _, value in sery[1]) <= LARGEST][:MOST_LINES]
    if not drawn:
        return None
    most = max(value for _, values in drawn for _, value in values)
    left_out = f" {len(drawn)} of {len(series)} numbers; the table has all." if len(drawn) < len(series) else ""
    return {
        "title": title,
        "note": f"Times better than the first, from zero, steps evenly apart.{left_out}",
        "drawing": result_charts.draw_lines([_short_name(step, order) for step in order], drawn, 0.0, most),
    }


def _named_apart(row: Row, rows: Sequence[Row]) -> str:
    """The operation; where several numbers of a quantity are of it, with its statistic."""
    alone = sum(other["op"] == row["op"] for other in rows) == 1
    return number_named(row | {"quantity": ""} | ({"stat": ""} if alone else {}))


def _factor_points(row: Row, places: dict[str, int]) -> list[tuple[int, float]]:
    """Without bounds, of which a line would say that they were measured."""
    drawn = (
        step for step in row["steps"] if step["x_first"] and step["x_first_qualifier"] in ("", qualified_values.ABOUT)
    )
    return [(places[step["step"]], step["x_first"]) for step in drawn]


def _short_name(step: str, order: Sequence[str]) -> str:
    """What tells a step from the others: the last word of a platform's name, where no other ends in it."""
    word = step.split()[-1]
    return word if sum(other.split()[-1] == word for other in order) == 1 else step


@public_page
def sizing_page(request: HttpRequest) -> HttpResponse:
    """A form, and its answer; of an example where nothing is asked."""
    return show_sizing(request)


def show_sizing(request: HttpRequest, source: RowSource = PUBLIC) -> HttpResponse:
    """The page of sizing, asked of a source; the example is one of the record."""
    query, platforms = filters.without_empty(request.GET), generations.measured_platforms(source)
    is_example = source.is_public and not query and any(row.slug == EXAMPLE["platform"] for row in platforms)
    if is_example:
        query = QueryDict(urlencode(EXAMPLE))
    answer, problem = None, None
    if "target" in query:
        try:
            answer = sizing.sizing_document(sizing.parse_query(query, source))
        except Problem as error:
            problem = error
    context = {
        "section": "systems",
        "platforms": platforms,
        "is_example": is_example,
        "query": query,
        "answer": answer and _sizing_context(answer, query),
        "problem": problem,
        "address": f"/api/v1/sizing/?{urlencode(query, doseq=True)}",
    }
    return render(request, "platforms/sizing.html", context, status=problem.status if problem else 200)


def _sizing_context(answer: Row, query: QueryDict) -> dict[str, Any]:
    ceiling = answer["ceiling"]
    return answer | {
        "counted": _format_units(answer["units"]),
        "rests_on": _basis_words(answer["units"]),
        "target_written": f"{numbers.format_printed(answer['target'])}{numbers.NO_BREAK}{answer['unit']}",
        "at_ceiling": ceiling and numbers.format_significant(ceiling["of_one"], 4),
        "factors": [_factor_row(factor) for factor in ceiling["factors"]] if ceiling else [],
        "varying": [describe_fact_values(fact["name"], fact["values"], fact["unknown"]) for fact in answer["varies"]],
        "parts": [_sizing_group(query, group) for group in answer["groups"]],
        "rows": [
            row | {"written": _of_one(row), "share": _share_of_ceiling(row), "best_of": _best_of(row)}
            for row in answer["basis"]
        ],
    }


def _sizing_group(query: QueryDict, group: Row) -> dict[str, Any]:
    """One group of like measurements: what it is, how many units, and the link that leaves only it of a question."""
    known_facts = {
        fact["name"] if fact["name"] in sizing.FILTERS else f"p.{fact['name']}": fact["value"]
        for fact in group["facts"]
        if fact["value"] is not None
    }
    return {
        "title": ", ".join(describe_condition(fact["name"], [fact["value"]]) for fact in group["facts"]),
        "counted": _format_units(group["units"]),
        "rests_on": _basis_words(group["units"]),
        "results": group["results"],
        "address": f"?{urlencode(dict(query.lists()) | known_facts, doseq=True)}",
    }


def _factor_row(factor: Row) -> dict[str, Any]:
    value = numbers.format_printed(factor["value"])
    if factor["unit"] != "count":
        unit = best_unit([{"value": factor["value"], "printed_unit": "GB/s"}], factor["unit"])
        value = f"{format_in_unit(factor['value'], unit)}{numbers.NO_BREAK}{unit}"
    return factor | {"written": value}


def _share_of_ceiling(row: Row) -> str:
    share = row["percent_of_ceiling"]
    return "" if share is None else qualified_values.in_words(row["qualifier"], f"{share:.1f}")


def _best_of(row: Row) -> str:
    """What the result's other rates are, where the best of several counts."""
    if row["rates"] == 1:
        return ""
    words = ", ".join(f"{humanize(name)} {' / '.join(values)}" for name, values in row["varies"].items())
    return f"the best of {row['rates']}: {words}" if words else f"the best of {row['rates']}"


def _format_units(units: Row) -> str:
    """How many, as far as it is known."""
    low, middle, high = units["low"], units["middle"], units["high"]
    if units["qualifier"] == qualified_values.UNKNOWN:
        return "no single number"
    if middle is None and None not in (low, high):
        return f"at least {low:,d}; {high:,d} are enough"
    if middle is None:
        return f"at least {low:,d}" if high is None else f"at most {high:,d}"
    range_ = numbers.format_rank_range(low, high) if low is not None else ""
    return qualified_values.in_words(units["qualifier"], range_ or numbers.format_int(middle))


def _basis_words(units: Row) -> str:
    """What the number is made of, in words."""
    if units["qualifier"] == qualified_values.UNKNOWN:
        return "the measurements are not alike: each group below has its own"
    if units["middle"] is None:
        caveat = "how many are enough is not known" if units["high"] is None else "the least number is not known"
        return "from bounds alone" if None not in (units["low"], units["high"]) else f"{caveat}, from bounds alone"
    if units["measurements"] == 1:
        return "from one measurement"
    return f"median {numbers.format_int(units['middle'])} of {units['measurements']} measurements"


def _of_one(row: Row) -> str:
    return qualified_values.in_words(row["qualifier"], numbers.format_significant(row["of_one"], 4))
