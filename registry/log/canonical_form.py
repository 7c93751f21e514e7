"""One text for one document: JSON as RFC 8785 writes it, so that equal documents have equal digests.

Keys stand in the order of their UTF-16 code units, numbers as ECMAScript prints them, nothing stands between tokens.
Integers beyond 2^53 are no exact numbers for many readers of JSON: they become texts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any

LARGEST_INTEGER = 2**53
_FIXED_DIGITS = 21
"""ECMAScript writes a number with an exponent from 10^21 on (Number::toString)."""


def canonical_text(document: Any) -> str:
    """A document of dictionaries, lists, texts, numbers, truth values, None, dates and times as canonical JSON.

    Times become texts in UTC as the API writes them. Raises ValueError for a number that is not finite or half of a
    surrogate pair, TypeError for any other value. Source: RFC 8785.
    """
    text = "".join(_text_pieces(document))
    text.encode()  # half of a surrogate pair is no text
    return text


def time_text(moment: datetime) -> str:
    """A moment as the API writes it: ISO 8601 in UTC, with Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def read_moment(text: Any) -> datetime | None:
    """The moment that a text in ISO 8601 says, with its offset from UTC; None for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo else None


def read_record(text: str) -> dict[str, Any] | None:
    """The record that a canonical text says; None for a text that says none, as somebody may write to the tables."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not all(isinstance(record.get(name), str) for name in ("type", "act")):
        return None
    return record if read_moment(record.get("recorded_at")) else None


def number_text(number: float) -> str:
    """A finite number as ECMAScript prints it: the fewest digits that tell it from its neighbours.

    Raises ValueError for infinities and NaN.
    """
    if not math.isfinite(number):
        raise ValueError("a canonical document has finite numbers only")
    if number == 0:
        return "0"
    text = repr(number)
    if "e" not in text:
        return text.removesuffix(".0")
    sign, digits, exponent = Decimal(text).as_tuple()
    assert isinstance(exponent, int)
    significant = "".join(map(str, digits)).rstrip("0")
    point = len(digits) + exponent
    return "-" * sign + _place_point(significant, point)


def _place_point(digits: str, point: int) -> str:
    """`digits` with the decimal point after the first `point` of them."""
    if len(digits) <= point <= _FIXED_DIGITS:
        return digits + "0" * (point - len(digits))
    if 0 < point <= _FIXED_DIGITS:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    exponent = point - 1
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{'+' if exponent > 0 else '-'}{abs(exponent)}"


def _text_pieces(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield encode_basestring(str(value))
    elif value is None or isinstance(value, bool):
        yield {None: "null", True: "true", False: "false"}[value]
    elif isinstance(value, int):
        yield str(value) if abs(value) <= LARGEST_INTEGER else f'"{value}"'
    elif isinstance(value, float):
        yield number_text(value)
    elif isinstance(value, Mapping):
        yield from _object_pieces(value)
    elif isinstance(value, list | tuple):
        before = "["
        for item in value:
            yield before
            yield from _text_pieces(item)
            before = ","
        yield "]" if value else "[]"
    elif isinstance(value, datetime):
        yield encode_basestring(time_text(value))
    elif isinstance(value, date):
        yield encode_basestring(value.isoformat())
    else:
        raise TypeError(f"{type(value).__name__} has no canonical form")


def _object_pieces(value: Mapping[str, Any]) -> Iterator[str]:
    before = "{"
    for name in sorted(value, key=_utf16_order):
        yield f"{before}{encode_basestring(str(name))}:"
        yield from _text_pieces(value[name])
        before = ","
    yield "}" if value else "{}"


def _utf16_order(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")
