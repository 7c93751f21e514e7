"""Ranked lists: one page per list of a release, sorted and filtered by its address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce, NullIf
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import http_date

from registry.citation import cited_facts, schema_org
from registry.errors import Problem
from registry.lists.analysis import FAMILY
from registry.lists.definitions import SCORED, ranked_measure
from registry.lists.list_rows import (
    ALWAYS,
    ARCHIVED,
    MARK_LINK,
    chosen_columns,
    offered_columns,
    table_rows,
    written_choice,
)
from registry.lists.list_rows import COLUMNS as COLUMNS_NAME
from registry.lists.rank_ranges import load_assumed_ranks
from registry.lists.reconstruction.rebuilt_lists import TITLES, can_be_reconstructed, reconstruction_name
from registry.models import Fact, ListEntry, RankedList, Release, Result
from registry.presentation import numbers
from registry.presentation.charts import list_charts, scales, vega
from registry.presentation.reproduction_words import REPRODUCED_CHOICES
from registry.query import public_record
from registry.query.facts.axes import find_axis
from registry.query.facts.divisors import PER, positive_or_null
from registry.query.questions import filters, study_query, unknown_values
from registry.query.responses import source_links
from registry.query.responses.trust_levels import join_caveat, list_caveat
from registry.web.caching import cached_value, public_page, with_known_values
from registry.web.filter_fields import Field, filter_fields, form_context, tidy_address
from registry.web.tray import NAME as KEPT
from registry.web.tray import kept_ids

PAGE_ROWS = 300
SORTABLE = {
    "score": ("score", "score"),
    "bandwidth_gib_per_s": ("bandwidth", "bandwidth_gib_per_s"),
    "rate_kiops": ("metadata", "rate_kiops"),
    "client_nodes": ("client nodes", "client_nodes"),
    "entered": ("release entered", "result__release__held_on"),
}
QUERY_NAMES = (*filters.ENTRY_FILTERS, "ordering", "assume", "per")
PER_CLIENT, PER_SERVER = "client", "server"
DIVISORS = {PER_CLIENT: "client node", PER_SERVER: "data server"}
"""What the halves of a score may be divided by, in words."""
DIVISOR = "divisor"
COLUMNS = (
    *("rank", "score", "bandwidth_gib_per_s", "rate_kiops", "new", "institution"),
    *("system_name", "filesystem_type", "client_nodes", "note", "result__public_id", "result__release__name"),
    "result__client_nodes",
    "result__withdrawn_at",
    "result__erasure__erased_at",
    *("ranked_list__trust", "result__rules_violated"),
)
HALVES = ("bandwidth_gib_per_s", "rate_kiops")
"""What only a score has; a list that ranks a measurement shows parameters of the run instead."""
KNOWN_IN_FULL = "All lists are known in full"
"""The sentence of a note that says what stands beside the number of entries."""


@dataclass(frozen=True)
class Summary:
    """What a page says about a whole list, whatever part of it is shown."""

    entries: int
    institutions: int
    new: int
    families: list[tuple[str, int]]
    ranges: bool
    unrepeated: int
    axis: scales.LogAxis | None = field(repr=False)
    wide: list_charts.Strip | None = field(repr=False)
    thin: list_charts.Strip | None = field(repr=False)


def _note_beside_completeness(release: Release) -> str:
    """The sentences of the note that do not repeat how much of its lists is known."""
    completeness = release.get_completeness_display()
    texts = release.note.split(". ")
    return ". ".join(text for text in texts if completeness not in text and text.rstrip(".") != KNOWN_IN_FULL)


@public_page
def list_index(request: HttpRequest) -> HttpResponse:
    """All lists, by release, newest first; releases whose lists are not published yet are named above."""
    releases = Release.objects.prefetch_related("ranked_lists")
    waiting = [release for release in releases if not release.imported and not release.ranked_lists.all()]
    published = [release for release in releases if release not in waiting]
    return render(request, "lists/index.html", {"section": "lists", "releases": published, "waiting": waiting})


@public_page
def release_lists(request: HttpRequest, release: str) -> HttpResponse:
    """To the first list of a release that has entries, else the first; where none is known, a page that says why."""
    stored_release = public_record.find_release(release)
    has_entries = Exists(ListEntry.objects.filter(ranked_list=OuterRef("pk")))
    first = stored_release.ranked_lists.order_by(has_entries.desc(), "position").first()
    if first is None:
        reconstructed = TITLES.items() if can_be_reconstructed(stored_release) else ()
        context = {"section": "lists", "release": stored_release, "reconstructed": reconstructed}
        return render(request, "lists/none.html", context)
    return redirect("list", release=stored_release.slug, name=first.name)


@with_known_values(
    ordering=[sign + name for name in SORTABLE for sign in ("", "-")], per=DIVISORS, page=map(str, range(1, 101))
)
@public_page
@tidy_address
def ranked_list(request: HttpRequest, release: str, name: str) -> HttpResponse:
    """One list as published: rows never renumber, whatever the order asked for."""
    stored_list = public_record.ranked_list(release, name)
    if (stored_list.release.slug, stored_list.name) != (release, name):
        return redirect("list", release=stored_list.release.slug, name=stored_list.name)
    query = {key: value for key in QUERY_NAMES if (value := request.GET.get(key))}
    body = stored_list.definition.body if stored_list.definition else {}
    ranks_measurement, ranks, parameters = "ranks" in body, ranked_measure(body), body.get("columns", [])
    offered = offered_columns(parameters, ranks_measurement=ranks_measurement)
    shown_columns = chosen_columns(request.GET, offered)
    written_columns = written_choice(shown_columns, offered)
    if request.GET.getlist(COLUMNS_NAME) != [text for text in [written_columns] if text]:
        return redirect(_with_columns(request, written_columns))
    choice = {KEPT: kept_ids(request.GET)} | ({COLUMNS_NAME: written_columns} if written_columns else {})
    per = study_query.single_choice(request.GET, "per", DIVISORS)
    assumed = load_assumed_ranks(stored_list) if study_query.parse_assumption(request.GET) else None
    summary = summarise_list(stored_list)
    try:
        page, problem = entries_page(stored_list, request, summary, per), None
    except filters.InvalidValue as error:
        page, problem = Paginator([], PAGE_ROWS).get_page(1), error
    divides = bool(per) and not ranks_measurement
    rows = table_rows(
        list(map(_divide_halves, page.object_list)) if divides else page.object_list,
        summary.axis,
        ranges=summary.ranges,
        parameters=[row for row in parameters if row["parameter"] in shown_columns],
        ranks_measurement=ranks_measurement,
        assumed=assumed,
        shown_columns=shown_columns,
    )
    context = {
        "section": "lists",
        "list": stored_list,
        "release": stored_list.release,
        "release_note": _note_beside_completeness(stored_list.release),
        "label": join_caveat(stored_list.trust, list_caveat(stored_list.violating)),
        **list_tabs(stored_list, ranks["tool"]),
        "ranks": ranks,
        "ranks_measurement": ranks_measurement,
        "parameters": parameters,
        "offered_columns": offered,
        "shown_columns": shown_columns,
        "always": ALWAYS,
        "unfiltered": _encode(choice),
        "ranked_here": body.get("pool") == "release",
        "summary": summary,
        "assumed": assumed,
        "assumption": assumed and assumed.describe_assumption(),
        "per": per if divides else "",
        "divisor": DIVISORS.get(per, ""),
        "divisors": DIVISORS.items(),
        "undivided": sum(not entry[DIVISOR] for entry in page.object_list) if divides else 0,
        "query": query,
        "problem": problem,
        **form_context(_filter_fields(query, summary, problem)),
        "rows": rows,
        "scale": axis_text(summary.axis),
        "missing": f">{numbers.MISSING}<" in rows,
        "archived": ARCHIVED in rows,
        "explains_marks": MARK_LINK in rows or "reproduced" in query,
        "reconstructed_as": reconstruction_name(stored_list),
        "has_io500_columns": ranks["tool"] == SCORED,
        "source_address": source_links.address_of_list(stored_list),
        "list_address": source_links.list_address(release, name) if stored_list.trust == Result.Trust.IMPORTED else "",
        "counts": {
            "entries": numbers.pluralize(summary.entries, "entry", "entries"),
            "institutions": numbers.pluralize(summary.institutions, "institution"),
            "new": numbers.format_int(summary.new),
        },
        "page": page,
        "page_links": page_links(page, query | choice),
        "heads": column_heads(query | choice),
        "orders": [
            (f"-{key}", words) for key, (words, _) in SORTABLE.items() if not (ranks_measurement and key in HALVES)
        ],
        "chart": vega.top_entries(
            f"First entries of {stored_list}",
            page.object_list,
            f"{ranks['title'].lower()}, {ranks['unit'] or 'no unit'}",
        ),
    }
    work = cited_facts.list_work(stored_list) if stored_list.frozen_at else None
    if work:
        context |= cited_facts.citation_block(work, f"/api/v1/lists/{release}/{name}/citation/")
        context["dataset"] = schema_org.script_tag(
            schema_org.list_dataset(work, ranks, source_links.links_of_list(stored_list), f"{release}/{name}")
        )
    if problem is None:
        empty = not page.object_list
        context["unknown_values"] = unknown_values.explain_empty_list(stored_list, request.GET, empty=empty)
    response = render(request, "lists/list.html", context, status=problem.status if problem else 200)
    if work and stored_list.frozen_at:
        api = f"{work.home}api/v1/lists/{release}/{name}/"
        items = {api: "application/json", f"{api}?format=csv": "text/csv"}
        response["Link"] = schema_org.signposts(work, f"{api}citation/", items)
        moments = (stored_list.frozen_at, stored_list.last_withdrawal, stored_list.last_identity, stored_list.last_mark)
        changed = max(filter(None, moments))
        response["Last-Modified"] = http_date(changed.timestamp())
    return response


def _with_columns(request: HttpRequest, written_columns: str) -> str:
    """The address of this page with its choice of columns written the one way."""
    query = request.GET.copy()
    query.setlist(COLUMNS_NAME, [written_columns] if written_columns else [])
    encoded = query.urlencode(safe=",")
    return f"{request.path}?{encoded}" if encoded else request.path


def _encode(query: Mapping[str, Any]) -> str:
    return urlencode(query, doseq=True, safe=",")


def _filter_fields(query: dict[str, str], summary: Summary, refusal: Problem | None) -> list[Field]:
    choices = {
        "filesystem_type": [(family, f"{family} ({count})") for family, count in summary.families],
        "reproduced": REPRODUCED_CHOICES,
    }
    texts = {
        "q": {"label": "Search this list", "placeholder": "e.g. Cambridge"},
        "filesystem_type": {"every": f"all ({summary.entries})"},
    }
    return filter_fields(filters.ENTRY_FILTERS, query, choices, texts, refusal)


def list_tabs(ranked_list: RankedList, tool: str) -> dict[str, Any]:
    """Lists of the release that rank the same tool, and the first one with an entry of each other tool."""
    ranked_lists = public_record.ranked_lists().filter(release=ranked_list.release)
    rows = list(ranked_lists.values("name", "title", "length", tool=F("definition__body__ranks__tool")))
    other: dict[str, Any] = {}
    for row in rows:
        if (row["tool"] or SCORED) != tool and row["length"]:
            other.setdefault(row["tool"] or SCORED, row)
    return {"tabs": [row for row in rows if (row["tool"] or SCORED) == tool], "other_tools": other.items()}


def entries_page(ranked_list: RankedList, request: HttpRequest, summary: Summary, per: str) -> Page[dict[str, Any]]:
    """The rows asked for, as plain dictionaries. Raises InvalidValue."""
    condition = filters.parse_conditions(request.GET, filters.ENTRY_FILTERS)
    entries = public_record.list_entries(ranked_list, condition)
    if per:
        entries = entries.annotate(**{DIVISOR: _divisor_of(per)})
    order = _column_order(request.GET.get("ordering", ""), divides=bool(per))
    shows_parameters = ranked_list.definition is not None and "columns" in ranked_list.definition.body
    columns = (*COLUMNS, "result__parameters") if shows_parameters else COLUMNS
    columns = (*columns, DIVISOR) if per else columns
    computed = {"low": "rank_low", "high": "rank_high", "reproduced": "reproduced"}
    computed_columns = {name: public_record.ENTRY[column] for name, column in computed.items()}
    rows = entries.order_by(*order).values(*columns, **computed_columns)
    paginator = Paginator(rows, PAGE_ROWS)
    if not condition:
        paginator.count = summary.entries
    page = paginator.get_page(request.GET.get("page"))
    if not condition and order == ["position"]:
        # By position the last page costs what the first does; by offset all rows before it are read.
        page.object_list = rows.filter(position__range=(page.start_index(), page.end_index()))
    page.object_list = list(page.object_list)
    return page


def _divisor_of(per: str) -> Any:
    """Of an entry what it is divided by: client nodes as the list or the result has them, servers as its facts do."""
    if per == PER_CLIENT:
        return NullIf(Coalesce("client_nodes", "result__client_nodes"), Value(0))
    facts = Fact.objects.order_by().filter(result=OuterRef("result"), name=find_axis(PER[per]).name)
    return Subquery(facts.annotate(value=positive_or_null("number")).values("value")[:1])


def _divide_halves(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry with the halves of its score divided; missing where nothing is known to divide by."""
    by = entry[DIVISOR]
    return entry | {name: entry[name] / by if by and entry[name] is not None else None for name in HALVES}


def _column_order(ordering: str, *, divides: bool = False) -> list[Any]:
    """Columns to order by; an ordering that is not known is that of the list."""
    if ordering == "-score" or ordering.removeprefix("-") not in SORTABLE:
        return ["position"]
    column: Any = F(SORTABLE[ordering.removeprefix("-")][1])
    if divides and ordering.removeprefix("-") in HALVES:
        column = column / F(DIVISOR)
    return [column.desc(nulls_last=True) if ordering.startswith("-") else column.asc(nulls_last=True), "position"]


def summarise_list(ranked_list: public_record.DatedList) -> Summary:
    """Of a frozen list the summary changes with its ranges only: it is kept under its digest and the last load."""
    if ranked_list.digest:
        return cached_value(
            f"list-summary-7:{ranked_list.pk}:{ranked_list.digest}:{ranked_list.last_load}",
            lambda: _make_summary(ranked_list),
        )
    return _make_summary(ranked_list)


def _make_summary(ranked_list: RankedList) -> Summary:
    columns = ("score", "new", "institution", "family", "range__low", "system_name")
    rows = list(
        ListEntry.objects.filter(ranked_list=ranked_list)
        .annotate(family=FAMILY)
        .values_list(*columns, public_record.ENTRY["rank_low"], public_record.ENTRY["rank_high"])
    )
    families = Counter(family for _, _, _, family, *_ in rows if family)
    scores = [(score, is_new) for score, is_new, *_ in rows]
    leader = max(rows, key=lambda row: row[0])[columns.index("system_name")] if rows else ""
    return Summary(
        entries=len(rows),
        institutions=len({institution for _, _, institution, *_ in rows if institution}),
        new=sum(is_new for _, is_new, *_ in rows),
        families=sorted(families.items(), key=lambda pair: (-pair[1], pair[0].casefold())),
        ranges=any(low != high for *_, low, high in rows),
        unrepeated=sum(by_repeats is None for *_, by_repeats, _, _, _ in rows),
        axis=list_charts.row_axis([score for score, _ in scores]),
        wide=list_charts.draw_strip(scores, width=600, height=150, radius=4.5, kind="wide", leader=leader),
        thin=list_charts.draw_strip(scores, width=358, height=150, radius=3.3, kind="thin", leader=leader),
    )


def axis_text(axis: scales.LogAxis | None) -> str:
    """The head of the column of dots: "1 to 100,000, log"."""
    if axis is None:
        return ""
    ends = axis.ticks
    return f"{ends[0][1]} to {ends[-1][1]}, log"


def column_heads(query: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """For each column that sorts: the link that sorts by it (highest first, then lowest first) and its aria-sort."""
    current = query.get("ordering", "-score")
    links = {}
    for key in SORTABLE:
        ordering = key if current == f"-{key}" else f"-{key}"
        state = {f"-{key}": "descending", key: "ascending"}.get(current, "")
        links[key] = {"href": "?" + _encode({**query, "ordering": ordering}), "sort": state}
    return links


def page_links(page: Page[dict[str, Any]], query: Mapping[str, Any]) -> dict[str, str]:
    """Addresses of the page before and after, where there are any."""
    links = {}
    if page.has_previous():
        links["previous"] = "?" + _encode({**query, "page": page.previous_page_number()})
    if page.has_next():
        links["next"] = "?" + _encode({**query, "page": page.next_page_number()})
    return links
