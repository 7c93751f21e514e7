"""Shapes of answers: names, columns and meanings come from one class."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import pytest
from msgspec import UNSET, Meta, UnsetType
from msgspec import inspect as types

from registry.models import Result
from registry.query.responses import record_rows
from registry.query.responses.shapes import Shape, at_path, columns_of, fields_of, one_of

Bandwidth = Annotated[float, Meta(description="Bandwidth in GiB/s; null: not measured.")]


class Drive(Shape, kw_only=True):
    """A drive of our own making."""

    name: Annotated[str, Meta(description="Its name."), at_path("drive__name")]
    kind: Annotated[str | None, one_of("flash", "disk"), Meta(description="What it stores on.")]
    bandwidth: Bandwidth | None
    bought: Annotated[date | UnsetType, Meta(description="Day on which it was bought.")] = UNSET


class BigDrive(Drive):
    drives: Annotated[list[Drive], Meta(description="What it is made of.")]


class Doubtful(Shape):
    width: int | str | None


def test_fields_have_name_type_description_and_nullability() -> None:
    name, kind, bandwidth, bought = fields_of(Drive)
    assert (name.name, name.description, name.nullable, name.required) == ("name", "Its name.", False, True)
    assert (kind.choices, kind.nullable) == (("flash", "disk"), True)
    assert isinstance(bandwidth.kind, types.FloatType) and bandwidth.nullable
    assert bandwidth.description == "Bandwidth in GiB/s; null: not measured."
    assert isinstance(bought.kind, types.DateType) and not bought.required and not bought.nullable


def test_columns_are_paths_or_else_names() -> None:
    assert columns_of(Drive) == {"name": "drive__name", "kind": "kind", "bandwidth": "bandwidth", "bought": "bought"}


def test_a_shape_that_extends_another_has_its_fields_first() -> None:
    assert sorted(columns_of(BigDrive)) == ["bandwidth", "bought", "drives", "kind", "name"]
    assert columns_of(BigDrive)["name"] == "drive__name"


def test_a_field_of_two_types_is_refused() -> None:
    with pytest.raises(TypeError, match="not of 2"):
        fields_of(Doubtful)


@pytest.mark.parametrize(
    ("shape", "model_fields"),
    [
        (record_rows.Result, {"tool", "mode", "score", "bandwidth_gib_per_s", "rate_kiops", "client_nodes", "tasks"}),
        (record_rows.Measurement, {"op", "quantity", "stat", "value", "unit", "printed_value", "printed_unit"}),
    ],
)
def test_columns_without_a_path_are_fields_of_the_model(shape: Any, model_fields: set[str]) -> None:
    plain_columns = {name for name, path in columns_of(shape).items() if name == path}
    assert model_fields <= plain_columns


def test_every_plain_column_of_a_result_is_one_of_the_model() -> None:
    plain_columns = {name for name, path in columns_of(record_rows.Result).items() if name == path}
    assert plain_columns <= {field.name for field in Result._meta.get_fields()}
