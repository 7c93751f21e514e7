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


class RowSource:
    """The public record."""

    is_public = True

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
        with connection.cursor() as cursor:
            cursor.execute(self.source_statement(sql), parameters)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows


PUBLIC = RowSource()
"""What everybody may read."""


class StandInSource(RowSource):
    """A source in which SELECT statements stand in for tables, by name of the table.

    They take no parameters, and name the tables that they read with their schema.
    """

    is_public = False

    def __init__(self, selects: Mapping[str, str]) -> None:
        parts = [f"{table} AS NOT MATERIALIZED ({select})" for table, select in selects.items()]
        self._named = ", ".join(parts)

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
