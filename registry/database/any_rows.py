"""Questions whether there is any row, asked together in one statement that is made once for each process.

Making a statement costs more than asking it: a sweep asks ten of them every two seconds, nearly always in vain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import QuerySet, Value

MakeRows = Callable[[datetime], QuerySet[Any]]
"""Rows that wait for something at a moment. Times in its conditions are that moment, or a fixed span from it."""
_MOMENTS = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2001, 2, 3, tzinfo=UTC))
"""Two moments at which rows are made: what differs between both statements is time."""


class _Statement(NamedTuple):
    sql: str
    parameters: Sequence[Any]
    spans: Sequence[timedelta | None]
    """Of each parameter that is a time how far from the moment; None for another."""


class AnyRows:
    """Of several kinds of rows whether there is one of each, in one query."""

    def __init__(self, *makers: MakeRows) -> None:
        self._makers = makers
        self._statement: _Statement | None = None

    def ask_all(self, now: datetime) -> list[bool]:
        """In the order of the kinds."""
        if self._statement is None:
            self._statement = _make_statement(self._makers)
        sql, parameters, spans = self._statement
        bound = [value if span is None else now + span for value, span in zip(parameters, spans, strict=True)]
        with connection.cursor() as cursor:
            cursor.execute(sql, bound)
            return list(cursor.fetchone())


def _make_statement(makers: Sequence[MakeRows]) -> _Statement:
    """Raises ValueError for rows whose statement depends on the moment in another way than by times."""
    first, second = (_make_at(makers, moment) for moment in _MOMENTS)
    spans = [_span_of(*values) for values in zip(first[1], second[1], strict=True)]
    if first[0] != second[0]:
        raise ValueError("the statement itself depends on the moment")
    return _Statement(first[0], first[1], spans)


def _make_at(makers: Sequence[MakeRows], moment: datetime) -> tuple[str, list[Any]]:
    parts = [make(moment).order_by().values_list(Value(1))[:1].query.sql_with_params() for make in makers]
    sql = f"SELECT {', '.join(f'EXISTS({part})' for part, _ in parts)}"  # of the ORM, with its values as parameters
    return sql, [value for _, values in parts for value in values]


def _span_of(first: Any, second: Any) -> timedelta | None:
    if first == second:
        return None
    if not isinstance(first, datetime) or second - first != _MOMENTS[1] - _MOMENTS[0]:
        raise ValueError(f"{first!r} depends on the moment, and is no time at a fixed span from it")
    return first - _MOMENTS[0]
