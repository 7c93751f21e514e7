"""Pages of what lies under numbers: histograms and boxes of targets and ranks, slow ones, chances, ageing."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from registry.distributions import distributions, stragglers
from registry.errors import Problem
from registry.presentation import numbers
from registry.presentation.charts import result_charts
from registry.presentation.words import (
    best_unit,
    capitalize_sentence,
    describe_context,
    format_in_unit,
    humanize,
    label_quantity,
)
from registry.query import public_record
from registry.query.public_record import Row
from registry.results.run_page import boxes_of, spread_of
from registry.results.views import title
from registry.web.caching import public_page
from validators.quantities import label_statistic, lower_is_better
from validators.units import UNITS

MOST_DISTRIBUTIONS = 12
EXAMPLE = "members=273&slow=18&stripes=1,4,16"


@public_page
def of_result(request: HttpRequest, public_id: str) -> HttpResponse:
    """The distributions of one result, with the share of the best below which a member counts as slow."""
    result = public_record.find_result(public_id)
    share, problem = _read_share(request)
    snapshot_distributions = distributions.with_all_targets(
        result.snapshot.get("distributions", []), result.snapshot.get("tests", [])
    )
    component_rows = distributions.component_distributions(snapshot_distributions, share)
    context = {
        "section": "results",
        "result": result,
        "name": title(result),
        "share": f"{share:g}",
        "problem": problem,
        "boxes": boxes_of(snapshot_distributions),
        "spread": spread_of(snapshot_distributions),
        "groups": [_group_context(row) for row in component_rows[:MOST_DISTRIBUTIONS]],
        "more": max(0, len(component_rows) - MOST_DISTRIBUTIONS),
        "series": [
            _series_context(row) for row in distributions.ageing_series(snapshot_distributions)[:MOST_DISTRIBUTIONS]
        ],
        "address": f"/api/v1/results/{public_id}/members/?{urlencode({'share': f'{share:g}'})}",
    }
    return render(request, "results/members.html", context, status=problem.status if problem else 200)


def _read_share(request: HttpRequest) -> tuple[float, Problem | None]:
    try:
        return distributions.parse_slow_share(request.GET), None
    except Problem as error:
        return stragglers.SHARE, error


def _group_context(row: Row) -> dict[str, Any]:
    unit = best_unit([{"value": row["best"], "printed_unit": row["printed_unit"]}], row["unit"])
    bins = [(part["low"], part["high"], part["count"]) for part in row["histogram"]]
    lower = lower_is_better(row["quantity"], row["unit"])
    limit = row["best"] * 100 / row["share"] if lower else row["best"] * row["share"] / 100
    return {
        "title": _series_title(row),
        "over": row["over"],
        "component": row["over"].rstrip("s"),
        "unit": unit,
        "count": numbers.format_int(row["count"]),
        "slow_count": row["slow_count"],
        "drawing": result_charts.draw_histogram(bins, limit, UNITS[unit].factor),
        "bins": [(format_in_unit(low, unit), format_in_unit(high, unit), count) for low, high, count in bins],
        "slow": [
            (straggler["number"], format_in_unit(straggler["value"], unit), f"{straggler['percent']:.1f}")
            for straggler in row["slow"]
        ],
        "silent": ", ".join(map(str, row["silent"])),
        "meeting": [(stripe_chance["stripes"], f"{stripe_chance['percent']:.1f}") for stripe_chance in row["meeting"]],
    }


def _series_context(row: Row) -> dict[str, Any]:
    percents, begin, amounts = row["percents"], row["aged_from"], row["written_bytes"] or []
    steps = [str(number) for number in range(1, len(percents) + 1)]
    unit = (
        best_unit([{"value": max(amounts), "printed_unit": row["printed_unit"].removesuffix("/s")}], "B")
        if amounts
        else ""
    )
    over = [amount / UNITS[unit].factor for amount in amounts]
    texts = [format_in_unit(amount, unit) for amount in amounts] or [""] * len(steps)
    points = list(zip(over, percents, strict=True)) if over else list(enumerate(percents))
    most = max(percents)
    return {
        "title": _series_title(row),
        "drawing": result_charts.draw_curve(points, most)
        if over
        else result_charts.draw_lines(steps, [("", points)], 0.0, most),
        "unit": unit,
        "values": list(zip(steps, texts, (f"{percent:.1f}" for percent in percents), strict=True)),
        "aged_from": None if begin is None else begin + 1,
        "aged_at": texts[begin] if begin is not None else "",
    }


def _series_title(row: Row) -> str:
    what = f"{humanize(row['op'])} {label_quantity(row)}, {label_statistic(row['stat'])}"
    return capitalize_sentence(", ".join(filter(None, [what, describe_context(row["context"])])))


@public_page
def calculator_page(request: HttpRequest) -> HttpResponse:
    """The chance that a file meets a slow target, for any numbers; without any, for an example."""
    query = request.GET if any(request.GET.values()) else QueryDict(EXAMPLE)
    answer, problem = None, None
    try:
        answer = distributions.hit_probabilities(query)
    except Problem as error:
        problem = error
    context = {
        "section": "studies",
        "query": query,
        "is_example": query is not request.GET,
        "answer": answer,
        "rows": [(result["stripes"], f"{result['percent']:.2f}") for result in answer["results"]] if answer else [],
        "problem": problem,
        "address": f"/api/v1/stragglers/?{query.urlencode()}",
    }
    return render(request, "results/stragglers.html", context, status=problem.status if problem else 200)
