"""The ceilings of the points of a study: what the parts of the systems allow, known_limits for each measurement.

Read are the results whose measurements can have a ceiling, three queries in all. A point of several measurements has a
ceiling only where all of them have the same one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from registry.platforms import ceilings
from registry.presentation.plots.model import Limit
from registry.studies.table import Group, Member
from validators.ceilings.ceiling_fraction import Efficiency
from validators.units import UNITS

if TYPE_CHECKING:
    from registry.studies.run import StudyTable

LIMITED = ("bandwidth", "iops", "ops_rate")
"""Quantities that a ceiling is known of, where it is."""
SHARES = ("efficiency",)
"""Quantities that are shares of a ceiling, in per cent: all of it is their ceiling."""
ALL = Limit(100.0, "all that the parts allow")
MOST_RESULTS = 300
"""Results whose parts are read for one chart; a chart of more draws no ceilings."""

FoundLimits = Mapping[tuple[str, str, str, str], list[Efficiency]]
"""By result, operation, quantity and statistic the measurements that a ceiling is known of."""


class AnswerLimits(NamedTuple):
    """The measurements of an answer that a ceiling is known of, and the ceiling of each row, or none at all."""

    efficiencies: Sequence[Efficiency]
    by_row: Sequence[Limit | None]


def find_limits(answer: StudyTable) -> FoundLimits:
    """The ceilings of the measurements of an answer. No query where none of its quantities can have one."""
    result_ids = {
        member.result for group in answer.groups if group.at.get("quantity") in LIMITED for member in group.members
    }
    if not result_ids or len(result_ids) > MOST_RESULTS:
        return {}
    known_limits: dict[tuple[str, str, str, str], list[Efficiency]] = {}
    efficiencies_by_id = ceilings.efficiencies_of(result_ids, LIMITED, answer.question.source)
    for public_id, efficiencies in efficiencies_by_id.items():
        for efficiency in efficiencies:
            parts = (str(efficiency.measurement[name]) for name in ("op", "quantity", "stat"))
            op, quantity, stat = parts
            known_limits.setdefault((public_id, op, quantity, stat), []).append(efficiency)
    return known_limits


def efficiency_of(known_limits: FoundLimits, group: Group, member: Member) -> Efficiency | None:
    """The measurement of a point with its ceilings; None where none is known."""
    if member.value is None or not known_limits:
        return None
    value = member.value * (group.divisor or 1.0)
    op, quantity, stat = (str(group.at.get(name) or "") for name in ("op", "quantity", "stat"))
    key = (member.result, op, quantity, stat)
    return next(
        (
            efficiency
            for efficiency in known_limits.get(key, ())
            if math.isclose(efficiency.measurement["value"], value, rel_tol=1e-9)
        ),
        None,
    )


def member_limit(known_limits: FoundLimits, group: Group, member: Member, unit: str) -> Limit | None:
    """The lowest ceiling of one measurement in a unit, divided as its point is."""
    if group.at.get("quantity") in SHARES and group.unit == "%":
        return ALL
    efficiency = efficiency_of(known_limits, group, member)
    if efficiency is None:
        return None
    factor = UNITS[unit].factor if unit in UNITS else 1.0
    return Limit(efficiency.limit.value / (group.divisor or 1.0) / factor, efficiency.limit.words)


def shared_limit(known_limits: FoundLimits, group: Group, unit: str) -> Limit | None:
    """The ceiling of a point, where all of its measurements have the same one."""
    if not group.members or len(group.members) < group.results:
        return None
    limits = {member_limit(known_limits, group, member, unit) for member in group.members}
    return limits.pop() if len(limits) == 1 else None


def used_efficiencies(known_limits: FoundLimits, answer: StudyTable) -> Iterable[Efficiency]:
    """The measurements of an answer that a ceiling is known of, in the order of its rows."""
    for group in answer.groups if known_limits else ():
        for member in group.members:
            if (efficiency := efficiency_of(known_limits, group, member)) is not None:
                yield efficiency
