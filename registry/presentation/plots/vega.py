"""Charts of studies as Vega-Lite specifications: plain data from `model`.

Bars begin at zero, what differs a hundredfold stands on a logarithmic scale, what is not known is not drawn. Fill tells
trust, and every point says in words what it is. A solid line is the 95 % range by repeats, a dashed one reaches from
the lowest to the highest of several measurements, a dotted one over a range that is assumed. What was not repeated has
a diamond for its dot, and a ceiling is a dashed line with a triangle. Colours are custom properties of
static/tokens.css until `with_colours` sets them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from registry.presentation import numbers
from registry.presentation.charts.model import LINE_DASHES
from registry.presentation.charts.scales import is_wide, powers_of_ten
from registry.presentation.charts.svg import theme_colours
from registry.presentation.charts.vega import SCHEMA
from registry.presentation.plots.model import (
    ASSUMED,
    COLOURS,
    DECADES,
    MOST_BARS,
    REACHING,
    REPEATED,
    SEVERAL,
    Plot,
    PlotPoint,
)
from registry.presentation.plots.vega_parts import (
    DOT,
    SHAPE,
    SPOKEN,
    Row,
    Spec,
    outline_and_fill,
    series_colour,
    shortened_label,
    trust_fill,
)
from registry.presentation.plots.vega_radar import radar_chart

BAR_PX = 18
CELL_PX = 28
MOST_TICKS = 12
DIGIT_PX = 8


def write_vega(plot: Plot) -> Spec:
    """The specification of a chart, as wide as its place on a page."""
    points = [_point_row(point) for point in plot.points]
    spec = {
        "$schema": SCHEMA,
        "description": plot.plain_description,
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": points},
    }
    texts = {"title": plot.title, "subtitle": plot.unit_text, "repeats": plot.repeats}
    texts |= {"drawn": plot.drawn} if plot.drawn else {}
    return spec | {"usermeta": texts} | _without_empty_lines(_DRAWN[plot.kind](plot, points), points)


def _point_row(point: PlotPoint) -> Row:
    """A point as the specification has it."""
    figures = {name: getattr(point, name) for name in ("value", "low", "q1", "q3", "high")}
    row = figures | {"x": point.x, "place": point.place, "spread": point.spread, "series": point.series}
    row |= {
        "name": point.name,
        "trust": point.trust,
        "words": point.spoken_words,
        "shown": point.number_text,
        "bound": point.bound,
    }
    row |= {"address": point.address} if point.address else {}
    return row | ({"limit": point.limit.value, "limited_by": point.limit.words} if point.limit else {})


def _without_empty_lines(spec: Spec, points: Sequence[Row]) -> Spec:
    """Without the layer of lines where no point has one: over nothing the browser warns of an infinite extent."""
    if "layer" not in spec or any(point["spread"] in REACHING for point in points):
        return spec
    return spec | {"layer": [layer for layer in spec["layer"] if layer.get("transform") != _REACHING]}


def _ceiling_layers(points: Sequence[Row], channel: str, axis: Spec) -> list[Spec]:
    """A dashed stroke across at the ceiling of each point that has one, and its triangle."""
    if not any("limit" in point for point in points):
        return []
    only = [{"filter": "isValid(datum.limit)"}]
    place = {channel: axis | {"field": "limit"}}
    stroke = {"type": "tick", "color": "var(--mark)", "thickness": 1.5, "bandSize": BAR_PX, "strokeDash": [6, 3]}
    triangle = {"type": "point", "shape": "triangle-down", "color": "var(--mark)", "filled": False, "yOffset": -12}
    return [
        {"transform": only, "mark": stroke | {"aria": False}, "encoding": place},
        {"transform": only, "mark": triangle | {"aria": False}, "encoding": place},
    ]


def _value_axis(plot: Plot, field: str = "value") -> Spec:
    return {"field": field, "type": "quantitative", "title": plot.value_title, "scale": {"zero": True}}


def _fitting_axis(plot: Plot, points: Sequence[Row], field: str = "value") -> Spec:
    """As `_value_axis`, logarithmic where the points reach over decades."""
    linear = _value_axis(plot, field)
    values = [point[end] for point in points for end in ("low", "high")]
    if not is_wide(values, DECADES):
        return linear
    ticks = {"values": powers_of_ten(values)}
    return linear | {"title": f"{linear['title']}, logarithmic", "scale": _LOGARITHMIC, "axis": ticks}


_LOGARITHMIC: Spec = {"type": "log", "nice": False, "padding": 8}


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


def _lead_to_results(points: Sequence[Row]) -> Spec:
    """Marks lead to the results that they are of."""
    return {"href": {"field": "address"}} if any("address" in point for point in points) else {}


def _bar_chart(plot: Plot, points: Sequence[Row]) -> Spec:
    coloured = 1 < len(plot.series_names) <= COLOURS
    offset = {"yOffset": {"field": "series", "type": "nominal", "sort": None}} if coloured else {}
    return {
        "height": BAR_PX * (len(plot.place_names) * (len(plot.series_names) + 1) if coloured else len(points)),
        "encoding": _row_axis("place" if coloured else "name")
        | offset
        | {"x": _value_axis(plot) | _scale_with_room(points)},
        "layer": [
            {
                "mark": {"type": "bar", "strokeWidth": 1.5},
                "encoding": outline_and_fill(plot) | trust_fill() | SPOKEN,
            },
            *_whisker_layers(
                points,
                {"x": _value_axis(plot, "low") | _scale_with_room(points), "x2": {"field": "high"}},
                color="var(--ink)",
            ),
            *_whisker_caps(
                points, "x", {end: _value_axis(plot, end) | _scale_with_room(points) for end in ("low", "high")}
            ),
            {
                "mark": {"type": "text", "align": "left", "dx": 4, "aria": False},
                "encoding": {"x": _value_axis(plot, "high") | _scale_with_room(points), "text": {"field": "shown"}},
            },
            *_ceiling_layers(points, "x", _value_axis(plot) | _scale_with_room(points)),
        ],
    }


def _scale_with_room(points: Sequence[Row]) -> Spec:
    """A scale from zero that leaves room for the number behind the longest bar and its spread."""
    ends = [0, {"expr": f"width - {_digits_px(points)}"}]
    most = max(0, *(point["high"] for point in points), *(point.get("limit", 0) for point in points))
    return {"scale": {"zero": True, "nice": False, "domainMax": most or 1, "range": ends}}


def _digits_px(points: Sequence[Row]) -> int:
    return DIGIT_PX * max(len(point["shown"]) for point in points)


_LABELS_PX = "(isFinite(containerSize()[0]) ? max(120, 0.55 * containerSize()[0]) : 400)"
"""Names of rows have little more than half of a page; a picture has no page."""


def _row_axis(field: str) -> Spec:
    names = {"labelLimit": {"expr": f"1.2 * {_LABELS_PX}"}, "labelExpr": shortened_label(_LABELS_PX)}
    return {"y": {"field": field, "type": "nominal", "sort": None, "title": None, "axis": names}}


def _box_chart(plot: Plot, points: Sequence[Row]) -> Spec:
    spread = {"x": _fitting_axis(plot, points, "low"), "x2": {"field": "high"}}
    return {
        "height": BAR_PX * len(points),
        "encoding": _row_axis("name"),
        "layer": [
            *_whisker_layers(points, spread),
            *_whisker_caps(points, "x", {end: _fitting_axis(plot, points, end) for end in ("low", "high")}),
            {
                "mark": {"type": "bar", "strokeWidth": 1.5, "height": 10, "stroke": "var(--s1)"},
                "encoding": {"x": _fitting_axis(plot, points, "q1"), "x2": {"field": "q3"}}
                | series_colour(plot, "fill")
                | trust_fill(),
            },
            {
                "mark": {"type": "tick", "color": "var(--ink)", "thickness": 2, "size": 14},
                "encoding": {"x": _fitting_axis(plot, points)} | SPOKEN,
            },
        ],
    }


def _line_chart(plot: Plot, points: Sequence[Row]) -> Spec:
    drawn = _points_along_axis(plot, points)
    line: Spec = {
        "mark": {"type": "line", "strokeWidth": 2, "aria": False},
        "encoding": series_colour(plot, "color"),
    }
    line["transform"] = [{"filter": "!datum.bound"}]
    if len(plot.series_names) in range(2, COLOURS + 1):
        strokes = [list(map(int, dashes.split())) or [1, 0] for dashes in LINE_DASHES]
        scale = {"domain": plot.series_names, "range": strokes[: len(plot.series_names)]}
        line["encoding"]["strokeDash"] = {"field": "series", "type": "nominal", "scale": scale, "legend": None}
    line["encoding"] |= {"detail": [{"field": "series"}, {"field": "trust"}]}
    return drawn | {"layer": [line, *drawn["layer"]]}


def _point_chart(plot: Plot, points: Sequence[Row]) -> Spec:
    """Along numbers, and where there are too many for a row each; else named one below the other."""
    along = plot.is_scale or len({point["name"] for point in points}) > MOST_BARS
    return _points_along_axis(plot, points) if along else _dot_chart(plot, points)


def _dot_chart(plot: Plot, points: Sequence[Row]) -> Spec:
    room = {"range": [0, {"expr": f"width - {_digits_px(points)}"}]}

    def value_encoding(field: str) -> Spec:
        encoding = _fitting_axis(plot, points, field)
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
                "mark": DOT,
                "encoding": value_encoding("value")
                | {"fill": {"value": "var(--s1)"}, "stroke": {"value": "var(--s1)"}}
                | SHAPE
                | trust_fill()
                | SPOKEN
                | _lead_to_results(points),
            },
            {
                **({"transform": labels} if labels else {}),
                "mark": {"type": "text", "align": "left", "dx": 8, "aria": False},
                "encoding": value_encoding("high") | {"text": {"field": "shown"}},
            },
        ],
    }


def _points_along_axis(plot: Plot, points: Sequence[Row]) -> Spec:
    """Points over the x axis. Of more series than there are colours the last point of each has its name."""
    place = {"field": "x", "title": _x_title(plot), "sort": None}
    words = {"type": "nominal", "axis": {"labelAngle": -30, "labelOverlap": True}}
    x = place | (_numeric_axis(points) if plot.is_scale else words)
    named = len(plot.series_names) > COLOURS
    return {
        "height": 320,
        "encoding": {"x": x, "y": _fitting_axis(plot, points)},
        "layer": [
            *_whisker_layers(points, {"y": _fitting_axis(plot, points, "low"), "y2": {"field": "high"}}),
            *_whisker_caps(points, "y", {end: _fitting_axis(plot, points, end) for end in ("low", "high")}),
            {
                "mark": DOT,
                "encoding": outline_and_fill(plot) | SHAPE | trust_fill() | SPOKEN | _lead_to_results(points),
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


def _heat_map(plot: Plot, points: Sequence[Row]) -> Spec:
    """Cells as deep as their value is large; a custom property can't be mixed with another, but be lighter."""
    title = f"{_x_title(plot)}; cells in {plot.unit or 'no unit'}"
    how = {"type": "log"} if is_wide([point["value"] for point in points], DECADES) else {"zero": True}
    depth = {"scale": how | {"range": _DEPTHS}, "legend": None}
    cells = [point | {"shown": numbers.format_digits(point["value"], CELL_DIGITS)} for point in points]
    letter_px = f"width / {len(plot.place_names) * max(len(cell['shown']) for cell in cells)}"
    return {
        "height": CELL_PX * len(plot.series_names),
        "data": {"values": cells},
        "encoding": _row_axis("series")
        | {"x": {"field": "x", "type": "ordinal", "sort": None, "title": title, "axis": {"labelAngle": -30}}},
        "layer": [
            {
                "mark": {"type": "rect", "fill": "var(--s1)", "stroke": "var(--paper)"},
                "encoding": {"fillOpacity": {"field": "value", "type": "quantitative"} | depth} | SPOKEN,
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


_DRAWN = {
    "bars": _bar_chart,
    "box": _box_chart,
    "lines": _line_chart,
    "points": _point_chart,
    "heat": _heat_map,
    "radar": radar_chart,
}


def _x_title(plot: Plot) -> str:
    return f"{plot.x_title}, {plot.x_unit}" if plot.x_unit else plot.x_title


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
