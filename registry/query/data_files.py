"""Folders of data files: JSON after one schema, read in the order of their names."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMAS = Path(__file__).parent.parent / "schemas"
LIST_DEFINITION = "list-definition.schema.json"
"""What list definitions, their families and their conditions are checked against; published, too."""


def valid_files(
    folder: Path, schema_name: str, error: type[Exception], *, part: str = "", leave_out: Container[str] = ()
) -> Iterator[tuple[str, Any]]:
    """Name and content of each JSON file, but those to `leave_out`.

    Raises `error`, with file and place, for one that breaks the schema or has a name twice in one object.
    """
    for path in sorted(folder.glob("*.json")):
        if path.name not in leave_out:
            yield path.name, read_valid(path, schema_name, error, part=part)


def read_valid(path: Path, schema_name: str, error: type[Exception], *, part: str = "") -> Any:
    """The content of one JSON file. Raises `error` as `valid_files` does."""

    def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if repeated := [name for name, times in Counter(name for name, _ in pairs).items() if times > 1]:
            raise error(f"{path.name}: {repeated[0]} stands there twice")
        return dict(pairs)

    content = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=unique_names)
    require_valid(content, schema_name, error, f"{path.name}: ", part=part)
    return content


def require_valid(content: Any, schema_name: str, error: type[Exception], where: str = "", *, part: str = "") -> None:
    """Raises `error` with the first place that breaks a schema of registry/schemas/, or a `part` of its `$defs`."""
    for wrong in _schema_validator(schema_name, part).iter_errors(content):
        raise error(f"{where}{wrong.json_path}: {wrong.message[:300]}")


def load_schema(name: str) -> dict[str, Any]:
    """The schema of registry/schemas/ by its file name."""
    return dict(json.loads((SCHEMAS / name).read_text(encoding="utf-8")))


@cache
def _schema_validator(name: str, part: str) -> Draft202012Validator:
    schema = load_schema(name)
    return Draft202012Validator({"$defs": schema["$defs"], "$ref": f"#/$defs/{part}"} if part else schema)
