"""A filter is one row of a table: the API, its description, the pages and the documentation read it there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from registry.query.questions.filters import ENTRY_FILTERS, FILTERS, RESULT_NAMES, Filter
from registry.web.filter_fields import filter_fields

ROOT = Path(__file__).parents[4]
DOCUMENTATION = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
PATHS = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))["paths"]
TYPES = {str: "string", int: "integer", bool: "boolean"}
SCOPE = ("scope", "project", "label")
"""Which rows are asked for; none filters the public record."""


def described_parameters(path: str) -> dict[str, tuple[str, str]]:
    """(type, description) of the parameters of a path in openapi.json that filter."""
    parameters = PATHS[path]["get"]["parameters"]
    others = {"ids", "include", "ordering", "cursor", "page_size", "format", "p.NAME", "facts"}
    return {
        row["name"]: (row["schema"]["type"], row["description"])
        for row in parameters
        if row["in"] == "query" and row["name"] not in others
    }


@pytest.mark.parametrize("row", FILTERS, ids=lambda row: row.name)
def test_the_documentation_has_every_filter(row: Filter) -> None:
    places = [name for name, condition in (("results", row.of_results), ("lists", row.of_entries)) if condition]
    assert f"\n| `{row.name}` | {' and '.join(places)} | {row.description} |\n" in DOCUMENTATION


def test_openapi_describes_every_filter_of_results() -> None:
    rows = [row for row in FILTERS if row.of_results]
    expected = {row.name: (TYPES[row.kind], row.description) for row in rows}
    described = described_parameters("/api/v1/results/")
    assert {name: described.pop(name)[0] for name in SCOPE} == dict.fromkeys(SCOPE, "string")
    assert described == expected


def test_openapi_describes_every_filter_of_lists() -> None:
    rows = [row for row in FILTERS if row.of_entries]
    expected = {row.name: (TYPES[row.kind], row.description) for row in rows}
    described = described_parameters("/api/v1/lists/{release}/{list}/")
    assert described.pop("assume")[0] == "string"
    assert described == expected


def test_every_filter_applies_somewhere_under_a_name_of_its_own() -> None:
    assert [row.name for row in FILTERS if not (row.of_results or row.of_entries)] == []
    assert len({row.name for row in FILTERS}) == len(FILTERS)
    assert len({row.label for row in FILTERS}) == len(FILTERS)


def test_filters_of_results_and_of_lists() -> None:
    assert set(RESULT_NAMES) - set(ENTRY_FILTERS) == {"tool", "measured", "release", "list", "trust"}
    assert set(ENTRY_FILTERS) - set(RESULT_NAMES) == {"new"}


def test_filters_of_the_table_are_the_fields_of_pages() -> None:
    choices = {"filesystem_type": [("Lustre", "Lustre (2)")], "reproduced": [("agrees", "reproduced")]}
    fields = filter_fields(ENTRY_FILTERS, {"q": "north"}, choices)
    assert [(field.name, field.label, field.value, field.input, field.choices) for field in fields] == [
        ("q", "Search", "north", "search", None),
        ("filesystem_type", "File system", "", "text", [("Lustre", "Lustre (2)")]),
        ("reproduced", "Reproduced", "", "text", [("agrees", "reproduced")]),
        ("client_nodes__gte", "Client nodes, at least", "", "number", None),
        ("client_nodes__lte", "Client nodes, at most", "", "number", None),
    ]


def test_a_page_may_relabel_a_field() -> None:
    texts = {"q": {"label": "Find in this list", "placeholder": "a site"}}
    (field,) = filter_fields(["q"], {}, {}, texts)
    assert (field.label, field.placeholder, field.every) == ("Find in this list", "a site", "any")
