"""What changed between two documents, as a page shows it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from registry.presentation import numbers
from registry.query.revision_diff import Change


def rows(changes: Iterable[Change]) -> list[dict[str, str]]:
    return [
        {"field": change.field, "before": _words(change.before), "after": _words(change.after)} for change in changes
    ]


def _words(value: Any) -> str:
    if value is None or value in ("", []):
        return numbers.MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_words(item)}" for name, item in value.items())
    return ", ".join(map(_words, value)) if isinstance(value, list) else str(value)
