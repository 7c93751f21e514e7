"""Figures that the raw text of a phase prints beside its result, each with its line: bytes, seconds, dates, nodes.

They are held against each other and against result.txt. Nothing here walks over all lines: see rawtext.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from validators.benchmarks.io500.rawtext import HEAD, MDTEST_ROWS, ior_end, summed_up
from validators.units import UNITS

_BYTES_MOVED = re.compile(rb"^WARNING: Using actual aggregate bytes moved = (\d{1,20})", re.MULTILINE)
_IOR_EXPECTED = re.compile(rb"^WARNING: Expected aggregate file size {1,20}= (\d{1,20})", re.MULTILINE)
_IOR_BEGAN = re.compile(rb"^Began\s*:\s*(\w{3} \w{3} +\d{1,2} [\d:]{8} \d{4})", re.MULTILINE)
_IOR_BEGAN_AGAIN = re.compile(rb"^StartTime\s*:\s*(\w{3} \w{3} +\d{1,2} [\d:]{8} \d{4})", re.MULTILINE)
_IOR_STONEWALL = re.compile(rb"^stonewallingTime\s*:\s*(\d{1,9})", re.MULTILINE)
_IOR_MACHINE = re.compile(rb"^Machine\s*:\s*\S+ (\S{1,100})", re.MULTILINE)
_IOR_OFFSET = re.compile(rb"^ordering inter file\s*[:=]\s*(\S[^\r\n]{0,60})", re.MULTILINE)
_IOR_SIZES = re.compile(rb"^(segments|blocksize)\s*:\s*(\d{1,12})( bytes)?[ \t\r]*$", re.MULTILINE)
_MDTEST_STARTED = re.compile(rb"^-- started at (\d\d/\d\d/\d{4} [\d:]{8}) --", re.MULTILINE)
_MDTEST_FINISHED = re.compile(rb"^-- finished at (\d\d/\d\d/\d{4} [\d:]{8}) --", re.MULTILINE)
_MDTEST_NODEMAP = re.compile(rb"^Nodemap: ([01]{1,4000000})", re.MULTILINE)
_MDTEST_SHIFT = re.compile(rb"Shifting ranks by (\d{1,9}) for each phase")
_MDTEST_ITEMS = re.compile(rb"^Continue stonewall hit min: \d{1,12} max: (\d{1,12}) ", re.MULTILINE)
_FIXED = re.compile(rb"(?<!\d)\d{1,15}\.\d{3}")
_DECIMAL = re.compile(rb"\d{1,15}(?:\.\d{1,9})?")
_IOR_SETTING = re.compile(
    rb"^(xfersize|blocksize|segments|aggregate filesize)\s*:\s*(\d{1,15}(?:\.\d{1,9})?)(?: (\w{1,5}))?", re.MULTILINE
)
_IOR_WORD = re.compile(rb"^(api|test filename)\s*[:=]\s*(\S{1,1000})", re.MULTILINE)
_IOR_STOPPED = re.compile(
    rb"^stonewalling pairs accessed min: (\d{1,18}) max: (\d{1,18}) -- min data: (\d{1,15}(?:\.\d{1,9})?) (\w{1,5}) "
    rb"mean data: (\d{1,15}(?:\.\d{1,9})?) (\w{1,5}) time: (\d{1,9}(?:\.\d{1,9})?)s",
    re.MULTILINE,
)
_ROW_FIGURES = {
    b"IOPS": "operations per second", b"wr/rd(s)": "seconds of I/O", b"total(s)": "seconds", b"bw(MiB/s)": "MiB/s",
    b"open(s)": "seconds of opening", b"close(s)": "seconds of closing", b"Latency(s)": "latency",
}  # fmt: skip
_ROW_SIZES = {b"block(KiB)": "block of the row", b"xfer(KiB)": "transfer of the row"}
_MDTEST_HITS = re.compile(
    rb"^Continue stonewall hit min: (\d{1,12}) max: (\d{1,12}) avg: (\d{1,12}(?:\.\d{1,9})?)(?![\w.,])", re.MULTILINE
)
_MDTEST_RATES = re.compile(rb"^SUMMARY(?: rate[^:\n]{0,20})?: \(of (\d{1,9}) iterations\)", re.MULTILINE)
_MDTEST_FILES = re.compile(rb"^(\d{1,9}) tasks, (\d{1,18}) files", re.MULTILINE)
_FILE_SYSTEM = re.compile(
    rb"^FS\s*:\s*(\d{1,15}(?:\.\d{1,9})?) (\w{1,5})\s+Used FS:\s*(\d{1,3}(?:\.\d{1,9})?)%", re.MULTILINE
)
_IOR_ROW = re.compile(rb"^(write|read) [^\n]{1,400}", re.MULTILINE)
_TREE_ROWS = (b"Tree creation", b"Tree removal")
_IOR_DATE, _MDTEST_DATE = "%a %b %d %H:%M:%S %Y", "%m/%d/%Y %H:%M:%S"
_TAIL = 64 * 1024


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and where it stands; `half_step` is half of its last printed digit."""

    value: float
    line: int
    half_step: float = 0.0


@dataclass(frozen=True, slots=True)
class Figures:
    """What one raw text prints of its phase; None, or an empty text, for what it does not."""

    seconds: Figure | None = None
    rounds: int = 0
    """Rows of IOR, or iterations of mdtest, that the text holds; 0 where it has none."""
    tree_seconds: float = 0.0
    bytes_moved: Figure | None = None
    items_each: Figure | None = None
    stonewall_s: Figure | None = None
    began: tuple[datetime, int] | None = None
    began_again: tuple[datetime, int] | None = None
    """The time at which IOR began, as it prints it a second time."""
    finished: tuple[datetime, int] | None = None
    procs_on_node: Figure | None = None
    neighbours: Figure | None = None
    shift: Figure | None = None
    machine: tuple[str, int] | None = None
    offset: tuple[str, int] | None = None
    weekday: tuple[str, int] | None = None
    other: dict[str, Figure] = field(default_factory=dict)
    """What else it prints, by name: sizes in bytes, counts, seconds."""
    words: dict[str, tuple[str, int]] = field(default_factory=dict)
    summed_up: dict[str, Figure] = field(default_factory=dict)
    """What IOR prints below its row, by the name of the column."""
    command_line: int = 1
    launch_line: int = 1


def ior_figures(content: bytes, operation: str, tasks: int | None) -> Figures:
    """The figures of an IOR text: the row of its only operation, its preamble and its warnings."""
    start = max(content.find(b"IOR-"), 0)
    began = _IOR_BEGAN.search(content, start, start + HEAD)
    return Figures(
        seconds=_row_seconds(content, operation.encode()),
        rounds=_row_count(content, operation.encode()),
        bytes_moved=_bytes_moved(content, start, tasks),
        stonewall_s=_count(content, _IOR_STONEWALL.search(content, start, start + HEAD)),
        began=_moment(content, began, _IOR_DATE),
        began_again=_moment(content, _IOR_BEGAN_AGAIN.search(content, start, start + HEAD), _IOR_DATE),
        finished=_moment(content, ior_end(content), _IOR_DATE),
        summed_up=_summed_up(content, operation.encode()),
        weekday=(began[1][:3].decode(), _line(content, began.start())) if began else None,
        other=dict(_ior_printed(content, operation.encode(), start)),
        words={
            match[1].decode(): (match[2].decode("utf-8", "replace"), _line(content, match.start()))
            for match in _IOR_WORD.finditer(content, start, start + HEAD)
        },
        command_line=_line_of(content, b"\nCommand line", start),
        launch_line=_line_of(content, b"\ntasks ", start),
        offset=_word(content, _IOR_OFFSET.search(content, start, start + HEAD)),
        machine=_word(content, _IOR_MACHINE.search(content, start, start + HEAD)),
    )


def mdtest_figures(content: bytes, operation: str) -> Figures:
    """The figures of an mdtest text: its summary of times, its map of nodes, when it began and ended."""
    began = _MDTEST_STARTED.search(content, 0, HEAD)
    launch = max(content.find(b" was launched with"), 0)
    nodemap = _MDTEST_NODEMAP.search(content, launch)
    ranks = nodemap[1] if nodemap else b""
    line = _line(content, nodemap.start()) if nodemap else 0
    tail = max(len(content) - _TAIL, 0)
    return Figures(
        seconds=_summary_seconds(content, MDTEST_ROWS[operation]),
        rounds=_iteration_count(content),
        command_line=_line_of(content, b"\nCommand line", launch),
        launch_line=_line(content, launch),
        tree_seconds=sum(figure.value for row in _TREE_ROWS if (figure := _summary_seconds(content, row))),
        items_each=_count(content, _MDTEST_ITEMS.search(content, launch)),
        began=_moment(content, began, _MDTEST_DATE),
        finished=_moment(content, _MDTEST_FINISHED.search(content, tail), _MDTEST_DATE),
        procs_on_node=Figure(ranks.count(b"1"), line) if nodemap else None,
        neighbours=Figure(len(ranks) - len(ranks.lstrip(b"1")), line) if nodemap else None,
        shift=_count(content, _MDTEST_SHIFT.search(content, launch)),
        other=dict(_mdtest_printed(content, MDTEST_ROWS[operation], launch)),
    )


def _row_seconds(content: bytes, operation: bytes) -> Figure | None:
    """`total(s)` of the row of the operation."""
    row, line = _row(content, operation)
    return _decimal(row[b"total(s)"], line) if b"total(s)" in row else None


def _row(content: bytes, operation: bytes) -> tuple[dict[bytes, bytes], int]:
    """The cells of the row of the operation, by the names of the columns above it, and its line."""
    names = content.rfind(b"\naccess    bw(")
    at = content.find(b"\n" + operation + b" ", max(names, 0))
    if names < 0 or at < 0:
        return {}, 0
    columns = content[names + 1 : names + 400].split(b"\n", 1)[0].split()
    cells = content[at + 1 : at + 400].split(b"\n", 1)[0].split()
    return (dict(zip(columns, cells, strict=True)), _line(content, at + 1)) if len(cells) == len(columns) else ({}, 0)


def _row_count(content: bytes, operation: bytes) -> int:
    """How many rows of the operation have as many cells as the columns; those of the summary below have more."""
    names = content.find(b"\naccess    bw(")
    columns = len(content[names + 1 : names + 400].split(b"\n", 1)[0].split()) if names >= 0 else 0
    rows = (row for row in _IOR_ROW.finditer(content) if row[1] == operation)
    return sum(len(row[0].split()) == columns for row in rows)


def _iteration_count(content: bytes) -> int:
    """Iterations that mdtest summed up; what stands twice in one file counts twice."""
    hits, rates = (len(pattern.findall(content)) for pattern in (_MDTEST_HITS, _MDTEST_RATES))
    iterations = [int(match[1]) for match in _MDTEST_RATES.finditer(content)]
    return max(hits, rates, *iterations) if iterations else 0


def _summed_up(content: bytes, operation: bytes) -> dict[str, Figure]:
    figures = [(name, _decimal(text, _line(content, at))) for name, text, at in summed_up(content, operation)]
    return {name: figure for name, figure in figures if figure is not None}


def _ior_printed(content: bytes, operation: bytes, start: int) -> Iterator[tuple[str, Figure]]:
    """Sizes of the options, what stood on the clock at the stonewall, and the cells of the row."""
    for match in _IOR_SETTING.finditer(content, start, start + HEAD):
        if figure := _size(match[2], match[3], _line(content, match.start())):
            yield match[1].decode(), figure
    if stopped := _IOR_STOPPED.search(content, start):
        line = _line(content, stopped.start())
        yield "least pairs", Figure(float(stopped[1]), line)
        yield "most pairs", Figure(float(stopped[2]), line)
        yield "stopped after", Figure(float(stopped[7]), line, 0.05)
        for name, text, unit in (("least bytes", stopped[3], stopped[4]), ("mean bytes", stopped[5], stopped[6])):
            if figure := _size(text, unit, line):
                yield name, figure
    if expected := _count(content, _IOR_EXPECTED.search(content, start)):
        yield "expected bytes", expected
    row, line = _row(content, operation)
    for column, cell in row.items():
        figure = _decimal(cell, line)
        if figure is not None and column in _ROW_FIGURES:
            yield _ROW_FIGURES[column], figure
        elif figure is not None and column in _ROW_SIZES:
            yield _ROW_SIZES[column], Figure(figure.value * 1024, line, figure.half_step * 1024)
    yield from _file_system(content)


def _mdtest_printed(content: bytes, row: bytes, launch: int) -> Iterator[tuple[str, Figure]]:
    """Items at the stonewall, files that were asked for, and the row of the rates."""
    if hits := _MDTEST_HITS.search(content, launch):
        line = _line(content, hits.start())
        for name, text in (("least items", hits[1]), ("most items", hits[2]), ("mean items", hits[3])):
            if figure := _decimal(text, line):
                yield name, figure
    if files := _MDTEST_FILES.search(content, launch):
        line = _line(content, files.start())
        yield "processes", Figure(float(files[1]), line)
        yield "files", Figure(float(files[2]), line)
    for heading, names in (
        (b"\nSUMMARY time", ("most seconds", "least seconds", "mean seconds")),
        (b"\nSUMMARY", ("highest rate", "lowest rate", "mean rate")),
    ):
        numbers, line = _summary_row(content, heading, row)
        for name, text in zip(names, numbers, strict=False):
            yield name, Figure(float(text), line, 0.0005)
    yield from _file_system(content)


def _file_system(content: bytes) -> Iterator[tuple[str, Figure]]:
    """Size and free space of the file system before the phase, as far as the printed digits tell."""
    match = _FILE_SYSTEM.search(content, 0, HEAD)
    figure = _size(match[1], match[2], _line(content, match.start())) if match else None
    if match is not None and figure is not None and figure.value > 0:
        yield "file system", figure
        free = figure.value * max(100.05 - float(match[3]), 0.0) / 100
        yield "free space", Figure(free, figure.line, figure.half_step)


def _size(text: bytes, unit: bytes | None, line: int) -> Figure | None:
    """A size in bytes, or a bare count: `16 MiB`, `47008 bytes`, `10000000`."""
    name = (unit or b"B").decode().replace("bytes", "B").replace("Bytes", "B")
    figure = _decimal(text, line)
    if figure is None or name not in UNITS or UNITS[name].canonical != "B":
        return None
    factor = UNITS[name].factor
    return Figure(figure.value * factor, line, figure.half_step * factor if factor > 1 else 0.0)


def _bytes_moved(content: bytes, start: int, tasks: int | None) -> Figure | None:
    """As IOR counted them; where it did not have to, what it was asked to move, if that is printed in bytes."""
    moved = _BYTES_MOVED.search(content, start)
    if moved:
        return _count(content, moved)
    if b"WARNING: Stat() of aggregate" in content or not tasks:
        return None
    sizes = {match[1]: match for match in _IOR_SIZES.finditer(content, start, start + HEAD)}
    block, segments = sizes.get(b"blocksize"), sizes.get(b"segments")
    if block is None or segments is None or not block[3] or b"stonewallingTime" in content:
        return None
    return Figure(float(int(block[2]) * int(segments[2]) * tasks), _line(content, block.start()))


def _summary_seconds(content: bytes, row: bytes) -> Figure | None:
    """The least time of the row in `SUMMARY time`, as the rate that counts is the highest; old builds print none."""
    numbers, line = _summary_row(content, b"\nSUMMARY time", row)
    return Figure(float(numbers[1]), line, 0.0005) if numbers else None


def _summary_row(content: bytes, heading: bytes, row: bytes) -> tuple[list[bytes], int]:
    """Most, least, mean and deviation of a row of one of mdtest's two tables, and its line; nothing without them."""
    table = content.find(heading)
    at = content.find(row, table) if table >= 0 else -1
    numbers = _FIXED.findall(content[at : at + 160].split(b"\n", 1)[0]) if at >= 0 else []
    return (numbers, _line(content, at)) if len(numbers) == 4 else ([], 0)


def _decimal(text: bytes, line: int) -> Figure | None:
    if not _DECIMAL.fullmatch(text):
        return None
    return Figure(float(text), line, 0.5 * 10.0 ** -len(text.partition(b".")[2]))


def _count(content: bytes, match: re.Match[bytes] | None) -> Figure | None:
    return Figure(float(match[1]), _line(content, match.start())) if match else None


def _word(content: bytes, match: re.Match[bytes] | None) -> tuple[str, int] | None:
    return (match[1].decode("utf-8", "replace"), _line(content, match.start())) if match else None


def _moment(content: bytes, match: re.Match[bytes] | None, form: str) -> tuple[datetime, int] | None:
    try:
        text = b" ".join(match[1].split()).decode() if match else ""
        return (datetime.strptime(text, form), _line(content, match.start())) if match else None
    except ValueError:
        return None


def _line_of(content: bytes, begins: bytes, start: int) -> int:
    """The line that begins so in the preamble; the first where there is none."""
    at = content.find(begins, start, start + HEAD)
    return _line(content, at + 1) if at >= 0 else 1


def _line(content: bytes, at: int) -> int:
    return content.count(b"\n", 0, at) + 1
