"""study/ and studies/: tables and charts of the record, as JSON, CSV, Parquet, SVG and PNG."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.presentation.plots.drawing import FILE
from registry.presentation.plots.vega import with_colours, write_vega
from registry.query.facts import divisors
from registry.query.questions import filters, study_query
from registry.studies import curated, documents, files, metric_rows, saved_queries
from registry.studies import responses as shape
from registry.studies.table import in_a_file
from registry.web import responses as web_responses
from registry.web.api_base import CSVRenderer, PublicRead, Table, api_address, unknown_values_header
from registry.web.paging import DAY_OR_TIME, NEEDED_TEXT, TEXT, as_parameters, choice_schema, query_parameters
from registry.web.renderers import JSONRenderer
from validators.units import UNITS

THEME = "theme"


class _File(BaseRenderer):
    charset = None

    def render(self, data: bytes, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return data


class ParquetRenderer(_File):
    media_type = "application/vnd.apache.parquet"
    format = "parquet"


class SVGRenderer(_File):
    media_type = "image/svg+xml"
    format = "svg"


class PNGRenderer(_File):
    media_type = "image/png"
    format = "png"


RENDERERS = [JSONRenderer, CSVRenderer, ParquetRenderer, SVGRenderer, PNGRenderer]


QUERY = [
    *as_parameters(
        {
            "metric": (
                NEEDED_TEXT,
                "OP.QUANTITY.STAT, or fewer of its parts, or a canonical quantity; several mean any of them.",
            ),
            "x": (NEEDED_TEXT, "The axis to go along; study/axes/ has those that there are."),
            "series": (TEXT, "Up to four more axes, with commas."),
            "per": (choice_schema(*divisors.PER), f"Divide by: {', '.join(divisors.PER)}."),
            "unit": (choice_schema(*UNITS), "Unit of the figures; usually the one they are printed in."),
            "chart": (choice_schema(*study_query.CHARTS), f"One of {', '.join(study_query.CHARTS)}."),
            "as_of": (DAY_OR_TIME, "A date or time: the record as it was then."),
            "assume": (
                choice_schema(study_query.PRIOR),
                "prior: numbers that were not repeated get an interval that is assumed of their class.",
            ),
            "theme": (
                choice_schema(*files.THEMES),
                "Of a picture: light or dark; of JSON: colours for a chart that is drawn elsewhere.",
            ),
            "context.NAME": (TEXT, "Value that measurements have in their context; NAME is part of the name."),
            "format": (choice_schema("json", "csv", "parquet", "svg", "png"), "json, csv, parquet, svg or png."),
        },
        needed=("metric", "x"),
    ),
    *query_parameters((*filters.RESULT_NAMES, "p.NAME")),
]

FILES = {
    (200, "text/csv"): OpenApiTypes.STR,
    (200, ParquetRenderer.media_type): OpenApiTypes.BINARY,
    (200, SVGRenderer.media_type): OpenApiTypes.BINARY,
    (200, PNGRenderer.media_type): OpenApiTypes.BINARY,
    **web_responses.REFUSED,
}


def study_response(request: Request, document: documents.Document, name: str) -> Response:
    """A study in the form that was asked for; files have a name of their own."""
    form = request.accepted_renderer.format
    if form == "json":
        fields = {name: value for name, value in document.items() if name != documents.LIMITED}
        return Response(fields | {"chart": _chart_specification(request, document)})
    headers = {
        "Content-Disposition": f'{"inline" if form in ("svg", "png") else "attachment"}; filename="{name}.{form}"'
    } | unknown_values_header(document["unknown_values"])
    if form == "csv":
        return Response(Table(document["columns"], map(in_a_file, document["rows"])), headers=headers)
    if form == "parquet":
        about = {"title": document["title"], "unit": document["unit"], "question": document.get("question", "")}
        return Response(files.write_parquet(document["columns"], document["rows"], about), headers=headers)
    draw = {"svg": files.render_svg, "png": files.render_png}[form]
    return Response(draw(document["chart"], _read_theme(request)), headers=headers)


def _chart_specification(request: Request, document: documents.Document) -> dict[str, Any] | None:
    """The chart as Vega-Lite. With a theme it has its colours, for whoever draws it elsewhere than on a page here."""
    if document["chart"] is None:
        return None
    spec = write_vega(document["chart"])
    return with_colours(spec, _read_theme(request), FILE) if THEME in request.query_params else spec


def _is_drawn(request: Request) -> bool:
    """Whether the form that was asked for shows a chart; a table alone reads no ceilings."""
    return request.accepted_renderer.format not in ("csv", "parquet")


def _is_picture(request: Request) -> bool:
    """Whether the form that was asked for is looked at, and read by no program."""
    return request.accepted_renderer.format in ("svg", "png")


def _read_theme(request: Request) -> str:
    values = filters.values_of(request.query_params, THEME) or ["light"]
    try:
        return filters.parse_choice(files.THEMES, values[0])
    except ValueError as error:
        raise filters.InvalidValue(THEME, str(error)) from error


class Study(PublicRead):
    """A question asked of the record: metric, x axis, series, divisor and the filters of results/."""

    renderer_classes = RENDERERS
    query_names = (*study_query.NAMES, *filters.RESULT_NAMES, THEME)
    query_prefixes = study_query.PREFIXES

    @extend_schema(
        operation_id="study", parameters=QUERY, responses={(200, "application/json"): shape.StudyShape, **FILES}
    )
    def get(self, request: Request) -> Response:
        question = study_query.parse_query(filters.without_names(self.question_query(), [THEME]), self.asked_source())
        document = documents.study_document(question, drawn=_is_drawn(request), for_people=_is_picture(request))
        return study_response(request, document, "study")


class StudyList(PublicRead):
    """Curated studies, one for each table, figure and slide of five documents; then the newest saved ones."""

    @extend_schema(operation_id="studies_list", responses=shape.StudyPage)
    def get(self, request: Request) -> Response:
        summaries = [curated.in_short(study) for study in curated.load_studies().values()]
        summaries += [saved_queries.study_summary(saved_study) for saved_study in saved_queries.newest_saved()]
        rows = [summary | {"url": api_address(request, "studies", summary["slug"])} for summary in summaries]
        return Response({"next": None, "results": rows})


class StudyDetail(PublicRead):
    """One curated or saved study as it stands today."""

    renderer_classes = RENDERERS
    query_names = (THEME, "assume")

    @extend_schema(
        operation_id="studies_read",
        parameters=[parameter for parameter in QUERY if parameter.name in (THEME, "assume", "format")],
        responses={(200, "application/json"): shape.CuratedStudy, **FILES, **web_responses.NOT_FOUND},
    )
    def get(self, request: Request, slug: str) -> Response:
        assume = study_query.parse_assumption(request.query_params)
        study = saved_queries.get_study(slug)
        document = saved_queries.study_result(study, assume, drawn=_is_drawn(request), for_people=_is_picture(request))
        return study_response(request, document, slug.lower())


class MetricList(PublicRead):
    """Every kind of number that some result has."""

    @extend_schema(operation_id="study_metrics", responses=shape.MetricPage)
    def get(self, request: Request) -> Response:
        return Response({"next": None, "results": metric_rows.public_metrics()})


class AxisList(PublicRead):
    """Everything that results can be asked by: the vocabulary of axes, then other facts of results."""

    @extend_schema(operation_id="study_axes", responses=shape.AxisPage)
    def get(self, request: Request) -> Response:
        return Response({"next": None, "results": metric_rows.list_axes()})
