"""The steps of a system as rows of the record, found anew when its results changed.

A step that more results move by a place or two is the same one: it keeps its row, and with it what was said of it. One
that results no longer show keeps its row too, as gone, so that it is nothing new when it comes back. The arithmetic
stands in series.py; finding steps twice changes nothing.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef
from django.utils import timezone

from registry.comparison.spreads import key
from registry.models import Result, Step, StepsDue, System
from registry.query.public_record import Row
from registry.timeseries import change_points, series

WITHIN = change_points.SHORTEST
"""A step found less than so many results from where it stood is the same one: closer two can't be."""
PAUSE = timedelta(minutes=10)
_MOVES = ("series", "before", "after", "printed_unit", "day", "level_before", "level_after", "chance", "gone_at")


@dataclass(frozen=True, slots=True)
class Changed:
    """`begun`: new ones and such that are back. `gone`: such that results no longer show."""

    begun: list[Step] = field(default_factory=list)
    gone: list[Step] = field(default_factory=list)


def mark_due(system_ids: Iterable[int]) -> None:
    """In the transaction that changes results of these systems: their steps are found anew once it is on disk."""
    StepsDue.objects.bulk_create(StepsDue(system_id=pk) for pk in sorted(set(system_ids)))


def mark_all_due() -> None:
    """Every system with results enough for a step."""
    counted = Result.objects.order_by().values("system").annotate(count=Count("id"))
    mark_due(counted.filter(count__gte=change_points.FEWEST).values_list("system", flat=True))


def due_systems() -> list[int]:
    """Systems whose steps are to be found, the longest waiting first."""
    waiting = StepsDue.objects.filter(not_before__lte=timezone.now())
    return list(dict.fromkeys(waiting.values_list("system", flat=True)))


def postpone(system_id: int) -> None:
    """Its steps could not be found: look again after PAUSE, or as soon as its results change once more."""
    StepsDue.objects.filter(system=system_id).update(not_before=timezone.now() + PAUSE)


@transaction.atomic
def detect_steps(system_id: int) -> Changed:
    """Bring the steps of a system that is due to what its results say; nothing where another process is at it.

    Six queries, and up to two more where something changed.
    """
    # Results are published while the row is held so, and two that find do not meet.
    waiting = System.objects.filter(Exists(StepsDue.objects.filter(system=OuterRef("pk"))), pk=system_id)
    system = waiting.select_for_update(no_key=True, skip_locked=True).first()
    if system is None:
        return Changed()
    taken = list(StepsDue.objects.filter(system=system).values_list("pk", flat=True))
    changed = _find(system)
    StepsDue.objects.filter(pk__in=taken).delete()
    return changed


def row_of(step: Step) -> Row:
    """A step, its results joined, with the columns of its series, as the API has them."""
    after = step.after
    return {
        "tool": after.tool,
        "mode": after.mode,
        "trust": after.trust,
        "client_nodes": after.client_nodes,
        "settings": series.settings_of(after),
        **{name: getattr(step, name) for name in ("op", "quantity", "stat", "unit", "printed_unit", "context")},
        "before": step.before.public_id,
        "after": after.public_id,
        **{name: getattr(step, name) for name in ("day", "level_before", "level_after", "ratio", "better", "chance")},
    }


# Known ones and found ones


def _find(system: System) -> Changed:
    seen = series.of_system(system)
    results = {one.public_id: one for one in seen.ordered}
    rows = {series.name_of(row): row for row in seen.rows}
    known: dict[str, list[Step]] = {name: [] for name in rows}
    for step in Step.objects.filter(system=system).select_related("after"):
        known.setdefault(_series_of(step, rows), []).append(step)
    changed, moved = Changed(), list[Step]()
    for name, steps in known.items():
        row = rows.get(name, {"points": [], "steps": []})
        stood = [_stood(step, row["points"], results) for step in steps]
        standing = _matched(steps, stood, row["steps"])
        standing = [step or _new(system, name, row, one) for step, one in zip(standing, row["steps"], strict=True)]
        changed.begun.extend(step for step in standing if step.pk is None or step.gone_at)
        for step, one in zip(standing, row["steps"], strict=True):
            moved += [step] * _move(step, {"series": name} | _columns(row, one, results))
        for step, place in zip(steps, stood, strict=True):
            out_of_sight = seen.left_out and place < WITHIN
            if step not in standing and step.gone_at is None and not out_of_sight:
                step.gone_at = timezone.now()
                changed.gone.append(step)
    known_ones = [step for step in (*moved, *changed.gone) if step.pk]
    Step.objects.bulk_create(step for step in moved if step.pk is None)
    if known_ones:
        Step.objects.bulk_update(known_ones, _MOVES)
    return changed


def _series_of(step: Step, rows: Mapping[str, Row]) -> str:
    """The series that a known step is in: where what tells series apart has changed, that which has its result now.

    So nobody is told anew of a step that only has another name. One whose results stand in no series any more, as their
    scale is not known, keeps the old name, and is gone.
    """
    if step.series in rows:
        return step.series
    number = [step.op, step.quantity, step.stat, step.unit, json.dumps(step.context, sort_keys=True)]
    same = (name for name, row in rows.items() if list(key(row)) == number and _has(row, step.after.public_id))
    return next(same, step.series)


def _has(row: Row, public_id: str) -> bool:
    return any(point["result"] == public_id for point in row["points"])


def _stood(step: Step, points: Sequence[Row], results: Mapping[str, Any]) -> float:
    """Before which point of its series a known step lies; between two where its own result is no longer there."""
    shown = [results[point["result"]] for point in points]
    ids = [one.pk for one in shown]
    if step.after_id in ids:
        return ids.index(step.after_id)
    moments = [(series.moment_of(one), one.pk) for one in shown]
    return bisect_left(moments, (series.moment_of(step.after), step.after_id)) - 0.5


def _matched(known: Sequence[Step], stood: Sequence[float], found: Sequence[Row]) -> list[Step | None]:
    """For each found step the known one that it is: the nearest first, of those that go the same way."""
    near = sorted(
        (abs(one["place"] - stood[other]), step.gone_at is not None, number, other)
        for number, one in enumerate(found)
        for other, step in enumerate(known)
        if step.better == one["better"]
    )
    same: dict[int, int] = {}
    for distance, _, number, other in near:
        if distance < WITHIN and number not in same and other not in same.values():
            same[number] = other
    return [known[same[number]] if number in same else None for number in range(len(found))]


def _new(system: System, name: str, row: Row, found: Row) -> Step:
    named = {column: row[column] for column in ("op", "quantity", "stat", "unit")}
    return Step(system=system, series=name, better=found["better"], context=json.loads(key(row)[-1]), **named)


def _columns(row: Row, found: Row, results: Mapping[str, Any]) -> Row:
    sides = {f"{side}_id": results[found[side]].pk for side in ("before", "after")}
    told = {name: found[name] for name in ("day", "level_before", "level_after", "chance")}
    return sides | told | {"printed_unit": row["printed_unit"], "gone_at": None}


def _move(step: Step, columns: Row) -> bool:
    """Whether that changes the step."""
    if step.pk and all(getattr(step, name) == value for name, value in columns.items()):
        return False
    for name, value in columns.items():
        setattr(step, name, value)
    return True
