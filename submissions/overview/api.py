"""The write API and private reading: each view reads its input, calls one function of a stage, shows what came back."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from django.db.models import Q
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BooleanField

from registry.query import public_record
from registry.query.filters import any_of, given, one_of, refuse_unknown
from registry.results import api as results_api
from registry.web.api_base import next_address, page_size
from registry.web.throttles import CheckThrottle, UploadThrottle
from submissions.checks import dry_check, finding_counts
from submissions.editing import edit
from submissions.errors import NotYours
from submissions.intake import receive as intake_receive
from submissions.models import State, Submission, Token
from submissions.overview import representation
from submissions.overview import responses as shape
from submissions.permissions import IsEditor, is_own, require_own, require_review, seen_by, visible_to
from submissions.publication import amendments, releases
from submissions.publication import publish as publication_publish
from submissions.review import decisions
from submissions.web.api_base import (
    CONFLICT,
    LARGE,
    REFUSED,
    UNAVAILABLE,
    BundleParser,
    PrivateView,
    UploadView,
    list_names,
    valid,
)
from submissions.web.paging import page
from submissions.web.request_bodies import WritingView, writes

JOINED = Submission.objects.select_related("account", "institution", "release", "result", "derivative", "signature")
WHOLE = JOINED.select_related("system_snapshot").defer("system_snapshot__document")


def _declared(request: Request) -> intake_receive.Declared:
    data = request.data
    return intake_receive.declared(data.get("release", ""), list_names(data), data.get("metadata"))


def _is_true(request: Request, name: str) -> bool:
    """Raises ValidationError for what is neither true nor false: taken as false, a trial would be in earnest."""
    try:
        return bool(BooleanField().run_validation(request.data.get(name) or False))
    except ValidationError as error:
        raise ValidationError({name: error.detail}) from error


class SubmissionList(UploadView):
    """Upload, and the submissions that the account may see."""

    parser_classes = [BundleParser]

    def get_throttles(self) -> list:
        return [UploadThrottle()] if self.request.method == "POST" else super().get_throttles()

    @extend_schema(
        operation_id="submissions_list",
        parameters=[
            OpenApiParameter("state", str, description="Only those in this state."),
            OpenApiParameter("cursor", str, description="From `next` of the page before."),
            OpenApiParameter("page_size", int, description="Rows of one page, at most 200."),
        ],
        responses={200: shape.SubmissionPage} | REFUSED,
    )
    def get(self, request: Request) -> Response:
        refuse_unknown(request.query_params, ("state", "cursor", "page_size"))
        found = JOINED & visible_to(request.user)
        if states := given(request.query_params, "state"):
            found = found.filter(any_of("state", lambda state: Q(state=one_of(State.values, state)), states))
        shown = page(found, request.query_params.get("cursor", ""), page_size(request, 50, 200))
        rows = [representation.summary(row, request) for row in shown.rows]
        return Response({"next": next_address(request, shown.cursor), "results": rows})

    @writes(
        operation_id="submissions_upload",
        request={"multipart/form-data": shape.UploadRequest},
        responses={202: shape.Receipt, 200: shape.Receipt, 201: shape.Receipt} | REFUSED | LARGE | UNAVAILABLE,
    )
    def post(self, request: Request) -> Response:
        bundle = request.FILES.get("bundle")
        test, draft = (_is_true(request, name) for name in ("test", "draft"))
        if bundle is None and draft:
            begun = intake_receive.begin(request.user, _declared(request), test=test)
            return Response(representation.receipt(begun, request), status=201)
        submission, created = intake_receive.receive(
            request.user,
            bundle,
            bundle and intake_receive.require_sha256(request.data.get("sha256")),
            _declared(request),
            test=test,
            signature=request.data.get("signature", ""),
        )
        return Response(representation.receipt(submission, request), status=202 if created else 200)


class SubmissionDetail(PrivateView):
    """One submission with all that is known of it."""

    @extend_schema(operation_id="submissions_read", responses={200: shape.SubmissionWhole} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        return _whole(request, id)


class SubmissionFindings(PrivateView):
    """The findings on the archive and on the run that counts, worst first."""

    @extend_schema(operation_id="submissions_findings", responses={200: shape.FindingPage} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        submission = seen_by(request.user, id)
        check = representation.latest_check(submission)
        found = finding_counts.of(submission, check.report) if check else []
        return Response({"next": None, "results": found})


class SubmissionHistory(PrivateView):
    """Every change of state: when, by whom, from what to what, why."""

    @extend_schema(operation_id="submissions_history", responses={200: shape.HistoryPage} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        return Response({"next": None, "results": representation.history(seen_by(request.user, id))})


class SubmissionSubmit(PrivateView):
    """Submit a checked run to an open release."""

    @writes(
        operation_id="submissions_submit",
        request=shape.SubmitRequest,
        responses={200: shape.SubmissionWhole} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        submission = seen_by(request.user, id)
        require_own(request.user, submission)
        decisions.submit(submission, request.user, **valid(request, shape.SubmitRequest))
        return _whole(request, id)


class SubmissionRevalidate(PrivateView):
    """Check again: by the submitter with what is said beside the bytes changed, by a reviewer while under review."""

    @writes(
        operation_id="submissions_revalidate",
        request=shape.RevalidateRequest,
        responses={202: shape.Receipt} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        submission = seen_by(request.user, id)
        said = valid(request, shape.RevalidateRequest)
        if is_own(request.user, submission):
            edit.revalidate(submission, request.user, **said)
        elif said:
            raise NotYours("A reviewer checks it again as it is; what is said beside it is the submitter's.")
        else:
            decisions.check_again(submission, request.user)
        submission.refresh_from_db(fields=["state"])
        return Response(representation.receipt(submission, request), status=202)


class SubmissionRevise(PrivateView):
    """Begin a revision of a published result: a submission of its own, with the same bytes."""

    @writes(
        operation_id="submissions_revise",
        request=shape.ReviseRequest,
        responses={202: shape.Receipt} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        submission = seen_by(request.user, id)
        require_own(request.user, submission)
        revision = edit.revise(submission, request.user, **valid(request, shape.ReviseRequest))
        return Response(representation.receipt(revision, request), status=202)


class SubmissionWithdraw(PrivateView):
    """Take a run back, with a reason; a published result keeps its page, which says so."""

    @writes(
        operation_id="submissions_withdraw",
        request=shape.WithdrawRequest,
        responses={200: shape.SubmissionWhole} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        submission = seen_by(request.user, id)
        require_own(request.user, submission)
        decisions.withdraw(submission, request.user, **valid(request, shape.WithdrawRequest))
        return _whole(request, id)


class SubmissionReview(PrivateView):
    """A reviewer's decision, with its reason; `excluded` says where an accepted run could not rank, and why."""

    token_scope = Token.Scope.REVIEW

    @writes(
        operation_id="submissions_review",
        request=shape.ReviewRequest,
        responses={200: shape.ReviewAnswer} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        submission = seen_by(request.user, id, JOINED)
        require_review(request.user, submission)
        made = decisions.decide(submission, request.user, **valid(request, shape.ReviewRequest))
        submission.refresh_from_db(fields=["state"])
        return Response(
            representation.receipt(submission, request)
            | representation.review(made)
            | {"excluded": representation.excluded(submission, made)}
        )


class SubmissionLate(PrivateView):
    """An editor lets a submission come to a release after its deadline, with the reason."""

    token_scope = Token.Scope.RELEASE

    @writes(
        operation_id="submissions_late",
        request=shape.LateRequest,
        responses={200: shape.LateAnswer} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        submission = seen_by(request.user, id)
        return Response(
            representation.late(decisions.admit_late(submission, request.user, **valid(request, shape.LateRequest)))
        )


class ReleaseList(WritingView, results_api.ReleaseList):
    """Every release, newest first; editors add one."""

    token_scope = Token.Scope.RELEASE
    permission_classes = [IsAuthenticated, IsEditor]

    @writes(
        operation_id="releases_create",
        request=shape.ReleaseRequest,
        responses={201: OpenApiTypes.OBJECT} | REFUSED | CONFLICT,
    )
    def post(self, request: Request) -> Response:
        release = releases.create(**valid(request, shape.ReleaseRequest))
        return Response(results_api.as_release(release, []), status=201)


class ReleaseDetail(WritingView, results_api.ReleaseDetail):
    """One release with its lists; editors change it until it is published."""

    token_scope = Token.Scope.RELEASE
    permission_classes = [IsAuthenticated, IsEditor]

    @writes(
        operation_id="releases_change",
        request=shape.ReleaseChange,
        responses={200: OpenApiTypes.OBJECT} | REFUSED | CONFLICT,
    )
    def patch(self, request: Request, release: str) -> Response:
        changed = releases.change(public_record.release(release), **valid(request, shape.ReleaseChange))
        return Response(results_api.as_release(changed, public_record.ranked_lists().filter(release=changed)))


class ReleasePublish(PrivateView):
    """Publish: copy what was accepted into the public record and freeze the lists. Again: no change."""

    token_scope = Token.Scope.RELEASE
    permission_classes = [IsAuthenticated, IsEditor]

    @writes(
        operation_id="releases_publish",
        request=shape.PublishRequest,
        responses={200: shape.Published} | REFUSED | CONFLICT | UNAVAILABLE,
    )
    def post(self, request: Request, release: str) -> Response:
        asked = valid(request, shape.PublishRequest)
        return Response(asdict(publication_publish.publish(public_record.release(release), request.user, **asked)))


class ListOverrides(PrivateView):
    """A decision of people about one result and one list, with its reason; the list is amended by it."""

    token_scope = Token.Scope.RELEASE
    permission_classes = [IsAuthenticated, IsEditor]

    @writes(
        operation_id="lists_override",
        request=shape.OverrideRequest,
        responses={200: shape.OverrideAnswer} | REFUSED,
    )
    def post(self, request: Request, release: str, list: str) -> Response:
        asked = valid(request, shape.OverrideRequest)
        asked["result_id"] = asked.pop("result")
        decision, ranked_list = amendments.override(public_record.ranked_list(release, list), request.user, **asked)
        return Response(representation.override(decision, ranked_list))


class CheckNow(UploadView):
    """The findings on a bundle, of which nothing is kept; a worker looks at it, with a deadline."""

    parser_classes = [BundleParser]
    throttle_classes = [CheckThrottle]

    @writes(
        operation_id="check",
        request={"multipart/form-data": shape.CheckRequest},
        responses={200: shape.Report, (504, "application/problem+json"): shape.Problem} | REFUSED | LARGE | UNAVAILABLE,
    )
    def post(self, request: Request) -> Response:
        bundle = request.FILES.get("bundle")
        return Response(dry_check.check_now(bundle, request.data.get("sha256", ""), _declared(request)))


def _whole(request: Request, id: UUID) -> Response:
    submission = seen_by(request.user, id, WHOLE)
    again = representation.retry_after_s(submission)
    return Response(representation.whole(submission, request), headers={"Retry-After": str(again)} if again else {})
