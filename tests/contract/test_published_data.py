"""Published versions of data files never change: what changes gets the next number.

The names of parameters and of what documents may hold grow: those that were published keep what they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.lists.definitions import read_definitions

ROOT = Path(__file__).resolve().parents[2]
FROZEN: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "published_data.json").read_text())
"""sha256 by name and version: of list definitions in full, as JSON with sorted names; of questionnaires as files.
Of parameters what their values are; of schemas the paths of what a document may hold.

A version is frozen from the first release on that has it.
"""


def body_digest(body: dict[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def test_published_versions_are_unchanged() -> None:
    files = (ROOT / "validators" / "questionnaires").glob("*.json")
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert {name: digests.get(name) for name in FROZEN["questionnaires"]} == FROZEN["questionnaires"]


def test_definitions_expand_to_the_published_bodies() -> None:
    digests = {f"{body['name']}.{body['version']}": body_digest(body) for body in read_definitions()}
    assert {name: digests.get(name) for name in FROZEN["lists"]} == FROZEN["lists"]


def test_every_list_definition_of_a_release_is_frozen() -> None:
    names = {f"{body['name']}.{body['version']}" for body in read_definitions()}
    assert names <= set(FROZEN["lists"]), "freeze new definitions with the release that first has them"


KINDS = ("unit", "kind", "value_type", "scope")
"""What the values of a parameter are."""


def test_published_parameters_are_unchanged() -> None:
    rows = json.loads((ROOT / "validators" / "parameters" / "parameters.1.json").read_text())["parameters"]
    parameters = {row["id"]: " ".join(row[kind] for kind in KINDS) for row in rows}
    assert {name: parameters.get(name) for name in FROZEN["parameters"]} == FROZEN["parameters"]


@pytest.mark.parametrize("name", sorted(FROZEN["schemas"]))
def test_published_schemas_lose_no_field(name: str) -> None:
    schema = json.loads((ROOT / "validators" / "schemas" / f"{name}.json").read_text())
    paths = set(paths_of(schema, schema.get("$defs", {})))
    assert len(FROZEN["schemas"][name]) >= 10
    assert sorted(set(FROZEN["schemas"][name]) - paths) == []


def paths_of(schema: dict[str, Any], definitions: dict[str, Any], path: str = "") -> Iterator[str]:
    """The path of each property of a schema: `a.b[].c`, with `*` for names that a document may choose."""
    if "$ref" in schema:
        if path.count(".") < 12:  # definitions may hold themselves
            yield from paths_of(definitions[schema["$ref"].rpartition("/")[2]], definitions, path)
        return
    if path:
        yield path
    for name, inner in schema.get("properties", {}).items():
        yield from paths_of(inner, definitions, f"{path}.{name}".lstrip("."))
    if isinstance(schema.get("items"), dict):
        yield from paths_of(schema["items"], definitions, f"{path}[]")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from paths_of(schema["additionalProperties"], definitions, f"{path}.*")
    for form in ("anyOf", "oneOf", "allOf"):
        for inner in schema.get(form, ()):
            yield from paths_of(inner, definitions, path)
