"""Writes a chart as SVG with the classes of static/base.css, which follow the theme of the page.

Templates call it as a filter: {{ drawing|svg }}.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape

from django import template
from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from registry.presentation.charts import model

register = template.Library()
_CLASSES = {
    model.GRID: "g",
    model.AXIS: "x",
    model.LINE: "l",
    model.EDGE: "e",
    model.WATER: "w",
    model.FULL: "a",
    model.HOLLOW: "h",
    model.OUTLINE: "h2",
    model.CEILING: "m",
    model.CEILING_LINE: "ml",
    model.BOUND: "bd",
    model.TARGET: "tg",
    **{name: f"c{place}" for place, name in enumerate(model.SERIES, 1)},
    **{name: f"k{place}" for place, name in enumerate(model.SERIES_LINES, 1)},
}


@register.filter(name="svg")
def write_svg(chart: model.Chart) -> SafeString:
    """The chart as an element of a page, with its words for those who don't see it.

    A chart with links is a group: what lies in an image nobody can reach. It shrinks with its column and never grows.
    """
    kind = f"ch {chart.kind}".strip()
    role = "group" if any(_has_link(mark) for mark in chart.marks) else "img"
    head = _start_tag(
        "svg",
        **{"class": kind, "viewBox": f"0 0 {chart.width} {chart.height}", "role": role, "aria-label": chart.words},
        width=chart.width,
    )
    return mark_safe(f"{head}\n{''.join(map(_write_mark, chart.marks))}</svg>\n")  # noqa: S308


def write_picture(chart: model.Chart, lines: Sequence[str], theme: str) -> str:
    """The chart as a file: with the first of `lines` as its title, the others below it, and colours of its own.

    `theme` is light or dark.
    """
    colour, room = theme_colours(theme), LINE_PX * len(lines) + MARGIN_PX
    width, height = chart.width + 2 * MARGIN_PX, chart.height + room + MARGIN_PX
    attributes: dict[str, str | float | None] = {"xmlns": "http://www.w3.org/2000/svg", "class": "ch"}
    attributes |= {"width": width, "height": height, "viewBox": f"{-MARGIN_PX} {-room} {width} {height}"}
    attributes |= {"font-family": PICTURE_FONT, "font-size": 12}
    head = _start_tag("svg", **attributes)
    ground = _empty_element("rect", x=-MARGIN_PX, y=-room, width=width, height=height, fill=colour["paper"])
    texts = [
        _write_text(model.Text(0, LINE_PX * (place + 1) - room, text, strong=not place))
        for place, text in enumerate(lines)
    ]
    described = f"<desc>{escape(chart.words)}</desc>"
    marks = "".join(map(_write_mark, chart.marks))
    return f"{head}{described}<style>{_picture_style(theme)}</style>{ground}{''.join(texts)}{marks}</svg>"


LINE_PX, MARGIN_PX = 20, 12


@cache
def theme_colours(theme: str) -> Mapping[str, str]:
    """The colours of static/tokens.css by name, of the theme light or dark."""
    tokens = (settings.BASE_DIR / "static" / "tokens.css").read_text(encoding="utf-8")
    place = {"light": 1, "dark": 2}[theme]
    return {token[0]: token[place] for token in re.findall(r"--(\w+):light-dark\((#\w+),(#\w+)\)", tokens)}


@cache
def _picture_style(theme: str) -> str:
    """The part of static/base.css that is about charts, with the colours of a theme."""
    style = (settings.BASE_DIR / "static" / "base.css").read_text(encoding="utf-8")
    of_charts = style[style.index(CHART_STYLE_FROM) : style.index(CHART_STYLE_TO)].partition("\n")[2]
    named = {**theme_colours(theme), "sans": PICTURE_FONT}
    return re.sub(r"var\(--(\w+)\)", lambda match: named[match[1]], of_charts)


CHART_STYLE_FROM, CHART_STYLE_TO = "/* Marks of charts", "/* End of marks"
PICTURE_FONT = "Inter, system-ui, sans-serif"


def _has_link(mark: model.Mark | model.Link | model.Panel) -> bool:
    if isinstance(mark, model.Panel):
        return any(map(_has_link, mark.marks))
    return isinstance(mark, model.Link) and bool(mark.address)


def _write_mark(mark: model.Mark | model.Link | model.Panel) -> str:
    match mark:
        case model.Panel():
            return f'<g transform="translate(0 {mark.y})">{"".join(map(_write_mark, mark.marks))}</g>\n'
        case model.Link():
            return _write_link(mark)
        case model.Path():
            moved = f"translate({mark.at[0]} {mark.at[1]})" if mark.at else None
            dashes = mark.dashes or ("3 3" if mark.dashed else None)
            attributes = {"class": _CLASSES[mark.kind], "stroke-dasharray": dashes, "transform": moved, "d": mark.d}
            return _empty_element("path", **attributes, **_fill_attribute(mark))
        case model.Circle():  # and links: charts of many points hold thousands, so these take no table of attributes
            opacity = "" if mark.opacity is None else f' fill-opacity="{mark.opacity}"'
            return f'<circle class="{_CLASSES[mark.kind]}" cx="{mark.x}" cy="{mark.y}" r="{mark.radius}"{opacity}/>\n'
        case model.Bar():
            size = {"x": mark.x, "y": mark.y, "width": mark.width, "height": mark.height}
            return _empty_element("rect", **{"class": _CLASSES[mark.kind]} | size, **_fill_attribute(mark))
    return _write_text(mark)


def _write_link(link: model.Link) -> str:
    inside = "".join(map(_write_mark, link.marks))
    return f'<a href="{escape(link.address)}" aria-label="{escape(link.words)}">{inside}</a>\n'


def _fill_attribute(mark: model.Path | model.Bar) -> dict[str, float | None]:
    return {"fill-opacity": mark.opacity}


def _write_text(mark: model.Text) -> str:
    flags = (("v", mark.strong), ("in", mark.inside), ("halo", mark.halo), ("mk", mark.of_limit))
    classes = [name for name, is_set in flags if is_set]
    attributes = {"class": " ".join(classes) or None, "x": mark.x, "dx": mark.dx, "y": mark.y, "dy": mark.dy}
    return f"{_start_tag('text', **attributes, **{'text-anchor': mark.anchor or None})}{escape(mark.text)}</text>\n"


def _start_tag(name: str, **attributes: str | float | None) -> str:
    return f"<{name}{_write_attributes(attributes)}>"


def _empty_element(name: str, **attributes: str | float | None) -> str:
    return f"<{name}{_write_attributes(attributes)}/>\n"


def _write_attributes(attributes: dict[str, str | float | None]) -> str:
    return "".join(
        f' {name}="{escape(value) if isinstance(value, str) else value}"'
        for name, value in attributes.items()
        if value is not None
    )
