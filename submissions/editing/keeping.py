"""Keep a draft or a test upload that would expire, as if it had been changed today."""

from __future__ import annotations

from django.db import transaction

from submissions.errors import StateConflict
from submissions.lifecycle import expiry, states
from submissions.models import Account, Submission
from submissions.permissions import require_own


def keep_longer(submission: Submission, account: Account) -> None:
    """Begin its clock anew, and note it in the history.

    Raises NotYours for another's, StateConflict for what does not expire, also where it just expired.
    """
    require_own(account, submission)
    with transaction.atomic():
        row = Submission.objects.select_for_update().get(pk=submission.pk)
        if not expiry.renew_time(row):
            kind = "A test upload" if row.test else "A submission"
            raise StateConflict(f"{kind} that is {row.get_state_display()} does not expire here.")
        states.note_event(row, account, f"Kept until {expiry.expires_at(row):%Y-%m-%d %H:%M} UTC at least.")
