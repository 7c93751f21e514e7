"""Read what fio printed: JSON wherever it stands in the text, terse lines, or the normal report.

What the keys of JSON are in, by version, is in `directions.py`. With --status-interval the documents are running
totals: the last one counts. Without group_reporting there is one entry for each process, told apart by `job`.
A job with an error still prints a bandwidth, of what it did before; it never counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from validators.benchmarks.fio import agreement, consistency, recipe, report, terse
from validators.benchmarks.fio.consistency import HINT_AGAIN
from validators.benchmarks.fio.directions import ALL_CLIENTS, DIRECTIONS, SYNC, did_work, figures, number, sync_figures
from validators.benchmarks.fio.documents import (
    DOCUMENT,
    SEVERAL,
    Document,
    documents_of,
    is_continued,
    missing_keys,
)
from validators.benchmarks.fio.members import drive, over_members
from validators.benchmarks.fio.sums import parameters_of
from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.findings import ERROR, INFO, Finding
from validators.launcher_output import place
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal, find_outputs
from validators.reading.accounting import lines_missing
from validators.signs import Sign
from validators.times import from_timestamp
from validators.units import is_finite_number

TOOL = "fio"
MOST_JOBS = 10_000
MOST_UNKNOWN = 20
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
        "rate_iops",
        "rate_min",
        "rate_iops_min",
        "latency_target",
        "zonemode",
        "continue_on_error",
        "time_based",
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
_TERSE = Sign(rb"^[345];fio-[\w.+-]{1,40};|^2;[^;\n]{1,255};\d{1,9};\d{1,9};(?:\d{1,20};){4}", b";fio-", b"%=")
_TEXT = Sign(
    rb"^fio-\d[\w.+-]{0,40}[ \t\r]{0,400}$|^\d\.\d{1,3}\.\d{1,3}\r?$|^hostname=\S{1,253}, be=\d, .{1,80}, fio=fio-",
    b"fio-",
    b"(g=",
)
_NO_NUMBER = re.compile(r"(?<=: )-?(?:nan|inf)\b")
"""What C prints for a number that is none, which JSON does not know."""


def find_runs(bundle: Bundle) -> Reading:
    """Every output of fio in a bundle; never raises on any content."""
    return find_outputs(bundle, TOOL, is_fio, read)


def explain(run: Run) -> list[str]:
    """The sums that a reader would want to check; fio has no score."""
    return [
        f"{total['op']}: {total['bandwidth']:.0f} B/s over {total['jobs']} job(s)"
        for total in run.parameters.get("sums", ())
        if "bandwidth" in total
    ]


def is_fio(head: bytes) -> bool:
    return bool(_VERSION_KEY.search(head) or _TERSE.search(head) or (_TEXT.search(head) and b"groupid=" in head))


def read(output: Output) -> list[Run]:
    """The run of one output. Raises Refusal where it cannot count."""
    text = _NO_NUMBER.sub("NaN", output.text())
    if DOCUMENT.search(text):
        return _json_runs(output, text)
    if '"fio version"' in text:
        raise Refusal("truncated", "The JSON of fio does not begin as it should.", HINT_AGAIN)
    if rows := terse.rows_of(text):
        return _terse_runs(output, text, rows)
    run = report.read(TOOL, output, text)
    run.parameters = parameters_of(run) | run.parameters
    run.findings += [*consistency.interruptions(text, output.path), *agreement.check_figures(run)]
    return [run]


def _terse_runs(output: Output, text: str, rows: list[terse.Row]) -> list[Run]:
    """Runs of terse lines. Where nothing says which lines ran together, nothing is added up."""
    parts = terse.split_invocations(rows)
    runs = report.read_terse(TOOL, output, parts)
    for run, part in zip(runs, parts, strict=True):
        run.parameters = parameters_of(run) | run.parameters
        if terse.may_be_several(part):
            del run.parameters["jobs"], run.parameters["sums"]
            message = f"{len(part)} lines are of one group: jobs of one run, or several runs. Nothing is added up."
            hint = "Upload JSON (--output-format=json), which says it, or the output of each run as a file of its own."
            run.findings.append(Finding("fio.jobs-or-runs", INFO, message, hint, output.path))
        run.findings += [*consistency.interruptions(text, output.path), *agreement.check_figures(run)]
    return runs


def _json_runs(output: Output, text: str) -> list[Run]:
    """A run for each series of running totals: other documents were added to the file by other runs."""
    documents, around = documents_of(text)
    series: list[list[Document]] = []
    for document in documents:
        if series and is_continued(series[-1][-1].content, document.content):
            series[-1].append(document)
        else:
            series.append([document])
    runs = []
    for totals_of_run in series:
        try:
            run = _json_run(output, [document.content for document in totals_of_run], around)
        except Refusal as refusal:
            if len(series) == 1:
                raise
            run = Run(TOOL, output.path, findings=[refusal.finding(TOOL, output.path)])
        if len(series) > 1:
            run.lines = totals_of_run[0].lines[0], totals_of_run[-1].lines[1]
        runs.append(run)
    return runs


def _json_run(output: Output, documents: list[dict[str, Any]], around: str) -> Run:
    document = documents[-1]
    jobs, everything = _jobs(document)
    run = Run(TOOL, output.path, version=str(document.get("fio version", "")).removeprefix("fio-")[:40])
    shared = document.get("global options")
    options = [_options(job, shared) for job in jobs]
    clients = _clients(jobs)
    run.tests = [
        _test(job, settings, client, len(jobs)) for job, settings, client in zip(jobs, options, clients, strict=True)
    ]
    for index, (job, settings) in enumerate(zip(jobs, options, strict=True)):
        run.operations_done += [(op, {"job": index}) for op in (*DIRECTIONS, SYNC) if did_work(job.get(op))]
        run.measurements += _measurements(job, index, consistency.block_size(settings))
    drives = [drive(settings.get("filename")) for settings in options]
    run.distributions = over_members(
        run, [f"{name} {client}" if name else "" for name, client in zip(drives, clients, strict=True)]
    )
    run.parameters = parameters_of(run) | _of_document(document, jobs)
    run.started, run.ended = _times(document, jobs)
    run.tasks = len(jobs) if all(_is_grouped(settings, len(jobs)) is False for settings in options) else None
    run.states_all_settings = all(isinstance(job.get("job options"), dict) for job in jobs)
    if isinstance(shared, dict):
        run.unknown_settings += [name for name in sorted(shared) if shared[name] is SEVERAL][:MOST_UNKNOWN]
    run.given_options = recipe.find_options(shared, jobs)
    run.undisclosed_settings = _undisclosed(options) | {
        "ends": repr(
            [consistency.is_timed_out(*job_and_options) for job_and_options in zip(jobs, options, strict=True)]
        )
    }
    run.findings = consistency.findings(jobs, options, around, output.path)
    run.findings += agreement.check_figures(run)
    run.findings += _lost(jobs, everything, output.path)
    if missing := missing_keys(document):
        what = f"{', '.join(missing[:5])}: a part of the JSON lacks what others, or all of fio's own lists, have."
        run.findings.append(lines_missing(TOOL, what, output.path))
    if len(documents) > 1:
        message = f"{len(documents)} reports of one run (--status-interval): they are running totals, the last counts."
        run.findings.append(Finding("fio.several-documents", INFO, message, "", output.path))
    if not run.measurements and not run.operations_done and not run.findings:
        raise Refusal("no-results", "No job has a figure above 0.", "Check rw= and size= of the jobs.")
    return run


def _jobs(document: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The jobs of a document, of all clients where it is of client and server mode, and what fio adds up over those.

    Raises Refusal where there are none.
    """
    jobs, everything = document.get("jobs"), {}
    clients = document.get("client_stats")
    if not jobs and isinstance(clients, list):
        jobs = clients
        last = clients[-1] if clients else None
        if isinstance(last, dict) and last.get("jobname") == ALL_CLIENTS and len(clients) > 1:
            jobs, everything = clients[:-1], last
    if not isinstance(jobs, list) or not jobs:
        raise Refusal(
            "no-results", "The JSON lists no job.", "Look at the messages that fio printed on standard error."
        )
    if len(jobs) > MOST_JOBS or not all(isinstance(job, dict) for job in jobs):
        raise Refusal("inconsistent", "The list of jobs is not one that fio writes.", HINT_AGAIN)
    return jobs, everything


def _clients(jobs: list[dict[str, Any]]) -> list[int]:
    """The number of the client that each job ran on: their names are not kept."""
    names = [(str(job.get("hostname", "")), str(job.get("port", ""))) for job in jobs]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return [numbers[name] for name in names]


def _of_document(document: dict[str, Any], jobs: list[dict[str, Any]]) -> dict[str, Any]:
    """When it was written, and by how many clients and nodes, where it is of client and server mode."""
    ended = document.get("timestamp")
    hosts = {job["hostname"] for job in jobs if isinstance(job.get("hostname"), str)}
    nodes = {"clients": len(set(_clients(jobs))), "client_nodes": len(hosts)} if hosts else {}
    return {**nodes, **({"ended_timestamp_s": ended} if is_finite_number(ended) else {})}


def _lost(jobs: list[dict[str, Any]], everything: dict[str, Any], path: str) -> Iterator[Finding]:
    """That the clients do not add up to what fio says of all of them."""
    for op in DIRECTIONS if everything else ():
        total = number(everything.get(op), "io_bytes") or 0
        moved = sum(number(job.get(op), "io_bytes") or 0 for job in jobs)
        if abs(total - moved) > 1:
            message = f"{ALL_CLIENTS} have a {op} of {total:.0f} bytes, and the clients together {moved:.0f}."
            hint = "Upload what fio wrote, with all of its clients."
            yield Finding("fio.inconsistent", ERROR, message, hint, path, f"{total:.0f} B", f"{moved:.0f} B")


def _options(job: dict[str, Any], shared: Any) -> dict[str, Any]:
    """The options of a job, those of the whole file below its own."""
    own = job.get("job options")
    options = {**(shared if isinstance(shared, dict) else {}), **(own if isinstance(own, dict) else {})}
    return {name: value for name, value in options.items() if value is not SEVERAL}


def _undisclosed(options: list[dict[str, Any]]) -> dict[str, str]:
    """Options beside those that are shown, to compare runs by: all but names, reports, and what has its place.

    Of paths only the place counts, unless it is a device.
    """
    values_by_name: dict[str, list[str]] = {}
    for job_options in options:
        for name in job_options.keys() - OPTIONS - _ASIDE:
            value = str(job_options[name])
            values_by_name.setdefault(name, []).append(place(value) if name in _FILES and not drive(value) else value)
    return {name: repr(values) for name, values in sorted(values_by_name.items())}


def _test(job: dict[str, Any], options: dict[str, Any], client: int, entries: int) -> dict[str, Any]:
    """What one job was: name, group, error, and the options that say what it measured."""
    steady = number(job.get("steadystate"), "attained")
    return {
        "name": str(job.get("jobname", ""))[:80],
        "group": job.get("groupid") if isinstance(job.get("groupid"), int) else None,
        "error": job.get("error") if isinstance(job.get("error"), int) else None,
        **{name: str(options[name])[:80] for name in sorted(OPTIONS & options.keys())},
        **({"client": client} if "hostname" in job else {}),
        **({"steady_state_attained": bool(steady)} if steady is not None else {}),
        "group_reporting": _is_grouped(options, entries),
    }


def _is_grouped(options: dict[str, Any], entries: int) -> bool | None:
    """Whether processes were added up. fio prints this option only where it has a value, which it rarely has."""
    if "group_reporting" in options:
        return str(options["group_reporting"]) != "0"
    processes = str(options.get("numjobs", "1"))
    return False if processes == "1" or entries >= int(processes if processes.isdecimal() else 1) else None


def _measurements(job: dict[str, Any], index: int, block_size: Any) -> Iterator[Measurement]:
    """What each direction of a job did, unless it did nothing."""
    for op in (*DIRECTIONS, SYNC):
        side = job.get(op)
        if isinstance(side, dict) and did_work(side):
            values = sync_figures(side) if op == SYNC else figures(side, block_size)
            for quantity, stat, value, unit in values:
                yield Measurement.printed(op, quantity, stat, value, unit, context={"job": index})


def _times(document: dict[str, Any], jobs: list[dict[str, Any]]) -> tuple[str | None, str | None]:
    """When the jobs began and when fio reported: newer versions print both, older ones whole seconds in between."""
    ended_s = document.get("timestamp")
    began_ms, elapsed_s = (_numbers(jobs, name) for name in ("job_start", "elapsed"))
    if began_ms:
        return from_timestamp(min(began_ms) / 1000), from_timestamp(ended_s)
    if is_finite_number(ended_s) and elapsed_s:
        return from_timestamp(ended_s - max(elapsed_s)), from_timestamp(ended_s)
    return None, from_timestamp(ended_s)


def _numbers(jobs: list[dict[str, Any]], name: str) -> list[Any]:
    """What each job says under a name; nothing where one of them says no number."""
    values = [job.get(name) for job in jobs]
    return values if all(map(is_finite_number, values)) else []
