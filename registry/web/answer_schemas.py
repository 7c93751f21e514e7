"""Shapes of answers (`registry/query/rows.py`) as components of the OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_choice_field, build_object_type
from drf_spectacular.utils import Direction
from msgspec import inspect as shapes
from rest_framework.serializers import ChoiceField

from registry.query.rows import Row, RowField, fields_of, plain_kind

Schema = dict[str, Any]
Reference = Callable[[type[Row]], Schema]
LATE = "x-description"
"""Where a description waits until the enumeration beside it is a component of its own."""
PLAIN: dict[type[shapes.Type], Schema] = {
    shapes.StrType: {"type": "string"},
    shapes.IntType: {"type": "integer"},
    shapes.FloatType: {"type": "number", "format": "double"},
    shapes.BoolType: {"type": "boolean"},
    shapes.DateType: {"type": "string", "format": "date"},
    shapes.DateTimeType: {"type": "string", "format": "date-time"},
    shapes.UUIDType: {"type": "string", "format": "uuid"},
    shapes.AnyType: {},
}
LIMITS = {
    "ge": "minimum",
    "le": "maximum",
    "gt": "exclusiveMinimum",
    "lt": "exclusiveMaximum",
    "pattern": "pattern",
    "multiple_of": "multipleOf",
}


class RowExtension(OpenApiSerializerExtension):
    """Makes a component of a shape, under the name of its class; drf-spectacular finds it by its base."""

    target_class = Row
    match_subclasses = True

    def get_name(self, auto_schema: AutoSchema, direction: Direction) -> str:
        name: str = self.target.__name__
        return name

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> Schema:
        def reference(shape: type[Row]) -> Schema:
            component: Schema = auto_schema.resolve_serializer(shape, direction).ref
            return component

        return shape_schema(self.target, reference)


def shape_schema(shape: type[Row], reference: Reference) -> Schema:
    """A shape as an object of JSON Schema; other shapes in it become what `reference` makes of them."""
    fields = fields_of(shape)
    schema: Schema = build_object_type(
        properties={field.name: _property(field, reference) for field in fields},
        required=[field.name for field in fields if field.required],
        description=shape.__doc__,
    )
    return schema


def _property(field: RowField, reference: Reference) -> Schema:
    described = {"description": field.description} if field.description else {}
    if pairs := list(field.choices) or _choices_of(field.kind):
        late = {LATE: field.description} if field.description else {}
        return _with_choices(pairs, field.nullable) | late
    schema = _or_null(_kind_schema(field.kind, reference), field.nullable) | field.facts
    if "$ref" in schema:
        return {"allOf": [schema], **described} if described else schema
    return schema | described


def _kind_schema(kind: shapes.Type, reference: Reference) -> Schema:
    if type(kind) in PLAIN:
        return PLAIN[type(kind)] | _limits(kind)
    if isinstance(kind, shapes.StructType):
        return reference(kind.cls)
    if isinstance(kind, shapes.CollectionType):
        return {"type": "array", "items": _inner_schema(kind.item_type, reference), **_limits(kind, "Items")}
    if isinstance(kind, shapes.DictType):
        return {"type": "object", "additionalProperties": _inner_schema(kind.value_type, reference)}
    if pairs := _choices_of(kind):
        return _with_choices(pairs, nullable=False)
    raise TypeError(f"no schema for {kind}")


def _inner_schema(kind: shapes.Type, reference: Reference) -> Schema:
    """Of what a list or an object holds, each of which has no description of its own."""
    inner, nullable, _, facts = plain_kind(kind)
    return _or_null(_kind_schema(inner, reference), nullable) | facts


def _or_null(schema: Schema, nullable: bool) -> Schema:
    if not nullable or not schema:
        return schema
    if "type" in schema:
        return schema | {"type": [schema["type"], "null"]}
    return {"oneOf": [schema, {"type": "null"}]}


def _limits(kind: shapes.Type, of_length: str = "Length") -> Schema:
    names = LIMITS | {"min_length": f"min{of_length}", "max_length": f"max{of_length}"}
    limits = {name: getattr(kind, attribute, None) for attribute, name in names.items()}
    return {name: limit for name, limit in limits.items() if limit is not None}


def _choices_of(kind: shapes.Type) -> list[Any]:
    """The values of an enumeration, with their names where it has some, else nothing."""
    if isinstance(kind, shapes.LiteralType):
        return list(kind.values)
    if isinstance(kind, shapes.CustomType) and issubclass(kind.cls, Enum):
        pairs: list[Any] = kind.cls.choices  # type: ignore[attr-defined]
        return pairs
    return []


def _with_choices(pairs: list[Any], nullable: bool) -> Schema:
    schema: Schema = build_choice_field(ChoiceField(pairs, allow_null=nullable))
    return schema | {"type": ["string", "null"] if nullable else "string"}
