"""An example of every body that requests send and answers have, in the OpenAPI document.

Examples are put together field by field: from `examples` beside the field (in its Meta), else from the values in
data/api_examples.json, by component and name or by name alone, else from the type. So a new field has one at once.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

Schema = dict[str, Any]
_FILE = Path(__file__).parent / "data" / "api_examples.json"
BY_FORMAT = {
    "date": "2026-10-01",
    "date-time": "2026-10-01T09:00:00Z",
    "uuid": "6484d57f-6381-4678-a7bc-c7b69470a171",
    "uri": "https://highwater.example/api/v1/",
}
BY_TYPE: dict[str, Any] = {"string": "any text", "integer": 1, "number": 1.5, "boolean": True, "null": None}
FORM = "multipart/form-data"
"""Bodies of files, of which no JSON is an example."""


@cache
def example_values() -> dict[str, Any]:
    """`fields` by name, `fields_of` by component and name, `answers` without named fields by operation and type."""
    document: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return document


def with_examples(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """The document with an example of each body of a request and of each answer of an operation that went well."""
    components = result["components"]["schemas"]
    for methods in result["paths"].values():
        for operation in methods.values():
            answers = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
            for body in [operation.get("requestBody", {}), *answers]:
                for media_type, content in body.get("content", {}).items():
                    _add_example(operation["operationId"], media_type, content, components)
    return result


def _add_example(operation_id: str, media_type: str, content: Schema, components: dict[str, Schema]) -> None:
    values = example_values()["answers"].get(operation_id, {})
    if "$ref" in content["schema"] and media_type != FORM:
        content["example"] = example_of(content["schema"], components)
    elif media_type in values:
        content["example"] = values[media_type]


def example_of(schema: Schema, components: dict[str, Schema]) -> Any:
    """A value of a schema; what it refers to is among the components."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _object_example(components[name], components, name)
    for parts in (schema.get("allOf"), schema.get("oneOf"), schema.get("anyOf")):
        if parts:
            return example_of(parts[0], components)
    return _object_example(schema, components, "")


def _object_example(schema: Schema, components: dict[str, Schema], component: str) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if "properties" in schema:
        fields = schema["properties"].items()
        return {name: _field_example(field, components, component, name) for name, field in fields}
    kind = schema.get("type", "null")
    kind = kind if isinstance(kind, str) else kind[0]
    if kind == "array":
        return [example_of(schema["items"], components)] * schema.get("minItems", 1)
    if kind == "object":
        return {}
    return BY_FORMAT.get(schema.get("format", ""), BY_TYPE[kind])


def _field_example(field: Schema, components: dict[str, Schema], component: str, name: str) -> Any:
    values = example_values()
    own_values = [*field.get("examples", []), *_value_list(values["fields_of"].get(component, {}), name)]
    for value in own_values + _value_list(values["fields"], name):
        if _is_valid(value, field, components):
            return value
    return example_of(field, components)


def _value_list(values: dict[str, Any], name: str) -> list[Any]:
    return [values[name]] if name in values else []


def _is_valid(value: Any, schema: Schema, components: dict[str, Schema]) -> bool:
    checker = Draft202012Validator.FORMAT_CHECKER
    with_components = schema | {"components": {"schemas": components}}
    return bool(Draft202012Validator(with_components, format_checker=checker).is_valid(value))
