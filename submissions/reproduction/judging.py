"""Judge published runs against the results that they name: the mark is a row of the record, dated, and never changed.

Only what is published is judged, so an attempt that stays private leaves no trace in the record.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from registry.comparison.load import comparison_document
from registry.errors import Problem
from registry.log import recording
from registry.models import Reproduction, Result, Site
from registry.query import public_record
from registry.query.responses.reproduced_words import standing_marks
from registry.results.recipes.recipe import read_recipe
from submissions.models import Submission
from submissions.publication import anonymizer
from submissions.reproduction.independence import Independence, Span, find_common_members
from submissions.reproduction.numbers import choose_headline, compare_numbers
from submissions.reproduction.runs import have_a_run_in_common, list_runs, list_spans
from validators.recipes.musts import compare_musts
from validators.reproduction import agreement

log = logging.getLogger(__name__)
MOST_ROWS = 100
"""Of numbers and of differences: more of them tell nobody more."""
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(days=1)
"""How long until a run that could not be judged is tried again; each time twice as long."""
COPIED = "one of its runs is a run of another result, so nothing was run again"


def judge_due() -> int:
    """Judge what was published and names a result; how many. One that fails is logged and holds up no other."""
    now, judged = timezone.now(), 0
    joined = ("institution", "result__site", "reproduces__site")
    for submission in due_submissions(now).select_related(*joined).order_by("received_at", "pk"):
        try:
            with transaction.atomic():
                judge_run(submission)
            judged += 1
        except Exception as error:
            log.exception("%s was not judged", submission.pk)
            _keep_failure(submission, error, now)
    return judged


def due_submissions(now: datetime) -> QuerySet[Submission]:
    """What was published, names a result, and is not judged."""
    return Submission.objects.filter(
        Q(judging_due_at=None) | Q(judging_due_at__lte=now),
        reproduces__isnull=False,
        reproduces__erasure=None,
        reproduces__tool=F("result__tool"),
        result__erasure=None,
        result__reproduction=None,
    ).exclude(result=F("reproduces"))


def _keep_failure(submission: Submission, error: Exception, now: datetime) -> None:
    """Keep when it was tried, why it could not be judged, and when it is tried again."""
    wait = FIRST_WAIT
    if submission.judging_failed_at and submission.judging_due_at:
        wait = 2 * (submission.judging_due_at - submission.judging_failed_at)
    why = str(error) if isinstance(error, Problem) else f"the registry failed to compare both ({type(error).__name__})"
    Submission.objects.filter(pk=submission.pk).update(
        judging_failed_at=now, judging_due_at=now + min(wait, LONGEST_WAIT), judging_failure=why[:200]
    )


def judge_run(submission: Submission) -> Reproduction | None:
    """Hold a published run against the result that it names, once; None where it names none or was judged before."""
    result, original = submission.require_result(), submission.reproduces
    if original is None or Reproduction.objects.filter(pk=result.pk).exists():
        return None
    musts = compare_musts(read_recipe(original.public_id), read_recipe(result.public_id))
    numbers = compare_numbers(original.tool, *map(public_record.list_measurements, (original, result)))
    differing = comparison_document([original.public_id, result.public_id])["configuration"]
    outcome = agreement.combine_outcomes(row["outcome"] for row in numbers)
    headline = choose_headline(numbers, outcome)
    if _is_copied(submission, original):
        outcome, headline = agreement.CANNOT_TELL, {**headline, "why": COPIED}
    kind = _judge_kind(submission, original, all(row["matches"] for row in musts))
    mark = Reproduction(
        result=result,
        original=original,
        kind=kind,
        outcome=outcome,
        **{name: headline[name] for name in ("ratio", "low", "high", "why")},
        musts=musts,
        numbers=numbers[:MOST_ROWS],
        differences=[group | {"differences": group["differences"][:MOST_ROWS]} for group in differing],
        shares_members_with=_list_sharing(submission, original) if kind == Reproduction.Kind.REPRODUCED else [],
    )
    Reproduction.objects.bulk_create([mark], ignore_conflicts=True)
    recording.record_marks([result.pk], recording.PUBLISHED)
    return mark


def _is_copied(submission: Submission, original: Result) -> bool:
    """Whether a run of it is one of the original, or of what was judged against it before."""
    runs = list_runs(submission)
    return any(
        other.sha256 == submission.sha256 or have_a_run_in_common(runs, list_runs(other))
        for other in _list_others(submission, original)
    )


def _list_others(submission: Submission, original: Result) -> Iterator[Submission]:
    """What was uploaded of the original and of what was judged against it, without what this one revises."""
    former, mine = submission.revises, {submission.pk}
    while former is not None:
        mine.add(former.pk)
        former = former.revises
    of_original = Q(result=original) | Q(result__reproduction__original=original)
    yield from Submission.objects.filter(of_original, result__erasure=None).exclude(pk__in=mine).order_by("pk")


def _judge_kind(submission: Submission, original: Result, matches: bool) -> str:
    """What kind it is. Of one that is published without a name nothing is told that tells who ran it."""
    result = submission.require_result()
    if anonymizer.SLUG in (result.site.slug, original.site.slug):
        return Reproduction.Kind.UNKNOWN
    source = Submission.objects.select_related("institution").filter(result=original).first()
    institution = source.require_institution() if source else original.site
    own: Site = submission.require_institution()
    match find_common_members(institution, own, _list_spans(submission, source)):
        case Independence.SAME:
            return Reproduction.Kind.REPEATED
        case Independence.UNKNOWN:
            return Reproduction.Kind.UNKNOWN
    was_checked = original.trust in (Result.Trust.VERIFIED, Result.Trust.DERIVED)
    return Reproduction.Kind.REPRODUCED if matches and was_checked else Reproduction.Kind.REPLICATED


def _list_sharing(submission: Submission, original: Result) -> list[str]:
    """Public ids of what counts already and may be of an institution with a common member, or is known to be."""
    counted = standing_marks().filter(original=original, kind=Reproduction.Kind.REPRODUCED)
    others = Submission.objects.filter(result__reproduction__in=counted).select_related("institution", "result")
    own = submission.require_institution()
    return [
        other.require_result().public_id
        for other in others.order_by("result_id")
        if find_common_members(other.require_institution(), own, _list_spans(submission, other))
        != Independence.NONE_IN_COMMON
    ]


def _list_spans(*submissions: Submission | None) -> list[Span]:
    """Now, when each upload came here, and when each run ran by its own clock, which proves nothing by itself."""
    now = timezone.now()
    return [Span(now, now), *(span for submission in submissions if submission for span in list_spans(submission))]
