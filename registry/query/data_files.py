"""Folders of data files: JSON after one schema, read in the order of their names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMAS = Path(__file__).parent.parent / "schemas"


def valid_files(folder: Path, schema_name: str, error: type[Exception]) -> Iterator[tuple[str, Any]]:
    """Name and content of each JSON file. Raises `error`, with file and place, for one that breaks the schema."""
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        require_valid(content, schema_name, error, f"{path.name}: ")
        yield path.name, content


def require_valid(content: Any, schema_name: str, error: type[Exception], where: str = "") -> None:
    """Raises `error` with the first place that breaks a schema of registry/schemas/."""
    for wrong in _schema_validator(schema_name).iter_errors(content):
        raise error(f"{where}{wrong.json_path}: {wrong.message[:300]}")


def load_schema(name: str) -> dict[str, Any]:
    """The schema of registry/schemas/ by its file name."""
    return dict(json.loads((SCHEMAS / name).read_text(encoding="utf-8")))


@cache
def _schema_validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(load_schema(name))
