"""Sizing: how many enclosures of a platform a rate takes, from what was measured of one.

Each result gives what one enclosure delivered: its rate over its enclosures, else over its drives by the slots of one.
The answer is a range, from the best to the least of like measurements, beside what the ceiling of the parts allows; it
takes for granted that a file system of that size scales as the measured ones did. Unlike measurements are groups, each
with an answer of its own. One measurement is no range, and of what a source only says that it is below something,
nobody knows how many units are enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.http import QueryDict

from registry.errors import Problem
from registry.models import Platform, Result
from registry.platforms import ceilings, sizing_groups
from registry.query import public_record
from registry.query.facts import fact_index
from registry.query.facts.divisors import find_divisors
from registry.query.public_record import Row
from registry.query.questions import filters, moving_facts, study_query, unknown_values
from registry.query.responses.trust_levels import label_of
from registry.query.row_sources import PUBLIC, RowSource
from registry.query.values import qualified_values
from registry.query.values.qualified_values import Number
from validators import catalogue, hardware
from validators.ceilings import BANDWIDTH, IOPS, READ, WRITE, Ceiling, lowest
from validators.ceilings import ceilings as ceilings_of
from validators.ceilings import percent as ceilings_percent
from validators.ceilings.ceiling_fraction import direction_of, measures
from validators.units import UNITS, from_canonical, to_canonical

MOST_RESULTS = 200
NAMES = ("platform", "direction", "kind", "target", "unit")
FILTERS = ("tool", "trust", "institution", "system", "client_nodes__gte", "client_nodes__lte")
UNIT = {BANDWIDTH: "GB/s", IOPS: "kIOPS"}
LARGEST_TARGET = 10**9
ROUNDING = 1e-8
"""Of products of floating numbers: so much above a ceiling is on it."""
_OF_SIZE = {"system", "platform", "drives", "targets", "servers", "enclosures", "jbods", "metadata_targets", "tasks"}
"""Moving facts that tell how many enclosures there were, or which: the rate of one is divided by that already."""
_MEANING = ("trust", "tool")
"""What never shares a number, whatever it is of."""
_FABRIC, _DRIVER = "fabric", "lnd"
"""Who names the fabric names its driver: it parts results only where the fabric does not."""


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
    source: RowSource = PUBLIC


def parse_query(query: QueryDict, source: RowSource = PUBLIC) -> SizingQuery:
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
    measured_platform = public_record.find_platform(platform, follow=True)
    return SizingQuery(measured_platform, direction, kind, target, unit, filter_query, source)


def _target_rate(query: QueryDict) -> float:
    try:
        value = float(study_query.single_value(query, "target"))
    except ValueError:
        value = math.nan
    if not 0 < value <= LARGEST_TARGET:
        raise filters.InvalidValue("target", f"a number above zero and up to {LARGEST_TARGET:,}, in `unit`")
    return value


def sizing_document(query: SizingQuery) -> Row:
    """The answer with all that it rests on; five queries. Raises NoSizing where no result is its basis."""
    rows, facts = _basis_rows(query)
    basis = sorted(rows, key=lambda row: (row["qualifier"] == qualified_values.BELOW, -row["of_one"]))
    if not basis:
        unknown = unknown_values.explain_empty(query.filters, empty=True, source=query.source)
        hint = " ".join(map(unknown_values.in_words, unknown)) or NoSizing.hint
        raise NoSizing(f"{query.platform.name}, {query.direction}, {query.kind}.", hint=hint)
    parting = _parting_facts(query.kind, [facts[row["result"]] for row in basis])
    groups = sizing_groups.group_by_facts(basis, facts, parting)
    numbers = [_number_of(row) for row in basis]
    basis_rows = [_basis_row(query, row) for row in basis]
    like = len(groups) == 1
    return {
        "platform": query.platform.slug,
        "direction": query.direction,
        "kind": query.kind,
        "target": from_canonical(query.target, query.unit),
        "unit": query.unit,
        "units": (sizing_groups.count_units(query.target, numbers) if like else sizing_groups.unlike_units(numbers)),
        "varies": [_parting_row(name, basis, facts) for name in parting],
        "groups": [_group_row(query, known_facts, members, parting) for known_facts, members in groups],
        "ceiling": _ceiling_row(query, basis_rows),
        "basis": basis_rows,
    }


def _number_of(row: Row) -> Number:
    return qualified_values.qualified_number(row["of_one"], row["qualifier"])


def _parting_facts(kind: str, facts_of_basis: Sequence[Mapping[str, str]]) -> list[str]:
    """Trust, benchmark and facts that move the rate of one enclosure, where they are not the same in all of a basis."""
    moving = moving_facts.facts_moving({BANDWIDTH if kind == BANDWIDTH else "io_rate"})
    names = [*_MEANING, *(name for name in moving if name not in _OF_SIZE)]
    parting = sizing_groups.parting_facts(facts_of_basis, names)
    return [name for name in parting if name != _DRIVER or _FABRIC not in parting]


def _parting_row(name: str, basis: Sequence[Row], facts: Mapping[str, Mapping[str, str]]) -> Row:
    texts = [facts[row["result"]].get(name) for row in basis]
    return {
        "name": name,
        "values": sorted({text for text in texts if text is not None}),
        "unknown": sum(text is None for text in texts),
    }


def _group_row(query: SizingQuery, known_facts: Mapping[str, str], members: Sequence[Row], names: Sequence[str]) -> Row:
    return {
        "facts": [{"name": name, "value": known_facts.get(name)} for name in names],
        "units": sizing_groups.count_units(query.target, [_number_of(row) for row in members]),
        "results": [row["result"] for row in members],
    }


def _basis_row(query: SizingQuery, row: Row) -> Row:
    limit, number = _drive_ceiling(query, row["drive"]), _number_of(row)
    above = limit is not None and (number.low if number.is_bound else number.high) > limit.value * (1 + ROUNDING)
    return row | {
        "of_one": from_canonical(row["of_one"], query.unit),
        "percent_of_ceiling": None if limit is None else ceilings_percent(row["of_one"], limit),
        "above_ceiling": above,
    }


def _basis_rows(query: SizingQuery) -> tuple[list[Row], dict[str, Mapping[str, str]]]:
    """The best rate of one enclosure of each result, of tools that measure through the network, and facts by result."""
    crossings = {
        tool: crossing
        for tool, crossing in catalogue.crossings().items()
        if {"network", "drives"} <= set(crossing["layers"])
    }
    condition = filters.result_conditions(query.filters, query.source)
    matching_results = public_record.current_results(condition, query.source)
    of_platform = public_record.counted_once(matching_results.filter(platform=query.platform, tool__in=crossings))
    results, _ = public_record.take_newest(of_platform, MOST_RESULTS)
    ids = [result.pk for result in results]
    measurements_by_result = public_record.measurements_by_result(ids, source=query.source)
    divisor_inputs = [
        {"id": result.public_id, "parameters": result.parameters, "source": result.source} for result in results
    ]
    drives = [divisor.value for divisor in find_divisors("drive", divisor_inputs, query.source)]
    best = (
        _best_row(query, result, crossings[result.tool], measurements_by_result[result.pk], count)
        for result, count in zip(results, drives, strict=True)
    )
    basis = [row for row in best if row]
    facts = fact_index.facts_by_result(ids, query.source)
    return basis, {result.public_id: facts[result.pk] | {"trust": result.trust} for result in results}


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
    return {
        "result": result.public_id,
        "op": best["op"],
        "trust": result.trust,
        "trust_label": label_of(result),
        "enclosures": enclosures,
        "of_one": best["value"] / enclosures,
        "qualifier": qualified_values.qualifier_of(best),
        "rates": len(rates),
        "varies": sizing_groups.varying_parts(rates),
        "drive": _drive_slug(result.parameters),
        "source": result.source,
    }


def _count_enclosures(result: Result, platform: Platform, drives: float | None) -> float | None:
    """How many enclosures were measured: as the result says, else its drives, if known, over the slots of one."""
    run_counts = ceilings.RunCounts(result.parameters, result.source)
    if count := run_counts.count("enclosures") or run_counts.count("appliances"):
        return count.value
    product = run_counts.product("drives_per_ost", "osts")
    drive_count = drives or (product.value if product else None)
    slots = hardware.figure(hardware.enclosure_of(platform.slug), "slots")
    return drive_count / slots.value if drive_count and slots else None


def _drive_slug(parameters: Mapping[str, Any]) -> str:
    """The drive of the hardware catalogue that a result names; empty where it names none of them."""
    drive = hardware.named("drives", str(parameters.get("drive_model", "")))
    return str(drive["slug"]) if drive else ""


def _drive_ceiling(query: SizingQuery, drive: str) -> Ceiling | None:
    """What one enclosure of the catalogue delivers at most with a drive, or with the one that it is sold with."""
    unit = ceilings.unit_of(hardware.enclosure_of(query.platform.slug), hardware.entries("drives").get(drive))
    unit_ceilings = ceilings_of(unit, query.direction, query.kind)
    return lowest(unit_ceilings) if unit_ceilings else None


def _ceiling_row(query: SizingQuery, basis: Sequence[Row]) -> dict[str, Any] | None:
    """The ceiling of the unit that was measured: with the drive that results name, of several the one that allows most.

    Results that name no drive are held against the drive that the enclosure is sold with, as on their own pages.
    """
    named_drives = sorted({row["drive"] for row in basis if row["drive"]}) or [""]
    limits = [(limit, drive) for drive in named_drives if (limit := _drive_ceiling(query, drive))]
    if not limits:
        return None
    ceiling, drive = max(limits, key=lambda pair: pair[0].value)
    return _as_row(query, ceiling) | {
        "drive": _drive_model(query, drive),
        "drive_assumed": not drive,
        "above": [row["result"] for row in basis if row["above_ceiling"]],
        "factors": [{"name": name} | asdict(figure) for name, figure in ceiling.factors],
    }


def _drive_model(query: SizingQuery, drive: str) -> str:
    enclosure = hardware.enclosure_of(query.platform.slug) or {}
    entry = hardware.entries("drives").get(drive or enclosure.get("drive", ""))
    return str(entry["model"]) if entry else ""


def _as_row(query: SizingQuery, ceiling: Ceiling) -> dict[str, Any]:
    return {
        "layer": ceiling.layer,
        "words": ceiling.words,
        "of_one": from_canonical(ceiling.value, query.unit),
        "units": sizing_groups.units_for(query.target, ceiling.value),
        "estimated": ceiling.estimated,
    }
