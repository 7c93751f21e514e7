"""Which names of parameters a query may have: those of our own tables, and those under which some result has a fact.

A name that is neither is a slip, and no question: its answer would be empty whatever the record holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from registry.query.facts import axes, fact_index
from registry.query.public_record import nearest_names
from registry.query.row_sources import PUBLIC, RowSource
from validators import catalogue, parameters

NAME_LENGTH = 120
"""Characters of a fact's name; a longer name of a parameter is cut."""
MOST_SUGGESTED = 5
"""Names for which the nearest are sought: each is held against all names of the record."""

# One probe of an index for each name. Where nothing has facts yet, no name can be told to be wrong.
_UNKNOWN = """
    SELECT n.name FROM unnest(%s::text[], %s::text[]) AS n (name, bare)
    WHERE NOT EXISTS (SELECT FROM registry_fact f WHERE f.name = n.name)
        AND NOT EXISTS (SELECT FROM registry_observedparameter o WHERE o.parameter = n.bare)
        AND EXISTS (SELECT FROM registry_fact)
"""


def bare_name(name: str) -> str:
    """The parameter that NAME, NAME/KEY and NAME/KEY@ROLE are of."""
    return name.partition("@")[0].partition("/")[0]


@cache
def name_vocabulary() -> frozenset[str]:
    """Names that mean something whether a result has them or not: axes, parameters, and those of benchmarks."""
    axis_names = {name for axis in axes.list_axes() for name in (axis.name, *map(bare_name, axis.reads))}
    described = {
        row["name"] for benchmark in catalogue.benchmarks() for row in benchmark.descriptor.get("parameters", ())
    }
    return frozenset({*axis_names, *described, *parameters.parameters(), *fact_index.COLUMNS})


def unknown_parameters(names: Iterable[str], source: RowSource = PUBLIC) -> dict[str, list[str]]:
    """Those of the names that nobody knows, each with the nearest names, best first.

    No query where the vocabulary has them all, else one, and one more where some are unknown.
    """
    foreign = [name for name in dict.fromkeys(names) if bare_name(name) not in name_vocabulary()]
    if not foreign:
        return {}
    sought = [[name[:NAME_LENGTH] for name in foreign], [bare_name(name) for name in foreign]]
    lacking = {name for (name,) in source.fetch_rows(_UNKNOWN, sought)}
    unknown = [name for name in foreign if name[:NAME_LENGTH] in lacking]
    candidates = {*fact_index.fact_names(source), *name_vocabulary()} - {fact_index.CONFIGURATION} if unknown else set()
    return {
        name: nearest_names(name, candidates) if place < MOST_SUGGESTED else [] for place, name in enumerate(unknown)
    }


def parameter_hints(prefix: str, names: Iterable[str], source: RowSource = PUBLIC) -> dict[str, str]:
    """By name, with its prefix, what to do about each name that nobody knows; queries as of `unknown_parameters`."""
    return {prefix + name: nearest_hint(prefix, near) for name, near in unknown_parameters(names, source).items()}


def nearest_hint(prefix: str, near: Iterable[str]) -> str:
    """What to do about an unknown name that begins with a prefix: the nearest names, else where all of them are."""
    names = ", ".join(f"{prefix}{name}" for name in near)
    return f"Nearest: {names}." if names else "GET study/axes/ has the names that there are."
