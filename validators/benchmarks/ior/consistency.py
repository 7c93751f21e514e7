"""Whether the figures of an output agree with one another: rows with summary, bytes with time, order of statistics."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from validators.benchmarks.ior.record import Record, Row, Summary
from validators.benchmarks.ior.settings import VALUED
from validators.evidence import few_values
from validators.findings import ERROR, WARNING, Finding
from validators.launcher_output import options_of
from validators.measurements import Run
from validators.reading.accounting import lines_missing
from validators.units import UNITS

_MIB = UNITS["MiB"].factor
_RATE_TOLERANCE = 0.03
_PARTS = ("open_time", "transfer_time", "close_time")
_LEAST_OF_PARTS = 0.9
_OF_OPERATIONS = 0.03
_DIRECTIVE = re.compile(r"(?:readFile|writeFile|checkRead|checkWrite|keepFile)\w{0,20} ?=", re.IGNORECASE)
"""What sets in words (-O) which operations there are."""
_SUMMARY_ROUNDING = 0.006
"""Half of the last digit of the summary."""


def findings(record: Record, run: Run, path: str) -> list[Finding]:
    """What does not agree, as errors, and what is right but means something else than it seems to."""
    tests = {test["test"]: test for test in run.tests}
    all_findings = [*_of_summaries(record, path), *_of_missing(record, path)]
    for row in record.rows:
        all_findings += _of_rate(row, _moved_bytes(row, tests[row.test]), path)
        all_findings += _of_parts(row, tests[row.test].get("transfer_size_bytes"), path)
    for summary in record.summaries:
        all_findings += _of_operations(record.version, summary, tests[summary.test], path)
        all_findings += _of_statistics(record, summary, tests[summary.test], path)
    all_findings += _of_stonewall(record, tests, path)
    return [*all_findings, *_of_rows_missing(record, tests, path)][:20]


def _disagreement(message: str, path: str, line: int, expected: float, actual: float) -> Finding:
    hint = "The output was edited or put together from two runs. Upload what IOR printed, unchanged."
    where = f"{path}:{line}" if line else path
    return Finding("ior.inconsistent", ERROR, message, hint, where, f"{expected:.2f} MiB/s", f"{actual:.2f} MiB/s")


def _edited_figure(message: str, path: str, line: int) -> Finding:
    """A disagreement of other figures than bandwidths."""
    hint = "The output was edited or put together from two runs. Upload what IOR printed, unchanged."
    return Finding("ior.inconsistent", ERROR, message, hint, f"{path}:{line}" if line else path)


def _of_parts(row: Row, size: float | None, path: str) -> Iterator[Finding]:
    """Opening, transferring and closing fill the time of a row, and none is longer; operations are of the transfer."""
    values, where = row.values, f"{row.op}, iteration {row.iteration}"
    total, parts = values.get("time"), [values.get(name) for name in _PARTS]
    present = [part for part in parts if part is not None]
    half = 2 * max((row.half.get(name, 0.0) for name in (*_PARTS, "time")), default=0.0)
    if total and len(present) == len(_PARTS):
        if max(present) > total + half:
            yield _edited_figure(
                f"{where}: a part of the time, {max(present):g} s, is longer than the whole, {total:g} s.",
                path,
                row.line,
            )
        elif math.fsum(present) < total * _LEAST_OF_PARTS - 2 * half:
            yield _edited_figure(
                f"{where}: opening, transferring and closing take {math.fsum(present):g} s, and all {total:g} s.",
                path,
                row.line,
            )
    rate, busy, bandwidth = values.get("iops"), values.get("transfer_time"), values.get("bandwidth")
    if size and total and rate and busy and bandwidth:
        done, moved = rate * busy * size / _MIB, bandwidth * total
        slack = math.fsum(
            row.half.get(name, 0.0) / values[name] for name in ("iops", "transfer_time", "bandwidth", "time")
        )
        if abs(done / moved - 1) > _OF_OPERATIONS + slack:
            yield _edited_figure(
                f"{where}: {rate:g} operations/s are {done:g} MiB, and the bandwidth gives {moved:g} MiB.",
                path,
                row.line,
            )


def _of_statistics(record: Record, summary: Summary, test: dict[str, float], path: str) -> Iterator[Finding]:
    """Statistics of operations are those of bandwidth, the mean time that of the rows, and few values fit together."""
    by_quantity: dict[str, dict[str, float]] = {}
    for (quantity, stat), value in summary.values.items():
        by_quantity.setdefault(quantity, {})[stat] = value
    bandwidth, size = by_quantity.get("bandwidth", {}), test.get("transfer_size_bytes")
    if size and not record.version.startswith("2."):
        for stat, rate in by_quantity.get("ops_rate", {}).items():
            computed = bandwidth.get(stat, math.nan) * _MIB / size
            if abs(rate - computed) > 0.01 * computed + 2 * _SUMMARY_ROUNDING * (1 + _MIB / size):
                yield _edited_figure(
                    f"{summary.op}: {stat} of operations is {rate:g}/s, and {computed:g}/s by its bandwidth.",
                    path,
                    summary.line,
                )
    count = int(summary.settings.get("reps") or test.get("repetitions") or 0)
    for quantity in ("bandwidth", "ops_rate"):
        if wrong := few_values.find_contradiction(by_quantity.get(quantity, {}), count, _SUMMARY_ROUNDING):
            yield _edited_figure(f"{summary.op}, {quantity}: {wrong}.", path, summary.line)
    times = [row.values["time"] for row in record.rows if _is_of(row, summary) and "time" in row.values]
    mean = by_quantity.get("time", {}).get("mean")
    if mean and times and len(times) == count:
        half = max(row.half.get("time", 0.0) for row in record.rows if _is_of(row, summary))
        if abs(mean - math.fsum(times) / count) > half + 1e-5 + 1e-4 * mean:
            yield _edited_figure(
                f"{summary.op}: the mean time is {mean:g} s, and {math.fsum(times) / count:g} s of the rows.",
                path,
                summary.line,
            )


def _is_of(row: Row, summary: Summary) -> bool:
    return (row.test, row.op) == (summary.test, summary.op)


def _of_summaries(record: Record, path: str) -> Iterator[Finding]:
    """The summary is made of the rows: maximum, minimum, mean and population deviation."""
    rows: dict[tuple[int, str], list[Row]] = {}
    for row in record.rows:
        if "bandwidth" in row.values:
            rows.setdefault((row.test, row.op), []).append(row)
    for summary in record.summaries:
        figures = {stat: value for (quantity, stat), value in summary.values.items() if quantity == "bandwidth"}
        ordered = [figures[stat] for stat in ("min", "mean", "max") if stat in figures]
        if any(low > high + _SUMMARY_ROUNDING for low, high in pairwise(ordered)):
            message = f"{summary.op}: minimum, mean and maximum are not in this order."
            yield _disagreement(message, path, summary.line, ordered[0], ordered[-1])
        best = record.best.get((summary.test, summary.op))
        if best is not None and "max" in figures and abs(best - figures["max"]) > 2 * _SUMMARY_ROUNDING:
            message = f"{summary.op}: the line `Max` and the summary differ."
            yield _disagreement(message, path, summary.line, best, figures["max"])
        made_of = rows.get((summary.test, summary.op), [])
        if made_of and len(made_of) == summary.settings.get("reps", len(made_of)):
            yield from _of_rows(summary, figures, made_of, path)


def _of_rows(summary: Summary, figures: dict[str, float], rows: list[Row], path: str) -> Iterator[Finding]:
    values = [row.values["bandwidth"] for row in rows]
    half = max(row.half["bandwidth"] for row in rows)
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    for stat, expected, allowed in (
        ("max", max(values), half),
        ("min", min(values), half),
        ("mean", mean, half),
        ("stdev", deviation, 2 * half),
    ):
        actual = figures.get(stat, expected)
        if abs(actual - expected) > allowed + _SUMMARY_ROUNDING + 1e-6 * expected:
            message = f"{summary.op}: {stat} of the rows and of the summary differ."
            yield _disagreement(message, path, summary.line, expected, actual)
            return


def _of_missing(record: Record, path: str) -> Iterator[Finding]:
    """An operation with rows has a line in the summary, and its rate."""
    summarised = {(summary.test, summary.op) for summary in record.summaries}
    for row in record.rows:
        if record.summaries and "bandwidth" in row.values and (row.test, row.op) not in summarised:
            summarised.add((row.test, row.op))
            yield _disagreement(f"{row.op} is missing in the summary.", path, row.line, row.values["bandwidth"], 0)


def _of_rate(row: Row, moved_bytes: float | None, path: str) -> list[Finding]:
    """A rate is what was moved over the time that the row prints."""
    bandwidth, seconds = row.values.get("bandwidth"), row.values.get("time")
    if not bandwidth or not seconds or not moved_bytes:
        return []
    expected = moved_bytes / _MIB / seconds
    allowed = _RATE_TOLERANCE + row.half["time"] / seconds + row.half["bandwidth"] / bandwidth
    if abs(bandwidth - expected) <= allowed * max(expected, bandwidth):
        return []
    message = f"{row.op}, iteration {row.iteration}: the bandwidth is not what was moved over the time."
    return [_disagreement(message, path, row.line, expected, bandwidth)]


def _moved_bytes(row: Row, test: dict[str, float]) -> float | None:
    """What an iteration moved: what IOR says, or what was asked for where no stonewall could stop it."""
    if row.moved_bytes is not None:
        return row.moved_bytes
    parts = [test.get(name) for name in ("tasks", "block_size_bytes", "segments")]
    if test.get("stonewall_s") or None in parts:
        return None
    return math.prod(part for part in parts if part is not None)


def _of_operations(version: str, summary: Summary, test: dict[str, float], path: str) -> Iterator[Finding]:
    """Operations times transfer size are bytes; 2.10 divides by the wrong number where there are several segments."""
    bandwidth, rate = summary.values.get(("bandwidth", "mean")), summary.values.get(("ops_rate", "mean"))
    size = test.get("transfer_size_bytes")
    if not bandwidth or not rate or not size:
        return
    if abs(rate * size / _MIB - bandwidth) <= 0.02 * bandwidth + 2 * _SUMMARY_ROUNDING * size / _MIB:
        return
    where = f"{path}:{summary.line}" if summary.line else path
    message = f"{summary.op}: {rate} operations/s of {size} bytes are not {bandwidth} MiB/s"
    if version.startswith("2."):
        message += "; IOR 2.10 counts operations wrong with several segments (-s)."
        hint = "Compare the bandwidth only."
        yield Finding("ior.ops-rate-unreliable", WARNING, message, hint, where)
    else:
        hint = "The output was edited. Upload what IOR printed, unchanged."
        yield Finding("ior.inconsistent", ERROR, f"{message}.", hint, where)


def _of_rows_missing(record: Record, tests: dict[int, dict[str, float]], path: str) -> Iterator[Finding]:
    """Each operation has a row for each repetition, and all rows and lines of the summary have the same figures."""
    counts = Counter((row.test, row.op) for row in record.rows)
    done = {(summary.test, summary.op) for summary in record.summaries} | set(record.best)
    most = max(counts.values(), default=0)
    for test, op in dict.fromkeys([*counts, *(done if counts else ())]):
        repetitions = int(tests.get(test, {}).get("repetitions") or 0) if record.has_metadata else most
        if counts[test, op] < repetitions:
            what = f"{op} of test {test} has {counts[test, op]} rows of {repetitions} repetitions."
            yield lines_missing("ior", what, path, f"{repetitions} rows", f"{counts[test, op]} rows")
    for test, op in _list_operations_asked(record, tests) - set(counts):
        yield lines_missing("ior", f"{op} of test {test} has no row, though its command asks for it.", path)
    for test, op in record.best:
        if record.summaries and (test, op) not in {(summary.test, summary.op) for summary in record.summaries}:
            yield lines_missing("ior", f"{op} of test {test} has a best rate and no line in the summary.", path)
    rows = [frozenset(row.values) for row in record.rows if row.op in ("write", "read")]
    summaries = [frozenset(summary.values) for summary in record.summaries]
    for what, figures in (("Rows", rows), ("Lines of the summary", summaries)):
        missing = frozenset().union(*figures) - frozenset.intersection(*figures) if figures else frozenset()
        if missing:
            names = ", ".join(sorted(" ".join(name) if isinstance(name, tuple) else name for name in missing))
            yield lines_missing("ior", f"{what} lack figures that others have: {names}.", path)


def _list_operations_asked(record: Record, tests: dict[int, dict[str, float]]) -> set[tuple[int, str]]:
    """The operations that the command asks for, unless a script does: -w and -r, both where it names none.

    IOR 3 has a row for what it removed, unless -k keeps the files; 4 only with -v, and 2 none.
    """
    options = options_of(record.command, VALUED)
    is_plain = "f" not in options and not _DIRECTIVE.search(record.command)
    has_rows = record.rows or record.version.startswith(("3.", "4."))
    has_ended = record.finished and record.failure is None
    if not (options and is_plain and has_ended and record.has_metadata and has_rows and len(tests) == 1):
        return set()
    ops = {op for op, letters in (("write", "wW"), ("read", "rR")) if any(letter in options for letter in letters)}
    ops = ops or {"write", "read"}
    if record.version.startswith("3.") and "k" not in options and any(row.line for row in record.rows):
        ops.add("remove")
    return {(test, op) for test in tests for op in ops}


def _of_stonewall(record: Record, tests: dict[int, dict[str, float]], path: str) -> Iterator[Finding]:
    """A stonewall that was hit without wear-out leaves ranks with different amounts of work."""
    for summary in record.summaries:
        test = tests[summary.test]
        factors = [test.get(name) for name in ("tasks", "block_size_bytes", "segments")]
        moved = summary.settings.get("aggs(MiB)")
        if not test.get("stonewall_s") or test.get("stonewall_wear_out") is not False or None in factors or not moved:
            continue
        if moved * _MIB < 0.999 * math.prod(part for part in factors if part is not None):
            message = f"{summary.op}: the stonewall stopped ranks after different amounts; the slow ones count less."
            hint = "Add -O stoneWallingWearOut=1, so that every rank moves what the fastest did."
            yield Finding("ior.stonewall-without-wear-out", WARNING, message, hint, path)
