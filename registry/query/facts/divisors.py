"""What numbers are divided by: clients, servers, drives, ... of a result, as its facts say.

One rule for studies and comparisons: a divisor is a plain positive number, all else is missing and divides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Case, F, When

from registry.models import Fact
from registry.query.facts import gaps
from registry.query.facts.axes import find_axis
from registry.query.facts.fact_index import COLUMNS
from registry.query.row_sources import PUBLIC, RowSource

PER = {
    "client": "client_nodes",
    "server": "servers",
    "process": "tasks",
    "drive": "drives",
    "target": "targets",
    "mdt": "metadata_targets",
    "enclosure": "enclosures",
    "rack_unit": "rack_units",
    "watt": "watts",
    "pib": "usable_pib",
}
"""What a number may be divided by, and the axis that holds the divisor."""

DIVIDED = frozenset({"B/s", "ops/s", ""})
"""Canonical units of what grows with a system: rates and scores. Times, shares and counts stay as they are."""

OF_ONE_PART = frozenset({"per_drive", "mean_node", "median_node", "median_ost", "mean_process"})
"""Statistics of one drive, node, target or process, which do not grow with a system either."""

UNDIVIDED = frozenset({"s", "%"})
"""Canonical units of times and shares, which no study divides: there is no second per drive."""


@dataclass(frozen=True, slots=True)
class Divisor:
    """How many of something a result had, and what says so; the value is None where nothing does."""

    value: float | None
    source: str
    reason: str = ""
    """Code of registry/query/facts/gaps.py where nothing does."""


def scales_with_system(unit: str, stat: str) -> bool:
    """Whether a number of this canonical unit and statistic grows with a system."""
    return unit in DIVIDED and stat not in OF_ONE_PART


def positive_or_null(column: str) -> Any:
    """A column of numbers as divisor, in SQL; null where it is null or not above zero."""
    return Case(When(**{f"{column}__gt": 0}, then=F(column)))


def find_divisors(per: str, results: Sequence[Mapping[str, Any]], source: RowSource = PUBLIC) -> list[Divisor]:
    """The divisor of each result (`id`, `parameters`, `source`: the public id, parameters of its run, its document).

    One query, and one more for why some have none.
    """
    divisor_axis = find_axis(PER[per])
    names = [divisor_axis.name, *divisor_axis.reads]
    ids = [result["id"] for result in results]
    facts = source.table_rows(Fact).order_by().filter(result__public_id__in=ids, name__in=names)
    values_by_result: dict[str, dict[str, float | None]] = {}
    for public_id, name, value in facts.annotate(value=positive_or_null("number")).values_list(
        "result__public_id", "name", "value"
    ):
        values_by_result.setdefault(public_id, {})[name] = value
    divisors = [_find_divisor(names, values_by_result.get(result["id"], {}), result) for result in results]
    lacking = [result["id"] for result, divisor in zip(results, divisors, strict=True) if divisor.value is None]
    reasons = gaps.reasons_by_result(lacking, names[0], source) if lacking else {}
    return [
        replace(divisor, reason=reasons.get(result["id"], "")) if divisor.value is None else divisor
        for result, divisor in zip(results, divisors, strict=True)
    ]


def _find_divisor(
    names: Sequence[str], values_by_name: Mapping[str, float | None], result: Mapping[str, Any]
) -> Divisor:
    value = values_by_name.get(names[0])
    if value is None:
        return Divisor(None, "not known")
    own = names[0] in COLUMNS or names[0] in result["parameters"]
    name = names[0] if own else next(name for name in names[1:] if name in values_by_name)
    places = {"archive": "the archive", "": "the run"}
    source = f"{name} of {places.get(name.partition('@')[2], 'the described system')}"
    return Divisor(value, ", ".join(filter(None, [source, result["source"]])))
