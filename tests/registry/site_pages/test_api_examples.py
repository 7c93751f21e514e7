"""Every body that is sent or answered has an example in openapi.json, and each is valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from registry.site_pages import api_examples
from registry.site_pages.api_meta import openapi_document

BINARY = {"type": "string", "format": "binary"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return openapi_document()


def bodies(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(operation id, media type, content) of each body of a request, and of each answer that is no refusal."""
    for methods in document["paths"].values():
        for operation in methods.values():
            answers = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
            for body in (operation.get("requestBody", {}), *answers):
                for media_type, content in body.get("content", {}).items():
                    yield operation["operationId"], media_type, content


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    else:
        yield value


def test_every_json_has_an_example(document) -> None:
    jsons = [(name, content) for name, kind, content in bodies(document) if kind == "application/json"]
    missing = [name for name, content in jsons if "example" not in content]
    assert len(list(bodies(document))) > 150
    assert missing == []


def test_every_operation_that_sends_or_answers_something_has_an_example(document) -> None:
    with_bodies = {name for name, _, _ in bodies(document)}
    assert with_bodies == {name for name, _, content in bodies(document) if "example" in content}
    operation_ids = {row["operationId"] for methods in document["paths"].values() for row in methods.values()}
    silent = operation_ids - with_bodies
    assert all(name.endswith(("_stop", "_withdraw", "_remove", "_revoke")) for name in silent), silent


def test_every_example_is_valid(document) -> None:
    refused = []
    for name, media_type, content in bodies(document):
        if "example" in content and content["schema"] != BINARY:
            schema = content["schema"] | {"components": document["components"]}
            checker = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
            refused += [(name, media_type, error.message) for error in checker.iter_errors(content["example"])]
    assert refused == []


def test_no_example_is_a_placeholder_text(document) -> None:
    """A field of a new name says `examples=[...]` in its Meta, or its name gets a value in the file."""
    plain = api_examples.BY_TYPE["string"]
    unexplained = [name for name, _, content in bodies(document) if plain in list(leaves(content.get("example")))]
    assert unexplained == []


def test_every_value_of_the_file_belongs_to_something(document) -> None:
    values, schemas = api_examples.example_values(), document["components"]["schemas"]
    names = {name for schema in schemas.values() for name in schema.get("properties", {})}
    assert set(values["fields"]) - names == set()
    own_fields = {(component, name) for component, fields in values["fields_of"].items() for name in fields}
    fields = {(component, name) for component, row in schemas.items() for name in row.get("properties", {})}
    assert own_fields - fields == set()
    assert set(values["answers"]) <= {name for name, _, _ in bodies(document)}


COMPONENTS = {
    "Wheel": {"type": "object", "properties": {"spokes": {"type": "integer", "minimum": 3}}},
    "Colour": {"enum": ["red", "blue"], "type": "string"},
}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": ["string", "null"]}, "any text"),
        ({"type": "string", "format": "date"}, "2026-10-01"),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 2}, [True, True]),
        ({"type": "object", "additionalProperties": {}}, {}),
        ({"oneOf": [{"$ref": "#/components/schemas/Colour"}, {"type": "null"}]}, "red"),
        ({"allOf": [{"$ref": "#/components/schemas/Colour"}], "description": "Its colour."}, "red"),
        ({}, None),
    ],
)
def test_examples_follow_from_types(schema: dict[str, Any], expected: Any) -> None:
    assert api_examples.example_of(schema, COMPONENTS) == expected


def test_the_value_beside_a_field_is_taken_unless_the_field_refuses_it() -> None:
    described = {"type": "object", "properties": {"spokes": {"type": "integer", "minimum": 3, "examples": [2, 36]}}}
    assert api_examples.example_of({"$ref": "#/components/schemas/Wheel"}, {"Wheel": described}) == {"spokes": 36}
    assert api_examples.example_of({"$ref": "#/components/schemas/Wheel"}, COMPONENTS) == {"spokes": 1}
