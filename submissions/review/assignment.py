"""Who is to decide about a submission: reviewers take it, editors give it to others; conflicts are refused.

The history, which nobody can change, tells who did it and names nobody else: an account may be erased.
"""

from __future__ import annotations

from django.db import transaction

from submissions.errors import Forbidden, NoReviewer, StateConflict
from submissions.lifecycle import states
from submissions.models import Account, Assignment, Submission
from submissions.permissions import has_role, require_review


def assign_submission(submission: Submission, actor: Account, reviewer: str = "") -> None:
    """Give it to a reviewer, by default to oneself; again changes nothing.

    Raises Forbidden, ConflictOfInterest (of either), NoReviewer, StateConflict.
    """
    whom = _find_reviewer(submission, actor, reviewer)
    with transaction.atomic():
        _require_open(submission)
        _, is_new = Assignment.objects.get_or_create(submission=submission, reviewer=whom)
        if is_new:
            states.note_event(submission, actor, "Taken." if whom == actor else "Assigned to another reviewer.")


def take_back(submission: Submission, actor: Account, reviewer: str = "") -> None:
    """Take it from a reviewer, by default from oneself. Raises what `assign` raises."""
    whom = _find_reviewer(submission, actor, reviewer)
    with transaction.atomic():
        _require_open(submission)
        if Assignment.objects.filter(submission=submission, reviewer=whom).delete()[0]:
            states.note_event(submission, actor, "Given back." if whom == actor else "Taken from another reviewer.")


def _find_reviewer(submission: Submission, actor: Account, name: str) -> Account:
    require_review(actor, submission)
    if name in ("", actor.username):
        return actor
    if not has_role(actor, Account.Role.EDITOR):
        raise Forbidden("Editors assign others; a reviewer assigns themselves.")
    whom = Account.objects.filter(username=name, is_active=True).first()
    if whom is None or not has_role(whom, Account.Role.REVIEWER):
        raise NoReviewer
    require_review(whom, submission)
    return whom


def _require_open(submission: Submission) -> None:
    """Locks the row: of an assignment and a decision at once, one comes after the other."""
    state = Submission.objects.select_for_update().values_list("state", flat=True).get(pk=submission.pk)
    if state not in states.UNDER_REVIEW:
        raise StateConflict(f"It is {state}, and nobody has to decide about it.")
