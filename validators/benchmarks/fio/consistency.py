"""What makes a run of fio not count, or count for less: failed, stopped or cut jobs, figures that do not agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from validators.benchmarks.fio.directions import (
    DIRECTIONS,
    ROUNDING_MS,
    TOLERANCE,
    is_rate_of,
    number,
    size_in_bytes,
    volume_unit,
)
from validators.findings import ERROR, INFO, WARNING, Finding
from validators.units import to_canonical

HINT_AGAIN = "Upload what fio wrote, whole: fio --output-format=json --output=FILE."
_RUNTIME = re.compile(r"(\d{1,9})(us|ms|s|m|h|d)?", re.ASCII)
_SECONDS = {None: 1, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86400}
_LEAST_OF_RUNTIME = 0.9
_SIZE_REACHED = 0.98, 1.02
_STOPPED = re.compile(r"^fio: terminating on signal (\d{1,3})", re.MULTILINE)
_OTHER_ENDS = ("ss", "steadystate", "number_ios", "exitall", "zone", "filesize", "nrfiles", "verify", "offset", "fill_")
"""Beginnings of options by which a job may end before its time and its size."""
LIMITS = ("rate", "rate_min", "rate_iops", "rate_iops_min", "thinktime", "latency_target")
_NO_ENGINE = ("null", "cpuio")
_NO_STORAGE = tuple(f"/dev/{name}" for name in ("null", "zero", "shm", "shm/"))

Jobs = Sequence[dict[str, Any]]
"""As JSON has them; the options of each stand in a second list, those of the whole file among them."""


def findings(jobs: Jobs, options: Jobs, around: str, path: str) -> list[Finding]:
    """Everything that the JSON and the text around it say against a run."""
    return [
        *_errors(jobs, path),
        *interruptions(around, path, _short(jobs, options)),
        *_disagreements(jobs, options, path),
        *_without_storage(options, path),
        *_surroundings(around, path),
    ]


def _errors(jobs: Jobs, path: str) -> Iterator[Finding]:
    failed = [job for job in jobs if job.get("error")]
    if failed:
        names = ", ".join(f"{_name(job)} (error {str(job['error'])[:10]})" for job in failed[:5])
        requests = sum(int(number(job, "total_err") or 0) for job in failed)
        count = "A request failed" if requests == 1 else f"{requests} requests failed"
        more = f" {count}, and the jobs went on (continue_on_error)." if requests else ""
        yield Finding(
            "fio.run-failed",
            ERROR,
            f"{len(failed)} of {len(jobs)} jobs failed: {names}. What they print is of the part before.{more}",
            "Repeat the run; the message stands on standard error.",
            path,
            expected="error 0",
            actual=f"error {str(failed[0]['error'])[:10]}",
        )


def _name(job: dict[str, Any]) -> str:
    return str(job.get("jobname", ""))[:40] or "a job"


def interruptions(text: str, path: str, short: tuple[str, float, float] | None = None) -> Iterator[Finding]:
    """That a signal ended fio, as it says; else that a job ran for much less than it was to."""
    signal = _STOPPED.search(text)
    limits = f"{short[0]} was to run for {short[1]:g} s and ran for {short[2]:g} s." if short else ""
    if signal:
        yield Finding(
            "fio.interrupted",
            ERROR,
            f"Signal {signal[1]} ended fio before its jobs were done. What it prints is of the part before."
            + (f" {limits}" if limits else ""),
            "Repeat the run, and let it end by itself.",
            path,
            expected=f"{short[1]:g} s" if short else "",
            actual=f"{short[2]:g} s" if short else signal[0],
        )
    elif short:
        yield Finding(
            "fio.interrupted",
            WARNING,
            f"{limits} Its size did not end it either.",
            "Look at what fio printed on standard error, and repeat the run.",
            path,
            expected=f"{short[1]:g} s",
            actual=f"{short[2]:g} s",
        )


def _short(jobs: Jobs, options: Jobs) -> tuple[str, float, float] | None:
    """The first job that ended long before its time: its name, the seconds that it was to run, and those it ran.

    A job ends when its size is moved, unless it is time_based, which fio prints only where it has a value. So it was
    stopped where it moved less than its size; and where it moved more, it was to run for its time.
    """
    for index, (job, settings) in enumerate(zip(jobs, options, strict=True)):
        runtime = _seconds(settings.get("runtime"))
        seconds = max((number(job.get(op), "runtime") or 0.0 for op in DIRECTIONS), default=0.0) / 1000
        if not runtime or not seconds or seconds >= _LEAST_OF_RUNTIME * runtime or job.get("error"):
            continue
        if any(name.startswith(_OTHER_ENDS) for name in settings):
            continue
        is_timed = str(settings.get("time_based", "0")) in ("", "1")
        if is_timed or _has_other_size(job, settings):
            return f"Job {index}", runtime, seconds
    return None


def _has_other_size(job: dict[str, Any], settings: dict[str, Any]) -> bool:
    """Whether a job moved another amount than its size, or a process of it did; False where that is not known."""
    size = size_in_bytes(settings.get("io_size", settings.get("size")))
    loops, processes = (_count(settings.get(name)) for name in ("loops", "numjobs"))
    if not size or number(job.get("trim"), "total_ios"):
        return False
    moved = 0.0
    for op in ("read", "write", "mixed"):
        volume = number(job.get(op), "io_bytes")
        if volume:
            unit = volume_unit(job[op], settings.get("bs"))
            if not unit:
                return False
            moved += to_canonical(volume, unit)[0]
    low, high = _SIZE_REACHED
    ends = {size * loops, size * loops * processes}
    return not any(low * end <= moved <= high * end for end in ends)


def _count(text: Any) -> int:
    return int(text) if isinstance(text, str) and text.isdecimal() and len(text) < 10 else 1


def _seconds(text: Any) -> float:
    """The option `runtime` in seconds, which it is in without a unit; 0 where there is none."""
    match = _RUNTIME.fullmatch(text) if isinstance(text, str) else None
    return int(match[1]) * _SECONDS[match[2]] if match else 0.0


def is_timed_out(job: dict[str, Any], settings: dict[str, Any]) -> bool:
    """Whether a job ran for its time, and was not ended by its size: fio does not always print `time_based`."""
    runtime = _seconds(settings.get("runtime"))
    seconds = max((number(job.get(op), "runtime") or 0.0 for op in DIRECTIONS), default=0.0) / 1000
    return bool(runtime) and seconds >= _LEAST_OF_RUNTIME * runtime


def limits(settings: Mapping[str, Any]) -> list[str]:
    """Names of the options that hold the rate of a job down, so that its figures say what was set."""
    return [name for name in LIMITS if str(settings.get(name, "0")) not in ("0", "")]


def _without_storage(options: Jobs, path: str) -> Iterator[Finding]:
    """That requests of a job reached no storage: an engine that does nothing, a device that is none, memory."""
    for index, settings in enumerate(options):
        engine, name = settings.get("ioengine"), str(settings.get("filename", settings.get("directory", "")))
        if engine in _NO_ENGINE or name in _NO_STORAGE or name.startswith(_NO_STORAGE[-1]):
            what = f"ioengine={engine}" if engine in _NO_ENGINE else "a file in memory, or a device that is none"
            yield Finding(
                "fio.no-storage",
                WARNING,
                f"Job {index} has {what}: its requests reached no storage, and its figures are of the processor.",
                "Measure a file or a device of the storage.",
                path,
            )
            return


def _disagreements(jobs: Jobs, options: Jobs, path: str) -> Iterator[Finding]:
    """Bytes over run time is the bandwidth, requests over run time the rate; fio prints all of them."""
    for index, (job, settings) in enumerate(zip(jobs, options, strict=True)):
        for op in DIRECTIONS:
            side = job.get(op)
            if not isinstance(side, dict):
                continue
            seconds = (number(side, "runtime") or 0.0) / 1000
            for total, rate, unit in (("io_bytes", "bw_bytes", "B/s"), ("total_ios", "iops", "ops/s")):
                amount, value = number(side, total), number(side, rate)
                if not seconds or amount is None or value is None:
                    continue
                computed = amount / seconds
                tolerance = TOLERANCE + ROUNDING_MS / (seconds * 1000)
                if abs(value - computed) > tolerance * computed + 1:
                    yield Finding(
                        "fio.inconsistent",
                        ERROR,
                        f"Job {index} {op}: {rate} is {value:.0f}, but {total} over runtime {computed:.0f} {unit}.",
                        "The output was edited or put together from two runs. " + HINT_AGAIN,
                        path,
                        expected=f"{computed:.0f} {unit}",
                        actual=f"{value:.0f} {unit}",
                    )
            yield from _unknown_unit(side, block_size(settings), f"Job {index} {op}", path)


def block_size(settings: dict[str, Any]) -> Any:
    """The size of all requests of a job; None where it is not set, or varies."""
    varies = ("bssplit", "bsrange", "blocksize_range", "bs_unaligned", "blocksize_unaligned")
    return None if any(name in settings for name in varies) else settings.get("bs", settings.get("blocksize"))


def _unknown_unit(side: dict[str, Any], size: Any, place: str, path: str) -> Iterator[Finding]:
    """That volume and bandwidth of an old version agree in no unit, so that neither is taken."""
    volume = number(side, "io_bytes")
    if not volume or volume_unit(side, size) or number(side, "bw") is None or not number(side, "runtime"):
        return
    in_units = [unit for unit in ("B", "KiB") if is_rate_of(side, volume, unit)]
    yield Finding(
        "fio.inconsistent",
        ERROR,
        f"{place}: bw, io_bytes, its runtime and the size of its requests do not agree, whether io_bytes is B or KiB.",
        "The output was edited or put together from two runs. " + HINT_AGAIN,
        path,
        expected="io_bytes over runtime = bw (KiB/s), and requests of the block size",
        actual=f"io_bytes over runtime fits bw as {' and '.join(in_units) or 'neither B nor KiB'}",
    )


def _surroundings(around: str, path: str) -> Iterator[Finding]:
    lines = [line.strip() for line in around.split("\n") if line.strip(" \t\r\ufeff")]
    if lines:
        notes = [line[:200] for line in lines if line.startswith("note:")]
        count = f"{len(lines)} lines of text stand" if len(lines) > 1 else "A line of text stands"
        yield Finding(
            "fio.text-around-json",
            WARNING if notes else INFO,
            f"{count} around the JSON" + (f": {notes[0]}" if notes else "."),
            "Let fio write its JSON to a file of its own: --output=FILE.",
            path,
        )
