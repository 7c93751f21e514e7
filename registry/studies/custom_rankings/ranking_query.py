"""What a ranking asks, and its query string.

formula=[ior-easy-write.bandwidth] / client_nodes   names with a dash or a dot stand in brackets
per=drive  unit=GB/s  order=least  limit=50  as_of=2026-11-20  and every filter of results/
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field

from django.http import QueryDict

from registry.errors import Problem
from registry.query.questions import filters, study_query
from registry.query.row_sources import PUBLIC, RowSource

MOST_ROWS, USUAL_ROWS = 1000, 100
ORDERS = ("most", "least")
NAMES = ("formula", "per", "unit", "order", "limit", "as_of")


class NoFormula(Problem):
    code = "ranking.no-formula"
    title = "The ranking has no formula"
    hint = "Give formula=, for example formula=score/client_nodes."


@dataclass(frozen=True, slots=True)
class RankingQuery:
    """What is asked. `filters` are those of results/ as they were given; empty texts mean not asked for."""

    formula: str
    per: str = ""
    unit: str = ""
    order: str = ""
    limit: int = USUAL_ROWS
    as_of: dt.datetime | None = None
    filters: dict[str, list[str]] = field(default_factory=dict)
    source: RowSource = field(default=PUBLIC, compare=False, repr=False)
    """Whose rows are asked; no address has it."""

    def query(self) -> QueryDict:
        """The question as a query string; `parse_query` gives it back."""
        query = QueryDict(mutable=True)
        query["formula"] = self.formula
        for name in ("per", "unit", "order"):
            if value := getattr(self, name):
                query[name] = value
        if self.limit != USUAL_ROWS:
            query["limit"] = str(self.limit)
        if self.as_of:
            query["as_of"] = study_query.written_time(self.as_of)
        filters.put_values(query, self.filters)
        return query

    def address(self) -> str:
        return self.query().urlencode(safe=",/:")


def parse_query(query: QueryDict, source: RowSource = PUBLIC) -> RankingQuery:
    """The question in a query string; whether it can be computed is asked later.

    Raises NoFormula where there is none, InvalidValue for a wrong value.
    """
    formula = " ".join(study_query.single_value(query, "formula").split())
    if not formula:
        raise NoFormula
    return RankingQuery(
        formula,
        study_query.parse_divisor(query),
        study_query.shown_unit(query),
        study_query.single_choice(query, "order", ORDERS),
        _parse_limit(study_query.single_value(query, "limit")),
        study_query.time_of(study_query.single_value(query, "as_of")),
        filters.other_values(query, NAMES),
        source,
    )


def read_address(address: str) -> RankingQuery:
    """The question of an address that `Question.address` made."""
    return parse_query(QueryDict(address))


def _parse_limit(text: str) -> int:
    try:
        limit = filters.whole_number(text) if text else USUAL_ROWS
    except ValueError:
        limit = 0
    if not 1 <= limit <= MOST_ROWS:
        raise filters.InvalidValue("limit", f"a whole number from 1 to {MOST_ROWS}")
    return limit
