"""How well the numbers of one result repeat, where that was measured: in the record, in its archive, in the run.

Plain values in, plain values out: measurements are dictionaries as in the API.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from registry.comparison import uncertainty
from registry.comparison.uncertainty import Spread

Row = Mapping[str, Any]
Key = tuple[str, ...]
"""Operation, quantity, statistic, unit, and the context as JSON."""

_write_sorted = json.JSONEncoder(sort_keys=True).encode
NO_MEAN = ("stdev", "stddev", "deviation", "sd")
"""Statistics that say how much others vary."""
NO_CONTEXT = ("invalid", "scope", "qualifier")
"""Parts of a context that say what a number is worth, and not what it is of."""
INSIDE = ("iter", "run")
"""Parts of a context that count runs of one configuration; samples of one run are none."""


def measurement_key(row: Row) -> Key:
    """What tells a measurement from others. What a statistic is over (`scope`) does not: nobody would see it differ."""
    context = {name: value for name, value in row["context"].items() if name not in NO_CONTEXT}
    return (row["op"], row["quantity"], row["stat"], row["unit"], _write_sorted(context) if context else "{}")


def measured_spreads(
    tool: str, measurements: Sequence[Row], parameters: Row, repeats: Sequence[Sequence[Row]]
) -> dict[Key, Spread]:
    """The spread of each measurement that was repeated three times; of what is printed as about or above, none.

    `repeats` are the measurements of other results of the same system and configuration. It is measured with them and
    with other runs in the archives of all, else by a deviation that the tool prints, else by repeats inside the run.
    """
    others = [{measurement_key(row): of_archive(row) for row in repeat} for repeat in repeats]
    inside = _values_in_run(measurements)
    printed_spreads = _printed_spreads(tool, measurements, parameters)
    spreads_by_key: dict[Key, Spread | None] = {}
    for row in measurements:
        if row["stat"] not in NO_MEAN and not row["context"].get("qualifier"):
            place = measurement_key(row)
            again = pool_values(
                [of_archive(row), *(values_by_key[place] for values_by_key in others if place in values_by_key)]
            )
            by_stat = inside.get(_repeat_key(row), {})
            among = by_stat.get(row["stat"]) or (next(iter(by_stat.values())) if len(by_stat) == 1 else ())
            spreads_by_key[place] = (
                uncertainty.of_repeats(again)
                or printed_spreads.get(place)
                or uncertainty.of_repeats(among, is_mean=row["stat"] == "mean")
            )
    return {place: spread for place, spread in spreads_by_key.items() if spread}


def of_archive(row: Row) -> Sequence[float]:
    """A measurement in each run of its configuration in its archive, or the only one."""
    return row.get("repeats") or [row["value"]]


def pool_values(archives: Sequence[Sequence[float]]) -> list[float]:
    """The values of some archives together, each counted once though several of its runs were published."""
    several = dict.fromkeys(tuple(values) for values in archives if len(values) > 1)
    single = (values for values in archives if len(values) == 1)
    return [value for values in (*several, *single) for value in values]


def _repeat_key(row: Row) -> Key:
    """What a repeat and the summary of its repeats have in common."""
    context = {name: value for name, value in row["context"].items() if name not in (*NO_CONTEXT, *INSIDE)}
    return (row["op"], row["quantity"], row["unit"], json.dumps(context, sort_keys=True))


def _values_in_run(measurements: Iterable[Row]) -> dict[Key, dict[str, list[float]]]:
    """Values that were measured again and again in one run, by what they are of and their statistic."""
    values_by_key: dict[Key, dict[str, list[float]]] = {}
    for row in measurements:
        if any(name in row["context"] for name in INSIDE):
            values_by_key.setdefault(_repeat_key(row), {}).setdefault(row["stat"], []).append(row["value"])
    return values_by_key


def _printed_spreads(tool: str, measurements: Sequence[Row], parameters: Row) -> dict[Key, Spread]:
    """Spreads of what the tool prints a deviation beside, as uncertainty.json says it.

    The mean has that of a mean of the repeats, and what else is printed of them (max, min) that of one of them.
    """
    spreads_by_key: dict[Key, Spread] = {}
    by_key = {measurement_key(row): row for row in measurements}
    for entry in uncertainty.published_spreads()["printed"]:
        runs = parameters.get(entry["runs"])
        if entry["tool"] != tool or not isinstance(runs, int):
            continue
        for (op, quantity, stat, unit, context), row in by_key.items():
            mean, deviation = (
                by_key.get((op, quantity, stat_name, unit, context)) for stat_name in (entry["of"], entry["stat"])
            )
            if mean and deviation and entry.get("scope") in (None, row["context"].get("scope")):
                of_population = entry["deviation_is_of"] == "population"
                spread = uncertainty.of_printed(mean["value"], deviation["value"], runs, of_population=of_population)
                spreads_by_key |= (
                    {(op, quantity, stat, unit, context): replace(spread, is_mean=row is mean)} if spread else {}
                )
    return spreads_by_key
