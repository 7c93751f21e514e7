"""What keeps results out of an answer only because nobody knows it: facts that conditions and divisors need.

A result that does not say its client nodes meets no condition on them. It is no result with many or with few of them
either: it is counted apart, so that an empty answer says what is missing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.db.models import Count, Exists, OuterRef, Q
from django.http import QueryDict

from registry.models import Fact
from registry.query.facts.axes import find_axis
from registry.query.public_record import Row
from registry.query.questions import filters
from registry.query.questions.recorded_metrics import results_as_of
from registry.query.row_sources import PUBLIC, RowSource

COUNTED = dict.fromkeys(("client_nodes", "client_nodes__gte", "client_nodes__lte"), "client_nodes")
"""Filters whose fact a result may not say, and its name. Filters by p.NAME are others."""


@dataclass(frozen=True, slots=True)
class MissingFacts:
    """How many results meet all conditions as far as they say (`candidates`), and by fact how many do not say it.

    `candidates` is None where nothing was asked that a result may not say.
    """

    candidates: int | None
    results_by_fact: dict[str, int]

    def list_rows(self) -> list[Row]:
        return [
            {"name": name, "title": find_axis(name).title, "results": count}
            for name, count in self.results_by_fact.items()
        ]


NOTHING_ASKED = MissingFacts(None, {})


def has_uncertain_conditions(query: QueryDict) -> bool:
    """Whether a query has conditions on what a result may not say."""
    return any(name in COUNTED or name.startswith(filters.PARAMETER) for name in query)


def count_missing(
    query: QueryDict, needed: Sequence[str] = (), as_of: dt.datetime | None = None, source: RowSource = PUBLIC
) -> MissingFacts:
    """Count what results do not say of the conditions of a query, and of the facts that an answer `needed`.

    One query; none where neither asks anything that a result may not say. Facts that all say are left out. Raises
    InvalidValue for what filters refuse.
    """
    names = [name for name in query if name in COUNTED or name.startswith(filters.PARAMETER)]
    facts = {COUNTED.get(name, name.removeprefix(filters.PARAMETER)) for name in names}
    if not facts and not needed:
        return NOTHING_ASKED
    certain = filters.without_names(query, names)
    met = filters.result_conditions(certain, source)
    for name in names:
        met &= _condition_or_unknown(name, query)
    silent = {name: _is_unknown(name) for name in [*needed, *sorted(facts.difference(needed))]}
    aliases = {f"silent{place}": name for place, name in enumerate(silent)}
    counts = (
        results_as_of(as_of, source)
        .filter(met)
        .aggregate(
            candidates=Count("pk"), **{alias: Count("pk", filter=silent[name]) for alias, name in aliases.items()}
        )
    )
    return MissingFacts(counts["candidates"], {name: counts[alias] for alias, name in aliases.items() if counts[alias]})


def _condition_or_unknown(name: str, query: QueryDict) -> Q:
    """The condition of one filter, or that a result does not say what it is about."""
    values = filters.values_of(query, name)
    if not values:
        return Q()
    if name in COUNTED:
        return filters.any_of(name, filters.RESULT_FILTERS[name], values) | _is_unknown(COUNTED[name])
    fact = name.removeprefix(filters.PARAMETER)
    return filters.any_of(name, partial(filters.parameter_condition, fact), values) | _is_unknown(fact)


def _is_unknown(fact: str) -> Q:
    """Results that say nothing under a name, nor of any of its entries and roles."""
    under = Q(name=fact) | Q(name__startswith=f"{fact}@") | Q(name__startswith=f"{fact}/")
    return ~Q(Exists(Fact.objects.order_by().filter(under, result=OuterRef("pk"))))
