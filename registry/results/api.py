"""Results by API: every view reads its query, asks registry/query/public_record.py and shows rows as they come.

Their fields are said in registry/results/responses.py; a test holds answers to that.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import msgspec
from django.db.models import Q
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.comparison import repeats
from registry.log import records
from registry.log.recorded_read import RecordedRead
from registry.models import Result
from registry.presentation import responses as presentation_responses
from registry.presentation.evidence_table import evidence_line, list_unconfirmed
from registry.presentation.trust_ladder import next_step
from registry.query import cursor_pages, demonstration, public_record, reproductions
from registry.query.differences import revision_diff
from registry.query.facts import observed_parameters
from registry.query.questions import filters, id_lists, study_query, unknown_values
from registry.query.responses.rule_outcomes import count_violated
from registry.query.responses.source_links import list_source_links
from registry.query.responses.trust_levels import label_of
from registry.results import responses as shape
from registry.results.among import among_document
from registry.results.limiting_phase import phases_document
from registry.results.recipes.raised_level import raised_level
from registry.web import responses as web_responses
from registry.web.api_base import (
    CSVRenderer,
    PublicRead,
    Table,
    download_response,
    next_address,
    page_size,
    requested_order,
    unknown_values_header,
)
from registry.web.paging import PAGE, PAGE_LARGEST, query_parameters
from registry.web.renderers import JSONRenderer
from validators import exports

# Releases and lists


# Results


INCLUDED = ("measurements",)
"""What results/ tells beside each row where `include` asks for it."""


class ResultList(PublicRead):
    """Results that count today, newest first: withdrawn and superseded ones keep their own page only."""

    renderer_classes = [JSONRenderer, CSVRenderer]
    query_names = (*filters.RESULT_NAMES, "ids", "include", "ordering", "cursor", "page_size")
    query_prefixes = (filters.PARAMETER,)

    @extend_schema(
        operation_id="results_list",
        parameters=query_parameters((*query_names, "p.NAME", "format"), orders=cursor_pages.RESULTS),
        responses={
            (200, "application/json"): shape.ResultPage,
            (200, "text/csv"): OpenApiTypes.STR,
            **web_responses.REFUSED,
        },
    )
    def get(self, request: Request) -> Response:
        query, source = self.question_query(), self.asked_source()
        ids, include = id_lists.several_ids(query, "ids"), study_query.single_choice(query, "include", INCLUDED)
        condition = filters.result_conditions(query, source) & (Q(public_id__in=ids) if ids else Q())
        results = public_record.current_results(condition, source)
        order = requested_order(request, cursor_pages.RESULTS, "-id", "id", tie_follows=True)
        size = page_size(request, PAGE, PAGE_LARGEST)
        page = cursor_pages.take_page(results, public_record.RESULT, order, query.get("cursor", ""), size)
        following = next_address(request, page.cursor)
        unknown = unknown_values.explain_empty(query, empty=not page.rows, source=source)
        unknown += unknown_values.list_unknown_ids(ids, source)
        if request.accepted_renderer.format == "csv":
            if include:
                raise filters.InvalidValue("include", "JSON alone has room for measurements")
            headers = {"Content-Disposition": 'attachment; filename="results.csv"'} | unknown_values_header(unknown)
            headers |= {"Link": f'<{following}>; rel="next"'} if following else {}
            return Response(Table(public_record.RESULT, page.rows), headers=headers)
        rows = public_record.with_measurements(page.rows, source) if include else page.rows
        return Response({"next": following, "results": rows, "unknown_values": unknown})


class ResultDetailView(RecordedRead):
    """Everything published of one result; withdrawn and superseded ones say so."""

    @extend_schema(operation_id="results_read", responses={200: shape.ResultDetail} | web_responses.NOT_FOUND)
    def get(self, request: Request, id: str) -> Response:
        if demonstration.is_demonstration(id):
            (run,) = demonstration.read_runs([id])
            return Response(as_result(demonstration.as_result(run), run.measurements))
        result = public_record.find_result(id)
        return Response(as_result(result, public_record.list_measurements(result)))


def as_result(result: Result, measurements: list[public_record.Row]) -> dict[str, Any]:
    """A result, of the record or of the demonstration, with the lists it stands on: one more query."""
    snapshot = result.snapshot
    memberships = public_record.list_memberships(result)
    links = list_source_links(result, memberships)
    return {
        **records.result_fields(result, measurements),
        "rules_violated": count_violated(snapshot.get("rules", [])),
        "trust_label": label_of(result),
        "source_address": next((link.address for link in links if link.address), ""),
        "archive_missing_since": result.archive_missing_since,
        "copy_missing_since": result.copy_missing_since,
        "archive_damaged_since": result.archive_damaged_since,
        "copy_damaged_since": result.copy_damaged_since,
        "copy_withheld_at": result.copy_withheld_at,
        "printed_again": getattr(result, "again", []),
        "revised_by": result.revised_by.public_id if hasattr(result, "revised_by") else None,
        "changes": [asdict(change) for change in revision_diff.of_result(result)],
        "repeats": repeats.repeat_summary(result, measurements),
        "evidence_in_short": evidence_line(snapshot.get("evidence")) if snapshot.keys() & {"rules", "evidence"} else "",
        "unconfirmed_operations": list_unconfirmed(snapshot.get("evidence")),
        "lists": memberships,
        "source_links": [msgspec.to_builtins(link) for link in links],
        "reproduced": msgspec.to_builtins(reproductions.describe_marks(result)),
        "level_by_rule": msgspec.to_builtins(raised_level(result)),
        "next_trust": msgspec.to_builtins(next_step(result)),
    }


class ResultAmong(PublicRead):
    """A result among similar results: the rank of each number, and how better results differ."""

    query_names = ("metric",)

    @extend_schema(
        operation_id="results_among",
        parameters=[
            OpenApiParameter(
                "metric", str, description="What better is judged by; left out, its score or first number."
            )
        ],
        responses={200: shape.ResultAmong, **web_responses.REFUSED, **web_responses.NOT_FOUND},
    )
    def get(self, request: Request, id: str) -> Response:
        return Response(among_document(id, study_query.single_value(request.query_params, "metric")))


class ResultPhases(PublicRead):
    """Why an IO500 score is what it is: the phase that limits it, and where the time of each phase went."""

    @extend_schema(operation_id="results_phases", responses={200: shape.ResultPhases} | web_responses.NOT_FOUND)
    def get(self, request: Request, id: str) -> Response:
        return Response(phases_document(id))


class ResultFiles(RecordedRead):
    """The files of the published, scrubbed derivative of a result, with their sha256."""

    @extend_schema(operation_id="results_files", responses={200: shape.ResultFilePage} | web_responses.NOT_FOUND)
    def get(self, request: Request, id: str) -> Response:
        result = public_record.find_result(id)
        omitted = public_record.omitted_files(result)
        return Response({"next": None, "results": public_record.list_files(result), "left_out": omitted})


class ResultDistributions(RecordedRead):
    """What lies under the numbers of a result: iterations, ranks, targets, epochs, in quantiles and one by one."""

    @extend_schema(
        operation_id="results_distributions",
        responses={200: presentation_responses.DistributionPage} | web_responses.NOT_FOUND,
    )
    def get(self, request: Request, id: str) -> Response:
        return Response(
            {"next": None, "results": public_record.find_result(id).snapshot.get(records.DISTRIBUTIONS, [])}
        )


class ResultSystem(RecordedRead):
    """The system that a result was measured on, as its bundle describes it, without what names a node."""

    @extend_schema(
        operation_id="results_system",
        responses={200: presentation_responses.SystemDescription} | web_responses.NOT_FOUND,
    )
    def get(self, request: Request, id: str) -> Response:
        snapshot = observed_parameters.require_snapshot(id)
        described = {"sha256": snapshot.sha256, "summary": snapshot.summary, "document": snapshot.document}
        missing = observed_parameters.missing_in_forms(
            snapshot.document, observed_parameters.conversion_inputs(snapshot.result)
        )
        return Response(described | {"missing_in_forms": missing})


class ResultSystemForm(PublicRead):
    """The described system in the form that IO500 (`io500`) or MLPerf Storage (`mlperf-storage`) asks for."""

    @extend_schema(operation_id="results_system_form", responses={200: OpenApiTypes.OBJECT} | web_responses.NOT_FOUND)
    def get(self, request: Request, id: str, form: str) -> Response:
        snapshot = observed_parameters.require_snapshot(id)
        conversion = observed_parameters.convert(
            form, snapshot.document, observed_parameters.conversion_inputs(snapshot.result)
        )
        return download_response(conversion.document, exports.FILENAMES[form])


# Sites, systems, platforms
