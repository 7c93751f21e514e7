"""Sizing: how many enclosures of a platform a rate takes, from what was measured of one.

Each result gives what one enclosure delivered: its rate over its enclosures, else over its drives by the slots of one.
The answer is a range, from the best to the least of them, beside what the ceiling of the parts allows; it takes for
granted that a file system of that size scales as the measured ones did. One measurement is no range, and of what a
source only says that it is below something, nobody knows how many units are enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from registry.errors import Problem
from registry.models import Platform, Result
from registry.platforms import ceilings
from registry.query import filters, public_record, qualified_values, study_query
from registry.query.divisors import find_divisors
from registry.query.public_record import Row
from registry.query.qualified_values import Number
from validators import catalogue, hardware
from validators.ceilings import BANDWIDTH, IOPS, READ, WRITE, Ceiling, lowest
from validators.ceilings import ceilings as ceilings_of
from validators.ceilings.ceiling_fraction import direction_of, measures
from validators.units import UNITS, from_canonical, to_canonical

MOST_RESULTS = 200
NAMES = ("platform", "direction", "kind", "target", "unit")
FILTERS = ("tool", "trust", "institution", "system", "client_nodes__gte", "client_nodes__lte")
UNIT = {BANDWIDTH: "GB/s", IOPS: "kIOPS"}
LARGEST_TARGET = 10**9


class NoSizing(Problem):
    code = "sizing.nothing-measured"
    title = "No result tells what one enclosure of the platform delivers"
    hint = "Take another platform, direction or kind, or fewer filters."


@dataclass(frozen=True, slots=True)
class SizingQuery:
    """A rate in its canonical unit, and of which platform, in which direction and kind."""

    platform: Platform
    direction: str
    kind: str
    target: float
    unit: str
    filters: QueryDict


def parse_query(query: QueryDict) -> SizingQuery:
    """Read the query of a sizing.

    Raises NotOnRecord for an unknown platform, UnknownParameter for an unknown name, InvalidValue for a wrong value.
    """
    filters.refuse_unknown(query, (*NAMES, *FILTERS, "format"), (filters.PARAMETER,))
    direction = study_query.single_choice(query, "direction", (READ, WRITE)) or READ
    kind = study_query.single_choice(query, "kind", (BANDWIDTH, IOPS)) or BANDWIDTH
    unit = study_query.single_value(query, "unit") or UNIT[kind]
    fitting = [name for name, candidate in UNITS.items() if candidate.canonical == UNITS[UNIT[kind]].canonical]
    if unit not in fitting:
        raise filters.InvalidValue("unit", f"one of {', '.join(fitting)}")
    platform = study_query.single_value(query, "platform")
    if not platform:
        raise filters.InvalidValue("platform", "the slug of a platform, of platforms/")
    target, filter_query = to_canonical(_target_rate(query), unit)[0], filters.without_names(query, (*NAMES, "format"))
    return SizingQuery(public_record.find_platform(platform), direction, kind, target, unit, filter_query)


def _target_rate(query: QueryDict) -> float:
    try:
        value = float(study_query.single_value(query, "target"))
    except ValueError:
        value = math.nan
    if not 0 < value <= LARGEST_TARGET:
        raise filters.InvalidValue("target", f"a number above zero and up to {LARGEST_TARGET:,}, in `unit`")
    return value


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
    most = [number.high for number in of_one if number.qualifier.startswith(qualified_values.BELOW)]
    least = [number.low for number in of_one if number.qualifier.startswith(qualified_values.ABOVE)]
    if most:
        answer["low"] = units_for(target, max(most))
    if least:
        answer["high"] = units_for(target, min(least))
    bounded = (qualified_values.ABOVE if most else qualified_values.BELOW) if bool(most) != bool(least) else ""
    return answer | {"measurements": 0, "qualifier": bounded}


def sizing_document(query: SizingQuery) -> Row:
    """The answer with all that it rests on; four queries. Raises NoSizing where no result is its basis."""
    basis = sorted(_basis_rows(query), key=lambda row: (row["qualifier"] == qualified_values.BELOW, -row["of_one"]))
    ceiling = _enclosure_ceiling(query)
    if not basis:
        raise NoSizing(f"{query.platform.name}, {query.direction}, {query.kind}.")
    return {
        "platform": query.platform.slug,
        "direction": query.direction,
        "kind": query.kind,
        "target": from_canonical(query.target, query.unit),
        "unit": query.unit,
        "units": count_units(
            query.target, [qualified_values.qualified_number(row["of_one"], row["qualifier"]) for row in basis]
        ),
        "ceiling": _as_row(query, ceiling) if ceiling else None,
        "basis": [row | {"of_one": from_canonical(row["of_one"], query.unit)} for row in basis],
    }


def _basis_rows(query: SizingQuery) -> list[Row]:
    """The best rate of one enclosure of each result, of tools that measure through the network."""
    crossings = {
        tool: crossing
        for tool, crossing in catalogue.crossings().items()
        if {"network", "drives"} <= set(crossing["layers"])
    }
    matching_results = public_record.current_results(filters.result_conditions(query.filters))
    results, _ = public_record.take_newest(
        matching_results.filter(platform=query.platform, tool__in=crossings), MOST_RESULTS
    )
    measurements_by_result = public_record.measurements_by_result([result.pk for result in results])
    divisor_inputs = [
        {"id": result.public_id, "parameters": result.parameters, "source": result.source} for result in results
    ]
    drives = [divisor.value for divisor in find_divisors("drive", divisor_inputs)]
    best = (
        _best_row(query, result, crossings[result.tool], measurements_by_result[result.pk], count)
        for result, count in zip(results, drives, strict=True)
    )
    return [row for row in best if row]


def _best_row(
    query: SizingQuery, result: Result, crossing: Mapping[str, Any], measurements: Iterable[Row], drives: float | None
) -> Row | None:
    """The best rate of one enclosure that a result measured; None where nothing tells it."""
    enclosures = _count_enclosures(result, query.platform, drives)
    rates = [
        row
        for row in measurements
        if row["value"] > 0
        and direction_of(row["op"]) == query.direction
        and measures(crossing, row, result.parameters, query.kind)
    ]
    if not enclosures or not rates:
        return None
    best = max(rates, key=lambda row: (not qualified_values.is_bound(row), row["value"]))
    basis_row = {"result": result.public_id, "op": best["op"], "trust": result.trust, "enclosures": enclosures}
    qualifier = best["context"].get("qualifier", "")
    return basis_row | {"of_one": best["value"] / enclosures, "qualifier": qualifier, "source": result.source}


def _count_enclosures(result: Result, platform: Platform, drives: float | None) -> float | None:
    """How many enclosures were measured: as the result says, else its drives, if known, over the slots of one."""
    run_counts = ceilings.RunCounts(result.parameters, result.source)
    if count := run_counts.count("enclosures") or run_counts.count("appliances"):
        return count.value
    product = run_counts.product("drives_per_ost", "osts")
    drive_count = drives or (product.value if product else None)
    slots = hardware.figure(hardware.enclosure_of(platform.slug), "slots")
    return drive_count / slots.value if drive_count and slots else None


def _enclosure_ceiling(query: SizingQuery) -> Ceiling | None:
    """What one enclosure of the catalogue delivers at most, and which layer limits it."""
    unit_ceilings = ceilings_of(
        ceilings.unit_of(hardware.enclosure_of(query.platform.slug)), query.direction, query.kind
    )
    return lowest(unit_ceilings) if unit_ceilings else None


def _as_row(query: SizingQuery, ceiling: Ceiling) -> dict[str, Any]:
    return {
        "layer": ceiling.layer,
        "words": ceiling.words,
        "of_one": from_canonical(ceiling.value, query.unit),
        "units": units_for(query.target, ceiling.value),
        "estimated": ceiling.estimated,
    }
