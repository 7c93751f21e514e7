"""Summaries and descriptions of the OpenAPI document, each written once in data/api_texts.json.

A description stands under the name of the field, and again under its component where it means something else there;
`fields_of` names several components with blanks between them. What a serializer says itself stays.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "data" / "api_texts.json"


@cache
def texts() -> dict[str, Any]:
    """`summaries` by operation id, `fields` by name, `fields_of` by component and name."""
    document: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    by_component: dict[str, dict[str, str]] = {}
    for components, fields in document["fields_of"].items():
        for component in components.split():
            by_component.setdefault(component, {}).update(fields)
    return {**document, "fields_of": by_component}


def with_texts(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """The document with a summary of each operation and a description of each property, as far as there are texts."""
    for methods in result["paths"].values():
        for operation in methods.values():
            if summary := texts()["summaries"].get(operation["operationId"]):
                operation.setdefault("summary", summary)
    for component, schema in result["components"]["schemas"].items():
        own = texts()["fields_of"].get(component, {})
        for name, field in schema.get("properties", {}).items():
            description = own.get(name) or texts()["fields"].get(name)
            if description and "description" not in field:
                schema["properties"][name] = _described(field, description)
    return result


def _described(field: dict[str, Any], description: str) -> dict[str, Any]:
    """A property with its description; a reference is wrapped, as nothing may stand beside it in older readers."""
    return {"allOf": [field], "description": description} if "$ref" in field else {**field, "description": description}
