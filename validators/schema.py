"""JSON Schemas of what people send: versioned files, and their errors as findings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validators.findings import ERROR, Finding

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

FOLDER = Path(__file__).parent / "schemas"
METADATA = "metadata.1"


@cache
def schemas() -> dict[str, dict[str, Any]]:
    """Every schema by name and version: {"metadata.1": {...}}."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}


@cache
def _validator(name: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # takes longer to import than a check takes, so only when needed

    return Draft202012Validator(schemas()[name], format_checker=Draft202012Validator.FORMAT_CHECKER)


def errors(document: object, name: str) -> list[ValidationError]:
    """What is wrong with a document by the named schema, in the order of the document. KeyError: no such schema."""
    return sorted(each_error(document, name), key=lambda error: [str(part) for part in error.absolute_path])


def each_error(document: object, name: str) -> Iterator[ValidationError]:
    """The same one by one, as they are found: a large document may have more of them than anybody reads."""
    found: Iterator[ValidationError] = _validator(name).iter_errors(document)
    return found


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


def sentence(error: ValidationError) -> str:
    """jsonschema's message without a long value in it."""
    message = str(error.message)
    return message if len(message) < 200 else message[:199] + "…"
