"""What each system of a site or platform has in all: results, file systems, releases, and its highest IO500 score.

A place whose results are all listed is summed from these rows; of a larger one PostgreSQL sums, to the same totals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, F, Max, Min, Q, TextField, Value
from django.db.models.functions import Cast, Concat

from registry.models import FAMILY_OR_TYPE
from registry.query import public_record
from registry.query.public_record import Columns, Row

SCORED_TOOL = "io500"


@dataclass(slots=True)
class SystemTotals:
    """Results by benchmark, the row of the highest score, families by name, and releases as (date, name)."""

    results: Counter[str] = field(default_factory=Counter)
    best: Row | None = None
    families: set[str] = field(default_factory=set)
    releases: set[tuple[str, str]] = field(default_factory=set)

    @property
    def best_score(self) -> float:
        return float(self.best["score"]) if self.best else 0.0

    @property
    def first_and_last(self) -> list[str]:
        """Names of the first and the last release, once where they are one."""
        names = [name for _, name in sorted(self.releases)]
        return list(dict.fromkeys((names[0], names[-1]))) if names else []


def sum_rows(rows: Iterable[Row]) -> dict[str, SystemTotals]:
    """By slug of the system; of equal scores the row that comes first counts."""
    totals: dict[str, SystemTotals] = {}
    for row in rows:
        own = totals.setdefault(row["system_slug"], SystemTotals())
        own.results[row["tool"]] += 1
        if family := row["filesystem_family"] or row["filesystem_type"]:
            own.families.add(family)
        if row["release_name"]:
            own.releases.add((str(row["held_on"] or ""), row["release_name"]))
        if row["tool"] == SCORED_TOOL and (row["score"] or 0.0) > own.best_score:
            own.best = row
    return totals


def read_totals(condition: Q, columns: Columns) -> dict[str, SystemTotals]:
    """The totals of all current results that meet a condition, with rows of these columns. Two queries."""
    totals: dict[str, SystemTotals] = {}
    results = public_record.current_results(condition)
    release = Concat(Cast("release__held_on", TextField()), Value("\t"), "release__name", output_field=TextField())
    has_release = Q(release__isnull=False)
    grouped = results.order_by().alias(family=FAMILY_OR_TYPE, release_text=release).values("system__slug", "tool")
    for row in grouped.annotate(
        results=Count("pk"),
        families=ArrayAgg("family", distinct=True, filter=~Q(family="")),
        first=Min("release_text", filter=has_release),
        last=Max("release_text", filter=has_release),
    ):
        own = totals.setdefault(row["system__slug"], SystemTotals())
        own.results[row["tool"]] += row["results"]
        own.families.update(row["families"] or ())
        own.releases.update(_split_release(text) for text in (row["first"], row["last"]) if text)
    scored = results.filter(tool=SCORED_TOOL, score__gt=0)
    newest_first = (F("release__held_on").desc(nulls_last=True), "-pk")
    best = scored.order_by("system_id", "-score", *newest_first).distinct("system_id")
    for best_row in public_record.rows_of(columns, best):
        totals[best_row["system_slug"]].best = best_row
    return totals


def _split_release(text: str) -> tuple[str, str]:
    day, _, name = text.partition("\t")
    return day, name
