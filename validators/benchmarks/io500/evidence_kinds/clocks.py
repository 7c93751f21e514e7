"""What clocks, counts and command lines of an IO500 run say twice. Pairs for the kinds of evidence.json."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from validators.benchmarks.io500.evidence import Evidence, Raw, seconds_of
from validators.benchmarks.io500.evidence_kinds.command_lines import command_of, launched
from validators.benchmarks.io500.evidence_kinds.conservation import LEAST_SECONDS, each_phase
from validators.benchmarks.io500.phases import moment, number
from validators.benchmarks.io500.rawtext import data_folder, plain_command
from validators.evidence import Comparison

_STONEWALL = re.compile(r"(?<![\w-])-[DW][ =]{0,3}(\d{1,6})(?!\d)")
_SPARE_SECONDS = 5.0
"""What starting and ending a phase may take beside it."""
_STAMP = re.compile(r"(\d{4})\.(\d\d)\.(\d\d)-(\d\d)\.(\d\d)\.(\d\d)(?!\d)")
_SHIFTED, _NOT_SHIFTED = "constant task offset", "no tasks offsets"


def launch_of(raw: Raw) -> str:
    """Where a raw text says how many processes there are."""
    return f"{raw.path}:{raw.figures.launch_line}"


def wall_times(evidence: Evidence) -> Iterator[Comparison]:
    """The seconds in the raw text fit into the wall time of the phase."""
    for phase, raw in [*each_phase(evidence, "ior"), *each_phase(evidence, "mdtest")]:
        seconds, wall = raw.figures.seconds, seconds_of(evidence, phase)
        if seconds is not None and math.isfinite(wall) and min(wall, seconds.value) >= LEAST_SECONDS:
            where = f"{raw.path}:{seconds.line}"
            spent = seconds.value + raw.figures.tree_seconds
            yield Comparison("io500.evidence.seconds", phase.name, spent, wall, where, phase.where)
            if phase.name.endswith(("-read", "-stat")):
                slack = _SPARE_SECONDS / wall
                yield Comparison("io500.evidence.read-seconds", phase.name, spent, wall, where, phase.where, slack)


def durations(evidence: Evidence) -> Iterator[Comparison]:
    """A phase lasted from its beginning to its end, by the clock of result.txt."""
    for phase in evidence.phases:
        wall = seconds_of(evidence, phase)
        if phase.started and phase.ended and math.isfinite(wall):
            clock = (phase.ended - phase.started).total_seconds()
            yield Comparison("io500.evidence.duration", phase.name, wall, clock, phase.where)


def dates(evidence: Evidence) -> Iterator[Comparison]:
    """The tool began and ended when io500 says that the phase did."""
    for phase, raw in [*each_phase(evidence, "ior"), *each_phase(evidence, "mdtest")]:
        for tool_time, of_phase in ((raw.figures.began, phase.started), (raw.figures.finished, phase.ended)):
            if tool_time is not None and of_phase is not None:
                where = f"{raw.path}:{tool_time[1]}"
                yield Comparison("io500.evidence.dates", phase.name, tool_time[0], of_phase, where, phase.where)


def gaps(evidence: Evidence) -> Iterator[Comparison]:
    """Each phase begins when the one before it ends, by the clock of result.txt or by that of the raw texts."""
    timed = [phase for phase in evidence.phases if phase.started and phase.ended]
    for before, after in zip(timed, timed[1:], strict=False):
        if before.ended and after.started:
            yield Comparison(
                "io500.evidence.pauses", after.name, after.started, before.ended, after.where, before.where
            )


def run_clock(evidence: Evidence) -> Iterator[Comparison]:
    """The run begins with its first phase and ends after its last."""
    timed = [phase for phase in evidence.phases if phase.started and phase.ended]
    if evidence.result is None or not timed:
        return
    first, last = timed[0], timed[-1]
    began, ended = moment(evidence.result.started), moment(evidence.result.ended)
    if began and first.started:
        where = evidence.result.path
        yield Comparison("io500.evidence.run-clock", first.name, first.started, began, first.where, where)
    if ended and last.ended:
        what = f"the run after {last.name}"
        yield Comparison("io500.evidence.run-clock", what, ended, last.ended, evidence.result.path, last.where)


def folder_dates(evidence: Evidence) -> Iterator[Comparison]:
    """io500 names the folders of results and of data by the time at which it began, in any zone."""
    began = moment(evidence.result.started) if evidence.result else None
    if began is None or evidence.result is None:
        return
    folders = [(evidence.result.header.get("result-dir", ""), evidence.result.path)]
    folders.append((evidence.folder.path, evidence.folder.path))
    folders += [(data_folder(command), where) for _, command, where in launched(evidence)]
    for folder, where in folders:
        stamp = _STAMP.search(folder.rstrip("/").rpartition("/")[2])
        named = moment("{}-{}-{} {}:{}:{}".format(*stamp.groups())) if stamp else None
        if named is not None:
            yield Comparison("io500.evidence.folder-date", "the run", began, named, evidence.result.path, where)


def weekdays(evidence: Evidence) -> Iterator[Comparison]:
    """IOR prints the day of the week with the date."""
    for name, raw in evidence.raw.items():
        began, weekday = raw.figures.began, raw.figures.weekday
        if began is not None and weekday is not None:
            where = f"{raw.path}:{weekday[1]}"
            yield Comparison("io500.evidence.weekday", name, weekday[0], f"{began[0]:%a}", where)


def compare_beginnings(evidence: Evidence) -> Iterator[Comparison]:
    """IOR prints the time at which it began twice."""
    for name, raw in evidence.raw.items():
        began, again = raw.figures.began, raw.figures.began_again
        if began is not None and again is not None:
            where, against = f"{raw.path}:{again[1]}", f"{raw.path}:{began[1]}"
            yield Comparison("io500.evidence.began-twice", name, again[0], began[0], where, against)


def stonewalls(evidence: Evidence) -> Iterator[Comparison]:
    """The stonewall of the raw text is that of result.txt, of the configuration, and of what IOR says."""
    paths, option = evidence.folder.settings, ("debug", "stonewall-time")
    set_to = [(number(values[option]), paths[name]) for name, values in evidence.settings.items() if option in values]
    for phase in evidence.phases:
        raw = evidence.raw.get(phase.name)
        if raw is None or not phase.name.endswith("-write"):
            continue
        flag = stonewall_of(raw.launch.command)
        others = [(stonewall_of(phase.command), phase.where), *set_to]
        if raw.figures.stonewall_s is not None:
            others.append((raw.figures.stonewall_s.value, f"{raw.path}:{raw.figures.stonewall_s.line}"))
        for expected, where in others:
            if flag is not None and expected is not None and math.isfinite(expected) and phase.scored:
                yield Comparison("io500.evidence.stonewall", phase.name, flag, expected, command_of(raw), where)


def stonewall_of(command: str) -> float | None:
    """The seconds after which IOR or mdtest is to stop, from a command line."""
    match = _STONEWALL.search(plain_command(command))
    return float(match[1]) if match else None


def tasks(evidence: Evidence) -> Iterator[Comparison]:
    """Each phase had the processes that result.txt says."""
    procs = number(evidence.result.header.get("procs")) if evidence.result else math.nan
    if evidence.result is None or not math.isfinite(procs):
        return
    for name, raw in evidence.raw.items():
        if raw.launch.tasks:
            where = evidence.result.path
            yield Comparison("io500.evidence.tasks", name, float(raw.launch.tasks), procs, launch_of(raw), where)


def nodes(evidence: Evidence) -> Iterator[Comparison]:
    """Nodes times clients of each node are the processes."""
    for name, raw in evidence.raw.items():
        launch = raw.launch
        if launch.tasks and launch.nodes and launch.procs_per_node:
            product = float(launch.nodes * launch.procs_per_node)
            yield Comparison("io500.evidence.nodes", name, product, float(launch.tasks), launch_of(raw))


def node_maps(evidence: Evidence) -> Iterator[Comparison]:
    """The map of nodes that mdtest draws has as many processes on the first node as there are on each."""
    for name, raw in evidence.raw.items():
        drawn, launch = raw.figures.procs_on_node, raw.launch
        if drawn is not None and launch.tasks and launch.nodes:
            each = launch.tasks / launch.nodes
            where = f"{raw.path}:{drawn.line}"
            yield Comparison("io500.evidence.node-map", name, drawn.value, each, where)


def shifts(evidence: Evidence) -> Iterator[Comparison]:
    """mdtest shifts ranks by the neighbours that its first rank has on its node."""
    for name, raw in evidence.raw.items():
        shift, drawn = raw.figures.shift, raw.figures.neighbours
        if shift is not None and drawn is not None:
            where = f"{raw.path}:{shift.line}"
            yield Comparison("io500.evidence.shift", name, shift.value, drawn.value, where, f"{raw.path}:{drawn.line}")


def offsets(evidence: Evidence) -> Iterator[Comparison]:
    """IOR reads what another rank wrote where its command line asks for it."""
    for name, raw in evidence.raw.items():
        offset, words = raw.figures.offset, plain_command(raw.launch.command).split()
        if offset is not None and words and not {"-Z", "-z"} & set(words):
            order = _SHIFTED if "-C" in words else _NOT_SHIFTED
            yield Comparison(
                "io500.evidence.offset", name, offset[0].strip(), order, f"{raw.path}:{offset[1]}", raw.path
            )


def machines(evidence: Evidence) -> Iterator[Comparison]:
    """The first rank of every phase runs on one machine."""
    first: tuple[str, str] | None = None
    for name, raw in evidence.raw.items():
        machine = raw.figures.machine
        if machine is None:
            continue
        where = f"{raw.path}:{machine[1]}"
        if first is None:
            first = machine[0], where
        else:
            yield Comparison("io500.evidence.machine", name, machine[0], first[0], where, first[1])


COMPARISONS = (
    wall_times, durations, dates, gaps, run_clock, folder_dates, weekdays, compare_beginnings, stonewalls, tasks,
    nodes, node_maps, shifts, offsets, machines,
)  # fmt: skip
