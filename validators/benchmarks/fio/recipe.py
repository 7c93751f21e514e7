"""The recipe of a run of fio: a job file of the options that its JSON lists, with the place of its files left open.

Text prints some options. Terse lines print none, so that their job file has variables for what fio cannot do without.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from validators import recipes
from validators.benchmarks.fio.members import drive
from validators.recipes import LEFT_OUT, Facts, GivenOptions, Missing, Program
from validators.recipes.data_set import DataSet, parse_size

JOB_FILE = "job.fio"
_COMMAND = ("fio", "--output-format=json", JOB_FILE)
FOLDER = "${TESTDIR}"
"""As fio reads the variable $TESTDIR in a job file."""
_PRINTED_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,3})?)(?:([KMGT])i)?B")
_PLACES = frozenset({"filename", "directory"})
_WORDS_TEXT = (
    "read write randread randwrite rw readwrite randrw trim randtrim trimwrite psync sync pvsync pvsync2 "
    "libaio io_uring posixaio mmap splice sg null net libpmem dev-dax ime_psync ime_psyncv ime_aio http "
    "libhdfs rbd rados gfapi gfapi_async libiscsi nbd libcufile dfs nfs xnvme windowsaio solarisaio "
    "random zipf pareto normal zoned uniform tausworthe lfsr tausworthe64 sequential identical none both "
    "mixed md5 crc32c crc32c-intel crc16 crc7 crc32 crc64 xxhash sha1 sha256 sha512 sha3-256 meta pattern "
    "io_submit strided zbd file device block char posix linear linear-random roundrobin cpu process "
    "thread fsync buffered direct always normal keep 0x0 shared split"
)
_WORDS = frozenset(_WORDS_TEXT.split())
_REPORTS_TEXT = (
    "output output-format status-interval write_bw_log write_lat_log write_hist_log write_iops_log "
    "log_avg_msec description name eta log_hist_msec log_max_value per_job_logs client disk_util"
)
_REPORTS = frozenset(_REPORTS_TEXT.split())
"""Options that change nothing of what is measured."""
_STARTS = re.compile(r"exec_\w+|trigger[\w-]*")
"""Options whose value fio runs as a command: none is ever in a job file."""
_FLAGS = Missing(
    "options without a value",
    "The JSON of fio lists no option that stands alone, as group_reporting, time_based or stonewall may.",
    "Which jobs ran at the same time, and how long.",
)
_DEVICE = Missing(
    "block device",
    "The run named a device; the recipe names a file in $TESTDIR, as it must not overwrite a device.",
    "Every rate: a file has a file system below it.",
)
_SIZE = Missing("size", "The output does not say how much data each job had.", "Whether caches held the data.")
_TEXT_FORM = Missing(
    "options of the jobs", "Only the JSON of fio lists the options of its jobs.", "Everything but what is shown here."
)
_MOST_TERSE_JOBS = 20
_NOT_IN_TERSE = (
    Missing("access", "Terse lines say what moved data, and not whether in order or at random.", "Every rate."),
    Missing("block size", "Terse lines do not print it.", "Every rate: fewer and larger requests move more."),
    Missing("engine and depth", "Terse lines print neither ioengine, iodepth nor direct.", "Every rate and latency."),
    Missing("processes of a job", "A terse line is one process or all of a job, of one client.", "Every rate."),
    Missing("order of the jobs", "Terse lines do not say what began a group.", "Which jobs ran at the same time."),
)
_MOVED_BY = {"read": "reading", "write": "writing", "trim": "trimming", "mixed": "reading or writing"}
_NO_FOLDER = "the run had no directory, so it wrote to the folder where it was started"
_UNKNOWN_FOLDER = "the output does not tell the folder"


def find_options(shared: object, jobs: list[dict[str, Any]]) -> GivenOptions | None:
    """What the JSON of a run gives; None where it does not list the options of each job, or has very many jobs.

    Without group_reporting a job stands there once for each process, and is listed once.
    """
    if not all(isinstance(job.get("job options"), dict) for job in jobs):
        return None
    files: dict[str, int] = {}
    left_out: set[str] = set()
    job_rows: list[dict[str, Any]] = []
    last: tuple[Any, ...] = ()
    for job in jobs:
        identity = (job.get("jobname"), job.get("groupid"), job.get("job options"))
        if identity == last:
            continue
        last = identity
        group = job.get("groupid")
        options = dict(_public_options(job["job options"], files, left_out))
        job_rows.append({"group": group if isinstance(group, int) else 0, "options": options})
        if len(job_rows) > recipes.MOST_OPTIONS:
            return None
    common = dict(_public_options(shared if isinstance(shared, dict) else {}, files, left_out))
    return {"global": common, "jobs": job_rows, LEFT_OUT: sorted(left_out)}


def _public_options(options: Mapping[str, Any], files: dict[str, int], left_out: set[str]) -> Iterator[tuple[str, Any]]:
    """The options that say what is measured. The names of files are replaced by numbers, None is a folder."""
    if len(options) > recipes.MOST_OPTIONS:
        left_out.add(recipes.FURTHER)
    for name, value in list(options.items())[: recipes.MOST_OPTIONS]:
        if name in _REPORTS:
            continue
        text = "" if value is None else value if isinstance(value, str) else "{}"
        if not recipes.is_name(name):
            left_out.add("an option with an unusual name")
        elif name == "directory":
            yield name, None
        elif name == "filename":
            yield name, files.setdefault(text, len(files) + 1)
            if drive(text):
                left_out.add("filename of a device")
        elif _is_shown(name, text):
            yield name, text
        else:
            left_out.add(name)


def _is_shown(name: str, text: str) -> bool:
    """Whether the parts of a value are public ones, such as `4k/50:8k/50`; it is neither a command nor a path."""
    parts = text.replace(":", ",").replace("/", ",").split(",")
    is_public = all(recipes.is_public(part, _WORDS) for part in parts)
    return is_public and not text.startswith("/") and _STARTS.fullmatch(name) is None


def write_program(facts: Facts, given_options: GivenOptions | None) -> Program:
    """A job file; of a result from before options were kept, one of the options that it shows."""
    is_complete = given_options is not None
    given_options = given_options or _stored_options(facts)
    if given_options is None:
        return _write_terse(facts)
    hidden = [name for name in given_options[LEFT_OUT] if name != "filename of a device"]
    missing = [*recipes.values_missing({LEFT_OUT: hidden}), _FLAGS]
    missing += [_DEVICE] if len(hidden) < len(given_options[LEFT_OUT]) else []
    missing += [] if is_complete else [_TEXT_FORM]
    missing += [] if is_complete or _has_sizes(given_options) else [_SIZE]
    files = {JOB_FILE: _job_file(given_options, _NO_FOLDER if is_complete else _UNKNOWN_FOLDER)}
    return Program([*_COMMAND], files=files, missing=missing, is_complete=is_complete)


def _write_terse(facts: Facts) -> Program:
    """A job file of a run that tells its jobs and none of their options: variables stand for what each job needs.

    Without `sums` nobody knows which lines ran together, so that there is no job file.
    """
    tests, sums = facts.tests, facts.parameters.get("sums")
    is_terse = all(test.keys() == {"name", "group", "error"} for test in tests)
    if not (is_terse and 0 < len(tests) <= _MOST_TERSE_JOBS and isinstance(sums, list)):
        return Program(missing=[recipes.UNKNOWN_COMMAND])
    unknown: dict[str, str] = {}
    jobs: list[dict[str, Any]] = []
    for number, test in enumerate(tests, 1):
        end = f"_{number}" if len(tests) > 1 else ""
        of_job = f" of job {number}" if end else ""
        moved = " and ".join(_moved_in(sums, test.get("group"))) or "what is not known"
        unknown |= {
            f"$RW{end}": f"Access{of_job} (rw): its group moved data by {moved}; the order is not known.",
            f"$BS{end}": f"Block size{of_job} (bs), which is not known.",
            f"$SIZE{end}": f"Size of the data{of_job} (size), which is not known.",
        }
        options = {name: f"${{{name.upper()}{end}}}" for name in ("rw", "bs", "size")}
        jobs.append({"group": test.get("group"), "options": options})
    text = _job_file({"global": {}, "jobs": jobs}, _UNKNOWN_FOLDER)
    missing = [*_NOT_IN_TERSE, _SIZE, _TEXT_FORM]
    return Program([*_COMMAND], files={JOB_FILE: text}, missing=missing, unknown=unknown, is_complete=False)


def _moved_in(sums: list[Any], group: object) -> list[str]:
    """By what the jobs of a group moved data, in words."""
    rows = [row for row in sums if isinstance(row, dict) and row.get("group") == group]
    return [_MOVED_BY[op] for op in (str(row.get("op")) for row in rows) if op in _MOVED_BY]


def _job_file(given_options: GivenOptions, without_place: str) -> str:
    """The text of a job file; `without_place` says why no option has a place."""
    lines = ["[global]", *_section_lines(given_options["global"])]
    sections = [given_options["global"], *(job["options"] for job in given_options["jobs"])]
    if not any(_PLACES & section.keys() for section in sections):
        lines.append(f"; {without_place}\n; directory={FOLDER}")
    group = given_options["jobs"][0]["group"] if given_options["jobs"] else 0
    for number, job in enumerate(given_options["jobs"], 1):
        lines += ["", f"[job{number}]"]
        if job["group"] != group and not {"stonewall", "wait_for_previous", "new_group"} & job["options"].keys():
            lines.append("; another group of the report: stonewall or new_group began it")
            lines.append("new_group")
        group = job["group"]
        lines += _section_lines(job["options"])
    return "\n".join(lines) + "\n"


def _section_lines(options: Mapping[str, Any]) -> list[str]:
    return [_option_line(name, value) for name, value in options.items()]


def _option_line(name: str, value: Any) -> str:
    if name == "directory":
        return f"directory={FOLDER}"
    if name == "filename":
        return f"filename={FOLDER}/file{value}"
    return f"{name}={value}" if value else name


def read_options(program: Program) -> GivenOptions | None:
    """The options that the job file gives."""
    text = program.files.get(JOB_FILE)
    if text is None:
        return None
    common: dict[str, str] = {}
    jobs: list[dict[str, Any]] = []
    options, group = common, 0
    for line in text.splitlines():
        if line.startswith("[") and line != "[global]":
            options = {}
            jobs.append({"group": group, "options": options})
        elif line == "new_group" and jobs:
            group += 1
            jobs[-1]["group"] = group
        elif line and line[0] not in "[;":
            name, _, value = line.partition("=")
            options[name] = value
    files: dict[str, int] = {}
    rows = [{**job, "options": dict(_public_options(job["options"], files, set()))} for job in jobs]
    return {"global": dict(_public_options(common, files, set())), "jobs": rows}


def size_data_set(facts: Facts, given_options: GivenOptions) -> DataSet:
    """Size x processes (numjobs) of each job; a file that several jobs name counts once, as large as the largest."""
    if not given_options["jobs"]:
        return DataSet(None, "no job is known")
    named: dict[str, int] = {}
    total = 0
    products: list[str] = []
    for job in given_options["jobs"]:
        options = {**given_options["global"], **job["options"]}
        size, processes = parse_size(options.get("size")), parse_size(options.get("numjobs", "1"))
        if size is None or processes is None or options.get("kb_base") == "1000":
            return DataSet(None, "a job has no size in bytes")
        products.append(f"{size} B x {processes} processes")
        if "filename" in options:
            name = str(options["filename"])
            named[name] = max(named.get(name, 0), size)
        else:
            total += size * processes
    shared = ", with files that jobs share counted once" if named else ""
    return DataSet(total + sum(named.values()), " + ".join(products[:8]) + shared)


def _stored_options(facts: Facts) -> GivenOptions | None:
    """What a stored result shows of its jobs; None where it shows of none what it did, or has very many jobs."""
    about_job = frozenset({"name", "group", "error", "client", "steady_state_attained", "group_reporting"})
    tests = [{name: value for name, value in test.items() if name not in about_job} for test in facts.tests]
    if not tests or not all({"rw", "readwrite"} & test.keys() for test in tests):
        return None
    files: dict[str, int] = {}
    left_out: set[str] = set()
    jobs: list[dict[str, Any]] = []
    for test, stored in zip(tests, facts.tests, strict=True):
        options = dict(_public_options(_spell_printed(test), files, left_out))
        job = {"group": stored.get("group") or 0, "options": options}
        if not jobs or json.dumps(job) != json.dumps(jobs[-1]):
            jobs.append(job)
        if len(jobs) > recipes.MOST_OPTIONS:
            return None
    return {"global": {}, "jobs": jobs, LEFT_OUT: sorted(left_out)}


def _spell_printed(test: Mapping[str, Any]) -> dict[str, Any]:
    """A job as the first lines of other forms than JSON print it, by the names of options."""
    options = {name: value for name, value in test.items() if name != "processes" and not name.startswith("bs_")}
    sizes = [test.get(name, "") for name in (["bs"] if "bs" in test else ["bs_read", "bs_write", "bs_trim"])]
    if any(sizes):
        options["bs"] = ",".join(_PRINTED_SIZE.sub(_spell_bytes, size) for size in sizes)
    if isinstance(test.get("processes"), int) and "numjobs" not in test:
        options["numjobs"] = str(test["processes"])
    return options


def _spell_bytes(size: re.Match[str]) -> str:
    """A printed size in bytes: job files take KiB for 1000 bytes, and outputs print it for 1024."""
    return str(round(float(size[1]) * 1024 ** " KMGT".index(size[2] or " ")))


def _has_sizes(given_options: GivenOptions) -> bool:
    sections = [{**given_options["global"], **job["options"]} for job in given_options["jobs"]]
    return all(section.keys() & {"size", "filesize", "io_size"} for section in sections)
