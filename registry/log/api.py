"""Proofs by API: that the log has a result or a list as it is shown."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.log import responses as shape
from registry.log.proofs import subject_proof
from registry.log.recorded_read import RecordedRead
from registry.query import demonstration, public_record, study_query
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead

LEAF = OpenApiParameter("leaf", str, description="The record with this leaf; left out, the newest.")


class ResultProof(RecordedRead):
    """The record of a result, and the proof that it is in the transparency log."""

    query_names = ("leaf",)

    @extend_schema(
        operation_id="results_proof",
        parameters=[LEAF],
        responses={200: shape.Proof} | web_responses.REFUSED | web_responses.NOT_FOUND,
    )
    def get(self, request: Request, id: str) -> Response:
        leaf = study_query.single_value(request.query_params, "leaf")
        listed = id if demonstration.is_demonstration(id) else public_record.find_result(id).public_id
        return Response(subject_proof(f"results/{listed}", leaf))


class ListProof(PublicRead):
    """The record of a frozen list, and the proof that it is in the transparency log."""

    query_names = ("leaf",)

    @extend_schema(
        operation_id="lists_proof",
        parameters=[LEAF],
        responses={200: shape.Proof} | web_responses.REFUSED | web_responses.NOT_FOUND,
    )
    def get(self, request: Request, release: str, list: str) -> Response:
        leaf = study_query.single_value(request.query_params, "leaf")
        listed = public_record.ranked_list(release, list)
        return Response(subject_proof(f"lists/{listed.release.slug}/{listed.name}", leaf))
