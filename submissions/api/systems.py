"""The described system of a submission in the forms of other programmes."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry import snapshots
from registry.api.reading import download
from submissions.api.documents import chosen_primary, latest_check
from submissions.api.edges import REFUSED, PrivateView
from submissions.errors import NoSystem
from submissions.models import Submission
from submissions.permissions import seen_by
from validators import exports

DESCRIBED = Submission.objects.select_related("system_snapshot", "institution")


class SubmissionSystemForm(PrivateView):
    """The described system in the form that IO500 (`io500`) or MLPerf Storage (`mlperf-storage`) asks for."""

    @extend_schema(operation_id="submissions_system_form", responses={200: OpenApiTypes.OBJECT} | REFUSED)
    def get(self, request: Request, id: UUID, form: str) -> Response:
        submission = seen_by(request.user, id, DESCRIBED)
        snapshot = getattr(submission, "system_snapshot", None)
        if snapshot is None:
            raise NoSystem
        made = snapshots.in_form(form, snapshot.document, told(submission))
        return download(made.document, exports.FILENAMES[form])


def told(submission: Submission) -> exports.Told:
    """What forms ask beside the description: of the run that counts, and of who submits."""
    check = latest_check(submission)
    primary = chosen_primary(submission, check.report) if check else None
    run = check.report["runs"][primary] if primary is not None else {"parameters": {}, "version": ""}
    return exports.Told(
        institution=submission.institution.name if submission.institution else "",
        tool_version=run["version"],
        client_nodes=run["parameters"].get("client_nodes"),
        procs_per_node=run["parameters"].get("procs_per_node"),
    )
