"""Letters: what became of submissions, and steps and unexpected runs of systems that somebody follows.

Mail travels in the open, so a subject says nothing of what a submission measured, by whom or where. Steps and
runs are public.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string

from registry.models import Release, RunVerdict, Step
from registry.presentation import numbers, verdict_words
from registry.query import run_verdict_rows
from registry.timeseries import detected_steps, views_series
from submissions.lifecycle import states
from submissions.models import Account, Event, State

STATE_PHRASES = {
    State.RECEIVED: "was received",
    State.CHECKED: "was checked",
    State.INVALID: "was checked, with errors",
    State.CHANGES_REQUESTED: "needs changes",
    State.ACCEPTED: "was accepted",
    State.REJECTED: "was rejected",
    State.PUBLISHED: "is published",
    State.WITHDRAWN: "was withdrawn",
}


def send_letter(
    account: Account, events: Sequence[Event], moved: Sequence[Step], runs: Sequence[RunVerdict] = ()
) -> None:
    """One letter about these events, the latest state of each submission, these steps and these unexpected runs.

    Raises OSError, SMTPException.
    """
    news = [event for event in events if event.submission.account_id == account.pk or not states.failure_of_ours(event)]
    latest = {(event.submission_id, states.is_note(event)): event for event in news}.values()
    changes = [(event, event.submission, _state_phrase(event)) for event in latest]
    failures = [(event, code) for event in events if (code := states.failure_of_ours(event)) and _is_operator(account)]
    systems = _by_system(moved)
    run_systems = _runs_by_system(runs)
    subject = "Highwater: " + ", and ".join(
        filter(
            None,
            [_failures_text(failures), _news_text(changes, account), _steps_text(systems), _runs_text(run_systems)],
        )
    )
    context = {
        "account": account,
        "changes": changes,
        "failures": failures,
        "systems": systems,
        "run_systems": run_systems,
        "site": settings.SITE_URL,
    }
    body = render_to_string("notifications/notification.txt", context)
    headers = {"Auto-Submitted": "auto-generated"}
    EmailMessage(subject, body, settings.EMAIL_FROM, [account.email], headers=headers).send()


def _is_operator(account: Account) -> bool:
    return account.role == Account.Role.ADMIN


def _failures_text(failures: Sequence[tuple[Event, str]]) -> str:
    counted = numbers.pluralize(len(failures), "check").replace(numbers.NO_BREAK, " ")
    return f"{counted} failed through a fault of the registry" if failures else ""


def mail_editors(release: Release, empty: Sequence[str]) -> None:
    """One letter to all editors: the scheduler published lists without an entry, or, without such, nothing at all.

    Raises OSError, SMTPException.
    """
    roles = (Account.Role.EDITOR, Account.Role.ADMIN)
    editors = Account.objects.filter(role__in=roles, is_active=True).exclude(email="").exclude(mail=Account.Mail.NONE)
    became = "was published with empty lists" if empty else "was not published"
    body = render_to_string(
        "notifications/release.txt", {"release": release, "empty": empty, "site": settings.SITE_URL}
    )
    addresses = list(editors.order_by("pk").values_list("email", flat=True))
    headers = {"Auto-Submitted": "auto-generated"}
    if addresses:
        EmailMessage(
            f"Highwater: {release.name} {became}", body, settings.EMAIL_FROM, bcc=addresses, headers=headers
        ).send()


def _news_text(changes: Sequence[tuple[Event, Any, str]], account: Account) -> str:
    """Editors are told of submissions that are not their own."""
    ids = {event.submission_id for event, _, _ in changes}
    own = all(submission.account_id == account.pk for _, submission, _ in changes)
    if len(ids) != 1:
        return f"news of {len(ids)} {'of your ' if own else ''}submissions" if ids else ""
    event, _, became = changes[-1]
    return f"{'your ' if own else ''}submission {str(event.submission_id)[:8]} {became}"


def _state_phrase(event: Event) -> str:
    return "has news" if states.is_note(event) else STATE_PHRASES[State(event.to_state)]


def _by_system(moved: Sequence[Step]) -> list[dict[str, Any]]:
    """Name, slug and sentences on the steps of each system."""
    ordered = sorted(moved, key=lambda step: (step.system.slug, step.day, step.pk))
    return [
        {"name": " ".join(str(system).split()), "slug": system.slug, "steps": [_step_sentence(step) for step in steps]}
        for system, steps in groupby(ordered, key=lambda step: step.system)
    ]


def _step_sentence(step: Step) -> str:
    sentence = views_series.sentence_on(views_series.in_words(detected_steps.row_of(step)))
    return f"{step.day}: {sentence}".replace(numbers.NO_BREAK, " ")


def _runs_by_system(runs: Sequence[RunVerdict]) -> list[dict[str, Any]]:
    """Name, slug and, of each run, its title and sentences on its metrics."""
    ordered = sorted(runs, key=lambda verdict: (verdict.system.slug, verdict.day, verdict.pk))
    return [
        {"name": " ".join(str(system).split()), "slug": system.slug, "runs": [_run_context(row) for row in verdicts]}
        for system, verdicts in groupby(ordered, key=lambda verdict: verdict.system)
    ]


def _run_context(verdict: RunVerdict) -> dict[str, Any]:
    row = run_verdict_rows.build_verdict_row(verdict)
    sentences = [sentence.replace(numbers.NO_BREAK, " ") for sentence in verdict_words.verdict_sentences(row)]
    title = verdict_words.verdict_title(row).replace(numbers.NO_BREAK, " ")
    return {"title": f"{verdict.day}: {title}", "sentences": sentences, "result": row["result"]}


def _runs_text(systems: Sequence[dict[str, Any]]) -> str:
    if not systems:
        return ""
    counted = numbers.pluralize(sum(len(system["runs"]) for system in systems), "run").replace(numbers.NO_BREAK, " ")
    return f"{counted} not as expected on {systems[0]['name'] if len(systems) == 1 else f'{len(systems)} systems'}"


def _steps_text(systems: Sequence[dict[str, Any]]) -> str:
    if not systems:
        return ""
    counted = numbers.pluralize(sum(len(system["steps"]) for system in systems), "performance change").replace(
        numbers.NO_BREAK, " "
    )
    return f"{counted} on {systems[0]['name'] if len(systems) == 1 else f'{len(systems)} systems'}"
