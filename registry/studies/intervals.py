"""Where single measurements of a study lie: by the repeats that a comparison would have, or as is assumed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from registry.comparison import assumptions, uncertainty
from registry.comparison.compare import Side
from registry.comparison.load import load_results, perhaps_repeated
from registry.comparison.spreads import measured_spreads, measurement_key
from registry.comparison.uncertainty import Spread
from registry.query.row_sources import PUBLIC, RowSource
from registry.studies.table import Group, Interval


def of_single(groups: Sequence[Group], *, alone: bool, assume: str = "", source: RowSource = PUBLIC) -> list[Group]:
    """Groups with the interval of those that are one measurement. At most three queries.

    It is by repeats where there are three; else there is none, or with `assume` the one of the class of the number.
    `alone`: without other results of a configuration, which may come later than the answer is of.
    """
    repeated = _by_repeats(groups, source, alone=alone)
    return [_with_assumed(group) for group in repeated] if assume else repeated


def assumed_names(groups: Sequence[Group]) -> list[str]:
    """The classes of which something is assumed in these groups, by name."""
    return sorted({group.interval.assumed_class for group in groups if group.interval} - {""})


def _with_assumed(group: Group) -> Group:
    if group.interval or not _is_single(group) or group.facts.get("qualifier"):
        return group
    assumed_class = assumptions.find_class(*(group.at[name] or "" for name in ("tool", "op", "quantity", "stat")))
    if assumed_class is None:
        return group
    return _with_interval(group, assumed_class.assumption.width, Interval(0, 0, assumed_class=assumed_class.name))


def _by_repeats(groups: Sequence[Group], source: RowSource, *, alone: bool) -> list[Group]:
    single = [group for group in groups if _is_single(group)]
    quantities = {(group.at["op"] or "", group.at["quantity"] or "") for group in single}
    alone_at = list(dict.fromkeys(group.facts["result"] for group in single))
    ids = perhaps_repeated(alone_at, quantities, source) if alone_at else []
    if not ids:
        return list(groups)
    by_id = {side.id: side for side in load_results(ids, quantities, source)[0]}
    spreads_by_id = {
        id: measured_spreads(side.tool, side.measurements, side.parameters, () if alone else side.repeats)
        for id, side in by_id.items()
    }
    return [
        _with_spread(group, _group_spread(group, by_id[group.facts["result"]], spreads_by_id[group.facts["result"]]))
        if _is_single(group) and group.facts["result"] in by_id
        else group
        for group in groups
    ]


def _with_spread(group: Group, spread: Spread | None) -> Group:
    return group if spread is None else _with_interval(group, spread.width, Interval(0, 0, spread.runs))


def _is_single(group: Group) -> bool:
    return "result" in group.facts and len(group.values) == 1 and bool(group.values[0])


def _group_spread(group: Group, side: Side, spread_by_measurement: dict[tuple[str, ...], Spread]) -> Spread | None:
    """That of the measurement which the group is of."""
    value = (group.values[0] or 0.0) * (group.divisor or 1.0)
    metric = [group.at[name] for name in ("op", "quantity", "stat")]
    same = (
        row
        for row in side.measurements
        if [row["op"], row["quantity"], row["stat"]] == metric and math.isclose(row["value"], value)
    )
    row = next(same, None)
    return spread_by_measurement.get(measurement_key(row)) if row else None


def _with_interval(group: Group, width: float, blank: Interval) -> Group:
    """With an interval of this width, of logarithms, around its value; `blank` says what it rests on."""
    value = group.values[0]
    if value is None or value <= 0:
        return group
    low, high = uncertainty.interval_around(value, width)
    return replace(group, interval=replace(blank, low=low, high=high))
