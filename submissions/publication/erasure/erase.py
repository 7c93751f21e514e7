"""An administrator erases a result on request, with all its revisions, and what was uploaded for them.

The history of a submission stays as it is, because it proves itself by hashes; what people wrote there as reasons is
read by the committee and the submitter alone. Bytes that another submission holds stay stored for that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.cache import cache
from django.db import transaction
from redis.exceptions import RedisError

from registry.loading import catalogue_loader, erasing
from registry.models import Erasure, Result
from registry.query import public_record, stored_bytes
from submissions.bundles import quarantine, storage
from submissions.lifecycle import private_records, states
from submissions.models import (
    Account,
    Anonymity,
    Check,
    Comment,
    CopyAgreement,
    DeadlineException,
    Disposition,
    Event,
    Judgement,
    Question,
    QuestionConsent,
    RecheckComparison,
    Review,
    ScrubbedCopy,
    SecretFile,
    ShelfRun,
    Signature,
    State,
    Submission,
    SubmittedSystem,
    Version,
)
from submissions.permissions import require_role
from submissions.publication import amendments

GONE = "Erased on request."
_MADE_OF_FILES = (Check, SubmittedSystem, ScrubbedCopy, CopyAgreement, RecheckComparison, Version, Signature, ShelfRun)
_WRITTEN_BY_PEOPLE = (Judgement, Disposition, Question, QuestionConsent, Anonymity, DeadlineException, SecretFile)


@dataclass(frozen=True, slots=True)
class ErasurePlan:
    """What an erasure takes out: results in the order of their revisions, submissions, and digests of stored files."""

    results: list[Result]
    submissions: list[Submission]
    received: set[str]
    copies: set[str]
    lists: list[str]
    reasons: int
    """Rows of the history with a reason; they stay."""


def plan_erasure(public_id: str) -> ErasurePlan:
    """What erasing this result would take out; nothing is changed. Raises NotOnRecord, ErasedFromRecord."""
    results = _all_revisions(public_record.find_result(public_id))
    submissions = _all_submissions(results)
    files = [{"sha256": submission.sha256} for submission in submissions if submission.sha256]
    files += [file for submission in submissions for file in submission.beside]
    former = Version.objects.filter(submission__in=submissions).values_list("files", flat=True)
    files += [file for version in former for file in version]
    copies = ScrubbedCopy.objects.filter(submission__in=submissions).values_list("sha256", flat=True)
    lists = {
        f"{entry.ranked_list.release.slug}/{entry.ranked_list.name}"
        for result in results
        for entry in result.entries.select_related("ranked_list__release")
    }
    return ErasurePlan(
        results=results,
        submissions=submissions,
        received={file["sha256"] for file in files},
        copies={*copies, *(result.public_sha256 for result in results if result.public_sha256)},
        lists=sorted(lists),
        reasons=Event.objects.filter(submission__in=submissions).exclude(reason="").count(),
    )


def erase_result(public_id: str, administrator: Account, category: str) -> ErasurePlan:
    """Erase a result with its revisions from the database, for good; `delete_bytes` of the plan is next.

    `category` is one of Erasure.Category. Raises Forbidden below administrator, NotOnRecord, ErasedFromRecord,
    ValueError for another category.
    """
    require_role(administrator, Account.Role.ADMIN)
    category = Erasure.Category(category)
    with transaction.atomic():
        amendments.lock_publication()
        catalogue_loader.lock_catalogue()
        plan = plan_erasure(public_id)
        for submission in plan.submissions:
            _close_submission(submission, administrator, category)
            _blank_submission(submission)
        private_records.forget_records(plan.submissions)
        private_records.forget_rankings(plan.results)
        erasing.erase_results(plan.results, category, administrator.username)
    _forget_cached()
    return plan


def delete_bytes(plan: ErasurePlan) -> list[str]:
    """Delete the stored bytes that nothing else holds; the digests of those that stay for another submission.

    Once no row names them, only the plan does. Raises StorageAway, or what the storage's library raises.
    """
    held = [sha256 for sha256 in sorted(plan.received) if not quarantine.delete_unless_held(sha256)]
    for sha256 in sorted(plan.copies):
        shared = ScrubbedCopy.objects.filter(sha256=sha256).exists() or Result.objects.filter(public_sha256=sha256)
        if shared:
            held.append(sha256)
        else:
            storage.remove_bytes(stored_bytes.key_of(sha256), storage.public_storage())
    return held


def _forget_cached() -> None:
    """Empty the cache, which may hold pages with the names; one that is away forgets by itself within a day."""
    try:
        cache.clear()
    except RedisError:
        return


def _all_revisions(result: Result) -> list[Result]:
    """The result, what it revises and what revises it, oldest first."""
    oldest = result
    while oldest.revises is not None:
        oldest = oldest.revises
    chain = [oldest]
    while (newer := Result.objects.filter(revises=chain[-1]).first()) is not None:
        chain.append(newer)
    return chain


def _all_submissions(results: Sequence[Result]) -> list[Submission]:
    """Those that the results came from, and every attempt to revise one of them."""
    published = Submission.objects.filter(result__in=results)
    attempts = Submission.objects.filter(revises__in=published)
    return list((published | attempts).order_by("received_at", "pk").distinct())


def _close_submission(submission: Submission, administrator: Account, category: Erasure.Category) -> None:
    """Into the state withdrawn, or a line of the history where it is closed already."""
    reason = f"{GONE} {category.label.capitalize()}."
    if submission.state in states.source_states(State.WITHDRAWN):
        states.transition(
            submission.pk, sorted(states.source_states(State.WITHDRAWN)), State.WITHDRAWN, administrator, reason
        )
    else:
        states.note_event(submission, administrator, reason)


def _blank_submission(submission: Submission) -> None:
    """Take out what was uploaded, declared, computed and written about it; who decided and when stays."""
    for kind in (*_MADE_OF_FILES, *_WRITTEN_BY_PEOPLE):
        kind._default_manager.filter(submission=submission).delete()
    comments = Comment.objects.filter(submission=submission)
    comments.update(answers=None)
    comments.delete()
    Review.objects.filter(submission=submission).update(reason=GONE, findings=[])
    reason = GONE if submission.revises_id else ""
    Submission.objects.filter(pk=submission.pk).update(
        filename="", sha256="", size=0, beside=[], metadata={}, answers={}, institution=None, revision_reason=reason
    )
