"""Which parameters and facts some results share. Plain values in, plain values out; no query.

Of each fact: its most frequent value, how many results have it, how many say the fact at all, and how many do not. What
is not said is neither shared nor different.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FEWEST = 2
"""Results that have to say a fact before anything is shared."""

Facts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SharedFact:
    """One fact of some results: values with how many have each, most first; and how many do not say it."""

    name: str
    values: list[tuple[str, int]]
    unknown: int

    @property
    def known_results(self) -> int:
        return sum(count for _, count in self.values)

    @property
    def is_shared(self) -> bool:
        """Whether all that say it, two or more, have one value."""
        return len(self.values) == 1 and self.known_results >= FEWEST


def list_shared(results: Sequence[Facts]) -> list[SharedFact]:
    """The facts that two results or more say: those that most results have alike come first."""
    names = sorted({name for facts in results for name in facts})
    rows = []
    for name in names:
        counts = Counter(facts[name] for facts in results if name in facts)
        values = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        rows.append(SharedFact(name, values, len(results) - counts.total()))
    said_often = [row for row in rows if row.known_results >= FEWEST]
    return sorted(said_often, key=lambda row: (-row.values[0][1], len(row.values), row.name))
