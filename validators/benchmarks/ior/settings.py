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
    settings, options = test.settings, _options(record)
    exact = summaries[0].settings if summaries else {}
    stonewall = _count(settings.get("stonewallingTime", settings.get("deadlineForStonewall")))
    parameters = {
        "api": _api(settings.get("api")),
        "access": _word(settings.get("access")),
        "type": _word(settings.get("type")),
        "segments": _segments(settings, exact, options),
        "client_nodes": _count(settings.get("nodes")),
        "tasks": _count(settings.get("tasks", exact.get("#Tasks"))),
        "procs_per_node": _count(settings.get("clients per node", exact.get("tPN"))),
        "repetitions": _count(settings.get("repetitions", exact.get("reps"))),
        "transfer_size_bytes": _bytes(exact.get("xsize"), settings, "transferSize", "xfersize", options.get("t")),
        "block_size_bytes": _bytes(exact.get("blksiz"), settings, "blockSize", "blocksize", options.get("b")),
        "aggregate_file_size_text": _word(settings.get("aggregate filesize")),
        "ordering_in_file": _word(settings.get("ordering in a file")),
        "ordering_inter_file": _word(settings.get("ordering inter file")),
        "stripe_count": _count(settings.get("stripe count")),
        "stripe_size_text": _word(settings.get("Lustre stripe size")),
        "stonewall_s": stonewall or None,
        "stonewall_wear_out": _flag(settings.get("stoneWallingWearOut")) if stonewall else None,
        **_from_options(settings, options),
    }
    return {name: value for name, value in parameters.items() if value is not None}


def command_of(record: Record) -> str:
    return command_shape(record.command, VALUED)


def is_dry_run(record: Record) -> bool:
    directives = _options(record).get("O", "")
    return "dryRun=1" in directives or any(_flag(test.settings.get("dryRun")) for test in record.tests)


def _options(record: Record) -> dict[str, str]:
    return options_of(record.command, VALUED)


def _from_options(settings: dict[str, Any], options: dict[str, str]) -> dict[str, Any]:
    """What is printed only at high verbosity: from there or from the command line, unless a script set it (-f)."""
    has_all_options = bool(options) and "f" not in options
    directives = options.get("O", "").lower()
    return {
        "fsync": _either(settings.get("fsync"), "e" in options, has_all_options),
        "fsync_per_write": _either(settings.get("fsyncperwrite"), "Y" in options, has_all_options),
        "collective": _either(settings.get("collective"), "c" in options, has_all_options),
        "reorder_tasks": _either(settings.get("reorderTasks"), bool({"C", "Z"} & options.keys()), has_all_options),
        "random_offset": _either(settings.get("randomOffset"), "z" in options, has_all_options),
        "direct_io": (bool({"B", "posix.odirect"} & options.keys()) or "useo_direct=1" in directives)
        if has_all_options
        else None,
        "check_read": _either(settings.get("checkRead"), "R" in options, has_all_options),
    }


def _either(setting: object, option: bool, has_all_options: bool) -> bool | None:
    value = _flag(setting)
    return value if value is not None else option if has_all_options else None


def _bytes(exact: float | None, settings: dict[str, Any], plain: str, rounded: str, option: str | None) -> int | None:
    if exact is not None:
        return int(exact)
    for text in (settings.get(plain), settings.get(rounded), option):
        match = _SIZE.fullmatch(str(text))
        if text is not None and match:
            scale = (match[2] or "").lower()
            return int(match[1]) * int(_SCALES[scale] if scale in _SCALES else UNITS[scale[0].upper() + "iB"].factor)
    return None


def _segments(settings: dict[str, Any], exact: dict[str, float], options: dict[str, str]) -> int | None:
    """From the output; before 3.2 only from its pattern at high verbosity, the summary or the command line."""
    pattern = re.search(r"\((\d{1,9}) segments?\)", str(settings.get("pattern", "")))
    for text in (settings.get("segments"), settings.get("segmentCount"), exact.get("segcnt"), pattern and pattern[1]):
        if (count := _count(text)) is not None:
            return count
    return _count(options.get("s"))


def _count(text: object) -> int | None:
    match = re.fullmatch(r"(\d{1,15})(?:\.0*)?", str(text))
    return int(match[1]) if match else None


def _flag(text: object) -> bool | None:
    return {"0": False, "1": True, "FALSE": False, "TRUE": True}.get(str(text).upper())


def _word(text: object) -> str | None:
    match = _WORD.match(str(text)) if text is not None else None
    return match[0].strip() if match else None


def _api(text: object) -> str | None:
    """POSIX, MPIIO, ...: what follows in brackets is the version of the interface."""
    match = _APIS.match(str(text)) if text is not None else None
    return match[0] if match else None
