"""Which institutions count of those that ran a result again. docs/reproduce.md has the words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class SiteMark(NamedTuple):
    """A result that was to reproduce another: its id, its institution, and earlier ones that it shares members with.

    `shares_with` is None where it was never asked.
    """

    result: str
    site: int
    shares_with: Sequence[str] | None


def choose_sites(marks: Iterable[SiteMark]) -> set[int]:
    """The institutions that count, of marks from the oldest on: each that shares no member with one counted before.

    Of those of marks that were never held against each other one counts.
    """
    rows = list(marks)
    site_by_result = {mark.result: mark.site for mark in rows}
    shared: set[frozenset[int]] = set()
    unasked: set[int] = set()
    for mark in rows:
        if mark.shares_with is None:
            shared |= {frozenset((mark.site, other)) for other in unasked}
            unasked.add(mark.site)
            continue
        shared |= {frozenset((mark.site, site_by_result[id])) for id in mark.shares_with if id in site_by_result}
    chosen: set[int] = set()
    for mark in rows:
        if not any(frozenset((mark.site, site)) in shared for site in chosen - {mark.site}):
            chosen.add(mark.site)
    return chosen
