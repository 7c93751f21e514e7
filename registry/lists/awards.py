"""Awards of a release: who leads each IO500 list in score, bandwidth and metadata.

Source: the rules of IO500 give awards to runs on at least ten client nodes; equal values share one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from registry.models import ListEntry, RankedList, Release
from registry.query.public_record import ENTRY, SCORED_LISTS, Columns, NotOnRecord, Row, rows_of

FEWEST_CLIENTS = 10
KINDS = (
    ("overall", "score", None),
    ("bandwidth", "bandwidth_gib_per_s", "GiB/s"),
    ("metadata", "rate_kiops", "kIOPS"),
)
"""Award, column of an entry, unit (a score has none)."""


@dataclass(frozen=True, slots=True)
class Award:
    """One award; several `winners` share it. They are entries, in the order of the list."""

    award: str
    value: float
    unit: str | None
    winners: tuple[Mapping[str, Any], ...]

    @property
    def is_shared(self) -> bool:
        return len(self.winners) > 1


def make_awards(entries: Iterable[Mapping[str, Any]], *, complete: bool = True) -> list[Award]:
    """The awards of one list, out of its entries in their order.

    Entries hold `score` (no unit), `bandwidth_gib_per_s`, `rate_kiops` and `client_nodes`, None where not known; one
    without a value, or not known to have run on ten client nodes, wins nothing. Of a list that is not known whole only
    the overall award can be told, as it is in the order of the score.
    """
    eligible = [entry for entry in entries if (entry["client_nodes"] or 0) >= FEWEST_CLIENTS]
    return [
        Award(award, best, unit, _entries_with(eligible, column, best))
        for award, column, unit in (KINDS if complete else KINDS[:1])
        if (best := max((entry[column] or 0.0 for entry in eligible), default=0.0)) > 0
    ]


def _entries_with(entries: Sequence[Mapping[str, Any]], column: str, value: float) -> tuple[Mapping[str, Any], ...]:
    return tuple(entry for entry in entries if entry[column] == value)


# Of the record

_COLUMNS: Columns = {
    name: ENTRY[name]
    for name in ("result", "institution", "system", "client_nodes", "score", "bandwidth_gib_per_s", "rate_kiops")
}
"""What an award says of its winners, and is decided by."""


def awards_of_release(of: Release) -> list[tuple[RankedList, list[Award]]]:
    """The awards of each IO500 list of a published release, in their order; withdrawn runs win nothing. Two queries."""
    lists = list(of.ranked_lists.filter(SCORED_LISTS).exclude(frozen_at=None).order_by("position", "name"))
    columns = {"list": "ranked_list_id", **_COLUMNS}
    list_entries = ListEntry.objects.filter(ranked_list__in=lists, result__withdrawn_at=None)
    rows = rows_of(columns, list_entries.order_by("ranked_list", "position"))
    by_list: dict[int, list[Row]] = {ranked_list.pk: [] for ranked_list in lists}
    for row in rows:
        by_list[row.pop("list")].append(row)
    return [(ranked_list, make_awards(by_list[ranked_list.pk], complete=ranked_list.complete)) for ranked_list in lists]


def find_award(of: Release, list_name: str, name: str) -> tuple[RankedList, Award]:
    """One award of a published release, and its list. Raises NotOnRecord with awards that there are."""
    won = {
        (ranked.name, list_award.award): (ranked, list_award)
        for ranked, held in awards_of_release(of)
        for list_award in held
    }
    if (list_name, name) not in won:
        raise NotOnRecord("award", f"{of.slug}/{list_name}/{name}", ["/".join(key) for key in won][:6])
    return won[list_name, name]
