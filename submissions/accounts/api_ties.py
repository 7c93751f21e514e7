"""Ties to vendors by API: declare one, list them, and as an editor end one."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from submissions.accounts import responses as shape
from submissions.accounts import ties
from submissions.models import Tie, Token
from submissions.web.api_base import REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation

MOST_ROWS = 500


class TieRequest(s.Serializer[None]):
    vendor = s.CharField(max_length=120, help_text="The vendor; a tie is as staff, owner or by contract.")


class TieEndRequest(s.Serializer[None]):
    reason = s.CharField(max_length=2000, help_text="Why the tie is over. It is kept.")


class TieList(PrivateView):
    """The account's ties to vendors, for editors those of all accounts, newest first; one more of the own."""

    token_scope = Token.Scope.REVIEW

    @extend_schema(operation_id="ties_list", responses={200: shape.TiePage} | REFUSED)
    def get(self, request: Request) -> Response:
        rows = ties.visible_ties(account_of(request))[:MOST_ROWS]
        return Response(shape.TiePage(next=None, results=[_tie_row(tie) for tie in rows]))

    @write_operation(operation_id="ties_declare", request=TieRequest, responses={201: shape.TiePage} | REFUSED)
    def post(self, request: Request) -> Response:
        account = account_of(request)
        ties.declare_ties(account, [validated_body(request, TieRequest)["vendor"]])
        rows = account.ties.select_related(*ties.JOINED).order_by("-since", "-id")
        return Response(shape.TiePage(next=None, results=[_tie_row(tie) for tie in rows[:MOST_ROWS]]), status=201)


class TieEnding(PrivateView):
    """One tie of somebody else, to end with a reason."""

    token_scope = Token.Scope.RELEASE

    @write_operation(operation_id="ties_end", request=TieEndRequest, responses={200: shape.TieRow} | REFUSED)
    def post(self, request: Request, id: int) -> Response:
        return Response(
            _tie_row(ties.end_tie(id, account_of(request), validated_body(request, TieEndRequest)["reason"]))
        )


def _tie_row(tie: Tie) -> shape.TieRow:
    return shape.TieRow(
        id=tie.pk,
        account=tie.account.username,
        vendor=tie.vendor,
        since=tie.since,
        ended_at=tie.ended_at,
        ended_by=tie.ended_by.username if tie.ended_by else None,
        reason=tie.reason,
    )
