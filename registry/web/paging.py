"""Sizes of pages, and parameters of a query as OpenAPI says them."""

from __future__ import annotations

from collections.abc import Iterable

from drf_spectacular.utils import OpenApiParameter

from registry.web import responses as web_responses

PAGE, PAGE_LARGEST = 50, 500


def query_parameters(names: Iterable[str]) -> list[OpenApiParameter]:
    """Query parameters for openapi.json, with the words of QUERY."""
    return [OpenApiParameter(name, *web_responses.QUERY[name]) for name in names]
