"""Know an output of IOR by its content, and turn what it says into a run.

Bandwidths are MiB/s in every version. A run without its last line (`Finished`) never counts: an aborted one prints good
rows before. Under a stonewall, "aggregate filesize" is what was asked for, not what was moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from validators import rank_tables
from validators.benchmarks.ior import consistency, jsonform, recipe, text
from validators.benchmarks.ior.record import COMPONENTS, Record
from validators.benchmarks.ior.settings import VALUED, command_of, is_dry_run, settings_of
from validators.bundle import LINE_LIMIT, Bundle
from validators.catalogue import Reading
from validators.findings import ERROR, WARNING, Finding
from validators.launcher_output import BY_IO500, label_before, options_of, unlabelled, values_not_shown
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal, find_outputs
from validators.signs import Sign

TOOL = "ior"
JSON_LIMIT = 16 * 1024 * 1024
_BANNER = Sign(rb"^[^\r\n]{0,60}IOR-\S{1,40}: MPI Coordinated Test of Parallel I/O", b": MPI Coordinated Test of ")
_CSV = Sign(rb"^(?:\xef\xbb\xbf)?access,bw\([^,\r\n]{1,20}\),", b"access,bw(")
_CSV_OF_OLD = re.compile(rb"^\d\.\d{1,2}\.\d{1,3}[\w+]{0,8}(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d ")
_ERROR = re.compile(text.ERROR_LINE.pattern.removeprefix("^").encode())
_VERSION_KEY = re.compile(r'^(.{0,60}?)[ \t]{0,99}"Version":', re.MULTILINE)
_WIDE = tuple("MPI Coordinated Test".encode(encoding) for encoding in ("utf-16-le", "utf-16-be"))
_UNITS = COMPONENTS | {"ops_rate": "ops/s", "stonewall_time": "s", "stonewall_bandwidth": "MiB/s"}


def find_runs(bundle: Bundle) -> Reading:
    """Every output of IOR in a bundle, with its table of ranks; never raises on any content."""
    reading = find_outputs(bundle, TOOL, is_ior, read)
    rank_tables.attach(reading, bundle, b"access,rank,runtime-with-openclose,", "B/s", _rates_of_rank)
    return reading


def explain(run: Run) -> list[str]:
    """The best iteration of each operation; IOR has no score."""
    return [
        f"{row.op}, test {row.context.get('test', 0)}: {row.printed_value} {row.printed_unit}"
        for row in run.measurements
        if (row.quantity, row.stat) == ("bandwidth", "max")
    ]


def is_ior(head: bytes) -> bool:
    """Whether a file begins as one of IOR's outputs; what IO500 printed around it makes it IO500's."""
    if BY_IO500.search(head):
        return False
    return bool(
        _BANNER.search(head)
        or _is_json(head)
        or _CSV.search(head)
        or _CSV_OF_OLD.match(head)
        or _is_error(head)
        or any(wide in head for wide in _WIDE)
    )


def read(output: Output) -> list[Run]:
    """The run of one output. Raises Refusal where it cannot count."""
    head = output.bundle.head(output.path)
    if any(wide in head for wide in _WIDE):
        message = "The text is UTF-16, as a redirection in PowerShell writes it."
        raise Refusal("bad-encoding", message, "Convert it to UTF-8.")
    if _CSV_OF_OLD.match(head):
        raise text.unusable("This version of IOR writes CSV without separators.")
    return [_run(_record(output, head), output.path)]


def _rates_of_rank(names: list[str], row: list[str]) -> Iterator[tuple[str, str]]:
    if row[0] in ("write", "read"):
        yield row[0], row[names.index("throughput-withopenclose")]


def _is_json(head: bytes) -> bool:
    return not _BANNER.search(head) and b'"Command line"' in head and b'"Began"' in head


def _is_error(head: bytes) -> bool:
    begun = head[:4096]
    return b"ERROR: " in begun and any(_ERROR.match(line) for line in begun.split(b"\n"))


def _record(output: Output, head: bytes) -> Record:
    if _is_json(head):
        if output.size > JSON_LIMIT:
            raise Refusal("too-large", f"The JSON has more than {JSON_LIMIT} bytes.", "Split it by test.")
        content = "\n".join(output.lines(LINE_LIMIT))
        if (key := _VERSION_KEY.search(content)) and (label := label_before(key[1])):
            content = "\n".join(label.sub("", line) for line in content.split("\n"))
        return jsonform.read_json(content)
    if _CSV.search(head) and not _BANNER.search(head):
        return jsonform.read_csv(output.lines(), output.ledger)
    return text.read(unlabelled(output.lines()), output.ledger)


def _run(record: Record, path: str) -> Run:
    _require_whole(record)
    run = Run(TOOL, path, record.version)
    run.tests = [{"test": test.id, **_test(record, test.id)} for test in record.tests]
    run.measurements = [*_iterations(record), *_summaries(record, run)]
    run.parameters = _parameters(run, record)
    _settings_not_shown(run, record)
    run.given_options = recipe.find_options(record.command)
    run.findings = [*consistency.findings(record, run, path), *_warnings(record, path)]
    return run


def _settings_not_shown(run: Run, record: Record) -> None:
    """What makes a configuration and is in no parameter: values of options, and what a script (-f) sets."""
    if "f" in options_of(record.command, VALUED):
        run.unknown_settings.append("script")
    run.undisclosed_settings = values_not_shown(record.command, VALUED, files="ofUa")  # -a is the parameter api


def _require_whole(record: Record) -> None:
    """Raise Refusal for an output that is not that of a whole run."""
    if not record.finished and record.failure:
        line, message = record.failure
        raise Refusal(
            "run-failed", f"The run failed: {message}", "Repeat the run; what it printed before does not count.", line
        )
    if not record.finished:
        hint = f"{text.HINT_AGAIN} A phase of IO500 has no such line: upload its whole result folder."
        raise Refusal("truncated", "The output ends before its last line (Finished).", hint, record.short)
    if record.short:
        raise Refusal("inconsistent", "A row has fewer columns than its table.", text.HINT_AGAIN, record.short)
    if is_dry_run(record):
        raise Refusal("dry-run", "Nothing was measured: this is a dry run.", "Repeat it without dryRun.")
    if not record.rows and not record.summaries:
        raise Refusal("no-results", "No operation has a result.", "Ask for writes (-w) or reads (-r).")
    if record.rows and not record.summaries and record.has_metadata:
        raise Refusal("truncated", "The summary of all tests is missing.", text.HINT_AGAIN)


def _test(record: Record, id: int) -> dict[str, Any]:
    summaries = [summary for summary in record.summaries if summary.test == id]
    done = {row.op for row in record.rows if row.test == id} | {summary.op for summary in summaries}
    return {
        **settings_of(record, record.test(id), summaries),
        "operations": [op for op in ("write", "read") if op in done],
    }


def _iterations(record: Record) -> Iterator[Measurement]:
    for row in record.rows:
        context = {"test": row.test, "iter": row.iteration} if record.has_metadata else {"iter": row.iteration}
        for quantity, value in row.values.items():
            yield Measurement.printed(row.op, quantity, "iteration", value, COMPONENTS[quantity], context=context)


def _summaries(record: Record, run: Run) -> Iterator[Measurement]:
    """The rows of the summary. A single repetition has no deviation, though 0.00 is printed of it."""
    repetitions = {test["test"]: test.get("repetitions") for test in run.tests}
    for summary in record.summaries:
        for (quantity, stat), value in summary.values.items():
            if stat == "stdev" and not value and repetitions.get(summary.test) == 1:
                run.not_measured.append(f"{summary.op} {quantity} {stat}")
                continue
            context = {"test": summary.test, **_scope(record, quantity)}
            yield Measurement.printed(summary.op, quantity, stat, value, _UNITS[quantity], context=context)


def _scope(record: Record, quantity: str) -> dict[str, str]:
    """What 4.0 prints as Stonewall(MiB) is what 3.3 does, divided by the number of tasks."""
    major = re.match(r"\d{1,3}", record.version)
    if quantity != "stonewall_bandwidth" or not major:
        return {}
    return {"scope": "aggregate" if int(major[0]) < 4 else "mean per task"}


def _parameters(run: Run, record: Record) -> dict[str, Any]:
    """The settings that all tests share, how the run was started, and its shortest phase."""
    first = run.tests[0] if run.tests else {}
    same = {
        name: value
        for name, value in first.items()
        if name != "test" and all(other.get(name) == value for other in run.tests)
    }
    times = [
        measurement.value
        for measurement in run.measurements
        if measurement.quantity == "time" and measurement.op != "remove"
    ]
    return {
        **same,
        "tests": len(run.tests),
        **({"shortest_phase_s": min(times)} if times else {}),
        **({"command_line": command} if (command := command_of(record)) else {}),
    }


def _warnings(record: Record, path: str) -> Iterator[Finding]:
    if record.verification_errors:
        message = f"The data read back was wrong {record.verification_errors} times; a rate is printed all the same."
        hint = "Look for the fault in the storage before any rate of it is believed."
        yield Finding("ior.data-verification-errors", WARNING, message, hint, path)
    if record.environment_line:
        message = "The output holds the whole environment of the job (-v -v -v), with whatever is secret in it."
        hint = "Delete the lines between STARTING and ENDING ENVIRON LOOP, or pack with the collector, which does."
        yield Finding("ior.environment-dump-present", WARNING, message, hint, f"{path}:{record.environment_line}")
    if record.dropped:
        message = f"{record.dropped} lines of text stood inside the JSON; it was read without them."
        yield Finding("ior.invalid-json-repaired", WARNING, message, "Use -O summaryFile=FILE.", path)
    if record.damaged:
        message = "A line with a value of the JSON could not be read, as text stands in it."
        where = f"{path}:{record.damaged}"
        yield Finding("ior.lines-not-understood", ERROR, message, text.HINT_AGAIN, where)
    if not record.has_metadata:
        message = "CSV holds rows only: no version, interface, command line or number of nodes."
        yield Finding("ior.no-metadata-in-format", WARNING, message, "Upload the text or JSON of the run.", path)
