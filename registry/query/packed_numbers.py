"""Many numbers as one value of a statement: of a group their bytes, one after the other; of ids to look up an array.

An array in an answer is text, which one side writes and the other reads number by number. Bytes take a
fifth of the time to read. Numbers that a statement packs side by side are in the same order.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Iterable
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db.models import Aggregate, BigIntegerField, BinaryField, BooleanField, F, FloatField, Func, Value
from django.db.models.functions import Coalesce


class _Packed(Aggregate):
    output_field = BinaryField()


class PackedFloats(_Packed):
    """Floats that may be null; `unpack_floats` reads them."""

    template = "string_agg(float8send(%(expressions)s), ''::bytea)"

    def __init__(self, expression: object) -> None:
        nothing = Value(math.nan, FloatField())  # no result has a number that is none
        super().__init__(Coalesce(expression, nothing, output_field=FloatField()))


class PackedIds(_Packed):
    """Whole numbers of up to eight bytes that are never null; `unpack_ids` reads them."""

    template = "string_agg(int8send((%(expressions)s)::bigint), ''::bytea)"


def unpack_floats(packed: bytes) -> list[float | None]:
    """The floats; None where one was null."""
    floats = _unpack_numbers("d", packed)
    if math.isnan(sum(floats)):
        return [None if math.isnan(value) else value for value in floats]
    return floats


def unpack_ids(packed: bytes) -> list[int]:
    return _unpack_numbers("q", packed)


def _unpack_numbers(kind: str, packed: bytes) -> list[Any]:
    """Numbers of eight bytes, which the database sends with the most significant first: as an array in half the time.

    `kind` is their type code.
    """
    numbers = array(kind, packed)
    if sys.byteorder == "little":
        numbers.byteswap()
    return numbers.tolist()


class IsAmong(Func):
    """Whether a column of ids is one of many, which are one parameter: Django takes time for each of an `__in`."""

    template, arg_joiner = "%(expressions)s)", " = ANY("
    output_field = BooleanField()

    def __init__(self, column: str, ids: Iterable[int]) -> None:
        super().__init__(F(column), Value(list(ids), ArrayField(BigIntegerField())))
