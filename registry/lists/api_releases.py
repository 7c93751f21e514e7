"""What the read API says of one release beside its lists."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.lists import analysis, awards
from registry.lists import responses as lists_responses
from registry.lists.awards import Award
from registry.query import public_record
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead
from registry.web.caching import kept_value


class ReleaseAwards(PublicRead):
    """The awards of each IO500 list of a release; none before it is published."""

    @extend_schema(operation_id="releases_awards", responses={200: lists_responses.Awards} | web_responses.NOT_FOUND)
    def get(self, request: Request, release: str) -> Response:
        stored_release = public_record.find_release(release)
        rows = [
            _award_row(ranked.name, ranked.title, award)
            for ranked, won in awards.awards_of_release(stored_release, kept_value)
            for award in won
        ]
        return Response({"release": stored_release.slug, "awards": rows})


class ListAnalysis(PublicRead):
    """One IO500 list over the releases; imported and verified lists are never one series."""

    @extend_schema(operation_id="analysis", responses={200: lists_responses.Analysis} | web_responses.NOT_FOUND)
    def get(self, request: Request, list: str) -> Response:
        name, _, rows = analysis.of_list(list, kept_value)
        return Response({"list": name, "releases": rows})


def _award_row(name: str, title: str, award: Award) -> dict[str, Any]:
    return {
        "list": name,
        "title": title,
        "award": award.award,
        "value": award.value,
        "unit": award.unit,
        "shared": award.is_shared,
        "winners": award.winners,
    }
