"""Write the tables of fields in docs/api.md, and highwater/rows.py, from docs/openapi.json.

A test holds them equal.

./dev.py exec python -m tools.api_tables
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE, OPENAPI = DOCS / "api.md", DOCS / "openapi.json"
COLUMNS = "| field | type | is |"
TABLES = {"## A ranked list": "Entry", "## Results": "Result", "## Measurements": "Measurement"}
"""Heading above the table, and the component of openapi.json whose fields it has."""
CLIENT_ROWS = DOCS.parent / "highwater" / "rows.py"
CLIENT_ROOTS = (
    *("Result", "ResultDetail", "Measurement", "ComparisonShape", "StudyListed", "StudyShape", "AxisRow", "MetricRow"),
    *("RankingShape", "RankedList", "Entry", "Release", "System", "SystemDetail", "Site", "SiteDetail"),
    *("Platform", "PlatformDetail", "SystemHistoryShape", "LineShape", "Generations", "SizingShape", "Efficiency"),
    *("ResultMembersShape", "Distribution", "Chance", "Receipt", "SubmissionDetail", "UnknownValue"),
)
"""Components that methods of the Python client answer with; what they refer to comes along."""
PYTHON_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
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


def client_dates(components: dict[str, Schema]) -> str:
    """The source of what the client knows of dates: fields that are a day or a time in every answer that has them."""
    formats: dict[str, set[str]] = {}
    for component in _with_references([root for root in CLIENT_ROOTS if root in components], components):
        for name, field in components[component].get("properties", {}).items():
            formats.setdefault(name, set()).add(field.get("format", ""))
    dates = {name: only for name, several in sorted(formats.items()) if len(several) == 1 for only in several}
    rows = "".join(f'    "{name}": "{form}",\n' for name, form in dates.items() if form in ("date", "date-time"))
    return f'\n\nDATES = {{\n{rows}}}\n"""Fields that are a day or a time in every row that has them."""\n'


def client_rows(components: dict[str, Schema]) -> str:
    """The source of the client's module of typed rows: a TypedDict for each component that its answers hold."""
    lines = [
        '"""What rows of a registry hold, from its openapi.json; tools/api_tables.py writes them."""\n',
        "from __future__ import annotations\n",
        "from typing import Any, TypedDict, Union",
    ]
    names = _with_references(CLIENT_ROOTS, components)
    classes = [_typed_dict(name, components[name], components) for name in names if "properties" in components[name]]
    return "\n".join(lines) + "\n" + "".join(classes) + client_dates(components)


def _typed_dict(name: str, component: Schema, components: dict[str, Schema]) -> str:
    """A component as a class; in two where something may be left out, and by call where a field is a Python keyword."""
    types = {field: _python_type(schema, components) for field, schema in component["properties"].items()}
    if any(keyword.iskeyword(field) for field in types):
        fields = "".join(f'        "{field}": "{kind}",\n' for field, kind in types.items())
        return f'\n\n{name} = TypedDict(\n    "{name}",\n    {{\n{fields}    }},\n)\n'
    always = {field: kind for field, kind in types.items() if field in component.get("required", ())}
    optional = {field: kind for field, kind in types.items() if field not in always}
    if not optional:
        return _class_source(name, "TypedDict", always)
    base = f"_{name}Always"
    return _class_source(base, "TypedDict", always) + _class_source(name, f"{base}, total=False", optional)


def _class_source(name: str, bases: str, types: dict[str, str]) -> str:
    fields = "".join(f"    {field}: {kind}\n" for field, kind in types.items()) or "    pass\n"
    return f"\n\nclass {name}({bases}):\n{fields}"


def _python_type(schema: Schema, components: dict[str, Schema]) -> str:
    """The type of a field as Python 3.9 reads it; an enumeration is a text, as later versions may have more values."""
    parts = [*schema.get("allOf", ()), *schema.get("oneOf", ()), *schema.get("anyOf", ())]
    if "$ref" in schema:
        parts = [schema]
    if parts:
        kinds = [_referred_type(part, components) for part in parts]
        return _union(list(dict.fromkeys(kinds)))
    if "enum" in schema and "type" not in schema:
        return "str"
    types = schema.get("type", ())
    kinds = [types] if isinstance(types, str) else types
    return _union([_plain_type(kind, schema, components) for kind in kinds])


def _referred_type(part: Schema, components: dict[str, Schema]) -> str:
    name = part.get("$ref", "").rpartition("/")[2]
    return name if name and "properties" in components[name] else _python_type(components.get(name, part), components)


def _plain_type(kind: str, schema: Schema, components: dict[str, Schema]) -> str:
    if kind == "array":
        return f"list[{_python_type(schema.get('items', {}), components)}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {_python_type(values if isinstance(values, dict) else {}, components)}]"
    return PYTHON_TYPES[kind]


def _union(kinds: list[str]) -> str:
    if not kinds or "Any" in kinds:
        return "Any"
    return kinds[0] if len(kinds) == 1 else f"Union[{', '.join(kinds)}]"


def _with_references(roots: Sequence[str], components: dict[str, Schema]) -> list[str]:
    """The components and all that they refer to, by name."""
    names = dict.fromkeys(roots)
    queue = list(roots)
    while queue:
        for name in re.findall(r"#/components/schemas/(\w+)", json.dumps(components[queue.pop()])):
            if name not in names:
                names[name] = None
                queue.append(name)
    return sorted(names)


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
    CLIENT_ROWS.write_text(client_rows(read_components()), encoding="utf-8")
