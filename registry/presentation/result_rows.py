"""Rows of results as tables of pages show them: with their numbers as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db.models import Q

from registry.models import Release
from registry.presentation import numbers
from registry.presentation.reproduction_words import mark_titles
from registry.query import cursor_pages, public_record
from registry.query.public_record import Row
from registry.query.row_sources import PUBLIC, RowSource

MOST_NEWEST = 200
COLUMNS = {**public_record.RESULT, "release_name": "release__name"}
"""Of a result the rows of the API have, and the name of its release."""


def newest_rows(condition: Q, most: int = MOST_NEWEST, source: RowSource = PUBLIC) -> list[Row]:
    """The newest current results that meet a condition, at most `most`, as `format_rows` gives them."""
    results = public_record.current_results(condition, source)
    return format_rows(cursor_pages.take_page(results, COLUMNS, cursor_pages.NEWEST_IDS, "", most).rows)


def name_releases(rows: Iterable[Row]) -> list[Row]:
    """Rows that have the slug of a release as `release`, with its name as `release_name`. One query."""
    rows = list(rows)
    slugs = {row["release"] for row in rows if row["release"]}
    names = dict(Release.objects.filter(slug__in=slugs).values_list("slug", "name"))
    return [row | {"release_name": names.get(row["release"], "")} for row in rows]


def format_rows(rows: Iterable[Row], measured_texts: Mapping[str, str] | None = None) -> list[Row]:
    """Rows of COLUMNS; `score`, `bandwidth` (GiB/s), `rate` (kIOPS) and `clients` are texts.

    `marks` are its marks of reproduction in words. `measured_texts` says by id what a result without a score measured.
    """
    return [
        {
            **row,
            "marks": mark_titles(row["reproduced"]),
            "measured": (measured_texts or {}).get(row["id"], ""),
            "score": numbers.format_decimal(row["score"]) or numbers.MISSING,
            "bandwidth": numbers.format_decimal(row["bandwidth_gib_per_s"]) or numbers.MISSING,
            "rate": numbers.format_decimal(row["rate_kiops"]) or numbers.MISSING,
            "clients": numbers.format_int(row["client_nodes"]) or numbers.MISSING,
        }
        for row in rows
    ]
