"""Shapes that all answers share: problems, pages, definitions."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from registry.query.filters import FILTERS
from registry.query.row_fields import Address, Code, VersionNumber
from registry.query.shapes import Shape

QUERY: dict[str, tuple[Any, ...]] = {
    name: (kind, "query", False, words)
    for name, (kind, words) in {
        **{row.name: (row.kind, row.description) for row in FILTERS},
        "p.NAME": (str, "Value of the parameter NAME, as text or number; NAME is part of the name."),
        "ordering": (str, "A column, or one with - before it. Ranks are never renumbered."),
        "cursor": (str, "From `next` of the page before."),
        "page_size": (int, "Rows of one page."),
        "format": (str, "json or csv."),
        "benchmark": (str, "Name of a benchmark, for example io500."),
        "group": (str, "Group of parameters, for example lustre-client."),
    }.items()
}


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
        Meta(description="What is wrong, by field; left out where no field is at fault."),
    ] = UNSET


REFUSED = {(400, "application/problem+json"): Problem}
NOT_FOUND = {(404, "application/problem+json"): Problem}


class Page(Shape):
    next: Annotated[Address | None, Meta(description="Address of the next page; null on the last.")]


class Definition(Shape):
    """Which version of a list's definition made it."""

    name: Annotated[str, Meta(description="Name of the definition.")]
    version: VersionNumber
