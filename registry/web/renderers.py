"""Answers as JSON: what is made of shapes is written under the names of their fields."""

from __future__ import annotations

from typing import Any

from rest_framework import renderers
from rest_framework.utils.encoders import JSONEncoder

from registry.query.responses.shapes import Shape, shape_values


class ShapeEncoder(JSONEncoder):
    """Writes a shape as an object. Raises TypeError for what JSON has no form of."""

    def default(self, obj: Any) -> Any:
        return shape_values(obj) if isinstance(obj, Shape) else super().default(obj)


class JSONRenderer(renderers.JSONRenderer):
    """JSON of dictionaries and shapes, at any depth."""

    encoder_class = ShapeEncoder
