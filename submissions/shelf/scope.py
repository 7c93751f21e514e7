"""Whose runs a question is asked of, and which shelved ones the account that asks may see.

Decided here, and by ShelfRunQuerySet for members alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import F, Q, QuerySet
from django.http import QueryDict
from django.utils import timezone

from registry.query.questions.filters import InvalidValue, whole_id, without_names
from registry.query.questions.study_query import single_choice, single_value
from registry.query.row_sources import PUBLIC, RowSource
from submissions.models import Account, ShelfResult, ShelfRun, own_condition
from submissions.shelf.sources import shelf_source

RECORD, INSTITUTION, ALL = "public", "institution", "all"
SCOPES = (RECORD, INSTITUTION, ALL)
NAMES = ("scope", "project", "label")
"""Names of a query that say whose runs are asked; `project` and `label` narrow the shelved ones."""
MOST_RUNS = 10_000
"""Shelved runs that one question is asked of, newest first."""


def parse_scope(query: QueryDict, usual: str = RECORD) -> str:
    """The scope that a query names. Raises InvalidValue for another one, or two."""
    return single_choice(query, "scope", SCOPES) or usual


def visible_runs(account: Account, now: datetime | None = None) -> QuerySet[ShelfRun]:
    """Shelved runs of the account's institutions, and those shared with it that did not end yet.

    No role sees more, and who left an institution sees nothing of its shelf.
    """
    return ShelfRun.objects.on_shelf().filter(own_condition(account) | Q(pk__in=_shared_numbers(account, now)))


def _shared_numbers(account: Account, now: datetime | None) -> QuerySet[ShelfRun, Any]:
    return ShelfRun.objects.filter(shares__account=account, shares__until__gt=now or timezone.now()).values("pk")


def source_of(account: Account, query: QueryDict, usual: str = RECORD) -> RowSource:
    """What a question is asked of. One query, none for the public record.

    Beside the record a published run is not there twice. Projects and labels are those of the own institutions.
    Raises InvalidValue for another scope, and for a project or label that the record is asked for.
    """
    scope, grouped = parse_scope(query, usual), grouped_condition(query)
    if scope == RECORD:
        if grouped:
            raise InvalidValue("scope", f"{INSTITUTION} or {ALL}: the record has no projects and labels")
        return PUBLIC
    runs = visible_runs(account)
    if scope == ALL:
        runs = runs.filter(~Q(run_key=None) | Q(submission__result=None))
    if grouped:
        runs = runs.filter(own_condition(account), grouped)
    numbers = runs.order_by(F("pk").desc()).values_list("pk", flat=True)[:MOST_RUNS]
    return shelf_source(numbers, with_record=scope == ALL)


def grouped_condition(query: QueryDict) -> Q:
    """Runs of the project and with the label that a query names. Raises InvalidValue."""
    groups = groups_of(query)
    condition = Q(project__iexact=groups["project"]) if "project" in groups else Q()
    return condition & Q(labels__contains=[groups["label"]]) if "label" in groups else condition


def groups_of(query: QueryDict) -> dict[str, str]:
    """The project and the label that a query names. Raises InvalidValue for two of one."""
    named = {name: single_value(query, name) for name in ("project", "label")}
    return {name: value for name, value in named.items() if value}


def group_words(groups: Mapping[str, str]) -> list[str]:
    """The groups that a query names, in words: `project x`, `label y`."""
    return [f"{name} {value}" for name, value in groups.items()]


LISTED_NAMES = ("project", "label", "submission", "path", "tool")
"""Names of a query that narrow a list of the shelf to own runs."""


def listed_condition(query: QueryDict) -> Q:
    """Own runs of an upload, project or benchmark, with a label or a text in the path; empty without such a name.

    Raises InvalidValue.
    """
    upload, path = single_value(query, "submission"), single_value(query, "path")
    condition = grouped_condition(query)
    if upload:
        condition &= Q(submission=whole_id("submission", upload))
    if tool := single_value(query, "tool"):
        condition &= Q(pk__in=ShelfResult._default_manager.filter(tool=tool.lower()).values("pk"))
    if path:
        condition &= Q(run_path__icontains=path) | Q(submission__filename__icontains=path)
    return condition


def without_scope(query: QueryDict) -> QueryDict:
    """A query without the names that say whose runs are asked."""
    return without_names(query, NAMES)
