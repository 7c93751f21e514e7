"""Awards of a release: who leads each IO500 list in score, bandwidth and metadata.

Source: the rules of IO500 give awards to runs on at least ten client nodes; equal values share one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from registry.models import ListEntry, RankedList, Release, Result
from registry.query.kept_sums import Keep, make_anew
from registry.query.public_record import ENTRY, SCORED_LISTS, Columns, NotOnRecord, Row, rows_of
from registry.query.responses.trust_levels import count_caveat, list_caveat

FEWEST_CLIENTS = 10
KINDS = (
    ("overall", "score", None),
    ("bandwidth", "bandwidth_gib_per_s", "GiB/s"),
    ("metadata", "rate_kiops", "kIOPS"),
)
"""Award, column of an entry, unit (a score has none)."""


AwardParts = tuple[str, float, str | None, tuple[Mapping[str, Any], ...]]


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
    for name in (
        *("result", "institution", "system", "client_nodes", "score", "bandwidth_gib_per_s", "rate_kiops"),
        "rules_violated",
    )
}
"""What an award says of its winners, and is decided by."""


def awards_of_release(of: Release, keep: Keep = make_anew) -> list[tuple[RankedList, list[Award]]]:
    """The awards of each IO500 list of a published release, in their order; withdrawn runs win nothing. Two queries.

    `keep` may know already who won.
    """
    lists = list(of.ranked_lists.filter(SCORED_LISTS).exclude(frozen_at=None).order_by("position", "name"))
    won = keep(f"awards-1:{of.pk}", lambda: _awards_by_list(lists))
    return [(ranked_list, [Award(*parts) for parts in won[ranked_list.pk]]) for ranked_list in lists]


def _awards_by_list(lists: Sequence[RankedList]) -> dict[int, list[AwardParts]]:
    """The parts of awards by primary key of a list: plain values, which a later release reads, too. One query."""
    columns = {"list": "ranked_list_id", **_COLUMNS}
    list_entries = ListEntry.objects.filter(ranked_list__in=lists, result__withdrawn_at=None)
    rows = rows_of(columns, list_entries.order_by("ranked_list", "position"))
    by_list: dict[int, list[Row]] = {ranked_list.pk: [] for ranked_list in lists}
    for row in rows:
        by_list[row.pop("list")].append(row)
    return {
        ranked_list.pk: [
            (award.award, award.value, award.unit, award.winners)
            for award in make_awards(by_list[ranked_list.pk], complete=ranked_list.complete)
        ]
        for ranked_list in lists
    }


def award_caveat(ranked_list: RankedList, award: Award) -> str:
    """What is said beside the trust of an award: how many rules its winner violates, or how many of several do."""
    violated = [winner["rules_violated"] for winner in award.winners]
    if len(violated) == 1:
        return count_caveat(ranked_list.trust, violated[0])
    return list_caveat(sum(bool(count) for count in violated)) if ranked_list.trust == Result.Trust.VERIFIED else ""


def find_award(of: Release, list_name: str, name: str, keep: Keep = make_anew) -> tuple[RankedList, Award]:
    """One award of a published release, and its list. Raises NotOnRecord with awards that there are."""
    won = {
        (ranked.name, list_award.award): (ranked, list_award)
        for ranked, held in awards_of_release(of, keep)
        for list_award in held
    }
    if (list_name, name) not in won:
        raise NotOnRecord("award", f"{of.slug}/{list_name}/{name}", ["/".join(key) for key in won][:6])
    return won[list_name, name]
