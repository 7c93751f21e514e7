"""Anonymous publication by API: ask for it, decide about it, take it back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from submissions.models import Submission, Token
from submissions.permissions import visible_submission
from submissions.publication import anonymity, requests
from submissions.publication import responses as shape
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation

JOINED = Submission.objects.select_related("institution", "anonymity")


class SubmissionAnonymity(PrivateView):
    """Publication without a name: what is asked, asking for it, and agreeing to be named, also once it is published."""

    @extend_schema(operation_id="submissions_anonymity", responses={200: shape.Anonymity} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        return _anonymity_response(request, id)

    @write_operation(
        operation_id="submissions_anonymity_ask",
        request=requests.AskRequest,
        responses={200: shape.Anonymity} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        anonymity.ask_anonymity(
            visible_submission(account, id, JOINED), account, **validated_body(request, requests.AskRequest)
        )
        return _anonymity_response(request, id)

    @write_operation(
        operation_id="submissions_anonymity_take_back", responses={200: shape.Anonymity} | REFUSED | CONFLICT
    )
    def delete(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        anonymity.take_back(visible_submission(account, id, JOINED), account)
        return _anonymity_response(request, id)


class SubmissionAnonymityDecision(PrivateView):
    """An editor grants or refuses what was asked, once, with the reason."""

    token_scope = Token.Scope.RELEASE

    @write_operation(
        operation_id="submissions_anonymity_decide",
        request=requests.DecisionRequest,
        responses={200: shape.Anonymity} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        anonymity.decide_anonymity(
            visible_submission(account, id, JOINED),
            account,
            **validated_body(request, requests.DecisionRequest),
        )
        return _anonymity_response(request, id)


def _anonymity_response(request: Request, id: UUID) -> Response:
    row = getattr(visible_submission(account_of(request), id, JOINED), "anonymity", None)
    nothing: dict[str, Any] = {"reason": "", "granted": None, "decision": "", "lifted_at": None}
    return Response({"asked": row is not None} | {name: getattr(row, name, empty) for name, empty in nothing.items()})
