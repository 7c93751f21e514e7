"""Read what fio printed: JSON wherever it stands in the text, terse lines, or the normal report.

What the keys of JSON are in, by version, is in `directions.py`. With --status-interval the documents are running
totals: the last one counts. Without group_reporting there is one entry for each process, told apart by `job`.
A job with an error still prints a bandwidth, of what it did before; it never counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from validators.benchmarks.fio import report
from validators.benchmarks.fio.directions import (
    ROUNDING_MS,
    TOLERANCE,
    did_work,
    figures,
    is_rate_of,
    number,
    volume_unit,
)
from validators.benchmarks.fio.members import drive, over_members
from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.findings import ERROR, INFO, WARNING, Finding
from validators.launcher_output import place
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal, find_outputs
from validators.signs import Sign
from validators.units import is_finite_number

TOOL = "fio"
DIRECTIONS = ("read", "write", "trim", "mixed")
MOST_JOBS = 10_000
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

_FILES = frozenset({"filename", "directory", "opendir", "filename_format"})
_ASIDE = frozenset(
    {
        "name",
        "description",
        "output",
        "output-format",
        "group_reporting",
        "stonewall",
        "write_bw_log",
        "write_lat_log",
        "write_hist_log",
        "write_iops_log",
        "log_avg_msec",
        "client",
        "status-interval",
    }
)
"""Options that change nothing of what is measured."""

_VERSION_KEY = Sign(rb'"fio version"\s*:\s*"fio-', b'"fio version"')
_TERSE = Sign(rb"^3;fio-[\w.+-]{1,40};", b"3;fio-")
_TEXT = Sign(rb"^fio-\d[\w.+-]{0,40}\r?$", b"fio-")
_DOCUMENT = re.compile(r'^\{\s*"fio version"', re.MULTILINE)
_HINT_AGAIN = "Upload what fio wrote, whole: fio --output-format=json --output=FILE."
_NO_NUMBER = re.compile(r"(?<=: )-?(?:nan|inf)\b")
"""What C prints for a number that is none, which JSON does not know."""
_RUNTIME = re.compile(r"(\d{1,9})(us|ms|s|m|h|d)?", re.ASCII)
_SECONDS = {None: 1, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86400}
_LEAST_OF_RUNTIME = 0.9
_STOPPED = re.compile(r"^fio: terminating on signal (\d{1,3})", re.MULTILINE)


def find_runs(bundle: Bundle) -> Reading:
    """Every output of fio in a bundle; never raises on any content."""
    return find_outputs(bundle, TOOL, is_fio, read)


def explain(run: Run) -> list[str]:
    """The sums that a reader would want to check; fio has no score."""
    return [
        f"{total['op']}: {total['bandwidth']:.0f} B/s over {total['jobs']} job(s)"
        for total in totals(run)
        if "bandwidth" in total
    ]


def is_fio(head: bytes) -> bool:
    return bool(_VERSION_KEY.search(head) or _TERSE.search(head) or (_TEXT.search(head) and b"groupid=" in head))


def read(output: Output) -> list[Run]:
    """The run of one output. Raises Refusal where it cannot count."""
    text = _NO_NUMBER.sub("NaN", output.text())
    if _DOCUMENT.search(text):
        return [_json_run(output, text)]
    if '"fio version"' in text:
        raise Refusal("truncated", "The JSON of fio does not begin as it should.", _HINT_AGAIN)
    run = report.read(TOOL, output.path, text)
    run.findings += stopped(text, output.path)
    return [run]


def _json_run(output: Output, text: str) -> Run:
    documents, around = _documents(text)
    document = documents[-1]
    jobs = document.get("jobs")
    if not jobs and document.get("client_stats"):
        message = "These are results of fio's client and server mode (client_stats), which are not read here."
        raise Refusal("not-supported", message, "Run fio on each client with --output-format=json.")
    if not isinstance(jobs, list) or not jobs:
        raise Refusal(
            "no-results", "The JSON lists no job.", "Look at the messages that fio printed on standard error."
        )
    if len(jobs) > MOST_JOBS or not all(isinstance(job, dict) for job in jobs):
        raise Refusal("inconsistent", "The list of jobs is not one that fio writes.", _HINT_AGAIN)
    run = Run(TOOL, output.path, version=str(document.get("fio version", "")).removeprefix("fio-")[:40])
    shared = document.get("global options")
    options = [_options(job, shared) for job in jobs]
    run.tests = [_job(job, known) for job, known in zip(jobs, options, strict=True)]
    for index, (job, known) in enumerate(zip(jobs, options, strict=True)):
        run.operations_done += [(op, {"job": index}) for op in DIRECTIONS if did_work(job.get(op))]
        run.measurements += _measurements(job, index, _block_size(known))
    run.distributions = over_members(run, [drive(known.get("filename")) for known in options])
    run.parameters = _parameters(run, document)
    run.states_all_settings = all(isinstance(job.get("job options"), dict) for job in jobs)
    run.undisclosed_settings = _undisclosed(options)
    run.findings = [
        *_errors(jobs, output.path),
        *stopped(around, output.path),
        *_short(jobs, options, output.path),
        *_disagreements(jobs, options, output.path),
        *_surroundings(around, output.path),
    ]
    if len(documents) > 1:
        message = f"{len(documents)} reports of one run (--status-interval): they are running totals, the last counts."
        run.findings.append(Finding("fio.several-documents", INFO, message, "", output.path))
    if not run.measurements and not run.operations_done and not run.findings:
        raise Refusal("no-results", "No job has a figure above 0.", "Check rw= and size= of the jobs.")
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


def _undisclosed(options: list[dict[str, Any]]) -> dict[str, str]:
    """Options beside those that are shown, to compare runs by: all but names, reports, and what has its place.

    Of paths only the place counts, unless it is a device.
    """
    found: dict[str, list[str]] = {}
    for known in options:
        for name in known.keys() - OPTIONS - _ASIDE:
            value = str(known[name])
            found.setdefault(name, []).append(place(value) if name in _FILES and not drive(value) else value)
    return {name: repr(values) for name, values in sorted(found.items())}


def _block_size(options: dict[str, Any]) -> Any:
    """The size of all requests of a job; None where it is not given, or varies."""
    varies = ("bssplit", "bsrange", "blocksize_range", "bs_unaligned", "blocksize_unaligned")
    return None if any(name in options for name in varies) else options.get("bs", options.get("blocksize"))


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


def _measurements(job: dict[str, Any], index: int, block_size: Any) -> Iterator[Measurement]:
    """What each direction of a job did, unless it did nothing."""
    for op in DIRECTIONS:
        side = job.get(op)
        if isinstance(side, dict) and did_work(side):
            for quantity, stat, value, unit in figures(side, block_size):
                yield Measurement.printed(op, quantity, stat, value, unit, context={"job": index})


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
    times = [measurement.value for measurement in run.measurements if measurement.quantity == "time"]
    return {"shortest_job_s": min(times)} if times else {}


def totals(run: Run) -> list[dict[str, Any]]:
    """Bandwidth (B/s) and rate (ops/s) of the processes of a group, which run together; groups are never added.

    A sum is left out where a process of the group has no such figure.
    """
    sums: dict[tuple[int, str], dict[str, Any]] = {}
    rates = {
        (measurement.op, measurement.context.get("job"), measurement.quantity): measurement.value
        for measurement in run.measurements
    }
    jobs = dict.fromkeys(
        (measurement.op, measurement.context["job"]) for measurement in run.measurements if "job" in measurement.context
    )
    for op, job in jobs:
        group = run.tests[job]["group"] or 0
        total = sums.setdefault((group, op), {"group": group, "op": op, "bandwidth": 0.0, "iops": 0.0, "jobs": 0})
        total["jobs"] += 1
        for quantity in ("bandwidth", "iops"):
            rate = rates.get((op, job, quantity))
            if not rate:
                total.pop(quantity, None)
            elif quantity in total:
                total[quantity] += rate
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


def stopped(text: str, path: str) -> Iterator[Finding]:
    """That fio says of a signal which ended it."""
    if match := _STOPPED.search(text):
        yield Finding(
            "fio.interrupted",
            ERROR,
            f"Signal {match[1]} ended fio before its jobs were done. What it prints is of the part before.",
            "Repeat the run, and let it end by itself.",
            path,
            actual=match[0],
        )


def _short(jobs: list[dict[str, Any]], options: list[dict[str, Any]], path: str) -> Iterator[Finding]:
    """Jobs that were to run for a time, whatever their size, and did not; a steady state may end them before."""
    for index, (job, known) in enumerate(zip(jobs, options, strict=True)):
        asked = _seconds(known.get("runtime"))
        times = [time for op in DIRECTIONS if (time := number(job.get(op), "runtime"))]
        can_end_before = any(name.startswith(("ss", "steadystate", "number_ios", "io_size")) for name in known)
        is_timed = str(known.get("time_based", "0")) in ("", "1")  # fio prints "1" or nothing for a flag
        if not asked or not times or not is_timed or can_end_before:
            continue
        if max(times) / 1000 < _LEAST_OF_RUNTIME * asked:
            yield Finding(
                "fio.interrupted",
                WARNING,
                f"Job {index} was to run for {asked:g} s (time_based) and ran for {max(times) / 1000:g} s.",
                "Look at what fio printed on standard error, and repeat the run.",
                path,
                expected=f"{asked:g} s",
                actual=f"{max(times) / 1000:g} s",
            )
            return


def _seconds(text: Any) -> float:
    """The option `runtime` in seconds, which it is in without a unit; 0 where there is none."""
    found = _RUNTIME.fullmatch(text) if isinstance(text, str) else None
    return int(found[1]) * _SECONDS[found[2]] if found else 0.0


def _disagreements(jobs: list[dict[str, Any]], options: list[dict[str, Any]], path: str) -> Iterator[Finding]:
    """Bytes over run time is the bandwidth, requests over run time the rate; fio prints all of them."""
    for index, (job, known) in enumerate(zip(jobs, options, strict=True)):
        for op in DIRECTIONS:
            side = job.get(op)
            if not isinstance(side, dict):
                continue
            seconds = (number(side, "runtime") or 0.0) / 1000
            for total, printed, unit in (("io_bytes", "bw_bytes", "B/s"), ("total_ios", "iops", "ops/s")):
                amount, value = number(side, total), number(side, printed)
                if not seconds or amount is None or value is None:
                    continue
                computed = amount / seconds
                tolerance = TOLERANCE + ROUNDING_MS / (seconds * 1000)
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
            yield from _unknown_unit(side, _block_size(known), f"Job {index} {op}", path)


def _unknown_unit(side: dict[str, Any], block_size: Any, place: str, path: str) -> Iterator[Finding]:
    """That volume and bandwidth of an old version agree in no unit, so that neither is taken."""
    volume = number(side, "io_bytes")
    if not volume or volume_unit(side, block_size) or number(side, "bw") is None or not number(side, "runtime"):
        return
    in_units = [unit for unit in ("B", "KiB") if is_rate_of(side, volume, unit)]
    yield Finding(
        "fio.inconsistent",
        ERROR,
        f"{place}: bw, io_bytes, its runtime and the size of its requests do not agree, whether io_bytes is B or KiB.",
        "The output was edited or put together from two runs. " + _HINT_AGAIN,
        path,
        expected="io_bytes over runtime = bw (KiB/s), and requests of the block size",
        actual=f"io_bytes over runtime fits bw as {' and '.join(in_units) or 'neither B nor KiB'}",
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
