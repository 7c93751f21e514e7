"""Know an output of mdtest by its content, and turn what it says into a run.

Until 3.3 the statistics are over all ranks and iterations; since 4.0 over iterations, of the slowest rank times tasks.
A row of zeros is a phase that was not run. Failed operations are counted in the rate, and the exit status is 0.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from validators import rank_tables
from validators.benchmarks.mdtest import consistency, recipe, text
from validators.benchmarks.mdtest.recipe import VALUED
from validators.benchmarks.mdtest.text import Record, Row, Table, Test
from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.findings import ERROR, WARNING, Finding
from validators.launcher_output import BY_IO500, command_shape, options_of, unlabelled, values_not_shown
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal, find_outputs
from validators.reading.accounting import lines_missing
from validators.signs import Sign
from validators.units import to_canonical

TOOL = "mdtest"
_MARGIN = 1.2
"""Of times that are computed from a rate, over those of a clock of whole seconds."""
OVER_RANKS = "ranks and iterations, population stdev"
OVER_ITERATIONS = "iterations (slowest rank x tasks), sample stdev"
_BANNER = Sign(rb"^[^\r\n]{0,60}mdtest-\S{1,40} was launched with \d{1,9} total task", b" was launched with ")
_ERROR = re.compile(text.ERROR_LINE.pattern.removeprefix("^").encode())
_WIDE = tuple(" was launched with ".encode(encoding) for encoding in ("utf-16-le", "utf-16-be"))
_NEEDED = {
    "files": ("file_create", "file_stat", "file_read", "file_remove"),
    "directories": ("dir_create", "dir_stat", "dir_remove"),
}
_PHASES = {"create": "C", "stat": "T", "read": "E", "remove": "r", "rename": "U"}
"""Options that choose phases; without any of them all are run."""
_ROUNDING = 0.0006
_PRECISE = 0.01
"""Times of fewer digits say nothing of their unit."""


def find_runs(bundle: Bundle) -> Reading:
    """Every output of mdtest in a bundle, with its table of ranks; never raises on any content."""
    reading = find_outputs(bundle, TOOL, is_mdtest, read)
    rank_tables.attach(reading, bundle, b"rank,items,rate-", "ops/s", _rates_of_rank)
    return reading


def explain(run: Run) -> list[str]:
    """The mean of each operation; mdtest has no score."""
    return [
        f"{measurement.op}: {measurement.printed_value} {measurement.printed_unit}"
        for measurement in run.measurements
        if measurement.stat == "mean"
    ]


def is_mdtest(head: bytes) -> bool:
    """Whether a file begins as an output of mdtest; what IO500 printed around it makes it IO500's."""
    if BY_IO500.search(head):
        return False
    begun = head[:4096]
    errors = b"ERROR: " in begun and any(_ERROR.match(line) for line in begun.split(b"\n"))
    return bool(_BANNER.search(head) or errors or any(wide in head for wide in _WIDE))


def read(output: Output) -> list[Run]:
    """The run of one output. Raises Refusal where it cannot count."""
    head = output.bundle.head(output.path)
    if any(wide in head for wide in _WIDE):
        message = "The text is UTF-16, as a redirection in PowerShell writes it."
        raise Refusal("bad-encoding", message, "Convert it to UTF-8.")
    record = text.read(unlabelled(output.lines()), output.ledger)
    _require_whole(record)
    return [_run(record, output.path)]


def _rates_of_rank(names: list[str], row: list[str]) -> Iterator[tuple[str, str]]:
    """The row `all` holds the rates of the whole, and rank 0 alone makes and removes the tree."""
    for name, text_of_cell in zip(names, row, strict=False):
        op = text.OPERATIONS.get(name.removeprefix("rate-"))
        if row[0] != "all" and op and name.startswith("rate-") and text_of_cell and not op.startswith("tree"):
            yield op, text_of_cell


def _require_whole(record: Record) -> None:
    """Raise Refusal for an output that is not that of a whole run."""
    if not record.finished and record.failure:
        line, message = record.failure
        hint = "Repeat the run; what it printed before does not count."
        raise Refusal("run-failed", f"The run failed: {message}", hint, line)
    tables = [table for test in record.tests for table in test.tables]
    table_count = 2 if "P" in options_of(record.command, VALUED) else 1
    if not tables or any(len(test.tables) < table_count for test in record.tests) or record.short:
        word = "inconsistent" if record.finished else "truncated"
        raise Refusal(word, "The summary is missing, or a part of it.", text.HINT_AGAIN, record.short)
    for test in record.tests:
        for table in test.tables:
            _require_rows(test, table, record.finished)


def _require_rows(test: Test, table: Table, finished: bool) -> None:
    """A table has a row for every operation on the kind of items, run or not, and ends with the tree."""
    ops = {row.op for row in table.rows}
    needed = {op for kind in test.kind.split("/") for op in _NEEDED.get(kind, ())} | {"tree_create", "tree_remove"}
    if missing := sorted(needed - ops):
        word = "inconsistent" if finished else "truncated"
        raise Refusal(word, f"The summary has no row for {', '.join(missing)}.", text.HINT_AGAIN)
    if len(ops) != len(table.rows):
        raise Refusal("inconsistent", "The summary has two rows for one operation.", text.HINT_AGAIN)


def _run(record: Record, path: str) -> Run:
    run = Run(TOOL, path, record.version)
    options = options_of(record.command, VALUED)
    for index, test in enumerate(record.tests):
        context = {"test": index} if len(record.tests) > 1 else {}
        run.tests.append({**context, **_settings(test, options)})
        run.measurements += [*_table_measurements(test, options, context, run), *_other_measurements(test, context)]
    run.parameters = _parameters(run, record, options)
    run.undisclosed_settings = values_not_shown(record.command, VALUED, files="dx")
    if '"' in record.command:  # the mdtest of IOR 3.2 calls itself 1.9.3, as an older program does, and prints quotes
        run.undisclosed_settings["build"] = "of IOR"
    run.given_options = recipe.find_options(record.command)
    run.findings = [*_disagreements(record, options, path), *_failures(record, path), *_warnings(record, path)]
    if not run.measurements and not run.findings:
        raise Refusal("no-results", "No phase was run.", "Ask for phases: -C, -T, -E, -r, or none of them for all.")
    return run


def _not_run(test: Test, options: dict[str, str]) -> list[str]:
    """Phases whose rate is zero; in a table of times alone, zeros of phases that were not chosen."""
    rates = [table for table in test.tables if table.quantity == "rate"]
    if rates:
        return sorted(row.op for row in rates[0].rows if row.is_empty)
    chosen = {phase for phase, letter in _PHASES.items() if letter in options}
    empty = [row.op for row in test.tables[0].rows if row.is_empty]
    return sorted(op for op in empty if chosen and op.rpartition("_")[2] not in chosen)


def _is_over_ranks(test: Test) -> bool:
    """By the form of the rows, for the version does not tell: the mdtest of IOR 3.2 calls itself 1.9.3."""
    return any(row.has_colon for table in test.tables for row in table.rows)


def _table_measurements(
    test: Test, options: dict[str, str], context: dict[str, Any], run: Run
) -> Iterator[Measurement]:
    """The rows of the summary. A single value has no deviation, though 0.000 is printed of it."""
    missing = _not_run(test, options)
    scope = {"scope": OVER_RANKS if _is_over_ranks(test) else OVER_ITERATIONS}
    for table in test.tables:
        values = table.iterations * (test.tasks if _is_over_ranks(test) else 1)
        for row in table.rows:
            for stat, value in row.figures.items() if row.op not in missing else ():
                if stat == "stdev" and not value and values == 1:
                    run.not_measured.append(f"{row.op} {table.quantity} {stat}")
                    continue
                stat_context = context if stat in text.RANK_STATS else context | scope
                yield Measurement.printed(row.op, table.quantity, stat, value, table.unit, context=stat_context)


def _other_measurements(test: Test, context: dict[str, Any]) -> Iterator[Measurement]:
    """Rates of rank 0 in each iteration (-v), and how far ranks came until the stonewall."""
    for iteration, op, rate, seconds in test.iterations:
        iteration_context = context | {"iter": iteration, "scope": "rank 0"}
        yield Measurement.printed(op, "rate", "iteration", rate, "ops/s", context=iteration_context)
        yield Measurement.printed(op, "time", "iteration", seconds, "s", context=iteration_context)
    for op, rate in test.until_stonewall:
        yield Measurement.printed(op, "stonewall_rate", "mean", rate, "ops/s", context=context)
    for index, (low, high, mean) in enumerate(test.stonewalls):
        for stat, value in (("min", low), ("max", high), ("mean", mean)):
            yield Measurement.printed("stonewall", "items", stat, value, "count", context=context | {"hit": index})


def _settings(test: Test, options: dict[str, str]) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "tasks": test.tasks,
        "items_total": test.items or None,
        "items_kind": test.kind or None,
        "iterations": test.tables[0].iterations,
        "statistics_over": OVER_RANKS if _is_over_ranks(test) else OVER_ITERATIONS,
        "not_run": _not_run(test, options),
    }
    if test.stonewalls:
        settings["stonewall"] = dict(zip(("min", "max", "avg"), test.stonewalls[0], strict=True))
    return {name: value for name, value in settings.items() if value is not None}


def _parameters(run: Run, record: Record, options: dict[str, str]) -> dict[str, Any]:
    """What all tests share, and what the command line says of names, sizes and placement."""
    first = run.tests[0]
    same = {
        name: value
        for name, value in first.items()
        if name != "test" and all(other.get(name) == value for other in run.tests)
    }
    numbers = {"write_bytes": "w", "read_bytes": "e", "stonewall_s": "W", "depth": "z", "branch_factor": "b"}
    numbers |= {"items_per_dir": "I", "items_per_task": "n", "stride": "N"}
    flags = {"unique_dir_per_task": "u", "leaf_only": "L", "sync_file": "y", "shared_file": "S"}
    return {
        **same,
        "client_nodes": record.nodes,
        **{name: int(options[letter]) for name, letter in numbers.items() if _is_count(options.get(letter, ""))},
        **({name: letter in options for name, letter in flags.items()} if record.command else {}),
        **({"command_line": command_shape(record.command, VALUED)} if record.command else {}),
    }


def _is_count(value: str) -> bool:
    return re.fullmatch(r"\d{1,15}", value) is not None


def _items_each(test: Test, options: dict[str, str]) -> int | None:
    """What each task was asked for with -n; with -I, -b and -z it depends on the tree."""
    each = options.get("n", "")
    return int(each) if _is_count(each) and not {"I", "b", "z"} & set(options) else None


def _disagreements(record: Record, options: dict[str, str], path: str) -> Iterator[Finding]:
    rows = [row for test in record.tests for table in test.tables for row in table.rows]
    for row in rows:
        for names in (("min", "mean", "max"), ("rank_min", "rank_mean", "rank_max")):
            ordered = [row.figures[name] for name in names if name in row.figures]
            if any(low > high * (1 + 1e-9) + _ROUNDING for low, high in pairwise(ordered)):
                yield _disagreement(f"{row.op}: {', '.join(names)} are not in this order.", row, path)
    for test in record.tests:
        for row, most in _most_deviations(test):
            if row.figures["stdev"] > most:
                yield _disagreement(f"{row.op}: the deviation is larger than minimum and maximum allow.", row, path)
        over_ranks, each = _is_over_ranks(test), _items_each(test, options)
        for row, wrong in (
            *consistency.of_few_values(test, over_ranks=over_ranks),
            *consistency.of_rates_and_times(test, in_seconds=not over_ranks and _are_seconds(test)),
        ):
            yield _disagreement(f"{row.op}: {wrong}.", row, path)
        for wrong in consistency.of_counts(test, each):
            yield Finding("mdtest.inconsistent", ERROR, f"{wrong[0].upper()}{wrong[1:]}.", text.HINT_AGAIN, path)
        if test.kind and not record.tasks >= test.tasks > 0:
            message = f"{test.tasks} tasks took part of the {record.tasks} that were launched."
            yield Finding("mdtest.inconsistent", ERROR, message, text.HINT_AGAIN, path)


def _most_deviations(test: Test) -> Iterator[tuple[Row, float]]:
    """The largest deviation that values between minimum and maximum can have; a sample of n is wider than all of it."""
    for table in test.tables:
        sample = 1.0 if _is_over_ranks(test) else math.sqrt(table.iterations / max(table.iterations - 1, 1))
        for row in table.rows:
            half = (row.figures["max"] - row.figures["min"]) / 2
            yield row, abs(half) * sample * 1.001 + 3 * _ROUNDING


def _disagreement(message: str, row: Row, path: str) -> Finding:
    hint = "The output was edited. " + text.HINT_AGAIN
    actual = " ".join(f"{name} {value:.3f}" for name, value in row.figures.items())
    return Finding("mdtest.inconsistent", ERROR, message, hint, f"{path}:{row.line}", actual=actual)


def _failures(record: Record, path: str) -> Iterator[Finding]:
    if record.failed:
        counts = ", ".join(f"{count} x {what}" for what, count in sorted(record.failed.items()))
        message = f"Operations failed ({counts}), and are counted in the rates all the same."
        hint = "Create first what is to be read, in the same directory, and repeat the run."
        where = f"{path}:{record.first_failed}"
        yield Finding("mdtest.operations-failed", ERROR, message, hint, where, expected="0", actual=counts)


def _warnings(record: Record, path: str) -> Iterator[Finding]:
    tables = [table for test in record.tests for table in test.tables]
    if not record.finished:
        message = "The last line (finished at) is missing; the summary is whole."
        yield Finding("mdtest.no-finished-line", WARNING, message, "Check that the run ended by itself.", path)
    if all(table.quantity == "time" for table in tables):
        message = "Times were printed, not rates (-Z). mdtest labels them ms/op; they are seconds of the whole phase."
        yield Finding("mdtest.time-not-rate", WARNING, message, "Repeat with -P, which prints both.", path)
    elif any(_are_seconds(test) for test in record.tests):
        message = "With the rates beside them, the times can only be seconds of the whole phase, whatever their label."
        yield Finding("mdtest.time-unit-doubtful", WARNING, message, "Compare the rates.", path)
    for test in record.tests:
        yield from _lines_missing(record, test, path)
    if _has_no_stonewall(record):
        what = "Not all items can have been made in that time: the line of the stonewall that stopped them is missing."
        yield lines_missing(TOOL, what, path)
    if record.setup_failed:
        message = "A directory around the items was not made or removed; it is not part of what was timed."
        hint = "Look whether it was left by a run before."
        yield Finding("mdtest.directory-failed", WARNING, message, hint, f"{path}:{record.setup_failed}")
    if record.wrong_data:
        message = "The data read back was wrong; rates are printed all the same."
        hint = "Look for the fault in the storage before any rate of it is believed."
        yield Finding("mdtest.data-verification-errors", WARNING, message, hint, f"{path}:{record.wrong_data}")


def _lines_missing(record: Record, test: Test, path: str) -> Iterator[Finding]:
    """Tables have the same rows, and each iteration that -v tells of has all rates."""
    rows = [{row.op for row in table.rows} for table in test.tables]
    missing = set[str]().union(*rows) - set(rows[0]).intersection(*rows) if rows else set[str]()
    if record.version.startswith("4.") and "directories" in test.kind and rows and "dir_rename" not in rows[0]:
        missing.add("dir_rename")
    if missing:
        yield lines_missing(TOOL, f"A summary has no row for {', '.join(sorted(missing))}.", path)
    counts = Counter(op for _, op, _, _ in test.iterations)
    iterations = {iteration for iteration, *_ in test.iterations}
    short = sorted(op for op, count in counts.items() if count < max(counts.values()))
    if short or (iterations and len(iterations) < test.tables[0].iterations):
        what = f"The rates of rank 0 (-v) are not there for each of {test.tables[0].iterations} iterations."
        yield lines_missing(TOOL, what, path)


def _has_no_stonewall(record: Record) -> bool:
    """Whether the stonewall (-W) must have been hit, by rate and clock, and no line says so.

    mdtest has no such line where all tasks did as much as each other, as one task always does.
    """
    options = options_of(record.command, VALUED)
    if "W" not in options or len(record.tests) != 1 or len(record.clock) != 2 or record.tests[0].tasks < 2:
        return False
    (test,), (started, finished) = record.tests, record.clock
    rates = [
        row.figures["mean"]
        for table in test.tables
        if table.quantity == "rate"
        for row in table.rows
        if row.op in ("file_create", "dir_create") and row.figures["mean"]
    ]
    least_s = [test.items / rate for rate in rates if "files/directories" not in test.kind]
    return not test.stonewalls and any(seconds > _MARGIN * (finished - started + 1) for seconds in least_s)


def _are_seconds(test: Test) -> bool:
    """Whether times are labelled as rates, or do not fit the rates as ms/op: seconds of all items together."""
    rates = {row.op: row.figures["mean"] for table in test.tables if table.quantity == "rate" for row in table.rows}
    for table in test.tables:
        if (table.quantity, table.label) == ("time", "ops/sec"):
            return True
        for row in table.rows if table.unit == "ms/op" else ():
            tasks_at_work = rates.get(row.op, 0.0) * to_canonical(row.figures["mean"], "ms/op")[0]
            if row.figures["mean"] > _PRECISE and not any(
                0.2 < tasks_at_work / tasks < 5 for tasks in (1, max(test.tasks, 1))
            ):
                return True
    return False
