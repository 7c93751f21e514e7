"""Where the rows of a question come from. A question takes its source as an argument; without one it asks the record.

Here only the public record is known. Another source names, for some tables of the record, a SELECT that stands in for
the table, in the whole statement with all that it joins and nests. So filters, joins and counts of a question are the
same, whoever asks, and what no source is given to reads what everybody may read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler

Stored = TypeVar("Stored", bound=Model)

_WITH, _RECURSIVE = "WITH ", "WITH RECURSIVE "

# Each step is one probe of an index that begins with the columns, however many rows there are.
_DISTINCT_BY_INDEX = """
    WITH RECURSIVE seen AS (
        (SELECT {columns} FROM {table} ORDER BY {columns} LIMIT 1)
        UNION ALL
        SELECT following.* FROM seen CROSS JOIN LATERAL (
            SELECT {columns} FROM {table} stored WHERE ({of_stored}) > ({of_seen}) ORDER BY {columns} LIMIT 1
        ) following
    )
    SELECT {columns} FROM seen
"""


class RowSource:
    """The public record."""

    is_public = True
    missing_hint = "Check the address."
    """What to do where it has no result of an id."""

    def table_rows(self, model: type[Stored]) -> QuerySet[Stored]:
        """All rows of a table of the record, to be filtered."""
        return model._default_manager.all()

    def result_page(self, public_id: str) -> str:
        """The path of the page of one of its results."""
        return f"/results/{public_id}/"

    def source_statement(self, sql: str) -> str:
        """A statement over tables of the record, as it asks this source."""
        return sql

    def fetch_rows(
        self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None
    ) -> list[tuple[Any, ...]]:
        """The rows of a statement over tables of the record."""
        return _fetch_all(self.source_statement(sql), parameters)

    def distinct_rows(self, model: type[Model], columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """Each combination of values in columns of a table, in order. An index of the table begins with them."""
        return _fetch_all(distinct_by_index(model, columns))


def _fetch_all(sql: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def distinct_by_index(model: type[Model], columns: Sequence[str]) -> str:
    """SQL of each combination of values in columns of a table, in order, where an index begins with them."""
    return _DISTINCT_BY_INDEX.format(
        table=f'public."{model._meta.db_table}"',
        columns=", ".join(columns),
        of_stored=", ".join(f"stored.{column}" for column in columns),
        of_seen=", ".join(f"seen.{column}" for column in columns),
    )


PUBLIC = RowSource()
"""What everybody may read."""


class StandInSource(RowSource):
    """A source in which SELECT statements stand in for tables, by name of the table.

    They take no parameters, and name the tables that they read with their schema.
    """

    is_public = False

    def __init__(self, selects: Mapping[str, str], record_selects: Mapping[str, str] | None = None) -> None:
        """`record_selects` has the rows of the record that stand beside, in the same columns."""
        self._selects, self._record_selects = selects, record_selects or {}
        parts = [f"{table} AS NOT MATERIALIZED ({self._joined_select(table)})" for table in selects]
        self._named = ", ".join(parts)

    def _joined_select(self, table: str) -> str:
        recorded, own = self._record_selects.get(table), self._selects[table]
        return f"{recorded} UNION ALL {own}" if recorded else own

    def distinct_rows(self, model: type[Model], columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """As of the record, whose rows are found by the index; what stands in is read once, not for each value."""
        table, names = model._meta.db_table, ", ".join(columns)
        if table not in self._selects:
            return super().distinct_rows(model, columns)
        sql = f"SELECT DISTINCT {names} FROM ({self._selects[table]}) stand_in"  # noqa: S608  # names of tables and columns
        if table in self._record_selects:
            sql = f"({distinct_by_index(model, columns)}) UNION {sql}"
        return _fetch_all(f"{sql} ORDER BY {names}")

    def table_rows(self, model: type[Stored]) -> QuerySet[Stored]:
        queryset = super().table_rows(model)
        queryset.query = queryset.query.chain(_StandInQuery)
        queryset.query.row_source = self  # type: ignore[attr-defined]  # of the class that it has now
        return queryset

    def source_statement(self, sql: str) -> str:
        sql = sql.lstrip()
        for begins in (_RECURSIVE, _WITH):
            if sql.startswith(begins):
                return f"{begins}{self._named}, {sql.removeprefix(begins)}"
        return f"{_WITH}{self._named} {sql}"


class _StandInQuery(Query):
    """A query of a source; it reads, and can be made into no other kind of statement."""

    row_source: StandInSource

    def chain(self, klass: type[Query] | None = None) -> Query:
        if klass is not None and klass is not type(self):
            raise TypeError("rows of a source are read only")
        return super().chain(klass)

    def get_compiler(self, using: str | None = None, connection: Any = None, elide_empty: bool = True) -> SQLCompiler:
        plain = super().get_compiler(using, connection, elide_empty)
        return _StandInCompiler(self, plain.connection, plain.using, elide_empty)


class _StandInCompiler(SQLCompiler):
    query: _StandInQuery

    def as_sql(self, with_limits: bool = True, with_col_aliases: bool = False) -> tuple[str, Any]:
        sql, parameters = super().as_sql(with_limits, with_col_aliases)
        return self.query.row_source.source_statement(sql), parameters
