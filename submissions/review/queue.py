"""The review queue: what waits for a decision that an account may take, and what it may be narrowed to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from submissions.checks import finding_counts
from submissions.lifecycle import states
from submissions.models import Account, Assignment, Check, Submission
from submissions.permissions import conflicting_ids, own_and_merged_sites, visible_to

FILTERS = ("release", "list", "state", "institution", "tool", "assigned", "contradictions")
ME, NOBODY = "me", "nobody"

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class _LatestCheck(finding_counts.InReport):
        tool: str | None
        contradictions: int | None

    WaitingSubmission = WithAnnotations[Submission, _LatestCheck]


def review_queue(account: Account) -> QuerySet[WaitingSubmission]:
    """Longest waiting first, with `tool` and `contradictions` of the latest check, and the part that has findings."""
    waiting = visible_to(account).filter(state__in=states.UNDER_REVIEW)
    submissions = waiting.exclude(Q(account=account) | Q(institution__in=own_and_merged_sites(account).values("pk")))
    if tied := conflicting_ids(account, submissions):
        submissions = submissions.exclude(pk__in=tied)
    latest = Check.objects.filter(submission=OuterRef("pk")).order_by("-made_at", "-id")
    reported = finding_counts.with_reports(submissions).annotate(
        tool=Subquery(latest.values("tool")[:1]), contradictions=Subquery(latest.values("contradictions")[:1])
    )
    return reported.select_related("institution", "release", "account").order_by("submitted_at", "id")


def filter_queue(
    submissions: QuerySet[WaitingSubmission], filters: Mapping[str, str], account: Account
) -> QuerySet[WaitingSubmission]:
    """Those that have every value of `filters`, a mapping of FILTERS; a value that nothing has leaves nothing."""
    columns = {
        "release": "release__slug__iexact", "state": "state", "institution": "institution__slug", "tool": "tool"
    }  # fmt: skip
    active_filters = {name: value for name, value in filters.items() if name in FILTERS and value}
    submissions = submissions.filter(
        **{columns[name]: value for name, value in active_filters.items() if name in columns}
    )
    if "list" in active_filters:
        submissions = submissions.filter(lists__contains=[active_filters["list"]])
    if "contradictions" in active_filters:
        submissions = submissions.filter(contradictions__gt=0)
    if "assigned" in active_filters:
        submissions = submissions.filter(_assigned_to(active_filters["assigned"], account))
    return submissions


def _assigned_to(whom: str, account: Account) -> Q:
    assigned = Assignment.objects.filter(submission=OuterRef("pk"))
    if whom == NOBODY:
        return ~Q(Exists(assigned))
    name = account.username if whom == ME else whom
    return Q(Exists(assigned.filter(reviewer__username=name)))
