"""Write the tables of fields in docs/api.md, and highwater/columns.py, from docs/openapi.json; a test holds them equal.

./dev.py exec python -m tools.api_tables
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE, OPENAPI = DOCS / "api.md", DOCS / "openapi.json"
COLUMNS = "| field | type | is |"
TABLES = {"## A ranked list": "Entry", "## Results": "Result", "## Measurements": "Measurement"}
"""Heading above the table, and the component of openapi.json whose fields it has."""
CLIENT = DOCS.parent / "highwater" / "columns.py"
CLIENT_TABLES = {"RESULTS": "Result", "MEASUREMENTS": "Measurement", "STUDIES": "StudyListed", "AXES": "AxisRow"}
"""What the Python client calls the columns of a table, and the component of its rows."""
WORDS = {"string": "text", "number": "number", "integer": "whole number", "boolean": "boolean", "array": "list"}
FORMATS = {"date": "day", "date-time": "time", "uri": "address", "uuid": "UUID"}

Schema = dict[str, Any]


def page_with_tables(text: str, components: dict[str, Schema]) -> str:
    """The page with its tables of fields written anew. Raises ValueError where a heading or its table is missing."""
    for heading, component in TABLES.items():
        start = text.index(f"{COLUMNS}\n", text.index(f"{heading}\n"))
        text = text[:start] + field_table(components[component], components) + text[text.index("\n\n", start) + 1 :]
    return text


def field_table(component: Schema, components: dict[str, Schema]) -> str:
    """A row for each field: name, type, meaning."""
    rows = [
        f"| `{name}` | {type_words(field, components)} | {field['description'].replace('|', chr(92) + '|')} |\n"
        for name, field in component["properties"].items()
    ]
    return f"{COLUMNS}\n|---|---|---|\n" + "".join(rows)


def client_columns(components: dict[str, Schema]) -> str:
    """The source of the client's module of columns."""
    lines = ['"""Columns of tables of a registry, from its openapi.json; tools/api_tables.py writes them."""\n']
    for name, component in CLIENT_TABLES.items():
        names = "".join(f'    "{field}",\n' for field in components[component]["properties"])
        lines.append(f"{name} = (\n{names})\n")
    return "\n".join(lines).replace(")\n\n", ")\n")


def type_words(field: Schema, components: dict[str, Schema]) -> str:
    """The type of a field in words, with the values of an enumeration."""
    for part in (*field.get("allOf", ()), *field.get("oneOf", ()), *field.get("anyOf", ())):
        referred = components[part["$ref"].rpartition("/")[2]] if "$ref" in part else part
        if "enum" in referred:
            return " ".join(f"`{value}`" for value in referred["enum"])
    kinds = field.get("type", "object")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    words = [FORMATS.get(field.get("format", "")) or WORDS.get(kind, kind) for kind in kinds if kind != "null"]
    return " or ".join(words + ["null"] * ("null" in kinds))


def read_components() -> dict[str, Schema]:
    components: dict[str, Schema] = json.loads(OPENAPI.read_text(encoding="utf-8"))["components"]["schemas"]
    return components


if __name__ == "__main__":
    PAGE.write_text(page_with_tables(PAGE.read_text(encoding="utf-8"), read_components()), encoding="utf-8")
    CLIENT.write_text(client_columns(read_components()), encoding="utf-8")
