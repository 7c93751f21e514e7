"""What is valid, in machine form: schemas, rules, benchmarks, and the API's own description."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.http import HttpResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.query import data_files
from registry.query.public_record import NotOnRecord, nearest_names
from registry.query.questions import filters
from registry.site_pages import responses as site_pages_responses
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead, api_address
from registry.web.paging import query_parameters
from validators import VERSION, catalogue, quantities, schema
from validators.questionnaires import questionnaires
from validators.rules.system_rules import RULES as SYSTEM_RULES


@cache
def published_schemas() -> dict[str, dict[str, Any]]:
    """Every published JSON Schema by name: those of uploads and benchmarks, and that of list definitions."""
    name = data_files.LIST_DEFINITION
    ours = {name.removesuffix(".schema.json"): data_files.load_schema(name)}
    return dict(sorted({**schema.schemas(), **ours}.items()))


class SchemaList(PublicRead):
    """The JSON Schemas that documents are checked against."""

    @extend_schema(operation_id="schemas_list", responses=site_pages_responses.SchemaPage)
    def get(self, request: Request) -> Response:
        rows = [
            site_pages_responses.SchemaName(
                name=name, title=document.get("title", ""), url=api_address(request, "schemas", name)
            )
            for name, document in published_schemas().items()
        ]
        return Response(site_pages_responses.SchemaPage(next=None, results=rows))


class SchemaDetail(PublicRead):
    """One JSON Schema, as the registry itself uses it."""

    @extend_schema(operation_id="schemas_read", responses={200: OpenApiTypes.OBJECT} | web_responses.NOT_FOUND)
    def get(self, request: Request, name: str) -> Response:
        if name not in published_schemas():
            raise NotOnRecord("schema", name, nearest_names(name, published_schemas()))
        return Response(published_schemas()[name])


class QuestionnaireList(PublicRead):
    """The questionnaires that lists may ask for."""

    @extend_schema(operation_id="questionnaires_list", responses=site_pages_responses.QuestionnairePage)
    def get(self, request: Request) -> Response:
        rows = [
            site_pages_responses.SchemaName(
                name=name, title=document["title"], url=api_address(request, "questionnaires", name)
            )
            for name, document in questionnaires().items()
        ]
        return Response(site_pages_responses.QuestionnairePage(next=None, results=rows))


class QuestionnaireDetail(PublicRead):
    """One questionnaire: its questions, the facts that answer them, and what answers are worth (questionnaire.1)."""

    @extend_schema(operation_id="questionnaires_read", responses={200: OpenApiTypes.OBJECT} | web_responses.NOT_FOUND)
    def get(self, request: Request, name: str) -> Response:
        if name not in questionnaires():
            raise NotOnRecord("questionnaire", name, nearest_names(name, questionnaires()))
        return Response(questionnaires()[name])


class RuleList(PublicRead):
    """Every rule: code, level, text and source; `benchmark` is `system` for those on descriptions of systems."""

    query_names = ("benchmark",)

    @extend_schema(
        operation_id="rules_list",
        parameters=query_parameters(["benchmark"]),
        responses={200: site_pages_responses.RulePage} | web_responses.REFUSED,
    )
    def get(self, request: Request) -> Response:
        chosen_topics = filters.values_of(request.query_params, "benchmark")
        by_topic = {benchmark.tool: benchmark.rules for benchmark in catalogue.benchmarks()} | {"system": SYSTEM_RULES}
        rows = [
            {"benchmark": topic, **rule.as_json()}
            for topic, rules in by_topic.items()
            for rule in rules
            if not chosen_topics or topic in chosen_topics
        ]
        return Response({"next": None, "version": VERSION, "results": rows})


class BenchmarkList(PublicRead):
    """Every benchmark that is understood."""

    @extend_schema(operation_id="benchmarks_list", responses=site_pages_responses.BenchmarkPage)
    def get(self, request: Request) -> Response:
        rows = [benchmark.descriptor for benchmark in catalogue.benchmarks()]
        return Response({"next": None, "results": rows})


class QuantityTable(PublicRead):
    """What the names that tools report mean: quantities, statistics and parts of contexts (quantities.1)."""

    @extend_schema(operation_id="quantities_read", responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response(quantities.load_table())


class OpenAPI(PublicRead):
    """This API as an OpenAPI document; docs/openapi.json is the same."""

    @extend_schema(operation_id="openapi_read", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> HttpResponse:
        return Response(openapi_document())


def with_refused_formats(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """The document with 406 on every operation that takes `format`: one that it doesn't know is refused."""
    for operations in result["paths"].values():
        for operation in operations.values():
            if any(
                parameter["name"] == "format" and parameter["in"] == "query"
                for parameter in operation.get("parameters", ())
            ):
                operation["responses"]["406"] = operation["responses"]["400"]
    return result


@cache
def openapi_document() -> dict[str, Any]:
    """Made once per process: it follows from the code alone."""
    document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return document
