"""Results: a table to find them in, and one page for each with everything that was published of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.db import connection
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from registry.citation import cited_facts
from registry.errors import Problem
from registry.models import Measurement, Result
from registry.platforms import ceilings
from registry.platforms import views_ceilings as ceiling_page
from registry.presentation import numbers, result_rows, revision_table
from registry.presentation import words as presentation_words
from registry.presentation.archive_table import build_archive
from registry.presentation.charts import list_charts
from registry.presentation.evidence_table import build_evidence
from registry.presentation.parameter_table import build_parameter_table
from registry.presentation.published_row import build_published_row
from registry.presentation.read_lines import build_not_read
from registry.presentation.reproduction_words import REPRODUCED_CHOICES
from registry.presentation.system_description import system_context
from registry.presentation.trust_ladder import build_ladder
from registry.presentation.verdict_words import verdict_context
from registry.query import cursor_pages, public_record, run_verdict_rows
from registry.query.cursor_pages import Page
from registry.query.differences import revision_diff
from registry.query.facts import observed_parameters
from registry.query.questions import facets, filters, missing_facts, unknown_values
from registry.query.responses.rule_outcomes import count_outcomes, worst_first
from registry.query.responses.source_links import list_source_links
from registry.query.row_sources import distinct_by_index
from registry.results import page_lead, repeats_table, structured_data
from registry.results.limiting_phase import has_shares, phases_of_result
from registry.results.recipes.raised_level import raised_level
from registry.results.recipes.reproduced_section import reproduced_section
from registry.results.recipes.views import recipe_section
from registry.results.run_facts import day_of_run, list_run_facts
from registry.results.run_page import leading, view, with_tool
from registry.results.system_history import list_history
from registry.results.why_section import build_why
from registry.web.caching import cached_value, kept_value, public_page
from registry.web.filter_fields import Field, filter_fields, form_context, tidy_address
from registry.web.tray import NAME as KEPT
from registry.web.tray import kept_ids
from validators import catalogue
from validators.quantities import label_statistic

PAGE_ROWS = 50
GIB, KILO = 2**30, 1000
ORDERS = {"-id": "newest", "-score": "score", "-bandwidth_gib_per_s": "bandwidth", "-rate_kiops": "metadata"}
QUERY_NAMES = (*filters.RESULT_NAMES, "ordering")
FEW = 3
"""A median of fewer values says little and is not shown."""
OTHERS_SHOWN = 200
_MEDIANS = """
    SELECT metric.op, metric.quantity, of_list.median, of_list.count
    FROM ({metrics}) AS metric CROSS JOIN LATERAL (
        SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY m.value) AS median, count(*) AS count
        FROM registry_listentry e JOIN registry_measurement m ON m.result_id = e.result_id
        WHERE e.ranked_list_id = %s AND m.op = metric.op AND m.quantity = metric.quantity AND m.stat = metric.stat
    ) of_list
    WHERE metric.stat = 'phase' AND of_list.count > 0
"""


@public_page
@tidy_address
def index(request: HttpRequest) -> HttpResponse:
    """Search and filter; the names of the query are those of the API."""
    parameters = {
        name: str(value) for name, value in request.GET.items() if name.startswith(filters.PARAMETER) and value
    }
    selected_values = {name: value for name in QUERY_NAMES if (value := request.GET.get(name))} | parameters
    try:
        results, problem = public_record.current_results(filters.result_conditions(request.GET)), None
    except (filters.UnknownParameter, filters.InvalidValue) as error:
        results, problem = Result.objects.none(), error
    ordering = selected_values.get("ordering", "")
    order = cursor_pages.chosen_order(cursor_pages.RESULTS, ordering, "id", tie_follows=True) or cursor_pages.NEWEST_IDS
    columns = {**result_rows.COLUMNS, "pk": "pk"}
    page = cursor_pages.take_asked_page(results, columns, order, request.GET, PAGE_ROWS)
    choice = {KEPT: kept_ids(request.GET)}
    machine = urlencode({name: filters.values_of(request.GET, name) for name in selected_values}, doseq=True)
    tool = selected_values.get("tool", "").lower()
    counts, offered_parameters = _keep_choices(tool)
    fields = _filter_fields(selected_values, tool, problem, counts, offered_parameters)
    offered = {field.name for field in fields}
    missing = missing_facts.count_missing(QueryDict() if problem else request.GET)
    rows = result_rows.format_rows(page.rows, page_lead.leading_texts(page.rows))
    context = {
        "section": "results",
        "query": selected_values,
        **form_context(fields),
        "parameters": {name: value for name, value in parameters.items() if name not in offered},
        "rows": rows,
        "explains_marks": "reproduced" in selected_values or any(row["marks"] for row in rows),
        "first": _page_address(machine, choice),
        "next": _page_address(machine, {"cursor": page.cursor} | choice) if page.cursor else "",
        "previous": _page_address(machine, {"before": page.before} | choice) if page.before else "",
        "count": "" if problem else _count_results(selected_values, counts, page),
        "orders": ORDERS.items(),
        "machine": machine,
        "problem": problem,
        "unknown_values": [] if problem else unknown_values.explain_empty(request.GET, empty=not page.rows),
        "candidates": missing.candidates,
        "missing_facts": missing.list_rows(),
        "dataset": "" if request.GET else structured_data.record_script(request),
    }
    return render(request, "results/index.html", context, status=problem.status if problem else 200)


def _count_results(values: Mapping[str, str], counts: Sequence[tuple[str, int]], page: Page[public_record.Row]) -> str:
    """How many results match: of all or of one benchmark as kept, of one page as shown. Empty: it would be counted."""
    if page.cursor is None and page.before is None:
        return numbers.pluralize(len(page.rows), "result")
    if values.keys() - {"tool", "ordering"}:
        return ""
    tool = values.get("tool", "").lower()
    return numbers.pluralize(sum(count for name, count in counts if tool in ("", name)), "result")


def _page_address(filtered: str, more: Mapping[str, Any]) -> str:
    """The page with the encoded filters, and what is added to them."""
    return "?" + "&".join(filter(None, (filtered, urlencode(more, doseq=True))))


def _parameter_label(name: str) -> str:
    return presentation_words.capitalize_sentence(presentation_words.label_fact(name))


def _filter_fields(
    values: dict[str, str],
    tool: str,
    refusal: Problem | None,
    counts: Sequence[tuple[str, int]],
    parameters: Sequence[dict[str, Any]],
) -> list[Field]:
    """Fields of the filters, and of the parameters that the descriptor of the tool names, after what it measures."""
    choices = {
        "tool": facets.include_selected(facets.offer_benchmarks(counts), tool),
        "measured": facets.include_selected(facets.quantity_choices(tool), values.get("measured", "")),
        "trust": [(trust, trust) for trust in Result.Trust.values],
        "list": facets.include_selected(facets.list_choices(), values.get("list", "")),
        "reproduced": REPRODUCED_CHOICES,
    }
    names = [name for name in filters.RESULT_FILTERS if name != "measured" or choices["measured"]]
    fields = filter_fields(names, values | {"tool": tool}, choices, refusal=refusal)
    after = 1 + max(position for position, field in enumerate(fields) if field.name in ("tool", "measured"))
    for parameter in reversed(parameters):
        name = filters.PARAMETER + parameter["name"]
        value = values.get(name, "")
        offered = facets.include_selected(parameter["choices"], value)
        fields.insert(
            after,
            Field(name, _parameter_label(parameter["name"]), value, title=parameter["description"], choices=offered),
        )
    return fields


def _keep_choices(tool: str) -> tuple[list[tuple[str, int]], list[dict[str, Any]]]:
    """Benchmarks with their numbers of results, and the parameters of one: both counted once for each state.

    Under the name of a benchmark that has a descriptor: others have no parameters, and anybody may make them up.
    """
    described_tool = tool if catalogue.descriptor(tool) else ""
    return kept_value(
        f"benchmark-choices-1:{described_tool}",
        lambda: (facets.count_benchmarks(), facets.list_parameters(described_tool) if described_tool else []),
    )


@public_page
def detail(request: HttpRequest, public_id: str) -> HttpResponse:
    """One result. Withdrawn and superseded ones keep their page and say so first."""
    result = public_record.find_result(public_id)
    measurements = public_record.list_measurements(result)
    memberships = public_record.list_memberships(result)
    places = cited_facts.frozen_places(result, memberships)
    names = {place["release"]: place["release_name"] for place in places}
    main = cited_facts.main_list(result, places)
    phases = phase_rows(measurements, medians(main) if main else {})
    snapshot = observed_parameters.snapshot_of(result)
    files = public_record.list_files(result) if result.public_sha256 else []
    links, work = list_source_links(result, memberships), cited_facts.result_work(result, places)
    downloadable = structured_data.is_downloadable(result)
    efficiencies = ceilings.of_result(result, measurements, snapshot.document if snapshot else None)
    phase_shares = phases_of_result(result, measurements) if has_shares(result, measurements) else None
    checked = checks(result.snapshot, result.tool)
    limits = page_lead.phase_ceilings(efficiencies)
    context = {
        "section": "results",
        "result": result,
        "revised_by": getattr(result, "revised_by", None),
        "changes": revision_table.revision_rows(revision_diff.of_result(result)),
        "name": title(result),
        "tool": catalogue.tool_name(result.tool),
        "day_of_run": day_of_run(result),
        "keys": keys(result),
        "memberships": [row | {"release_name": names.get(row["release"], row["release"])} for row in memberships],
        "main": main,
        "groups": groups(phases),
        "phase_columns": page_lead.add_shares(phases, limits),
        "other_rows": others(result, measurements, phases),
        "leading": leading(with_tool(measurements, result.tool), result.parameters)
        if not phases and result.score is None
        else [],
        "run": _run(result, [] if phases else measurements),
        "why": build_why(phase_shares) if phase_shares else {},
        "limit": page_lead.nearest_limit(efficiencies, phase_shares),
        "check_line": page_lead.check_line(result.trust, checked),
        "repeats": repeats_table.repeats_context(result, measurements),
        "columns": list_charts.draw_columns(_short_names(phases, "bandwidth"), _short_ceilings(limits)),
        "ceiling_columns": None if phases else page_lead.draw_ceiling_columns(efficiencies),
        "pairs": list_charts.draw_pairs(_with_medians(phases)),
        "formula": formula(result),
        "history": list_history(result, measurements),
        "against_earlier": _against_earlier(result),
        "checks": checked,
        "facts": list_run_facts(result, [file["path"] for file in files]),
        "parameters": build_parameter_table(
            result.parameters,
            result.snapshot.get("parameter_sources"),
            result.snapshot.get("described_parameters"),
        ),
        "reproduced": reproduced_section(result),
        "raised": raised_level(result),
        "recipe": recipe_section(result, snapshot),
        "described": system_context(snapshot.document if snapshot else None, f"/api/v1/results/{public_id}/system/"),
        "ceilings": ceiling_page.ceiling_table(ceilings.nearest_to_ceiling(efficiencies)),
        "ladder": build_ladder(result),
        "archive": build_archive(result.snapshot),
        "published_row": build_published_row(result.snapshot),
        "source_links": links,
        "files": files,
        "omitted": public_record.omitted_files(result),
        "not_read": _not_read(result.snapshot),
        "downloadable": downloadable,
        **cited_facts.citation_block(work, f"/api/v1/results/{public_id}/citation/"),
        "dataset": structured_data.result_script(result, measurements, links, work),
    }
    response = render(request, "results/result.html", context)
    response["Link"] = structured_data.result_signposts(result, work)
    return response


def _run(result: Result, measurements: list[public_record.Row]) -> dict[str, Any]:
    """The measurements of a run without phases, and what lies under those of any run."""
    published, tool = result.snapshot, (result.tool, result.tool_version)
    return view(measurements, published.get("distributions", []), published.get("tests", []), result.parameters, tool)


def _against_earlier(result: Result) -> dict[str, Any] | None:
    """Whether the run lay where earlier ones of its system let it be expected; None where it was not judged."""
    if getattr(result, "revised_by", None):
        return None
    verdict = run_verdict_rows.read_verdict(result)
    return verdict and verdict_context(verdict)


def _not_read(snapshot: dict[str, Any]) -> dict[str, Any]:
    """What was not read of the published files; empty where it is not known."""
    if snapshot.get("not_read") is None:
        return {}
    return build_not_read(snapshot["not_read"]) | {"sentence": "Of these files the check lists nothing as not read."}


def title(result: Result) -> str:
    """The system, and for a reported result what tells it from others of its document."""
    name = result.system_name or f"Result {result.public_id}"
    return f"{name}: {result.snapshot['label']}" if "label" in result.snapshot else name


def others(result: Result, measurements: list[public_record.Row], phases: list[dict[str, Any]]) -> list[dict[str, str]]:
    """What the other tables do not show; of a reported result every number as it is printed."""
    if result.trust == Result.Trust.REPORTED:
        return [_other_row(row) | {"value": numbers.format_printed(row["printed_value"])} for row in measurements][
            :OTHERS_SHOWN
        ]
    return [_other_row(row) for row in measurements if row["stat"] != "phase"][:OTHERS_SHOWN] if phases else []


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
    return cached_value(f"phase-medians-1:{main['pk']}:{main['digest']}", lambda: _medians(main["pk"]))


def _medians(ranked_list: int) -> dict[tuple[str, str], tuple[float, int]]:
    """Phase by phase, so that each is read from its part of measurement_of_metric."""
    metrics = distinct_by_index(Measurement, ("op", "quantity", "stat"))
    with connection.cursor() as cursor:
        cursor.execute(_MEDIANS.format(metrics=metrics), [ranked_list])
        return {(op, quantity): (median, count) for op, quantity, median, count in cursor.fetchall()}


def phase_rows(
    measurements: list[public_record.Row], median_by_phase: dict[tuple[str, str], tuple[float, int]]
) -> list[dict[str, Any]]:
    """The phases with their list's median, bandwidth in GiB/s and rates in kIOPS."""
    rows = []
    for row in measurements:
        if row["stat"] != "phase" or row["unit"] not in ("B/s", "ops/s"):
            continue
        divisor = GIB if row["unit"] == "B/s" else KILO
        median, count = median_by_phase.get((row["op"], row["quantity"]), (None, 0))
        median = median / divisor if median and count >= FEW else None
        value = row["value"] / divisor
        rows.append(
            {
                "name": row["op"],
                "label": presentation_words.label_phase(row["op"]),
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


def _other_row(row: public_record.Row) -> dict[str, str]:
    return {
        "name": presentation_words.label_operation(row),
        "what": f"{presentation_words.label_quantity(row)}, {label_statistic(row['stat']) or row['stat']}",
        "value": numbers.format_significant(row["printed_value"], 6),
        "unit": row["printed_unit"],
        "context": presentation_words.describe_context(row["context"]),
    }


def _short_names(phases: list[dict[str, Any]], quantity: str) -> list[tuple[str, float]]:
    rows = [row for row in phases if row["scored"] and row["quantity"] == quantity]
    return [(_short(row["name"]), row["value"]) for row in rows]


def _short_ceilings(by_phase: dict[str, float]) -> dict[str, float]:
    return {_short(phase): limit for phase, limit in by_phase.items()}


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
    score = numbers.format_decimal(result.score)
    return f"Score = \N{SQUARE ROOT}({halves}) = {score}, no unit. Each half is the geometric mean of its phases."


OUTCOMES = {
    "satisfied": ("yes", "✓ satisfied"),
    "violated": ("no", "✕ violated"),
    "needs_human": ("", "? decided by reviewers"),
    "not_evaluated": ("soft", "\N{EN DASH} not evaluated"),
}


def checks(snapshot: dict[str, Any], tool: str = "") -> dict[str, Any]:
    """Rules, hashes, scores, evidence and findings of the snapshot; empty for what was never checked here."""
    texts = catalogue.rule_texts()
    rules = [
        {
            **rule,
            "text": texts.get(rule.get("code", ""), ""),
            "mark": OUTCOMES.get(rule.get("outcome", ""), ("", rule.get("outcome", ""))),
        }
        for rule in worst_first(snapshot.get("rules", []))
    ]
    counted = count_outcomes(rules)
    same = [
        {"name": f"{name} hash".capitalize(), **pair, "same": pair.get("printed") == pair.get("computed")}
        for name, pair in snapshot.get("hashes", {}).items()
        if pair.get("printed")
    ]
    scores = [
        {
            "name": "Score" if name == "SCORE" else name,
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
        "any": bool(rules or same or scores or snapshot.get("findings")),
        "evidence": build_evidence(snapshot.get("evidence"), tool) if rules or "evidence" in snapshot else {},
    }
