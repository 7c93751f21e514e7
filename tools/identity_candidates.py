"""Names of the shipped record that may be of one institution or system, for people to judge. Nothing is changed.

    ./dev.py exec python tools/identity_candidates.py

Compares all names: spelling without letter case and punctuation, initials, one name inside of another, and systems of
one name at two institutions. What sources prove goes into registry/query/data/aliases/merged.json.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from registry.query.names.canonical_names import read_names  # noqa: E402

DATA = ROOT / "registry" / "loading" / "data"
SMALL_WORDS = frozenset({"of", "the", "and", "for", "at", "in", "de"})
SHORTEST = 4
"""Letters of a name that is looked for inside of others."""


def main() -> int:
    systems_by_site = read_systems()
    lines = [*site_candidates(systems_by_site), *system_candidates(systems_by_site)]
    print("\n".join(lines))
    return 0


def read_systems() -> dict[str, set[str]]:
    """By name of an institution, in its canonical spelling, the systems that are printed with it."""
    names, systems_by_site = read_names(), dict[str, set[str]]()
    for row in _rows():
        systems_by_site.setdefault(names.site(row.get("institution", "")), set()).add(row.get("system", ""))
    return systems_by_site


def _rows() -> Iterator[dict[str, Any]]:
    yield from json.loads((DATA / "history" / "results.json").read_text(encoding="utf-8"))
    for folder in ("tables", "reported"):
        for path in sorted((DATA / folder).glob("*.json")):
            yield from json.loads(path.read_text(encoding="utf-8"))["results"]


def site_candidates(systems_by_site: dict[str, set[str]]) -> Iterator[str]:
    """Pairs of institutions, a line each."""
    for first, other in combinations(sorted(filter(None, systems_by_site)), 2):
        shared = {squash(name) for name in systems_by_site[first]} & {squash(name) for name in systems_by_site[other]}
        if why := likeness(first, other) or (f"both have {min(shared - {''})}" if shared - {""} else ""):
            yield f"institution: {first!r}, {other!r}: {why}"


def system_candidates(systems_by_site: dict[str, set[str]]) -> Iterator[str]:
    """Pairs of systems of one institution, a line each."""
    for site, systems in sorted(systems_by_site.items()):
        for first, other in combinations(sorted(filter(None, systems)), 2):
            if why := likeness(first, other):
                yield f"system of {site!r}: {first!r}, {other!r}: {why}"


def likeness(first: str, other: str) -> str:
    """Why two names may be one, empty where nothing says so."""
    names = squash(first), squash(other)
    if names[0] == names[1]:
        return "the same but for letter case and punctuation"
    if names[0] in initials(other) or names[1] in initials(first):
        return "initials"
    inside, longer = sorted(names, key=len)
    return "one name is inside of the other" if len(inside) >= SHORTEST and inside in longer else ""


def squash(name: str) -> str:
    """Letters and digits alone, in lower case."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def initials(name: str) -> set[str]:
    """With and without small words: both of National Institute of Health."""
    words = re.findall(r"\w+", name.casefold())
    return {"".join(word[0] for word in words), "".join(word[0] for word in words if word not in SMALL_WORDS)}


if __name__ == "__main__":
    sys.exit(main())
