"""The shelf by API: its runs, their projects and labels, and with whom they are shared."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from registry.query import cursor_pages
from registry.query.questions.filters import any_of, refuse_unknown, values_of
from registry.web.api_base import next_address, page_size
from registry.web.paging import PAGE, PAGE_LARGEST
from submissions.models import Account
from submissions.shelf import groups, overview, scope
from submissions.shelf import responses as shape
from submissions.web.api_base import REFUSED, PrivateView, validated_body
from submissions.web.id_beginnings import id_begins
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation

PAGED = ("cursor", "page_size", "format")
NARROWING = [
    OpenApiParameter("project", str, description="Own runs of that project alone."),
    OpenApiParameter("label", str, description="Own runs with that label alone."),
    OpenApiParameter("submission", OpenApiTypes.UUID, description="Own runs of that upload alone."),
    OpenApiParameter("tool", str, description="Own runs of that benchmark alone."),
    OpenApiParameter("path", str, description="Own runs with that text in their path or file name, in any case."),
]


class GroupRequest(s.Serializer[None]):
    project = s.CharField(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="Project of the run; empty: none. Left out: it stays.",
    )
    labels = s.ListField(
        child=s.CharField(max_length=200), required=False, help_text="All labels of the run. Left out: they stay."
    )


class ShareRequest(s.Serializer[None]):
    username = s.CharField(max_length=150, help_text="Name of an account. Nobody is told whether there is one.")
    until = s.DateTimeField(help_text="Until when it may see the run, at most 366 days from now.")


class ShelfList(PrivateView):
    """Checked runs of the account's institutions, and those shared with it, newest first."""

    @extend_schema(
        operation_id="shelf_list",
        parameters=[
            *NARROWING,
            OpenApiParameter("id", str, description="Only those whose id begins so: 4 digits or more."),
            OpenApiParameter("cursor", str, description="Where a page begins, as `next` gives it."),
            OpenApiParameter("page_size", OpenApiTypes.INT, description=f"Rows of a page, at most {PAGE_LARGEST}."),
        ],
        responses={200: shape.ShelfPage} | REFUSED,
    )
    def get(self, request: Request) -> Response:
        query, account = request.query_params, account_of(request)
        refuse_unknown(query, (*scope.LISTED_NAMES, "id", *PAGED))
        runs = overview.listed_runs(account, scope.listed_condition(query))
        if beginnings := values_of(query, "id"):
            runs = runs.filter(any_of("id", lambda beginning: id_begins("key", beginning), beginnings))
        size = page_size(request, PAGE, PAGE_LARGEST)
        page = cursor_pages.take_objects(runs, overview.NEWEST, query.get("cursor", ""), size)
        rows = overview.shelf_rows(account, page.rows)
        return Response({"next": next_address(request, page.cursor), "results": rows})

    @write_operation(
        operation_id="shelf_group_all",
        request=GroupRequest,
        parameters=NARROWING,
        responses={200: shape.GroupedRuns} | REFUSED,
    )
    def patch(self, request: Request) -> Response:
        """Set project and labels of all own runs that the query names; without a name it is refused."""
        condition = scope.listed_condition(request.query_params)
        grouped = groups.group_matching(account_of(request), condition, **validated_body(request, GroupRequest))
        return Response({"runs": grouped})


class ShelfDetail(PrivateView):
    """One run of the shelf."""

    @extend_schema(operation_id="shelf_read", responses={200: shape.ShelfRunDetail} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        return _run_response(account_of(request), id)

    @write_operation(operation_id="shelf_group", request=GroupRequest, responses={200: shape.ShelfRunDetail} | REFUSED)
    def patch(self, request: Request, id: UUID) -> Response:
        groups.group_runs(account_of(request), [id], **validated_body(request, GroupRequest))
        return _run_response(account_of(request), id)


class ShelfShares(PrivateView):
    """With whom a run is shared."""

    @write_operation(operation_id="shelf_share", request=ShareRequest, responses={200: shape.ShelfRunDetail} | REFUSED)
    def post(self, request: Request, id: UUID) -> Response:
        groups.share_run(account_of(request), id, **validated_body(request, ShareRequest))
        return _run_response(account_of(request), id)


class ShelfShareEnd(PrivateView):
    """One account with which a run is shared."""

    @write_operation(operation_id="shelf_share_stop", responses={204: None} | REFUSED)
    def delete(self, request: Request, id: UUID, username: str) -> Response:
        groups.end_share(account_of(request), id, username)
        return Response(status=204)


def _run_response(account: Account, run_id: UUID) -> Response:
    shelf_run = groups.find_run(overview.listed_runs(account, None), run_id)
    return Response(overview.describe_run(account, shelf_run))
