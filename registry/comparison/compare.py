"""Compare published results: what was measured side by side, with ratios to the first, and what else differed.

Plain values in, plain values out. A ratio stands only where both numbers mean the same; otherwise a note says why not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from registry.comparison import assumptions, uncertainty
from registry.comparison.assumptions import AssumedClass
from registry.comparison.side_notes import barring_notes, differing_notes, note_row, standing_notes
from registry.comparison.spreads import Key, measured_spreads, measurement_key
from registry.comparison.uncertainty import Spread, Variation
from registry.query.differences import alike, configuration_diff, run_conditions
from registry.query.differences.run_conditions import Run
from registry.query.facts import gaps
from registry.query.facts.divisors import Divisor, scales_with_system
from registry.query.responses import declared_limits
from registry.query.responses.declared_limits import Limit
from registry.query.values import qualified_values
from registry.query.values.printed_rounding import Rounding, rounding_of_row
from validators import catalogue, quantities
from validators.metric_semantics import ComparableValue, incomparable_reason

OptionalMeasurement = Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Side:
    """One result of a comparison. `measurements` are dictionaries as in the API; values are canonical.

    `repeats` are the measurements of other results of the same system and configuration, `columns` what the result says
    beside the parameters of its run, `lists` the names of the lists that it stands on, `limits` what its source says
    that it may not be compared for. `withdrawn_on` is a date, `revised_by` the id of the result that replaced it.
    """

    id: str
    tool: str
    tool_version: str
    mode: str
    trust: str
    release: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    measurements: Sequence[Mapping[str, Any]] = ()
    repeats: Sequence[Sequence[Mapping[str, Any]]] = ()
    columns: Mapping[str, Any] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()
    source: str = ""
    limits: tuple[Limit, ...] = ()
    withdrawn_on: str = ""
    revised_by: str = ""


@dataclass(frozen=True, slots=True)
class Per:
    """What numbers are divided by, in words, and how many of it each result had."""

    title: str
    divisors: Sequence[Divisor]


@dataclass(frozen=True, slots=True)
class _Row:
    """The same number of each result: found or not, why it means something else there, and how well it repeats.

    `barred` says why a source forbids to compare it; both texts are empty where nothing is against a ratio.
    `assumed` is what is assumed of numbers that were not repeated, `roundings` what their printed digits leave open.
    """

    measurements: Sequence[OptionalMeasurement]
    differs: Sequence[str]
    barred: Sequence[str]
    spreads: Sequence[Spread | None]
    assumed: Sequence[AssumedClass | None]
    roundings: Sequence[Rounding | None]

    @property
    def number_variations(self) -> list[Variation | None]:
        """How each number varies, by its repeats or as assumed."""
        return [
            spread or (assumed_class.assumption if assumed_class else None)
            for spread, assumed_class in zip(self.spreads, self.assumed, strict=True)
        ]


def compare_sides(sides: Sequence[Side], per: Per | None = None, *, assume: bool = False) -> dict[str, Any]:
    """Measurements with one value and one ratio per result (to the first), notes, and what else differed.

    {"comparable", "notes": [{"code", "message"}], "matched": [{"outcome", "differs", "unknown"} | None],
    "measurements": [{"op", "quantity", "stat", "context", "unit",
    "divided", "values", "rounding_low", "rounding_high", "ratios", "intervals", "interval_basis", "spreads",
    "printed_units", "qualifiers", "ratio_qualifiers", "differs"}], "assumptions": [...], "differences": [{"parameter",
    "values"}], "equal": count}. A value that a result does not have is None, and so is its ratio; without comparable
    results there is no ratio at all. A ratio has an interval where both of its numbers were repeated three times,
    with `assume` also where something is assumed of them.
    `differs` says for each result why its number does not mean the same as the first one's, or may not be compared with
    it by its source; it has no ratio then.
    `qualifiers` are `about`, `above` or `below`, as printed, `ratio_qualifiers` what follows of the ratios: `unknown`,
    and no ratio, where bounds leave nothing to say. With `per`, rates and scores
    are divided; without a divisor they are None.
    """
    reasons = list(barring_notes(sides))
    rows = _align_measurements(_without_parameters(sides), compared=not reasons, assume=assume)
    differences, equal = configuration_diff.differing_parameters([side.parameters for side in sides], _left_out(sides))
    return {
        "comparable": not reasons,
        "notes": [
            *reasons,
            *([] if reasons else _apart_notes(sides, rows)),
            *standing_notes(sides),
            *differing_notes(sides),
            *([] if reasons else _scale_notes(sides)),
            *_meaning_notes(rows),
            *_limit_notes(sides, rows),
            *_divisor_notes(sides, per),
        ],
        "matched": [_matched_row(sides[0], side) if not reasons else None for side in sides],
        "measurements": [_comparison_row(place, row, per, compared=not reasons) for place, row in rows.items()],
        "assumptions": _used_assumptions(rows.values()) if not reasons else [],
        "differences": differences,
        "equal": equal,
    }


def _used_assumptions(rows: Iterable[_Row]) -> list[dict[str, Any]]:
    """What is assumed in these rows, class by class."""
    names = {number_class.name for row in rows for number_class in row.assumed if number_class}
    return list(map(assumptions.describe_class, sorted(names)))


def group_all_differences(sides: Sequence[Side], systems: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Everything else that differed, as configuration.grouped; `systems` are as validators.system.difference."""
    facts = [{**side.columns, **side.parameters} for side in sides]
    differences, _ = configuration_diff.differing_parameters(facts, _left_out(sides))
    return configuration_diff.group_differences(differences, systems, sides[0].tool)


def _left_out(sides: Sequence[Side]) -> frozenset[str]:
    return configuration_diff.volatile_parameters({side.tool for side in sides})


def _scale_notes(sides: Sequence[Side]) -> Iterable[dict[str, str]]:
    if unknown := {side.id: lacking for side in sides if (lacking := _unknown_scale(side))}:
        named = "; ".join(f"{id}: {', '.join(lacking)}" for id, lacking in unknown.items())
        yield note_row(
            "compare.unknown-scale",
            f"Whether they ran at the same scale is not known ({named}): totals grow with scale.",
        )


def _unknown_scale(side: Side) -> list[str]:
    """What of the scale of a run is not known, in words."""
    run_parameters = alike.parameters_with_scale(side.parameters, None, side.columns.get("tasks"))
    context_names = {name for row in side.measurements for name in row["context"]}
    return [
        name.replace("_", " ")
        for name in alike.missing_facts(run_parameters, alike.scale_facts(side.tool))
        if name not in context_names
    ]


def _matched_row(first: Side, other: Side) -> dict[str, Any] | None:
    """Whether a result ran at the scale and with the options of the first one; None for the first itself."""
    if other is first:
        return None
    runs = _run_of(first), _run_of(other)
    in_contexts = {name for side in (first, other) for row in side.measurements for name in row["context"]}
    verdict = run_conditions.compare_runs(*runs, in_contexts)
    conditions = [run_conditions.conditions_of_run(run) for run in runs]
    values = {
        name: [known_texts.get(name) for known_texts in conditions] for name in (*verdict.differs, *verdict.unknown)
    }
    return {
        "outcome": verdict.outcome.value,
        "differs": [{"name": name, "values": values[name]} for name in verdict.differs],
        "unknown": [{"name": name, "values": values[name]} for name in verdict.unknown],
    }


def _run_of(side: Side) -> Run:
    return Run(side.tool, side.parameters, side.parameters.get("client_nodes"), side.columns.get("tasks"), side.mode)


def _divisor_notes(sides: Sequence[Side], per: Per | None) -> Iterable[dict[str, str]]:
    """Which results can't be divided, so that their numbers are missing."""
    without = (
        [side.id for side, divisor in zip(sides, per.divisors, strict=True) if divisor.value is None] if per else []
    )
    if per and without:
        reasons = dict.fromkeys(gaps.REASONS[by.reason].format(title=per.title) for by in per.divisors if by.reason)
        message = f"{per.title.capitalize()} of {', '.join(without)}: not known. {' '.join(reasons)}".rstrip()
        yield note_row("compare.no-divisor", f"{message} The numbers are missing, not 0.")


def _apart_notes(sides: Sequence[Side], rows: Mapping[Key, _Row]) -> Iterable[dict[str, str]]:
    """Which results have none of the numbers that the first one has."""
    shared = [
        any(row.measurements[0] and row.measurements[place] for row in rows.values()) for place in range(len(sides))
    ]
    apart = [side.id for side, shares in zip(sides[1:], shared[1:], strict=True) if not shares]
    if apart:
        message = (
            f"{', '.join(apart)} measured nothing that {sides[0].id} did: no number has the same operation, quantity"
        )
        yield note_row("compare.nothing-shared", f"{message}, statistic and unit, so no ratio is shown.")


def _without_parameters(sides: Sequence[Side]) -> list[Side]:
    """The sides without what the contexts of their numbers only repeat of the parameters of their runs.

    obdfilter-survey says `osts` of its run and of each number: that it differs is told with what else differed.
    """
    names = {name for side in sides for row in side.measurements for name in row["context"]}
    repeated = {name for name in names if all(_all_repeat(name, side) for side in sides)}
    if not repeated:
        return list(sides)

    def bare(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        return [
            {**row, "context": {name: value for name, value in row["context"].items() if name not in repeated}}
            for row in rows
        ]

    return [
        replace(side, measurements=bare(side.measurements), repeats=[bare(rows) for rows in side.repeats])
        for side in sides
    ]


def _all_repeat(name: str, side: Side) -> bool:
    """Whether all numbers of a result say of `name` what its run says, or none says anything."""
    context_values = [row["context"].get(name) for row in side.measurements]
    return all(value is None for value in context_values) or all(
        value == side.parameters.get(name) for value in context_values
    )


def _align_measurements(sides: Sequence[Side], *, compared: bool, assume: bool) -> dict[Key, _Row]:
    """The measurements of the same operation, quantity, statistic, unit and context beside one another."""
    rows_by_key: dict[Key, list[OptionalMeasurement]] = {}
    for column, side in enumerate(sides):
        for measurement in side.measurements:
            rows_by_key.setdefault(measurement_key(measurement), [None] * len(sides))[column] = measurement
    side_spreads = [measured_spreads(side.tool, side.measurements, side.parameters, side.repeats) for side in sides]
    return {
        place: _single_row(
            sides,
            row,
            list(_meaning_differences(sides, row)) if compared else [""] * len(sides),
            list(_reasons_of_sources(sides, row)) if compared else [""] * len(sides),
            [spread_by_key.get(place) for spread_by_key in side_spreads],
            assume=assume,
        )
        for place, row in rows_by_key.items()
    }


def _single_row(
    sides: Sequence[Side],
    row: Sequence[OptionalMeasurement],
    differs: Sequence[str],
    barred: Sequence[str],
    spreads: Sequence[Spread | None],
    *,
    assume: bool,
) -> _Row:
    """A row with what is known of those of its numbers that were not repeated."""
    single = [None if spread else measurement for measurement, spread in zip(row, spreads, strict=True)]
    return _Row(
        row,
        differs,
        barred,
        spreads,
        [
            assumptions.class_of_row(side.tool, measurement) if assume and measurement else None
            for side, measurement in zip(sides, single, strict=True)
        ],
        [
            rounding_of_row(measurement, side.trust) if measurement else None
            for side, measurement in zip(sides, single, strict=True)
        ],
    )


def _meaning_differences(sides: Sequence[Side], row: Sequence[OptionalMeasurement]) -> Iterable[str]:
    """For each result why its number does not mean what that of the first result means, or an empty text."""
    entries = catalogue.meanings(sides[0].tool)
    for side, measurement in zip(sides, row, strict=True):
        if measurement is None or row[0] is None or side is sides[0]:
            yield ""
        else:
            first = ComparableValue(row[0], sides[0].tool_version, sides[0].parameters)
            other = ComparableValue(measurement, side.tool_version, side.parameters)
            labels = [quantities.label_of(of, sides[0].tool) for of in (row[0], measurement)]
            yield "; ".join(labels) if labels[0] != labels[1] else incomparable_reason(entries, first, other)


def _reasons_of_sources(sides: Sequence[Side], row: Sequence[OptionalMeasurement]) -> Iterable[str]:
    """For each result why a source says that its number and the first one's do not compare, or an empty text."""
    first = sides[0]
    for side, measurement in zip(sides, row, strict=True):
        if measurement is None or row[0] is None or side is first:
            yield ""
        else:
            pair = (first.id, first.limits), (side.id, side.limits)
            yield " ".join(declared_limits.reasons_against(*pair, measurement["op"], measurement["quantity"]))


def _limit_notes(sides: Sequence[Side], rows: Mapping[Key, _Row]) -> Iterable[dict[str, str]]:
    """A note for each reason of a source, naming the numbers and the results that have it."""
    named_by_reason: dict[str, dict[str, list[str]]] = {}
    for (op, quantity, *_), row in rows.items():
        for side, reason in zip(sides, row.barred, strict=True):
            if reason:
                names = named_by_reason.setdefault(reason, {"numbers": [], "ids": []})
                names["numbers"].append(f"{op} {quantity}".replace("_", " ").strip())
                names["ids"].append(side.id)
    for reason, names in named_by_reason.items():
        numbers, ids = (", ".join(dict.fromkeys(names[kind])) for kind in ("numbers", "ids"))
        message = f"{numbers} of {ids} and {sides[0].id}: {reason} No ratio is shown for it."
        yield note_row("compare.not-comparable-for", message)


def _meaning_notes(rows: Mapping[Key, _Row]) -> Iterable[dict[str, str]]:
    """A note for each reason, naming the quantities, statistics and operations that have it."""
    names_by_reason: dict[tuple[str, str], dict[str, list[str]]] = {}
    for (op, quantity, stat, *_), row in rows.items():
        for reason in filter(None, dict.fromkeys(row.differs)):
            names = names_by_reason.setdefault((quantity, reason), {"stats": [], "ops": []})
            names["stats"].append(stat)
            names["ops"].append(op)
    for (quantity, reason), names in names_by_reason.items():
        stats, ops = (", ".join(dict.fromkeys(names[kind])) for kind in ("stats", "ops"))
        named = quantity.replace("_", " ").capitalize() + ("" if stats == "phase" else f" ({stats})")
        message = f"{named} of {ops} does not mean the same: {reason}."
        yield note_row("compare.other-meaning", f"{message} No ratio is shown for it.")


def _comparison_row(place: Key, row: _Row, per: Per | None, *, compared: bool) -> dict[str, Any]:
    op, quantity, stat, unit, context = place
    divided = per is not None and scales_with_system(unit, stat)
    values = [None if measurement is None else measurement["value"] for measurement in row.measurements]
    if per is not None and divided:
        values = [_ratio_to_first(value, divisor.value) for value, divisor in zip(values, per.divisors, strict=True)]
    qualifiers = [
        "" if measurement is None else qualified_values.qualifier_of(measurement) for measurement in row.measurements
    ]
    against = [" ".join(filter(None, texts)) for texts in zip(row.differs, row.barred, strict=True)]
    times = _times_first(values, qualifiers, against) if compared else [None] * len(values)
    ratios = [None if time is None else time.value for time in times]
    first, *others = row.number_variations
    intervals = [None, *map(uncertainty.ratio_interval, ratios[1:], [first] * len(others), others)]
    bases = [None, *(uncertainty.basis_of(first, other) for other in others)]
    roundings = [None] * len(values) if divided and per is not None else row.roundings
    return {
        "op": op,
        "quantity": quantity,
        "stat": stat,
        "context": json.loads(context),
        "unit": unit,
        "divided": divided,
        "values": values,
        "rounding_low": [rounding and rounding[0] for rounding in roundings],
        "rounding_high": [rounding and rounding[1] for rounding in roundings],
        "ratios": ratios,
        "ratio_qualifiers": ["" if time is None else time.qualifier for time in times],
        "intervals": intervals,
        "interval_basis": [basis if interval else None for basis, interval in zip(bases, intervals, strict=True)],
        "spreads": [_as_spread(spread) for spread in row.spreads],
        "printed_units": [
            measurement.get("printed_unit", "") if measurement else "" for measurement in row.measurements
        ],
        "qualifiers": qualifiers,
        "differs": against,
    }


def _times_first(
    values: Sequence[float | None], qualifiers: Sequence[str], differs: Sequence[str]
) -> list[qualified_values.Number | None]:
    """How many times the first number each is; a bound makes it one, the first is itself whatever it is."""
    compared_numbers = [
        None if value is None else qualified_values.qualified_number(value, qualifier)
        for value, qualifier in zip(values, qualifiers, strict=True)
    ]
    itself = qualified_values.qualified_number(1.0) if values[0] else None
    others = [
        None if reason else qualified_values.divide_numbers(number, compared_numbers[0])
        for number, reason in zip(compared_numbers[1:], differs[1:], strict=True)
    ]
    return [itself, *others]


def _ratio_to_first(value: float | None, first: float | None) -> float | None:
    return value / first if value is not None and first else None


def _as_spread(spread: Spread | None) -> dict[str, Any]:
    """How a number repeats, as the API says it; null where it was not repeated three times."""
    if spread is None:
        return {"deviation_percent": None, "runs": None}
    return {"deviation_percent": 100 * spread.deviation, "runs": spread.runs}
