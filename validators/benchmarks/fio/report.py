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
    r"^[ \t]+(?P<op>read|write|trim|mixed)\s*: IOPS=(?P<iops>[\d.]+)(?P<iops_scale>[kM]?), "
    r"BW=(?P<bw>[\d.]+)(?P<bw_unit>[kKMGTP]?i?B/s) \((?P<other>[\d.]+)(?P<other_unit>[kKMGTP]?i?B/s)\)"
    r"\((?P<volume>[\d.]+)(?P<volume_unit>[kKMGTP]?i?B)/(?P<ms>\d+)msec\)",
    re.MULTILINE,
)
"""Since 3.0 a unit says whether it is of 1000 or of 1024; --kb_base=1000 prints the decimal one first."""
_ANY_SIDE = re.compile(r"^[ \t]+(?P<op>read|write|trim|mixed)\s*: (?:IOPS|io)=", re.MULTILINE)
_SETTINGS = re.compile(
    r"^(?P<name>\S.{0,100}?): \(g=\d+\): rw=(?P<rw>\w{1,20}), (?P<sizes>bs=.{1,200}), "
    r"ioengine=(?P<ioengine>[\w-]{1,40}), iodepth=(?P<iodepth>\d{1,9})$",
    re.MULTILINE,
)
_SIZES = re.compile(r"\([RWT]\) (\S{1,20}?)-(\S{1,20}?)(?:,|$)")
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
    _require_results(run, read_nothing=False)
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
    settings = {found["name"]: _settings(found) for found in _SETTINGS.finditer(text)}
    for index, job in enumerate(jobs):
        known = settings.get(job["name"], {})
        run.tests.append({"name": job["name"][:80], "group": int(job["group"]), "error": 0, **known})
        end = jobs[index + 1].start() if index + 1 < len(jobs) else text.index(_COMPLETE)
        run.operations_done += [(side["op"], {"job": index}) for side in _ANY_SIDE.finditer(text, job.end(), end)]
        for side in _SIDE.finditer(text, job.end(), end):
            run.measurements += _side_measurements(side, index)
    names = dict.fromkeys(name for known in settings.values() for name in known)
    shared = {name: {test.get(name) for test in run.tests} for name in names}
    run.parameters = {name: values.pop() for name, values in shared.items() if len(values) == 1 and None not in values}
    _require_results(run, read_nothing=bool(run.operations_done))
    return run


def _settings(found: re.Match[str]) -> dict[str, str]:
    """What the first lines say of a job: kind of access, block size where there is one, engine and depth."""
    sizes = {size for ends in _SIZES.findall(found["sizes"]) for size in ends}
    named = {name: found[name] for name in ("rw", "ioengine", "iodepth")}
    return named | ({"bs": sizes.pop()} if len(sizes) == 1 else {})


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


def _require_results(run: Run, *, read_nothing: bool) -> None:
    """Raise Refusal where nothing was read; `read_nothing`: though there are lines with rates, in another form."""
    if run.measurements:
        return
    if read_nothing:
        message = (
            "The lines with the rates are of a form that is not read here, as those of fio 2 and of --unit_base=1 are."
        )
        raise Refusal("not-supported", message, "Upload the JSON of the run: fio --output-format=json.")
    raise Refusal("no-results", "No job has a line with rates above 0.", "Check rw= and size= of the jobs.")
