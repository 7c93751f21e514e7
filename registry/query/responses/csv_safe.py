"""Rows as CSV in UTF-8 (RFC 4180), in a form that spreadsheets open without running anything."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any


def csv_lines(rows: Iterable[Iterable[Any]]) -> str:
    """Rows of values as text of CSV, each line with its end."""
    text = io.StringIO()
    csv.writer(text).writerows([safe_cell(value) for value in row] for row in rows)
    return text.getvalue()


def safe_cell(value: Any) -> str:
    """A value as a spreadsheet may open it: a text that would start a formula gets an apostrophe in front."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return str(plain_value(value))


def plain_value(value: Any) -> Any:
    """A date or time as its text (RFC 3339), anything else as it is."""
    return value.isoformat().replace("+00:00", "Z") if hasattr(value, "isoformat") else value
