"""Components of the OpenAPI document: shapes of answers (`registry/query/responses/shapes.py`), names of bodies."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_choice_field, build_object_type
from drf_spectacular.utils import Direction
from msgspec import inspect as types
from rest_framework.serializers import ChoiceField, Serializer

from registry.query.responses.shapes import Shape, ShapeField, fields_of, strip_type

Schema = dict[str, Any]
Reference = Callable[[type[Any]], Schema]
LATE_DESCRIPTION = "x-description"
"""Where a description waits until the enumeration beside it is a component of its own."""
VALUES = "\n\n* `"
"""What drf-spectacular puts between a description and the list of values."""
PLAIN: dict[type[types.Type], Schema] = {
    types.StrType: {"type": "string"},
    types.IntType: {"type": "integer"},
    types.FloatType: {"type": "number", "format": "double"},
    types.BoolType: {"type": "boolean"},
    types.DateType: {"type": "string", "format": "date"},
    types.DateTimeType: {"type": "string", "format": "date-time"},
    types.UUIDType: {"type": "string", "format": "uuid"},
    types.AnyType: {},
}
LIMITS = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}


class NamedOnce(AutoSchema):
    """Names the component of a body by its serializer: `UploadRequest`. drf-spectacular appends Request to each."""

    def get_serializer_name(self, serializer: Serializer[Any], direction: Direction) -> str:
        return type(serializer).__name__.removesuffix("Request")


class ShapeExtension(OpenApiSerializerExtension):
    """Makes a component of a shape, under the name of its class. drf-spectacular finds it by the base of shapes."""

    target_class = Shape
    match_subclasses = True

    def get_name(self, auto_schema: AutoSchema, direction: Direction) -> str:
        name: str = self.target.__name__
        return name

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> Schema:
        def reference(shape: type[Shape]) -> Schema:
            found_by_extension: Any = shape
            component: Schema = auto_schema.resolve_serializer(found_by_extension, direction).ref
            return component

        return shape_schema(self.target, reference)


def shape_schema(shape: type[Shape], reference: Reference) -> Schema:
    """A shape as an object of JSON Schema; other shapes in it become what `reference` makes of them."""
    fields = fields_of(shape)
    schema: Schema = build_object_type(
        properties={field.name: _property_schema(field, reference) for field in fields},
        required=[field.name for field in fields if field.required],
        description=_shape_docstring(shape),
    )
    return schema


def _shape_docstring(shape: type[Shape]) -> str:
    """What a shape says of itself, else the shape that it extends."""
    bases = shape.__mro__[: shape.__mro__.index(Shape)]
    return next((inspect.cleandoc(base.__doc__) for base in bases if base.__doc__), "")


def late_descriptions(result: Schema, **_: Any) -> Schema:
    """The OpenAPI document in which a field says what it means, and its enumeration what the values are called.

    It runs after the hook that makes a component of each enumeration, which moves or repeats what stands beside one.
    """
    for component in result["components"]["schemas"].values():
        for name, field in component.get("properties", {}).items():
            description = field.pop(LATE_DESCRIPTION, "") or field.get("description", "").partition(VALUES)[0]
            if description:
                component["properties"][name] = _add_description(field, description)
    return result


def _property_schema(field: ShapeField, reference: Reference) -> Schema:
    choices = field.choices or _choices_of(field.kind)
    if choices:
        return _choice_schema(choices, field.nullable) | {LATE_DESCRIPTION: field.description}
    schema = {**_kind_schema(field.kind, reference, field.nullable), **field.extra_schema}
    return _add_description(schema, field.description)


def _add_description(schema: Schema, description: str) -> Schema:
    """A schema with its description; a reference is wrapped, as nothing may stand beside it in older readers."""
    return (
        {"allOf": [schema], "description": description} if "$ref" in schema else schema | {"description": description}
    )


def _kind_schema(kind: types.Type, reference: Reference, nullable: bool = False) -> Schema:
    if choices := _choices_of(kind):
        return _choice_schema(choices, nullable)
    if type(kind) in PLAIN:
        schema = PLAIN[type(kind)] | _limits_of(kind, "Length")
    elif isinstance(kind, types.StructType):
        schema = reference(kind.cls)
    elif isinstance(kind, types.CollectionType):
        schema = {"type": "array", "items": _inner_schema(kind.item_type, reference), **_limits_of(kind, "Items")}
    elif isinstance(kind, types.DictType):
        schema = {"type": "object", "additionalProperties": _inner_schema(kind.value_type, reference)}
    else:
        raise TypeError(f"no schema is known for {kind}")
    if not nullable or not schema:
        return schema
    return schema | {"type": [schema["type"], "null"]} if "type" in schema else {"oneOf": [schema, {"type": "null"}]}


def _inner_schema(kind: types.Type, reference: Reference) -> Schema:
    """What a list or an object holds; its elements have no descriptions."""
    inner, nullable, _, extra_schema = strip_type(kind)
    return _kind_schema(inner, reference, nullable) | extra_schema


def _limits_of(kind: types.Type, counted: str) -> Schema:
    names = LIMITS | {"min_length": f"min{counted}", "max_length": f"max{counted}"}
    limits = {name: getattr(kind, attribute, None) for attribute, name in names.items()}
    return {name: limit for name, limit in limits.items() if limit is not None}


def _choices_of(kind: types.Type) -> Sequence[Any]:
    """Values of an enumeration with their names; nothing for any other type."""
    is_enumeration = isinstance(kind, types.CustomType) and issubclass(kind.cls, Enum)
    return list(kind.cls.choices) if is_enumeration else ()  # type: ignore[attr-defined]  # a TextChoices has them


def _choice_schema(choices: Sequence[Any], nullable: bool) -> Schema:
    schema: Schema = build_choice_field(ChoiceField(choices, allow_null=nullable))
    return schema
