"""Writes a chart as SVG with the classes of static/base.css, which follow the theme of the page.

Templates call it as a filter: {{ drawing|svg }}.
"""

from __future__ import annotations

from django import template
from django.utils.html import escape
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
}


@register.filter(name="svg")
def write_svg(chart: model.Chart) -> SafeString:
    """The chart as an element of a page, with its words for those who don't see it."""
    kind = f"ch {chart.kind}".strip()
    head = _start_tag(
        "svg",
        **{"class": kind, "viewBox": f"0 0 {chart.width} {chart.height}", "role": "img", "aria-label": chart.words},
    )
    return mark_safe(f"{head}\n{''.join(map(_write_mark, chart.marks))}</svg>\n")  # noqa: S308


def _write_mark(mark: model.Mark | model.Panel) -> str:
    match mark:
        case model.Panel():
            return f'<g transform="translate(0 {mark.y})">{"".join(map(_write_mark, mark.marks))}</g>\n'
        case model.Path():
            moved = f"translate({mark.at[0]} {mark.at[1]})" if mark.at else None
            dashes = "3 3" if mark.dashed else None
            attributes = {"class": _CLASSES[mark.kind], "stroke-dasharray": dashes, "transform": moved, "d": mark.d}
            return _empty_element("path", **attributes)
        case model.Circle():
            centre = {"cx": mark.x, "cy": mark.y, "r": mark.radius}
            return _empty_element("circle", **{"class": _CLASSES[mark.kind]} | centre)
        case model.Bar():
            size = {"x": mark.x, "y": mark.y, "width": mark.width, "height": mark.height}
            return _empty_element("rect", **{"class": _CLASSES[mark.kind]} | size)
    return _write_text(mark)


def _write_text(mark: model.Text) -> str:
    classes = [name for name, is_set in (("v", mark.strong), ("in", mark.inside), ("halo", mark.halo)) if is_set]
    attributes = {"class": " ".join(classes) or None, "x": mark.x, "dx": mark.dx, "y": mark.y, "dy": mark.dy}
    return f"{_start_tag('text', **attributes, **{'text-anchor': mark.anchor or None})}{escape(mark.text)}</text>\n"


def _start_tag(name: str, **attributes: str | float | None) -> str:
    return f"<{name}{_write_attributes(attributes)}>"


def _empty_element(name: str, **attributes: str | float | None) -> str:
    return f"<{name}{_write_attributes(attributes)}/>\n"


def _write_attributes(attributes: dict[str, str | float | None]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in attributes.items() if value is not None)
