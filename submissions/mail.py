"""Letters to submitters. A subject says nothing of what was measured, by whom or where: mail travels in the open."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string

from submissions.models import Account, Event, State

BECAME = {
    State.RECEIVED: "was received",
    State.CHECKED: "was checked",
    State.INVALID: "was checked, with errors",
    State.CHANGES_REQUESTED: "needs changes",
    State.ACCEPTED: "was accepted",
    State.REJECTED: "was rejected",
    State.PUBLISHED: "is published",
    State.WITHDRAWN: "was withdrawn",
}


def send(account: Account, events: Sequence[Event]) -> None:
    """One letter about all of these events, the latest of each submission. Raises OSError, SMTPException."""
    latest = list({event.submission_id: event for event in events}.values())
    told = [(event, event.submission, BECAME[State(event.to_state)]) for event in latest]
    subject = f"Highwater: news of {len(told)} of your submissions"
    if len(told) == 1:
        subject = f"Highwater: your submission {str(latest[0].submission_id)[:8]} {told[0][2]}"
    body = render_to_string("mail/submissions.txt", {"account": account, "told": told, "site": settings.SITE_URL})
    headers = {"Auto-Submitted": "auto-generated"}
    EmailMessage(subject, body, settings.EMAIL_FROM, [account.email], headers=headers).send()
