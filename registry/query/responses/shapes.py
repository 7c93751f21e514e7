"""Shapes of answers: a class says the name, type, meaning and unit of every field, once.

The OpenAPI document (`registry/web/answer_schemas.py`), the columns of queries, CSV, Parquet and SQLite, and tables of
docs/ are read from it. An answer is made of shapes, which mypy then holds to their fields, or is a dictionary under
these names where it is a row of a query.

    class Membership(Shape):
        release: Annotated[str, Meta(description="Slug of the release."), at_path("ranked_list__release__slug")]
        score: Annotated[float | None, Meta(description="Without unit; null: not scored.")]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
from msgspec import Meta
from msgspec import inspect as types


class Shape(msgspec.Struct):
    """What an answer, or a part of one, looks like. A field that may be left out is `X | UnsetType = UNSET`."""


@dataclass(frozen=True)
class ShapeField:
    """One field of a shape.

    `kind` is its type without null, `extra_schema` what its Meta adds to a JSON Schema, `path` where a query finds it.
    """

    name: str
    kind: types.Type
    nullable: bool
    required: bool
    description: str
    extra_schema: Mapping[str, Any]
    path: Any
    choices: Sequence[str]


def shape_values(answer: Shape) -> dict[str, Any]:
    """The fields of an answer in their order, without those that are left out."""
    values = ((name, getattr(answer, name)) for name in answer.__struct_fields__)
    return {name: value for name, value in values if value is not msgspec.UNSET}


def at_path(path: Any) -> Meta:
    """Where a query finds a field that it has under another name: a path from the model, or an expression."""
    return Meta(extra={"path": path})


def one_of(*values: str) -> Meta:
    """The values that a text may have, in their order, where they are no class of choices."""
    return Meta(extra={"choices": values})


@cache
def fields_of(shape: type[Shape]) -> tuple[ShapeField, ...]:
    """The fields of a shape in the order in which answers have them. Raises TypeError for one of several types."""
    described = types.type_info(shape)
    assert isinstance(described, types.StructType)
    return tuple(_read_field(field) for field in described.fields)


def columns_of(shape: type[Shape]) -> dict[str, Any]:
    """By name of a field where a query finds it: `queryset.values_list(*columns.values())`."""
    return {field.name: field.path for field in fields_of(shape)}


def _read_field(field: types.Field) -> ShapeField:
    kind, nullable, extra, schema = strip_type(field.type)
    description = schema.pop("description", "")
    path, choices = extra.get("path", field.encode_name), extra.get("choices", ())
    return ShapeField(field.encode_name, kind, nullable, field.required, description, schema, path, choices)


def strip_type(kind: types.Type) -> tuple[types.Type, bool, dict[str, Any], dict[str, Any]]:
    """A type without null; whether null may stand for it; what its Meta say to us, and what to a JSON Schema.

    Raises TypeError for a union of several types.
    """
    nullable = False
    extra: dict[str, Any] = {}
    schema: dict[str, Any] = {}
    while isinstance(kind, types.Metadata | types.UnionType):
        if isinstance(kind, types.Metadata):
            extra = {**(kind.extra or {}), **extra}
            schema = {**(kind.extra_json_schema or {}), **schema}
            kind = kind.type
        else:
            others = [part for part in kind.types if not isinstance(part, types.NoneType)]
            if len(others) != 1:
                raise TypeError(f"a field is of one type, or of one and null, not of {len(others)}")
            nullable, kind = True, others[0]
    return kind, nullable, extra, schema
