"""The settings of a test in the field's names and in bytes, from the output and from the command line."""

from __future__ import annotations

import re
from typing import Any

from validators.benchmarks.ior.record import Record, Summary, Test
from validators.launcher_output import command_shape, options_of
from validators.units import UNITS

VALUED = "aAbdDfGijJlMNoOQstTUX"
"""Letters of IOR's options that take a value."""
_SIZE = re.compile(r"(\d{1,15}) ?(bytes|KiB|MiB|GiB|TiB|k|m|g|t)?", re.IGNORECASE)
_SCALES = {"": 1, "bytes": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_WORD = re.compile(r"[A-Za-z0-9][\w .+-]{0,40}")
_APIS = re.compile(r"[A-Z0-9]{2,12}(?:-[a-z]{1,12})?")


def settings_of(record: Record, test: Test, summaries: list[Summary]) -> dict[str, Any]:
    """What one test was. A value that was printed rounded (11.72 GiB) is taken from where it is exact, or left out."""
    printed, options = test.settings, _options(record)
    exact = summaries[0].settings if summaries else {}
    stonewall = _count(printed.get("stonewallingTime", printed.get("deadlineForStonewall")))
    known = {
        "api": _api(printed.get("api")),
        "access": _word(printed.get("access")),
        "type": _word(printed.get("type")),
        "segments": _segments(printed, exact, options),
        "client_nodes": _count(printed.get("nodes")),
        "tasks": _count(printed.get("tasks", exact.get("#Tasks"))),
        "procs_per_node": _count(printed.get("clients per node", exact.get("tPN"))),
        "repetitions": _count(printed.get("repetitions", exact.get("reps"))),
        "transfer_size_bytes": _bytes(exact.get("xsize"), printed, "transferSize", "xfersize", options.get("t")),
        "block_size_bytes": _bytes(exact.get("blksiz"), printed, "blockSize", "blocksize", options.get("b")),
        "aggregate_file_size_text": _word(printed.get("aggregate filesize")),
        "ordering_in_file": _word(printed.get("ordering in a file")),
        "ordering_inter_file": _word(printed.get("ordering inter file")),
        "stripe_count": _count(printed.get("stripe count")),
        "stripe_size_text": _word(printed.get("Lustre stripe size")),
        "stonewall_s": stonewall or None,
        "stonewall_wear_out": _flag(printed.get("stoneWallingWearOut")) if stonewall else None,
        **_from_options(printed, options),
    }
    return {name: value for name, value in known.items() if value is not None}


def command_of(record: Record) -> str:
    return command_shape(record.command, VALUED)


def is_dry_run(record: Record) -> bool:
    directives = _options(record).get("O", "")
    return "dryRun=1" in directives or any(_flag(test.settings.get("dryRun")) for test in record.tests)


def _options(record: Record) -> dict[str, str]:
    return options_of(record.command, VALUED)


def _from_options(printed: dict[str, Any], options: dict[str, str]) -> dict[str, Any]:
    """What is printed only at high verbosity: from there or from the command line, unless a script set it (-f)."""
    told = bool(options) and "f" not in options
    directives = options.get("O", "").lower()
    return {
        "fsync": _either(printed.get("fsync"), "e" in options, told),
        "fsync_per_write": _either(printed.get("fsyncperwrite"), "Y" in options, told),
        "collective": _either(printed.get("collective"), "c" in options, told),
        "reorder_tasks": _either(printed.get("reorderTasks"), bool({"C", "Z"} & options.keys()), told),
        "random_offset": _either(printed.get("randomOffset"), "z" in options, told),
        "direct_io": (bool({"B", "posix.odirect"} & options.keys()) or "useo_direct=1" in directives) if told else None,
        "check_read": _either(printed.get("checkRead"), "R" in options, told),
    }


def _either(printed: object, option: bool, told: bool) -> bool | None:
    value = _flag(printed)
    return value if value is not None else option if told else None


def _bytes(exact: float | None, printed: dict[str, Any], plain: str, rounded: str, option: str | None) -> int | None:
    if exact is not None:
        return int(exact)
    for text in (printed.get(plain), printed.get(rounded), option):
        match = _SIZE.fullmatch(str(text))
        if text is not None and match:
            scale = (match[2] or "").lower()
            return int(match[1]) * int(_SCALES[scale] if scale in _SCALES else UNITS[scale[0].upper() + "iB"].factor)
    return None


def _segments(printed: dict[str, Any], exact: dict[str, float], options: dict[str, str]) -> int | None:
    """From the output; before 3.2 only from its pattern at high verbosity, the summary or the command line."""
    pattern = re.search(r"\((\d{1,9}) segments?\)", str(printed.get("pattern", "")))
    for text in (printed.get("segments"), printed.get("segmentCount"), exact.get("segcnt"), pattern and pattern[1]):
        if (count := _count(text)) is not None:
            return count
    return _count(options.get("s"))


def _count(text: object) -> int | None:
    match = re.fullmatch(r"(\d{1,15})(?:\.0*)?", str(text))
    return int(match[1]) if match else None


def _flag(text: object) -> bool | None:
    return {"0": False, "1": True, "FALSE": False, "TRUE": True}.get(str(text).upper())


def _word(text: object) -> str | None:
    found = _WORD.match(str(text)) if text is not None else None
    return found[0].strip() if found else None


def _api(text: object) -> str | None:
    """POSIX, MPIIO, ...: what follows in brackets is the version of the interface."""
    found = _APIS.match(str(text)) if text is not None else None
    return found[0] if found else None
