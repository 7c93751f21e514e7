"""The public copy made before it is submitted, for its people to look at; the worker makes it."""

from __future__ import annotations

from registry.errors import Unavailable
from submissions.bundles import scrubbed_copy
from submissions.errors import StateConflict
from submissions.lifecycle import states, task_queue
from submissions.models import Account, ScrubbedCopy, State, Submission
from submissions.permissions import require_own

PREVIEWED = (State.CHECKED, State.CHANGES_REQUESTED)
"""Whatever is submitted gets its copy without being asked."""


def request_copy(submission: Submission, account: Account) -> None:
    """Let the worker make the copy, if there is none.

    Raises NotYours for another's, StateConflict for a test upload and in other states, Unavailable while the broker
    is away.
    """
    require_own(account, submission)
    states.require_state(submission, PREVIEWED)
    if submission.test:
        raise StateConflict("A test upload is never published, and has no public copy.")
    if ScrubbedCopy.objects.filter(submission=submission).exists():
        return
    if not task_queue.enqueue("make_copy", str(submission.pk)):
        raise Unavailable("No worker is available to make the copy at the moment.")


def make_requested_copy(submission_id: str) -> None:
    """Make the copy; nothing where its state changed since, or it went."""
    submission = Submission.objects.filter(pk=submission_id, state__in=PREVIEWED, test=False).first()
    if submission is not None:
        scrubbed_copy.ensure_scrubbed_copy(submission)
