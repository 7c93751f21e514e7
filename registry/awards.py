"""Awards of a release: who leads each IO500 list in score, bandwidth and metadata. Plain arithmetic.

Source: the rules of IO500 give awards to runs on at least ten client nodes; equal values share one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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


def awards(entries: Iterable[Mapping[str, Any]], *, complete: bool = True) -> list[Award]:
    """The awards of one list, out of its entries in their order.

    Entries hold `score` (no unit), `bandwidth_gib_per_s`, `rate_kiops` and `client_nodes`, None where not known; one
    without a value, or not known to have run on ten client nodes, wins nothing. Of a list that is not known whole only
    the overall award can be told, as it is in the order of the score.
    """
    eligible = [entry for entry in entries if (entry["client_nodes"] or 0) >= FEWEST_CLIENTS]
    return [
        Award(award, best, unit, _with(eligible, column, best))
        for award, column, unit in (KINDS if complete else KINDS[:1])
        if (best := max((entry[column] or 0.0 for entry in eligible), default=0.0)) > 0
    ]


def _with(entries: Sequence[Mapping[str, Any]], column: str, value: float) -> tuple[Mapping[str, Any], ...]:
    return tuple(entry for entry in entries if entry[column] == value)
