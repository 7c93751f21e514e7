"""Proofs by API: that the log has a result, a list, a release, a name, a mark or a change as it is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from registry.dumps import editions
from registry.log import records
from registry.log import responses as shape
from registry.log.name_records import subject_of
from registry.log.proofs import subject_proof
from registry.log.recorded_read import RecordedRead
from registry.models import IdentityChange, LogOpening, Platform, Site, System
from registry.models.identities import DECIDERS
from registry.query import cursor_pages, demonstration, public_record
from registry.query.questions import study_query
from registry.query.reproductions import RecordedMark
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead, next_address

LEAF = OpenApiParameter("leaf", str, description="The record with this leaf; left out, the newest.")


class ResultProof(RecordedRead):
    """The record of a result, and the proof that it is in the transparency log."""

    query_names = ("leaf",)

    @extend_schema(
        operation_id="results_proof",
        parameters=[LEAF],
        responses={200: shape.Proof} | web_responses.REFUSED | web_responses.NOT_FOUND,
    )
    def get(self, request: Request, id: str) -> Response:
        leaf = study_query.single_value(request.query_params, "leaf")
        listed = id if demonstration.is_demonstration(id) else public_record.find_result(id).public_id
        return Response(subject_proof(f"results/{listed}", leaf))


class ListProof(PublicRead):
    """The record of a frozen list, and the proof that it is in the transparency log."""

    query_names = ("leaf",)

    @extend_schema(
        operation_id="lists_proof",
        parameters=[LEAF],
        responses={200: shape.Proof} | web_responses.REFUSED | web_responses.NOT_FOUND,
    )
    def get(self, request: Request, release: str, list: str) -> Response:
        leaf = study_query.single_value(request.query_params, "leaf")
        listed = public_record.ranked_list(release, list)
        return Response(subject_proof(f"lists/{listed.release.slug}/{listed.name}", leaf))


class ReleaseProof(PublicRead):
    """The record of a release, and the proof that it is in the transparency log."""

    query_names = ("leaf",)

    @extend_schema(
        operation_id="releases_proof",
        parameters=[LEAF],
        responses={200: shape.Proof} | web_responses.REFUSED | web_responses.NOT_FOUND,
    )
    def get(self, request: Request, release: str) -> Response:
        leaf = study_query.single_value(request.query_params, "leaf")
        return Response(subject_proof(f"releases/{public_record.find_release(release).slug}", leaf))


class _NameProof(PublicRead):
    """What the three kinds of names have in common."""

    query_names = ("leaf",)
    kind: ClassVar[str]
    find_named: ClassVar[Callable[[str], Site | System | Platform]]

    def get(self, request: Request, slug: str) -> Response:
        leaf = study_query.single_value(request.query_params, "leaf")
        return Response(subject_proof(subject_of(self.kind, type(self).find_named(slug).slug), leaf))


def _describe_proof(operation_id: str) -> Any:
    answers = {200: shape.Proof} | web_responses.REFUSED | web_responses.NOT_FOUND
    return extend_schema_view(get=extend_schema(operation_id=operation_id, parameters=[LEAF], responses=answers))


@_describe_proof("sites_proof")
class SiteProof(_NameProof):
    """The record of an institution's name, and the proof that it is in the transparency log."""

    kind, find_named = LogOpening.Kind.SITE, public_record.find_site


@_describe_proof("systems_proof")
class SystemProof(_NameProof):
    """The record of a system's name, and the proof that it is in the transparency log."""

    kind, find_named = LogOpening.Kind.SYSTEM, public_record.find_system


@_describe_proof("platforms_proof")
class PlatformProof(_NameProof):
    """The record of a platform, and the proof that it is in the transparency log."""

    kind, find_named = LogOpening.Kind.PLATFORM, public_record.find_platform


class MarkDetail(PublicRead):
    """What came of a result that was to reproduce another one, as the log has it."""

    @extend_schema(operation_id="reproductions_read", responses={200: RecordedMark} | web_responses.NOT_FOUND)
    def get(self, request: Request, id: str) -> Response:
        mark = records.public_marks().filter(result__public_id=id.replace("\0", "")).first()
        if mark is None:
            hint = "Its result was to reproduce none, or is not judged yet."
            raise public_record.NotOnRecord("mark", id[:20], hint=hint)
        return Response(records.mark_fields(mark))


@_describe_proof("reproductions_proof")
class MarkProof(PublicRead):
    """The record of a mark of reproduction, and the proof that it is in the transparency log.

    It is there without the mark, too: whoever deletes one leaves its proof.
    """

    query_names = ("leaf",)

    def get(self, request: Request, id: str) -> Response:
        leaf = study_query.single_value(request.query_params, "leaf")
        return Response(subject_proof(records.mark_subject(id.replace("\0", "")), leaf))


class EditionProof(PublicRead):
    """The record of the files of the whole record that are served now, and the proof that it is in the log."""

    @extend_schema(operation_id="export_proof", responses={200: shape.Proof} | web_responses.UNAVAILABLE)
    def get(self, request: Request) -> Response:
        return Response(subject_proof(records.edition_subject(editions.edition_to_serve())))


PAGE_ROWS = 100


class NameChangeList(PublicRead):
    """Mergings and splittings of institutions, systems and platforms that stood in the record, the newest first."""

    query_names = ("cursor",)

    @extend_schema(
        operation_id="name_changes_list",
        parameters=[OpenApiParameter("cursor", str, description="From `next`.")],
        responses={200: shape.NameChangePage} | web_responses.REFUSED,
    )
    def get(self, request: Request) -> Response:
        cursor = study_query.single_value(request.query_params, "cursor")
        page = cursor_pages.take_objects(_public_changes(), cursor_pages.NEWEST_IDS, cursor, PAGE_ROWS)
        rows = [shape.NameChange(**records.name_change_fields(change)) for change in page.rows]
        return Response(shape.NameChangePage(next=next_address(request, page.cursor), results=rows))


class NameChangeDetail(PublicRead):
    """One merging or splitting, as the log has it."""

    @extend_schema(operation_id="name_changes_read", responses={200: shape.NameChange} | web_responses.NOT_FOUND)
    def get(self, request: Request, id: int) -> Response:
        return Response(records.name_change_fields(_find_change(id)))


class NameChangeProof(PublicRead):
    """The record of a merging or splitting, and the proof that it is in the transparency log."""

    query_names = ("leaf",)

    @extend_schema(
        operation_id="name_changes_proof",
        parameters=[LEAF],
        responses={200: shape.Proof} | web_responses.REFUSED | web_responses.NOT_FOUND,
    )
    def get(self, request: Request, id: int) -> Response:
        leaf = study_query.single_value(request.query_params, "leaf")
        return Response(subject_proof(records.name_change_subject(_find_change(id)), leaf))


def _public_changes() -> QuerySet[IdentityChange]:
    return IdentityChange.objects.filter(records.PUBLIC_CHANGES).defer(*DECIDERS)


def _find_change(id: int) -> IdentityChange:
    change = _public_changes().filter(pk=id).first() if id <= cursor_pages.LARGEST_ID else None
    if change is None:
        raise public_record.NotOnRecord("name change", str(id)[:20])
    return change
