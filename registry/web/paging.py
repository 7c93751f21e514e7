"""Sizes and links of pages, and parameters of a query as OpenAPI says them: what fits its schema has a valid form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from drf_spectacular.utils import OpenApiParameter

from registry.query.cursor_pages import Page
from registry.query.questions.filters import LARGEST
from registry.web import responses as web_responses

PAGE, PAGE_LARGEST = 50, 500

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NEEDED_TEXT: Schema = {"type": "string", "minLength": 1, "pattern": r"\S"}
"""Of a parameter that has to be there: one of blanks is as if it were left out."""
DAY_OR_TIME: Schema = {"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}]}


def whole_schema(least: int = 0, most: int = LARGEST) -> Schema:
    """The schema of a whole number from `least` to `most`."""
    return {"type": "integer", "minimum": least, "maximum": most}


def choice_schema(*values: str) -> Schema:
    """The schema of a text that is one of these."""
    return {"type": "string", "enum": list(values)}


def as_parameters(described: Mapping[str, tuple[Schema, str]], needed: Iterable[str] = ()) -> list[OpenApiParameter]:
    """Parameters for openapi.json: by name schema and words; those that are needed, too."""
    return [
        OpenApiParameter(name, schema, required=name in needed, description=words)
        for name, (schema, words) in described.items()
    ]


def query_parameters(
    names: Iterable[str],
    most_rows: int = PAGE_LARGEST,
    orders: Iterable[str] = (),
    formats: Iterable[str] = ("json", "csv"),
) -> list[OpenApiParameter]:
    """Query parameters for openapi.json, with the words of QUERY. Beside `p.NAME` stands what sends such names."""
    directed = [direction + order for order in orders for direction in ("", "-")]
    schemas = {
        "page_size": whole_schema(1, most_rows),
        "ordering": choice_schema(*directed),
        "format": choice_schema(*formats),
    }
    parameters = [
        OpenApiParameter(name, schemas.get(name, schema), required=False, description=words)
        for name, (schema, words) in ((name, web_responses.QUERY[name]) for name in names)
    ]
    return [*parameters, web_responses.NAMED_FACTS] if "p.NAME" in names else parameters


def page_links(page: Page[Any], query: Mapping[str, str] | None = None) -> dict[str, str]:
    """What templates/web/pages.html needs: addresses of the pages before and after one, "" where there is none.

    `query` are the names and values that the address of each page has.
    """
    cursors = {"previous": ("before", page.before), "next": ("cursor", page.cursor)}
    return {
        link: f"?{urlencode({**(query or {}), name: cursor})}" if cursor else ""
        for link, (name, cursor) in cursors.items()
    }
