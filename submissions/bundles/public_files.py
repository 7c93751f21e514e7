"""Which files the public copy of a submission holds: what a benchmark read, and what its people agreed to.

Rules of scrubbing know a name only where something gives it away. A result file has a form, and is scrubbed by it; a
job script or a log may hold anything. So these stay private until somebody who may has answer what is marked in them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from submissions.bundles import file_viewer
from submissions.bundles.cage import archive_view
from submissions.bundles.suspicious_words import Mark
from submissions.errors import StateConflict
from submissions.lifecycle import states, task_queue
from submissions.models import Account, CopyAgreement, ScrubbedCopy, State, Submission
from submissions.permissions import require_own

AGREEABLE = (State.CHECKED, State.INVALID, State.CHANGES_REQUESTED, State.SUBMITTED)
"""While nobody reviews it: reviewers see the copy that is published."""
MOST_FILES = archive_view.MOST_FILES
_CHANGED = "Its files changed meanwhile. Look at them again."


@dataclass(frozen=True, slots=True)
class Offered:
    """A text that no benchmark read: whether it is agreed to, and the words to look at; None where none were marked."""

    path: str
    size: int
    agreed: bool
    marks: list[Mark] | None


def agreed_paths(submission: Submission) -> frozenset[str]:
    """The files that were agreed to, of the version that is current."""
    row = CopyAgreement.objects.filter(submission=submission, version=submission.version).first()
    return frozenset(row.paths) if row else frozenset()


def read_paths(submission: Submission) -> frozenset[str] | None:
    """The files that the latest check of this version read; None where it is not known of it."""
    check = submission.checks.filter(version=submission.version).first()
    return None if check is None or check.read_files is None else frozenset(check.read_files)


def offered_files(submission: Submission) -> list[Offered]:
    """What could stand in the copy beside what was read, with the words that a person should look at.

    Raises as `file_viewer.look_into` does.
    """
    agreed, read = agreed_paths(submission), read_paths(submission) or frozenset()
    answer = file_viewer.look_into(submission, archive_view.offer_texts, read=sorted(read))
    return [
        Offered(
            row["path"],
            row["size"],
            row["path"] in agreed,
            None if row["marks"] is None else [Mark(**mark) for mark in row["marks"]],
        )
        for row in answer["files"]
    ]


def agree_to_files(
    submission: Submission, account: Account, paths: Collection[str], version: int | None = None
) -> None:
    """Let exactly these files stand in the public copy, too. None of them takes every agreement back.

    `version` is that of the files which somebody looked at; another one must be looked at again. The copy is made anew.
    Raises NotYours for another's, StateConflict where the files have changed since, NoSuchFile for an unknown one.
    """
    require_own(account, submission)
    states.require_state(submission, AGREEABLE)
    if version is not None and version != submission.version:
        raise StateConflict(_CHANGED)
    if paths:
        file_viewer.look_into(submission, archive_view.require_texts, texts=sorted(set(paths)))
    with transaction.atomic():
        row = Submission.objects.select_for_update().get(pk=submission.pk)
        states.require_state(row, AGREEABLE)
        if row.version != submission.version:
            raise StateConflict(_CHANGED)
        if agreed_paths(row) == frozenset(paths):
            return
        CopyAgreement.objects.update_or_create(
            submission=row,
            defaults={
                "version": row.version,
                "paths": sorted(paths),
                "account": account,
                "agreed_at": timezone.now(),
            },
        )
        ScrubbedCopy.objects.filter(submission=row).delete()
        if row.state == State.SUBMITTED:
            task_queue.enqueue_after_commit("prepare_review", row.pk)
