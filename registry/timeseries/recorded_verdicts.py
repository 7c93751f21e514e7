"""The verdicts on the runs of a system as rows of the record, found anew when its results changed.

A run that once lay outside keeps its row, so that nobody is told of it twice. The arithmetic stands in run_alarm.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q
from django.utils import timezone

from registry.models import Result, RunVerdict, System
from registry.query import run_verdict_rows
from registry.query.public_record import Row
from registry.timeseries import run_verdicts
from registry.timeseries.run_alarm import OUTSIDE, Verdict

_UPDATED = ("system", *run_verdict_rows.COLUMNS, "metrics", "found_at")
WITHDRAWN = "The result does not count any more."


@dataclass(frozen=True, slots=True)
class VerdictChanges:
    """`alarms`: runs that lie outside and are to be told of. `settled`: such that no longer do."""

    alarms: list[RunVerdict] = field(default_factory=list)
    settled: list[RunVerdict] = field(default_factory=list)


def record_verdicts(
    system: System, rows: Sequence[Row], results: Mapping[str, Result], *, left_out: bool
) -> VerdictChanges:
    """Bring the verdicts on the runs of a system to what its series say.

    `results` are its dated results by id, oldest first; where older ones were `left_out`, the older half keeps its
    verdicts, as runs that they were held against are out of sight. To be told of are runs that are new to a system
    whose runs were judged before, and the newest of each experiment; not what went on from the run before. One query,
    and up to two more where something changed.
    """
    in_sight = [result.pk for result in results.values()]
    recorded = RunVerdict.objects.filter(Q(system=system) | Q(result__in=in_sight)).select_related("result")
    verdict_by_result = {verdict.result_id: verdict for verdict in recorded}
    newest = {results[name].pk for name in run_verdicts.newest_runs(rows)}
    told_of = newest if not verdict_by_result else newest | (set(in_sight) - verdict_by_result.keys())
    aged = set(in_sight[: len(in_sight) // 2]) & verdict_by_result.keys() if left_out else set()
    changes, changed = VerdictChanges(), list[RunVerdict]()
    created = list[RunVerdict]()
    for name, row in run_verdicts.judge_results(rows).items():
        result = results[name]
        if result.pk in aged:
            continue
        verdict = verdict_by_result.get(result.pk)
        was_outside = verdict is not None and verdict.verdict in OUTSIDE
        columns = _verdict_columns(row) | {"system_id": system.pk}
        if verdict is None:
            verdict = RunVerdict(result=result, **columns)
            created.append(verdict)
        elif _update_verdict(verdict, columns):
            changed.append(verdict)
        if verdict.verdict in OUTSIDE and not (was_outside or verdict.continues) and result.pk in told_of:
            verdict.found_at = timezone.now()
            changes.alarms.append(verdict)
        elif was_outside and verdict.verdict not in OUTSIDE:
            changes.settled.append(verdict)
    for verdict in _lost_verdicts(system, verdict_by_result, set(in_sight), left_out=left_out):
        _update_verdict(
            verdict, {"verdict": Verdict.CANNOT_TELL.value, "better": None, "metrics": [], "reason": WITHDRAWN}
        )
        changed.append(verdict)
        changes.settled.append(verdict)
    RunVerdict.objects.bulk_create(created)
    if changed:
        RunVerdict.objects.bulk_update(changed, _UPDATED)
    return changes


def _lost_verdicts(
    system: System, verdict_by_result: Mapping[int, RunVerdict], in_sight: set[int], *, left_out: bool
) -> list[RunVerdict]:
    """Verdicts outside on results that do not count any more; of older ones than are looked at, the withdrawn.

    Results that stand under another system now, as after a merging, count there.
    """
    return [
        verdict
        for pk, verdict in verdict_by_result.items()
        if verdict.result.system_id == system.pk
        and pk not in in_sight
        and verdict.verdict in OUTSIDE
        and (not left_out or verdict.result.withdrawn_at)
    ]


def _verdict_columns(row: Row) -> dict[str, Any]:
    return {name: row[name] for name in run_verdict_rows.COLUMNS} | {"metrics": run_verdicts.metrics_outside(row)}


def _update_verdict(verdict: RunVerdict, columns: Mapping[str, Any]) -> bool:
    """Whether that changes the verdict."""
    if all(getattr(verdict, name) == value for name, value in columns.items()):
        return False
    for name, value in columns.items():
        setattr(verdict, name, value)
    return True
