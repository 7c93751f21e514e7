"""Identities by API: what was merged and split, what a merging would move, and the acts themselves. For editors."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.models import IdentityChange
from registry.models.identities import NONCE
from registry.query import cursor_pages
from registry.query.questions import filters
from registry.web.api_base import next_address
from submissions.identities import acts, preview, requests
from submissions.identities import responses as shape
from submissions.models import Account, Token
from submissions.permissions import require_role
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation

PAGE_ROWS = 100
NAMES = ("kind", "former", "into")
ANSWERS = {200: shape.IdentityAct} | REFUSED | CONFLICT


class IdentityActs(PrivateView):
    """Every merging and splitting, newest first; for editors."""

    token_scope = Token.Scope.RELEASE

    @extend_schema(
        operation_id="identities_list",
        parameters=[OpenApiParameter("cursor", OpenApiTypes.STR, description="From `next`.")],
        responses={200: shape.IdentityActPage} | REFUSED,
    )
    def get(self, request: Request) -> Response:
        _require_editor(request)
        filters.refuse_unknown(request.query_params, ("cursor", "format"))
        cursor = request.query_params.get("cursor", "")
        page = cursor_pages.take_objects(IdentityChange.objects.all(), cursor_pages.NEWEST_IDS, cursor, PAGE_ROWS)
        return Response({"next": next_address(request, page.cursor), "results": [act_row(row) for row in page.rows]})


class IdentityMerge(PrivateView):
    """GET tells what a merging would move, POST makes one of two."""

    token_scope = Token.Scope.RELEASE

    @extend_schema(
        operation_id="identities_preview",
        parameters=[
            OpenApiParameter(
                "kind", OpenApiTypes.STR, required=True, enum=IdentityChange.Kind.values, description="What both are."
            ),
            OpenApiParameter("former", OpenApiTypes.STR, required=True, description="Slug that is to go."),
            OpenApiParameter("into", OpenApiTypes.STR, required=True, description="Slug that is to remain."),
        ],
        responses={200: shape.MergePreview} | REFUSED,
    )
    def get(self, request: Request) -> Response:
        account = _require_editor(request)
        filters.refuse_unknown(request.query_params, (*NAMES, "format"))
        kind, former, into = (request.query_params.get(name, "") for name in NAMES)
        if kind not in IdentityChange.Kind.values:
            raise filters.InvalidValue("kind", f"one of {', '.join(IdentityChange.Kind.values)}")
        return Response(preview_row(preview.preview_merge(account, kind, former, into)))

    @write_operation(operation_id="identities_merge", request=requests.MergeRequest, responses=ANSWERS)
    def post(self, request: Request) -> Response:
        account = _require_editor(request)
        return Response(act_row(acts.merge_identities(account, **validated_body(request, requests.MergeRequest))))


class IdentitySplit(PrivateView):
    """Move results off a system, or systems off an institution."""

    token_scope = Token.Scope.RELEASE

    @write_operation(operation_id="identities_split", request=requests.SplitRequest, responses=ANSWERS)
    def post(self, request: Request) -> Response:
        account = _require_editor(request)
        return Response(act_row(acts.split_identity(account, **validated_body(request, requests.SplitRequest))))


class IdentityUndo(PrivateView):
    """Take an act back: what it moved returns, what came later stays."""

    token_scope = Token.Scope.RELEASE

    @write_operation(operation_id="identities_undo", request=requests.UndoRequest, responses=ANSWERS)
    def post(self, request: Request, id: int) -> Response:
        account = _require_editor(request)
        return Response(act_row(acts.undo_act(account, id, **validated_body(request, requests.UndoRequest))))


def _require_editor(request: Request) -> Account:
    """Before the body is looked at: who may not act learns nothing else. Raises Forbidden."""
    account = account_of(request)
    require_role(account, Account.Role.EDITOR)
    return account


def act_row(change: IdentityChange) -> dict[str, Any]:
    """An act as editors read it."""
    columns = ("kind", "from_slug", "from_name", "to_slug", "to_name", "reason", "source", "decided_by")
    later = ("made_at", "public", "moved", "undone_at", "undone_by", "undone_reason")
    row = {"id": change.pk, "act": change.action, "part_of": change.part_of_id} | {
        name: getattr(change, name) for name in (*columns, *later)
    }
    return row | {"moved": {name: value for name, value in change.moved.items() if name != NONCE}}


def preview_row(foreseen: preview.Preview) -> dict[str, Any]:
    """A preview as an answer."""
    counted = ("results", "first_results", "systems", "steps", "followers", "submissions", "members", "invitations")
    return {
        "kind": foreseen.kind,
        "former": foreseen.former.slug,
        "into": foreseen.into.slug,
        "refused": foreseen.refused.code if foreseen.refused else None,
        "refused_why": foreseen.refused.detail if foreseen.refused else "",
        "becoming_one": [{"former": former, "into": into} for former, into in foreseen.becoming_one],
    } | {name: getattr(foreseen, name) for name in counted}
