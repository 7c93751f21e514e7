"""The page of one submission: what it shows."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone

from registry.errors import Problem
from registry.presentation import numbers, revision_table
from registry.presentation.measurement_tables import Table
from registry.presentation.parameter_table import build_parameter_table
from registry.presentation.system_description import system_context
from registry.results.run_groups import groups
from registry.results.run_page import view
from registry.results.views import OUTCOMES
from submissions.bundles import quarantine
from submissions.bundles.file_versions import files_of
from submissions.bundles.views import address as raw_address
from submissions.checks import finding_counts, questionnaire
from submissions.editing import edit as editing_edit
from submissions.editing.views_answers import questionnaire_context as questionnaire_of
from submissions.lifecycle.states import PERMITTED, UNFINISHED
from submissions.models import Check, Derivative, State, Submission
from submissions.overview.forms import SubmitForm
from submissions.overview.views_systems import comparable_with
from submissions.permissions import conflict, is_own
from submissions.publication import anonymity
from submissions.review import comments
from submissions.web.formatting import name_of, run_row
from validators import catalogue
from validators.findings import LEVELS

MARKS = OUTCOMES | {"needs_human": ("", "? for a reviewer")}
LEFT_OUT_SHOWN = 100


def refused_page(
    request: HttpRequest, shown: Submission, problem: Problem, submitted: QueryDict | None = None
) -> HttpResponse:
    """The page of the submission with what was refused on top; the form that submits keeps what was `submitted`."""
    context = page_context(request, shown) | {"problem": problem}
    if submitted is not None:
        context["submit"] = context["submit"].filled(submitted)
        for row in context["runs"]:
            row["primary"] = str(row["index"]) == submitted.get("primary")
    return render(request, "submissions/submission.html", context, status=problem.status)


def page_context(request: HttpRequest, shown: Submission) -> dict[str, Any]:
    """Everything that the page of a submission shows, also beside a refused form."""
    check = shown.checks.first()
    report = check.report if check else {}
    runs = report.get("runs", [])
    primary = finding_counts.chosen_run(shown, report)
    run = runs[primary] if primary is not None else {}
    told = finding_counts.of(shown, report)
    rows = [run_row(index, one, index == primary) for index, one in enumerate(runs)]
    own = is_own(request.user, shown)
    editable = own and shown.state in editing_edit.EDITABLE and editing_edit.is_before_deadline(shown)
    withheld = quarantine.withheld(shown)
    if own or not conflict(request.user, shown):
        told = [one | {"address": raw_address(shown, one["where"])} if one["where"] else one for one in told]
    return {
        "section": "submissions",
        "submission": shown,
        "name": name_of(shown),
        "live": shown.state in UNFINISHED,
        "steps": progress_steps(shown, check),
        "check": check,
        "received": numbers.format_datetime(shown.received_at),
        "runs": rows,
        "scored": any(one["scored"] for one in rows),
        "measured": [
            {
                "path": row["path"],
                "tool": row["tool"],
                "run": run_tables(one, row["scored"]),
                "parameters": parameter_table(one),
            }
            for row, one in zip(rows, runs, strict=True)
            if one["measurements"] and (not row["scored"] or one.get("distributions"))
        ],
        "groups": groups(report),
        "missing": any(row["scored"] and numbers.MISSING in row.values() for row in rows),
        "findings": told,
        "levels": ", ".join(
            numbers.pluralize(count, level) if level != "info" else f"{count} info"
            for level in LEVELS
            if (count := sum(finding["level"] == level for finding in told))
        ),
        "rules": rule_rows(run),
        "copy": copy_row(getattr(shown, "derivative", None)),
        "others": comparable_with(request.user, shown),
        "described": system_context(
            system.document if (system := getattr(shown, "system_snapshot", None)) else None,
            f"/api/v1/submissions/{shown.pk}/system/",
        ),
        "questionnaire": questionnaire_of(questionnaire.fill_for_submission(shown, report)),
        "may_answer": editable,
        "events": [event_row(event) for event in shown.events.select_related("actor")],
        "reviews": list(shown.reviews.select_related("reviewer")),
        "own": own,
        "changes": revision_table.rows(editing_edit.changes_from_original(shown)),
        "revision": editing_edit.pending_revision(shown) if shown.result else None,
        "may_revise": own and shown.state == State.PUBLISHED,
        "threads": comments.group_by_thread(comments.visible_comments(shown, request.user)) if own else [],
        "say_to": f"/submissions/{shown.pk}/comments/" if own and shown.submitted_at else "",
        "needs_choice": len(runs) > 1 and primary is None,
        "submit": SubmitForm(initial=submit_defaults(shown), submission=shown, tools={one["tool"] for one in runs}),
        "may_submit": own and State.SUBMITTED in PERMITTED[State(shown.state)],
        "may_check_again": editable and shown.state in editing_edit.AGAIN,
        "may_edit": editable and shown.state in (State.DRAFT, *editing_edit.AGAIN, State.SUBMITTED),
        "until": deadline_text(shown),
        "files": [
            file | {"size": numbers.format_bytes(file["size"]), "withheld": withheld.get(file["sha256"])}
            for file in files_of(shown)
        ],
        "unserved": quarantine.unserved(shown, withheld),
        "may_change_files": editable and shown.revises is None,
        "may_ask_anonymity": own and anonymity.is_askable(shown),
        "may_be_named": own and anonymity.is_nameable(shown),
        "may_withdraw": own and State.WITHDRAWN in PERMITTED[State(shown.state)],
    }


def parameter_table(run: dict[str, Any]) -> Table:
    """The parameters of a run with where they come from, and what the described system says."""
    return build_parameter_table(
        run.get("parameters", {}), run.get("parameter_sources"), run.get("described_parameters")
    )


def run_tables(run: dict[str, Any], scored: bool) -> dict[str, Any]:
    """What a run measured, and what lies under it; the phases of a scored one have their own table."""
    measured = [] if scored else run["measurements"]
    tool = run["tool"], run["version"]
    return view(measured, run.get("distributions", []), run.get("tests", []), run.get("parameters", {}), tool)


def deadline_text(shown: Submission) -> str:
    """The deadline of its release in UTC and with its distance, while what is edited depends on it; else ""."""
    deadline = shown.release.deadline if shown.release else None
    if deadline is None or shown.state not in editing_edit.EDITABLE or editing_edit.is_correction(shown):
        return ""
    return f"{numbers.format_datetime(deadline)}, {numbers.distance(deadline, timezone.now())}"


def submit_defaults(shown: Submission) -> dict[str, Any]:
    """What was said at upload, for the form that submits."""
    return {"release": shown.release.slug if shown.release else "", "lists": shown.lists}


def copy_row(derivative: Derivative | None) -> dict[str, Any] | None:
    """The scrubbed copy: what was replaced by which rule, and what was left out."""
    if derivative is None:
        return None
    return {
        "sha256": derivative.sha256,
        "size": numbers.format_bytes(derivative.size),
        "files": len(derivative.files),
        "removed": derivative.report.get("removed", []),
        "left_out": derivative.report.get("left_out", [])[:LEFT_OUT_SHOWN],
    }


def rule_rows(run: dict[str, Any]) -> list[dict[str, Any]]:
    """The outcomes of the rules with their texts; what is broken or for a person first."""
    texts = {rule.code: rule.text for rule in catalogue.rules()}
    order = ("violated", "needs_human", "not_evaluated", "satisfied")
    rows = [
        {**rule, "text": texts.get(rule["code"], ""), "mark": MARKS.get(rule["outcome"], ("", rule["outcome"]))}
        for rule in run.get("rules", [])
    ]
    return sorted(rows, key=lambda row: order.index(row["outcome"]) if row["outcome"] in order else len(order))


def _checked(shown: Submission, report: dict[str, Any]) -> str:
    """Findings, and the rules that the run that counts violates: a rule may be violated without a finding."""
    primary = finding_counts.chosen_run(shown, report)
    rules = [] if primary is None else report["runs"][primary].get("rules", [])
    violated = sum(rule["outcome"] == "violated" for rule in rules)
    counted = counted_findings(finding_counts.counted(shown, report))
    return f"{counted}, {numbers.pluralize(violated, 'rule')} violated" if violated else counted


def event_row(event: Any) -> dict[str, str]:
    return {
        "at": numbers.format_datetime(event.at),
        "what": event.get_to_state_display() if event.from_state != event.to_state else "",
        "who": event.actor.username if event.actor else "the registry",
        "reason": event.reason,
    }


STEPS = ("Received", "Checked", "Submit", "Review", "Publish")
REACHED = {
    State.DRAFT: 0, State.RECEIVED: 1, State.PROCESSING: 1, State.INVALID: 1, State.CHECKED: 2,
    State.CHANGES_REQUESTED: 2, State.SUBMITTED: 3, State.IN_REVIEW: 3, State.REJECTED: 3, State.ACCEPTED: 4,
    State.PUBLISHED: 4, State.WITHDRAWN: None,
}  # fmt: skip
"""Where the mark stands on the staff, by state."""


def progress_steps(shown: Submission, check: Check | None) -> list[dict[str, Any]]:
    """The way of a submission with what is known of each step."""
    state, now = State(shown.state), timezone.now()
    deadline = shown.release.deadline if shown.release else None
    notes = {
        "Received": numbers.format_datetime(shown.received_at),
        "Checked": _checked(shown, check.report) if check else "not yet",
        "Submit": numbers.format_datetime(shown.submitted_at) if shown.submitted_at else "not yet",
        "Review": "with the reviewers" if state in (State.SUBMITTED, State.IN_REVIEW) else "",
        "Publish": "with the release",
    }
    if state in UNFINISHED:
        notes["Checked"] = state.label
    elif state == State.CHANGES_REQUESTED:
        notes["Submit"] = "changes requested"
    elif state == State.CHECKED and deadline:
        notes["Submit"] = f"until {numbers.deadline(deadline, now)}"
    elif state in (State.ACCEPTED, State.REJECTED):
        notes["Review"] = state.label
    elif state == State.PUBLISHED:
        notes["Publish"] = state.label
    reached = REACHED[state]
    return [
        {
            "name": name,
            "note": notes[name],
            "done": state == State.PUBLISHED or (reached is not None and index < reached),
            "current": index == reached,
        }
        for index, name in enumerate(STEPS)
    ]


def counted_findings(counted: finding_counts.Counted | None) -> str:
    """In words; what only informs is not counted."""
    if counted is None:
        return "not checked yet"
    parts = [numbers.pluralize(counted.errors, "error")] if counted.errors else []
    parts += [numbers.pluralize(counted.warnings, "warning")] if counted.warnings else []
    return ", ".join(parts) or "no errors or warnings"
