"""What else differed between results, in groups: hardware, BIOS, versions, tunables, layout, network, benchmark.

Facts of a result, parameters of its run and its described system come together here. Which group a fact belongs to, and
what differs from run to run without explaining anything, is data (configuration.json).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from registry.models.snapshots import text_of
from validators import catalogue, parameters
from validators.runs import provenance

FILE = Path(__file__).parent.parent / "data" / "configuration.json"

Row = dict[str, Any]


@cache
def load_vocabulary() -> Mapping[str, Any]:
    """The groups in order, by what facts are known to belong to them, and what is volatile whatever the tool."""
    loaded: Mapping[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return loaded


def volatile_parameters(tools: Iterable[str]) -> frozenset[str]:
    """Parameters of runs of these tools that are no settings: times, what came out of the run, names of files."""
    return frozenset(load_vocabulary()["volatile"]).union(*(provenance.outcomes(tool) for tool in tools))


def group_differences(runs: Sequence[Row], systems: Mapping[str, Any], tool: str) -> list[Row]:
    """Differences of runs (`differing`) and of described systems (validators.system.difference) in their groups.

    [{"group", "differences": [{"name", "subject", "parameter", "key", "values": [[text] | None],
    "differs_from_default": [bool | None], "defaults": [text]}]}], groups without differences left out. `subject` names
    nodes, "" for the run.
    """
    places: dict[str, list[Row]] = {group["title"]: [] for group in load_vocabulary()["groups"]}
    for row in runs:
        places[_of_run(row["parameter"])].append(_as_fact(row, catalogue.defaults(tool)))
    for row in systems["differences"]:
        places[_of_system(row)].append({name: value for name, value in row.items() if name != "section"})
    return [{"group": title, "differences": rows} for title, rows in places.items() if rows]


def differing_parameters(parameters: Sequence[Mapping[str, Any]], left_out: frozenset[str]) -> tuple[list[Row], int]:
    """Parameters that differ as [{"parameter", "values"}], and how many are equal in all; None is not known."""
    names = dict.fromkeys(name for parameter in parameters for name in parameter if name not in left_out)
    differences, equal = [], 0
    for name in names:
        values = [parameter.get(name) for parameter in parameters]
        if all(value == values[0] for value in values):
            equal += 1
        else:
            differences.append({"parameter": name, "values": values})
    return differences, equal


def fact_category(fact: str) -> str:
    """Whether a fact (registry/query/facts/fact_index.py) is of hardware, software, tuning, or of the run."""
    id, _, role = fact.partition("@")
    return _kinds_by_fact()[_of_system(_as_row(id.partition("/")[0])) if role else _of_run(fact)]


@cache
def _kinds_by_fact() -> dict[str, str]:
    return {str(group["title"]): str(group["kind"]) for group in load_vocabulary()["groups"]}


def _as_row(id: str) -> Row:
    parameter = parameters.parameters().get(id)
    return {"parameter": id, "section": parameters.groups()[parameter.group] if parameter else ""}


def _as_fact(row: Row, defaults: Mapping[str, Any]) -> Row:
    """A parameter of runs with its values as texts, held against the tool's default where it has one."""
    name = row["parameter"]
    texts = [None if value is None else text_of(value) for value in row["values"]]
    default = text_of(defaults[name]) if name in defaults else None
    return {
        "name": name,
        "subject": "",
        "parameter": "",
        "key": "",
        "values": [None if text is None else [text] for text in texts],
        "differs_from_default": [_differs_from_default(text, default) for text in texts],
        "defaults": ["" if default is None else default for _ in texts],
    }


def _differs_from_default(text: str | None, default: str | None) -> bool | None:
    return None if text is None or default is None else text.casefold() != default.casefold()


def _of_run(name: str) -> str:
    return next(
        str(group["title"])
        for group in load_vocabulary()["groups"]
        if any(fnmatchcase(name, pattern) for pattern in group.get("run", ()))
    )


def _of_system(row: Row) -> str:
    """By its id where a group names that, else by the section that it stands in; the last group takes the rest."""
    groups = load_vocabulary()["groups"]
    kinds = ("sections",) if row["parameter"] else ("devices", "sections")
    for group in groups:
        if any(fnmatchcase(row["parameter"], pattern) for pattern in group.get("parameters", ())):
            return str(group["title"])
    for kind in kinds:
        for group in groups:
            if row["section"] in group.get(kind, ()):
                return str(group["title"])
    return str(groups[-1]["title"])
