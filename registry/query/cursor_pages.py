"""Pages by key and not by number: a page costs what it shows, and rows that arrive meanwhile shift nothing.

A cursor is the key of the last row shown. Keys are never null: a missing figure counts as below all others.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F, IntegerField, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Lower

from registry.errors import Problem
from registry.query.public_record import Columns, Row

CURSOR_LIMIT = 2000  # characters
LARGEST_ID = 2**63 - 1


class BadCursor(Problem):
    code = "query.bad-cursor"
    title = "The cursor is not one of this address"
    hint = "Follow `next` as it was given, or leave `cursor` out to begin."


@dataclass(frozen=True, slots=True)
class Key:
    """What rows are ordered by. `kind` is the type of its values: int, float or str."""

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
    """A key and a direction, with a unique column that settles ties; `name` is that of the query string."""

    name: str
    key: Key
    descending: bool
    tie: str
    tie_descending: bool


def chosen_order(keys: Mapping[str, Key], name: str, tie: str, *, tie_follows: bool) -> Order | None:
    """The order that `name` or `-name` asks for, None if there is none such.

    `tie_follows`: ties turn round with the direction; else they stay ascending.
    """
    descending = name.startswith("-")
    key = keys.get(name.removeprefix("-"))
    return key and Order(name, key, descending, tie, descending and tie_follows)


@dataclass(frozen=True, slots=True)
class Page:
    rows: list[Row]
    cursor: str | None
    """Of the page after this one; None on the last."""


def take_page(queryset: QuerySet, columns: Columns, order: Order, cursor: str, size: int) -> Page:
    """Up to `size` rows after the cursor ("" begins), in one query. Raises BadCursor."""
    ordered = queryset.annotate(page_key=order.key.expression)
    if cursor:
        ordered = ordered.filter(_rows_after(order, *decode_cursor(cursor, order)))
    ordered = ordered.order_by(_order_by("page_key", order.descending), _order_by(order.tie, order.tie_descending))
    rows = [list(row) for row in ordered.values_list(*columns.values(), "page_key", order.tie)[: size + 1]]
    following = encode_cursor(order, *rows[size - 1][-2:]) if len(rows) > size else None
    return Page([dict(zip(columns, row, strict=False)) for row in rows[:size]], following)


def _order_by(column: str, descending: bool) -> str:
    return f"-{column}" if descending else column


def _rows_after(order: Order, key: Any, tie: int) -> Q:
    """Rows beyond (key, tie); the first condition alone bounds the range that an index reads."""
    side, tie_side = ("lt" if order.descending else "gt"), ("lt" if order.tie_descending else "gt")
    beyond = Q(**{f"page_key__{side}": key}) | Q(**{f"{order.tie}__{tie_side}": tie})
    return Q(**{f"page_key__{side}e": key}) & beyond


def encode_cursor(order: Order, key: Any, tie: int) -> str:
    content = json.dumps([order.name, key, tie], separators=(",", ":"))
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


def decode_cursor(cursor: str, order: Order) -> tuple[Any, int]:
    """Key and tie of a cursor that `encode` made for the same order. Raises BadCursor for anything else."""
    try:
        if len(cursor) > CURSOR_LIMIT:
            raise BadCursor
        padded = cursor + "=" * (-len(cursor) % 4)
        name, key, tie = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, TypeError, RecursionError, binascii.Error) as error:
        raise BadCursor from error
    if name != order.name:
        raise BadCursor("The cursor belongs to another ordering.")
    if not _is_key(key, order.key.kind) or not _is_key(tie, int):
        raise BadCursor
    return key, tie


def _is_key(value: Any, kind: type) -> bool:
    if type(value) is not kind:
        return False
    if kind is int:
        return abs(value) <= LARGEST_ID
    return math.isfinite(value) if kind is float else _is_storable(value)


def _is_storable(value: str) -> bool:
    """PostgreSQL takes no NUL and no half of a surrogate pair."""
    return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
