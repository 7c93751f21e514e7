"""Recipes by API."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.log.recorded_read import RecordedRead
from registry.results.recipes import responses as shape
from registry.results.recipes.recipe import read_recipe
from registry.web import responses as web_responses


class ResultRecipe(RecordedRead):
    """What to run to reproduce a result, and what is not known of its run."""

    @extend_schema(operation_id="results_recipe", responses={200: shape.Recipe} | web_responses.NOT_FOUND)
    def get(self, request: Request, id: str) -> Response:
        return Response(read_recipe(id))
