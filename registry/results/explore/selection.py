"""What a view of results is asked for, read from its address.

tool=io500  metric=ior-easy-write.bandwidth.phase  per=client  base=best|median|RESULT  kind=training
filesystem_type=  trust=  release=      what is ticked; nothing ticked is all
client_nodes__gte=  client_nodes__lte=  and every other filter of results/
latest=1   of each system the results of its newest release
only=1     the results that are kept to compare (r=ID)
rows=100   how many rows are drawn
"""

from __future__ import annotations

from dataclasses import dataclass, field

from django.http import QueryDict

from registry.query.facts.divisors import PER
from registry.query.questions import filters, study_query
from registry.query.row_sources import PUBLIC, RowSource

BEST, MEDIAN = "best", "median"
TOGGLES = ("trust", "filesystem_type", "release")
"""Filters that are ticked one by one. They narrow what is drawn; the counts beside them do not follow."""
FEW_ROWS, MOST_ROWS = 20, 500
_FLAG = "1"


@dataclass(frozen=True, slots=True)
class Selection:
    """One view. `toggles` and `narrowing` are filters as they were given; empty texts are not asked for."""

    tool: str = ""
    metric: str = ""
    per: str = ""
    base: str = BEST
    kind: str = ""
    toggles: dict[str, list[str]] = field(default_factory=dict)
    narrowing: QueryDict = field(default_factory=QueryDict)
    latest: bool = False
    only: bool = False
    rows: int = FEW_ROWS
    source: RowSource = PUBLIC


def parse_selection(query: QueryDict, source: RowSource = PUBLIC) -> Selection:
    """The view of an address. Names that no filter has are left alone. Raises InvalidValue."""
    narrowing = QueryDict(mutable=True)
    for name in query:
        is_filter = name in filters.RESULT_FILTERS or name.startswith(filters.PARAMETER)
        if is_filter and name != "tool" and name not in TOGGLES and (values := filters.values_of(query, name)):
            narrowing.setlist(name, values)
    toggles = {name: values for name in TOGGLES if (values := filters.values_of(query, name))}
    filters.parse_conditions(filters.as_query(toggles), {name: filters.RESULT_FILTERS[name] for name in TOGGLES})
    return Selection(
        tool=study_query.single_value(query, "tool").lower(),
        metric=study_query.single_value(query, "metric"),
        per=study_query.single_choice(query, "per", PER),
        base=study_query.single_value(query, "base") or BEST,
        kind=study_query.single_value(query, "kind"),
        toggles=toggles,
        narrowing=narrowing,
        latest=_is_set(query, "latest"),
        only=_is_set(query, "only"),
        rows=_row_count(study_query.single_value(query, "rows")),
        source=source,
    )


def _is_set(query: QueryDict, name: str) -> bool:
    return study_query.single_choice(query, name, [_FLAG]) == _FLAG


def _row_count(text: str) -> int:
    try:
        return min(max(filters.whole_number(text), 1), MOST_ROWS) if text else FEW_ROWS
    except ValueError as error:
        raise filters.InvalidValue("rows", f"a whole number from 1 to {MOST_ROWS}") from error
