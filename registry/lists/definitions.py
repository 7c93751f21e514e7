"""List definitions: read from registry/lists/data/, checked against their schema, expanded, chosen by release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

from django import template

from registry.lists import conditions
from registry.lists.ranking import DefinitionError
from registry.query import data_files
from validators.catalogue import benchmark, describe
from validators.rules import lists_of_reason
from validators.units import UNITS

register = template.Library()

LISTS = Path(__file__).parent / "data"
FAMILIES = "families"

SCORED = "io500"
"""The tool whose score the definitions with `score` rank."""

Definition = dict[str, Any]


def require_valid(body: Any) -> Definition:
    """The body of a definition that somebody proposes, its names expanded. Raises DefinitionError."""
    data_files.require_valid(body, data_files.LIST_DEFINITION, DefinitionError)
    expanded = conditions.expand_definition(body, conditions.read_conditions(LISTS))
    if "ranks" in expanded:
        _require_measured("ranks", expanded["ranks"])
    return expanded


def read_definitions(folder: Path = LISTS) -> list[Definition]:
    """All definitions of a folder and its families, their names expanded, by name and version.

    Raises DefinitionError when one breaks the schema, is there twice or is not called NAME.VERSION.json.
    """
    named = conditions.read_conditions(folder)
    definitions: dict[tuple[str, int], Definition] = {}
    for where, body in _written_definitions(folder):
        key = body["name"], body["version"]
        if key in definitions:
            raise DefinitionError(f"{where}: {key[0]} version {key[1]} is defined twice")
        definitions[key] = conditions.expand_definition(body, named, f"{where}: ")
        if "ranks" in body:
            _require_measured(where, body["ranks"])
    return [definitions[key] for key in sorted(definitions)]


def _written_definitions(folder: Path) -> Iterator[tuple[str, Definition]]:
    """(file, definition) of each, as it is written or as its family makes it."""
    for name, body in data_files.valid_files(
        folder, data_files.LIST_DEFINITION, DefinitionError, leave_out=(conditions.FILE,)
    ):
        if name != f"{body['name']}.{body['version']}.json":
            raise DefinitionError(f"{name} holds {body['name']} version {body['version']}")
        yield name, body
    for name, family in data_files.valid_files(
        folder / FAMILIES, data_files.LIST_DEFINITION, DefinitionError, part="family"
    ):
        for body in conditions.expand_family(family, f"{name}: "):
            data_files.require_valid(body, data_files.LIST_DEFINITION, DefinitionError, f"{name}: {body['name']}: ")
            yield name, body


def _require_measured(name: str, ranks: Definition) -> None:
    """Raises DefinitionError for what no descriptor of a benchmark has."""
    try:
        described = describe(benchmark(ranks["tool"]).tool, ranks["op"], ranks["quantity"])
    except LookupError as error:
        raise DefinitionError(f"{name}: {error}") from error
    if described is None:
        raise DefinitionError(f"{name}: {ranks['tool']} has no {ranks['quantity']} of {ranks['op']}")
    if ranks["unit"] not in UNITS or UNITS[ranks["unit"]].canonical != UNITS[described.unit].canonical:
        raise DefinitionError(f"{name}: {ranks['unit']} is no unit of {ranks['quantity']}")


@cache
def _shipped_titles() -> Mapping[str, str]:
    return {definition["name"]: definition["title"] for definition in read_definitions()}


def title_of(name: str) -> str:
    """The title of a list for readers: that of its newest version here, else its name. No query."""
    return _shipped_titles().get(name, name)


@register.filter(name="name_lists")
def name_lists(why: str) -> str:
    """What a check wrote of a rule, where it is a rule of some lists alone: with their titles. Other reasons stay."""
    titles = [title_of(name) for name in lists_of_reason(why)]
    return f"Only for the list{'s' * (len(titles) > 1)} {' and '.join(titles)}." if titles else why


def tool_of(definition: Definition) -> str:
    """The tool whose results a list ranks."""
    return str(definition["ranks"]["tool"]) if "ranks" in definition else SCORED


def lower_is_better(definition: Mapping[str, Any]) -> bool:
    """The direction of what a list ranks, as the tool's descriptor says it; a score is better when it is higher."""
    if "ranks" not in definition:
        return False
    ranks = definition["ranks"]
    described = describe(ranks["tool"], ranks["op"], ranks["quantity"])
    return described is not None and described.better == "lower"


class RankedMeasure(TypedDict):
    """What a list ranks; a score has a quantity alone."""

    tool: str
    op: str | None
    quantity: str
    stat: str | None
    unit: str | None
    title: str
    better: str


def ranked_measure(definition: Definition) -> RankedMeasure:
    """What a list ranks: tool, op, quantity, stat, unit (None: no unit), title, and which direction is better."""
    ranks = definition.get("ranks") or {"quantity": definition.get("score", "score"), "title": "Score"}
    return {
        "tool": tool_of(definition),
        "op": ranks.get("op"),
        "quantity": ranks["quantity"],
        "stat": ranks.get("stat"),
        "unit": ranks.get("unit"),
        "title": ranks["title"],
        "better": "lower" if lower_is_better(definition) else "higher",
    }


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
