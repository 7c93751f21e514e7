"""The runs behind a result: when they ran by their own clock, and whether two results have one in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from registry.comparison.repeat_runs import repeat_group
from submissions.models import Submission
from submissions.publication.publishable import counted_index
from submissions.reproduction.independence import Span
from validators import quantities
from validators.reproduction import agreement
from validators.times import parse_time

ZONES = timedelta(hours=14)
"""By how much a local time without its zone may be off."""
CLOCKS = timedelta(minutes=5)
"""By how much a clock may be off. A run that ended later than it came here has a wrong one."""


@dataclass(frozen=True, slots=True)
class OneRun:
    """What one run prints: its times as texts, "" where it prints none, and its rates."""

    started: str
    ended: str
    rates: frozenset[tuple[str, float]]


def list_runs(submission: Submission) -> list[OneRun]:
    """The run that counts and the others of its configuration, as their latest check read them. One query."""
    report = submission.checks.order_by("-made_at", "-id").values_list("report", flat=True).first()
    if not report:
        return []
    index = counted_index(submission, report)
    rows = repeat_group(report, index)["runs"] or [report["runs"][index]]
    return [OneRun(row.get("started") or "", row.get("ended") or "", _limited_rates(row)) for row in rows]


def _limited_rates(run: Mapping[str, Any]) -> frozenset[tuple[str, float]]:
    """The numbers of a run that have limits, by what they are of."""
    return frozenset(
        (f"{row['op']} {row['quantity']} {row['stat']} {sorted(row['context'].items())}", row["value"])
        for row in run["measurements"]
        if agreement.find_limits(run["tool"], quantities.canonical_name(run["tool"], row))
    )


def list_spans(submission: Submission) -> Iterator[Span]:
    """When it was received, it and what it revises; and when its runs ran, as far as they tell."""
    former: Submission | None = submission
    while former is not None:
        yield Span(former.received_at, former.received_at)
        former = former.revises
    yield read_span(list_runs(submission), submission.received_at)


def read_span(runs: Sequence[OneRun], received_at: datetime) -> Span:
    """From the beginning of the first run to the end of the last; without a beginning where one does not tell."""
    try:
        began_at = min(_read_time(run.started, -ZONES) for run in runs)
        earliest_end = max(_read_time(run.ended, -ZONES) for run in runs)
        latest_end = max(_read_time(run.ended, ZONES) for run in runs)
    except (ValueError, OverflowError):
        return Span(None, received_at)
    if began_at > latest_end or earliest_end > received_at + CLOCKS:
        return Span(None, received_at)
    return Span(min(began_at, received_at), min(latest_end, received_at))


def _read_time(text: str, zones: timedelta) -> datetime:
    """ValueError where it is none, OverflowError where no calendar has it."""
    time = parse_time(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC) + zones


def have_a_run_in_common(first: Iterable[OneRun], other: Iterable[OneRun]) -> bool:
    """Whether a run of one began and ended with one of the other and has one of its rates.

    So a copy with one number changed is found. Equal rates alone prove nothing: rounded ones of two sites may be equal,
    and so may limited ones.
    """
    others = list(other)
    return any(_is_same_run(run, another) for run in first for another in others)


def _is_same_run(run: OneRun, another: OneRun) -> bool:
    has_times = bool(run.started and run.ended) and (run.started, run.ended) == (another.started, another.ended)
    return has_times and not run.rates.isdisjoint(another.rates)
