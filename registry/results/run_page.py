"""What a page shows of one run of any tool: tables of its measurements, plots where they help, what lies under them.

The same on the page of a published result and on that of a submission; everything comes from the run itself: what its
measurements are of, what its tests differ in, and its distributions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from registry.distributions.distributions import SIDE_BY_SIDE as MEMBERS
from registry.presentation import numbers
from registry.presentation.charts import result_charts
from registry.presentation.charts.model import Chart
from registry.presentation.measurement_tables import Table, build_tables
from registry.presentation.operation_glossary import build_glossary
from registry.presentation.table_layouts import NUMBERS_OF_TESTS
from registry.presentation.words import (  # fmt: skip
    Cell,
    Head,
    Row,
    best_unit,
    capitalize_sentence,
    context_heading,
    describe_context,
    format_in_unit,
    humanize,
    label_operation,
    label_quantity,
    shown_unit,
    with_unit,
)
from registry.query.values import qualified_values
from validators import catalogue, quantities
from validators.distributions import PARTS, is_repeat
from validators.quantities import label_statistic
from validators.units import UNITS

MOST_VARYING = 5
"""Parameters that stand beside a test when its tests differ in more."""
MOST_FIGURES = 4
MOST_BOXES = 12
MOST_SERIES = 4
MOST_STEPS = 40
MOST_SPREADS = 100
LEADING = 3
ACCELERATORS = "accelerators"
"""How many a storage system kept busy: all that some sources print of MLPerf Storage."""
_BEST = ("max", "mean", "aggregate", "children_sum", "last_done", "net")
"""Statistics that say most of a run, where several are printed."""
_IN_TIME = ("epochs", "events", "samples")
_SIDE_BY_SIDE = (*MEMBERS, "iterations", "runs")
_UNNAMED = {"phase", "sample", "iter", "count"}
"""Numbers in contexts that tell nothing of a leading figure."""
_NO_STEPS = {*_UNNAMED, *NUMBERS_OF_TESTS, "client_group", "server_group"}
"""Numbers in contexts that are no steps of a sweep."""

Distribution = Mapping[str, Any]
Figure = dict[str, Any]


def view(
    measurements: Sequence[Row],
    distributions: Sequence[Distribution] = (),
    tests: Sequence[Mapping[str, Any]] = (),
    parameters: Mapping[str, Any] | None = None,
    tool: tuple[str, str] = ("", ""),
) -> dict[str, Any]:
    """Tables, figures and the spread of a run, ready for templates/results/measured.html.

    `tool` is the benchmark with its version, whose descriptor says what the figures are.
    """
    measurements, distributions = with_tool(measurements, tool[0]), with_tool(distributions, tool[0])
    varying = varying_parameters(tests, measurements)
    figures = [*_sweep(measurements), *_in_time(distributions, parameters or {}), *boxes_of(distributions)]
    return {
        "settings": _settings(tool[0], parameters or {}) if measurements else "",
        "tables": build_tables(measurements, _values_by_test(tests, varying)),
        "varying": [humanize(name) for name in varying],
        "figures": figures[:MOST_FIGURES],
        "spread": spread_of(distributions),
        "glossary": build_glossary(*tool, measurements) if measurements else {},
    }


def with_tool(rows: Sequence[Row], tool: str) -> list[Row]:
    """Measurements or distributions with the tool that says what their names mean."""
    return [{**row, "tool": tool} for row in rows]


def _settings(tool: str, parameters: Mapping[str, Any]) -> str:
    """The parameters by which results of a tool are looked up, as its descriptor names them, in words."""
    benchmark = catalogue.find(tool)
    names = [parameter["name"] for parameter in benchmark.descriptor.get("parameters", [])] if benchmark else []
    return describe_context(
        {name: parameters[name] for name in names if isinstance(parameters.get(name), (str, int, float))}
    )


def leading(measurements: Sequence[Row], parameters: Mapping[str, Any]) -> list[dict[str, str]]:
    """What stands above all: the best figure of the first operations, or of each quantity of the only one."""
    rows = _headlines(measurements)
    names = dict.fromkeys(name for row in rows for name in row["context"] if name not in (*_UNNAMED, "qualifier"))
    varying = [name for name in names if len({str(row["context"].get(name)) for row in rows}) > 1]
    return [_leading_entry(row, varying, parameters) for row in _best_rows(rows)[:LEADING]]


def lead_row(measurements: Sequence[Row]) -> Row | None:
    """The measurement of the first of these figures; None where a run has none."""
    return next(iter(_best_rows(_headlines(measurements))), None)


def _headlines(measurements: Sequence[Row]) -> list[Row]:
    """What sums the run up; else the single figures of its repeats, else how many accelerators it fed."""
    headlines = [row for row in measurements if quantities.is_headline(row["quantity"])]
    summaries = [row for row in headlines if not is_repeat(row["context"], row["stat"])]
    return summaries or headlines or [row for row in measurements if row["quantity"] == ACCELERATORS]


def _best_rows(rows: Sequence[Row]) -> list[Row]:
    """The best of each operation, or of each quantity of the only one."""
    part = "op" if len({row["op"] for row in rows}) > 1 else "quantity"
    best: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: row["stat"] not in _BEST):
        first = best.setdefault(row[part], row)
        alike = all(row[name] == first[name] for name in ("quantity", "stat"))
        best[row[part]] = row if alike and _rank(row) > _rank(first) else first
    return list(best.values())


def _rank(row: Row) -> tuple[bool, float]:
    """By its value; what is only below something is the best only where there is nothing else."""
    return qualified_values.qualifier_of(row) != qualified_values.BELOW, row["value"]


def _leading_entry(row: Row, varying: Sequence[str], parameters: Mapping[str, Any]) -> dict[str, str]:
    unit, limit = best_unit([row], row["unit"]), _threshold(row["quantity"], parameters)
    context = describe_context({name: row["context"][name] for name in varying if row["context"].get(name) is not None})
    against = f"threshold {limit:g}" if limit is not None else ""
    return {
        "name": capitalize_sentence(f"{label_operation(row)} {label_quantity(row)}"),
        "value": qualified_values.number_of_row(row).written(lambda value: format_in_unit(value, unit)),
        "unit": shown_unit(unit),
        "of": ", ".join(filter(None, [label_statistic(row["stat"]), context, against])),
    }


def _threshold(quantity: str, parameters: Mapping[str, Any]) -> float | None:
    """What a quantity must reach, where the run has a parameter QUANTITY_threshold; in its printed unit."""
    limit = parameters.get(f"{quantity}_threshold")
    return float(limit) if isinstance(limit, (int, float)) else None


# What the tests of a run differ in


def varying_parameters(tests: Sequence[Mapping[str, Any]], measurements: Sequence[Row]) -> list[str]:
    """Names of what numbered tests differ in, apart from what their measurements tell: words, whole numbers, truths."""
    if not measurements or not any(name in measurements[0]["context"] for name in NUMBERS_OF_TESTS):
        return []
    context_names = {"path", "group", *NUMBERS_OF_TESTS, *(name for row in measurements for name in row["context"])}
    names = [name for name in dict.fromkeys(name for test in tests for name in test) if name not in context_names]
    plain = [name for name in names if all(isinstance(test.get(name), (str, int, type(None))) for test in tests)]
    return [name for name in plain if len({test.get(name) for test in tests}) > 1][:MOST_VARYING]


def _values_by_test(tests: Sequence[Mapping[str, Any]], varying: Sequence[str]) -> dict[Any, dict[str, Any]]:
    """By the number of each test, the parameters in which it may differ from the others."""
    values_by_test = {}
    for place, test in enumerate(tests if varying else ()):
        number = next((test[key] for key in NUMBERS_OF_TESTS if key in test), place)
        values_by_test[number] = {name: test[name] for name in varying if name in test}
    return values_by_test


# Plots


def _sweep(measurements: Sequence[Row]) -> list[Figure]:
    """A plot for each operation of a sweep, over the number that takes most values; at least three of them."""
    rows = [
        row
        for row in measurements
        if not is_repeat(row["context"], row["stat"]) and quantities.is_headline(row["quantity"])
    ]
    if not rows:
        return []
    quantity, stat = rows[0]["quantity"], rows[0]["stat"]
    rows = [row for row in rows if (row["quantity"], row["stat"]) == (quantity, stat)]
    names = dict.fromkeys(name for row in rows for name in row["context"] if name not in _NO_STEPS)
    values = {name: {row["context"].get(name) for row in rows} for name in names}
    numeric = [name for name in names if all(type(value) in (int, float) for value in values[name])]
    step = max(numeric, key=lambda name: (len(values[name]), name), default="")
    if not step or not 3 <= len(values[step]) <= MOST_STEPS:
        return []
    others = [name for name in names if name != step and len(values[name]) > 1 and name in numeric]
    unit = best_unit(rows, rows[0]["unit"])
    ops = dict.fromkeys(row["op"] for row in rows)
    return [
        _lines(op, [row for row in rows if row["op"] == op], step, others, unit, rows)
        for op in list(ops)[:MOST_FIGURES]
    ]


def _lines(op: str, rows: Sequence[Row], step: str, others: list[str], unit: str, all_rows: Sequence[Row]) -> Figure:
    """One operation: a line for each combination of what else varies, the scale that of all operations."""
    steps = sorted({row["context"][step] for row in rows})
    place = {value: number for number, value in enumerate(steps)}
    series: dict[str, list[tuple[int, float]]] = {}
    for row in sorted(rows, key=lambda row: row["context"][step]):
        context = {name: row["context"].get(name) for name in others}
        name = str(context[others[0]]) if len(others) == 1 else describe_context(context)
        series.setdefault(name, []).append((place[row["context"][step]], row["value"] / UNITS[unit].factor))
    drawn_series = list(series.items())[:: max(1, -(-len(series) // MOST_SERIES))]
    most = max(row["value"] for row in all_rows) / UNITS[unit].factor
    of_each = f", a line for each {with_unit(context_heading(others[0]))}" if len(others) == 1 else ""
    left_out = (
        f". {len(drawn_series)} of {len(series)} lines are drawn; the table has all"
        if len(drawn_series) < len(series)
        else ""
    )
    drawing = result_charts.draw_lines(
        [numbers.format_int(step_value) if isinstance(step_value, int) else str(step_value) for step_value in steps],
        drawn_series,
        0.0,
        most,
    )
    return {
        "title": f"{capitalize_sentence(label_operation(rows[0]))}: {label_quantity(rows[0])} by "
        + with_unit(context_heading(step)),
        "note": f"{unit}, {label_statistic(rows[0]['stat'])}, from zero, steps evenly apart{of_each}{left_out}",
        "drawing": drawing,
    }


def _in_time(distributions: Sequence[Distribution], parameters: Mapping[str, Any]) -> list[Figure]:
    """Stairs through epochs, events and samples, with a threshold of the quantity where the run has one."""
    figures = []
    for (_, quantity, stat, over), group in _grouped(distributions, _IN_TIME, "op").items():
        label = label_quantity(group[0])
        drawn = [distribution for distribution in group if distribution["members"]][:MOST_BOXES]
        if max((distribution["count"] for distribution in drawn), default=0) < 3:
            continue
        unit, values = _unit(drawn), [value for distribution in drawn for value in distribution["members"]]
        limit = _threshold(quantity, parameters)
        factor = UNITS[unit].factor
        bounds = [*values, *([limit * factor] if limit is not None else [])]
        mark = f". The mark is the threshold, {limit:g} {unit}" if limit is not None else ""
        groups = [
            (_name(distribution, drawn), [value / factor for value in distribution["members"]])
            for distribution in drawn
        ]
        figures.append({
            "title": capitalize_sentence(f"{label_operation(group[0])}: {label} in order of {over}"),
            "note": f"{unit or 'count'}, {label_statistic(stat)}, not from zero{mark}",
            "drawing": result_charts.draw_stairs(groups, limit, min(bounds) / factor, max(bounds) / factor),
        })  # fmt: skip
    return figures


def boxes_of(distributions: Sequence[Distribution]) -> list[Figure]:
    """Boxes of parts side by side, and of what was repeated three times and more: one quantity of each operation."""
    figures: list[Figure] = []
    plotted: set[tuple[str, str]] = set()
    for (_, quantity, stat, over), group in _grouped(distributions, _SIDE_BY_SIDE, "").items():
        drawn = [distribution for distribution in group if distribution["count"] >= 3 or over in MEMBERS][:MOST_BOXES]
        ops = {(over, distribution["op"]) for distribution in drawn}
        if not drawn or not quantities.is_headline(quantity) or ops <= plotted:
            continue
        plotted |= ops
        unit = _unit(drawn)
        drawing = result_charts.draw_boxes(
            [(_name(distribution, drawn, "op"), distribution) for distribution in drawn], UNITS[unit].factor
        )
        scale = "logarithmic" if drawing.is_logarithmic else _begin(drawing)
        left_out = f". {len(drawn)} of {len(group)}; the table has all" if len(drawn) < len(group) else ""
        figures.append({
            "title": f"{capitalize_sentence(label_quantity(group[0]))} of {over}"
            + ("" if f"{stat}s" == over else f", {label_statistic(stat)}"),
            "note": f"{unit}, {scale}. Box: 25 to 75 %, line: median, ends: least and most{left_out}",
            "drawing": drawing,
        })  # fmt: skip
    return figures


def _begin(drawing: Chart) -> str:
    """Whether the axis begins at zero, as its first tick says."""
    return "not from zero" if drawing.ticks[0].text.strip("0.") else "from zero"


def _grouped(
    distributions: Sequence[Distribution], overs: Sequence[str], by: str
) -> dict[tuple[str, str, str, str], list[Distribution]]:
    """Distributions that one plot can hold, in the order of `overs`."""
    groups: dict[tuple[str, str, str, str], list[Distribution]] = {}
    for over in overs:
        for distribution in distributions:
            if distribution["over"] == over:
                key = (distribution["op"] if by else "", distribution["quantity"], distribution["stat"], over)
                groups.setdefault(key, []).append(distribution)
    return groups


def _name(distribution: Distribution, group: Sequence[Distribution], op: str = "") -> str:
    """What tells a distribution from those drawn beside it."""
    differs = [
        name for name in distribution["context"] if len({str(other["context"].get(name)) for other in group}) > 1
    ]
    words = describe_context({name: distribution["context"][name] for name in differs})
    return ", ".join(filter(None, [label_operation(distribution) if op else "", words]))


def _unit(group: Sequence[Distribution]) -> str:
    return best_unit(
        ({"value": distribution["max"], "printed_unit": distribution["printed_unit"]} for distribution in group),
        group[0]["unit"],
    )


def spread_of(distributions: Sequence[Distribution]) -> Table | None:
    """Every distribution with count, extremes, quartiles, mean and sample deviation."""
    if not distributions:
        return None
    names = ("Operation", "Of", "Quantity", "Each is")
    heads = [*(Head(name, n=False) for name in names), Head("count"), Head("unit", n=False)]
    heads += [Head(name) for name in ("min", "25 %", "median", "75 %", "max", "mean", "sample deviation")]
    rows = [_spread_row(distribution) for distribution in distributions[:MOST_SPREADS]]
    return Table("", "", heads, rows, max(0, len(distributions) - MOST_SPREADS))


def _spread_row(distribution: Distribution) -> list[Cell]:
    unit = _unit([distribution])
    figures = [
        format_in_unit(value, unit) for value in (*distribution["quantiles"][:: PARTS // 4], distribution["mean"])
    ]
    deviation = format_in_unit(distribution["deviation"], unit) if distribution["deviation"] is not None else ""
    words = [
        label_operation(distribution),
        describe_context(distribution["context"]),
        label_quantity(distribution),
        label_statistic(distribution["stat"]),
    ]
    return [
        *(Cell(word, n=False) for word in words),
        Cell(numbers.format_int(distribution["count"])),
        Cell(shown_unit(unit), n=False),
        *map(Cell, [*figures, deviation]),
    ]
