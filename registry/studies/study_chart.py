"""The chart of a study as a Vega-Lite specification: plain data from rows of registry/studies/table.py.

Bars begin at zero, what differs a hundredfold stands on a logarithmic scale, what is not known is not drawn. Fill tells
trust (verified full, derived two thirds, imported one third, reported light), and every point says in words what it is.
A solid line is the 95 % range by repeats, a dashed one reaches from the lowest to the highest of several measurements,
a dotted one over a range that is assumed. What was not repeated has a diamond for its dot. Colours are custom
properties of static/tokens.css until `with_colours` sets them.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from textwrap import wrap
from typing import Any
from urllib.parse import quote

from django.conf import settings

from registry.presentation.charts.scales import is_wide, powers_of_ten
from registry.presentation.charts.vega import SCHEMA
from registry.query import qualified_values
from registry.query.axes import find_axis
from registry.query.trust_levels import LEVELS
from registry.studies.table import FIGURES, Row, format_digits, is_assumed, is_not_repeated, lower_is_better

Spec = dict[str, Any]

COLOURS = 4
"""Series that have a colour of their own; with more, each bar or line is named instead."""
FILL = {level.name: max(level.filled, 0.15) for level in LEVELS}
BAR_PX = 18
CELL_PX = 28
MOST_BARS = 120
FEWEST_FOR_A_LINE = 3
FEWEST_FOR_A_BOX = 5
FEWEST_SPOKES = 3
DECADES = 100
"""The largest to the least from which on a scale that begins at zero would show the largest alone."""
MOST_TICKS = 12
MEASUREMENTS = "measurements"
"""What a chart draws, as it says of itself, where it has no medians."""
DIGIT_PX = 8
LETTER_PX = 6.5


def draw_chart(title: str, axes: Sequence[str], unit: str, rows: Sequence[Row], kind: str = "auto") -> Spec | None:
    """Bars, lines, points, box, heat map or radar of rows whose first axis is x. None where nothing can be drawn.

    `unit` is what the values are in, with what they are divided by. `auto` draws lines where x is a number with at
    least three values, boxes where most points are of five or more measurements, points where values differ a
    hundredfold, else bars.
    """
    drawn = [row for row in rows if row["value"] is not None and row[axes[0]] is not None]
    if not drawn or len({row["unit"] for row in drawn}) > 1:
        return None
    kind = _fitting_kind(axes, drawn) if kind == "auto" else kind
    told_apart_by = [name for name in axes[1:] if len({row[name] for row in drawn}) > 1]
    points = [_chart_point(row, axes[0], told_apart_by, unit) for row in drawn]
    if kind in ("bars", "box") and len(points) > MOST_BARS:
        kind = "points"
    if kind == "radar" and _count_places(points) < FEWEST_SPOKES:
        kind = "bars"
    if kind == "radar" and len(_series_names(points)) > COLOURS:
        kind = "heat"
    spec = {
        "$schema": SCHEMA,
        "description": f"{title}. {unit or 'no unit'}. {len(points)} points; the table has every number.",
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": points},
    }
    drawn_as = _DRAWN[kind](axes, unit, points)
    meaning = "; ".join(_legend_of_lines(points, has_lines=has_lines(drawn_as)))
    texts = {"title": title, "subtitle": f"{unit or 'no unit'}, {_trust_text(points)}", "repeats": meaning}
    return spec | {"usermeta": texts} | _without_empty_lines(drawn_as, points)


def draw_measurements(title: str, axes: Sequence[str], unit: str, rows: Sequence[Row]) -> Spec | None:
    """Every measurement as a point of its own that leads to its result; no bar, no line, no median."""
    spec = draw_chart(title, axes, unit, rows, "points")
    if spec is not None:
        subtitle = f"{spec['usermeta']['subtitle']}; each point is one measurement"
        spec["usermeta"] |= {"subtitle": subtitle, "drawn": MEASUREMENTS}
    return spec


def _without_empty_lines(spec: Spec, points: Sequence[Row]) -> Spec:
    """Without the layer of lines where no point has one: over nothing the browser warns of an infinite extent."""
    if "layer" not in spec or any(point["spread"] in REACHING for point in points):
        return spec
    return spec | {"layer": [layer for layer in spec["layer"] if layer.get("transform") != _REACHING]}


REPEATED, SEVERAL, ASSUMED = "repeated", "several", "assumed"
NOT_REPEATED, FIGURE = "not repeated", "figure"
"""What a point is: measured again in runs of its configuration, the median of several, neither, or no measurement."""
REACHING = (REPEATED, SEVERAL, ASSUMED)
"""Points that have a line."""


def _legend_of_lines(points: Sequence[Row], *, has_lines: bool) -> list[str]:
    """What lines mean, and that what has none was not repeated."""
    kinds = {point["spread"] for point in points}
    lines = {
        REPEATED: "solid line with ends: 95 % range by repeats",
        SEVERAL: "dashed line: lowest to highest of several",
        ASSUMED: "dotted line, diamond: not repeated, 95 % range assumed",
    }
    phrases = [words for kind, words in lines.items() if has_lines and kind in kinds]
    if NOT_REPEATED in kinds:
        phrases.append(NOT_REPEATED if kinds == {NOT_REPEATED} else f"diamond, or bar without a line: {NOT_REPEATED}")
    return phrases


def has_lines(spec: Spec) -> bool:
    """Whether a chart draws how far its points reach."""
    return any(layer.get("transform") == _REACHING for layer in spec.get("layer", ()))


def _trust_text(points: Sequence[Row]) -> str:
    """The one level of trust of all points, or what their fills mean."""
    levels = {point["trust"] for point in points}
    meaning = "full: verified, two thirds: derived, one third: imported, light: reported"
    fills = levels.pop() if len(levels) == 1 else meaning
    return f"{fills}, dashed: a bound, not a measured value" if any(point["bound"] for point in points) else fills


def _fitting_kind(axes: Sequence[str], rows: Sequence[Row]) -> str:
    if len(axes) > 1 or not _is_scale(rows, axes[0]):
        many = sum(row["count"] >= FEWEST_FOR_A_BOX for row in rows)
        if 2 * many > len(rows):
            return "box"
    if _is_scale(rows, axes[0]):
        return "lines"
    return "points" if is_wide([row["value"] for row in rows], DECADES) else "bars"


def _is_scale(rows: Sequence[Row], name: str) -> bool:
    values = {row[name] for row in rows}
    return len(values) >= FEWEST_FOR_A_LINE and not any(isinstance(value, str) for value in values)


def _chart_point(row: Row, x: str, told_apart_by: Sequence[str], unit: str) -> Row:
    series = ", ".join(_axis_value_text(name, row[name]) for name in told_apart_by if row[name] != "")
    if told_apart_by and not series:
        series = f"{find_axis(told_apart_by[0]).title} not said"
    figures = {name: row["value"] if row[name] is None else row[name] for name in FIGURES}
    qualifier = row.get("qualifier") or ""
    if row.get("interval_low") is not None:
        figures |= {"low": row["interval_low"], "high": row["interval_high"]}
    place = _axis_value_text(x, row[x])
    value = qualified_values.in_words(qualifier, f"{format_digits(row['value'], 6)} {unit}".strip())
    kind, reach = _point_reach(row)
    if row.get("among"):
        reach = f"{row['label'] or row['result']}, one of {row['among']:,} measurements"
    words = f"{place}{', ' + series if series else ''}: {', '.join(filter(None, (value, row['trust'], reach)))}"
    name = f"{place} {series}".strip()
    labels = {
        "series": series,
        "name": name,
        "trust": row["trust"],
        "words": words,
        "shown": _point_number(row, qualifier),
    }
    labels["bound"] = qualifier.startswith((qualified_values.BELOW, qualified_values.ABOVE))
    if row.get("result"):
        labels["address"] = f"/results/{quote(str(row['result']), safe='')}/"
    return figures | {"x": row[x], "place": place, "spread": kind} | labels


def _point_reach(row: Row) -> tuple[str, str]:
    """What a point is, and in words how far it reaches and by what."""
    if row.get("among"):
        return FIGURE, ""
    if row["count"] > 1:
        if row.get("low") is None:
            return FIGURE, f"median of {row['count']:,} measurements"
        ends = f"{format_digits(row['low'])} to {format_digits(row['high'])}"
        return SEVERAL, f"median of {row['count']:,} measurements, lowest to highest {ends}"
    if is_not_repeated(row):
        return NOT_REPEATED, f"not repeated{_rounding_words(row)}"
    if row.get("interval_low") is None:
        return FIGURE, ""
    ends = f"{format_digits(row['interval_low'])} to {format_digits(row['interval_high'])}"
    if is_assumed(row):
        return ASSUMED, f"not repeated, assumed 95 % range {ends}"
    return REPEATED, f"95 % range {ends} by {row['interval_runs']} runs"


def _rounding_words(row: Row) -> str:
    """ ", printed digits 83.25 to 83.35" where they are known."""
    if row.get("rounding_low") is None:
        return ""
    return f", printed digits {format_digits(row['rounding_low'], 7)} to {format_digits(row['rounding_high'], 7)}"


def _point_number(row: Row, qualifier: str) -> str:
    """The number of a point in short: "< 200", "~ 8"."""
    sign = {
        qualified_values.BELOW: "<",
        qualified_values.ABOVE: "\N{GREATER-THAN OR EQUAL TO}",
        qualified_values.ABOUT: "~",
    }
    return f"{sign.get(qualifier.partition(' ')[0], '')} {format_digits(row['value'])}".strip()


def _axis_value_text(name: str, value: Any) -> str:
    """ "write", but "cpt 8" and "direct I/O: true", which say nothing alone."""
    bare = isinstance(value, str) and value not in ("true", "false")
    return value if bare else f"{find_axis(name).title} {_axis_text(value)}"


def _axis_text(value: Any) -> str:
    return "\N{EM DASH}" if value is None else f"{value:,}" if isinstance(value, int | float) else str(value)


def _value_axis(unit: str, field: str = "value") -> Spec:
    better = ", less is better" if unit and lower_is_better(unit) else ""
    return {"field": field, "type": "quantitative", "title": f"{unit or 'no unit'}{better}", "scale": {"zero": True}}


def _fitting_axis(unit: str, points: Sequence[Row], field: str = "value") -> Spec:
    """As `_value_axis`, logarithmic where the points reach over decades."""
    linear = _value_axis(unit, field)
    values = [point[end] for point in points for end in ("low", "high")]
    if not is_wide(values, DECADES):
        return linear
    ticks = {"values": powers_of_ten(values)}
    return linear | {"title": f"{linear['title']}, logarithmic", "scale": _LOGARITHMIC, "axis": ticks}


_LOGARITHMIC: Spec = {"type": "log", "nice": False, "padding": 8}


def _series_names(points: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(point["series"] for point in points))


def _count_places(points: Sequence[Row]) -> int:
    return len({point["place"] for point in points})


_LEGEND_COLUMNS = {"expr": "containerSize()[0] < 600 ? 1 : 2"}
"""Names stand under each other on a phone; a picture has two columns."""
_LEGEND_PX = "(containerSize()[0] < 600 ? max(100, width - 20) : 400)"
"""A legend begins where the plot does, and on a phone must end there."""


def _series_colour(points: Sequence[Row], channel: str) -> Spec:
    """A colour for each series where there are few enough; else all are the first."""
    names = _series_names(points)
    if not 1 < len(names) <= COLOURS:
        return {channel: {"value": "var(--s1)"}}
    scale = {"domain": names, "range": [f"var(--s{place})" for place in range(1, len(names) + 1)]}
    words = {"labelLimit": 300, "labelExpr": _shortened_label(_LEGEND_PX), "columns": _LEGEND_COLUMNS}
    legend = {"orient": "top", "title": None, "symbolType": "square"} | words
    return {channel: {"field": "series", "type": "nominal", "scale": scale, "legend": legend}}


def _trust_fill() -> Spec:
    """Fill by trust, as the marks of trust in tables have it."""
    tests = [{"test": "datum.bound", "value": 0}]
    tests += [{"test": f"datum.trust === '{level}'", "value": opacity} for level, opacity in FILL.items()]
    return {"fillOpacity": {"condition": tests, "value": 1}}


_SPREAD: Spec = {"type": "rule", "color": "var(--edge)", "aria": False}
"""From the lowest to the highest of several measurements; of one, where it lies by its repeats or as assumed."""
_REACHING = [{"filter": {"field": "spread", "oneOf": list(REACHING)}}]
_DASHED: Spec = {
    "strokeDash": {
        "condition": [
            {"test": f"datum.spread === '{SEVERAL}'", "value": [3, 3]},
            {"test": f"datum.spread === '{ASSUMED}'", "value": [1, 3]},
        ],
        "value": [1, 0],
    }
}


def _whisker_layers(points: Sequence[Row], encoding: Spec, **mark: Any) -> list[Spec]:
    """Lines over how far points reach; none where no point does, of which Vega would warn."""
    if all(point["spread"] not in REACHING for point in points):
        return []
    return [{"transform": _REACHING, "mark": _SPREAD | mark, "encoding": encoding | _DASHED}]


def _whisker_caps(points: Sequence[Row], channel: str, ends: Mapping[str, Spec]) -> list[Spec]:
    """Both ends of the 95 % range, as strokes across: many a range is narrower than the mark of its point."""
    mark = {"type": "tick", "color": "var(--ink)", "thickness": 1.5, "size": 12, "aria": False}
    if all(point["spread"] != REPEATED for point in points):
        return []
    only = [{"filter": f"datum.spread === '{REPEATED}'"}]
    return [{"transform": only, "mark": mark, "encoding": {channel: end}} for end in ends.values()]


_SINGLE = {"field": "spread", "oneOf": [NOT_REPEATED, ASSUMED]}
_SHAPE: Spec = {"shape": {"condition": {"test": _SINGLE, "value": "diamond"}, "value": "circle"}}
_SPOKEN: Spec = {"description": {"field": "words"}, "tooltip": {"field": "words", "title": "value"}}


def _lead_to_results(points: Sequence[Row]) -> Spec:
    """Marks lead to the results that they are of."""
    return {"href": {"field": "address"}} if any("address" in point for point in points) else {}


def _bar_chart(axes: Sequence[str], unit: str, points: Sequence[Row]) -> Spec:
    coloured = 1 < len(_series_names(points)) <= COLOURS
    offset = {"yOffset": {"field": "series", "type": "nominal", "sort": None}} if coloured else {}
    return {
        "height": BAR_PX * (_count_places(points) * (len(_series_names(points)) + 1) if coloured else len(points)),
        "encoding": _row_axis("place" if coloured else "name")
        | offset
        | {"x": _value_axis(unit) | _scale_with_room(points)},
        "layer": [
            {
                "mark": {"type": "bar", "strokeWidth": 1.5},
                "encoding": _outline_and_fill(points) | _trust_fill() | _SPOKEN,
            },
            *_whisker_layers(
                points,
                {"x": _value_axis(unit, "low") | _scale_with_room(points), "x2": {"field": "high"}},
                color="var(--ink)",
            ),
            *_whisker_caps(
                points, "x", {end: _value_axis(unit, end) | _scale_with_room(points) for end in ("low", "high")}
            ),
            {
                "mark": {"type": "text", "align": "left", "dx": 4, "aria": False},
                "encoding": {"x": _value_axis(unit, "high") | _scale_with_room(points), "text": {"field": "shown"}},
            },
        ],
    }


def _scale_with_room(points: Sequence[Row]) -> Spec:
    """A scale from zero that leaves room for the number behind the longest bar and its spread."""
    ends = [0, {"expr": f"width - {_digits_px(points)}"}]
    most = max(0, *(point["high"] for point in points))
    return {"scale": {"zero": True, "nice": False, "domainMax": most or 1, "range": ends}}


def _digits_px(points: Sequence[Row]) -> int:
    return DIGIT_PX * max(len(point["shown"]) for point in points)


_LABELS_PX = "(isFinite(containerSize()[0]) ? max(120, 0.55 * containerSize()[0]) : 400)"
"""Names of rows have little more than half of a page; a picture has no page."""


def _shortened_label(space_px: str) -> str:
    """A name that is too long keeps both ends: the middle tells names apart least."""
    letters = f"floor({space_px} / {LETTER_PX} / 2)"
    return (
        f"length(datum.label) <= 2 * {letters} ? datum.label"
        f" : slice(datum.label, 0, {letters}) + '\N{HORIZONTAL ELLIPSIS}' + slice(datum.label, -{letters})"
    )


def _row_axis(field: str) -> Spec:
    names = {"labelLimit": {"expr": f"1.2 * {_LABELS_PX}"}, "labelExpr": _shortened_label(_LABELS_PX)}
    return {"y": {"field": field, "type": "nominal", "sort": None, "title": None, "axis": names}}


def _outline_and_fill(points: Sequence[Row]) -> Spec:
    """Fill and outline in the colour of the series; the two share a legend."""
    fill = _series_colour(points, "fill")
    dashed = {"condition": {"test": "datum.bound", "value": [2, 2]}, "value": [1, 0]}
    return fill | {"stroke": fill["fill"], "strokeDash": dashed}


def _box_chart(axes: Sequence[str], unit: str, points: Sequence[Row]) -> Spec:
    spread = {"x": _fitting_axis(unit, points, "low"), "x2": {"field": "high"}}
    return {
        "height": BAR_PX * len(points),
        "encoding": _row_axis("name"),
        "layer": [
            *_whisker_layers(points, spread),
            *_whisker_caps(points, "x", {end: _fitting_axis(unit, points, end) for end in ("low", "high")}),
            {
                "mark": {"type": "bar", "strokeWidth": 1.5, "height": 10, "stroke": "var(--s1)"},
                "encoding": {"x": _fitting_axis(unit, points, "q1"), "x2": {"field": "q3"}}
                | _series_colour(points, "fill")
                | _trust_fill(),
            },
            {
                "mark": {"type": "tick", "color": "var(--ink)", "thickness": 2, "size": 14},
                "encoding": {"x": _fitting_axis(unit, points)} | _SPOKEN,
            },
        ],
    }


def _line_chart(axes: Sequence[str], unit: str, points: Sequence[Row]) -> Spec:
    drawn = _points_along_axis(axes, unit, points)
    line: Spec = {
        "mark": {"type": "line", "strokeWidth": 2, "aria": False},
        "encoding": _series_colour(points, "color"),
    }
    line["transform"] = [{"filter": "!datum.bound"}]
    line["encoding"] |= {"detail": [{"field": "series"}, {"field": "trust"}]}
    return drawn | {"layer": [line, *drawn["layer"]]}


def _point_chart(axes: Sequence[str], unit: str, points: Sequence[Row]) -> Spec:
    """Along numbers, and where there are too many for a row each; else named one below the other."""
    along = _is_scale(points, "x") or len({point["name"] for point in points}) > MOST_BARS
    return _points_along_axis(axes, unit, points) if along else _dot_chart(axes, unit, points)


def _dot_chart(axes: Sequence[str], unit: str, points: Sequence[Row]) -> Spec:
    room = {"range": [0, {"expr": f"width - {_digits_px(points)}"}]}

    def value_encoding(field: str) -> Spec:
        encoding = _fitting_axis(unit, points, field)
        return {"x": encoding | {"scale": encoding["scale"] | room}}

    points_by_name = Counter(point["name"] for point in points)
    labelled = [{"filter": {"field": "name", "oneOf": [name for name, count in points_by_name.items() if count == 1]}}]
    labels = labelled if len(points_by_name) < len(points) else []
    return {
        "height": BAR_PX * len(points_by_name),
        "encoding": _row_axis("name"),
        "layer": [
            *_whisker_layers(points, value_encoding("low") | {"x2": {"field": "high"}}),
            *_whisker_caps(points, "x", {end: value_encoding(end)["x"] for end in ("low", "high")}),
            {
                "mark": _DOT,
                "encoding": value_encoding("value")
                | {"fill": {"value": "var(--s1)"}, "stroke": {"value": "var(--s1)"}}
                | _SHAPE
                | _trust_fill()
                | _SPOKEN
                | _lead_to_results(points),
            },
            {
                **({"transform": labels} if labels else {}),
                "mark": {"type": "text", "align": "left", "dx": 8, "aria": False},
                "encoding": value_encoding("high") | {"text": {"field": "shown"}},
            },
        ],
    }


_DOT: Spec = {"type": "point", "filled": True, "size": 60, "strokeWidth": 1.5, "opacity": 1}


def _points_along_axis(axes: Sequence[str], unit: str, points: Sequence[Row]) -> Spec:
    """Points over the x axis. Of more series than there are colours the last point of each has its name."""
    place = {"field": "x", "title": find_axis(axes[0]).title + _in_unit(axes[0]), "sort": None}
    words = {"type": "nominal", "axis": {"labelAngle": -30, "labelOverlap": True}}
    x = place | (_numeric_axis(points) if _is_scale(points, "x") else words)
    named = len(_series_names(points)) > COLOURS
    return {
        "height": 320,
        "encoding": {"x": x, "y": _fitting_axis(unit, points)},
        "layer": [
            *_whisker_layers(points, {"y": _fitting_axis(unit, points, "low"), "y2": {"field": "high"}}),
            *_whisker_caps(points, "y", {end: _fitting_axis(unit, points, end) for end in ("low", "high")}),
            {
                "mark": _DOT,
                "encoding": _outline_and_fill(points) | _SHAPE | _trust_fill() | _SPOKEN | _lead_to_results(points),
            },
            *([_LAST_NAMES] if named else []),
        ],
    }


def _numeric_axis(points: Sequence[Row]) -> Spec:
    """A numeric x axis; ticks stand at the values where these are few."""
    values = sorted({point["x"] for point in points})
    wide = is_wide(values, DECADES)
    at = values if len(values) <= MOST_TICKS else powers_of_ten(values) if wide else None
    ticks = {"labelExpr": "format(datum.value, ',')"} | ({"values": at} if at else {})
    how = _LOGARITHMIC if wide else {"zero": False, "nice": True}
    return {"type": "quantitative", "scale": how, "axis": ticks}


_LAST_NAMES: Spec = {
    "mark": {"type": "text", "align": "right", "dy": -8, "aria": False},
    "transform": [
        {
            "window": [{"op": "row_number", "as": "back"}],
            "sort": [{"field": "x", "order": "descending"}],
            "groupby": ["series"],
        },
        {"filter": "datum.back === 1"},
    ],
    "encoding": {"text": {"field": "series"}},
}


def _heat_map(axes: Sequence[str], unit: str, points: Sequence[Row]) -> Spec:
    """Cells as deep as their value is large; a custom property can't be mixed with another, but be lighter."""
    title = f"{find_axis(axes[0]).title}{_in_unit(axes[0])}; cells in {unit or 'no unit'}"
    how = {"type": "log"} if is_wide([point["value"] for point in points], DECADES) else {"zero": True}
    depth = {"scale": how | {"range": _DEPTHS}, "legend": None}
    cells = [point | {"shown": format_digits(point["value"], CELL_DIGITS)} for point in points]
    letter_px = f"width / {_count_places(points) * max(len(cell['shown']) for cell in cells)}"
    return {
        "height": CELL_PX * len(_series_names(points)),
        "data": {"values": cells},
        "encoding": _row_axis("series")
        | {"x": {"field": "x", "type": "ordinal", "sort": None, "title": title, "axis": {"labelAngle": -30}}},
        "layer": [
            {
                "mark": {"type": "rect", "fill": "var(--s1)", "stroke": "var(--paper)"},
                "encoding": {"fillOpacity": {"field": "value", "type": "quantitative"} | depth} | _SPOKEN,
            },
            {
                "mark": {"type": "text", "aria": False, "fontSize": {"expr": f"min(11, 1.6 * {letter_px})"}},
                "encoding": {"text": {"field": "shown"}},
            },
        ],
    }


CELL_DIGITS = 4
_DEPTHS = (0.05, 0.5)
"""Ink on the deepest cell has a contrast of 6, by day and night."""


# Each spoke is one place on the x axis, from zero in the middle to its largest value at the rim, which its label says:
# what stands on the spokes may differ a thousandfold. A narrow page squeezes the disc, to keep room for names.
_LABEL_AT = 1.1
_LABEL_LETTERS = 13
_RADIUS_PX = 125
_LABEL_PX = 85
_HALF_WIDTH = f"max(20, min({_RADIUS_PX}, width / 2 / {_LABEL_AT} - {_LABEL_PX}))"
_RINGS = (0.25, 0.5, 0.75, 1.0)
_SIDE = 0.2  # of the radius: labels nearer than this to the middle are centred


def _radar_chart(axes: Sequence[str], unit: str, points: Sequence[Row]) -> Spec:
    places = list(dict.fromkeys(point["place"] for point in points))
    most = {place: max(point["value"] for point in points if point["place"] == place) for place in places}
    angles = {place: 2 * math.pi * number / len(places) for number, place in enumerate(places)}
    drawn = [
        point | _point_on_disc(angles[point["place"]], _share_of_rim(point["value"], most[point["place"]]))
        for point in points
    ]
    rim = [
        {"place": place, "most": f"{format_digits(most[place])} {unit}".strip(), **_point_on_disc(angles[place], 1)}
        for place in places
    ]
    rings = [{"ring": ring, "turn": turn} | _point_on_disc(angles[place], ring)
             for ring in _RINGS for turn, place in enumerate([*places, places[0]])]  # fmt: skip
    line = {"type": "line", "interpolate": "linear-closed", "aria": False}
    by_series = {
        "detail": [{"field": "series"}, {"field": "trust"}],
        "order": {"field": "turn", "type": "quantitative"},
    }
    turns = {place: number for number, place in enumerate(places)}
    return {
        "height": 320,
        "data": {"values": [point | {"turn": turns[point["place"]]} for point in drawn]},
        "encoding": {"x": _disc_axis("x"), "y": _disc_axis("y")},
        "layer": [
            {
                "data": {"values": rings},
                "mark": {"type": "line", "color": "var(--rule)", "strokeWidth": 1, "aria": False},
                "encoding": {"detail": {"field": "ring"}, "order": {"field": "turn", "type": "quantitative"}},
            },
            {
                "data": {"values": [spoke | {"zero": 0} for spoke in rim]},
                "mark": {"type": "rule", "color": "var(--rule)", "aria": False},
                "encoding": {"x2": {"field": "zero"}, "y2": {"field": "zero"}},
            },
            {"mark": line | {"strokeWidth": 2}, "encoding": _series_colour(points, "color") | by_series},
            {
                "mark": _DOT | {"size": 50},
                "encoding": _outline_and_fill(points) | _SHAPE | _trust_fill() | _SPOKEN,
            },
            *(_spoke_names([name for name in rim if is_on_side(name)], **how) for is_on_side, how in _SIDES),
        ],
    }


_SIDES: tuple[tuple[Callable[[Spec], bool], Spec], ...] = (
    (lambda name: name["x"] > _SIDE, {"align": "left", "baseline": "middle", "limit": _LABEL_PX}),
    (lambda name: name["x"] < -_SIDE, {"align": "right", "baseline": "middle", "limit": _LABEL_PX}),
    (lambda name: abs(name["x"]) <= _SIDE and name["y"] > 0, {"align": "center", "baseline": "bottom"}),
    (lambda name: abs(name["x"]) <= _SIDE and name["y"] < 0, {"align": "center", "baseline": "top"}),
)
"""Where a name at the rim stands to its place: beside, above or below."""


def _spoke_names(rim: Sequence[Row], **how: Any) -> Spec:
    """Names in lines beside the disc; above and below it, where lines would grow into it, in one."""
    values = [
        {
            "label": [*wrap(name["place"], _LABEL_LETTERS), name["most"]]
            if "limit" in how
            else f"{name['place']} {name['most']}"
        }
        | {"x": name["x"] * _LABEL_AT, "y": name["y"] * _LABEL_AT}
        for name in rim
    ]
    return {
        "data": {"values": values},
        "mark": {"type": "text", "aria": False} | how,
        "encoding": {"text": {"field": "label"}},
    }


def _point_on_disc(angle: float, share: float) -> Row:
    """Where a share of the rim lies at an angle clockwise from the top, the rim having radius 1."""
    return {"x": math.sin(angle) * share, "y": math.cos(angle) * share}


def _share_of_rim(value: float, most: float) -> float:
    return max(value / most, 0) if most > 0 else 0


def _disc_axis(field: str) -> Spec:
    """A hidden axis of the disc, from rim to rim."""
    size, radius = ("width", _HALF_WIDTH) if field == "x" else ("height", f"-{_RADIUS_PX}")
    ends = [{"expr": f"{size} / 2 - {radius}"}, {"expr": f"{size} / 2 + {radius}"}]
    return {"field": field, "type": "quantitative", "axis": None, "scale": {"domain": [-1, 1], "range": ends}}


_DRAWN = {
    "bars": _bar_chart,
    "box": _box_chart,
    "lines": _line_chart,
    "points": _point_chart,
    "heat": _heat_map,
    "radar": _radar_chart,
}


def _in_unit(name: str) -> str:
    return f", {find_axis(name).unit}" if find_axis(name).unit else ""


# Colours, where no page sets them


@cache
def theme_colours(theme: str) -> Mapping[str, str]:
    """The colours of static/tokens.css by name, of the theme light or dark."""
    tokens = (settings.BASE_DIR / "static" / "tokens.css").read_text(encoding="utf-8")
    place = {"light": 1, "dark": 2}[theme]
    return {token[0]: token[place] for token in re.findall(r"--(\w+):light-dark\((#\w+),(#\w+)\)", tokens)}


def with_colours(spec: Spec, theme: str, width_px: int) -> Spec:
    """The specification for a picture: with a width of its own, and without custom properties."""
    colour_by_name = theme_colours(theme)
    text = re.sub(r"var\(--(\w+)\)", lambda match: colour_by_name[match[1]], json.dumps(spec | {"width": width_px}))
    axis_colours = {
        "gridColor": colour_by_name["rule"],
        "domainColor": colour_by_name["edge"],
        "tickColor": colour_by_name["edge"],
    }
    labels = {"labelColor": colour_by_name["soft"], "titleColor": colour_by_name["soft"], "titleFontWeight": "normal"}
    config = {
        "background": colour_by_name["paper"],
        "font": "Inter, system-ui, sans-serif",
        "view": {"stroke": None},
        "text": {"color": colour_by_name["ink"]},
        "axis": axis_colours | labels | {"labelFontSize": 12, "titleFontSize": 12},
        "legend": labels | {"labelFontSize": 12},
        "title": {
            "color": colour_by_name["ink"],
            "subtitleColor": colour_by_name["soft"],
            "subtitleFontSize": 12,
            "anchor": "start",
        },
    }
    return {**json.loads(text), "config": config}
