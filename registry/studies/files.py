"""A study as a file: Parquet for notebooks, SVG and PNG for papers, made without a browser."""

from __future__ import annotations

import io
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from registry.errors import Problem
from registry.presentation.charts.svg import write_picture
from registry.presentation.plots.drawing import FILE, draw_width
from registry.presentation.plots.model import Plot
from registry.studies.table import FIGURES, INTERVAL, ROUNDING, Row

LINE_LETTERS = 120
NUMBERS = (*FIGURES, *INTERVAL[:2], *ROUNDING, "divisor", "printed_value")
COUNTS = ("count", "missing", "interval_runs", "n")
THEMES = ("light", "dark")


class NothingToDraw(Problem):
    code = "study.nothing-to-draw"
    title = "There is nothing to draw"
    hint = "No value has a place on the x axis, or the values have different units. The table has what there is."


def write_parquet(columns: Sequence[str], rows: Sequence[Row], about: dict[str, str]) -> bytes:
    """Columns typed by what they hold; `about` becomes the metadata of the file."""
    import pyarrow  # 30 MB of shared libraries, which only this answer needs
    import pyarrow.parquet

    fields = [(name, _column_type(pyarrow, name, [row[name] for row in rows])) for name in columns]
    schema = pyarrow.schema(fields, metadata=about)
    written = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([_typed_row(row, schema) for row in rows], schema), written)
    return written.getvalue()


def _column_type(pyarrow: Any, name: str, values: list[Any]) -> Any:
    present_values = [value for value in values if value is not None]
    if name in COUNTS:
        return pyarrow.int64()
    if name in NUMBERS or (present_values and all(isinstance(value, int | float) for value in present_values)):
        return pyarrow.float64()
    return pyarrow.string()


def _typed_row(row: Row, schema: Any) -> Row:
    return {
        field.name: str(row[field.name]) if field.type == "string" and row[field.name] is not None else row[field.name]
        for field in schema
    }


def render_svg(plot: Plot | None, theme: str = "light") -> bytes:
    """The chart as a file. Raises NothingToDraw where there is none."""
    if plot is None:
        raise NothingToDraw
    lines = [plot.title, *wrap(f"{plot.unit_text}{'; ' if plot.repeats else ''}{plot.repeats}", LINE_LETTERS)]
    if plot.all_limits:
        lines.append("dashed red line: ceiling computed from the parts; red above it")
    return write_picture(draw_width(plot, FILE), lines, theme).encode()


def render_png(plot: Plot | None, theme: str = "light") -> bytes:
    """Twice as many pixels as the SVG has units. Raises NothingToDraw."""
    import vl_convert  # 80 MB with its engine, which only pictures need

    return bytes(vl_convert.svg_to_png(render_svg(plot, theme).decode(), scale=2))
