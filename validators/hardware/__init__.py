"""The hardware catalogue: drives, network adapters, processors and enclosures, one versioned file with its sources.

Every number is a `Figure`: in its canonical unit, with the datasheet or document that prints it, and marked where it is
assumed for this use.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from validators.units import to_canonical

FILE = Path(__file__).parent / "hardware.1.json"
KINDS = ("drives", "nics", "cpus", "enclosures")

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a canonical unit, who says so, and whether it is assumed for this use."""

    value: float
    unit: str
    source: str
    estimated: bool = False


@cache
def load_catalogue() -> Mapping[str, Any]:
    """The file as it is (schema hardware.1)."""
    loaded: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return loaded


@cache
def entries(kind: str) -> Mapping[str, Entry]:
    """The entries of one of KINDS by slug."""
    return {entry["slug"]: entry for entry in load_catalogue()[kind]}


def named(kind: str, text: str) -> Entry | None:
    """The entry that a model name means, as nodes and documents write it: that with the longest name in the text."""
    fold = text.casefold()
    matches = [
        (len(name), entry) for entry in entries(kind).values() for name in entry["names"] if name.casefold() in fold
    ]
    return max(matches, key=lambda pair: pair[0], default=(0, None))[1]


def enclosure_of(platform: str) -> Entry | None:
    """The enclosure of a platform, by the slug of the platform."""
    return next((entry for entry in entries("enclosures").values() if entry["platform"] == platform), None)


def figure(entry: Entry | None, name: str) -> Figure | None:
    """One number of an entry, None where it has none."""
    if entry is None or name not in entry:
        return None
    number = entry[name]
    value, unit = to_canonical(number["value"], number["unit"])
    place = f", {number['place']}" if "place" in number else ""
    return Figure(value, unit, load_catalogue()["sources"][number["source"]] + place, number.get("estimated", False))


def assumption(slug: str) -> str:
    """What is assumed under that name, with its source."""
    entry = next(entry for entry in load_catalogue()["assumptions"] if entry["slug"] == slug)
    return f"{entry['says']} ({load_catalogue()['sources'][entry['source']]}, {entry['place']})"
