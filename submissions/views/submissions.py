"""Upload, and the page of one submission on its way from received to published."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect

from registry.api.throttles import UploadThrottle
from registry.problems import Problem
from registry.views import numerals
from submissions import intake
from submissions.forms import UploadForm
from submissions.models import Check, Submission
from submissions.permissions import visible_to
from submissions.storage import BundleUploadHandler
from submissions.views.private import private_page

PAGE_ROWS = 50


class TooManyUploads(Problem):
    status = 429
    code = "request.throttled"
    title = "Too many uploads"
    hint = "Wait some minutes and send it again."


@require_safe
@private_page
def index(request: HttpRequest) -> HttpResponse:
    """The account's own submissions and those of its institutions."""
    latest = Check.objects.filter(submission=OuterRef("pk")).order_by("-made_at", "-id")
    found = (
        visible_to(request.user)
        .select_related("institution", "release", "account")
        .annotate(errors=Subquery(latest.values("errors")[:1]), warnings=Subquery(latest.values("warnings")[:1]))
    )
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
        "findings": counted_findings(submission.errors, submission.warnings),
        "received": numerals.moment(submission.received_at),
    }


def name_of(submission: Submission) -> str:
    """The system that was declared, else the file."""
    return str(submission.metadata.get("system") or submission.filename)


def counted_findings(errors: int | None, warnings: int | None) -> str:
    if errors is None:
        return "not checked yet"
    parts = [numerals.counted(errors, "error")] if errors else []
    parts += [numerals.counted(warnings, "warning")] if warnings else []
    return ", ".join(parts) or "no findings"


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """The upload form. The handler is set before anything reads the body, which the CSRF check does; hence in two steps."""
    request.upload_handlers = [BundleUploadHandler(request)]
    try:
        return _upload(request)
    except Problem as problem:
        return _upload_page(request, UploadForm(), problem)


@csrf_protect
@private_page
def _upload(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _upload_page(request, UploadForm())
    form = UploadForm(request.POST)
    if not form.is_valid():
        return _upload_page(request, form)
    try:
        if not UploadThrottle().allow_request(request, None):
            raise TooManyUploads
        said = intake.declared(form.cleaned_data["release"], form.cleaned_data["lists"], form.metadata())
        submission, _ = intake.receive(request.user, request.FILES.get("bundle"), "", said)
    except Problem as problem:
        return _upload_page(request, form, problem)
    address = f"/submissions/{submission.pk}/"
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)


def _upload_page(request: HttpRequest, form: UploadForm, problem: Problem | None = None) -> HttpResponse:
    status = problem.status if problem else 422 if form.errors else 200
    limit = numerals.size(settings.UPLOAD_LIMIT_BYTES)
    context = {"section": "submissions", "form": form, "problem": problem, "limit": limit}
    return render(request, "submissions/upload.html", context, status=status)
