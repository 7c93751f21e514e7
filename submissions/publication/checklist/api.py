"""The checklist of a release by API, for editors."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from registry.query import public_record
from submissions.models import Token
from submissions.permissions import IsEditor
from submissions.publication.checklist import items, representation, requests
from submissions.publication.checklist import responses as shape
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation


class ReleaseChecklist(PrivateView):
    """The committee's own checklist of a release with its history; editors add to it."""

    token_scope = Token.Scope.RELEASE
    permission_classes = [IsAuthenticated, IsEditor]

    @extend_schema(operation_id="releases_checklist", responses={200: shape.Checklist} | REFUSED)
    def get(self, request: Request, release: str) -> Response:
        return Response(representation.checklist_document(public_record.find_release(release)))

    @write_operation(
        operation_id="releases_checklist_add",
        request=requests.ChecklistItemRequest,
        responses={201: shape.ChecklistItemRow} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, release: str) -> Response:
        fields = validated_body(request, requests.ChecklistItemRequest)
        item = items.add_item(public_record.find_release(release), account_of(request), **fields)
        return Response(representation.item_document(item), status=201)


class ReleaseChecklistItem(PrivateView):
    """One item of it: rename, tick, untick, move, remove."""

    token_scope = Token.Scope.RELEASE
    permission_classes = [IsAuthenticated, IsEditor]

    @write_operation(
        operation_id="releases_checklist_change",
        request=requests.ChecklistItemChange,
        responses={200: shape.ChecklistItemRow} | REFUSED | CONFLICT,
    )
    def patch(self, request: Request, release: str, id: int) -> Response:
        fields = validated_body(request, requests.ChecklistItemChange)
        item = items.change_item(public_record.find_release(release), account_of(request), id, **fields)
        return Response(representation.item_document(item))

    @write_operation(operation_id="releases_checklist_remove", responses={204: None} | REFUSED)
    def delete(self, request: Request, release: str, id: int) -> Response:
        items.remove_item(public_record.find_release(release), account_of(request), id)
        return Response(status=204)
