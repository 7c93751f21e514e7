"""Facts of a result that say how it was run and on what, without those that only say which result it is. No query."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from registry.query.differences import configuration_diff
from registry.query.facts import axes
from registry.query.facts.fact_index import CONFIGURATION

IDENTITY = frozenset({"institution", "system", "release", "production", "reproducibility", CONFIGURATION})
"""Facts of a result that are no configuration of it."""


def without_identity(facts: Mapping[str, str], tool: str) -> dict[str, str]:
    """The facts of a result of a benchmark that are settings, hardware or software, each under one name.

    Left out is what differs from run to run without explaining anything, and what an axis says under its own name.
    """
    left_out = IDENTITY | configuration_diff.volatile_parameters([tool])
    return {
        name: text
        for name, text in facts.items()
        if name not in left_out and not any(axis in facts for axis in _axes_reading().get(name, ()))
    }


@cache
def _axes_reading() -> Mapping[str, list[str]]:
    """By name of a fact the axes that are read from it."""
    axis_names: dict[str, list[str]] = {}
    for axis in axes.list_axes():
        for source in axis.reads:
            axis_names.setdefault(source, []).append(axis.name)
    return axis_names
