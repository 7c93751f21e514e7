"""Saving studies and rankings by API, and removing one's own; what is saved is anybody's to read."""

from __future__ import annotations

from django.utils import timezone
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from registry.models import SavedStudy
from registry.studies import api as studies_api
from registry.studies import api_rankings, saved_queries
from registry.studies import responses as studies_responses
from registry.web.api_base import api_address
from submissions.web.api_base import REFUSED, validated_body
from submissions.web.request_bodies import Choice, WritingView, write_operation

STUDY, RANKING = SavedStudy.Kind.STUDY, SavedStudy.Kind.RANKING


class SaveRequest(s.Serializer[None]):
    title = s.CharField(max_length=saved_queries.TITLE_LIMIT, help_text="Title of the saved study or ranking.")
    question = s.CharField(max_length=saved_queries.QUESTION_LIMIT, help_text="The query string of study/ or ranking/.")
    keep = Choice(
        saved_queries.KEEP,
        default=saved_queries.LIVE,
        help_text="live: follows new results; as-of: stays as it is at this moment.",
    )


def _save(request: Request, kind: str, place: str) -> Response:
    fields = validated_body(request, SaveRequest)
    as_of = timezone.now() if fields["keep"] == saved_queries.AS_OF else None
    study = saved_queries.save(kind, fields["title"], fields["question"], request.user.username, as_of)
    return Response(saved_queries.study_summary(study) | {"url": api_address(request, place, study.slug)}, status=201)


class StudyList(WritingView, studies_api.StudyList):
    """All studies; anyone signed in saves one more."""

    @write_operation(
        operation_id="studies_save", request=SaveRequest, responses={201: studies_responses.StudyListed} | REFUSED
    )
    def post(self, request: Request) -> Response:
        return _save(request, STUDY, "studies")


class StudyDetail(WritingView, studies_api.StudyDetail):
    """One study; who saved it may remove it."""

    @write_operation(operation_id="studies_remove", responses={204: None} | REFUSED)
    def delete(self, request: Request, slug: str) -> Response:
        saved_queries.remove_saved(STUDY, slug, request.user.username)
        return Response(status=204)


class RankingList(WritingView, api_rankings.RankingList):
    """Rankings that people saved; anyone signed in saves one more."""

    @write_operation(
        operation_id="rankings_save", request=SaveRequest, responses={201: studies_responses.StudyListed} | REFUSED
    )
    def post(self, request: Request) -> Response:
        return _save(request, RANKING, "rankings")


class RankingDetail(WritingView, api_rankings.RankingDetail):
    """One saved ranking; who saved it may remove it."""

    @write_operation(operation_id="rankings_remove", responses={204: None} | REFUSED)
    def delete(self, request: Request, slug: str) -> Response:
        saved_queries.remove_saved(RANKING, slug, request.user.username)
        return Response(status=204)
