"""The answer of a comparison in one sentence: whether it is like for like, and the largest difference. No query."""

from __future__ import annotations

import math
from collections.abc import Sequence

from registry.comparison.uncertainty import REPEATS, is_tie
from registry.presentation.numbers import format_times
from registry.presentation.words import op_named
from registry.query.public_record import Row

TIMES_AND_SHARES = ("s", "%")
"""Units of numbers that tell nothing of speed by themselves."""


def summarize_comparison(headings: Sequence[Row], rows: Sequence[Row], matches: Sequence[Row]) -> str:
    """One sentence on results whose numbers have ratios; empty where no ratio can be told.

    `rows` are measurements as comparison_document() has them, `matches` the lines on how alike the others ran.
    """
    if len(headings) == 2:
        return _summarize_pair(headings, rows, matches)
    return _summarize_several(headings, rows)


def _summarize_pair(headings: Sequence[Row], rows: Sequence[Row], matches: Sequence[Row]) -> str:
    largest = _largest_difference(rows)
    if not largest:
        return ""
    beginning = ", ".join(filter(None, [_same_system(headings), _describe_likeness(matches)]))
    differing = [text for match in matches for text in match["differs"]]
    more = f" and {len(differing) - 1} more" if len(differing) > 1 else ""
    reason = f"; differs: {differing[0]}{more}" if differing else ""
    return f"{beginning[:1].upper()}{beginning[1:]}: {largest}{reason}."


def _same_system(headings: Sequence[Row]) -> str:
    first, second = ((heading["system"], heading["institution"]) for heading in headings)
    return "same system" if first[0] and first == second else ""


def _describe_likeness(matches: Sequence[Row]) -> str:
    if any(match["differs"] for match in matches):
        return "not like for like"
    if any(not match["alike"] for match in matches):
        return "not known whether like for like"
    return "like for like, as far as the runs say" if matches else "two runs"


def _largest_difference(rows: Sequence[Row]) -> str:
    """The rate whose ratio lies farthest from 1, those left out that repeats cannot tell apart."""
    rates = [row for row in rows if _is_rate(row) and row["ratios"][1]]
    apart = [row for row in rates if not _is_tie(row, 1)]
    if rates and not apart:
        return "repeats cannot tell any rate apart"
    if not apart:
        return ""
    row = max(apart, key=lambda row: abs(math.log(row["ratios"][1])))
    chance = "" if row["interval_basis"][1] == REPEATS else ", not repeated"
    return f"{op_named(row['op'])} {_format_ratio(row['ratios'][1])}, the largest difference{chance}"


def _summarize_several(headings: Sequence[Row], rows: Sequence[Row]) -> str:
    """From which result to which one the first row spreads that has ratios of two others or more."""
    for row in rows:
        ratios = [
            (ratio, heading["title"])
            for ratio, heading in zip(row["ratios"][1:], headings[1:], strict=True)
            if ratio and (_is_rate(row) or not row["stat"])
        ]
        if len(ratios) > 1:
            (low, lowest), (high, highest) = min(ratios), max(ratios)
            name = op_named(row["op"])
            of = f"{len(ratios)} of {len(headings) - 1} results" if len(ratios) < len(headings) - 1 else "the others"
            return (
                f"Beside {headings[0]['title']}, the {name} of {of} lies from {_format_ratio(low)} ({lowest}) "
                f"to {_format_ratio(high)} ({highest})."
            )
    return ""


def _is_rate(row: Row) -> bool:
    return bool(row["stat"]) and row["unit"] not in TIMES_AND_SHARES


def _is_tie(row: Row, place: int) -> bool:
    interval = row["intervals"][place]
    return interval is not None and row["interval_basis"][place] == REPEATS and is_tie((interval[0], interval[1]))


def _format_ratio(ratio: float) -> str:
    return f"\N{MULTIPLICATION SIGN}\N{NO-BREAK SPACE}{format_times(ratio)}"
