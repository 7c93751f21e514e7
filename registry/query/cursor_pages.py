"""Pages by key and not by number: a page costs what it shows, and rows that arrive meanwhile shift nothing.

A cursor is the key of the last row shown. Keys are never null: a missing figure counts as below all others.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db.models import F, IntegerField, Model, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Lower

from registry.errors import Problem
from registry.query.public_record import Columns, Row

CURSOR_LIMIT = 2000  # characters
LARGEST_ID = 2**63 - 1
_Row = TypeVar("_Row")
_Object = TypeVar("_Object", bound=Model)


class BadCursor(Problem):
    code = "query.bad-cursor"
    title = "The cursor is not one of this address"
    hint = "Leave `cursor` out to begin again, then follow `next` as it is. One of an earlier version may be refused."


@dataclass(frozen=True, slots=True)
class Key:
    """What rows are ordered by. `kind` is the type of its values: int, float, str, datetime or UUID."""

    expression: Any
    kind: type


def nullable_key(column: str) -> Key:
    """A number that may be missing; a missing one comes last in descending and first in ascending order."""
    return Key(Coalesce(F(column), Value(-1.0)), float)


def integer_key(column: str) -> Key:
    """A whole number that may be missing. As an integer of either sign: a positive field takes -1 for any."""
    return Key(Coalesce(F(column), Value(-1), output_field=IntegerField()), int)


def plain_key(column: str) -> Key:
    """A whole number that is never missing."""
    return Key(F(column), int)


def moment_key(column: str) -> Key:
    """A moment that is never missing."""
    return Key(F(column), datetime)


def text_key(expression: Any) -> Key:
    """A text that is never null, without regard to case."""
    return Key(Lower(expression), str)


RESULTS: Mapping[str, Key] = {
    "id": plain_key("id"),
    "score": nullable_key("score"),
    "bandwidth_gib_per_s": nullable_key("bandwidth_gib_per_s"),
    "rate_kiops": nullable_key("rate_kiops"),
    "client_nodes": integer_key("client_nodes"),
}
"""By what results are ordered; each has its index (registry/models/results.py)."""


@dataclass(frozen=True, slots=True)
class Order:
    """A key and a direction, with a unique column that settles ties; `name` is that of the query string.

    `tie_kind` is the type of that column, as of a key.
    """

    name: str
    key: Key
    descending: bool
    tie: str
    tie_descending: bool
    tie_kind: type = int


NEWEST_IDS = Order("-id", plain_key("id"), descending=True, tie="id", tie_descending=True)
"""Newest first, of rows that are numbered as they come."""


def chosen_order(keys: Mapping[str, Key], name: str, tie: str, *, tie_follows: bool) -> Order | None:
    """The order that `name` or `-name` asks for, None if there is none such.

    `tie_follows`: ties turn round with the direction; else they stay ascending.
    """
    descending = name.startswith("-")
    key = keys.get(name.removeprefix("-"))
    return None if key is None else Order(name, key, descending, tie, descending and tie_follows)


@dataclass(frozen=True, slots=True)
class Page(Generic[_Row]):
    rows: list[_Row]
    cursor: str | None
    """Of the page after this one; None on the last."""
    before: str | None = None
    """Of the page before this one; None on the first. Rows of a table alone have it."""


def take_page(queryset: QuerySet[Any], columns: Columns, order: Order, cursor: str, size: int) -> Page[Row]:
    """Up to `size` rows after the cursor ("" begins), in one query. Raises BadCursor."""
    ordered = _rows_from(queryset, order, cursor)
    rows = [list(row) for row in ordered.values_list(*columns.values(), "page_key", order.tie)[: size + 1]]
    following = encode_cursor(order, *rows[size - 1][-2:]) if len(rows) > size else None
    before = encode_cursor(order, *rows[0][-2:]) if cursor and rows else None
    return Page([dict(zip(columns, row, strict=False)) for row in rows[:size]], following, before)


def take_page_before(queryset: QuerySet[Any], columns: Columns, order: Order, cursor: str, size: int) -> Page[Row]:
    """The `size` rows that end before the cursor, in one query; where fewer do, the first page. Raises BadCursor."""
    backward = replace(order, descending=not order.descending, tie_descending=not order.tie_descending)
    page = take_page(queryset, columns, backward, cursor, size)
    if page.cursor is None:
        return take_page(queryset, columns, order, "", size)
    return Page(page.rows[::-1], page.before, page.cursor)


def take_asked_page(
    queryset: QuerySet[Any], columns: Columns, order: Order, query: Mapping[str, str], size: int
) -> Page[Row]:
    """The page before the cursor `before` of a query string, else after its `cursor`, else the first.

    Raises BadCursor.
    """
    if before := query.get("before", ""):
        return take_page_before(queryset, columns, order, before, size)
    return take_page(queryset, columns, order, query.get("cursor", ""), size)


def take_objects(queryset: QuerySet[_Object], order: Order, cursor: str, size: int) -> Page[_Object]:
    """Up to `size` model objects after the cursor ("" begins), in one query. Raises BadCursor."""
    rows: list[Any] = list(_rows_from(queryset, order, cursor)[: size + 1])
    if len(rows) <= size:
        return Page(rows, None)
    last = rows[size - 1]
    return Page(rows[:size], encode_cursor(order, last.page_key, getattr(last, order.tie)))


def _rows_from(queryset: QuerySet[Any], order: Order, cursor: str) -> QuerySet[Any]:
    """The rows after the cursor in their order, each with its `page_key`."""
    ordered: QuerySet[Any] = queryset.annotate(page_key=order.key.expression)
    if cursor:
        ordered = ordered.filter(_rows_after(order, *decode_cursor(cursor, order)))
    return ordered.order_by(_order_by("page_key", order.descending), _order_by(order.tie, order.tie_descending))


def _order_by(column: str, descending: bool) -> str:
    return f"-{column}" if descending else column


def _rows_after(order: Order, key: Any, tie: Any) -> Q:
    """Rows beyond (key, tie); the first condition alone bounds the range that an index reads."""
    side, tie_side = ("lt" if order.descending else "gt"), ("lt" if order.tie_descending else "gt")
    beyond = Q(**{f"page_key__{side}": key}) | Q(**{f"{order.tie}__{tie_side}": tie})
    return Q(**{f"page_key__{side}e": key}) & beyond


def encode_cursor(order: Order, key: Any, tie: Any) -> str:
    content = json.dumps([order.name, _as_json(key), _as_json(tie)], separators=(",", ":"))
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


def _as_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value


def decode_cursor(cursor: str, order: Order) -> tuple[Any, Any]:
    """Key and tie of a cursor that `encode_cursor` made for the same order. Raises BadCursor for anything else."""
    try:
        if len(cursor) > CURSOR_LIMIT:
            raise BadCursor
        padded = cursor + "=" * (-len(cursor) % 4)
        name, key, tie = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        values = _parse_key(key, order.key.kind), _parse_key(tie, order.tie_kind)
    except (ValueError, TypeError, RecursionError, binascii.Error) as error:
        raise BadCursor from error
    if name != order.name:
        raise BadCursor("The cursor belongs to another ordering.")
    return values


def _parse_key(value: Any, kind: type) -> Any:
    """The value of a key that a cursor holds as JSON. Raises ValueError or TypeError for what is none of its kind."""
    if kind is UUID:
        return UUID(_parse_key(value, str))
    if kind is datetime:
        moment = datetime.fromisoformat(_parse_key(value, str))
        if moment.tzinfo is None:
            raise ValueError("a moment without its zone")
        return moment
    if type(value) is not kind:
        raise TypeError(f"not of {kind}")
    if not _is_storable(value):
        raise ValueError("a value that the database does not take")
    return value


def _is_storable(value: object) -> bool:
    """Whether it fits into a column: PostgreSQL takes no NUL and no half of a surrogate pair."""
    match value:
        case int():
            return abs(value) <= LARGEST_ID
        case float():
            return math.isfinite(value)
        case str():
            return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
    return False
