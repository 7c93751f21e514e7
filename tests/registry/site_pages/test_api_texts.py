"""Every operation has a summary, every property a description with the unit of its numbers."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from registry.site_pages import api_texts
from registry.site_pages.api_meta import openapi_document

UNIT = re.compile(r"unit|GiB|kIOPS|%|[Bb]ytes|B/s| number|Number of")


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return openapi_document()


def operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [operation for methods in document["paths"].values() for operation in methods.values()]


def properties(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """Each property of the document by its component and name."""
    return {
        (component, name): field
        for component, schema in document["components"]["schemas"].items()
        for name, field in schema.get("properties", {}).items()
    }


def test_every_operation_has_a_summary_of_its_own(document) -> None:
    summaries = Counter(operation["summary"] for operation in operations(document))
    assert len(summaries) > 100
    assert [summary for summary, count in summaries.items() if count > 1] == []
    assert [text for text in summaries if not re.fullmatch(r"[A-Z][^.;]{5,59}", text)] == []


def test_every_property_has_a_description(document) -> None:
    fields = properties(document)
    assert len(fields) > 1000
    assert [place for place, field in fields.items() if not field.get("description")] == []
    sentences = [field["description"] for field in fields.values()]
    assert [text for text in sentences if len(text) < 5 or text.split("\n")[0][-1] not in ".:"] == []


def is_fraction(field: dict[str, Any]) -> bool:
    """Whether the property is a number that need not be a count, or a row of such numbers."""
    kinds = [field.get("type"), field.get("items", {}).get("type")]
    return any("number" in (kind if isinstance(kind, list) else [kind]) for kind in kinds)


def test_every_number_says_its_unit(document) -> None:
    numbers = {place: field["description"] for place, field in properties(document).items() if is_fraction(field)}
    assert len(numbers) > 50
    assert {place: text for place, text in numbers.items() if not UNIT.search(text)} == {}


def test_no_summary_is_of_an_operation_that_is_gone(document) -> None:
    assert set(api_texts.summaries()) == {operation["operationId"] for operation in operations(document)}


def test_values_are_explained_at_the_enumeration_only(document) -> None:
    assert [place for place, field in properties(document).items() if "\n* `" in field["description"]] == []
    assert "* `verified` - " in document["components"]["schemas"]["TrustEnum"]["description"]
