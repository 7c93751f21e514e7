"""What counters of an IO500 run say twice, of IOR, mdtest, ranks and find. Pairs for the kinds of evidence.json."""

from __future__ import annotations

from collections.abc import Iterator

from validators.benchmarks.io500.evidence import Evidence
from validators.benchmarks.io500.evidence_kinds.clocks import stonewall_of
from validators.benchmarks.io500.evidence_kinds.conservation import LEAST_SECONDS
from validators.benchmarks.io500.phases import number
from validators.benchmarks.io500.rawfacts import Figure
from validators.benchmarks.io500.rawtext import option, size_of
from validators.evidence import Comparison

_WORN_OUT = "stoneWallingWearOut=1"
_ORDERED = (
    ("least pairs", "most pairs"), ("least items", "mean items"), ("mean items", "most items"),
    ("lowest rate", "mean rate"), ("mean rate", "highest rate"), ("least seconds", "mean seconds"),
    ("mean seconds", "most seconds"), ("least bytes", "mean bytes"),
)  # fmt: skip


def pairs(evidence: Evidence) -> Iterator[Comparison]:
    """Where every process goes on to the same end, its transfers there are the bytes that IOR counted."""
    for name, raw in evidence.raw.items():
        most, moved = raw.figures.other.get("most pairs"), raw.figures.bytes_moved
        size = size_of(option(raw.launch.command, "t"))
        if most and moved and moved.value > 0 and size and raw.launch.tasks and _WORN_OUT in raw.launch.command:
            transferred = most.value * size * raw.launch.tasks
            where, against = f"{raw.path}:{most.line}", f"{raw.path}:{moved.line}"
            yield Comparison("io500.evidence.pairs", name, transferred, moved.value, where, against)


def operations(evidence: Evidence) -> Iterator[Comparison]:
    """Operations times their size over the time of I/O are the bytes that the bandwidth gives over the whole time."""
    for name, raw in evidence.raw.items():
        by_name, size = raw.figures.other, size_of(option(raw.launch.command, "t"))
        figures = [by_name.get(key) for key in ("operations per second", "seconds of I/O", "MiB/s", "seconds")]
        rate, busy, bandwidth, seconds = figures
        if size and rate and busy and bandwidth and seconds and all(figure and figure.value > 0 for figure in figures):
            done, moved = rate.value * busy.value * size, bandwidth.value * 2**20 * seconds.value
            where, slack = f"{raw.path}:{rate.line}", sum(map(_share, (rate, busy, bandwidth, seconds)))
            yield Comparison("io500.evidence.operations", name, done, moved, where, slack=slack)


def _share(figure: Figure) -> float:
    """What the printed digits of a figure leave open."""
    return figure.half_step / figure.value


def order(evidence: Evidence) -> Iterator[Comparison]:
    """The least is no more than the mean, and the mean no more than the most."""
    for name, raw in evidence.raw.items():
        for smaller, larger in _ORDERED:
            low, high = raw.figures.other.get(smaller), raw.figures.other.get(larger)
            if low and high and high.value > 0:
                slack = (low.half_step + high.half_step) / high.value
                where, what = f"{raw.path}:{low.line}", f"{name}, {smaller}"
                yield Comparison("io500.evidence.order", what, low.value, high.value, where, slack=slack)


def stopped(evidence: Evidence) -> Iterator[Comparison]:
    """IOR and mdtest do not stop before the stonewall; of mdtest the time follows from items and rate until then."""
    for name, raw in evidence.raw.items():
        wall = stonewall_of(raw.launch.command)
        clock, mean = raw.figures.other.get("stopped after"), raw.figures.other.get("mean items")
        if wall and clock:
            where = f"{raw.path}:{clock.line}"
            yield Comparison("io500.evidence.stopped", name, clock.value, wall, where, slack=clock.half_step)
        rate = _of_result(evidence, name, "rate-stonewall")
        if wall and mean and rate > 0 and raw.launch.tasks:
            seconds, where = mean.value * raw.launch.tasks / rate / 1000, f"{raw.path}:{mean.line}"
            yield Comparison("io500.evidence.stopped", name, seconds, wall, where)


def until_the_stonewall(evidence: Evidence) -> Iterator[Comparison]:
    """The bandwidth until the stonewall times its time are the bytes that IOR counted there.

    Builds of 2020, which print no mode, print another figure under this name.
    """
    for name, raw in evidence.raw.items():
        clock, mean = raw.figures.other.get("stopped after"), raw.figures.other.get("mean bytes")
        rate = _of_result(evidence, name, "throughput-stonewall")
        if evidence.mode and clock and mean and mean.value > 0 and rate > 0 and raw.launch.tasks:
            moved, expected = rate * 2**30 * clock.value, mean.value * raw.launch.tasks
            where = f"{raw.path}:{mean.line}"
            slack = _share(mean) + _share(clock) if clock.value else 0.0
            yield Comparison("io500.evidence.stonewall-bytes", name, moved, expected, where, slack=slack)


def _of_result(evidence: Evidence, phase: str, key: str) -> float:
    section = evidence.result.phases.get(phase) if evidence.result else None
    return number(section.values.get(key)) if section else 0.0


def find_table(evidence: Evidence) -> Iterator[Comparison]:
    """Rate and seconds of find's own table are the files that it saw; so are those of its ranks together."""
    table = evidence.find_table
    if table is None or evidence.result is None:
        return
    files, matches = (_of_result(evidence, "find", key) for key in ("total-files", "found"))
    where, against = f"{table.path}:1", evidence.result.path
    if files > 0:
        yield Comparison("io500.evidence.find-table", "find", table.rate * table.seconds, files, where, against)
    if table.ranks == _of_result(evidence, "find", "nproc"):
        for what, together, expected in (("files", table.files, files), ("matches", table.matches, matches)):
            if expected > 0:
                yield Comparison("io500.evidence.find-ranks", f"find, {what}", together, expected, where, against)


def table_rows(evidence: Evidence) -> Iterator[Comparison]:
    """A table of ranks has no more rows than there are processes: some were cut on their way."""
    for name, table in evidence.tables.items():
        raw = evidence.raw.get(name)
        if table.readable and raw is not None and raw.launch.tasks:
            where = f"{table.path}:{len(table.rates) + 1}"
            rows, tasks = float(len(table.rates)), float(raw.launch.tasks)
            yield Comparison("io500.evidence.table-rows", name, rows, tasks, where, raw.path)


def table_seconds(evidence: Evidence) -> Iterator[Comparison]:
    """A table of ranks took the seconds of its phase."""
    for name in evidence.tables:
        table, raw = evidence.whole_table(name), evidence.raw.get(name)
        seconds = raw.figures.seconds if raw is not None else None
        if table is not None and table.seconds and raw is not None and seconds and seconds.value >= LEAST_SECONDS:
            pair = table.seconds, seconds.value
            where = f"{raw.path}:{seconds.line}"
            yield Comparison("io500.evidence.table-seconds", name, *pair, table.path, where, _share(seconds))


def file_systems(evidence: Evidence) -> Iterator[Comparison]:
    """The file system has one size from the first phase to the last."""
    first: tuple[float, str] | None = None
    for name, raw in evidence.raw.items():
        size = raw.figures.other.get("file system")
        if size is None:
            continue
        where = f"{raw.path}:{size.line}"
        if first is None:
            first = size.value, where
        else:
            slack = 2 * size.half_step / first[0]
            yield Comparison("io500.evidence.file-system", name, size.value, first[0], where, first[1], slack)


def space(evidence: Evidence) -> Iterator[Comparison]:
    """What IOR writes fits into what was free before."""
    raw = evidence.raw.get("ior-easy-write")
    free = raw.figures.other.get("free space") if raw is not None else None
    if raw is None or free is None or free.value <= 0:
        return
    for name in ("ior-easy-write", "ior-hard-write"):
        moved = evidence.raw[name].figures.bytes_moved if name in evidence.raw else None
        if moved is not None:
            where, against = f"{evidence.raw[name].path}:{moved.line}", f"{raw.path}:{free.line}"
            yield Comparison("io500.evidence.space", name, moved.value, free.value, where, against)


COMPARISONS = (
    pairs, operations, order, stopped, until_the_stonewall, find_table, table_rows, table_seconds, file_systems, space,
)  # fmt: skip
