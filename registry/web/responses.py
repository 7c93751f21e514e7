"""Shapes that all answers share: problems, pages, definitions."""

from __future__ import annotations

from typing import Annotated, Any

from drf_spectacular.utils import OpenApiParameter
from msgspec import UNSET, Meta, UnsetType

from registry.query.questions.filters import FILTERS, LARGEST, Filter
from registry.query.questions.id_lists import MOST_IDS
from registry.query.responses.row_fields import Address, Code, VersionNumber
from registry.query.responses.shapes import Shape

_TYPES: dict[type, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer", "minimum": 0, "maximum": LARGEST},
    bool: {"type": "boolean"},
}


def _filter_schema(row: Filter) -> dict[str, Any]:
    return _TYPES[row.kind] | ({"enum": list(row.choices)} if row.choices else {})


QUERY: dict[str, tuple[dict[str, Any], str]] = {
    **{row.name: (_filter_schema(row), row.description) for row in FILTERS},
    "p.NAME": (_TYPES[str], "Value of the parameter NAME, as text or number; NAME is part of the name."),
    "ids": (_TYPES[str], f"Ids of results with commas between, at most {MOST_IDS}."),
    "include": (
        {"type": "string", "enum": ["measurements"]},
        "`measurements`: every row with all its numbers, in JSON alone.",
    ),
    "ordering": (_TYPES[str], "A column, or one with - before it. Ranks are never renumbered."),
    "cursor": (_TYPES[str], "From `next` of the page before."),
    "page_size": (_TYPES[int], "Rows of one page."),
    "format": (_TYPES[str], "json or csv."),
    "benchmark": (_TYPES[str], "Name of a benchmark, for example io500."),
    "group": (_TYPES[str], "Group of parameters, for example lustre-client."),
}
"""By name of a parameter of a query its schema and what it means."""
NAMED_FACTS = OpenApiParameter(
    "facts",
    {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "propertyNames": {"pattern": r"^(p|context)\..+$"},
        "example": {"p.stripe_count": "4"},
    },
    style="form",
    explode=True,
    description="How a generated client sends p.NAME, and context.NAME where it is taken: every entry of this object "
    "becomes a parameter of its own, `p.stripe_count=4`. `facts` itself is never sent.",
)


class Problem(Shape, kw_only=True):
    """RFC 9457 problem; `code` never changes."""

    type: Annotated[str, Meta(description="Address that explains `code`.")]
    title: Annotated[str, Meta(description="What went wrong, in short.")]
    status: Annotated[int, Meta(description="HTTP status.")]
    code: Code
    detail: Annotated[str, Meta(description="What went wrong, in a sentence.")]
    hint: Annotated[str, Meta(description="What to do next; may be empty.")]
    errors: Annotated[
        dict[str, list[Any]] | UnsetType,
        Meta(description="Texts by field; absent where no field is wrong."),
    ] = UNSET


REFUSED = {(400, "application/problem+json"): Problem}
NOT_FOUND = {(404, "application/problem+json"): Problem}
UNAVAILABLE = {(503, "application/problem+json"): Problem}


class Page(Shape):
    next: Annotated[Address | None, Meta(description="Address of the next page; null on the last.")]


class Definition(Shape):
    """Which version of a list's definition made it."""

    name: Annotated[str, Meta(description="Name of the definition.")]
    version: VersionNumber
