"""study/ and studies/: tables and charts of the record, as JSON, CSV, Parquet, SVG and PNG."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.query import axes, divisors, fact_index, filters, study_query
from registry.studies import curated, documents, files, run, saved_queries
from registry.studies.study_chart import with_colours
from registry.studies.table import in_a_file
from registry.web import responses as web_responses
from registry.web.api_base import CSVRenderer, JSONRenderer, PublicRead, Table, api_address

THEME = "theme"


class _File(BaseRenderer):
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
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


class StudyAxis(serializers.Serializer):
    name = serializers.CharField()
    title = serializers.CharField()
    unit = serializers.CharField(help_text="Of its values; empty where they have none.")


class CodedNote(serializers.Serializer):
    code = serializers.CharField(help_text="study.mixed-quantities: a reported name means several; nothing is drawn.")
    message = serializers.CharField()


class StudyShape(serializers.Serializer):
    title = serializers.CharField()
    axes = StudyAxis(many=True, help_text="What rows begin with: x, series, and what else tells them apart.")
    unit = serializers.CharField(help_text="Of all figures; empty: no unit.")
    points = serializers.IntegerField()
    missing = serializers.IntegerField(help_text="Points without a value or without a place on the x axis.")
    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(
        child=serializers.DictField(),
        help_text="Of a single measurement `interval_low`, `interval_high`, `interval_basis` (repeats) and "
        "`interval_runs` (three or more); all null where it was not repeated, for which CSV says `not repeated`.",
    )
    chart = serializers.DictField(allow_null=True, help_text="Vega-Lite 6; null where nothing can be drawn.")
    coded_notes = CodedNote(many=True, help_text="What keeps the rows from being compared.")
    question = serializers.CharField(help_text="The query string that asks for this.")
    metrics = serializers.ListField(child=serializers.CharField())
    x = serializers.CharField()
    series = serializers.ListField(child=serializers.CharField())
    per = serializers.CharField(allow_null=True)
    as_of = serializers.DateTimeField(allow_null=True)
    trust = serializers.DictField(child=serializers.IntegerField(), help_text="Measurements by level of trust.")


class StudySummary(serializers.Serializer):
    slug = serializers.CharField()
    title = serializers.CharField()
    place = serializers.CharField(help_text="Table, figure, slide or section of the document.")
    kind = serializers.CharField(
        help_text="question; figures: a table, some of it computed; saved: a question that somebody saved."
    )
    document = serializers.CharField()


class StudyListed(StudySummary):
    url = serializers.CharField()


class StudyPage(serializers.Serializer):
    next = serializers.CharField(allow_null=True)
    results = StudyListed(many=True)


class CuratedStudy(StudyShape, StudySummary):
    notes = serializers.ListField(child=serializers.CharField())
    finding = serializers.CharField(allow_blank=True)


class MetricRow(serializers.Serializer):
    metric = serializers.CharField(help_text="OP.QUANTITY.STAT, or the name of a column of results.")


class MetricPage(serializers.Serializer):
    next = serializers.CharField(allow_null=True)
    results = MetricRow(many=True)


class AxisRow(StudyAxis):
    reads = serializers.ListField(child=serializers.CharField(), help_text="Facts it is read from; the first counts.")


class AxisPage(serializers.Serializer):
    next = serializers.CharField(allow_null=True)
    results = AxisRow(many=True)


QUERY = [
    OpenApiParameter(name, OpenApiTypes.STR, required=name in ("metric", "x"), description=words)
    for name, words in {
        "metric": "OP.QUANTITY.STAT, or fewer of its parts, or a canonical quantity; several mean any of them.",
        "x": "The axis to go along; study/axes/ has those that there are.",
        "series": "Up to four more axes, with commas.",
        "per": f"Divide by: {', '.join(divisors.PER)}.",
        "unit": "Unit of the figures; usually the one they are printed in.",
        "chart": f"One of {', '.join(study_query.CHARTS)}.",
        "as_of": "A date or time: the record as it was then.",
        "theme": "Of a picture: light or dark; of JSON: colours for a chart that is drawn elsewhere.",
        "context.NAME": "Value that measurements have in their context; NAME is part of the name.",
        "format": "json, csv, parquet, svg or png.",
    }.items()
] + [OpenApiParameter(name, *web_responses.QUERY[name]) for name in (*filters.RESULT_NAMES, "p.NAME")]

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
        return Response(_with_theme(request, document))
    headers = {
        "Content-Disposition": f'{"inline" if form in ("svg", "png") else "attachment"}; filename="{name}.{form}"'
    }
    if form == "csv":
        return Response(Table(document["columns"], map(in_a_file, document["rows"])), headers=headers)
    if form == "parquet":
        about = {"title": document["title"], "unit": document["unit"], "question": document.get("question", "")}
        return Response(files.write_parquet(document["columns"], document["rows"], about), headers=headers)
    draw = {"svg": files.render_svg, "png": files.render_png}[form]
    return Response(draw(document["chart"], _read_theme(request)), headers=headers)


def _with_theme(request: Request, document: documents.Document) -> documents.Document:
    """With a theme the chart has its colours, for whoever draws it elsewhere than on a page of this site."""
    if document["chart"] is None or THEME not in request.query_params:
        return document
    return document | {"chart": with_colours(document["chart"], _read_theme(request), files.WIDTH_PX)}


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

    @extend_schema(operation_id="study", parameters=QUERY, responses={(200, "application/json"): StudyShape, **FILES})
    def get(self, request: Request) -> Response:
        question = study_query.parse_query(filters.without_names(request.query_params, [THEME]))
        return study_response(request, documents.study_document(question), "study")


class StudyList(PublicRead):
    """Curated studies, one for each table, figure and slide of five documents; then the newest saved ones."""

    @extend_schema(operation_id="studies_list", responses=StudyPage)
    def get(self, request: Request) -> Response:
        summaries = [curated.in_short(study) for study in curated.load_studies().values()]
        summaries += [saved_queries.study_summary(saved_study) for saved_study in saved_queries.newest_saved()]
        rows = [summary | {"url": api_address(request, "studies", summary["slug"])} for summary in summaries]
        return Response({"next": None, "results": rows})


class StudyDetail(PublicRead):
    """One curated or saved study as it stands today."""

    renderer_classes = RENDERERS
    query_names = (THEME,)

    @extend_schema(
        operation_id="studies_read",
        parameters=[parameter for parameter in QUERY if parameter.name in (THEME, "format")],
        responses={(200, "application/json"): CuratedStudy, **FILES, **web_responses.NOT_FOUND},
    )
    def get(self, request: Request, slug: str) -> Response:
        return study_response(request, saved_queries.study_result(saved_queries.get_study(slug)), slug.lower())


class MetricList(PublicRead):
    """Every kind of number that some result has."""

    @extend_schema(operation_id="study_metrics", responses=MetricPage)
    def get(self, request: Request) -> Response:
        metric_names = [*study_query.COLUMN_METRICS, *map(str, run.known_metrics())]
        return Response({"next": None, "results": [{"metric": name} for name in metric_names]})


class AxisList(PublicRead):
    """Everything that results can be asked by: the vocabulary of axes, then other facts of results."""

    @extend_schema(operation_id="study_axes", responses=AxisPage)
    def get(self, request: Request) -> Response:
        named = axes.list_axes()
        rest = sorted(set(fact_index.fact_names()) - {axis.name for axis in named})
        rows = [
            {"name": axis.name, "title": axis.title, "unit": axis.unit, "reads": list(axis.reads)}
            for axis in (*named, *map(axes.find_axis, rest))
        ]
        return Response({"next": None, "results": rows})
