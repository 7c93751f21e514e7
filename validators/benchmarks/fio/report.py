"""fio's other forms: the terse line of version 3, and the normal text with its two units."""

from __future__ import annotations

import re
from collections.abc import Iterator

from validators.measurements import Measurement, Run
from validators.outputs import Refusal, printed_number
from validators.units import UNITS

# Where a direction begins in a terse line of version 3, and where its figures stand from there.
_TERSE_SIDES = {"read": 5, "write": 46}
_TERSE_FIELDS = 129
_TERSE_FIGURES = (("volume", "total", 0, "KiB"), ("bandwidth", "mean", 1, "KiB/s"), ("iops", "mean", 2, "ops/s"))
_TERSE_TIME = 3

_JOB = re.compile(r"^(?P<name>\S.{0,100}?): \(groupid=(?P<group>\d+), jobs=\d+\): err=\s*(?P<error>\d+)", re.MULTILINE)
_SIDE = re.compile(
    r"^\s+(?P<op>read|write|trim|mixed)\s*: IOPS=(?P<iops>[\d.]+)(?P<iops_scale>[kM]?), "
    r"BW=(?P<bw>[\d.]+)(?P<bw_unit>[KMGTP]?i?B/s) \((?P<si>[\d.]+)(?P<si_unit>[kMGTP]?B/s)\)"
    r"\((?P<volume>[\d.]+)(?P<volume_unit>[KMGTP]?i?B)/(?P<ms>\d+)msec\)",
    re.MULTILINE,
)
_VERSION = re.compile(r"^fio-(\S{1,40})$", re.MULTILINE)
_SCALES = {"": 1, "k": 1000, "M": 1_000_000}
_COMPLETE = "Run status group"


def read(tool: str, path: str, text: str) -> Run:
    """The run of a terse or normal output. Raises Refusal where it is cut, failed or empty."""
    terse = [line.rstrip("\r").split(";") for line in text.split("\n") if line.startswith("3;fio-")]
    return _terse(tool, path, terse) if terse else _normal(tool, path, text)


def _terse(tool: str, path: str, rows: list[list[str]]) -> Run:
    run = Run(tool, path, version=rows[0][1].removeprefix("fio-"))
    for job, row in enumerate(rows):
        if len(row) < _TERSE_FIELDS:
            raise Refusal("truncated", "A terse line ends before its end.", "Upload what fio wrote, whole.")
        if row[4] != "0":
            raise Refusal("run-failed", f"Job {row[2][:40]} failed: error {row[4][:10]}.", "Repeat the run.")
        run.tests.append({"name": row[2][:80], "group": _whole(row[3]), "error": 0})
        run.measurements += _terse_measurements(row, job)
    _require_results(run)
    return run


def _terse_measurements(row: list[str], job: int) -> Iterator[Measurement]:
    for op, begin in _TERSE_SIDES.items():
        if not _whole(row[begin]):
            continue
        for quantity, stat, offset, unit in (*_TERSE_FIGURES, ("time", "total", _TERSE_TIME, "ms")):
            yield Measurement.printed(op, quantity, stat, _whole(row[begin + offset]), unit, context={"job": job})


def _whole(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise Refusal("not-a-number", f"{text[:40]!r} stands where fio writes a number.", "Upload what fio wrote.")
    return int(text)


def _normal(tool: str, path: str, text: str) -> Run:
    version = _VERSION.search(text)
    run = Run(tool, path, version=version[1] if version else "")
    jobs = list(_JOB.finditer(text))
    failed = [job for job in jobs if job["error"] != "0"]
    if failed:
        raise Refusal("run-failed", f"Job {failed[0]['name']} failed: error {failed[0]['error']}.", "Repeat the run.")
    if _COMPLETE not in text:
        raise Refusal("truncated", "The report has no run status, which ends it.", "Upload what fio wrote, whole.")
    for index, job in enumerate(jobs):
        run.tests.append({"name": job["name"][:80], "group": int(job["group"]), "error": 0})
        end = jobs[index + 1].start() if index + 1 < len(jobs) else text.index(_COMPLETE)
        for side in _SIDE.finditer(text, job.end(), end):
            run.measurements += _side_measurements(side, index)
    _require_results(run)
    return run


def _side_measurements(side: re.Match[str], job: int) -> Iterator[Measurement]:
    iops = printed_number(side["iops"]) * _SCALES[side["iops_scale"]]
    figures = [
        ("bandwidth", "mean", printed_number(side["bw"]), side["bw_unit"]),
        ("iops", "mean", iops, "ops/s"),
        ("volume", "total", printed_number(side["volume"]), side["volume_unit"]),
        ("time", "total", printed_number(side["ms"]), "ms"),
    ]
    for quantity, stat, value, unit in figures:
        if unit in UNITS:
            yield Measurement.printed(side["op"], quantity, stat, value, unit, context={"job": job})


def _require_results(run: Run) -> None:
    if not run.measurements:
        raise Refusal("no-results", "No job of the report moved any data.", "Check rw= and size= of the jobs.")
