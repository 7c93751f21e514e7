"""What a registry answers: rows that become a frame of pandas or polars, and charts that a notebook draws."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Union

from highwater import rows as shapes
from highwater.rows import DATES

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Row = dict[str, Any]
RowType = TypeVar("RowType", bound=Mapping[str, Any])

VEGA_LITE = "application/vnd.vegalite.v5+json"
"""How notebooks call Vega-Lite, of whatever version."""
FIGURES = ("value", "low", "q1", "q3", "high", "interval_low", "interval_high", "rounding_low", "rounding_high")
"""Columns of a study whose numbers are in its unit."""
RESULT_UNITS = {"bandwidth_gib_per_s": "GiB/s", "rate_kiops": "kIOPS"}
"""Units that stand in the names of columns."""

Day = Union[dt.date, dt.datetime]


class Table(Generic[RowType]):
    """Rows under named columns, in the order of the registry. A number's unit stands in its row, or in `units`.

    `rows` are as the registry answers: dates are texts there, and dates in a frame. `unknown_values` are values of
    filters that no result has, each with the nearest that one has.
    """

    def __init__(
        self,
        columns: Sequence[str],
        rows: Sequence[RowType],
        units: Mapping[str, str] | None = None,
        unknown_values: Sequence[shapes.UnknownValue] = (),
    ) -> None:
        self.columns = list(columns)
        self.rows = list(rows)
        known_units = RESULT_UNITS if units is None else units
        self.units = {name: unit for name, unit in known_units.items() if name in self.columns}
        self.unknown_values = list(unknown_values)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[RowType]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> RowType:
        return self.rows[place]

    def pandas(self) -> pd.DataFrame:
        """A pandas.DataFrame; what is not known is missing, dates are datetime64.

        `attrs["units"]` has the unit of each column whose numbers have one. Raises ImportError without pandas.
        """
        import pandas

        frame = pandas.DataFrame.from_records(self._records(), columns=self.columns)
        for name in self._date_columns():
            frame[name] = pandas.to_datetime(frame[name], utc=DATES[name] == "date-time", errors="coerce")
        frame.attrs |= self._attributes()
        return frame

    def polars(self) -> pl.DataFrame:
        """A polars.DataFrame; what is not known is null, dates are Date and Datetime. `units` of the table has units.

        Raises ImportError without polars.
        """
        import polars

        frame = polars.DataFrame(self._records(), schema=self.columns, infer_schema_length=None, orient="row")
        kinds = {"date": polars.Date, "date-time": polars.Datetime("us", "UTC")}
        dates = [
            polars.Series(name, [read_date(row.get(name)) for row in self.rows], dtype=kinds[DATES[name]])
            for name in self._date_columns()
        ]
        return frame.with_columns(dates)

    def _attributes(self) -> dict[str, Any]:
        return {"units": dict(self.units)}

    def _date_columns(self) -> list[str]:
        """Columns of dates: by their name, and where every value is a date or missing."""
        return [
            name
            for name in self.columns
            if name in DATES and all(row.get(name) is None or read_date(row.get(name)) for row in self.rows)
        ]

    def _records(self) -> list[tuple[Any, ...]]:
        return [tuple(row.get(column) for column in self.columns) for row in self.rows]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        lines = ("".join(f"<td>{_cell(value)}</td>" for value in record) for record in self._records())
        return f"<table><thead><tr>{head}</tr></thead><tbody><tr>{'</tr><tr>'.join(lines)}</tr></tbody></table>"


def read_date(text: Any) -> Day | None:
    """The day, or the moment in UTC, that a text of the registry is; None for anything else."""
    if not isinstance(text, str):
        return None
    try:
        if "T" not in text:
            return dt.date.fromisoformat(text)
        moment = dt.datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)
    except ValueError:
        return None
    return moment.astimezone(dt.timezone(dt.timedelta(0))) if moment.tzinfo else None


def _cell(value: Any) -> str:
    return "" if value is None else escape(str(value))


class Phases(Table[Row]):
    """All numbers of many results: a row for each result, a column for each number, in the unit that `units` has.

    `NAME qualifier` stands beside a column where a source gives some number as about, below or above. `varies` has, by
    column, the conditions in which its results differ: such numbers do not compare without a look at them.
    """

    def __init__(
        self, columns: Sequence[str], rows: Sequence[Row], units: Mapping[str, str], varies: Mapping[str, Row]
    ) -> None:
        super().__init__(columns, rows, {**RESULT_UNITS, **units})
        self.varies = dict(varies)

    def _attributes(self) -> dict[str, Any]:
        return {**super()._attributes(), "varies": dict(self.varies)}


class Study(Table[Row]):
    """The answer to a question: one row per point. All figures are in `unit`; empty: they have none.

    `document` is the whole answer of the registry, `question` the query string that asks for it again.
    """

    def __init__(self, document: Mapping[str, Any], picture: Callable[[str, str], bytes]) -> None:
        units = {name: document["unit"] for name in FIGURES if document["unit"]}
        units |= {axis["name"]: axis["unit"] for axis in document.get("axes", ()) if axis["unit"]}
        super().__init__(document["columns"], document["rows"], units, document.get("unknown_values", ()))
        self.document = document
        self.title: str = document["title"]
        self.unit: str = document["unit"]
        self.question: str = document["question"]
        self._picture = picture

    def chart(self) -> Chart:
        """The chart, which a notebook draws. Raises ValueError where nothing can be drawn."""
        if self.document["chart"] is None:
            raise ValueError("no value has a place on the x axis, or the values have different units")
        return Chart(self.document["chart"])

    def svg(self, theme: str = "light") -> bytes:
        """The chart as the registry draws it; `theme` is light or dark. Raises Refused."""
        return self._picture("svg", theme)

    def png(self, theme: str = "light") -> bytes:
        """As `svg`, in pixels. Raises Refused."""
        return self._picture("png", theme)


class Chart:
    """A Vega-Lite specification, `spec`, that JupyterLab, VS Code and Colab draw by themselves."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.spec = dict(spec)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {VEGA_LITE: self.spec, "text/plain": self.spec["description"]}


class Ranking(Table[Row]):
    """Results in the order of a formula, levels of trust apart. Never an official list."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        units = {"value": document["unit"]} if document["unit"] else {}
        units |= {f"in.{part['name']}": part["unit"] for part in document["inputs"] if part["unit"]}
        super().__init__(document["columns"], document["rows"], units, document.get("unknown_values", ()))
        self.document = document
        self.unit: str = document["unit"]
