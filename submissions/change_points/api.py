"""Steps in the numbers of systems that an account may say something of, by API."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from registry.models import Step
from registry.timeseries import detected_steps
from registry.timeseries.api_series import STATES
from registry.web.api_base import next_address
from submissions.change_points import responses as shape
from submissions.change_points import triage
from submissions.models import StepComment
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation

PAGE = 100


class JudgeStepRequest(s.Serializer[None]):
    state = s.CharField(max_length=13, help_text=STATES)
    note = s.CharField(max_length=4 * triage.NOTE_LIMIT, default="", allow_blank=True, help_text="Public.")
    version = s.IntegerField(min_value=0, help_text="As it was read.")


class StepList(PrivateView):
    """Steps that the account may say something of, newest first."""

    @extend_schema(
        operation_id="steps_list",
        parameters=[
            OpenApiParameter("state", OpenApiTypes.STR, enum=Step.State.values),
            OpenApiParameter("system", OpenApiTypes.STR, description="Slug."),
            OpenApiParameter("cursor", OpenApiTypes.STR, description="From `next`."),
        ],
        responses={200: shape.StepPage} | REFUSED,
    )
    def get(self, request: Request) -> Response:
        rows, cursor = triage.list_change_points(account_of(request), request.query_params, PAGE)
        return Response({"next": next_address(request, cursor), "results": [_step_document(row) for row in rows]})


class StepDetail(PrivateView):
    """One of them with its history; POST says something of it."""

    @extend_schema(operation_id="steps_read", responses={200: shape.StepWithHistory} | REFUSED)
    def get(self, request: Request, id: int) -> Response:
        return Response(_with_history(triage.get_change_point(account_of(request), id)))

    @write_operation(
        operation_id="steps_say", request=JudgeStepRequest, responses={200: shape.StepWithHistory} | REFUSED | CONFLICT
    )
    def post(self, request: Request, id: int) -> Response:
        account = account_of(request)
        triage.set_state(triage.get_change_point(account, id), account, **validated_body(request, JudgeStepRequest))
        return self.get(request, id)


def _step_document(step: Step) -> dict[str, Any]:
    fields = {name: getattr(step, name) for name in ("id", "found_at", "state", "note", "version")}
    return fields | {"system": step.system.slug} | detected_steps.row_of(step)


def _with_history(step: Step) -> dict[str, Any]:
    return _step_document(step) | {"history": [_comment_document(comment) for comment in triage.state_history(step)]}


def _comment_document(comment: StepComment) -> dict[str, Any]:
    fields = {name: getattr(comment, name) for name in ("at", "from_state", "state", "note")}
    return fields | {"by": comment.account.username}
