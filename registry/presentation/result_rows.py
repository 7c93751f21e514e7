"""Rows of results as tables of pages show them: with their numbers as text."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q

from registry.models import Result
from registry.presentation import numbers
from registry.query import cursor_pages, public_record
from registry.query.public_record import Row

MOST_NEWEST = 200


def newest_rows(condition: Q, most: int = MOST_NEWEST) -> list[Row]:
    """The newest current results that meet a condition, at most `most`, as `format_rows` gives them."""
    results = public_record.current_results(condition)
    return format_rows(cursor_pages.take_page(results, public_record.RESULT, cursor_pages.NEWEST_IDS, "", most).rows)


def results_apart(condition: Q) -> dict[str, list[Row]]:
    """`rows` that were verified or imported, and apart from them what is only `reported`."""
    parted: dict[str, list[Row]] = {"rows": [], "reported": []}
    for row in newest_rows(condition):
        parted["reported" if row["trust"] == Result.Trust.REPORTED else "rows"].append(row)
    return parted


def format_rows(rows: Iterable[Row]) -> list[Row]:
    """Rows of public_record.RESULT; `score`, `bandwidth` (GiB/s), `rate` (kIOPS) and `clients` are texts."""
    return [
        {
            **row,
            "score": numbers.format_decimal(row["score"]) or numbers.MISSING,
            "bandwidth": numbers.format_decimal(row["bandwidth_gib_per_s"]) or numbers.MISSING,
            "rate": numbers.format_decimal(row["rate_kiops"]) or numbers.MISSING,
            "clients": numbers.format_int(row["client_nodes"]) or numbers.MISSING,
        }
        for row in rows
    ]
