"""List definitions: read from registry/lists/*.json, checked against their schema, chosen by release."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from registry.ranking import DefinitionError

LISTS = Path(__file__).parent / "lists"
SCHEMA = Path(__file__).parent / "schemas" / "list-definition.schema.json"

Definition = dict[str, Any]


def read_definitions(folder: Path = LISTS) -> list[Definition]:
    """All definitions of a folder, by name and version.

    Raises DefinitionError when one breaks the schema or is not called NAME.VERSION.json.
    """
    validator = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    definitions = []
    for path in sorted(folder.glob("*.json")):
        definition = json.loads(path.read_text(encoding="utf-8"))
        for error in validator.iter_errors(definition):
            raise DefinitionError(f"{path.name}: {error.json_path}: {error.message}")
        if path.name != f"{definition['name']}.{definition['version']}.json":
            raise DefinitionError(f"{path.name} holds {definition['name']} version {definition['version']}")
        definitions.append(definition)
    return sorted(definitions, key=lambda definition: (definition["name"], definition["version"]))


def current_definitions(definitions: Iterable[Definition]) -> dict[str, Definition]:
    """By name, the newest definitions of releases run here."""
    here = [definition for definition in definitions if definition["applies_to"]["origin"] == "here"]
    return {definition["name"]: definition for definition in sorted(here, key=lambda definition: definition["version"])}


def imported_definition(
    definitions: Iterable[Definition], name: str, release: str, releases: Sequence[str]
) -> Definition | None:
    """The definition of list `name` in an imported release, or None; `releases` gives the order of slugs."""
    for definition in definitions:
        span = definition["applies_to"]
        if definition["name"] != name or span["origin"] != "imported":
            continue
        if releases.index(span["from"]) <= releases.index(release) <= releases.index(span["until"]):
            return definition
    return None
