"""Read what fio printed: JSON wherever it stands in the text, terse lines, or the normal report.

In JSON, `bw_bytes` is B/s (`bw` is KiB/s), `runtime` ms, latencies ns. With --status-interval the documents are running
totals: the last one counts. Without group_reporting there is one entry for each process, told apart by `job`.
A job with an error still prints a bandwidth, of what it did before; it never counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from validators.benchmarks.fio import report
from validators.benchmarks.fio.members import drive, over_members
from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.findings import ERROR, INFO, WARNING, Finding
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal, find_outputs
from validators.signs import Sign
from validators.units import is_finite_number

TOOL = "fio"
DIRECTIONS = ("read", "write", "trim", "mixed")
MOST_JOBS = 10_000
PERCENTILES = {"50.000000": "p50", "99.000000": "p99", "99.900000": "p99.9"}
OPTIONS = frozenset(
    {
        "rw",
        "readwrite",
        "bs",
        "blocksize",
        "iodepth",
        "ioengine",
        "numjobs",
        "direct",
        "sync",
        "fsync",
        "size",
        "filesize",
        "io_size",
        "runtime",
        "ramp_time",
        "rwmixread",
        "rwmixwrite",
        "randrepeat",
        "rate",
        "thinktime",
        "buffered",
        "end_fsync",
        "invalidate",
        "unified_rw_reporting",
        "verify",
        "nrfiles",
    }
)
"""Options of a job that say what was measured. Directories, file names and hosts are not among them."""

_VERSION_KEY = Sign(rb'"fio version"\s*:\s*"fio-', b'"fio version"')
_TERSE = Sign(rb"^3;fio-[\w.+-]{1,40};", b"3;fio-")
_TEXT = Sign(rb"^fio-\d[\w.+-]{0,40}\r?$", b"fio-")
_DOCUMENT = re.compile(r'^\{\s*"fio version"', re.MULTILINE)
_HINT_AGAIN = "Upload what fio wrote, whole: fio --output-format=json --output=FILE."
_BANDWIDTH_TOLERANCE = 0.02
_ROUNDING_MS = 1.0
"""fio prints whole milliseconds."""


def find_runs(bundle: Bundle) -> Reading:
    """Every output of fio in a bundle; never raises on any content."""
    return find_outputs(bundle, TOOL, is_fio, read)


def explain(run: Run) -> list[str]:
    """The sums that a reader would want to check; fio has no score."""
    return [f"{total['op']}: {total['bandwidth']:.0f} B/s over {total['jobs']} job(s)" for total in totals(run)]


def is_fio(head: bytes) -> bool:
    return bool(_VERSION_KEY.search(head) or _TERSE.search(head) or (_TEXT.search(head) and b"groupid=" in head))


def read(output: Output) -> list[Run]:
    """The run of one output. Raises Refusal where it cannot count."""
    text = output.text()
    if _DOCUMENT.search(text):
        return [_json_run(output, text)]
    if '"fio version"' in text:
        raise Refusal("truncated", "The JSON of fio does not begin as it should.", _HINT_AGAIN)
    return [report.read(TOOL, output.path, text)]


def _json_run(output: Output, text: str) -> Run:
    documents, around = _documents(text)
    document = documents[-1]
    jobs = document.get("jobs")
    if not isinstance(jobs, list) or not jobs:
        raise Refusal("no-results", "fio ran no job.", "Look at the messages that fio printed on standard error.")
    if len(jobs) > MOST_JOBS or not all(isinstance(job, dict) for job in jobs):
        raise Refusal("inconsistent", "The list of jobs is not one that fio writes.", _HINT_AGAIN)
    run = Run(TOOL, output.path, version=str(document.get("fio version", "")).removeprefix("fio-")[:40])
    shared = document.get("global options")
    options = [_options(job, shared) for job in jobs]
    run.tests = [_job(job, known) for job, known in zip(jobs, options, strict=True)]
    run.measurements = [one for index, job in enumerate(jobs) for one in _measurements(job, index)]
    run.distributions = over_members(run, [drive(known.get("filename")) for known in options])
    run.parameters = _parameters(run, document)
    run.findings = [
        *_errors(jobs, output.path),
        *_disagreements(jobs, output.path),
        *_surroundings(around, output.path),
    ]
    if len(documents) > 1:
        message = f"{len(documents)} reports of one run (--status-interval): they are running totals, the last counts."
        run.findings.append(Finding("fio.several-documents", INFO, message, "", output.path))
    if not run.measurements and not run.findings:
        raise Refusal("no-results", "No job moved any data.", "Check rw= and size= of the jobs.")
    return run


def _documents(text: str) -> tuple[list[dict[str, Any]], str]:
    """Every JSON document of fio in a text, and the text around them. Raises Refusal for one that was cut."""
    decoder = json.JSONDecoder(parse_constant=lambda word: float("nan"))
    documents, around, position = [], [], 0
    while match := _DOCUMENT.search(text, position):
        around.append(text[position : match.start()])
        try:
            document, position = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError) as error:
            line = text.count("\n", 0, getattr(error, "pos", match.start())) + 1
            raise Refusal("truncated", "The JSON of fio ends before its end.", _HINT_AGAIN, line) from None
        documents.append(document)
    return documents, "".join([*around, text[position:]])


def _options(job: dict[str, Any], shared: Any) -> dict[str, Any]:
    """The options of a job, those of the whole file below its own."""
    own = job.get("job options")
    return {**(shared if isinstance(shared, dict) else {}), **(own if isinstance(own, dict) else {})}


def _job(job: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """What one job was: name, group, error, and the options that say what it measured."""
    known = {name: str(options[name])[:80] for name in sorted(OPTIONS & options.keys())}
    return {
        "name": str(job.get("jobname", ""))[:80],
        "group": job.get("groupid") if isinstance(job.get("groupid"), int) else None,
        "error": job.get("error") if isinstance(job.get("error"), int) else None,
        **known,
        "group_reporting": "group_reporting" in options,
    }


def _measurements(job: dict[str, Any], index: int) -> Iterator[Measurement]:
    """What each direction of a job did, unless it did nothing."""
    context = {"job": index}
    for op in DIRECTIONS:
        side = job.get(op)
        if not isinstance(side, dict) or not _number(side, "total_ios") or not _number(side, "io_bytes"):
            continue
        figures = [
            ("bandwidth", "mean", _number(side, "bw_bytes"), "B/s"),
            ("iops", "mean", _number(side, "iops"), "ops/s"),
            ("volume", "total", _number(side, "io_bytes"), "B"),
            ("ops", "total", _number(side, "total_ios"), "ops"),
            ("time", "total", _number(side, "runtime"), "ms"),
            ("latency", "mean", _number(side, "lat_ns", "mean"), "ns"),
            ("latency", "max", _number(side, "lat_ns", "max"), "ns"),
            *(
                ("completion_latency", stat, _number(side, "clat_ns", "percentile", key), "ns")
                for key, stat in PERCENTILES.items()
            ),
        ]
        for quantity, stat, value, unit in figures:
            if value is not None:
                yield Measurement.printed(op, quantity, stat, value, unit, context=context)


def _number(value: Any, *path: str) -> float | None:
    """A finite number that is not negative below a path of keys, or None."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if is_finite_number(value) and value >= 0 else None


def _parameters(run: Run, document: dict[str, Any]) -> dict[str, Any]:
    """The options that all jobs share, their number, and the sums of what ran at the same time."""
    names = {name for test in run.tests for name in test} - {"name", "group", "error"}
    same = {
        name: run.tests[0][name]
        for name in sorted(names)
        if name in run.tests[0] and all(test.get(name) == run.tests[0][name] for test in run.tests)
    }
    started = document.get("timestamp")
    return {
        **same,
        "jobs": len(run.tests),
        "sums": totals(run),
        **_shortest(run),
        **({"ended_timestamp_s": started} if is_finite_number(started) else {}),
    }


def _shortest(run: Run) -> dict[str, float]:
    """How long the shortest job ran, in seconds."""
    times = [one.value for one in run.measurements if one.quantity == "time"]
    return {"shortest_job_s": min(times)} if times else {}


def totals(run: Run) -> list[dict[str, Any]]:
    """Bandwidth (B/s) and rate (ops/s) of the processes of a group, which run together; groups are never added."""
    sums: dict[tuple[int, str], dict[str, Any]] = {}
    for one in run.measurements:
        if one.quantity not in ("bandwidth", "iops") or "job" not in one.context:
            continue
        group = run.tests[one.context["job"]]["group"] or 0
        total = sums.setdefault(
            (group, one.op), {"group": group, "op": one.op, "bandwidth": 0.0, "iops": 0.0, "jobs": 0}
        )
        total[one.quantity] += one.value
        total["jobs"] += one.quantity == "bandwidth"
    return list(sums.values())


def _errors(jobs: list[dict[str, Any]], path: str) -> Iterator[Finding]:
    failed = [(str(job.get("jobname", ""))[:40], job["error"]) for job in jobs if job.get("error")]
    if failed:
        names = ", ".join(f"{name or 'a job'} (error {str(error)[:10]})" for name, error in failed[:5])
        yield Finding(
            "fio.run-failed",
            ERROR,
            f"{len(failed)} of {len(jobs)} jobs failed: {names}. What they print is of the part before.",
            "Repeat the run; the message stands on standard error.",
            path,
            expected="error 0",
            actual=f"error {str(failed[0][1])[:10]}",
        )


def _disagreements(jobs: list[dict[str, Any]], path: str) -> Iterator[Finding]:
    """Bytes over run time is the bandwidth, requests over run time the rate; fio prints all of them."""
    for index, job in enumerate(jobs):
        for op in DIRECTIONS:
            side = job.get(op)
            seconds = (_number(side, "runtime") or 0.0) / 1000
            for total, printed, unit in (("io_bytes", "bw_bytes", "B/s"), ("total_ios", "iops", "ops/s")):
                amount, value = _number(side, total), _number(side, printed)
                if not seconds or amount is None or value is None:
                    continue
                computed = amount / seconds
                tolerance = _BANDWIDTH_TOLERANCE + _ROUNDING_MS / (seconds * 1000)
                if abs(value - computed) > tolerance * computed + 1:
                    yield Finding(
                        "fio.inconsistent",
                        ERROR,
                        f"Job {index} {op}: {printed} is {value:.0f}, but {total} over runtime {computed:.0f} {unit}.",
                        "The output was edited or put together from two runs. " + _HINT_AGAIN,
                        path,
                        expected=f"{computed:.0f} {unit}",
                        actual=f"{value:.0f} {unit}",
                    )


def _surroundings(around: str, path: str) -> Iterator[Finding]:
    lines = [line.strip() for line in around.split("\n") if line.strip()]
    if lines:
        notes = [line[:200] for line in lines if line.startswith("note:")]
        yield Finding(
            "fio.text-around-json",
            WARNING if notes else INFO,
            f"{len(lines)} lines of text stand around the JSON" + (f": {notes[0]}" if notes else "."),
            "Let fio write its JSON to a file of its own: --output=FILE.",
            path,
        )
