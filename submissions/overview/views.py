"""Upload, and the page of one submission on its way from received to published."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from registry.errors import Problem
from registry.presentation import numbers, revision_table
from registry.presentation.measurement_tables import Table
from registry.presentation.parameter_table import parameters
from registry.presentation.system_description import described
from registry.results.archive_download import archive
from registry.results.run_groups import groups
from registry.results.run_page import view
from registry.results.views import OUTCOMES
from registry.serving.admission import takes_uploads
from registry.web.throttles import UploadThrottle
from submissions.bundles import quarantine
from submissions.bundles.file_versions import files_of
from submissions.bundles.storage import BundleUploadHandler, public, received
from submissions.bundles.views import address as raw_address
from submissions.checks import finding_counts, questionnaire
from submissions.editing import edit as editing_edit
from submissions.editing.views_answers import of as questionnaire_of
from submissions.errors import AlreadyRevised, Forbidden, NotFound, ReasonNeeded
from submissions.intake import receive as intake_receive
from submissions.lifecycle.states import PERMITTED, UNFINISHED
from submissions.models import Check, Derivative, State, Submission
from submissions.overview.forms import MetadataForm, SubmitForm, UploadForm
from submissions.overview.views_systems import comparable_with
from submissions.permissions import conflict, is_own, require_bytes, require_own, seen_by, visible_to
from submissions.publication import anonymity
from submissions.review import comments, decisions
from submissions.web.page_base import private_page
from validators import catalogue
from validators.findings import LEVELS

PAGE_ROWS = 50
MARKS = OUTCOMES | {"needs_human": ("", "? for a reviewer")}
REASON_LIMIT = 10_000
LEFT_OUT_SHOWN = 100
JOINED = Submission.objects.select_related(
    "institution", "release", "account", "result", "derivative", "system_snapshot", "anonymity"
)


class TooManyUploads(Problem):
    status = 429
    code = "request.throttled"
    title = "Too many uploads"
    hint = "Wait some minutes and send it again."


class FormInvalid(Problem):
    status = 422
    code = "request.invalid"
    title = "Some fields are not valid"
    hint = "Choose a release and at least one of its lists."


@require_safe
@private_page
def index(request: HttpRequest) -> HttpResponse:
    """The account's own submissions and those of its institutions."""
    found = finding_counts.with_reports(visible_to(request.user).select_related("institution", "release", "account"))
    page = Paginator(found, PAGE_ROWS).get_page(request.GET.get("page"))
    links = {}
    if page.has_previous():
        links["previous"] = f"?page={page.previous_page_number()}"
    if page.has_next():
        links["next"] = f"?page={page.next_page_number()}"
    context = {"section": "submissions", "rows": [_row(one) for one in page], "page_links": links}
    return render(request, "submissions/index.html", context)


def _row(submission: Submission) -> dict[str, Any]:
    return {
        "id": submission.pk,
        "name": name_of(submission),
        "institution": submission.institution,
        "by": submission.account.username,
        "state": submission.get_state_display(),
        "test": submission.test,
        "release": submission.release,
        "findings": counted_findings(finding_counts.counted(submission, submission.in_report)),
        "received": numbers.moment(submission.received_at),
    }


def name_of(submission: Submission) -> str:
    """The system that was declared, else the file."""
    return str(submission.metadata.get("system") or submission.filename or "Draft without a file")


def counted_findings(counted: finding_counts.Counted | None) -> str:
    """In words; what only informs is not counted."""
    if counted is None:
        return "not checked yet"
    parts = [numbers.counted(counted.errors, "error")] if counted.errors else []
    parts += [numbers.counted(counted.warnings, "warning")] if counted.warnings else []
    return ", ".join(parts) or "no errors or warnings"


@takes_uploads
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """The upload form.

    The CSRF check reads the body, so the handler that streams and limits it is set before, and nothing is read from
    callers who didn't sign in or come too often.
    """
    if request.method != "POST" or not request.user.is_authenticated:
        return _empty_form(request)
    if not UploadThrottle().allow_request(request, None):
        return _upload_page(request, UploadForm(), TooManyUploads())
    with streamed(request):
        try:
            return _receive(request)
        except Problem as problem:
            return _upload_page(request, UploadForm(), problem)


@contextmanager
def streamed(request: HttpRequest) -> Iterator[None]:
    """The file of a form goes to the storage while it arrives; what was not kept is forgotten."""
    handler = BundleUploadHandler(request)
    request.upload_handlers = [handler]
    try:
        yield
    finally:
        if handler.file is not None:
            handler.file.close()


@private_page
def _empty_form(request: HttpRequest) -> HttpResponse:
    """With `?release=SLUG`, as the page of an open call links it, for that release."""
    return _upload_page(request, UploadForm(initial={"release": request.GET.get("release", "")[:40]}))


@csrf_protect
@never_cache
def _receive(request: HttpRequest) -> HttpResponse:
    form = UploadForm(request.POST)
    if not form.is_valid():
        return _upload_page(request, form)
    try:
        said = intake_receive.declared(form.cleaned_data["release"], form.cleaned_data["lists"], form.metadata())
        sent, test = request.FILES.get("bundle"), form.cleaned_data["test"]
        if sent is None and form.cleaned_data["draft"]:
            submission = intake_receive.begin(request.user, said, test=test)
        else:
            submission, _ = intake_receive.receive(request.user, sent, "", said, test=test)
    except Problem as problem:
        return _upload_page(request, form, problem)
    address = f"/submissions/{submission.pk}/"
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)


def _upload_page(request: HttpRequest, form: UploadForm, problem: Problem | None = None) -> HttpResponse:
    status = problem.status if problem else 422 if form.errors else 200
    limit = f"{settings.UPLOAD_LIMIT_BYTES // 2**20} MiB"
    context = {"section": "submissions", "form": form, "problem": problem, "limit": limit}
    return render(request, "submissions/upload.html", context, status=status)


@require_safe
@private_page
def submission(request: HttpRequest, id: UUID) -> HttpResponse:
    """One submission; while it is being checked the page asks for itself again and replaces its live part."""
    shown = seen_by(request.user, id, JOINED)
    return render(request, "submissions/submission.html", page_context(request, shown))


@require_safe
@private_page
def received_bytes(request: HttpRequest, id: UUID) -> HttpResponse:
    """The archive as it came, for its institution and for those who may review it."""
    shown = seen_by(request.user, id, Submission.objects.select_related("institution"))
    require_bytes(request.user, shown)
    if not shown.sha256:
        raise NotFound
    quarantine.require_served(shown, shown.sha256)
    return archive(received(), shown.sha256, shown.filename)


@require_safe
@private_page
def scrubbed_copy(request: HttpRequest, id: UUID) -> HttpResponse:
    """The copy that will be published, to look at before. Raises NotFound before it is made."""
    shown = seen_by(request.user, id, Submission.objects.select_related("derivative", "institution"))
    require_bytes(request.user, shown)
    derivative = getattr(shown, "derivative", None)
    if derivative is None:
        raise NotFound
    quarantine.require_not_withheld(shown, *(file["sha256"] for file in files_of(shown)))
    return archive(public(), derivative.sha256, f"{shown.pk}-scrubbed.tar.gz")


@require_POST
@private_page
def submit(request: HttpRequest, id: UUID) -> HttpResponse:
    """To a release; what stands against it is said on the page."""
    shown = seen_by(request.user, id, JOINED)
    form = SubmitForm(request.POST, submission=shown)
    if not form.is_valid():
        words = {name: [str(one) for one in why] for name, why in form.errors.items()}
        return refused_page(request, shown, FormInvalid(errors=words), submitted=request.POST)
    try:
        decisions.submit(shown, request.user, **form.cleaned_data)
    except Forbidden:
        raise
    except Problem as problem:
        return refused_page(request, shown, problem, submitted=request.POST)
    return redirect("submission", id=id)


@require_POST
@private_page
def withdraw(request: HttpRequest, id: UUID) -> HttpResponse:
    shown = seen_by(request.user, id, JOINED)
    try:
        decisions.withdraw(shown, request.user, request.POST.get("reason", "")[:REASON_LIMIT])
    except (ReasonNeeded, AlreadyRevised) as problem:
        return refused_page(request, shown, problem)
    return redirect("submission", id=id)


@require_POST
@private_page
def check_again(request: HttpRequest, id: UUID) -> HttpResponse:
    editing_edit.revalidate(seen_by(request.user, id, JOINED), request.user)
    return redirect("submission", id=id)


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def edit(request: HttpRequest, id: UUID) -> HttpResponse:
    """What is said beside the bytes; it is checked again after a change."""
    shown = seen_by(request.user, id, JOINED)
    require_own(request.user, shown)
    form = MetadataForm(request.POST if request.method == "POST" else None, initial=shown.metadata)
    if not form.is_bound or not form.is_valid():
        return _edit_page(request, shown, form)
    try:
        editing_edit.revalidate(shown, request.user, metadata=form.metadata())
    except Problem as problem:
        return _edit_page(request, shown, form, problem)
    return redirect("submission", id=id)


def _edit_page(
    request: HttpRequest, shown: Submission, form: MetadataForm, problem: Problem | None = None
) -> HttpResponse:
    context = {"section": "submissions", "submission": shown, "name": name_of(shown), "form": form, "problem": problem}
    status = problem.status if problem else 422 if form.errors else 200
    return render(request, "submissions/edit.html", context, status=status)


@require_POST
@private_page
def revise(request: HttpRequest, id: UUID) -> HttpResponse:
    """Begin a revision of a published result, and go there."""
    shown = seen_by(request.user, id, JOINED)
    try:
        revision = editing_edit.revise(shown, request.user, request.POST.get("reason", "")[:REASON_LIMIT])
    except (ReasonNeeded, AlreadyRevised) as problem:
        return refused_page(request, shown, problem)
    return redirect("submission", id=revision.pk)


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
    editable = own and shown.state in editing_edit.EDITABLE and editing_edit.in_time(shown)
    withheld = quarantine.withheld(shown)
    if own or not conflict(request.user, shown):
        told = [one | {"address": raw_address(shown, one["where"])} if one["where"] else one for one in told]
    return {
        "section": "submissions",
        "submission": shown,
        "name": name_of(shown),
        "live": shown.state in UNFINISHED,
        "steps": steps(shown, check),
        "check": check,
        "received": numbers.moment(shown.received_at),
        "runs": rows,
        "scored": any(one["scored"] for one in rows),
        "measured": [
            {"path": row["path"], "tool": row["tool"], "run": of_run(one, row["scored"]), "parameters": given(one)}
            for row, one in zip(rows, runs, strict=True)
            if one["measurements"] and (not row["scored"] or one.get("distributions"))
        ],
        "groups": groups(report),
        "missing": any(row["scored"] and numbers.MISSING in row.values() for row in rows),
        "findings": told,
        "levels": ", ".join(
            numbers.counted(count, level) if level != "info" else f"{count} info"
            for level in LEVELS
            if (count := sum(finding["level"] == level for finding in told))
        ),
        "rules": rule_rows(run),
        "copy": copy_row(getattr(shown, "derivative", None)),
        "others": comparable_with(request.user, shown),
        "described": described(
            system.document if (system := getattr(shown, "system_snapshot", None)) else None,
            f"/api/v1/submissions/{shown.pk}/system/",
        ),
        "questionnaire": questionnaire_of(questionnaire.filled(shown, report)),
        "may_answer": editable,
        "events": [event_row(event) for event in shown.events.select_related("actor")],
        "reviews": list(shown.reviews.select_related("reviewer")),
        "own": own,
        "changes": revision_table.rows(editing_edit.revised(shown)),
        "revision": editing_edit.revision_of(shown) if shown.result else None,
        "may_revise": own and shown.state == State.PUBLISHED,
        "threads": comments.threads(comments.readable(shown, request.user)) if own else [],
        "say_to": f"/submissions/{shown.pk}/comments/" if own and shown.submitted_at else "",
        "needs_choice": len(runs) > 1 and primary is None,
        "submit": SubmitForm(initial=initial(shown), submission=shown, tools={one["tool"] for one in runs}),
        "may_submit": own and State.SUBMITTED in PERMITTED[State(shown.state)],
        "may_check_again": editable and shown.state in editing_edit.AGAIN,
        "may_edit": editable and shown.state in (State.DRAFT, *editing_edit.AGAIN, State.SUBMITTED),
        "until": until(shown),
        "files": [
            file | {"size": numbers.size(file["size"]), "withheld": withheld.get(file["sha256"])}
            for file in files_of(shown)
        ],
        "unserved": quarantine.unserved(shown, withheld),
        "may_change_files": editable and shown.revises is None,
        "may_ask_anonymity": own and anonymity.is_askable(shown),
        "may_be_named": own and anonymity.is_nameable(shown),
        "may_withdraw": own and State.WITHDRAWN in PERMITTED[State(shown.state)],
    }


def given(run: dict[str, Any]) -> Table:
    """The parameters of a run with where they come from, and what the described system says."""
    return parameters(run.get("parameters", {}), run.get("parameter_sources"), run.get("described_parameters"))


def of_run(run: dict[str, Any], scored: bool) -> dict[str, Any]:
    """What a run measured, and what lies under it; the phases of a scored one have their own table."""
    measured = [] if scored else run["measurements"]
    tool = run["tool"], run["version"]
    return view(measured, run.get("distributions", []), run.get("tests", []), run.get("parameters", {}), tool)


def until(shown: Submission) -> str:
    """The deadline of its release in UTC and with its distance, while what is edited depends on it; else ""."""
    deadline = shown.release.deadline if shown.release else None
    if deadline is None or shown.state not in editing_edit.EDITABLE or editing_edit.corrects(shown):
        return ""
    return f"{numbers.moment(deadline)}, {numbers.distance(deadline, timezone.now())}"


def initial(shown: Submission) -> dict[str, Any]:
    """What was said at upload, for the form that submits."""
    return {"release": shown.release.slug if shown.release else "", "lists": shown.lists}


def run_row(index: int, run: dict[str, Any], is_primary: bool) -> dict[str, Any]:
    """One run of the archive with its recomputed score and whether its hashes reproduce."""
    score = run.get("scores", {}).get("SCORE", {})
    hashes = [pair for pair in run.get("hashes", {}).values() if pair.get("printed")]
    same = sum(pair["printed"] == pair.get("computed") for pair in hashes)
    return {
        "index": index,
        "tool": run["tool"],
        "path": run.get("path") or ".",
        "scored": run["tool"] in catalogue.scored_tools(),
        "version": run.get("version", ""),
        "score": numbers.decimal(score.get("value")) or numbers.MISSING,
        "bandwidth": numbers.decimal(score.get("bandwidth_gib_per_s")) or numbers.MISSING,
        "rate": numbers.decimal(score.get("rate_kiops")) or numbers.MISSING,
        "hashes": f"{same} of {len(hashes)} reproduced" if hashes else "none printed",
        "primary": is_primary,
    }


def copy_row(derivative: Derivative | None) -> dict[str, Any] | None:
    """The scrubbed copy: what was replaced by which rule, and what was left out."""
    if derivative is None:
        return None
    return {
        "sha256": derivative.sha256,
        "size": numbers.size(derivative.size),
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
    return f"{counted}, {numbers.counted(violated, 'rule')} violated" if violated else counted


def event_row(event: Any) -> dict[str, str]:
    return {
        "at": numbers.moment(event.at),
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


def steps(shown: Submission, check: Check | None) -> list[dict[str, Any]]:
    """The way of a submission with what is known of each step."""
    state, now = State(shown.state), timezone.now()
    deadline = shown.release.deadline if shown.release else None
    notes = {
        "Received": numbers.moment(shown.received_at),
        "Checked": _checked(shown, check.report) if check else "not yet",
        "Submit": numbers.moment(shown.submitted_at) if shown.submitted_at else "not yet",
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
