"""Read the sweep that obdfilter-survey prints: a header, and a row for each size, number of objects and threads.

The script divides KiB by 1024 and by seconds: MiB/s. Objects and threads are totals over all targets, though the
command line asks for them per target. A row is printed in pieces while it runs, so messages may stand inside it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import product

from validators.benchmarks.obdfilter_survey import detail
from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.findings import ERROR, WARNING, Finding
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal, find_outputs, printed_number
from validators.reading.accounting import lines_missing
from validators.signs import Sign

TOOL = "obdfilter-survey"
MOST_ROWS = 20_000
_MOST_DOUBLED = 30
ROW_CHARACTERS = 4 * 1024

_HEADER = r"Obdfilter-survey (?:for case=(\w{1,20}) )?from \S"
_ROW = (
    r"(?:^|[\]:] )ost +(?P<osts>\d{1,7}) +sz +(?P<total_KiB>\d{1,15})K +rsz +(?P<record_KiB>\d{1,9})K? +"
    r"obj +(?P<objects>\d{1,9}) +thr +(?P<threads>\d{1,9}) "
)
_FAILURE = (
    r"^(?:First test must be 'write'|Please specify either client_names or ost_names|Specify the server NID"
    r"|Can't load obdecho on |obdecho not setup on server|The existing setup must be cleaned)"
)
_SIGNS = (
    Sign(_HEADER.encode(), b"Obdfilter-survey "),
    Sign(_ROW.encode(), b" sz "),
    Sign(
        _FAILURE.encode(),
        b"First test",
        b"Please specify",
        b"Specify the",
        b"Can't load",
        b"obdecho",
        b"existing setup",
    ),
)
_HEADER_LINE, _ROW_BEGIN, _FAILURE_LINE = re.compile(_HEADER), re.compile(_ROW), re.compile(_FAILURE)
_STDOUT = "using LCTL="
_DONE = re.compile(r"^(?:\S{1,64}[\]:] )?done!\s*$")
_TEST_NAME = r"\b(?P<op>rewrite_again|rewrite|reread|write|read)\b"
_MESSAGES = r"(?:[^\n]{0,300}\n){0,8}? *"
"""What a remote shell says between two pieces of a row, up to the end of its line."""
_TEST = re.compile(
    _TEST_NAME
    + rf"\s+(?!\s){_MESSAGES}(?P<aggregate>-?(?:[\d.][\w.,+-]{{0,400}}|nan|inf))(?: +(?! )|(?=\n)){_MESSAGES}"
    + r"(?:\[(?P<range>[^\]\[]{1,80})\]|(?P<state>SHORT|ERROR)\b)"
)
_BEGUN = re.compile(_TEST_NAME + r"(?: +[\d.,]+)?(?: +\[[^\]]{0,80})?\s*$")
_RANGE = re.compile(r"\s*(\S{1,30}?),\s*(\S{1,30})\s*")
_ROW_CUT = re.compile(r"(?:^|[\]:] )ost +\d{0,7}(?: |$)")
_HINT_AGAIN = "Upload the summary that the script wrote, or its whole standard output."

_STATES = (
    (
        "ERROR",
        "target-error",
        "a target failed, and the aggregate counts its data as if it had moved them: it is too high.",
        "Look for the target in the detail file, repair it, repeat the survey.",
    ),
    (
        "SHORT",
        "short-run",
        "targets were done within a second, so there is no rate of single targets.",
        "Take a larger size.",
    ),
)
_MESSAGES_OF_ROWS = (
    (
        "Too much buffer space",
        "row-skipped",
        WARNING,
        "not run, as threads times record size is more than the script allows.",
        "Take fewer threads or smaller records.",
    ),
    (
        "not contiguous",
        "run-failed",
        ERROR,
        "the objects could not be created, and the script stopped there.",
        "Repair the target, repeat the survey.",
    ),
)


@dataclass(slots=True)
class _Row:
    """One row: its parameters, the rest of its text, and the line it begins at."""

    context: dict[str, int]
    line: int
    text: str = ""

    def add(self, line: str) -> bool:
        """What stands before the next row: more of this one, or a message. Whether a test of the row ends in it."""
        before = len(self.tests) if "]" in line or "SHORT" in line or "ERROR" in line else -1
        if len(self.text) < ROW_CHARACTERS:
            self.text += "\n" + line[:ROW_CHARACTERS]
        return 0 <= before < len(self.tests)

    @property
    def tests(self) -> list[re.Match[str]]:
        return list(_TEST.finditer(self.text))


@dataclass(slots=True)
class _Survey:
    """What stands between two headers."""

    case: str = ""
    is_stdout: bool = False
    is_done: bool = False
    is_cut: bool = False
    rows: list[_Row] = field(default_factory=list)


def find_runs(bundle: Bundle) -> Reading:
    """Every survey of a bundle, never raises on any content.

    Summary and standard output of one survey are one run, and its detail file tells of single targets.
    """
    reading = find_outputs(bundle, TOOL, is_survey, read)
    earlier: list[list[Measurement]] = []
    runs = []
    for run in reading.runs:
        if not run.measurements or run.measurements not in earlier:
            earlier.append(run.measurements)
            runs.append(run)
    for path, entry in bundle.files.items():
        if path not in reading.claimed and entry.size and detail.SIGN.search(bundle.head(path)):
            reading.claimed.add(path)
            runs += _with_detail(runs, Output(bundle, path))
    return Reading(runs, 0 if len(runs) == 1 else None, reading.findings, reading.claimed)


def _with_detail(runs: list[Run], output: Output) -> list[Run]:
    """Give the detail file to the run that it belongs to; without one it is a run that cannot count."""
    try:
        rows = list(detail.rows(output))
        owner = next((run for run in runs if detail.belongs(rows, run)), None)
        if owner:
            owner.findings += [*detail.attach(rows, owner, output.path), *output.left_out(owner)]
            return []
        message = "A detail file has the rates of single targets only."
        raise Refusal("no-results", message, "Upload the summary that the script wrote beside it.")
    except Refusal as refusal:
        return [Run(TOOL, output.path, findings=[refusal.finding(TOOL, output.path)])]


def explain(run: Run) -> list[str]:
    """The best row of each test; obdfilter-survey has no score."""
    best: dict[str, Measurement] = {}
    for measurement in run.measurements:
        if measurement.stat == "aggregate" and (
            measurement.op not in best or measurement.value > best[measurement.op].value
        ):
            best[measurement.op] = measurement
    return [
        f"{op}: {measurement.printed_value} {measurement.printed_unit} with {measurement.context['threads']} threads"
        for op, measurement in best.items()
    ]


def is_survey(head: bytes) -> bool:
    return any(sign.search(head) for sign in _SIGNS)


def read(output: Output) -> list[Run]:
    """The surveys of one output, in order. Raises Refusal where none can be read."""
    surveys = list(_surveys(output))
    if not surveys:
        raise Refusal("truncated", "The survey ends before its first row.", _HINT_AGAIN)
    runs = [_run(output.path, survey) for survey in surveys]
    if len(runs) > 1:
        message = f"{len(runs)} surveys stand in one file; which of them counts is not clear."
        hint = "Upload each survey as a file of its own."
        for run in runs:
            run.findings.append(_finding("several-documents", ERROR, message, hint, output.path))
    return runs


def _surveys(output: Output) -> Iterator[_Survey]:
    survey, is_stdout, rows = None, False, 0
    for number, line in enumerate(output.lines(), start=1):
        is_stdout = is_stdout or _STDOUT in line
        if header := _HEADER_LINE.search(line):
            output.ledger.claim()
            if survey:
                yield survey
            survey = _Survey(header[1] or "", is_stdout)
        elif " sz " in line and (begin := _ROW_BEGIN.search(line)):
            output.ledger.claim()
            survey = survey or _Survey(is_stdout=is_stdout)
            rows += 1
            _require_few(rows, number)
            survey.rows.append(_row(begin, line, number))
        elif survey and _ROW_CUT.search(line):
            survey.is_cut = True
            output.ledger.claim()
        elif survey and "done!" in line and _DONE.search(line):
            survey.is_done = True
            output.ledger.end()
        elif survey and survey.rows:
            if survey.rows[-1].add(line) and " thr " not in line:
                output.ledger.claim_from(survey.rows[-1].line)
        elif not survey and _FAILURE_LINE.search(line):
            raise Refusal("run-failed", "The script stopped before its first row.", "Repair the cause, repeat.", number)
    if survey:
        yield survey


def _require_few(rows: int, line: int) -> None:
    if rows > MOST_ROWS:
        message = f"The output has more than {MOST_ROWS} rows."
        raise Refusal("too-large", message, "Upload one survey in each file.", line)


def _row(begin: re.Match[str], line: str, number: int) -> _Row:
    context = {name: int(value) for name, value in begin.groupdict().items()}
    return _Row(context, number, line[begin.end() : begin.end() + ROW_CHARACTERS])


def _run(path: str, survey: _Survey) -> Run:
    run = Run(TOOL, path)
    if survey.case:
        run.parameters["case"] = survey.case
    for row in survey.rows:
        tests = row.tests
        run.measurements += [
            measurement for test in tests for measurement in _measurements(test, row, path, run.findings)
        ]
        run.tests.append({**row.context, "tests": [test["op"] for test in tests]})
    names: list[str] = max((test["tests"] for test in run.tests), key=len, default=[])
    run.parameters |= _parameters(run, names)
    run.findings += [*_notes(run, survey, path), *_completeness(run, survey, names, path)]
    if not run.measurements and not run.findings:
        run.findings.append(_finding("no-results", ERROR, "No row has a rate.", "Repeat the survey.", path))
    return run


def _measurements(test: re.Match[str], row: _Row, path: str, findings: list[Finding]) -> Iterator[Measurement]:
    """The aggregate of a test, and the extremes of single targets where it has them."""
    state = {"target_state": test["state"]} if test["state"] else {}
    context = {**row.context, **state}
    aggregate = printed_number(test["aggregate"], row.line)
    yield Measurement.printed(test["op"], "bandwidth", "aggregate", aggregate, "MiB/s", context=context)
    if not test["range"]:
        return
    extremes = _RANGE.fullmatch(test["range"])
    if extremes is None:
        raise Refusal("not-a-number", f"[{test['range'][:40]}] is no range of rates.", _HINT_AGAIN, row.line)
    low, high = printed_number(extremes[1], row.line), printed_number(extremes[2], row.line)
    if low > high:
        message = f"The slowest target of {test['op']} is faster than the fastest: {low} and {high} MiB/s."
        findings.append(_finding("inconsistent", ERROR, message, _HINT_AGAIN, f"{path}:{row.line}"))
    yield Measurement.printed(test["op"], "bandwidth", "min_ost_instant", low, "MiB/s", context=context)
    yield Measurement.printed(test["op"], "bandwidth", "max_ost_instant", high, "MiB/s", context=context)


def _notes(run: Run, survey: _Survey, path: str) -> Iterator[Finding]:
    """What rows say beside their rates, once each, at the first row that says so."""
    states = [measurement.context.get("target_state") for measurement in run.measurements]
    for state, word, message, hint in _STATES:
        if state in states:
            rows = [row for row in survey.rows if any(test["state"] == state for test in row.tests)]
            counted = f"{states.count(state)} of the tests: {message}"
            yield _finding(word, WARNING, counted, hint, f"{path}:{rows[0].line}")
    for text, word, level, message, hint in _MESSAGES_OF_ROWS:
        rows = [row for row in survey.rows if text in row.text]
        if rows:
            yield _finding(word, level, f"{len(rows)} of the rows: {message}", hint, f"{path}:{rows[0].line}")


def _parameters(run: Run, names: list[str]) -> dict[str, object]:
    """What all rows share, how many rows there are, how many tests failed, and how long the shortest test was."""
    shared = {
        name: run.tests[0][name]
        for name in ("osts", "total_KiB", "record_KiB", "objects", "threads")
        if run.tests and all(test[name] == run.tests[0][name] for test in run.tests)
    }
    rates = [measurement for measurement in run.measurements if measurement.stat == "aggregate"]
    seconds = [rate.context["total_KiB"] * 1024 / rate.value for rate in rates if rate.value]
    return {
        **shared,
        "tests": names,
        "rows": len(run.tests),
        "failed_tests": sum(rate.context.get("target_state") == "ERROR" for rate in rates),
        **({"shortest_test_s": round(min(seconds), 3)} if seconds else {}),
    }


def _completeness(run: Run, survey: _Survey, names: list[str], path: str) -> Iterator[Finding]:
    """The script ends its standard output with `done!`; a row that lacks tests was cut or stopped."""
    if not survey.rows:
        yield _finding("truncated", ERROR, "The survey ends before its first row.", _HINT_AGAIN, path)
        return
    if survey.is_cut or (survey.is_stdout and not survey.is_done):
        message = "The survey ends inside a row or before `done!`: it was stopped, or its output was cut."
        yield _finding("truncated", ERROR, message, _HINT_AGAIN, f"{path}:{survey.rows[-1].line}")
        return
    partial = [
        row
        for row, test in zip(survey.rows, run.tests, strict=True)
        if test["tests"] != names and not any(text in row.text for text, *_ in _MESSAGES_OF_ROWS)
    ]
    if not survey.is_done and not partial and _BEGUN.search(_TEST.sub(" ", survey.rows[-1].text)):
        partial = survey.rows[-1:]
    if partial:
        is_cut = partial[0] is survey.rows[-1] and not survey.is_done
        message = f"A row ends before all of its tests ({' '.join(names) or 'none'}) have a rate."
        word = "truncated" if is_cut else "incomplete"
        yield _finding(word, ERROR, message, _HINT_AGAIN, f"{path}:{partial[0].line}")
    if missing := _rows_missing(survey):
        objects, threads, record = missing[0]
        more = f" and {len(missing) - 1} others" if len(missing) > 1 else ""
        what = f"There is no row with {objects} objects, {threads} threads and records of {record}K{more}."
        yield lines_missing(TOOL, what, path)


def _rows_missing(survey: _Survey) -> list[tuple[int, ...]]:
    """Objects, threads and records between those of the rows: the script doubles each from row to row.

    It leaves out fewer threads than objects. Below the first and above the last nothing tells what it was asked for.
    """
    rows = {(row.context["objects"], row.context["threads"], row.context["record_KiB"]) for row in survey.rows}
    axes = [_list_doubled_values(values) for values in zip(*rows, strict=True)]
    if not all(axes) or len({row.context["osts"] for row in survey.rows}) > 1:
        return []
    return [row for row in product(*axes) if row[1] >= row[0] and row not in rows]


def _list_doubled_values(values: Collection[int]) -> list[int]:
    """The least of some values, its double and so on to the greatest; nothing where they are no such numbers."""
    least, greatest = min(values), max(values)
    chain = [least * 2**power for power in range(_MOST_DOUBLED) if least * 2**power <= greatest]
    return chain if least and set(values) <= set(chain) else []


def _finding(word: str, level: str, message: str, hint: str, where: str) -> Finding:
    return Finding(f"{TOOL}.{word}", level, message, hint, where)
