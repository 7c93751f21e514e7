"""What the raw text of a phase, or the log of the shell script, says twice. Pairs for the kinds of evidence.json."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache

from validators.benchmarks.io500.evidence import Evidence, Raw, seconds_of
from validators.benchmarks.io500.evidence_kinds.clocks import launch_of
from validators.benchmarks.io500.evidence_kinds.command_lines import command_of
from validators.benchmarks.io500.evidence_kinds.conservation import LEAST_SECONDS
from validators.benchmarks.io500.phases import number
from validators.benchmarks.io500.rawfacts import Figure, Figures
from validators.benchmarks.io500.rawtext import MB_PER_S, MIB_PER_S, option, plain_command, size_of
from validators.evidence import Comparison

_MIB = 2**20
_SPREADS = (("lowest rate", "highest rate"), ("least seconds", "most seconds"))
_READS = ("ior-easy-read", "ior-hard-read")
_LATENCY_IN_SECONDS = re.compile(r"^io500-(?:i?sc2[5-9]|i?sc[3-9]\d)")
_FIND_STOPS = re.compile(r"(?<!\S)(?:-s|--stonewall)[ =]{1,3}\d")
"""find is told to stop after some seconds, and sees a part of the files."""
_LONGEST_FIND = 1e8
_PROCESSES = re.compile(r"(?<!\S)(?:-np|-n|--ntasks)[ =](\d{1,9})(?!\S)")
_ON_A_NODE = re.compile(r"(?<!\S)(?:--?ppn|-perhost|--ntasks-per-node|--?npernode)[ =](\d{1,9})(?!\S)")
"""How launchers of MPI get the processes, in parts that are started together or all at once."""
_RESOURCE_SETS = "jsrun"
"""A launcher that gets the number of sets of processes instead."""


def parts_of_time(evidence: Evidence) -> Iterator[Comparison]:
    """IOR opens, transfers and closes: none of the three takes longer than all, and together they are not shorter."""
    for name, raw in evidence.raw.items():
        by_name = raw.figures.other
        total = by_name.get("seconds")
        figures = [by_name.get(key) for key in ("seconds of opening", "seconds of I/O", "seconds of closing")]
        present = [figure for figure in figures if figure]
        if total and len(present) == len(figures) and total.value >= LEAST_SECONDS:
            where, slack = f"{raw.path}:{total.line}", 4 * total.half_step / total.value
            together, longest = sum(figure.value for figure in present), max(figure.value for figure in present)
            yield Comparison("io500.evidence.parts", name, together, total.value, where, slack=slack)
            yield Comparison("io500.evidence.order", f"{name}, longest part", longest, total.value, where, slack=slack)


def summed_up(evidence: Evidence) -> Iterator[Comparison]:
    """The line in which older builds of IOR sum up has the figures of the row, and of the options."""
    for name, raw in evidence.raw.items():
        for what, figure, expected in _summed_up(raw):
            if expected.value > 0:
                where, against = f"{raw.path}:{figure.line}", f"{raw.path}:{expected.line}"
                slack = (figure.half_step + expected.half_step) / expected.value
                yield Comparison(
                    "io500.evidence.summed-up", f"{name}, {what}", figure.value, expected.value, where, against, slack
                )


def _summed_up(raw: Raw) -> Iterator[tuple[str, Figure, Figure]]:
    """A name, the figure that sums up, and what it should be."""
    line, other, launch = raw.figures.summed_up, raw.figures.other, raw.launch
    best, mean, size = line.get(MIB_PER_S), line.get("Mean(MiB)"), line.get("xsize")
    for column in ("Max(MiB)", "Min(MiB)", "Mean(MiB)"):
        if best and column in line:
            yield column, line[column], best
    if best and MB_PER_S in line:
        yield MB_PER_S, line[MB_PER_S], Figure(best.value * 1.048576, best.line, best.half_step)
    if best and "MiB/s" in other:
        yield "MiB/s", other["MiB/s"], best
    for column in ("Max(OPs)", "Min(OPs)", "Mean(OPs)"):
        if mean and size and size.value > 0 and column in line:
            share = _MIB / size.value
            yield column, line[column], Figure(mean.value * share, mean.line, mean.half_step * share)
    if "Mean(s)" in line and "seconds" in other:
        yield "Mean(s)", line["Mean(s)"], other["seconds"]
    if mean and "aggs(MiB)" in line and "Mean(s)" in line:
        seconds = line["Mean(s)"].value
        yield "aggs(MiB)", line["aggs(MiB)"], Figure(mean.value * seconds, mean.line, mean.half_step * seconds)
    options = {letter: size_of(option(launch.command, letter)) for letter in "tbs"}
    asked_for = (
        ("#Tasks", launch.tasks), ("tPN", launch.procs_per_node), ("xsize", options["t"]), ("segcnt", options["s"]),
    )  # fmt: skip
    for column, count in asked_for:
        if count and column in line:
            yield column, line[column], Figure(float(count), raw.figures.launch_line)


def least_bytes(evidence: Evidence) -> Iterator[Comparison]:
    """The fewest transfers of a process, times their size, are the least bytes that IOR counted."""
    for name, raw in evidence.raw.items():
        pairs, counted = raw.figures.other.get("least pairs"), raw.figures.other.get("least bytes")
        size = size_of(option(raw.launch.command, "t"))
        if pairs and counted and size and counted.value > 0:
            where, slack = f"{raw.path}:{counted.line}", counted.half_step / counted.value
            moved = pairs.value * size
            yield Comparison("io500.evidence.least-bytes", name, moved, counted.value, where, slack=slack)


def spread_of_rates(evidence: Evidence) -> Iterator[Comparison]:
    """mdtest does one iteration, so that its lowest rate is about its highest."""
    for name, raw in evidence.raw.items():
        for smaller, larger in _SPREADS:
            low, high = raw.figures.other.get(smaller), raw.figures.other.get(larger)
            if low and high and high.value > 0:
                where, slack = f"{raw.path}:{low.line}", (low.half_step + high.half_step) / high.value
                what = f"{name}, {smaller}"
                yield Comparison("io500.evidence.spread", what, low.value, high.value, where, slack=slack)


def spans_of_dates(evidence: Evidence) -> Iterator[Comparison]:
    """From its first to its last line a tool takes the seconds that it prints.

    mdtest of the shell script prints none: what the script gives as the time of the phase is held against it.
    """
    for phase in evidence.phases:
        raw = evidence.raw.get(phase.name)
        began, finished = (raw.figures.began, raw.figures.finished) if raw else (None, None)
        if raw is None or began is None or finished is None:
            continue
        span, where = (finished[0] - began[0]).total_seconds(), f"{raw.path}:{finished[1]}"
        seconds, wall = raw.figures.seconds, seconds_of(evidence, phase)
        if seconds is not None:
            spent, line = seconds.value + raw.figures.tree_seconds, f"{raw.path}:{seconds.line}"
            yield Comparison("io500.evidence.span", phase.name, span, spent, where, line)
        elif math.isfinite(wall):
            yield Comparison("io500.evidence.span-of-phase", phase.name, span, wall, where, phase.where)


def in_order(evidence: Evidence) -> Iterator[Comparison]:
    """By the clocks of the tools each phase begins after the one before it, and after find."""
    before: tuple[datetime, str] | None = None
    for phase in evidence.phases:
        raw, seconds = evidence.raw.get(phase.name), seconds_of(evidence, phase)
        if phase.name == "find" and before is not None and math.isfinite(seconds):
            before = before[0] + timedelta(seconds=min(seconds, _LONGEST_FIND)), before[1]
            continue
        figures = raw.figures if raw is not None else Figures()
        if raw is not None and before is not None and figures.began is not None:
            where = f"{raw.path}:{figures.began[1]}"
            yield Comparison("io500.evidence.in-order", phase.name, figures.began[0], before[0], where, before[1])
        ended = figures.finished
        before = (ended[0], f"{raw.path}:{ended[1]}") if raw is not None and ended is not None else None


def waiting_processes(evidence: Evidence) -> Iterator[Comparison]:
    """Each process waits for one operation at a time: latency times operations per second are the processes.

    Builds before those of ISC25 print another latency of the hard phases.
    """
    if not _LATENCY_IN_SECONDS.search(evidence.version or ""):
        return
    for name, raw in evidence.raw.items():
        rate, latency = raw.figures.other.get("operations per second"), raw.figures.other.get("latency")
        if rate and latency and rate.value > 0 and latency.value > 0 and raw.launch.tasks:
            waiting, slack = latency.value * rate.value, latency.half_step / latency.value
            kind = "latency" if name in _READS else "latency-at-most"
            where = f"{raw.path}:{latency.line}"
            yield Comparison(
                f"io500.evidence.{kind}", name, waiting, float(raw.launch.tasks), where, launch_of(raw), slack
            )


def started_with(evidence: Evidence) -> Iterator[Comparison]:
    """The log of the shell script has the command line that the raw text prints."""
    for name, (line, where) in evidence.started_with.items():
        raw = evidence.raw.get(name)
        words, own = plain_command(line).split(), plain_command(raw.launch.command).split() if raw else []
        if raw is not None and own and len(words) >= len(own):
            yield Comparison(
                "io500.evidence.started-with", name, " ".join(own[1:]), " ".join(words[-len(own) + 1 :]),
                command_of(raw), where,
            )  # fmt: skip


def compare_launchers(evidence: Evidence) -> Iterator[Comparison]:
    """The log of the shell script starts the processes, and as many on each node, that the tools count."""
    for name, (line, where) in evidence.started_with.items():
        raw = evidence.raw.get(name)
        own = plain_command(raw.launch.command).split() if raw else []
        if raw is None or not own or not raw.launch.tasks:
            continue
        before = " ".join(plain_command(line).split()[: -len(own)])
        if _RESOURCE_SETS in before:
            continue
        started = [float(count) for count in _PROCESSES.findall(before)]
        on_each = [float(count) for count in _ON_A_NODE.findall(before)]
        pairs = [("processes", float(raw.launch.tasks), sum(started))] if started else []
        if len(on_each) == 1 and raw.launch.nodes:
            pairs.append(("processes of a node", raw.launch.tasks / raw.launch.nodes, on_each[0]))
        for what, counted, expected in pairs:
            what = f"{name}, {what}"
            yield Comparison("io500.evidence.launcher", what, counted, expected, launch_of(raw), where)


def matches_of_find(evidence: Evidence) -> Iterator[Comparison]:
    """find matches the files of mdtest-hard that have 01 in their names, which follows from ranks and items."""
    phase, raw = evidence.phase("find"), evidence.raw.get("mdtest-hard-write")
    section = evidence.result.phases.get("find") if evidence.result else None
    items = _items_of_a_rank(raw) if raw is not None else 0
    if phase is None or raw is None or not raw.launch.tasks or not items or evidence.mode == "extended":
        return
    command = phase.command or evidence.find_command
    if "*01*" not in command or _FIND_STOPS.search(command):
        return
    matched = (number(section.values.get("found")), phase.where) if section else evidence.matches
    if matched is None or matched[0] != matched[0]:
        return
    ranks = raw.launch.tasks
    named = count_with_01(ranks) * items + (ranks - count_with_01(ranks)) * count_with_01(items)
    if named and matched[0]:
        yield Comparison("io500.evidence.matches", "find", matched[0], float(named), matched[1], launch_of(raw))


def _items_of_a_rank(raw: Raw) -> int:
    """The items at which mdtest stopped, or all that were asked for where it did not have to."""
    each = raw.figures.items_each
    return int(each.value) if each is not None else size_of(option(raw.launch.command, "n")) or 0


def count_with_01(count: int) -> int:
    """How many of the numbers from 0 to below `count` have 01 among their digits."""
    if count <= 0:
        return 0
    digits = str(count)
    without = 1 + sum(9 * _count_without_01(length - 1, after_zero=False) for length in range(1, len(digits)))
    after_zero = False
    for place, digit in enumerate(digits):
        for smaller in range(place == 0, int(digit)):
            if not (after_zero and smaller == 1):
                without += _count_without_01(len(digits) - place - 1, after_zero=smaller == 0)
        if after_zero and digit == "1":
            break
        after_zero = digit == "0"
    return count - without


@cache
def _count_without_01(length: int, *, after_zero: bool) -> int:
    """Texts of so many digits that have no 01, and do not begin with 1 after a zero."""
    if length == 0:
        return 1
    ones = 0 if after_zero else _count_without_01(length - 1, after_zero=False)
    return _count_without_01(length - 1, after_zero=True) + ones + 8 * _count_without_01(length - 1, after_zero=False)


COMPARISONS = (
    parts_of_time, summed_up, least_bytes, spread_of_rates, spans_of_dates, in_order, waiting_processes,
    started_with, compare_launchers, matches_of_find,
)  # fmt: skip
