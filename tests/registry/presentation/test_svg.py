"""A chart is written as SVG that a browser reads, whatever texts stand in it, with the classes of the stylesheet."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from django.template import engines

from registry.presentation.charts import model, svg

ROOT = Path(__file__).parents[3]


def written(*marks: model.Mark | model.Panel, words: str = "") -> ET.Element:
    return ET.fromstring(svg.write_svg(model.Chart(300, 200, words, marks, "wide")))


def test_the_svg_has_size_and_description() -> None:
    assert written(words='1 < 2 & "3"').attrib == {
        "class": "ch wide",
        "viewBox": "0 0 300 200",
        "width": "300",
        "role": "img",
        "aria-label": '1 < 2 & "3"',
    }


def test_each_mark_has_its_element() -> None:
    drawing = written(
        model.Path(model.CEILING, "M0 0h9z", (12.5, 7)),
        model.Path(model.AXIS, "M0 1H9", dashed=True),
        model.Circle(model.OUTLINE, 1, 2.5, 5),
        model.Bar(model.FULL, 0, 1, 20.5, 3),
    )
    assert [(mark.tag, mark.attrib) for mark in drawing] == [
        ("path", {"class": "m", "transform": "translate(12.5 7)", "d": "M0 0h9z"}),
        ("path", {"class": "x", "stroke-dasharray": "3 3", "d": "M0 1H9"}),
        ("circle", {"class": "h2", "cx": "1", "cy": "2.5", "r": "5"}),
        ("rect", {"class": "a", "x": "0", "y": "1", "width": "20.5", "height": "3"}),
    ]


def test_a_text_element_has_only_set_attributes() -> None:
    plain, full = written(
        model.Text(1, 2, "a"), model.Text(0, 0, "b", "end", dx=6, dy=-4, strong=True, halo=True, inside=True)
    )
    assert plain.attrib == {"x": "1", "y": "2"}
    assert full.attrib == {"class": "v in halo", "x": "0", "dx": "6", "y": "0", "dy": "-4", "text-anchor": "end"}


def test_hostile_texts_are_escaped() -> None:
    (text,) = written(model.Text(0, 0, "</text><script>alert('&')</script>"))
    assert (text.text, list(text)) == ("</text><script>alert('&')</script>", [])


def test_a_panel_moves_its_marks_together() -> None:
    (panel,) = written(model.Panel(230, [model.Text(0, 10, "SC19"), model.Path(model.LINE, "M0 0H1")]))
    assert (panel.tag, panel.get("transform")) == ("g", "translate(0 230)")
    assert [mark.tag for mark in panel] == ["text", "path"]


def test_templates_write_a_chart_by_a_filter() -> None:
    template = engines["django"].from_string("{{ chart|svg }}")
    assert template.render({"chart": model.Chart(1, 2, "w")}).startswith('<svg class="ch" viewBox="0 0 1 2"')


def test_every_kind_of_mark_has_a_class_of_the_stylesheet() -> None:
    style = (ROOT / "static" / "base.css").read_text(encoding="utf-8")
    unknown = [name for name in svg._CLASSES.values() if not re.search(rf"\.{name}[,{{ ]", style)]
    assert unknown == []
