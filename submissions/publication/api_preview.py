"""Previews by API: a list before it is published, for reviewers and editors."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from registry.lists.responses import Ranks
from registry.query import public_record
from registry.web.responses import Definition
from submissions.publication import preview
from submissions.web.api_base import REFUSED, PrivateView, validated_body
from submissions.web.request_bodies import write_operation


class Proposal(s.Serializer):
    definition = s.JSONField(required=False, default=None, help_text="Body of a list definition; null: the newest.")
    score = s.JSONField(required=False, default=None, help_text="A score definition of scores.1; null: the current.")


class Previewed(s.Serializer):
    """What a preview says of a result. Where `submission` is not null, the id of the result is provisional."""

    result = s.CharField()
    submission = s.UUIDField(allow_null=True)
    release = s.CharField()
    institution = s.CharField(allow_blank=True)
    system = s.CharField(allow_blank=True)


class PreviewedEntry(Previewed):
    rank = s.IntegerField()
    rank_low = s.IntegerField()
    rank_high = s.IntegerField()
    score = s.FloatField(help_text="In the unit of `ranks`.")
    note = s.CharField(allow_blank=True, help_text="The reason of a decision of people.")


class PreviewedExclusion(Previewed):
    code = s.CharField()
    why = s.CharField()


class PreviewShape(s.Serializer):
    release = s.CharField()
    list = s.CharField()
    definition = Definition()
    ranks = Ranks()
    entries = PreviewedEntry(many=True)
    excluded = PreviewedExclusion(many=True)


class ListPreview(PrivateView):
    """The list as publishing would make it now, each exclusion explained; nothing is stored."""

    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="lists_preview", responses={200: PreviewShape} | REFUSED)
    def get(self, request: Request, release: str, list: str) -> Response:
        list_preview = preview.preview_list(public_record.find_release(release), list.lower(), request.user)
        return Response(preview.preview_as_json(list_preview))

    @write_operation(operation_id="lists_preview_proposed", request=Proposal, responses={200: PreviewShape} | REFUSED)
    def post(self, request: Request, release: str, list: str) -> Response:
        list_preview = preview.preview_list(
            public_record.find_release(release), list.lower(), request.user, **validated_body(request, Proposal)
        )
        return Response(preview.preview_as_json(list_preview))
