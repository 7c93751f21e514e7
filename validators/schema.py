"""JSON Schemas of what people send: versioned files, and their errors as findings.

The package jsonschema evaluates them. In the single file that a site runs offline it is not there: `json_schema`
stands in then, with the same places and messages (decision 32).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from validators import json_schema
from validators.findings import ERROR, Finding
from validators.json_schema import SchemaError

EDGE_CHARACTERS = 60
"""Characters of the beginning and of the end of a long message."""
FOLDER = Path(__file__).parent / "schemas"
METADATA = "metadata.1"


@cache
def schemas() -> dict[str, dict[str, Any]]:
    """Every schema by name and version: {"metadata.1": {...}}."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}


@cache
def _evaluator(name: str) -> Callable[[object], Iterator[SchemaError]]:
    schema = schemas()[name]
    try:
        from jsonschema import Draft202012Validator  # longer to import than a check takes, so only when needed
    except ImportError:
        return lambda document: json_schema.errors(document, schema)
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return lambda document: (
        SchemaError(error.message, error.validator or "", tuple(error.absolute_path))
        for error in validator.iter_errors(document)
    )


def errors(document: object, name: str) -> list[SchemaError]:
    """What is wrong with a document by the named schema, in the order of the document. KeyError: no such schema."""
    return sorted(each_error(document, name), key=lambda error: [str(part) for part in error.absolute_path])


def each_error(document: object, name: str) -> Iterator[SchemaError]:
    """The same one by one, as they are found: a large document may have more of them than anybody reads."""
    return _evaluator(name)(document)


def metadata_findings(metadata: object) -> list[Finding]:
    """Findings `metadata.*` for what was sent beside the bundle; an empty object says nothing and is fine."""
    if metadata == {}:
        return []
    return [
        Finding(
            f"metadata.{'unknown' if error.validator == 'additionalProperties' else 'invalid'}",
            ERROR,
            f"The metadata is not valid: {sentence(error)}",
            "See the schema metadata.1 for the fields and their types.",
            error.json_path.replace("$", "metadata", 1),
        )
        for error in errors(metadata, METADATA)[:20]
    ]


def sentence(error: SchemaError) -> str:
    """The message without the middle of a long one, which is a value: what is wrong with it stands at the end."""
    message = error.message
    return (
        message
        if len(message) <= 2 * EDGE_CHARACTERS
        else f"{message[:EDGE_CHARACTERS]} … {message[-EDGE_CHARACTERS:]}"
    )
