"""Release day: copy every accepted submission into the public record, then freeze the ranked lists, all or nothing.

A published release never changes: publishing again changes nothing. Of two editors at once one does it, and both see
the same outcome.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from registry.lists import listing
from registry.log import name_records, recording
from registry.models import RankedList, Release, Result
from submissions.bundles import scrubbed_copy
from submissions.errors import Forbidden, ReleaseInvalid, WouldBeEmpty
from submissions.lifecycle import states
from submissions.models import Account, State, Submission
from submissions.notifications import mail
from submissions.permissions import has_role
from submissions.publication import amendments, snapshot

log = logging.getLogger(__name__)

UNNAMED_OR_NAMED = Q(anonymity=None) | Q(anonymity__granted=True)


@dataclass(frozen=True, slots=True)
class PublicationSummary:
    """What a published release holds; `embargoed` accepted ones wait for their time."""

    release: str
    published_at: datetime
    results: int
    lists: list[dict[str, Any]]
    embargoed: int


@dataclass(frozen=True, slots=True)
class Foretold:
    """What publishing would freeze now: entries by list, and accepted runs that would become results.

    `unranked` are those that would not rank on a list, each with the list and why.
    """

    lists: dict[str, int]
    results: int
    unranked: tuple[tuple[UUID, str, str], ...] = ()

    @property
    def empty(self) -> list[str]:
        return [name for name, entries in self.lists.items() if not entries]


def publish_release(release: Release, editor: Account | None, *, allow_empty: bool = False) -> PublicationSummary:
    """Publish a release; None as editor is the scheduler, which looks for empty lists by itself.

    Raises Forbidden, ReleaseInvalid, and without `allow_empty` WouldBeEmpty; then nothing is published.
    """
    if editor is not None and not has_role(editor, Account.Role.EDITOR):
        raise Forbidden
    if release.imported:
        raise ReleaseInvalid(f"{release.name} is a copy of published lists; it is not published here.")
    for submission in _accepted_submissions(release=release, derivative=None):
        scrubbed_copy.ensure_scrubbed_copy(submission)  # outside the transaction: it may take seconds
    with transaction.atomic():
        amendments.lock_publication()
        release, now = Release.objects.select_for_update().get(pk=release.pk), timezone.now()
        published_at = release.published_at or now
        if release.published_at is None:
            frozen = _publish_locked(release, editor, now)
            if editor is not None and not allow_empty:
                _refuse_empty(frozen)
            recording.record_lists(release.ranked_lists.all(), recording.PUBLISHED)
        else:
            _add_late(release, editor, now)
        added = Result.objects.filter(release=release, published_at=now)
        added_ids = list(added.values_list("pk", flat=True))
        recording.record_results(added_ids, recording.PUBLISHED)
        name_records.record_names(name_records.names_of_results(added_ids), recording.PUBLISHED)
    return _publication_outcome(release, published_at)


def publication_checklist(release: Release) -> list[tuple[bool, str]]:
    """What an editor has to see to before publishing: whether it is done, and a sentence that is true as it stands."""
    submissions = Submission.objects.filter(release=release, test=False)
    waiting = submissions.filter(state__in=states.UNDER_REVIEW).count()
    sent_back = submissions.filter(state=State.CHANGES_REQUESTED).count()
    asking = submissions.filter(state=State.ACCEPTED).exclude(UNNAMED_OR_NAMED).count()
    accepted = _accepted_submissions(release=release)
    ready, unready = accepted.count(), accepted.filter(derivative=None).count()
    is_over = release.deadline is not None and release.deadline < timezone.now()
    return [
        (is_over, "The deadline has passed."
         if is_over else "The deadline has not passed: runs can still be submitted."),
        (not waiting, f"Submissions that wait for a review: {waiting}." if waiting else "Every submission is decided."),
        (not sent_back, f"Submissions with requested changes: {sent_back}."
         if sent_back else "No requested changes are open."),
        (not asking, f"Accepted submissions without a decision on anonymous publication: {asking}. They are left out."
         if asking else "Every request for anonymous publication is decided."),
        (bool(ready), f"Accepted submissions to be published: {ready}."
         if ready else "No accepted submission can be published now."),
        (not unready, f"Accepted submissions without a scrubbed copy: {unready}. Publishing makes it."
         if unready else "Every accepted submission has its scrubbed copy."),
    ]  # fmt: skip


@contextmanager
def trial_publication(release: Release) -> Iterator[dict[str, UUID]]:
    """The record as publishing would make it, for as long as the block lasts; then everything is taken back.

    Gives the submission of each result that is not published yet, by the result's id, which is provisional.
    """
    with transaction.atomic():
        amendments.lock_publication()
        release = Release.objects.select_for_update().get(pk=release.pk)
        if release.published_at is None and not release.imported:
            _add_results(release, None, timezone.now())
        provisional = Submission.objects.filter(release=release, result__isnull=False).values_list(
            "result__public_id", "pk"
        )
        yield {} if release.published_at else dict(provisional)
        transaction.set_rollback(True)


def foretell_publication(release: Release) -> Foretold:
    """What publishing would freeze now; nothing is stored. Raises ListError."""
    with trial_publication(release) as unpublished:
        rankings = {name: listing.compute_list(release, name) for name in release.list_names}
        unranked = [
            (unpublished[exclusion.entry], name, exclusion.why)
            for name, ranking in rankings.items()
            for exclusion in ranking.exclusions
            if exclusion.entry in unpublished
        ]
        return Foretold(
            {name: len(ranking.rows) for name, ranking in rankings.items()}, len(unpublished), tuple(unranked)
        )


def publish_due() -> None:
    """Publish what the calendar says, for the scheduler; a failure is loud and tried again.

    What nobody looks at is not frozen empty: a release without an accepted run is left to its editors.
    """
    for release in due_releases(timezone.now()).order_by("publishes"):
        try:
            if release.published_at is None and not _accepted_submissions(release=release).exists():
                _leave_to_editors(release)
                continue
            was_called, outcome = release.published_at is None, publish_release(release, None)
            if was_called:
                _report_empty_lists(
                    release, [ranked_list["name"] for ranked_list in outcome.lists if not ranked_list["entries"]]
                )
        except Exception:
            log.exception("Publishing %s failed", release.slug)


def due_releases(now: datetime) -> QuerySet[Release]:
    """Those that the calendar publishes, and published ones with a run whose embargo is over."""
    called = Q(published_at=None, publishes__lte=now) & Q(publishes__lte=Now())  # both clocks say so
    embargo_over = Q(published_at__isnull=False, pk__in=_accepted_submissions(now).values("release"))
    return Release.objects.filter(called | embargo_over, imported=False)


@transaction.atomic
def _leave_to_editors(release: Release) -> None:
    """Take the date off that was planned, once, and tell the editors; OSError, SMTPException: tried again."""
    due = Release.objects.select_for_update().filter(pk=release.pk, published_at=None, publishes=release.publishes)
    if not due.exists():
        return
    due.update(publishes=None)
    recording.record_releases([release], recording.CHANGED)
    log.warning("%s was due and has no accepted run: it waits for an editor", release.slug)
    mail.mail_editors(release, [])


def _report_empty_lists(release: Release, empty: list[str]) -> None:
    if empty:
        log.warning("%s was published as planned, with empty lists: %s", release.slug, ", ".join(empty))
        mail.mail_editors(release, empty)


# One release, inside its transaction


def _accepted_submissions(now: datetime | None = None, **narrower: Any) -> QuerySet[Submission]:
    """Accepted ones whose embargo, if any, is over, in the order in which they were submitted.

    What asked to be anonymous waits until that is granted, or until its submitter agrees to be named.
    """
    submissions = Submission.objects.filter(UNNAMED_OR_NAMED, state=State.ACCEPTED, test=False, **narrower)
    return submissions.exclude(_under_embargo(now or timezone.now())).order_by("submitted_at", "id")


def _under_embargo(now: datetime) -> Q:
    """By the clock of this host or by that of the database: what one of them publishes too early stays public."""
    return Q(embargo_until__gt=now) | Q(embargo_until__gt=Now())


def _publish_locked(release: Release, editor: Account | None, now: datetime) -> Foretold:
    results = len(_add_results(release, editor, now))
    release.published_at = now
    release.save(update_fields=["published_at"])
    recording.record_releases([release], recording.PUBLISHED)
    lists = {name: listing.freeze_list(release, name, freeze=True).entries.count() for name in release.list_names}
    return Foretold(lists, results)


def _refuse_empty(frozen: Foretold) -> None:
    """Raises WouldBeEmpty, inside the transaction that froze them."""
    errors = {"lists": frozen.empty} if frozen.empty else {}
    reasons = [f"Without an entry: {', '.join(frozen.empty)}."] if frozen.empty else []
    if not frozen.results:
        reasons.append("No accepted run would become a result now.")
        errors["results"] = reasons[-1:]
    if errors:
        raise WouldBeEmpty(" ".join(reasons), errors=errors)


def _add_late(release: Release, editor: Account | None, now: datetime) -> None:
    """What waited for the end of an embargo or a word on anonymous publication enters the lists by amendment."""
    added = _add_results(release, editor, now)
    embargoed = set(
        Submission.objects.exclude(embargo_until=None).filter(result__in=added).values_list("result", flat=True)
    )
    for is_embargoed, why in ((True, "the embargo ended."), (False, "published later than the list.")):
        if entering := [result for result in added if (result.pk in embargoed) == is_embargoed]:
            amendments.add_embargoed(release, entering, why)


def _add_results(release: Release, editor: Account | None, now: datetime) -> list[Result]:
    """Copy what is accepted, also after the publication: what was under an embargo is returned, revisions are not."""
    accepted = _accepted_submissions(release=release).select_for_update(of=("self",))
    submissions = list(
        accepted.select_related("institution", "account", "anonymity", "revises__result", "revises__anonymity")
    )
    if submissions:
        snapshot.copy_to_record(release, submissions, now)
        states.transition_many(
            [submission.pk for submission in submissions], State.ACCEPTED, State.PUBLISHED, editor, f"{release.name}."
        )
    return [submission.require_result() for submission in submissions if submission.revises_id is None]


def _publication_outcome(release: Release, published_at: datetime) -> PublicationSummary:
    lists = RankedList.objects.filter(release=release).order_by("position", "name")
    waiting = Submission.objects.filter(_under_embargo(timezone.now()), release=release, state=State.ACCEPTED)
    return PublicationSummary(
        release.slug,
        published_at,
        Result.objects.filter(release=release).count(),
        [
            {"name": ranked_list.name, "entries": ranked_list.entries.count(), "digest": ranked_list.digest}
            for ranked_list in lists
        ],
        waiting.count(),
    )
