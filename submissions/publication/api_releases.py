"""Releases, publication and overrides by API."""

from __future__ import annotations

from dataclasses import asdict

from drf_spectacular.types import OpenApiTypes
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from registry.lists import api as lists_api
from registry.query import public_record
from registry.web.responses import UNAVAILABLE
from submissions.models import Token
from submissions.permissions import IsEditor
from submissions.publication import amendments, releases, requests
from submissions.publication import publish as publication_publish
from submissions.publication import responses as publication_responses
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import WritingView, write_operation


class EditableReleaseListView(WritingView, lists_api.ReleaseListView):
    """Every release, newest first; editors add one."""

    token_scope = Token.Scope.RELEASE
    permission_classes = [IsAuthenticated, IsEditor]

    @write_operation(
        operation_id="releases_create",
        request=requests.ReleaseRequest,
        responses={201: OpenApiTypes.OBJECT} | REFUSED | CONFLICT,
    )
    def post(self, request: Request) -> Response:
        release = releases.create_release(**validated_body(request, requests.ReleaseRequest))
        return Response(lists_api.as_release(release, []), status=201)


class EditableReleaseDetailView(WritingView, lists_api.ReleaseDetailView):
    """One release with its lists; editors change it until it is published."""

    token_scope = Token.Scope.RELEASE
    permission_classes = [IsAuthenticated, IsEditor]

    @write_operation(
        operation_id="releases_change",
        request=requests.ReleaseChange,
        responses={200: OpenApiTypes.OBJECT} | REFUSED | CONFLICT,
    )
    def patch(self, request: Request, release: str) -> Response:
        changed = releases.change_release(
            public_record.find_release(release), **validated_body(request, requests.ReleaseChange)
        )
        return Response(lists_api.as_release(changed, public_record.ranked_lists().filter(release=changed)))


class ReleasePublish(PrivateView):
    """Publish: copy what was accepted into the public record and freeze the lists. Again: no change."""

    token_scope = Token.Scope.RELEASE
    permission_classes = [IsAuthenticated, IsEditor]

    @write_operation(
        operation_id="releases_publish",
        request=requests.PublishRequest,
        responses={200: publication_responses.Published} | REFUSED | CONFLICT | UNAVAILABLE,
    )
    def post(self, request: Request, release: str) -> Response:
        options = validated_body(request, requests.PublishRequest)
        return Response(
            asdict(
                publication_publish.publish_release(public_record.find_release(release), account_of(request), **options)
            )
        )


class ListOverrides(PrivateView):
    """A decision of people about one result and one list, with its reason; the list is amended by it."""

    token_scope = Token.Scope.RELEASE
    permission_classes = [IsAuthenticated, IsEditor]

    @write_operation(
        operation_id="lists_override",
        request=requests.OverrideRequest,
        responses={200: publication_responses.OverrideResponse} | REFUSED,
    )
    def post(self, request: Request, release: str, list: str) -> Response:
        fields = validated_body(request, requests.OverrideRequest)
        fields["result_id"] = fields.pop("result")
        decision, ranked_list = amendments.override_result(
            public_record.ranked_list(release, list), account_of(request), **fields
        )
        return Response(amendments.override_document(decision, ranked_list))
