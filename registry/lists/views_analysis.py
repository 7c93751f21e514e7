"""One IO500 list over the releases, in numbers; imported and verified lists stand apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from registry.lists import analysis as analyses
from registry.models import Result
from registry.presentation import numbers
from registry.presentation.charts import result_charts
from registry.query.public_record import Row
from registry.web.caching import kept_value, public_page

TRUSTS = (Result.Trust.IMPORTED, Result.Trust.VERIFIED)
WIDTHS = {"wide": 595, "thin": 350}
"""Of a picture in px: half of a wide page, and a phone."""
FIRST_RANKS = "\N{GREATER-THAN OR EQUAL TO}\N{NO-BREAK SPACE}"
"""Before a count or a sum of a list of which only the first ranks are known."""


@public_page
def analysis_index(request: HttpRequest) -> HttpResponse:
    """To the first list of the newest release; to the lists where there is none."""
    all_lists = analyses.known_lists()
    newest = [list_row for list_row in all_lists if list_row["release"] == all_lists[-1]["release"]]
    return redirect("analysis", name=newest[0]["name"]) if newest else redirect("lists")


@public_page
def analysis_page(request: HttpRequest, name: str) -> HttpResponse:
    """One list: a table and pictures for each level of trust."""
    list_name, titles, rows = analyses.of_list(name, kept_value)
    if list_name != name:
        return redirect("analysis", name=list_name)
    context = {
        "section": "lists",
        "name": list_name,
        "title": titles[list_name],
        "titles": titles,
        "groups": [group for trust in TRUSTS if (group := _trust_group(trust, rows))],
    }
    return render(request, "lists/analysis.html", context)


def _trust_group(trust: str, rows: list[Row]) -> dict[str, Any] | None:
    """Lists of one level of trust, newest first, with what can be drawn of them."""
    own = [row for row in rows if row["trust"] == trust]
    if not own:
        return None
    return {"trust": trust, "rows": [_format_row(row) for row in reversed(own)], "figures": _draw_figures(own)}


def _format_row(row: Row) -> Row:
    """A row as it is printed; what is not known is a dash."""
    least = "" if row["complete"] else FIRST_RANKS
    counts = {key: f"{least}{numbers.format_int(row[key])}" for key in ("entries", "institutions", "new")}
    bandwidth, share = row["bandwidth_gib_per_s"], row["best_score_per_client"]
    return row | counts | {
        "bandwidth": numbers.MISSING if bandwidth is None else f"{least}{numbers.format_decimal(bandwidth)}",
        "best": numbers.format_decimal(row["best_score"]) or numbers.MISSING,
        "median": numbers.format_decimal(row["median_score"]) or numbers.MISSING,
        "best_per_client": numbers.MISSING if share is None else f"{least}{numbers.format_decimal(share)}",
        "median_per_client": numbers.format_decimal(row["median_score_per_client"]) or numbers.MISSING,
        "partial_bandwidth": 0 < row["with_bandwidth"] < row["entries"],
        "partial_clients": 0 < row["with_client_nodes"] < row["entries"],
    }  # fmt: skip


def _draw_figures(rows: list[Row]) -> list[dict[str, Any]]:
    """Lines through the lists that are known whole, without those that were computed anew later; two make a line."""
    complete_rows = [row for row in rows if row["complete"] and not row["recomputed"] and row["entries"]]
    if len(complete_rows) < 2:
        return []
    steps = [row["release_name"] for row in complete_rows]
    counts = [
        (name, [(step, row[name]) for step, row in enumerate(complete_rows)]) for name in ("entries", "institutions")
    ]
    sums = [(step, row["bandwidth_gib_per_s"]) for step, row in enumerate(complete_rows) if row["with_bandwidth"]]
    figures = [_draw_figure("Entries and institutions", "count", steps, counts)]
    return [*figures, _draw_figure("Sum of bandwidth", "GiB/s", steps, [("", sums)])] if sums else figures


def _draw_figure(title: str, unit: str, steps: list[str], series: Sequence[result_charts.Series]) -> dict[str, Any]:
    most = max(value for _, values in series for _, value in values)
    drawings = [result_charts.draw_lines(steps, series, 0.0, most, width, kind) for kind, width in WIDTHS.items()]
    return {"title": title, "unit": unit, "drawings": drawings}
