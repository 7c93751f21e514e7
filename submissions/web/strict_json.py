"""JSON in which no name comes twice."""

from __future__ import annotations

from typing import Any

from submissions.errors import RepeatedField


def object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Raises RepeatedField for a name that comes twice."""
    document: dict[str, Any] = {}
    for name, value in pairs:
        if name in document:
            raise RepeatedField(name)
        document[name] = value
    return document
