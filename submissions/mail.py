"""Letters: what became of submissions, and steps in the numbers of systems that somebody follows.

Mail travels in the open, so a subject says nothing of what a submission measured, by whom or where. Steps are public.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string

from registry.models import Step
from registry.over_time import steps
from registry.views import numerals, series
from submissions import states
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


def send(account: Account, events: Sequence[Event], moved: Sequence[Step]) -> None:
    """One letter about these events, the latest state of each submission, and these steps.

    Raises OSError, SMTPException.
    """
    latest = {(event.submission_id, states.is_note(event)): event for event in events}.values()
    told = [(event, event.submission, _became(event)) for event in latest]
    systems = _by_system(moved)
    subject = "Highwater: " + ", and ".join(filter(None, [_news(told), _steps(systems)]))
    context = {"account": account, "told": told, "systems": systems, "site": settings.SITE_URL}
    body = render_to_string("mail/news.txt", context)
    headers = {"Auto-Submitted": "auto-generated"}
    EmailMessage(subject, body, settings.EMAIL_FROM, [account.email], headers=headers).send()


def _news(told: Sequence[tuple[Event, Any, str]]) -> str:
    ids = {event.submission_id for event, _, _ in told}
    if len(ids) != 1:
        return f"news of {len(ids)} of your submissions" if ids else ""
    event, _, became = told[-1]
    return f"your submission {str(event.submission_id)[:8]} {became}"


def _became(event: Event) -> str:
    return "has news" if states.is_note(event) else BECAME[State(event.to_state)]


def _by_system(moved: Sequence[Step]) -> list[dict[str, Any]]:
    """Name, slug and sentences on the steps of each system."""
    ordered = sorted(moved, key=lambda step: (step.system.slug, step.day, step.pk))
    return [
        {"name": " ".join(str(system).split()), "slug": system.slug, "steps": [_sentence(step) for step in found]}
        for system, found in groupby(ordered, key=lambda step: step.system)
    ]


def _sentence(step: Step) -> str:
    told = series.sentence_on(series.in_words(steps.row_of(step)))
    return f"{step.day}: {told}".replace(numerals.NO_BREAK, " ")


def _steps(systems: Sequence[dict[str, Any]]) -> str:
    if not systems:
        return ""
    counted = numerals.counted(sum(len(one["steps"]) for one in systems), "step").replace(numerals.NO_BREAK, " ")
    return f"{counted} on {systems[0]['name'] if len(systems) == 1 else f'{len(systems)} systems'}"
