"""IOR's JSON and CSV, as the same record as the text gives.

Standard output of a run with a stonewall or with -v -v holds text lines inside the JSON; without the lines that cannot
be JSON it can be read. The JSON of 3.2 cannot: it has stray brackets.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from validators.benchmarks.ior import text
from validators.benchmarks.ior.record import OPERATIONS, Record, Row, Summary
from validators.outputs import Refusal
from validators.reading.accounting import Ledger
from validators.reading.endings import is_failure
from validators.units import is_finite_number

_ROWS = {
    "bwMiB": "bandwidth",
    "iops": "iops",
    "latency": "latency",
    "openTime": "open_time",
    "wrRdTime": "transfer_time",
    "closeTime": "close_time",
    "totalTime": "time",
}
_SUMMARIES = {
    "bwMaxMIB": ("bandwidth", "max"),
    "bwMinMIB": ("bandwidth", "min"),
    "bwMeanMIB": ("bandwidth", "mean"),
    "bwStdMIB": ("bandwidth", "stdev"),
    "OPsMax": ("ops_rate", "max"),
    "OPsMin": ("ops_rate", "min"),
    "OPsMean": ("ops_rate", "mean"),
    "OPsSD": ("ops_rate", "stdev"),
    "MeanTime": ("time", "mean"),
    "StoneWallTime": ("stonewall_time", "mean"),
    "StoneWallbwMeanMIB": ("stonewall_bandwidth", "mean"),
}
_SETTINGS = {
    "segmentCount": "segcnt",
    "blockSize": "blksiz",
    "transferSize": "xsize",
    "numTasks": "#Tasks",
    "tasksPerNode": "tPN",
    "repetitions": "reps",
    "xsizeMiB": "aggs(MiB)",
}
_HALF = 0.00005
"""IOR's JSON has four decimals."""
_CSV_COLUMNS = {
    "bw(MiB/s)": "bandwidth",
    "IOPS": "iops",
    "Latency": "latency",
    "open(s)": "open_time",
    "wr/rd(s)": "transfer_time",
    "close(s)": "close_time",
    "total(s)": "time",
}
_JSON_LINE = ("{", "}", "[", "]", ",", '"')
_STRANGE_NUMBER = re.compile(r'^[ \t]{0,99}"\w{1,99}": -?(?:nan|inf)', re.IGNORECASE | re.MULTILINE)
_VALUE = re.compile(r'"\w{1,40}"\s{0,4}:\s{0,4}[-"\d\[{]')
_COMMA = re.compile(r'^[ \t]{0,99}"\w{1,99}": -?\d{1,99},\d', re.MULTILINE)


def read_json(content: str) -> Record:
    """What a JSON says. Raises Refusal where it has no list of tests, or more than one output is in the file."""
    if content.count('"Command line"') > 1:
        raise Refusal("several-documents", "More than one output is in this file.", text.HINT_SPLIT)
    document, dropped = _document(content)
    tests = document.get("tests")
    if not isinstance(tests, list) or not all(isinstance(test, dict) for test in tests):
        raise Refusal("no-results", "The JSON has no list of tests.", text.HINT_AGAIN)
    record = Record(str(document.get("Version", ""))[:40], str(document.get("Command line", "")))
    record.finished, record.dropped = "Finished" in document, len(dropped)
    for index, test in enumerate(tests):
        _add_test(record, test, index)
    for summary in _objects(document.get("summary")):
        _add_summary(record, summary)
    record.damaged = next((number for number, line in dropped if _VALUE.search(line)), 0)
    for number, line in dropped:
        if record.failure is None and (line.startswith("ERROR: ") or is_failure(line)):
            record.failure = number, line[:200]
        elif match := re.search(r"Incorrect data on \w+ \((\d{1,15}) errors found\)", line):
            record.verification_errors += int(match[1])
        elif line.startswith(text.ENVIRONMENT_BEGINS):
            record.environment_line = number
    return record


def _document(content: str) -> tuple[dict[str, Any], list[tuple[int, str]]]:
    """The object, and the lines that were left out for it to be read. Raises Refusal where nothing helps."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        document, dropped = _repaired(content)
    else:
        dropped = []
    if not isinstance(document, dict):
        raise text.unusable("This JSON is not an object, as IOR writes it.")
    return document, dropped


def _repaired(content: str) -> tuple[Any, list[tuple[int, str]]]:
    json_lines, dropped = [], []
    in_environment = False
    for number, line in enumerate(content.split("\n"), start=1):
        in_environment = line.startswith(text.ENVIRONMENT_BEGINS) or (
            in_environment and not line.startswith(text.ENVIRONMENT_ENDS)
        )
        if line.lstrip().startswith(_JSON_LINE) and not in_environment:
            json_lines.append(line)
        elif line.strip():
            dropped.append((number, line.strip()))
    try:
        return json.loads("\n".join(json_lines)), dropped
    except (ValueError, RecursionError):
        raise _why_unreadable(content) from None


def _why_unreadable(content: str) -> Refusal:
    for pattern, word, what in (
        (_STRANGE_NUMBER, "not-a-number", "infinite, or no number"),
        (_COMMA, "number-format", "written with a decimal comma"),
    ):
        if match := pattern.search(content):
            message = f"{match[0].strip()[:60]} is {what}."
            return Refusal(word, message, text.HINT_AGAIN, content.count("\n", 0, match.start()) + 1)
    if '"Finished"' in content and content.rstrip().endswith("}"):
        return text.unusable("This version of IOR prints JSON that no reader can repair.")
    for number, line in enumerate(content.split("\n"), start=1):
        if line and (line.lstrip().startswith("ERROR: ") or is_failure(line)):
            return Refusal("run-failed", f"The run failed: {line.strip()[:200]}", "Repeat the run.", number)
    return Refusal("truncated", "The JSON ends before its end.", text.HINT_AGAIN)


def _add_test(record: Record, test: dict[str, Any], index: int) -> None:
    test_record = record.test(_count(test.get("TestID"), index))
    for part in ("Parameters", "Options"):
        settings = test.get(part)
        if isinstance(settings, dict):
            plain = {key: value for key, value in settings.items() if isinstance(value, (str, int, float))}
            test_record.settings |= {key[:60]: str(value)[:400] for key, value in list(plain.items())[:200]}
    row_counts: Counter[str] = Counter()
    for row in _flat(test.get("Results")):
        op = row.get("access")
        if op not in OPERATIONS:
            continue
        values = {name: value for key, name in _ROWS.items() if (value := _number(row, key)) is not None}
        if len(record.rows) >= text.MOST_ROWS:
            raise text.too_many()
        record.rows.append(Row(test_record.id, op, row_counts[op], values, dict.fromkeys(values, _HALF)))
        row_counts[op] += 1


def _flat(results: object) -> list[dict[str, Any]]:
    """Rows of every iteration: 3.3.0 has a list for each, later versions one list for all."""
    rows: list[dict[str, Any]] = []
    for entry in results if isinstance(results, list) else []:
        rows += [entry] if isinstance(entry, dict) else _objects(entry)
    return rows


def _add_summary(record: Record, summary: dict[str, Any]) -> None:
    if len(record.summaries) >= text.MOST_ROWS:
        raise text.too_many()
    op = summary.get("operation")
    if op in OPERATIONS:
        values = {name: value for key, name in _SUMMARIES.items() if (value := _number(summary, key)) is not None}
        settings = {name: value for key, name in _SETTINGS.items() if (value := _number(summary, key)) is not None}
        test = record.test(_count(summary.get("TestID"), 0))
        record.summaries.append(Summary(test.id, op, values, settings))


def read_csv(lines: Iterable[str], ledger: Ledger) -> Record:
    """What a CSV says: rows of iterations and nothing else.

    Raises Refusal where more than one output is in the file.
    """
    record = Record(has_metadata=False, finished=True)
    columns: list[str] = []
    for number, line in enumerate(lines, start=1):
        cells = line.split(",")
        if cells[0] == "access":
            if columns:
                raise Refusal("several-documents", "More than one output is in this file.", text.HINT_SPLIT, number)
            columns = [cell.strip() for cell in cells]
            ledger.claim()
        elif cells[0] in OPERATIONS and columns:
            _add_line(record, columns, cells, number)
            ledger.claim()
        elif record.failure is None and (line.startswith("ERROR: ") or is_failure(line)):
            record.failure, record.finished = (number, line[:200]), False
    return record


def _add_line(record: Record, columns: list[str], cells: list[str], number: int) -> None:
    if len(cells) != len(columns):
        if len(cells) > len(columns):
            raise Refusal("number-format", "A row has more cells than columns.", text.HINT_AGAIN, number)
        raise Refusal("truncated", "A row ends before its end.", text.HINT_AGAIN, number)
    if len(record.rows) >= text.MOST_ROWS:
        raise text.too_many()
    named = dict(zip(columns, (cell.strip() for cell in cells), strict=True))
    row = text.row_of(0, cells[0], {name: named[key] for key, name in _CSV_COLUMNS.items() if key in named}, number)
    row.iteration = _count(text.number_of(named.get("iter", "0"), number), 0)
    record.rows.append(row)
    settings = record.test(0).settings
    settings["repetitions"] = str(max(int(settings.get("repetitions", 0)), row.iteration + 1))
    for key, name in (("numTasks", "tasks"), ("xfer(KiB)", "transferSize"), ("block(KiB)", "blockSize")):
        value = text.number_of(named.get(key, "-"), number)
        if value is not None:
            settings[name] = f"{value * (1024 if 'KiB' in key else 1):.0f}"


def _objects(value: object) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _number(value: dict[str, Any], key: str) -> float | None:
    """A finite number that is not negative; None where there is none. Raises Refusal for any other."""
    number = value.get(key)
    if number is None:
        return None
    if not is_finite_number(number) or number < 0:
        raise Refusal("not-a-number", f"{key} is {str(number)[:40]}.", text.HINT_AGAIN)
    return float(number)


def _count(value: object, otherwise: int) -> int:
    return int(value) if isinstance(value, (int, float)) and 0 <= value < 10**9 else otherwise
