"""What a source says that its numbers may not be compared for, as data: `not_comparable_for` of reported results.

Each limit has a reason, and may name a quantity, an operation and the only other results that it holds against. All
that makes ratios or ranks obeys them; the numbers themselves stay. Plain values, no query.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FIELD = "not_comparable_for"


@dataclass(frozen=True, slots=True)
class Limit:
    """One thing that a result may not be compared for; an empty name is any, no `others` are all other results."""

    reason: str
    op: str = ""
    quantity: str = ""
    others: frozenset[str] = frozenset()

    def covers_number(self, op: str, quantity: str) -> bool:
        """Whether it is of a number with this operation and quantity."""
        return self.op in ("", op) and self.quantity in ("", quantity)

    def holds_against(self, public_ids: Collection[str]) -> bool:
        """Whether it is of a comparison with other results, these among them."""
        return not self.others or not self.others.isdisjoint(public_ids)


def read_limits(rows: Iterable[Mapping[str, Any]] | None) -> tuple[Limit, ...]:
    """The limits of a result, as its document writes them under `not_comparable_for`; None is none."""
    return tuple(
        Limit(row["reason"], row.get("op", ""), row.get("quantity", ""), frozenset(row.get("with", ())))
        for row in rows or ()
    )


def find_reasons(limits: Iterable[Limit], numbers: Collection[tuple[str, str]], others: Collection[str]) -> list[str]:
    """Why a result of such limits may not be compared with others, these among them, for some of the numbers.

    `numbers` are operations and quantities.
    """
    reasons = [
        limit.reason
        for limit in limits
        if limit.holds_against(others) and any(limit.covers_number(*number) for number in numbers)
    ]
    return list(dict.fromkeys(reasons))


def reasons_against(
    first: tuple[str, Iterable[Limit]], other: tuple[str, Iterable[Limit]], op: str, quantity: str
) -> list[str]:
    """Why two results, each its id and limits, may not be compared for a number; empty where they may."""
    numbers = [(op, quantity)]
    both = [*find_reasons(first[1], numbers, [other[0]]), *find_reasons(other[1], numbers, [first[0]])]
    return list(dict.fromkeys(both))


def ids_out_of_order(
    limits_by_id: Mapping[str, Sequence[Limit]], numbers: Iterable[tuple[str, str]], present: Collection[str]
) -> dict[str, list[str]]:
    """Which of some results may not stand in one order with others, and why, by id.

    `numbers` are the operations and quantities that the order is made of. A limit that names other results holds where
    one of them is `present`.
    """
    several = list(numbers)
    reasons_by_id = {public_id: find_reasons(limits, several, present) for public_id, limits in limits_by_id.items()}
    return {public_id: reasons for public_id, reasons in reasons_by_id.items() if reasons}
