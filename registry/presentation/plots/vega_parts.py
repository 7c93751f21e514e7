"""What charts of studies share as Vega-Lite: colours of series, fills by trust, marks and how names are shortened."""

from __future__ import annotations

from typing import Any

from registry.presentation.plots.model import ASSUMED, COLOURS, FILL, NOT_REPEATED, Plot

Spec = dict[str, Any]
Row = dict[str, Any]

LETTER_PX = 6.5
_LEGEND_COLUMNS = {"expr": "containerSize()[0] < 600 ? 1 : 2"}
"""Names stand under each other on a phone; a picture has two columns."""
_LEGEND_PX = "(containerSize()[0] < 600 ? max(100, width - 20) : 400)"
"""A legend begins where the plot does, and on a phone must end there."""


def series_colour(plot: Plot, channel: str) -> Spec:
    """A colour for each series where there are few enough; else all are the first."""
    names = plot.series_names
    if not 1 < len(names) <= COLOURS:
        return {channel: {"value": "var(--s1)"}}
    scale = {"domain": names, "range": [f"var(--s{place})" for place in range(1, len(names) + 1)]}
    words = {"labelLimit": 300, "labelExpr": shortened_label(_LEGEND_PX), "columns": _LEGEND_COLUMNS}
    legend = {"orient": "top", "title": None, "symbolType": "square"} | words
    return {channel: {"field": "series", "type": "nominal", "scale": scale, "legend": legend}}


def trust_fill() -> Spec:
    """Fill by trust, as the marks of trust in tables have it."""
    tests = [{"test": "datum.bound", "value": 0}]
    tests += [{"test": f"datum.trust === '{level}'", "value": opacity} for level, opacity in FILL.items()]
    return {"fillOpacity": {"condition": tests, "value": 1}}


_SINGLE = {"field": "spread", "oneOf": [NOT_REPEATED, ASSUMED]}
SHAPE: Spec = {"shape": {"condition": {"test": _SINGLE, "value": "diamond"}, "value": "circle"}}
SPOKEN: Spec = {"description": {"field": "words"}, "tooltip": {"field": "words", "title": "value"}}


def shortened_label(space_px: str) -> str:
    """A name that is too long keeps both ends: the middle tells names apart least."""
    letters = f"floor({space_px} / {LETTER_PX} / 2)"
    return (
        f"length(datum.label) <= 2 * {letters} ? datum.label"
        f" : slice(datum.label, 0, {letters}) + '\N{HORIZONTAL ELLIPSIS}' + slice(datum.label, -{letters})"
    )


def outline_and_fill(plot: Plot) -> Spec:
    """Fill and outline in the colour of the series; the two share a legend."""
    fill = series_colour(plot, "fill")
    dashed = {"condition": {"test": "datum.bound", "value": [2, 2]}, "value": [1, 0]}
    return fill | {"stroke": fill["fill"], "strokeDash": dashed}


DOT: Spec = {"type": "point", "filled": True, "size": 60, "strokeWidth": 1.5, "opacity": 1}
