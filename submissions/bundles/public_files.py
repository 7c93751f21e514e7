"""Which files the public copy of a submission holds: what a benchmark read, and what its people agreed to.

Rules of scrubbing know a name only where something gives it away. A result file has a form, and is scrubbed by it; a
job script or a log may hold anything. So these stay private until somebody who may has seen what is marked in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from submissions.bundles import file_viewer, scrubbing, suspicious_words
from submissions.bundles.suspicious_words import Mark
from submissions.errors import NoSuchFile, StateConflict
from submissions.lifecycle import states, task_queue
from submissions.models import Account, CopyAgreement, ScrubbedCopy, State, Submission
from submissions.permissions import require_own
from validators.bundle import Bundle
from validators.scrubbing import personal

AGREEABLE = (State.CHECKED, State.INVALID, State.CHANGES_REQUESTED, State.SUBMITTED)
"""While nobody reviews it: reviewers see the copy that is published."""
MOST_FILES = 500
MARKED_BYTES = 8 * 1024 * 1024
"""Of all files together, smallest first, in which words are marked. What is larger has to be looked at elsewhere."""
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

    Raises UnreadableArchive, FileQuarantined, FileGone.
    """
    agreed, read = agreed_paths(submission), read_paths(submission) or frozenset()
    with file_viewer.open_archive(submission) as bundle:
        texts = scrubbing.texts_of(bundle)
        tags = scrubbing.tag_files(bundle, texts)
        others = [path for path in texts if path not in read and path not in tags]
        names = _names_in_texts(bundle, texts)
        marked, total = {}, 0
        for path in sorted(others, key=lambda path: (bundle.files[path].size, path)):
            total += bundle.files[path].size
            if total <= MARKED_BYTES:
                marked[path] = _marks_of_file(bundle, path, names)
        return [
            Offered(path, bundle.files[path].size, path in agreed, marked.get(path)) for path in others[:MOST_FILES]
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
    _require_offered(submission, paths)
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


def _require_offered(submission: Submission, paths: Iterable[str]) -> None:
    """Raises NoSuchFile for what is no text of the archive."""
    with file_viewer.open_archive(submission) as bundle:
        texts = set(scrubbing.texts_of(bundle))
    unknown = sorted(set(paths) - texts)
    if unknown:
        raise NoSuchFile(f"No text in it is called {unknown[0][:200]}.")


def _names_in_texts(bundle: Bundle, texts: Iterable[str]) -> personal.Names:
    names, total = personal.Names(), 0
    for path in texts:
        total += bundle.files[path].size
        if total <= MARKED_BYTES:
            names.learn(path, scrubbing.lines_of(bundle, path))
    return names


def _marks_of_file(bundle: Bundle, path: str, names: personal.Names) -> list[Mark]:
    scrubbed = personal.scrub_lines(path, scrubbing.lines_of(bundle, path), names, Counter())
    return list(suspicious_words.mark_words(scrubbed))
