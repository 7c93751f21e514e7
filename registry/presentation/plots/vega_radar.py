"""The radar of a study as a Vega-Lite specification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Any

from registry.presentation import numbers
from registry.presentation.plots import disc
from registry.presentation.plots.model import Plot
from registry.presentation.plots.vega_parts import (
    DOT,
    SHAPE,
    SPOKEN,
    Row,
    Spec,
    outline_and_fill,
    series_colour,
    trust_fill,
)

# A narrow page squeezes the disc, to keep room for names.
_LABEL_AT = 1.1
_LABEL_LETTERS = 13
_RADIUS_PX = 125
_LABEL_PX = 85
_HALF_WIDTH = f"max(20, min({_RADIUS_PX}, width / 2 / {_LABEL_AT} - {_LABEL_PX}))"


def radar_chart(plot: Plot, points: Sequence[Row]) -> Spec:
    """Rings, spokes, a line for each series with its points, and names at the rim."""
    places, most, angles = plot.place_names, disc.largest_values(plot), disc.spoke_angles(plot)
    drawn = [
        point | disc.point_on_disc(angles[point["place"]], disc.share_of_rim(point["value"], most[point["place"]]))
        for point in points
    ]
    rim = [
        {"place": place, "most": f"{numbers.format_digits(most[place])} {plot.unit}".strip()}
        | disc.point_on_disc(angles[place], 1)
        for place in places
    ]
    rings = [{"ring": ring, "turn": turn} | disc.point_on_disc(angles[place], ring)
             for ring in disc.RINGS for turn, place in enumerate([*places, places[0]])]  # fmt: skip
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
            {"mark": line | {"strokeWidth": 2}, "encoding": series_colour(plot, "color") | by_series},
            {
                "mark": DOT | {"size": 50},
                "encoding": outline_and_fill(plot) | SHAPE | trust_fill() | SPOKEN,
            },
            *(_spoke_names([name for name in rim if is_on_side(name)], **how) for is_on_side, how in _SIDES),
        ],
    }


_SIDES: tuple[tuple[Callable[[Spec], bool], Spec], ...] = (
    (lambda name: name["x"] > disc.SIDE, {"align": "left", "baseline": "middle", "limit": _LABEL_PX}),
    (lambda name: name["x"] < -disc.SIDE, {"align": "right", "baseline": "middle", "limit": _LABEL_PX}),
    (lambda name: abs(name["x"]) <= disc.SIDE and name["y"] > 0, {"align": "center", "baseline": "bottom"}),
    (lambda name: abs(name["x"]) <= disc.SIDE and name["y"] < 0, {"align": "center", "baseline": "top"}),
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


def _disc_axis(field: str) -> Spec:
    """A hidden axis of the disc, from rim to rim."""
    size, radius = ("width", _HALF_WIDTH) if field == "x" else ("height", f"-{_RADIUS_PX}")
    ends = [{"expr": f"{size} / 2 - {radius}"}, {"expr": f"{size} / 2 + {radius}"}]
    return {"field": field, "type": "quantitative", "axis": None, "scale": {"domain": [-1, 1], "range": ends}}
