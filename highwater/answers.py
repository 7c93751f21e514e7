"""What a registry answers: rows that become a frame of pandas or polars, and charts that a notebook draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any

Row = dict[str, Any]

VEGA_LITE = "application/vnd.vegalite.v5+json"
"""How notebooks call Vega-Lite, of whatever version."""


class Table:
    """Rows under named columns, in the order of the registry. A number's unit stands in its row, or in `unit`."""

    def __init__(self, columns: list[str], rows: list[Row]) -> None:
        self.columns = columns
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> Row:
        return self.rows[place]

    def pandas(self) -> Any:
        """A pandas.DataFrame; what is not known is missing. Raises ImportError where pandas is not installed."""
        import pandas

        return pandas.DataFrame.from_records(self._records(), columns=self.columns)

    def polars(self) -> Any:
        """A polars.DataFrame; what is not known is null. Raises ImportError where polars is not installed."""
        import polars

        return polars.DataFrame(self._records(), schema=self.columns, infer_schema_length=None, orient="row")

    def _records(self) -> list[tuple[Any, ...]]:
        return [tuple(row.get(column) for column in self.columns) for row in self.rows]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        lines = ("".join(f"<td>{_cell(value)}</td>" for value in record) for record in self._records())
        return f"<table><thead><tr>{head}</tr></thead><tbody><tr>{'</tr><tr>'.join(lines)}</tr></tbody></table>"


def _cell(value: Any) -> str:
    return "" if value is None else escape(str(value))


class Study(Table):
    """The answer to a question: one row per point. All figures are in `unit`; empty: they have none.

    `document` is the whole answer of the registry, `question` the query string that asks for it again.
    """

    def __init__(self, document: Mapping[str, Any], picture: Callable[[str, str], bytes]) -> None:
        super().__init__(list(document["columns"]), list(document["rows"]))
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


class Ranking(Table):
    """Results in the order of a formula, levels of trust apart. Never an official list."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(list(document["columns"]), list(document["rows"]))
        self.document = document
        self.unit: str = document["unit"]
