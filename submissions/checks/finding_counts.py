"""The findings of a submission that count: gathered and counted in one place, for pages, lists, the API and mail.

Those of the archive, of the run that counts, and of the scrubbed copy, as the latest check and the copy have them now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from django.db.models import F, Func, JSONField, OuterRef, QuerySet, Subquery

from submissions.bundles import scrubbed_copy
from submissions.models import Check, Submission
from validators.findings import LEVELS

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Counted:
    """How many of each level; in full the levels that are worth a word."""

    errors: int
    warnings: int


if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class InReport(TypedDict):
        in_report: dict[str, Any] | None

    class InScores(TypedDict):
        in_scores: dict[str, Any] | None

    ReportedSubmission = WithAnnotations[Submission, InReport]
    ScoredSubmission = WithAnnotations[Submission, InScores]


def list_findings(submission: Submission, report: Mapping[str, Any]) -> list[Row]:
    """Worst first; where it is not clear which run counts, those of all runs, each with the index of its `run`."""
    primary = chosen_run(submission, report)
    runs = report.get("runs", [])
    if primary is not None:
        of_runs = runs[primary].get("findings", [])
    else:
        of_runs = [finding | {"run": index} for index, run in enumerate(runs) for finding in run.get("findings", [])]
    findings = [*report.get("findings", []), *of_runs, *scrubbed_copy.copy_findings(submission)]
    return sorted(findings, key=lambda finding: LEVELS.index(finding["level"]))


def count_findings(submission: Submission, report: Mapping[str, Any] | None) -> Counted | None:
    """None where it was not checked."""
    return count_report(submission, report) if report else None


def count_report(submission: Submission, report: Mapping[str, Any]) -> Counted:
    """How many findings a report has of each level."""
    levels = [finding["level"] for finding in list_findings(submission, report)]
    return Counted(levels.count("error"), levels.count("warning"))


def chosen_run(submission: Submission, report: Mapping[str, Any]) -> int | None:
    """Index of the run that counts: the submitter's choice where there is one, else what the check found."""
    chosen = submission.chosen_primary
    if chosen is not None and 0 <= chosen < len(report.get("runs", [])):
        return chosen
    return report.get("primary")


def with_reports(submissions: QuerySet[Submission]) -> QuerySet[ReportedSubmission]:
    """Rows with `in_report`, the part of the latest report that `counted` reads: a whole one may have megabytes."""
    latest = Check.objects.filter(submission=OuterRef("pk")).order_by("-made_at", "-id")
    part = Subquery(latest.annotate(part=_Part(F("report"))).values("part")[:1])
    return submissions.annotate(in_report=part).select_related("derivative").defer("derivative__files")


def with_scores(submissions: QuerySet[Submission]) -> QuerySet[ScoredSubmission]:
    """Rows with `in_scores`, the part of the latest report that `score_of` reads; null where it was not checked."""
    latest = Check.objects.filter(submission=OuterRef("pk")).order_by("-made_at", "-id")
    return submissions.annotate(in_scores=Subquery(latest.annotate(part=_Scores(F("report"))).values("part")[:1]))


def score_of(submission: Submission, report: Mapping[str, Any] | None) -> float | None:
    """The score of the run that counts, without unit; None where it has none, or it is not clear which run counts."""
    if not report or (primary := chosen_run(submission, report)) is None:
        return None
    score = (report["runs"][primary].get("scores") or {}).get("SCORE") or {}
    value: float | None = score.get("value")
    return value


class _Part(Func):
    """Of a report what holds findings, in its own shape."""

    template = (
        "jsonb_build_object('findings', %(expressions)s->'findings', 'primary', %(expressions)s->'primary', 'runs', "
        "(SELECT coalesce(jsonb_agg(jsonb_build_object('findings', run->'findings')), '[]') "
        "FROM jsonb_array_elements(%(expressions)s->'runs') run))"
    )
    output_field = JSONField()


class _Scores(Func):
    """Of a report what holds scores, in its own shape."""

    template = _Part.template.replace("findings", "scores")
    output_field = JSONField()
