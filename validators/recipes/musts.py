"""What of a recipe must be the same in a run that reproduces it. Plain values in, plain values out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from validators.recipes import NODES, RANKS

Recipe = Mapping[str, Any]
MUST_VARIABLES = {NODES: "client nodes", RANKS: "processes"}


def compare_musts(original: Recipe, new: Recipe) -> list[dict[str, Any]]:
    """The rows that must match, of two recipes (schema recipe.1): [{"what", "original", "new", "matches"}].

    Texts; None is not known, which matches nothing. A count that the original does not say is no must; its options are,
    also where nobody knows them.
    """
    return [
        {"what": what, "original": first, "new": other, "matches": first is not None and first == other}
        for what, first, other in _must_values(original, new)
    ]


def _must_values(original: Recipe, new: Recipe) -> Iterator[tuple[str, str | None, str | None]]:
    for what, name in (("benchmark", "tool"), ("options, by sha256", "options_sha256")):
        yield what, _text(original.get(name)), _text(new.get(name))
    values = [{row["name"]: row["value"] for row in recipe["variables"]} for recipe in (original, new)]
    for name, what in MUST_VARIABLES.items():
        if values[0].get(name) is not None:
            yield what, _text(values[0][name]), _text(values[1].get(name))


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
