"""The described system of a submission: as received, in the forms of other programmes, beside that of another."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.comparison.responses import SystemsCompared
from registry.presentation.responses import SystemDescription
from registry.query.facts import observed_parameters
from registry.query.questions.filters import refuse_unknown, whole_id
from registry.web.api_base import download_response
from submissions.bundles import representation
from submissions.checks import finding_counts
from submissions.checks import representation as checks_representation
from submissions.errors import NoSystem
from submissions.models import Submission
from submissions.permissions import visible_submission
from submissions.web.api_base import REFUSED, PrivateView
from submissions.web.request_account import account_of
from validators import exports

DESCRIBED = Submission.objects.select_related("system_snapshot", "institution")


class SubmissionSystem(PrivateView):
    """The description of the system in the bundle, as received."""

    @extend_schema(operation_id="submissions_system", responses={200: SystemDescription} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        submission = visible_submission(account_of(request), id, DESCRIBED)
        snapshot = getattr(submission, "system_snapshot", None)
        if snapshot is None:
            raise NoSystem
        missing = observed_parameters.missing_in_forms(snapshot.document, conversion_inputs(submission))
        return Response(representation.system_document(snapshot) | {"missing_in_forms": missing})


class SubmissionSystemForm(PrivateView):
    """The described system in the form that IO500 (`io500`) or MLPerf Storage (`mlperf-storage`) asks for."""

    @extend_schema(operation_id="submissions_system_form", responses={200: OpenApiTypes.OBJECT} | REFUSED)
    def get(self, request: Request, id: UUID, form: str) -> Response:
        submission = visible_submission(account_of(request), id, DESCRIBED)
        snapshot = getattr(submission, "system_snapshot", None)
        if snapshot is None:
            raise NoSystem
        converted = observed_parameters.convert(form, snapshot.document, conversion_inputs(submission))
        return download_response(converted.document, exports.FILENAMES[form])


class SubmissionDifference(PrivateView):
    """What differs between the systems of this submission and of another one that the account may see."""

    @extend_schema(
        operation_id="submissions_difference",
        parameters=[OpenApiParameter("with", UUID, required=True, description="Id of the other submission.")],
        responses={200: SystemsCompared} | REFUSED,
    )
    def get(self, request: Request, id: UUID) -> Response:
        refuse_unknown(request.query_params, ("with",))
        other = whole_id("with", request.query_params.get("with", ""))
        pair = [visible_submission(account_of(request), submission_id, DESCRIBED) for submission_id in (id, other)]
        return Response(representation.difference_document(*pair))


def conversion_inputs(submission: Submission) -> exports.Supplement:
    """What forms ask beside the description: of the run that counts, and of who submits."""
    check = checks_representation.latest_check(submission)
    primary = finding_counts.chosen_run(submission, check.report) if check else None
    run: dict[str, Any] = {"parameters": {}, "version": ""}
    if check and primary is not None:
        run = check.report["runs"][primary]
    return exports.Supplement(
        institution=submission.institution.name if submission.institution else "",
        tool_version=run["version"],
        client_nodes=run["parameters"].get("client_nodes"),
        procs_per_node=run["parameters"].get("procs_per_node"),
    )
