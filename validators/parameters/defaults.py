"""What Lustre's parameters are where nobody sets them, by release; and whether an observed value differs from that.

Papers contradict each other about defaults, so they come from one versioned table and never from the client.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Union

from validators.parameters import parameters
from validators.units import UNITS, is_finite_number

FILE = Path(__file__).parent / "lustre-defaults.1.json"
RAM = "ram"
# The kernel counts its memory at another moment than Lustre does, and both round.
TOLERANCE = 0.02
# 2.15.50 and later are the way to 2.16.
FIRST_DEVELOPMENT_PATCH = 50

Value = Union[int, float, str, bool]
Release = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Default:
    """What a parameter is by itself: `value` in the parameter's unit, None where only `words` can say it.

    `also` are values that are the default on other machines; with `or_more` the value may be larger by itself;
    `approximate` says that it was computed from the memory.
    """

    value: Value | None
    words: str
    also: tuple[int, ...] = ()
    or_more: bool = False
    approximate: bool = False


@cache
def table() -> dict[str, Any]:
    """The file as it is."""
    loaded: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return loaded


def default(id: str, lustre_release: str, ram_bytes: int | None = None) -> Default | None:
    """The default of a parameter in a release such as `2.15.4_1.llnl`; None where it is not known.

    Shares of the memory have a value only where `ram_bytes` (of the same node) is given.
    """
    entry = _entry(id, lustre_release)
    if entry is None:
        return None
    return Default(
        value=_share(id, entry, lustre_release, ram_bytes) if "share" in entry else entry.get("value"),
        words=entry.get("words", ""),
        also=tuple(entry.get("also", ())),
        or_more=entry.get("or_more", False),
        approximate="share" in entry,
    )


def differs(id: str, value: Value | None, lustre_release: str, ram_bytes: int | None = None) -> bool | None:
    """Whether an observed value is not the default of its release; None where that cannot be said."""
    default_entry = default(id, lustre_release, ram_bytes)
    if default_entry is None or default_entry.value is None or value is None:
        return None
    if value == default_entry.value or value in default_entry.also:
        return False
    if not is_finite_number(value) or not is_finite_number(default_entry.value):
        return True
    if default_entry.or_more and float(value) > float(default_entry.value):
        return None
    return not (
        default_entry.approximate
        and abs(float(value) - float(default_entry.value)) <= TOLERANCE * float(default_entry.value)
    )


def by_release(id: str) -> list[tuple[str, str]]:
    """The defaults of a parameter in words, oldest first: [("2.5 to 2.11", "32 MiB"), ...]. [] where none is known."""
    return [(_releases(entry), entry.get("words") or _written(id, entry["value"])) for entry in _entries(id)]


def releases_with(id: str, value: Value | None) -> str:
    """The releases whose default is this value, as "2.9 to 2.13"; "" for none, and where it depends on the memory."""
    entries = [
        entry for entry in _entries(id) if "value" in entry and value in (entry["value"], *entry.get("also", ()))
    ]
    return ", ".join(_releases(entry) for entry in entries)


@lru_cache(maxsize=256)
def release_of(version: str) -> Release | None:
    """Major and minor of a version: `2.12.9_12.llnl` -> (2, 12), `2.15.52` -> (2, 16). None for another text."""
    match = re.match(r"(\d{1,3})\.(\d{1,3})(?:\.(\d{1,3})(?!\d))?", version)
    if match is None:
        return None
    major, minor, patch = (int(part or 0) for part in match.groups())
    return major, minor + (patch >= FIRST_DEVELOPMENT_PATCH)


def _entry(id: str, lustre_release: str) -> dict[str, Any] | None:
    release = release_of(lustre_release)
    newest = table()["releases"][-1]
    for entry in _entries(id) if release else ():
        first, last = release_of(entry["first"]), release_of(entry.get("last", newest))
        if first and release and last and first <= release <= last:
            return entry
    return None


def _entries(id: str) -> list[dict[str, Any]]:
    return list(table()["parameters"].get(id, {"defaults": []})["defaults"])


def _releases(entry: dict[str, Any]) -> str:
    first, last = entry["first"], entry.get("last", table()["releases"][-1])
    return str(first) if first == last else f"{first} to {last}"


def _written(id: str, value: Value) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    unit = parameters()[id].unit
    return f"{value} {unit}" if unit in UNITS and unit != "count" else str(value)


def _share(id: str, entry: dict[str, Any], lustre_release: str, ram_bytes: int | None) -> int | None:
    """A share of the memory, or of another parameter's default, within its limits; whole units."""
    base = _share_base(id, entry["of"], lustre_release, ram_bytes)
    if base is None:
        return None
    share = int(base * entry["share"])
    share = max(share, int(entry.get("at_least", share)))
    return min(share, int(entry.get("at_most", share)))


def _share_base(id: str, of: str, lustre_release: str, ram_bytes: int | None) -> float | None:
    if of == RAM:
        return None if ram_bytes is None else ram_bytes / UNITS[parameters()[id].unit].factor
    other = default(of, lustre_release, ram_bytes)
    return None if other is None or other.value is None else float(other.value)
