"""Summaries of the operations of the OpenAPI document, each written once in data/api_texts.json.

What a field means stands at the field: in the shape of an answer, or as the `help_text` of what a request sends.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "data" / "api_texts.json"


@cache
def summaries() -> dict[str, str]:
    """The summary of each operation, by operation id."""
    document: dict[str, dict[str, str]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return document["summaries"]


def with_summaries(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """The document with a summary of each operation."""
    for methods in result["paths"].values():
        for operation in methods.values():
            if summary := summaries().get(operation["operationId"]):
                operation.setdefault("summary", summary)
    return result
