"""Numbers that the database packs come back as they are stored, in one order."""

from __future__ import annotations

import math
import struct
import sys

import pytest
from django.db.models import F, FloatField, Value
from django.db.models.functions import NullIf

from registry.models import Result
from registry.query.packed_numbers import IsAmong, PackedFloats, PackedIds, unpack_floats, unpack_ids
from tests.registry.record import make_release, make_result

pytestmark = pytest.mark.django_db

SCORES = [0.0, 5e-324, sys.float_info.max, math.inf, 0.1, None, 3.0]


@pytest.fixture
def scores() -> dict[int, float | None]:
    release = make_release("T1")
    return {make_result(release, f"hw-{place}", score).pk: score for place, score in enumerate(SCORES)}


def test_floats_stand_beside_the_ids_that_they_are_of(scores) -> None:
    row = Result.objects.order_by().aggregate(values=PackedFloats("score"), ids=PackedIds("id"))
    assert dict(zip(unpack_ids(row["ids"]), unpack_floats(row["values"]), strict=True)) == scores


def test_infinities_of_both_signs_are_values() -> None:
    assert unpack_floats(struct.pack(">3d", math.inf, -math.inf, 1.0)) == [math.inf, -math.inf, 1.0]


def test_a_null_comes_back_as_none(scores) -> None:
    value = NullIf(F("score") * Value(-1.0), Value(-3.0), output_field=FloatField())
    row = Result.objects.order_by().filter(score__gte=3).aggregate(values=PackedFloats(value))
    assert set(unpack_floats(row["values"])) == {-math.inf, -sys.float_info.max, None}


def test_ids_below_zero_and_of_eight_bytes_come_back() -> None:
    make_result(make_release("T1"), "hw-1")
    for number in (-1, -(2**63), 2**63 - 1, 0):
        row = Result.objects.order_by().aggregate(ids=PackedIds(Value(number)))
        assert unpack_ids(row["ids"]) == [number]


def test_rows_are_looked_up_by_many_ids(scores) -> None:
    some = list(scores)[1:4]
    assert set(Result.objects.filter(IsAmong("id", [*some, -1, 2**62])).values_list("pk", flat=True)) == set(some)
    assert not Result.objects.filter(IsAmong("id", [])).exists()
