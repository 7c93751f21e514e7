"""The tables of fields in docs/api.md say what openapi.json says."""

from __future__ import annotations

import pytest

from tools import api_tables

COMPONENTS = {
    "Entry": {
        "properties": {
            "rank": {"type": "integer", "description": "Rank."},
            "colour": {"allOf": [{"$ref": "#/components/schemas/ColourEnum"}], "description": "Red | blue."},
            "day": {"type": ["string", "null"], "format": "date", "description": "Day; null: not known."},
        }
    },
    "Result": {"properties": {}},
    "Measurement": {"properties": {}},
    "ColourEnum": {"enum": ["red", "blue"]},
}


def test_the_tables_are_written_from_openapi() -> None:
    """Else: ./dev.py exec python -m tools.api_tables"""
    text = api_tables.PAGE.read_text(encoding="utf-8")
    assert text == api_tables.page_with_tables(text, api_tables.read_components())


def test_the_typed_rows_of_the_client_are_written_from_openapi() -> None:
    """Else: ./dev.py exec python -m tools.api_tables"""
    expected = api_tables.client_rows(api_tables.read_components())
    assert api_tables.CLIENT_ROWS.read_text(encoding="utf-8") == expected


def test_each_field_of_an_entry_has_a_row() -> None:
    lines = api_tables.PAGE.read_text(encoding="utf-8").split("## A ranked list\n")[1].split("\n## ")[0].splitlines()
    names = [line.split("`")[1] for line in lines if line.startswith("| `")]
    assert names[0] == "rank" and names[21] == "withdrawn_at" and names[22] == "erased_at" and len(names) == 30


def test_an_outdated_table_is_rewritten_and_the_rest_kept() -> None:
    old_table = f"{api_tables.COLUMNS}\n|---|---|---|\n| `gone` | text | Old. |\n"
    page = "".join(f"{heading}\n\nWords.\n\n{old_table}\nMore words.\n\n" for heading in api_tables.TABLES)
    first = api_tables.page_with_tables(page, COMPONENTS).split("## Results")[0]
    assert first == (
        "## A ranked list\n\nWords.\n\n| field | type | is |\n|---|---|---|\n| `rank` | whole number | Rank. |\n"
        "| `colour` | `red` `blue` | Red \\| blue. |\n"
        "| `day` | day or null | Day; null: not known. |\n\nMore words.\n\n"
    )


def test_a_page_without_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="substring not found"):
        api_tables.page_with_tables("## A ranked list\n\nNo table.\n", COMPONENTS)
