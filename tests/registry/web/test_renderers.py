"""Answers that are made of shapes, as JSON."""

from __future__ import annotations

import datetime as dt
import json
from typing import Annotated, Any

import pytest
from msgspec import UNSET, Meta, UnsetType

from registry.models import Result
from registry.query.responses.shapes import Shape
from registry.web.renderers import JSONRenderer


class Disk(Shape):
    name: Annotated[str, Meta(description="Its name.")]
    trust: Annotated[Result.Trust, Meta(description="How far to trust it.")]
    bought: Annotated[dt.datetime | None, Meta(description="When it was bought.")]


class Shelf(Shape, kw_only=True):
    disks: Annotated[list[Disk], Meta(description="In their order.")]
    note: Annotated[str | UnsetType, Meta(description="May be absent.")] = UNSET


def rendered(answer: Any) -> Any:
    return json.loads(JSONRenderer().render(answer))


def test_a_shape_is_written_with_its_parts() -> None:
    disk = Disk(name="a", trust=Result.Trust.VERIFIED, bought=dt.datetime(2026, 1, 2, 3, tzinfo=dt.UTC))
    expected = {"name": "a", "trust": "verified", "bought": "2026-01-02T03:00:00Z"}
    assert rendered(Shelf(disks=[disk], note="full")) == {"disks": [expected], "note": "full"}
    assert rendered({"results": [Disk(name="b", trust=Result.Trust.IMPORTED, bought=None)]}) == {
        "results": [{"name": "b", "trust": "imported", "bought": None}]
    }


def test_fields_are_written_in_order_without_those_left_out() -> None:
    assert JSONRenderer().render(Shelf(disks=[])) == b'{"disks":[]}'
    assert JSONRenderer().render(Shelf(note="", disks=[])) == b'{"disks":[],"note":""}'


def test_objects_of_other_classes_are_refused() -> None:
    with pytest.raises(TypeError):
        JSONRenderer().render({"a": object()})


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_without_json_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        JSONRenderer().render({"a": Disk(name="a", trust=number, bought=None)})  # type: ignore[arg-type]  # a wrong type
