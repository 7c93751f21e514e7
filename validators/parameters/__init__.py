"""The parameters that describe a system: one versioned file, from which collector, pages, API and documents come."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "parameters.1.json"


@dataclass(frozen=True, slots=True)
class Place:
    """A path where a parameter is read; releases are Lustre's, first and last, "" without an end."""

    path: str
    root: str
    from_release: str = ""
    to_release: str = ""

    @property
    def releases(self) -> str:
        """`2.12 to 2.16`, `up to 2.11`, `from 2.17 on`, or nothing for every release."""
        if self.from_release and self.to_release:
            only = self.from_release == self.to_release
            return self.from_release if only else f"{self.from_release} to {self.to_release}"
        if self.to_release:
            return f"up to {self.to_release}"
        return f"from {self.from_release} on" if self.from_release else ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One fact about a node, a job or a system; the words are those of the schema parameters.1."""

    id: str
    group: str
    meaning: str
    unit: str
    kind: str
    value_type: str
    scope: str
    roles: tuple[str, ...]
    volatile: bool
    run_critical: str
    privilege: str
    privilege_note: str
    readable_unprivileged: bool
    redaction: str
    redaction_note: str
    paths: tuple[Place, ...]
    command: str
    reason: str
    note: str


@cache
def load_document() -> dict[str, Any]:
    """The file as it is."""
    loaded: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return loaded


@cache
def groups() -> dict[str, str]:
    """The titles of the groups, in the order in which they are shown."""
    return dict(load_document()["groups"])


@cache
def parameters() -> dict[str, Parameter]:
    """Every parameter by id, group by group."""
    return {entry["id"]: _parameter(entry) for entry in load_document()["parameters"]}


def _parameter(entry: dict[str, Any]) -> Parameter:
    places = tuple(Place(**place) for place in entry["paths"])
    return Parameter(**{**entry, "roles": tuple(entry["roles"]), "paths": places})
