"""What single drives did, or single processes where none are named: those that ran together, with the same options.

With group_reporting fio adds them up before it prints. Its `disk_util` counts requests of all groups and of everybody
else, and gives no rate: it tells nothing of one drive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from validators.benchmarks.fio.sums import NOT_SHARED
from validators.distributions import Distribution, summed
from validators.measurements import Run

_DRIVE = re.compile(r"/dev/(?!shm/|null$|zero$)[^:]+")
_RATES = ("bandwidth", "iops")


def drive(filename: object) -> str:
    """The device that the option `filename` names; empty for a file, for several devices, and for no text."""
    return filename if isinstance(filename, str) and _DRIVE.fullmatch(filename) else ""


def over_members(run: Run, drives: Sequence[str]) -> list[Distribution]:
    """The rates of a run over its drives, or over its jobs; `drives` has that of each job, or an empty text.

    The processes of one drive are added up. Members are numbered in the order of the job file.
    """
    together = [jobs for jobs in _together(run) if len(jobs) > 1]
    distributions: list[Distribution] = []
    for (op, quantity, unit), rates in _rates(run).items():
        for jobs in together:
            context = {"first_job": jobs[0]} if len(together) > 1 else {}
            if rates.keys() >= set(jobs):
                over, values = _members(jobs, drives, rates)
                distributions += summed(op, quantity, "mean", over, values, unit, context)
    return distributions


def _together(run: Run) -> Iterator[list[int]]:
    """Numbers of the jobs of one group that have the same options."""
    sets: dict[str, list[int]] = {}
    for number, test in enumerate(run.tests):
        options = sorted((name, value) for name, value in test.items() if name not in NOT_SHARED)
        sets.setdefault(repr((test["group"], options)), []).append(number)
    yield from sets.values()


def _rates(run: Run) -> dict[tuple[str, str, str], dict[int, float]]:
    """By operation, quantity and unit, the rate of each job."""
    rates: dict[tuple[str, str, str], dict[int, float]] = {}
    for measurement in run.measurements:
        if measurement.quantity in _RATES and measurement.printed_value:
            rates.setdefault((measurement.op, measurement.quantity, measurement.printed_unit), {})[
                measurement.context["job"]
            ] = measurement.printed_value
    return rates


def _members(jobs: Sequence[int], drives: Sequence[str], rates: Mapping[int, float]) -> tuple[str, list[float]]:
    by_drive: dict[str, float] = {}
    for job in jobs:
        by_drive[drives[job]] = by_drive.get(drives[job], 0.0) + rates[job]
    if len(by_drive) > 1 and "" not in by_drive:
        return "drives", list(by_drive.values())
    return "jobs", [rates[job] for job in jobs]
