"""Previews by API: a list before it is published, for reviewers and editors."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from registry.query import public_record
from submissions.models import Token
from submissions.publication import preview, requests
from submissions.publication import responses as shape
from submissions.web.api_base import REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation


class ListPreview(PrivateView):
    """The list as publishing would make it now, each exclusion explained; nothing is stored."""

    permission_classes = [IsAuthenticated]
    token_scope = Token.Scope.READ  # a proposal stores nothing: who sends one reads the list

    @extend_schema(operation_id="lists_preview", responses={200: shape.PreviewShape} | REFUSED)
    def get(self, request: Request, release: str, list: str) -> Response:
        list_preview = preview.preview_list(public_record.find_release(release), list.lower(), account_of(request))
        return Response(preview.preview_as_json(list_preview))

    @write_operation(
        operation_id="lists_preview_proposed", request=requests.Proposal, responses={200: shape.PreviewShape} | REFUSED
    )
    def post(self, request: Request, release: str, list: str) -> Response:
        list_preview = preview.preview_list(
            public_record.find_release(release),
            list.lower(),
            account_of(request),
            **validated_body(request, requests.Proposal),
        )
        return Response(preview.preview_as_json(list_preview))
