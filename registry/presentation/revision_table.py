"""What changed between two documents, as a page shows it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from registry.presentation import numbers
from registry.query.differences.revision_diff import RevisionChange


def revision_rows(changes: Iterable[RevisionChange]) -> list[dict[str, str]]:
    return [
        {"field": change.field, "before": _format_words(change.before), "after": _format_words(change.after)}
        for change in changes
    ]


def _format_words(value: Any) -> str:
    if value is None or value in ("", []):
        return numbers.MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_format_words(item)}" for name, item in value.items())
    return ", ".join(map(_format_words, value)) if isinstance(value, list) else str(value)
