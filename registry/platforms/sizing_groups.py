"""What one enclosure delivered, in groups of like measurements: only these make a range of units. Plain values.

Rates over different fabrics, of buffered and of direct I/O, or of other drives do not spread around one number: the
facts that are known to move a rate (registry/query/questions/moving_facts.py) part them. What is not known is not
equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from registry.query.values import qualified_values
from registry.query.values.qualified_values import Number

Row = dict[str, Any]
Facts = Mapping[str, str]


def units_for(target: float, of_one: float) -> int:
    """The least number of units that reaches `target`, a rate in the unit of `of_one`.

    Raises ValueError where one delivers nothing.
    """
    if of_one <= 0:
        raise ValueError("one unit delivers nothing")
    return max(1, math.ceil(round(target / of_one, 9)))


def count_units(target: float, of_one: Sequence[Number]) -> Row:
    """How many units of which each delivers one of these rates: `low` where all do what the best did, `high` the least.

    A number that only bounds give is one-sided: of rates below something `low` alone is known, which no fewer reach; of
    rates above something `high`, which is enough. `measurements` counts what is no bound; of a single one there is no
    range, and of none no `middle`. `qualifier` says how the answer is to be read: about, above (at least so many, and
    not known how many), below (at most), or nothing.
    """
    measurements = [number for number in of_one if not number.is_bound]
    answer: Row = dict.fromkeys(("low", "middle", "high"))
    if measurements:
        middle = qualified_values.median_number(measurements)
        answer["middle"] = units_for(target, middle.high)
        if len(measurements) > 1:
            rates = [number.high for number in measurements]
            answer |= {"low": units_for(target, max(rates)), "high": units_for(target, min(rates))}
        rough = any(number.rough for number in measurements)
        return answer | {"measurements": len(measurements), "qualifier": qualified_values.ABOUT if rough else ""}
    most = [number for number in of_one if number.qualifier.startswith(qualified_values.BELOW)]
    least = [number.low for number in of_one if number.qualifier.startswith(qualified_values.ABOVE)]
    if most:
        answer["low"] = min(_units_beyond(target, number) for number in most)
    if least:
        answer["high"] = units_for(target, min(least))
    bounded = (qualified_values.ABOVE if most else qualified_values.BELOW) if bool(most) != bool(least) else ""
    return answer | {"measurements": 0, "qualifier": bounded}


def _units_beyond(target: float, bound: Number) -> int:
    """The least number that may reach a target where each delivers less than a bound: of exact bounds more than fit.

    Five units of less than 0.2 TB/s deliver less than 1 TB/s, so that it takes six at least.
    """
    fitting = round(target / bound.high, 9)
    return max(1, math.ceil(fitting) if bound.rough else math.floor(fitting) + 1)


def unlike_units(of_one: Sequence[Number]) -> Row:
    """The answer for rates that are not alike: how many there are, and no number of units."""
    count = sum(not number.is_bound for number in of_one)
    return {"low": None, "middle": None, "high": None, "measurements": count, "qualifier": qualified_values.UNKNOWN}


def parting_facts(facts_by_result: Iterable[Facts], names: Sequence[str]) -> list[str]:
    """Names of the facts that are not known to be the same in all of some results: what parts them."""
    results = list(facts_by_result)
    return [name for name in names if len({facts.get(name) for facts in results}) > 1]


def group_by_facts(
    rows: Sequence[Row], facts: Mapping[str, Facts], names: Sequence[str]
) -> list[tuple[Facts, list[Row]]]:
    """Rows of a basis that are alike in these facts, with the known ones, in the order of the rows.

    `facts` are by the `result` of a row. What one result does not know is equal only to what others do not know either.
    """
    groups: dict[tuple[str | None, ...], list[Row]] = {}
    for row in rows:
        known_facts = facts.get(row["result"], {})
        groups.setdefault(tuple(known_facts.get(name) for name in names), []).append(row)
    return [
        ({name: text for name, text in zip(names, key, strict=True) if text is not None}, members)
        for key, members in groups.items()
    ]


def varying_parts(candidates: Sequence[Row]) -> dict[str, list[str]]:
    """In what the measurements of one result differ of which the best counts: operations, statistics and contexts."""
    descriptions = [
        {"op": row["op"], "stat": row["stat"]}
        | {name: str(value) for name, value in row["context"].items() if name != "qualifier"}
        for row in candidates
    ]
    names = dict.fromkeys(name for parts in descriptions for name in parts)
    texts = {name: sorted({parts[name] for parts in descriptions if name in parts}) for name in names}
    return {name: values for name, values in texts.items() if len(values) > 1}
