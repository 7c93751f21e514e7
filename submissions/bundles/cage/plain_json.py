"""JSON as PostgreSQL takes it. Imports nothing of Django: it runs in the cage as well."""

from __future__ import annotations

import json
from typing import Any


def to_jsonb_safe(document: Any) -> Any:
    """The same document without what `jsonb` refuses: NaN, infinity, NUL, half of a surrogate pair."""
    return document if _safe_text(document) is not None else _clean(document)


def to_text(document: Any) -> str:
    """The same document as JSON text, without what `jsonb` refuses."""
    text = _safe_text(document)
    return json.dumps(_clean(document), ensure_ascii=False) if text is None else text


def _safe_text(document: Any) -> str | None:
    try:
        text = json.dumps(document, allow_nan=False, ensure_ascii=False)
        text.encode()
    except ValueError:
        return None
    return None if "\\u0000" in text else text


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {_clean(str(name)): _clean(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    return value
