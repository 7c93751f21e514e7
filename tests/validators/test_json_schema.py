"""Documents are held against their schema without jsonschema, and with its places and its words."""

from __future__ import annotations

import json
from itertools import chain

import pytest
from jsonschema import Draft202012Validator

from tests.collectors.document.test_schema import ALL_KEYWORDS, SMALL, VALUES, mutated
from validators import json_schema, schema

METADATA = [
    {},
    {"institution": "North Lab", "client_nodes": 10, "production": False},
    *({name: value} for name in ("system", "client_nodes", "tasks", "production", "note", "nmae") for value in VALUES),
    {"zz": 1, "aa": 2, "note": 3},
    *VALUES,
]
OTHER_KEYWORDS = {
    "type": "object",
    "minProperties": 1,
    "dependentRequired": {"a": ["b", "c"]},
    "properties": {
        "a": {"minLength": 1, "maxLength": 0, "minItems": 1, "maxItems": 2, "minProperties": 2},
        "b": {"minItems": 2, "minLength": 3, "uniqueItems": True, "exclusiveMinimum": 0},
        "c": {"contains": {"type": "integer"}},
        "d": {"oneOf": [{"type": "integer"}, {"minimum": 2}, {"maxLength": 3}]},
        "e": {"not": {"type": ["string", "null"]}},
        "f": {"additionalProperties": False, "properties": {"x": {"items": {"type": "string"}}, "y": False}},
        "it's \\ a name": {"type": "null"},
    },
}


def of_ours(document: object, schema: dict) -> list[tuple[str, str, str]]:
    return sorted((error.json_path, error.validator, error.message) for error in json_schema.errors(document, schema))


def of_jsonschema(document: object, schema: dict) -> list[tuple[str, str, str]]:
    judge = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return sorted((error.json_path, error.validator or "", error.message) for error in judge.iter_errors(document))


def differing(documents: list[object], schema: dict) -> list[object]:
    assert any(of_ours(document, schema) for document in documents)
    assert not all(of_ours(document, schema) for document in documents)
    return [document for document in documents if of_ours(document, schema) != of_jsonschema(document, schema)]


@pytest.mark.parametrize("name", sorted(schema.schemas()))
def test_every_keyword_of_every_schema_is_known(name: str) -> None:
    used = set()
    waiting = [schema.schemas()[name]]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            used |= set(part)
            for keyword, below in part.items():
                if keyword in ("properties", "$defs"):
                    waiting += below.values()
                elif keyword not in ("const", "enum", "required", "dependentRequired"):
                    waiting += below if isinstance(below, list) else [below]
    keywords = set(json_schema._CHECKS) | set(json_schema._DESCENTS) | json_schema.REMARKS
    assert sorted(used - keywords) == []


def test_two_thousand_system_documents_have_the_errors_of_jsonschema() -> None:
    documents = [document for _, document in zip(range(2000), mutated(), strict=False)]
    assert differing(documents, schema.schemas()["system.1"]) == []


def test_metadata_has_the_errors_of_jsonschema() -> None:
    assert differing(METADATA, schema.schemas()["metadata.1"]) == []


def test_the_other_keywords_have_the_errors_of_jsonschema() -> None:
    values = [*SMALL, *VALUES, [1, 1.0], [True, 1], [[1], [True]], [{"a": 1}, {"a": 1.0}], {"x": [1]}, {"x": []}]
    documents = chain(values, ({name: value} for name in OTHER_KEYWORDS["properties"] for value in values))
    assert differing([*documents, {"a": "x", "b": 1}, {"a": "x", "b": 1, "c": 1}], OTHER_KEYWORDS) == []
    names = ("a", "b", "c", "d", "e", "f", "g", "zz", "long")
    documents = [*SMALL, *VALUES, {"a": 1}, *({"a": 1, name: value} for name in names for value in values)]
    assert differing(documents, ALL_KEYWORDS) == []


@pytest.mark.parametrize("wanted", [{"maxContains": 1}, {"format": "email"}, {"allOf": []}])
def test_a_keyword_that_is_not_known_is_refused_and_never_passed_over(wanted: dict) -> None:
    with pytest.raises(ValueError, match="not known"):
        list(json_schema.errors("text", wanted))


def test_ten_thousand_similar_items_are_compared_in_one_pass() -> None:
    """Each item is hashed once: comparing each with each would be fifty million comparisons of objects."""
    items = [{"a": [number, {"b": number}]} for number in range(10_000)]
    assert list(json_schema.errors(items, {"uniqueItems": True})) == []
    (error,) = json_schema.errors([*items, json.loads(json.dumps(items[77]))], {"uniqueItems": True})
    assert error.validator == "uniqueItems"


def test_a_long_value_leaves_the_reason_in_view() -> None:
    (error,) = schema.errors({"storage_vendor": "x" * 600}, schema.METADATA)
    message = schema.sentence(error)
    assert message.startswith("'xxx")
    assert message.endswith("xxx' is too long")
    assert len(message) < 130
