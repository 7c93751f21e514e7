"""The write API and private reading: each view reads its input, calls one function of a stage, shows what came back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import Q
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BooleanField
from rest_framework.throttling import BaseThrottle

from registry.query import cursor_pages
from registry.query.questions.filters import any_of, parse_choice, refuse_unknown, values_of
from registry.web.api_base import next_address, page_size
from registry.web.paging import whole_schema
from registry.web.responses import UNAVAILABLE
from registry.web.throttles import UploadThrottle
from submissions.bundles.upload_api import BundleParser, UploadView, form_fields
from submissions.checks import finding_counts
from submissions.checks import representation as checks_representation
from submissions.checks import requests as checks_requests
from submissions.checks import responses as checks_responses
from submissions.editing import edit, keeping
from submissions.editing import requests as editing_requests
from submissions.errors import NotYours
from submissions.intake import receive as intake_receive
from submissions.intake import requests as intake_requests
from submissions.intake.upload_form import declared_by_form
from submissions.lifecycle import representation as lifecycle_representation
from submissions.lifecycle import responses as lifecycle_responses
from submissions.lifecycle.representation import JOINED
from submissions.models import State
from submissions.overview import representation
from submissions.overview import requests as overview_requests
from submissions.overview import responses as shape
from submissions.permissions import is_own, own_submission, visible_submission, visible_to
from submissions.review import decisions
from submissions.web.api_base import CONFLICT, LARGE, REFUSED, PrivateView, validated_body
from submissions.web.id_beginnings import id_begins
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation

NEWEST = cursor_pages.Order(
    "-received_at",
    cursor_pages.moment_key("received_at"),
    descending=True,
    tie="id",
    tie_descending=True,
    tie_kind=UUID,
)
DETAILED = JOINED.select_related("system_snapshot")


def _is_true(request: Request, name: str) -> bool:
    """Raises ValidationError for what is neither true nor false: taken as false, a trial would be in earnest."""
    try:
        return bool(BooleanField().run_validation(form_fields(request).get(name) or False))
    except ValidationError as error:
        raise ValidationError({name: error.detail}) from error


def _row(submission: finding_counts.ScoredSubmission, request: Request) -> dict[str, Any]:
    return representation.submission_summary(submission, submission.in_scores, request)


class SubmissionList(UploadView):
    """Upload, and the submissions that the account may see."""

    parser_classes = [BundleParser]

    def get_throttles(self) -> list[BaseThrottle]:
        return [UploadThrottle()] if self.request.method == "POST" else super().get_throttles()

    @extend_schema(
        operation_id="submissions_list",
        parameters=[
            OpenApiParameter("state", str, description="Only those in this state."),
            OpenApiParameter("release", str, description="Only those of the release with this slug."),
            OpenApiParameter("id", str, description="Only those whose id begins so: 4 digits or more."),
            OpenApiParameter("result", str, description="Only the one that is published under this public id."),
            OpenApiParameter("cursor", str, description="From `next` of the page before."),
            OpenApiParameter("page_size", whole_schema(1, 200), description="Rows of one page, at most 200."),
        ],
        responses={200: shape.SubmissionPage} | REFUSED,
    )
    def get(self, request: Request) -> Response:
        """One page of them, newest first, narrowed by what the query names."""
        refuse_unknown(request.query_params, ("state", "release", "id", "result", "cursor", "page_size"))
        submissions = finding_counts.with_scores(JOINED & visible_to(account_of(request)))
        if states := values_of(request.query_params, "state"):
            submissions = submissions.filter(
                any_of("state", lambda state: Q(state=parse_choice(State.values, state)), states)
            )
        if beginnings := values_of(request.query_params, "id"):
            submissions = submissions.filter(any_of("id", lambda beginning: id_begins("id", beginning), beginnings))
        if releases := values_of(request.query_params, "release"):
            submissions = submissions.filter(any_of("release", lambda slug: Q(release__slug__iexact=slug), releases))
        if public_ids := values_of(request.query_params, "result"):
            submissions = submissions.filter(result__public_id__in=public_ids)
        cursor = request.query_params.get("cursor", "")
        current_page = cursor_pages.take_objects(submissions, NEWEST, cursor, page_size(request, 50, 200))
        rows = [_row(submission, request) for submission in current_page.rows]
        return Response({"next": next_address(request, current_page.cursor), "results": rows})

    @write_operation(
        operation_id="submissions_upload",
        request={"multipart/form-data": intake_requests.UploadRequest},
        responses={202: lifecycle_responses.Receipt, 200: lifecycle_responses.Receipt, 201: lifecycle_responses.Receipt}
        | REFUSED
        | LARGE
        | UNAVAILABLE,
    )
    def post(self, request: Request) -> Response:
        account = account_of(request)
        bundle = request.FILES.get("bundle")
        test, draft = (_is_true(request, name) for name in ("test", "draft"))
        if bundle is None and draft:
            begun = intake_receive.create_draft(account, declared_by_form(request), test=test)
            return Response(lifecycle_representation.receipt_document(begun, request), status=201)
        submission, created = intake_receive.receive_bundle(
            account,
            bundle,
            bundle and intake_receive.require_sha256(form_fields(request).get("sha256")),
            declared_by_form(request),
            test=test,
            signature=form_fields(request).get("signature", ""),
        )
        return Response(lifecycle_representation.receipt_document(submission, request), status=202 if created else 200)


class SubmissionDetailView(PrivateView):
    """One submission with all that is known of it."""

    @extend_schema(operation_id="submissions_read", responses={200: shape.SubmissionDetail} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        return _detail_response(request, id)


class SubmissionFindings(PrivateView):
    """The findings on the archive and on the run that counts, worst first."""

    @extend_schema(operation_id="submissions_findings", responses={200: checks_responses.FindingPage} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        submission = visible_submission(account_of(request), id)
        check = checks_representation.latest_check(submission)
        findings = finding_counts.list_findings(submission, check.report) if check else []
        return Response({"next": None, "results": findings})


class SubmissionHistory(PrivateView):
    """Every change of state: when, by whom, from what to what, why."""

    @extend_schema(operation_id="submissions_history", responses={200: lifecycle_responses.HistoryPage} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        return Response(
            lifecycle_responses.HistoryPage(
                next=None,
                results=lifecycle_representation.history_document(visible_submission(account_of(request), id)),
            )
        )


class SubmissionSubmit(PrivateView):
    """Submit a checked run to an open release."""

    @write_operation(
        operation_id="submissions_submit",
        request=overview_requests.SubmitRequest,
        responses={200: shape.SubmissionDetail} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        decisions.submit_run(
            own_submission(account, id), account, **validated_body(request, overview_requests.SubmitRequest)
        )
        return _detail_response(request, id)


class SubmissionRevalidate(PrivateView):
    """Check again: by the submitter with what is said beside the bytes changed, by a reviewer while under review."""

    @write_operation(
        operation_id="submissions_revalidate",
        request=checks_requests.RevalidateRequest,
        responses={202: lifecycle_responses.Receipt} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        submission = visible_submission(account, id)
        changes = validated_body(request, checks_requests.RevalidateRequest)
        if is_own(account, submission):
            edit.save_metadata_and_recheck(submission, account, **changes)
        elif changes:
            raise NotYours("A reviewer checks it again as it is; what is said beside it is the submitter's.")
        else:
            decisions.request_recheck(submission, account)
        submission.refresh_from_db(fields=["state"])
        return Response(lifecycle_representation.receipt_document(submission, request), status=202)


class SubmissionRevise(PrivateView):
    """Begin a revision of a published result: a submission of its own, with the same bytes."""

    @write_operation(
        operation_id="submissions_revise",
        request=editing_requests.ReviseRequest,
        responses={202: lifecycle_responses.Receipt} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        submission = own_submission(account, id)
        revision = edit.start_revision(submission, account, **validated_body(request, editing_requests.ReviseRequest))
        return Response(lifecycle_representation.receipt_document(revision, request), status=202)


class SubmissionKeep(PrivateView):
    """Keep a draft or a test upload that would expire: its time begins anew."""

    @write_operation(operation_id="submissions_keep", responses={200: shape.SubmissionDetail} | REFUSED | CONFLICT)
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        keeping.keep_longer(own_submission(account, id), account)
        return _detail_response(request, id)


class SubmissionWithdraw(PrivateView):
    """Take a run back, with a reason; a published result keeps its page, which says so."""

    @write_operation(
        operation_id="submissions_withdraw",
        request=overview_requests.WithdrawRequest,
        responses={200: shape.SubmissionDetail} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        decisions.withdraw_run(
            own_submission(account, id), account, **validated_body(request, overview_requests.WithdrawRequest)
        )
        return _detail_response(request, id)


def _detail_response(request: Request, id: UUID) -> Response:
    submission = visible_submission(account_of(request), id, DETAILED)
    again = representation.retry_after_s(submission)
    return Response(
        representation.submission_document(submission, request), headers={"Retry-After": str(again)} if again else {}
    )
