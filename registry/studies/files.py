"""A study as a file: Parquet for notebooks, SVG and PNG for papers, made without a browser."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from registry.errors import Problem
from registry.studies.study_chart import Spec, with_colours
from registry.studies.table import FIGURES, INTERVAL, Row

VEGA_LITE = "6.4"
WIDTH_PX = 800
NUMBERS = (*FIGURES, *INTERVAL[:2], "divisor", "printed_value")
COUNTS = ("count", "missing", "interval_runs")
THEMES = ("light", "dark")


class NothingToDraw(Problem):
    code = "study.nothing-to-draw"
    title = "There is nothing to draw"
    hint = "No value has a place on the x axis, or the values have different units. The table has what there is."


def parquet(columns: Sequence[str], rows: Sequence[Row], about: dict[str, str]) -> bytes:
    """Columns typed by what they hold; `about` becomes the metadata of the file."""
    import pyarrow  # 30 MB of shared libraries, which only this answer needs
    import pyarrow.parquet

    fields = [(name, _type(pyarrow, name, [row[name] for row in rows])) for name in columns]
    schema = pyarrow.schema(fields, metadata=about)
    written = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([_typed(row, schema) for row in rows], schema), written)
    return written.getvalue()


def _type(pyarrow: Any, name: str, values: list[Any]) -> Any:
    known = [value for value in values if value is not None]
    if name in COUNTS:
        return pyarrow.int64()
    if name in NUMBERS or (known and all(isinstance(value, int | float) for value in known)):
        return pyarrow.float64()
    return pyarrow.string()


def _typed(row: Row, schema: Any) -> Row:
    return {
        field.name: str(row[field.name]) if field.type == "string" and row[field.name] is not None else row[field.name]
        for field in schema
    }


def svg(spec: Spec | None, theme: str = "light") -> bytes:
    """Raises NothingToDraw."""
    import vl_convert  # 80 MB with its engine, which only pictures need

    return vl_convert.vegalite_to_svg(_picture(spec, theme), vl_version=VEGA_LITE).encode()


def png(spec: Spec | None, theme: str = "light") -> bytes:
    """Twice as many pixels as the SVG has units. Raises NothingToDraw."""
    import vl_convert

    return vl_convert.vegalite_to_png(_picture(spec, theme), vl_version=VEGA_LITE, scale=2)


def _picture(spec: Spec | None, theme: str) -> Spec:
    if spec is None:
        raise NothingToDraw
    drawn = with_colours(spec, theme, WIDTH_PX)
    said = drawn["usermeta"]
    return drawn | {
        "title": {"text": said["title"], "subtitle": [line for line in (said["subtitle"], said["repeats"]) if line]}
    }
