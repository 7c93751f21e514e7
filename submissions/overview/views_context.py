"""The page of one submission: what it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone

from registry.errors import Problem
from registry.presentation import numbers, revision_table
from registry.presentation.evidence_table import build_evidence
from registry.presentation.system_description import system_context
from registry.query.responses import rule_outcomes
from registry.results.recipes.raised_level import raised_level
from registry.results.run_groups import groups, is_repeated
from registry.results.views import OUTCOMES
from submissions.bundles import copy_preview, file_viewer, quarantine
from submissions.bundles.file_versions import files_of
from submissions.bundles.views import line_address as raw_address
from submissions.checks import finding_counts, questionnaire
from submissions.checks.read_account import UNKNOWN, not_read_table, read_states
from submissions.damage import stored_faults
from submissions.editing import edit as editing_edit
from submissions.editing.views_answers import questionnaire_context as questionnaire_of
from submissions.lifecycle import expiry
from submissions.lifecycle.states import PERMITTED, UNFINISHED
from submissions.lifecycle.unjudged import describe_unjudged
from submissions.models import Check, ScrubbedCopy, State, Submission
from submissions.overview import open_lists, views_runs
from submissions.overview.forms import AnonymityForm, FileForm, ReviseForm, SubmitForm, WithdrawForm, details_form
from submissions.overview.views_question_rows import consent_context, points_context, questions_context
from submissions.overview.views_systems import comparable_with
from submissions.permissions import conflict_reason, is_own
from submissions.publication import anonymity, prospects
from submissions.review import comments
from submissions.review.forms import CommentForm
from submissions.web.formatting import list_titles, name_of
from submissions.web.page_forms import PageForm, form_page
from submissions.web.request_account import account_of
from validators import catalogue
from validators.findings import LEVELS

MARKS = OUTCOMES | {"needs_human": ("", "? for a reviewer")}
LIST_MARKS = {
    prospects.CAN: ("yes", "✓ can rank"),
    prospects.CANNOT: ("soft", "✕ cannot rank"),
    prospects.UNKNOWN: ("warning", "? cannot be told"),
}
COULD_RANK = ("", "could rank, if")
"""The mark where something is still needed, which stands beside it."""
NO_RUN_YET = "Choose the run to submit first."
LEFT_OUT_SHOWN = 100
SAME = ("code", "level", "message", "hint", "expected", "actual")
"""What findings share that are shown together."""


def refused_page(request: HttpRequest, submission: Submission, refused: PageForm | Problem) -> HttpResponse:
    """The page of the submission with what was refused: a form with its errors, or a problem on top."""
    context = page_context(request, submission)
    if isinstance(refused, Problem):
        return render(request, "overview/submission.html", context | {"problem": refused}, status=refused.status)
    if refused.context_name == "submit":
        context |= submit_context(submission, context, request.POST)
    return form_page(request, "overview/submission.html", context, refused)


def page_context(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    """Everything that the page of a submission shows, also beside a refused form."""
    account = account_of(request)
    check = submission.checks.first()
    report = check.report if check else {}
    runs = report.get("runs", [])
    primary = finding_counts.chosen_run(submission, report)
    run = runs[primary] if primary is not None else {}
    findings = finding_counts.list_findings(submission, report)
    own = is_own(account, submission)
    editable = own and submission.state in editing_edit.EDITABLE and editing_edit.is_before_deadline(submission)
    withheld = quarantine.withheld_files(submission)
    addressed = own or not conflict_reason(account, submission)
    context = {
        "section": "submissions",
        "submission": submission,
        "name": name_of(submission),
        "list_titles": list_titles(submission.lists),
        "not_judged": describe_unjudged(submission),
        "raised": raised_level(submission.result) if submission.result else None,
        "auto_refresh": submission.state in UNFINISHED,
        "steps": progress_steps(submission, check),
        "check": check,
        "received": numbers.format_datetime(submission.received_at),
        "groups": groups(report),
        "unrepeated": bool(run.get("measurements")) and not is_repeated(report, primary),
        "findings": join_findings(submission, findings, addressed),
        "not_read": not_read_rows(submission, check, addressed) if check else {},
        "finding_counts": ", ".join(
            numbers.pluralize(count, level) if level != "info" else f"{count} info"
            for level in LEVELS
            if (count := sum(finding["level"] == level for finding in findings))
        ),
        "rules": rule_rows(run),
        "evidence": evidence_table(submission, run, addressed),
        "copy_asked": bool(request.GET.get("copy")),
        "may_preview_copy": own and not submission.test and submission.state in copy_preview.PREVIEWED,
        "scrubbed_copy": copy_row(getattr(submission, "derivative", None)),
        "comparable_submissions": comparable_with(account, submission),
        "described": system_context(
            system.document if (system := getattr(submission, "system_snapshot", None)) else None,
            f"/api/v1/submissions/{submission.pk}/system/",
        ),
        "questionnaire": questionnaire_of(questionnaire.fill_for_submission(submission, report)),
        "may_answer": editable,
        "events": [event_row(event) for event in submission.events.select_related("actor")],
        "reviews": review_rows(submission, check, addressed),
        "own": own,
        "shelved": submission.shelf_runs.of_member(account).count(),
        "expires_at": expiry.expires_at(submission),
        "changes": revision_table.revision_rows(editing_edit.changes_from_original(submission)),
        "revision": editing_edit.pending_revision(submission) if submission.result else None,
        "may_revise": own and submission.state == State.PUBLISHED,
        "threads": comments.group_by_thread(comments.visible_comments(submission, account)) if own else [],
        "comment_url": f"/submissions/{submission.pk}/comments/" if own and submission.submitted_at else "",
        "needs_choice": len(runs) > 1 and primary is None,
        "may_submit": own and State.SUBMITTED in PERMITTED[State(submission.state)],
        "may_check_again": editable and submission.state in editing_edit.AGAIN,
        "may_edit": editable and submission.state in (State.DRAFT, *editing_edit.AGAIN, State.SUBMITTED),
        "deadline": deadline_text(submission),
        "files": file_rows(submission, check, withheld),
        "unserved": quarantine.unserved_problem(submission, withheld) or stored_faults.damage_problem(submission),
        "may_change_files": editable and submission.revises is None,
        "may_ask_anonymity": own and anonymity.is_askable(submission),
        "can_publish_by_name": own and anonymity.is_nameable(submission),
        "may_withdraw": own and State.WITHDRAWN in PERMITTED[State(submission.state)],
        "file_form": FileForm(submission=submission),
        "withdraw_form": WithdrawForm(),
        "revise_form": ReviseForm(),
        "anonymity_form": AnonymityForm(),
        "comment_form": CommentForm(),
        "run_figures": views_runs.format_run_figures(
            run, runs, counted_findings(finding_counts.count_findings(submission, report))
        ),
    }
    context |= views_runs.runs_context(
        submission, runs, primary, run_number=request.GET.get("run", ""), addressed=addressed
    )
    if own and submission.submitted_at:
        answer_url = f"/submissions/{submission.pk}/questions/"
        context |= questions_context(submission, account, answer_url) | consent_context(submission)
        context |= points_context(submission, report)
    if context["may_submit"]:
        context |= submit_context(submission, context) | {"details": details_form(submission, run)}
    elif own and run and submission.state in (State.SUBMITTED, State.IN_REVIEW):
        context["list_rows"] = _waiting_list_rows(submission, run)
    return context


def submit_context(submission: Submission, context: Mapping[str, Any], sent: QueryDict | None = None) -> dict[str, Any]:
    """The form that submits, and each list of the open releases with whether the run can rank there and why not."""
    tools = {row["tool"] for row in context["runs"]}
    form = SubmitForm(
        sent,
        initial=submit_defaults(submission),
        submission=submission,
        tools=tools,
    )
    offered = [name for name, _ in form.offered_lists]
    check = context["check"]
    run = questionnaire.primary_run(submission, check.report) if check else None
    list_prospects = prospects.find_prospects(submission, run, offered) if run else []
    chosen = (
        sent.getlist("lists") if sent is not None else submission.lists or _propose_lists(submission, list_prospects)
    )
    judged_names = {prospect.name for prospect in list_prospects}
    list_prospects += [
        prospects.Prospect(name, title, prospects.UNKNOWN, why=NO_RUN_YET)
        for name, title in form.offered_lists
        if name not in judged_names
    ]
    rows = [
        prospect_row(submission, prospect)
        | {"chosen": prospect.name in chosen and prospect.outcome != prospects.CANNOT}
        for prospect in list_prospects
    ]
    if sent is not None:
        primary = sent.get("primary")
        for row in context["runs"]:
            row["primary"] = str(row["index"]) == primary
        return {"list_rows": rows}
    return {"submit": form, "list_rows": rows}


def _waiting_list_rows(submission: Submission, run: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Where a run that waits for reviewers can rank: as told before it was submitted."""
    names = open_lists.list_names_of(open_lists.concerned_releases(submission))
    return [
        prospect_row(submission, prospect) | {"chosen": prospect.name in submission.lists}
        for prospect in prospects.find_prospects(submission, run, names)
    ]


def prospect_row(submission: Submission, prospect: prospects.Prospect, addressed: bool = True) -> dict[str, Any]:
    """What a list would do with the run, with its mark and for those who may open the files the line that decides."""
    line = prospect.place if file_viewer.has_line(prospect.place) else ""
    address = raw_address(submission, line) if prospect.place and addressed else ""
    mark = COULD_RANK if prospect.outcome == prospects.CAN and prospect.needs else LIST_MARKS[prospect.outcome]
    return {"prospect": prospect, "mark": mark, "address": address}


def _propose_lists(submission: Submission, list_prospects: Sequence[prospects.Prospect]) -> list[str]:
    """Lists that are ticked at first: those that take the run; production lists where it was declared."""
    declared = submission.metadata.get("production") is True
    return [
        row.name
        for row in list_prospects
        if row.outcome == prospects.CAN and (declared or prospects.PRODUCTION_NEEDED not in row.needs)
    ]


def deadline_text(submission: Submission) -> str:
    """The deadline of its release in UTC and with its distance, while what is edited depends on it; else ""."""
    deadline = submission.release.deadline if submission.release else None
    if deadline is None or submission.state not in editing_edit.EDITABLE or editing_edit.is_correction(submission):
        return ""
    return f"{numbers.format_datetime(deadline)}, {numbers.format_distance(deadline, timezone.now())}"


def submit_defaults(submission: Submission) -> dict[str, Any]:
    """What was said at upload, for the form that submits."""
    return {"release": submission.release.slug if submission.release else "", "lists": submission.lists}


def copy_row(derivative: ScrubbedCopy | None) -> dict[str, Any] | None:
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


def join_findings(submission: Submission, findings: list[dict[str, Any]], addressed: bool) -> list[dict[str, Any]]:
    """Findings that differ in nothing but their place as a single row, with all `places`, by line where allowed."""
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for finding in findings:
        row = rows.setdefault(tuple(str(finding.get(name)) for name in SAME), finding | {"places": []})
        if finding["where"]:
            address = raw_address(submission, finding["where"]) if addressed else ""
            row["places"].append({"where": finding["where"], "address": address})
    return list(rows.values())


def review_rows(submission: Submission, check: Check | None, addressed: bool) -> list[dict[str, Any]]:
    """The decisions so far with the findings that they name, by line where allowed and nothing was checked since."""
    rows = []
    for review in submission.reviews.select_related("reviewer"):
        unchanged = check is not None and check.made_at < review.made_at
        rows.append({"review": review, "findings": join_findings(submission, review.findings, addressed and unchanged)})
    return rows


def not_read_rows(submission: Submission, check: Check, addressed: bool) -> dict[str, Any]:
    """What was not read of the files, by file for those who may open them."""
    table = not_read_table(check)
    for row in table.get("rows", []):
        row["address"] = raw_address(submission, row["path"]) if addressed else ""
    return table


def file_rows(submission: Submission, check: Check | None, withheld: dict[str, Any]) -> list[dict[str, Any]]:
    """The uploaded files: size, whether they are withheld, and how much of each was read."""
    files = files_of(submission)
    states = read_states(check, [file["name"] for file in files]) if check and files else {}
    return [
        file
        | {
            "size": numbers.format_bytes(file["size"]),
            "withheld": withheld.get(file["sha256"]),
            "state": states.get(file["name"], UNKNOWN),
        }
        for file in files
    ]


def evidence_table(submission: Submission, run: dict[str, Any], addressed: bool) -> dict[str, Any]:
    """The evidence of the run that counts, by line of the raw files for those who may open them."""
    table = build_evidence(run.get("evidence"), run["tool"]) if run else {}
    for row in table.get("rows", []):
        row["address"] = raw_address(submission, row["where"]) if addressed and row.get("where") else ""
    return table


def rule_rows(run: dict[str, Any]) -> list[dict[str, Any]]:
    """The outcomes of the rules with their texts; what is broken or for a person first."""
    texts = catalogue.rule_texts()
    return [
        {**rule, "text": texts.get(rule["code"], ""), "mark": MARKS.get(rule["outcome"], ("", rule["outcome"]))}
        for rule in rule_outcomes.worst_first(run.get("rules", []))
    ]


def _check_sentence(submission: Submission, report: dict[str, Any]) -> str:
    """Findings, and the rules that the run that counts violates: a rule may be violated without a finding."""
    primary = finding_counts.chosen_run(submission, report)
    rules = [] if primary is None else report["runs"][primary].get("rules", [])
    violated = rule_outcomes.count_outcomes(rules)["violated"]
    counted = counted_findings(finding_counts.count_findings(submission, report))
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


def progress_steps(submission: Submission, check: Check | None) -> list[dict[str, Any]]:
    """The way of a submission with what is known of each step."""
    state, now = State(submission.state), timezone.now()
    deadline = submission.release.deadline if submission.release else None
    notes = {
        "Received": numbers.format_datetime(submission.received_at),
        "Checked": _check_sentence(submission, check.report) if check else "not yet",
        "Submit": numbers.format_datetime(submission.submitted_at) if submission.submitted_at else "not yet",
        "Review": "with the reviewers" if state in (State.SUBMITTED, State.IN_REVIEW) else "",
        "Publish": "with the release",
    }
    if state in UNFINISHED:
        notes["Checked"] = state.label
    elif state == State.CHANGES_REQUESTED:
        notes["Submit"] = "changes requested"
    elif state == State.CHECKED and deadline:
        notes["Submit"] = f"until {numbers.format_deadline(deadline, now)}"
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
