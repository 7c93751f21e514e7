"""The runs of a shelf as rows, for the page and the API."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db.models import F, QuerySet

from registry.query import cursor_pages, public_record
from registry.results import page_lead
from submissions.models import Account, ShelfResult, ShelfRun
from submissions.shelf import scope
from submissions.shelf.sources import shelf_source
from submissions.web.formatting import name_of

LONGEST_NAME = 40
JOINED = ("submission__institution",)
NEWEST = cursor_pages.Order("-id", cursor_pages.plain_key("id"), descending=True, tie="id", tie_descending=True)


def listed_runs(account: Account, condition: Any) -> QuerySet[ShelfRun]:
    """The runs that an account may see, newest first; a condition on uploads, projects or labels asks its own alone."""
    runs = ShelfRun.objects.of_member(account).filter(condition) if condition else scope.visible_runs(account)
    return runs.select_related(*JOINED).prefetch_related("shares").order_by("-pk")


def listed_tools(account: Account) -> list[str]:
    """The benchmarks of the runs that the account's institutions have, by name. One query."""
    numbers = ShelfRun.objects.of_member(account).values("pk")
    tools = ShelfResult._default_manager.filter(pk__in=numbers).order_by("tool").values_list("tool", flat=True)
    return list(tools.distinct())


def brief_names(account: Account, ids: Collection[str]) -> dict[str, str]:
    """By id how a page names a run that the account may see: by the end of its path, else by its first digits.

    One query, none without ids. A path is for members of the institution.
    """
    own = ShelfRun.objects.of_member(account).filter(key__in=ids).exclude(run_key=None) if ids else ()
    return {id: id[:8] for id in ids} | {str(run.key): _end_of_path(run.run_path) for run in own}


def _end_of_path(path: str) -> str:
    """The file and two folders; of long names the end."""
    end = "/".join(path.split("/")[-3:])
    return end if len(end) <= LONGEST_NAME else f"…{end[1 - LONGEST_NAME :]}"


def shelf_rows(account: Account, runs: Iterable[ShelfRun]) -> list[dict[str, Any]]:
    """Rows of shelved runs. Groups and shares are for members of the institution. Three queries."""
    listed = list(runs)
    own_sites = set(account.memberships.values_list("institution", flat=True))
    results = _results_by_number([shelf_run.pk for shelf_run in listed])
    return [_shelf_row(shelf_run, results.get(shelf_run.pk, {}), own_sites) for shelf_run in listed]


def describe_run(account: Account, shelf_run: ShelfRun) -> dict[str, Any]:
    """The row of one run, with its system, settings and measurements."""
    source = shelf_source([shelf_run.pk], with_record=False)
    result = public_record.find_result(str(shelf_run.key), source)
    return shelf_rows(account, [shelf_run])[0] | {
        "system_slug": result.system.slug,
        "client_nodes": result.client_nodes,
        "parameters": result.parameters,
        "measurements": public_record.list_measurements(result, source),
    }


def _results_by_number(numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
    """By number of a run its benchmark, its score, and the leading numbers of one without a score in words."""
    rows = ShelfResult._default_manager.filter(pk__in=numbers).values("pk", "tool", "score", id=F("public_id"))
    results = {row["pk"]: row for row in rows}
    texts = page_lead.leading_texts(list(results.values()), shelf_source(numbers, with_record=False))
    return {pk: row | {"numbers": texts.get(row["id"], "")} for pk, row in results.items()}


def _shelf_row(shelf_run: ShelfRun, columns: dict[str, Any], own_sites: Collection[int]) -> dict[str, Any]:
    submission = shelf_run.submission
    is_own = submission.institution_id in own_sites
    return {
        "id": str(shelf_run.key),
        "submission": str(submission.pk) if is_own else None,
        "run": shelf_run.run_path if is_own and shelf_run.run_key else "",
        "name": name_of(submission),
        "institution": submission.require_institution().slug,
        "tool": columns.get("tool", ""),
        "score": columns.get("score"),
        "numbers": columns.get("numbers", ""),
        "state": submission.state,
        "received_at": submission.received_at,
        "project": shelf_run.project if is_own else "",
        "labels": shelf_run.labels if is_own else [],
        "is_own": is_own,
        "shares": [{"username": row.username, "until": row.until} for row in shelf_run.shares.all()] if is_own else [],
    }
