"""Shapes of answers: a class says the name, type, meaning and unit of every field, once.

The OpenAPI document (`registry/web/answer_schemas.py`), the columns of queries, CSV, Parquet and SQLite, and the tables
of docs/ are read from it. Rows themselves stay plain dictionaries under these names, as nothing is faster to write.

    class MemberRow(Row):
        release: Annotated[str, Meta(description="Slug of the release."), column("ranked_list__release__slug")]
        score: Annotated[float | None, Meta(description="Without unit; null: not scored.")]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
from msgspec import Meta
from msgspec import inspect as shapes


class Row(msgspec.Struct, frozen=True):
    """A shape of an answer, or of a part of one. A field that may be left out is of type `X | UnsetType`."""


@dataclass(frozen=True)
class RowField:
    """One field of a shape: `kind` is its type without null; `facts` are what its Meta adds to a JSON Schema."""

    name: str
    kind: shapes.Type
    nullable: bool
    required: bool
    description: str
    facts: Mapping[str, Any]
    path: Any
    choices: tuple[str, ...]


def column(path: Any) -> Meta:
    """Where a query finds a field: its path from the model, or an expression."""
    return Meta(extra={"path": path})


def choices(*values: str) -> Meta:
    """The values that a text may have, where they are no class of choices of their own."""
    return Meta(extra={"choices": values})


@cache
def fields_of(shape: type[Row]) -> tuple[RowField, ...]:
    """The fields of a shape in the order in which answers have them."""
    described = shapes.type_info(shape)
    assert isinstance(described, shapes.StructType)
    return tuple(_read_field(field) for field in described.fields)


def columns_of(shape: type[Row]) -> dict[str, Any]:
    """By name of a field where a query finds it: `queryset.values_list(*columns.values())`."""
    return {field.name: field.path for field in fields_of(shape)}


def names_of(shape: type[Row]) -> list[str]:
    """The names of a shape's fields, as a header."""
    return [field.name for field in fields_of(shape)]


def _read_field(field: shapes.Field) -> RowField:
    kind, nullable, extra, facts = plain_kind(field.type)
    return RowField(
        field.encode_name,
        kind,
        nullable,
        field.required,
        facts.pop("description", ""),
        facts,
        extra.get("path", field.encode_name),
        extra.get("choices", ()),
    )


def plain_kind(kind: shapes.Type) -> tuple[shapes.Type, bool, dict[str, Any], dict[str, Any]]:
    """A type without null, whether null may stand for it, and what its Meta say: for us, and for a JSON Schema."""
    nullable, extra, facts = False, {}, {}
    while isinstance(kind, shapes.Metadata | shapes.UnionType):
        if isinstance(kind, shapes.Metadata):
            extra = {**(kind.extra or {}), **extra}
            facts = {**(kind.extra_json_schema or {}), **facts}
            kind = kind.type
        else:
            others = [part for part in kind.types if not isinstance(part, shapes.NoneType)]
            if len(others) != 1:
                raise TypeError(f"a field has one type, or one and null, not {len(others)}")
            nullable, kind = True, others[0]
    return kind, nullable, extra, facts
