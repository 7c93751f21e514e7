"""The OpenAPI component of a shape: types, null, what may be left out, enumerations, and shapes in shapes."""

from __future__ import annotations

import ast
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import pytest
from django.db.models import TextChoices
from msgspec import UNSET, Meta, UnsetType

from registry.query.responses.row_fields import Address
from registry.query.responses.shapes import Shape, one_of
from registry.site_pages.api_meta import openapi_document
from registry.web.answer_schemas import late_descriptions, shape_schema

ROOT = Path(__file__).resolve().parents[3]
MOST_REPEATED_MEANINGS = 2
"""So often a meaning may be written; from then on it is a field that answers share."""


class Colour(TextChoices):
    RED = "red", "as blood"
    BLUE = "blue", "as the sky"


class Wheel(Shape):
    spokes: Annotated[int, Meta(description="Number of spokes.", ge=3)]


class Wagon(Shape, kw_only=True):
    """A wagon of our own making."""

    name: Annotated[str, Meta(description="Its name.", max_length=20)]
    weight: Annotated[float | None, Meta(description="Weight in kg; null: unknown.")]
    built: Annotated[date | None, Meta(description="Day of its making; null: unknown.")]
    last_used: Annotated[datetime, Meta(description="When it was last used.")]
    number: Annotated[UUID, Meta(description="Its number.")]
    page: Annotated[Address | None, Meta(description="Its page; null: it has none.")]
    wheels: Annotated[list[Wheel], Meta(description="Its wheels.", min_length=2)]
    spare: Annotated[Wheel | None, Meta(description="The spare wheel; null: none.")]
    axle: Annotated[Wheel, Meta(description="The wheel in front.")]
    loads: Annotated[dict[str, list[float | None]], Meta(description="Loads in kg, by day.")]
    anything: Annotated[Any, Meta(description="Whatever somebody wrote.")]
    colour: Annotated[Colour, Meta(description="Its colour.")]
    brake: Annotated[str | None, one_of("hand", "foot"), Meta(description="Its brake; null: none.")]
    bell: Annotated[bool | UnsetType, Meta(description="Whether it has a bell.")] = UNSET


class Cart(Wagon):
    shafts: Annotated[bytes, Meta(description="No JSON has bytes.")]


def reference(shape: type[Shape]) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{shape.__name__}"}


@pytest.fixture
def schema() -> dict[str, Any]:
    return shape_schema(Wagon, reference)


def test_a_component_has_description_and_required_fields(schema) -> None:
    assert schema["type"] == "object" and schema["description"] == "A wagon of our own making."
    assert set(schema["properties"]) - set(schema["required"]) == {"bell"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("name", {"type": "string", "maxLength": 20, "description": "Its name."}),
        ("weight", {"type": ["number", "null"], "format": "double", "description": "Weight in kg; null: unknown."}),
        ("built", {"type": ["string", "null"], "format": "date", "description": "Day of its making; null: unknown."}),
        ("last_used", {"type": "string", "format": "date-time", "description": "When it was last used."}),
        ("number", {"type": "string", "format": "uuid", "description": "Its number."}),
        ("page", {"type": ["string", "null"], "format": "uri", "description": "Its page; null: it has none."}),
        (
            "wheels",
            {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Wheel"},
                "minItems": 2,
                "description": "Its wheels.",
            },
        ),
        (
            "spare",
            {
                "oneOf": [{"$ref": "#/components/schemas/Wheel"}, {"type": "null"}],
                "description": "The spare wheel; null: none.",
            },
        ),
        (
            "axle",
            {"allOf": [{"$ref": "#/components/schemas/Wheel"}], "description": "The wheel in front."},
        ),
        (
            "loads",
            {
                "type": "object",
                "additionalProperties": {"type": "array", "items": {"type": ["number", "null"], "format": "double"}},
                "description": "Loads in kg, by day.",
            },
        ),
        ("anything", {"description": "Whatever somebody wrote."}),
        ("bell", {"type": "boolean", "description": "Whether it has a bell."}),
    ],
)
def test_each_type_has_its_schema(schema, name: str, expected: dict[str, Any]) -> None:
    assert schema["properties"][name] == expected


def test_an_enumeration_keeps_its_order_and_the_names_of_its_values(schema) -> None:
    colour = schema["properties"]["colour"]
    assert (colour["type"], colour["enum"]) == ("string", ["red", "blue"])
    assert colour["description"] == "* `red` - as blood\n* `blue` - as the sky"


def test_an_enumeration_that_may_be_null_has_null_among_its_values(schema) -> None:
    assert schema["properties"]["brake"]["enum"] == ["hand", "foot", None]


def test_a_type_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(TypeError, match="no schema is known"):
        shape_schema(Cart, reference)


def test_a_description_comes_back_beside_the_enumeration_and_keeps_what_it_refers_to() -> None:
    fields = {
        "colour": {"$ref": "#/components/schemas/ColourEnum", "x-description": "Its colour."},
        "paint": {"allOf": [{"$ref": "#/x"}], "description": "Its paint.\n\n* `red` - as blood"},
        "weight": {"type": "number", "description": "Weight in kg."},
    }
    result = late_descriptions({"components": {"schemas": {"Wagon": {"properties": fields}}}})
    assert result["components"]["schemas"]["Wagon"]["properties"] == {
        "colour": {"allOf": [{"$ref": "#/components/schemas/ColourEnum"}], "description": "Its colour."},
        "paint": {"allOf": [{"$ref": "#/x"}], "description": "Its paint."},
        "weight": {"type": "number", "description": "Weight in kg."},
    }


def test_a_shape_inside_another_is_one_component_under_its_own_name() -> None:
    components = openapi_document()["components"]["schemas"]
    assert components["RankedListDetail"]["properties"]["entries"]["items"] == {"$ref": "#/components/schemas/Entry"}
    assert components["Entry"]["description"].startswith("An entry of a list, with its assumed ranks")
    assert [name for name in components if name.startswith("Shape") or name.endswith("2")] == []


def meanings() -> Counter[str]:
    """Every description of a field as often as it is written in the sources."""
    texts: Counter[str] = Counter()
    for app in ("registry", "submissions"):
        for path in sorted((ROOT / app).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "Meta":
                    texts.update(ast.literal_eval(row.value) for row in node.keywords if row.arg == "description")
    return texts


def test_a_meaning_that_many_answers_share_is_written_once() -> None:
    texts = meanings()
    assert len(texts) > 500
    often = {text for text, count in texts.items() if count > MOST_REPEATED_MEANINGS}
    assert often <= {"Rows of this page."}
