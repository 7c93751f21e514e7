"""What varies among results that stand in one order, though it moves their numbers. Plain values, no query.

Systems are what a ranking compares, so what they are built of is no caveat. How large a run was, and with which options
it ran, is: the answer names it beside the order, with a filter that leaves one value.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from registry.comparison import balance
from registry.query.questions import moving_facts

Row = dict[str, Any]
MOST_VALUES = 12
"""Values of a fact that an answer lists, the most frequent first."""
_BUILT_OF = ("system", "institution", "vendor")


def facts_beside(kinds: Collection[str], tools: Collection[str], used: Collection[str]) -> list[str]:
    """Facts that move numbers of these kinds, and are neither part of the systems nor `used` by the formula.

    So do settings that make another experiment of one of these benchmarks.
    """
    aside = moving_facts.come_with(_BUILT_OF) | moving_facts.on_axes(used) | set(used)
    return [name for name in moving_facts.facts_moving(kinds, tools) if name not in aside]


def describe_variation(
    facts_of_results: Sequence[Mapping[str, str]], names: Sequence[str]
) -> tuple[list[Row], list[Row]]:
    """What is known to vary among some results, and what is not known of all of them.

    ([{"name", "values": [{"value", "count"}], "more", "unknown"}], [{"name", "unknown"}]). `more` counts further
    values; a fact that no result knows is in neither.
    """
    asked_names = set(names)
    counts = balance.count_facts(
        {name: text for name, text in facts.items() if name in asked_names} for facts in facts_of_results
    )
    varying = {row.fact: row for row in balance.varying_facts(counts)}
    varies = [_varying_row(varying[name]) for name in names if name in varying]
    lacking = balance.unknown_in_row(counts, [name for name in names if name not in varying])
    return varies, [{"name": name, "unknown": counts.count_unknown(name)} for name in lacking]


def _varying_row(row: balance.VaryingFact) -> Row:
    values = [{"value": text, "count": count} for text, count in row.values.items()]
    return {
        "name": row.fact,
        "values": values[:MOST_VALUES],
        "more": max(0, len(values) - MOST_VALUES),
        "unknown": row.unknown,
    }
