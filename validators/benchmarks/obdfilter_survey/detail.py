"""The detail file that obdfilter-survey keeps beside its summary: what each target did, second by second.

For each row and test it ends with a block `TEST global`: a line for each target with the number of its samples, and
its slowest and fastest second, in records per second. A row's range in the summary is over all of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from validators.distributions import Distribution, summed
from validators.findings import ERROR, Finding
from validators.measurements import Run
from validators.outputs import Output, Refusal, printed_number
from validators.signs import Sign

SIGN = Sign(rb"^={10,40}> ost +\d{1,7} +sz +\d{1,15}K +rsz ", b"=> ost ")
MOST_LINES = 200_000

_ROW = re.compile(
    r"^={10,40}> ost +(?P<osts>\d{1,7}) +sz +(?P<total_KiB>\d{1,15})K +rsz +(?P<record_KiB>\d{1,9})K? +"
    r"obj +(?P<objects>\d{1,9}) +thr +(?P<threads>\d{1,9})"
)
_TEST = re.compile(r"^={10,40}> (?P<op>\w{1,20}) (?P<which>\S{1,200})\s*$")
_TARGET = re.compile(r"^(?P<samples>-?\d{1,9}) +(?P<low>\S{1,40}) +(?P<high>\S{1,40})\s*$")
_ROUNDING = 0.011


@dataclass(slots=True)
class DetailRow:
    """One row: for each test a list with one entry per target: samples (-1: it failed), slowest and fastest MiB/s."""

    context: dict[str, int]
    targets: dict[str, list[tuple[int, float, float]]] = field(default_factory=dict)


def rows(output: Output) -> Iterator[DetailRow]:
    """Every row of a detail file. Raises Refusal for figures that are none."""
    row, op, lines = None, "", 0
    for number, line in enumerate(output.lines(), start=1):
        if begin := _ROW.match(line):
            if row:
                yield row
            row, op = DetailRow({name: int(value) for name, value in begin.groupdict().items()}), ""
        elif test := _TEST.match(line):
            op = test["op"] if test["which"] == "global" else ""
        elif row and op and (target := _TARGET.match(line)):
            lines += 1
            if lines > MOST_LINES:
                message = f"The detail file has more than {MOST_LINES} targets and tests."
                raise Refusal("too-large", message, "Upload the summary without it.", number)
            scale = row.context["record_KiB"] / 1024
            low, high = (printed_number(target[name], number) * scale for name in ("low", "high"))
            row.targets.setdefault(op, []).append((int(target["samples"]), round(low, 2), round(high, 2)))
    if row:
        yield row


def belongs(rows: list[DetailRow], run: Run) -> bool:
    """Whether the rows are those of a run, one for one."""
    return [row.context for row in rows] == [{name: test[name] for name in _names(rows)} for test in run.tests]


def _names(rows: list[DetailRow]) -> list[str]:
    return list(rows[0].context) if rows else []


def attach(rows: list[DetailRow], run: Run, path: str) -> Iterator[Finding]:
    """Put what single targets did into the tests of a run; yields findings where summary and detail disagree."""
    for row, test in zip(rows, run.tests, strict=True):
        test["targets"] = {op: [list(target) for target in targets] for op, targets in row.targets.items()}
        run.distributions += _over_targets(row)
        for op, low, high in _ranges(run, row.context):
            active_targets = [target for target in row.targets.get(op, []) if target[0] > 0]
            if not active_targets:
                continue
            slowest, fastest = min(target[1] for target in active_targets), max(target[2] for target in active_targets)
            if abs(slowest - low) > _ROUNDING or abs(fastest - high) > _ROUNDING:
                message = f"{op}: the summary says {low} to {high} MiB/s, its detail file {slowest} to {fastest}."
                hint = "Upload both files of one survey, as the script wrote them."
                yield Finding("obdfilter-survey.inconsistent", ERROR, message, hint, path)
                return


def _over_targets(row: DetailRow) -> Iterator[Distribution]:
    """The slowest and the fastest second of each target, by test; one without samples keeps its place."""
    for op, targets in row.targets.items():
        for stat, place in (("slowest_second", 1), ("fastest_second", 2)):
            values = [target[place] if target[0] > 0 else None for target in targets]
            yield from summed(op, "bandwidth", stat, "targets", values, "MiB/s", row.context)


def _ranges(run: Run, context: dict[str, Any]) -> Iterator[tuple[str, float, float]]:
    """Each test of a row with its slowest and fastest second, as the summary has them."""
    of_row = [measurement for measurement in run.measurements if measurement.context == context]
    highs = {rate.op: rate.printed_value for rate in of_row if rate.stat == "max_ost_instant"}
    for rate in of_row:
        if rate.stat == "min_ost_instant" and rate.op in highs:
            yield rate.op, rate.printed_value, highs[rate.op]
