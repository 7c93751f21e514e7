"""The steps of a system as rows of the record, found anew when its results changed, and with them the verdicts on runs.

A step that more results move by a place or two is the same one: it keeps its row, and with it what was said of it. One
that results no longer show keeps its row too, as gone, so that it is nothing new when it comes back. The arithmetic
stands in series.py; finding steps twice changes nothing.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone

from registry.comparison.spreads import measurement_key
from registry.models import Result, RunVerdict, Step, StepsDue, System
from registry.query.public_record import Row
from registry.timeseries import change_points, recorded_verdicts, series
from registry.timeseries.recorded_verdicts import VerdictChanges

WITHIN = change_points.SHORTEST
"""A step found less than so many results from where it stood is the same one: closer two can't be."""
PAUSE = timedelta(minutes=10)
_MOVES = ("series", "before", "after", "printed_unit", "day", "level_before", "level_after", "chance", "gone_at")

_BY_PEOPLE = ("found_at", "state", "note", "version")
"""Columns of a step that follow from no result."""


@dataclass(frozen=True, slots=True)
class StepChanges:
    """`begun`: new ones and such that are back. `gone`: such that results no longer show. And what became of runs."""

    begun: list[Step] = field(default_factory=list)
    gone: list[Step] = field(default_factory=list)
    runs: VerdictChanges = field(default_factory=VerdictChanges, compare=False)


def mark_due(system_ids: Iterable[int]) -> None:
    """In the transaction that changes results of these systems: their steps are found anew once it is on disk."""
    StepsDue.objects.bulk_create(StepsDue(system_id=pk) for pk in sorted(set(system_ids)))


def mark_all_due() -> None:
    """Every system with results enough for a step."""
    counted = Result.objects.order_by().values("system").annotate(count=Count("id"))
    mark_due(counted.filter(count__gte=change_points.FEWEST).values_list("system", flat=True))


def due_systems() -> list[int]:
    """Systems whose steps are to be found, the longest waiting first."""
    return list(dict.fromkeys(due_rows(timezone.now()).values_list("system", flat=True)))


def due_rows(now: datetime) -> QuerySet[StepsDue]:
    """Of each system whose steps are to be found."""
    return StepsDue.objects.filter(not_before__lte=now)


def postpone(system_id: int) -> None:
    """Its steps could not be found: look again after PAUSE, or as soon as its results change once more."""
    StepsDue.objects.filter(system=system_id).update(not_before=timezone.now() + PAUSE)


@transaction.atomic
def detect_steps(system_id: int) -> StepChanges:
    """Bring the steps of a system that is due to what its results say; nothing where another process is at it.

    Seven queries, and up to four more where something changed.
    """
    # Results are published while the row is held so, and two that find do not meet.
    waiting = System.objects.filter(Exists(StepsDue.objects.filter(system=OuterRef("pk"))), pk=system_id)
    system = waiting.select_for_update(no_key=True, skip_locked=True).first()
    if system is None:
        return StepChanges()
    taken = list(StepsDue.objects.filter(system=system).values_list("pk", flat=True))
    changed = _find_changes(system)
    StepsDue.objects.filter(pk__in=taken).delete()
    return changed


def find_differences(system: System) -> list[str]:
    """Steps, and verdicts on runs, that the results of a system do not make, a sentence for each. Nothing is kept.

    Seven queries where all fits. What people said of a step, and since when it is gone, follows from no result.
    """
    with transaction.atomic():
        stored = _stored_rows(system)
        _find_changes(system)
        computed = _stored_rows(system)
        transaction.set_rollback(True)
    sentences = []
    for name in sorted({*stored, *computed}):
        before, after = stored.get(name), computed.get(name)
        if before is None or after is None:
            sentences.append(f"its {name} {'is not stored' if before is None else 'is none that its results make'}")
        else:
            sentences += [
                f"its {name} has {column} {before[column]!r:.80}, and its results make {after[column]!r:.80}"
                for column in before
                if before[column] != after[column]
            ]
    return sentences


def _stored_rows(system: System) -> dict[str, Row]:
    """By name the steps and verdicts of a system, without what is not computed."""
    rows: dict[str, Row] = {}
    steps: list[Row] = [dict(row) for row in Step.objects.filter(system=system).values()]
    for row in steps:
        row["gone_at"] = row["gone_at"] is not None
        rows[f"step {row['id']}"] = {name: row[name] for name in row if name not in _BY_PEOPLE}
    verdicts: list[Row] = [dict(row) for row in RunVerdict.objects.filter(system=system).values()]
    for row in verdicts:
        rows[f"verdict on result {row['result_id']}"] = {name: row[name] for name in row if name != "found_at"}
    return rows


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


def _find_changes(system: System) -> StepChanges:
    system_series = series.of_system(system)
    results = {result.public_id: result for result in system_series.ordered}
    rows = {series.name_of(row): row for row in system_series.rows}
    steps_by_series: dict[str, list[Step]] = {name: [] for name in rows}
    for step in Step.objects.filter(system=system).select_related("after"):
        steps_by_series.setdefault(_series_of(step, rows), []).append(step)
    rows_of_series = list(rows.values())
    verdicts = recorded_verdicts.record_verdicts(system, rows_of_series, results, left_out=system_series.left_out)
    changed, moved = StepChanges(runs=verdicts), list[Step]()
    for name, steps in steps_by_series.items():
        row = rows.get(name, {"points": [], "steps": []})
        stood = [_place_in_series(step, row["points"], results) for step in steps]
        standing = [
            step or _new_step(system, name, row, step_row)
            for step, step_row in zip(_match_steps(steps, stood, row["steps"]), row["steps"], strict=True)
        ]
        changed.begun.extend(step for step in standing if step.pk is None or step.gone_at)
        for step, step_row in zip(standing, row["steps"], strict=True):
            moved += [step] * _update_step(step, {"series": name} | _step_columns(row, step_row, results))
        for step, place in zip(steps, stood, strict=True):
            out_of_sight = system_series.left_out and place < WITHIN
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
    same = (
        name
        for name, row in rows.items()
        if list(measurement_key(row)) == number and _has_point_of(row, step.after.public_id)
    )
    return next(same, step.series)


def _has_point_of(row: Row, public_id: str) -> bool:
    return any(point["result"] == public_id for point in row["points"])


def _place_in_series(step: Step, points: Sequence[Row], results: Mapping[str, Any]) -> float:
    """Before which point of its series a known step lies; between two where its own result is no longer there."""
    point_results = [results[point["result"]] for point in points]
    ids = [result.pk for result in point_results]
    if step.after_id in ids:
        return ids.index(step.after_id)
    moments = [(series.moment_of(result), result.pk) for result in point_results]
    return bisect_left(moments, (series.moment_of(step.after), step.after_id)) - 0.5


def _match_steps(recorded_steps: Sequence[Step], stood: Sequence[float], step_rows: Sequence[Row]) -> list[Step | None]:
    """For each found step the known one that it is: the nearest first, of those that go the same way."""
    near = sorted(
        (abs(step_row["place"] - stood[other]), step.gone_at is not None, number, other)
        for number, step_row in enumerate(step_rows)
        for other, step in enumerate(recorded_steps)
        if step.better == step_row["better"]
    )
    same: dict[int, int] = {}
    for distance, _, number, other in near:
        if distance < WITHIN and number not in same and other not in same.values():
            same[number] = other
    return [recorded_steps[same[number]] if number in same else None for number in range(len(step_rows))]


def _new_step(system: System, name: str, row: Row, step_row: Row) -> Step:
    named = {column: row[column] for column in ("op", "quantity", "stat", "unit")}
    return Step(
        system=system, series=name, better=step_row["better"], context=json.loads(measurement_key(row)[-1]), **named
    )


def _step_columns(row: Row, step_row: Row, results: Mapping[str, Any]) -> Row:
    sides = {f"{side}_id": results[step_row[side]].pk for side in ("before", "after")}
    step_columns = {name: step_row[name] for name in ("day", "level_before", "level_after", "chance")}
    return sides | step_columns | {"printed_unit": row["printed_unit"], "gone_at": None}


def _update_step(step: Step, columns: Row) -> bool:
    """Whether that changes the step."""
    if step.pk and all(getattr(step, name) == value for name, value in columns.items()):
        return False
    for name, value in columns.items():
        setattr(step, name, value)
    return True
