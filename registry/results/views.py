"""Results: a table to find them in, and one page for each with everything that was published of it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.db.models import Aggregate, Count, F, FloatField, Max, Q, RowRange, TextField, Window
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.citation import cited_facts
from registry.models import Measurement, Result
from registry.platforms import ceilings
from registry.platforms import views_ceilings as ceiling_page
from registry.presentation import numbers, revision_table, svg_lists, vega
from registry.presentation.parameter_table import build_parameter_table
from registry.presentation.system_description import system_context
from registry.query import cursor_pages, facets, filters, observed_parameters, public_record, revision_diff
from registry.results import repeats_table
from registry.results.run_page import leading, view
from registry.web.caching import public_page, remembered
from validators import catalogue

PAGE_ROWS = 50
GIB, KILO = 2**30, 1000
ORDERS = {"-id": "newest", "-score": "score", "-bandwidth_gib_per_s": "bandwidth", "-rate_kiops": "metadata"}
ASKED = (
    *(
        "q",
        "tool",
        "measured",
        "filesystem_type",
        "institution",
        "system",
        "platform",
        "vendor",
        "release",
        "list",
        "trust",
    ),
    *("client_nodes__gte", "ordering"),
)
FEW = 3
"""A median of fewer values says little and is not shown."""
OTHERS_SHOWN = 200
HISTORY_SHOWN = 20


NAME = Coalesce(F("release__name"), KeyTextTransform("label", "snapshot"), output_field=TextField())
"""What a row of the history is called: its release, or what tells a reported result from the others."""


class Median(Aggregate):
    """The median of a column, interpolated."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


@public_page
def index(request: HttpRequest) -> HttpResponse:
    """Search and filter; the names of the query are those of the API."""
    parameters = {name: value for name, value in request.GET.items() if name.startswith(filters.PARAMETER) and value}
    asked = {name: request.GET[name] for name in ASKED if request.GET.get(name)} | parameters
    found = public_record.current_results(filters.result_conditions(request.GET))
    order = cursor_pages.chosen(
        cursor_pages.RESULTS, asked.get("ordering", ""), "id", tie_follows=True
    ) or cursor_pages.chosen(cursor_pages.RESULTS, "-id", "id", tie_follows=True)
    page = cursor_pages.page(found, public_record.RESULT, order, request.GET.get("cursor", ""), PAGE_ROWS)
    tool = asked.get("tool", "").lower()
    named = (
        [{**parameter, "name": filters.PARAMETER + parameter["name"]} for parameter in facets.parameters(tool)]
        if tool
        else []
    )
    offered = {one["name"] for one in named}
    context = {
        "section": "results",
        "asked": asked,
        "tool": tool,
        "benchmarks": facets.include_selected(facets.benchmarks(), tool),
        "measured": facets.include_selected(facets.measured(tool), asked.get("measured", "")),
        "named": [
            {**one, "asked": value, "choices": facets.include_selected(one["choices"], value)}
            for one, value in ((one, asked.get(one["name"], "")) for one in named)
        ],
        "parameters": {name: value for name, value in parameters.items() if name not in offered},
        "rows": written(page.rows),
        "next": "?" + urlencode({**asked, "cursor": page.cursor}) if page.cursor else "",
        "begun": "cursor" not in request.GET,
        "orders": ORDERS.items(),
        "trusts": Result.Trust.values,
        "machine": urlencode(asked),
    }
    return render(request, "results/index.html", context)


def written(rows: list[public_record.Row]) -> list[public_record.Row]:
    """Rows of record.RESULT with their numbers as text."""
    return [
        {
            **row,
            "score": numbers.format_decimal(row["score"]) or numbers.MISSING,
            "bandwidth": numbers.format_decimal(row["bandwidth_gib_per_s"]) or numbers.MISSING,
            "rate": numbers.format_decimal(row["rate_kiops"]) or numbers.MISSING,
            "clients": numbers.format_int(row["client_nodes"]) or numbers.MISSING,
        }
        for row in rows
    ]


@public_page
def detail(request: HttpRequest, public_id: str) -> HttpResponse:
    """One result. Withdrawn and superseded ones keep their page and say so first."""
    result = public_record.result(public_id)
    measured = public_record.measurements(result)
    memberships = public_record.memberships(result)
    main = cited_facts.main_list(result, memberships)
    phases = phase_rows(measured, medians(main) if main else {})
    snapshot = observed_parameters.snapshot_of(result)
    context = {
        "section": "results",
        "result": result,
        "revised_by": getattr(result, "revised_by", None),
        "changes": revision_table.rows(revision_diff.of_result(result)),
        "name": title(result),
        "tool": catalogue.descriptor(result.tool).get("name", result.tool),
        "keys": keys(result),
        "memberships": memberships,
        "main": main,
        "groups": groups(phases),
        "others": others(result, measured, phases),
        "leading": leading(measured, result.parameters) if not phases and result.score is None else [],
        "run": _run(result, [] if phases else measured),
        "repeats": repeats_table.repeats_context(result, measured),
        "columns": svg_lists.columns(_short_names(phases, "bandwidth")),
        "pairs": svg_lists.pairs(_with_medians(phases)),
        "chart": vega.phase_profile(f"Phases of {result.public_id} against its list", phases),
        "formula": formula(result),
        "history": history(result),
        "checks": checks(result.snapshot),
        "facts": facts(result),
        "parameters": build_parameter_table(
            result.parameters,
            result.snapshot.get("parameter_sources"),
            result.snapshot.get("described_parameters"),
        ),
        "described": system_context(snapshot.document if snapshot else None, f"/api/v1/results/{public_id}/system/"),
        "ceilings": ceiling_page.ceiling_table(
            ceilings.nearest_to_ceiling(ceilings.of_result(result, measured, snapshot.document if snapshot else None))
        ),
        "files": public_record.files(result) if result.public_sha256 else [],
        "downloadable": not (result.copy_missing_since or result.copy_withheld_at),
        **cited_facts.citation_block(cited_facts.result_work(result, main), f"/api/v1/results/{public_id}/citation/"),
    }
    return render(request, "results/result.html", context)


def _run(result: Result, measured: list[public_record.Row]) -> dict[str, Any]:
    """The measurements of a run without phases, and what lies under those of any run."""
    published = result.snapshot
    tool = result.tool, result.tool_version
    return view(measured, published.get("distributions", []), published.get("tests", []), result.parameters, tool)


def title(result: Result) -> str:
    """The system, and for a reported result what tells it from others of its document."""
    name = result.system_name or f"Result {result.public_id}"
    return f"{name}: {result.snapshot['label']}" if "label" in result.snapshot else name


def others(result: Result, measured: list[public_record.Row], phases: list[dict[str, Any]]) -> list[dict[str, str]]:
    """What the other tables do not show; of a reported result every number as it is printed."""
    if result.trust == Result.Trust.REPORTED:
        return [_other(row) | {"value": numbers.format_printed(row["printed_value"])} for row in measured][
            :OTHERS_SHOWN
        ]
    return [_other(row) for row in measured if row["stat"] != "phase"][:OTHERS_SHOWN] if phases else []


def keys(result: Result) -> dict[str, str]:
    """The numbers that lead the page, written out; empty where missing."""
    clients, tasks = result.client_nodes, result.tasks
    per_client = {
        "bandwidth_per_client": result.bandwidth_gib_per_s / clients
        if result.bandwidth_gib_per_s and clients
        else None,
        "rate_per_client": result.rate_kiops / clients if result.rate_kiops and clients else None,
    }
    return {
        "score": numbers.format_decimal(result.score),
        "bandwidth": numbers.format_decimal(result.bandwidth_gib_per_s),
        "rate": numbers.format_decimal(result.rate_kiops),
        "clients": numbers.format_int(clients),
        "tasks": numbers.format_int(tasks),
        "each": numbers.format_int(tasks // clients) if tasks and clients and tasks % clients == 0 else "",
        **{name: numbers.format_decimal(value) for name, value in per_client.items()},
    }


def medians(main: dict[str, Any]) -> dict[tuple[str, str], tuple[float, int]]:
    """(op, quantity) -> median over the list in canonical units, and of how many values."""
    return remembered(f"phase-medians-1:{main['pk']}:{main['digest']}", lambda: _medians(main["pk"]))


def _medians(ranked_list: int) -> dict[tuple[str, str], tuple[float, int]]:
    found = (
        Measurement.objects.filter(result__entries__ranked_list=ranked_list, stat="phase")
        .order_by()
        .values("op", "quantity")
        .annotate(median=Median("value"), count=Count("id"))
    )
    return {(row["op"], row["quantity"]): (row["median"], row["count"]) for row in found}


def phase_rows(
    measured: list[public_record.Row], known: dict[tuple[str, str], tuple[float, int]]
) -> list[dict[str, Any]]:
    """The phases with their list's median, bandwidth in GiB/s and rates in kIOPS."""
    rows = []
    for row in measured:
        if row["stat"] != "phase" or row["unit"] not in ("B/s", "ops/s"):
            continue
        divisor = GIB if row["unit"] == "B/s" else KILO
        median, count = known.get((row["op"], row["quantity"]), (None, 0))
        median = median / divisor if median and count >= FEW else None
        value = row["value"] / divisor
        rows.append(
            {
                "name": row["op"],
                "quantity": row["quantity"],
                "scored": row["scored"] is not False,
                "value": value,
                "median": median,
                "ratio": value / median if median else None,
                "written": numbers.format_decimal(value),
                "median_written": numbers.format_decimal(median),
                "ratio_written": numbers.format_decimal(value / median) if median else "",
                "start": row["context"].get("start", ""),
                "seconds": numbers.format_decimal(row["context"].get("seconds"), 1),
            }
        )
    return rows


def groups(phases: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """The phases under the heads of the table."""
    heads = (
        ("Bandwidth, GiB/s", lambda row: row["scored"] and row["quantity"] == "bandwidth"),
        ("Metadata, kIOPS", lambda row: row["scored"] and row["quantity"] != "bandwidth"),
        ("Reported, not scored: bandwidth in GiB/s, rates in kIOPS", lambda row: not row["scored"]),
    )
    grouped = [(head, [row for row in phases if belongs(row)]) for head, belongs in heads]
    return [(head, rows) for head, rows in grouped if rows]


def _other(row: public_record.Row) -> dict[str, str]:
    context = ", ".join(f"{name} {value}" for name, value in row["context"].items())
    return {
        "name": row["op"],
        "what": f"{row['quantity']}, {row['stat']}",
        "value": numbers.format_significant(row["printed_value"], 6),
        "unit": row["printed_unit"],
        "context": context,
    }


def _short_names(phases: list[dict[str, Any]], quantity: str) -> list[tuple[str, float]]:
    rows = [row for row in phases if row["scored"] and row["quantity"] == quantity]
    return [(_short(row["name"]), row["value"]) for row in rows]


def _with_medians(phases: list[dict[str, Any]]) -> list[tuple[str, float, float | None]]:
    rows = [row for row in phases if row["scored"] and row["quantity"] != "bandwidth"]
    return [(_short(row["name"]), row["value"], row["median"]) for row in rows]


def _short(phase: str) -> str:
    """ "ior-easy-write" -> "easy write"."""
    return phase.removeprefix("ior-").removeprefix("mdtest-").replace("-", " ")


def formula(result: Result) -> str:
    """How the score follows from its halves, where all three are known."""
    if result.tool != "io500" or None in (result.score, result.bandwidth_gib_per_s, result.rate_kiops):
        return ""
    parts = (numbers.format_decimal(value) for value in (result.bandwidth_gib_per_s, result.rate_kiops))
    halves = " \N{MULTIPLICATION SIGN} ".join(parts)
    return f"Score = \N{SQUARE ROOT}({halves}) = {numbers.format_decimal(result.score)}, no unit."


def history(result: Result) -> list[dict[str, Any]]:
    """The newest results of the same system and tool; `mark` where one was the highest up to then.

    What is reported stands apart: it belongs to no release, and none of it is a mark.
    """
    order = [F("release__held_on").asc(), F("id").asc()]
    before = Window(Max("score"), order_by=order, frame=RowRange(end=-1))
    rows = (
        public_record.current_results(
            Q(system=result.system_id, tool=result.tool, release__isnull=result.release is None)
        )
        .annotate(best_before=before)
        .order_by("-release__held_on", "-id")
        .values("public_id", "score", "client_nodes", "best_before", name=NAME)[:HISTORY_SHOWN]
    )
    return [
        {
            **row,
            "mark": bool(result.release) and row["score"] is not None and row["score"] > (row["best_before"] or 0.0),
            "written": numbers.format_decimal(row["score"]) or numbers.MISSING,
            "clients": numbers.format_int(row["client_nodes"]) or numbers.MISSING,
            "current": row["public_id"] == result.public_id,
        }
        for row in rows
    ]


OUTCOMES = {
    "satisfied": ("yes", "✓ satisfied"),
    "violated": ("no", "✕ violated"),
    "needs_human": ("", "? decided by reviewers"),
    "not_evaluated": ("soft", "\N{EN DASH} not evaluated"),
}


def checks(snapshot: dict[str, Any]) -> dict[str, Any]:
    """Rules, hashes, scores and findings as the snapshot holds them; empty for what was never checked here."""
    rules = [
        {**rule, "mark": OUTCOMES.get(rule.get("outcome"), ("", rule.get("outcome", "")))}
        for rule in snapshot.get("rules", [])
    ]
    counted = {outcome: sum(rule.get("outcome") == outcome for rule in rules) for outcome in OUTCOMES}
    same = [
        {"name": f"{name} hash".capitalize(), **pair, "same": pair.get("printed") == pair.get("computed")}
        for name, pair in snapshot.get("hashes", {}).items()
        if pair.get("printed")
    ]
    scores = [
        {
            "name": name,
            "printed": numbers.format_significant(score["printed"], 9),
            "computed": numbers.format_significant(score["value"], 9),
        }
        for name, score in snapshot.get("scores", {}).items()
        if score.get("printed") is not None and score.get("value") is not None
    ]
    return {
        "rules": rules,
        "counted": counted,
        "hashes": same,
        "scores": scores,
        "findings": snapshot.get("findings", []),
        "versions": snapshot.get("versions", {}),
        "any": bool(rules or same or scores),
    }


def facts(result: Result) -> list[tuple[str, str]]:
    """What is known of what ran; an empty text is missing."""
    return [
        ("File system", " ".join(filter(None, [result.filesystem_type, result.filesystem_version]))),
        ("File system name", result.filesystem_name),
        ("Storage vendor", result.storage_vendor),
        ("Benchmark", " ".join(filter(None, [result.tool, result.tool_version, result.mode]))),
    ]
