"""Charts as Vega-Lite specifications: plain data that pages, the API and tests share.

Colours are the custom properties of static/tokens.css, so that a chart follows the theme of its page; the common
configuration is in static/js/charts.js. Logarithmic axes carry points, never bars.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from registry.presentation.charts.scales import powers_of_ten

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
TOP = 20


def top_entries(
    title: str, entries: Iterable[dict[str, Any]], quantity: str = "score, no unit"
) -> dict[str, Any] | None:
    """The first entries of a list as points on a logarithmic axis; a hollow point was carried over.

    Entries hold rank, system_name, institution, score, new. None where fewer than two have a score.
    """
    values = [
        {
            "place": f"{entry['rank']} {entry['system_name'] or entry['institution']}",
            "institution": entry["institution"],
            "score": entry["score"],
            "entry": "new" if entry["new"] else "carried over",
        }
        for entry in entries
        if entry["score"] > 0
    ][:TOP]
    if len(values) < 2:
        return None
    return _row_chart(title, values, row_px=20) | {
        "encoding": {
            "y": {"field": "place", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 180}},
            "x": {
                "field": "score",
                "type": "quantitative",
                "scale": {"type": "log", "nice": True},
                "title": f"{quantity}, logarithmic",
                "axis": {"format": ",d", "values": powers_of_ten([value["score"] for value in values], around=True)},
            },
            "tooltip": [
                {"field": "place", "title": "rank, system"},
                {"field": "institution"},
                {"field": "score", "format": ",.2f"},
                {"field": "entry"},
            ],
        },
        "layer": [
            {"mark": {"type": "rule", "color": "var(--rule)"}},
            {
                "mark": {"type": "point", "size": 60, "strokeWidth": 1.5, "opacity": 1, "color": "var(--s1)"},
                "encoding": {
                    "fill": {
                        "condition": {"test": "datum.entry === 'new'", "value": "var(--s1)"},
                        "value": "var(--paper)",
                    }
                },
            },
        ],
    }


def _row_chart(title: str, values: Sequence[dict[str, Any]], row_px: int) -> dict[str, Any]:
    """What a chart with one row for each value has whatever it draws: as wide as its place on the page."""
    return {
        "$schema": SCHEMA,
        "description": title,
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "height": row_px * len(values),
        "data": {"values": values},
    }
