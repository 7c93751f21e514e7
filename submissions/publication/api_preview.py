"""Previews by API: a list before it is published, for reviewers and editors."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from registry.query import public_record
from submissions.publication import preview
from submissions.publication import responses as shape
from submissions.web.api_base import REFUSED, PrivateView, validated_body
from submissions.web.request_bodies import write_operation


class Proposal(s.Serializer):
    definition = s.JSONField(required=False, default=None, help_text="Body of a list definition; null: the newest.")
    score = s.JSONField(required=False, default=None, help_text="A score definition of scores.1; null: the current.")


class ListPreview(PrivateView):
    """The list as publishing would make it now, each exclusion explained; nothing is stored."""

    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="lists_preview", responses={200: shape.PreviewShape} | REFUSED)
    def get(self, request: Request, release: str, list: str) -> Response:
        list_preview = preview.preview_list(public_record.find_release(release), list.lower(), request.user)
        return Response(preview.preview_as_json(list_preview))

    @write_operation(
        operation_id="lists_preview_proposed", request=Proposal, responses={200: shape.PreviewShape} | REFUSED
    )
    def post(self, request: Request, release: str, list: str) -> Response:
        list_preview = preview.preview_list(
            public_record.find_release(release), list.lower(), request.user, **validated_body(request, Proposal)
        )
        return Response(preview.preview_as_json(list_preview))
