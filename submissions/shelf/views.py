"""The pages of the shelf: its runs with their groups, and one run with whom it is shared."""

from __future__ import annotations

import datetime as dt
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from registry.errors import Problem
from registry.presentation import words
from registry.query import cursor_pages, public_record
from registry.query.questions.filters import InvalidValue, whole_id
from registry.query.questions.id_lists import several_ids
from registry.query.questions.study_query import single_value
from submissions.errors import ShelfRefused
from submissions.models import State
from submissions.shelf import groups, overview, scope
from submissions.shelf.sources import shelf_source
from submissions.web.page_base import private_page
from submissions.web.request_account import account_of
from validators import catalogue
from validators.quantities import label_statistic

PAGE_ROWS = 100


@require_safe
@private_page
def shelf_page(request: HttpRequest) -> HttpResponse:
    """Checked runs of the account's institutions, and those shared with it."""
    return _shelf_page(request)


def _shelf_page(request: HttpRequest, problem: Problem | None = None) -> HttpResponse:
    account, query = account_of(request), request.GET
    condition = scope.listed_condition(query)
    runs = overview.listed_runs(account, condition)
    page = cursor_pages.take_objects(runs, overview.NEWEST, query.get("cursor", ""), PAGE_ROWS)
    projects, labels = groups.known_groups(account)
    groups_asked = scope.groups_of(query)
    chosen = {name: single_value(query, name) for name in scope.LISTED_NAMES}
    narrowed = urlencode({name: value for name, value in chosen.items() if value})
    following = "&".join(filter(None, [narrowed, urlencode({"cursor": page.cursor or ""})]))
    context = chosen | {
        "section": "shelf",
        "rows": [row | _row_words(row) for row in overview.shelf_rows(account, page.rows)],
        "projects": projects,
        "labels": labels,
        "tools": [(tool, catalogue.tool_name(tool)) for tool in overview.listed_tools(account)],
        "narrowed": narrowed,
        "grouped": f"?{urlencode(groups_asked)}" if groups_asked else "",
        "chosen_words": f"runs with {' and '.join(scope.group_words(groups_asked))}" if groups_asked else "all of them",
        "matching": runs.count() if condition else 0,
        "following": f"?{following}" if page.cursor else "",
        "problem": problem,
    }
    return render(request, "shelf/shelf.html", context, status=problem.status if problem else 200)


@require_safe
@private_page
def run_page(request: HttpRequest, id: UUID) -> HttpResponse:
    """One run of the shelf."""
    return _run_page(request, id)


def _run_page(request: HttpRequest, run_id: UUID, problem: Problem | None = None) -> HttpResponse:
    account = account_of(request)
    shelf_run = groups.find_run(overview.listed_runs(account, None), run_id)
    source = shelf_source([shelf_run.pk], with_record=False)
    result = public_record.find_result(str(run_id), source)
    row = overview.shelf_rows(account, [shelf_run])[0]
    context = {
        "section": "shelf",
        "row": row | _row_words(row),
        "system": result.system,
        "measurements": [_number_words(row) for row in public_record.list_measurements(result, source)],
        "problem": problem,
    }
    return render(request, "shelf/run.html", context, status=problem.status if problem else 200)


def _row_words(row: dict[str, Any]) -> dict[str, str]:
    """Benchmark and state of a run in words."""
    return {"tool_name": catalogue.tool_name(row["tool"]), "state_label": State(row["state"]).label}


def _number_words(row: dict[str, Any]) -> dict[str, str]:
    """A number in the unit in which it is read, with what it is in words."""
    statistic = "" if row["stat"] == "phase" else label_statistic(row["stat"])
    unit = words.best_unit([row], row["unit"])
    parts = (words.label_quantity(row), statistic, words.describe_context(row["context"]))
    return {
        "operation": words.label_operation(row),
        "quantity": " ".join(filter(None, parts)),
        "value": words.format_in_unit(row["value"], unit),
        "unit": words.shown_unit(unit),
    }


@require_POST
@private_page
def group_runs(request: HttpRequest) -> HttpResponse:
    """Set project and labels of the chosen runs."""
    ids = _chosen_ids(request)
    of_one = "one" in request.POST  # then what is left empty is taken away; of several runs it stays
    project, labels = request.POST.get("project", ""), request.POST.get("labels", "")
    words = project if project or of_one else None, labels.split(",") if labels or of_one else None
    try:
        if not of_one and not project and not labels:
            raise InvalidValue("project", "type a project or labels")
        if "matching" in request.POST:
            groups.group_matching(account_of(request), scope.listed_condition(request.GET), *words)
        elif ids:
            groups.group_runs(account_of(request), ids, *words)
        else:
            raise InvalidValue("results", "choose at least one run")
    except (ShelfRefused, InvalidValue) as problem:
        return _run_page(request, ids[0], problem) if of_one and ids else _shelf_page(request, problem)
    narrowed = request.GET.urlencode()
    return redirect(f"/shelf/runs/{ids[0]}/" if of_one else f"/shelf/?{narrowed}" if narrowed else "/shelf/")


@require_POST
@private_page
def compare_chosen(request: HttpRequest) -> HttpResponse:
    """The way to the comparison of the chosen runs: its address has their ids, and nothing else of the form."""
    try:
        ids = _chosen_ids(request)
    except InvalidValue as problem:
        return _shelf_page(request, problem)
    return redirect(f"/shelf/{scope.ALL}/compare/?results={','.join(map(str, ids))}")


def _chosen_ids(request: HttpRequest) -> list[UUID]:
    """The runs that a form of the shelf names. Raises InvalidValue."""
    return [whole_id("results", text) for text in several_ids(request.POST, "results")]


@require_POST
@private_page
def share_run(request: HttpRequest, id: UUID) -> HttpResponse:
    """Share a run with an account until the end of a day."""
    account = account_of(request)
    try:
        groups.share_run(account, id, request.POST.get("username", ""), _end_of_day(request.POST.get("until", "")))
    except ShelfRefused as problem:
        return _run_page(request, id, problem)
    return redirect(f"/shelf/runs/{id}/")


def _end_of_day(text: str) -> dt.datetime:
    """The last second of a day, in UTC. Raises ShelfRefused for what is no day."""
    try:
        day = dt.date.fromisoformat(text)
    except ValueError as error:
        raise ShelfRefused("Until when is a day: YYYY-MM-DD.", errors={"until": ["YYYY-MM-DD"]}) from error
    return dt.datetime.combine(day, dt.time(23, 59, 59), dt.UTC)


@require_POST
@private_page
def end_share(request: HttpRequest, id: UUID) -> HttpResponse:
    """End a share at once."""
    groups.end_share(account_of(request), id, request.POST.get("username", ""))
    return redirect(f"/shelf/runs/{id}/")
