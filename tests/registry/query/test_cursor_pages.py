"""Cursors: what was given is understood, anything else is refused and never reaches the database."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.query.cursor_pages import BadCursor, Key, Order, decode_cursor, encode_cursor

KINDS = st.sampled_from([int, float, str, datetime, UUID])


def order(kind: type, name: str = "-score", tie_kind: type = int) -> Order:
    return Order(name, Key(None, kind), descending=True, tie="id", tie_descending=True, tie_kind=tie_kind)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 2**63 - 1))
def test_a_cursor_keeps_every_bit_of_a_number(key: float, tie: int) -> None:
    assert decode_cursor(encode_cursor(order(float), key, tie), order(float)) == (key, tie)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), st.integers(1, 2**63 - 1))
def test_a_cursor_keeps_a_name(key: str, tie: int) -> None:
    if len(encode_cursor(order(str), key, tie)) <= 2000:
        assert decode_cursor(encode_cursor(order(str), key, tie), order(str)) == (key, tie)


@given(st.datetimes(timezones=st.just(UTC)), st.uuids())
def test_a_cursor_keeps_a_moment_and_an_id(key: datetime, tie: UUID) -> None:
    by_moment = order(datetime, tie_kind=UUID)
    assert decode_cursor(encode_cursor(by_moment, key, tie), by_moment) == (key, tie)


@pytest.mark.parametrize(
    ("key", "tie"),
    [
        ("2026-01-02T03:04:05", str(UUID(int=7))),
        ("yesterday", str(UUID(int=7))),
        (7, str(UUID(int=7))),
        (None, str(UUID(int=7))),
        ("2026-01-02T03:04:05+00:00", "7"),
        ("2026-01-02T03:04:05+00:00", 7),
        ("2026-01-02T03:04:05+00:00", ["7"]),
        ("2026-01-02T03:04:05+00:00\0", str(UUID(int=7))),
    ],
)
def test_a_moment_or_an_id_of_the_wrong_kind_is_refused(key: object, tie: object) -> None:
    by_moment = order(datetime, tie_kind=UUID)
    with pytest.raises(BadCursor):
        decode_cursor(encode_cursor(by_moment, key, tie), by_moment)


@given(st.text(), KINDS)
def test_any_other_text_is_refused(text: str, kind: type) -> None:
    with pytest.raises(BadCursor):
        decode_cursor(text, order(kind, "a name that no text contains by chance"))


@pytest.mark.parametrize(
    ("kind", "key", "tie"),
    [
        (float, math.nan, 1),
        (float, math.inf, 1),
        (float, 1, 1),
        (float, "1", 1),
        (float, None, 1),
        (int, True, 1),
        (int, 1.0, 1),
        (int, 2**63, 1),
        (int, 1, 2**63),
        (int, 1, "1"),
        (str, "a\0b", 1),
        (str, "\ud800", 1),
        (str, ["a"], 1),
    ],
)
def test_a_key_of_the_wrong_kind_is_refused(kind: type, key: object, tie: object) -> None:
    with pytest.raises(BadCursor):
        decode_cursor(encode_cursor(order(kind), key, tie), order(kind))


def test_a_key_of_another_order_is_refused() -> None:
    with pytest.raises(BadCursor, match="another ordering"):
        decode_cursor(encode_cursor(order(float, "score"), 1.0, 1), order(float, "-score"))
