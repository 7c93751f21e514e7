"""Read the boxes that Cray MPICH prints on standard error for each file that is closed.

    MPICH_MPIIO_STATS=1   | MPIIO write access patterns for FILE     calls, bytes, aggregators, stripes
    MPICH_MPIIO_TIMERS=1  | MPIIO write by phases, all ranks, for FILE   bandwidth in MiB/s, ticks of each phase

Three bandwidths: of sending data to the aggregators, of the file system alone (raw), and of all together (net).
Statistics alone hold none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.findings import ERROR, INFO, Finding
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal, find_outputs, printed_number
from validators.reading.accounting import lines_missing

TOOL = "cray-mpich"
HEAD_BYTES = 4 * 1024 * 1024
"""An application prints before it closes its first file."""
MOST_BOXES = 2_000
MOST_ENTRIES = 200

_BEGIN = re.compile(
    r"\| {1,4}MPIIO (?P<op>write|read) (?:(?P<patterns>access patterns)|by phases(?:, (?P<ranks>[\w ]{1,40}),)?)"
    r" for (?P<file>\S.{0,1000})"
)
_BORDER = re.compile(r"\+-{20,200}\+")
_ENTRY = re.compile(r"\| {2,6}(?P<name>[A-Za-z(][\w/ ()*-]{0,60}?) {0,60}= {0,60}(?P<value>\S.{0,200})?")
_TIMED = re.compile(r"(?P<name>[\w/ ]{1,40}?) BW \((?P<unit>[A-Za-z/]{1,10})\)")
_TICKS = re.compile(r"(\d{1,20}) {1,20}(\d{1,20}) {1,20}(\d{1,20}) {1,10}(\d{1,3})%")
_BYTES = re.compile(r"(\d{1,25})(?: = (\d{1,20}) MiB)?(?: = \d{1,20} GiB)?")
_VERSION = re.compile(r"CRAY MPICH version (\d[\w.]{0,20})")
_COUNTS = {
    "independent writes": ("independent", "ops"),
    "independent reads": ("independent", "ops"),
    "collective writes": ("collective", "ops"),
    "collective reads": ("collective", "ops"),
    "independent writers": ("independent_writers", "ranks"),
    "independent readers": ("independent_readers", "ranks"),
    "aggregators": ("aggregators", "ranks"),
    "stripe count": ("stripe_count", "stripes"),
    "system writes": ("system", "ops"),
    "system reads": ("system", "ops"),
    "stripe sized writes": ("stripe_sized", "ops"),
    "stripe sized reads": ("stripe_sized", "ops"),
    "read-modify-write count": ("read_modify_write", "ops"),
    "number of write gaps": ("gaps", "ops"),
    "number of read gaps": ("gaps", "ops"),
    "number of ranks writing": ("ranks_writing", "ranks"),
    "number of ranks not writing": ("ranks_not_writing", "ranks"),
    "number of ranks reading": ("ranks_reading", "ranks"),
    "number of ranks not reading": ("ranks_not_reading", "ranks"),
}
_VOLUMES = {
    "stripe size": "stripe_size",
    "total bytes for writes": "total",
    "total bytes for reads": "total",
    "ave system write size": "system_mean",
    "ave system read size": "system_mean",
    "read-modify-write bytes": "read_modify_write",
}
_OF_EVERY_BOX = (
    *("independent {op}s", "collective {op}s", "independent {op}rs", "aggregators", "stripe count", "stripe size"),
    *("system {op}s", "stripe sized {op}s", "total bytes for {op}s", "ave system {op} size", "number of {op} gaps"),
    *("read-modify-write count", "read-modify-write bytes"),
)
_OF_TIMED_BOXES = (
    *("number of ranks {doing}", "number of ranks not {doing}", "wait for coll", "data send (*)", "file {op}"),
    *("data send BW (MiB/s)", "raw {op} BW (MiB/s)", "net {op} BW (MiB/s)"),
)
"""Of those of all ranks."""
_ABSENT = ("NA", "-1", "N/A")
_UNITS = ("MiB/s", "MB/s", "GiB/s", "GB/s", "KiB/s")
_TOLERANCE = 1e-3
_HINT_AGAIN = "Upload the whole standard error of the run."


@dataclass(slots=True)
class Box:
    """One box: what it is of, its measurements, and the share that each phase had."""

    op: str
    file: str
    timed: bool
    line: int
    index: int
    of_all_ranks: bool = False
    borders: int = 0
    names: set[str] = field(default_factory=set)
    measurements: list[Measurement] = field(default_factory=list)
    phases: list[dict[str, Any]] = field(default_factory=list)
    closed: bool = False

    @property
    def context(self) -> dict[str, Any]:
        return {"file": self.file, "box": self.index}

    def add(self, name: str, value: str, number: int) -> bool:
        """Take one entry; False for an unknown one. Raises Refusal for a figure that is none, or of an unknown unit."""
        timed = _TIMED.fullmatch(name)
        self.names.add(name)
        if len(self.measurements) >= MOST_ENTRIES:
            raise Refusal("inconsistent", f"A box has more than {MOST_ENTRIES} figures.", _HINT_AGAIN, number)
        if value in _ABSENT:
            return True
        if timed:
            self._add_bandwidth(timed, value, number)
        elif name in _COUNTS:
            stat, unit = _COUNTS[name]
            self._measure("count", stat, printed_number(value, number), unit)
        elif name in _VOLUMES:
            self._measure("volume", _VOLUMES[name], _bytes(value, number), "B")
        elif ticks := _TICKS.fullmatch(value):
            self._add_phase(name, ticks)
        else:
            return False
        return True

    def value(self, quantity: str, stat: str) -> float | None:
        values = [
            measurement.value
            for measurement in self.measurements
            if (measurement.quantity, measurement.stat) == (quantity, stat)
        ]
        return values[0] if values else None

    def _add_bandwidth(self, timed: re.Match[str], value: str, number: int) -> None:
        """`data send`, `raw write` and `net write` without what the box is of: data_send, raw, net."""
        if timed["unit"] not in _UNITS:
            message = f"{timed['unit']!r} is no unit that Cray MPICH prints."
            raise Refusal("unit-not-understood", message, _HINT_AGAIN, number)
        stat = timed["name"].removesuffix(f" {self.op}").replace(" ", "_")
        self._measure("bandwidth", stat, printed_number(value, number), timed["unit"])

    def _add_phase(self, name: str, ticks: re.Match[str]) -> None:
        phase = name.replace("(*)", "").strip().replace(" ", "_")
        self.phases.append({"phase": phase, "ave_ticks": int(ticks[3]), "share_percent": int(ticks[4])})
        self._measure("time_share", phase, int(ticks[4]), "%")

    def _measure(self, quantity: str, stat: str, value: float, unit: str) -> None:
        self.measurements.append(Measurement.printed(self.op, quantity, stat, value, unit, context=self.context))


def find_runs(bundle: Bundle) -> Reading:
    """One run for each file with boxes; never raises on any content."""
    return find_outputs(bundle, TOOL, is_cray_mpich, read, HEAD_BYTES)


def is_cray_mpich(head: bytes) -> bool:
    return b"| MPIIO write " in head or b"| MPIIO read " in head


def explain(run: Run) -> list[str]:
    """Bytes over the net bandwidth: how long each file took."""
    return [
        f"{row['op']} of box {row['box']}: {row['total_B'] / row['net_B_per_s']:.3f} s"
        for row in run.tests
        if row["net_B_per_s"] and row["total_B"]
    ]


def read(output: Output) -> list[Run]:
    """The run with all boxes of one file. Raises Refusal where one was cut, or holds no number."""
    run = Run(TOOL, output.path)
    boxes = []
    for box in _boxes(output, run):
        if not box.closed:
            raise Refusal("truncated", "A box has no lower border.", _HINT_AGAIN, box.line)
        run.measurements += box.measurements
        boxes.append(box)
    if not boxes:
        return []
    run.tests = list(_rows(boxes))
    run.parameters = _parameters(boxes)
    run.findings = list(_findings(boxes, output.path))
    return [run]


def _boxes(output: Output, run: Run) -> Iterator[Box]:
    """Every box, in order; what is before, between and after them is the application's.

    Each box has an upper and a lower border: where only one stands between two boxes, the first was cut.
    """
    box: Box | None = None
    for number, line in enumerate(output.lines(of_others=True), start=1):
        if begin := _BEGIN.search(line):
            if box:
                box.closed = box.borders > 1
                yield box
            output.ledger.claim()
            box = _begun(begin, number, box.index + 1 if box else 1)
        elif box and _BORDER.search(line):
            box.borders += 1
            output.ledger.end()
        elif box and not box.borders and (entry := _ENTRY.search(line)):
            if box.add(entry["name"].strip(), (entry["value"] or "").strip(), number):
                output.ledger.claim()
        elif "CRAY MPICH version" in line and (version := _VERSION.search(line)):
            run.version = version[1]
    if box:
        box.closed = box.borders > 0
        yield box


def _begun(begin: re.Match[str], number: int, index: int) -> Box:
    if index > MOST_BOXES:
        raise Refusal("too-large", f"More than {MOST_BOXES} files were closed.", _HINT_AGAIN, number)
    name = PurePosixPath(begin["file"].strip()).name[:120]
    return Box(begin["op"], name, not begin["patterns"], number, index, begin["ranks"] == "all ranks")


def _bytes(text: str, number: int) -> float:
    """`4382277718 = 4179 MiB = 4 GiB`. Raises Refusal where the two differ: the line was edited."""
    match = _BYTES.fullmatch(text)
    value = printed_number(match[1] if match else text, number)
    if match and match[2] and abs(value / 2**20 - int(match[2])) > 1:
        raise Refusal(
            "inconsistent",
            f"{value:.0f} bytes are not {match[2][:20]} MiB.",
            "The output was edited. " + _HINT_AGAIN,
            number,
            expected=f"{value / 2**20:.0f} MiB",
            actual=f"{match[2][:20]} MiB",
        )
    return value


def _rows(boxes: list[Box]) -> Iterator[dict[str, Any]]:
    """A row for each box; bytes of a timed one are those of the statistics of the same file before it."""
    totals: dict[tuple[str, str], float] = {}
    for box in boxes:
        total = box.value("volume", "total")
        if total is not None:
            totals[box.op, box.file] = total
        net = box.value("bandwidth", "net")
        row = {"box": box.index, "op": box.op, "file": box.file, "timed": box.timed}
        row |= {"total_B": totals.get((box.op, box.file)), "net_B_per_s": net, "phases": box.phases}
        yield row


def _parameters(boxes: list[Box]) -> dict[str, Any]:
    """What holds for all files alike: tasks, aggregators and stripes."""
    parameters: dict[str, Any] = {"files": len({box.file for box in boxes}), "boxes": len(boxes)}
    parameters["timed"] = any(box.timed for box in boxes)
    for name, quantity, stat in (
        ("aggregators", "count", "aggregators"),
        ("stripe_count", "count", "stripe_count"),
        ("stripe_size_bytes", "volume", "stripe_size"),
    ):
        values = {box.value(quantity, stat) for box in boxes} - {None}
        if len(values) == 1:
            parameters[name] = int(values.pop() or 0)
    tasks = {
        int(doing + idle)
        for box in boxes
        for kind in ("writing", "reading")
        if (doing := box.value("count", f"ranks_{kind}")) is not None
        and (idle := box.value("count", f"ranks_not_{kind}")) is not None
    }
    return {**parameters, "tasks": tasks.pop()} if len(tasks) == 1 else parameters


def _expected(box: Box) -> set[str]:
    """Entries that every box of its kind has; others are compared between the boxes of an output."""
    if box.timed:
        doing = {"write": "writing", "read": "reading"}[box.op]
        return {name.format(op=box.op, doing=doing) for name in _OF_TIMED_BOXES} if box.of_all_ranks else set()
    return {
        name.format(op=box.op).replace("readrs", "readers")
        for name in _OF_EVERY_BOX
        if box.op == "write" or "modify" not in name
    }


def _findings(boxes: list[Box], path: str) -> Iterator[Finding]:
    if not any(box.measurements for box in boxes):
        message, hint = "The boxes hold no figure.", "Repeat the run with MPICH_MPIIO_STATS=1."
        yield Finding("cray-mpich.no-results", ERROR, message, hint, path)
        return
    if not any(measurement.quantity == "bandwidth" for box in boxes for measurement in box.measurements):
        message = "Statistics only: there is no bandwidth in them."
        hint = "Set MPICH_MPIIO_TIMERS=1 as well."
        yield Finding("cray-mpich.no-bandwidth", INFO, message, hint, path)
    entries: dict[tuple[str, bool], set[str]] = {}
    for box in boxes:
        entries.setdefault((box.op, box.timed), set()).update(box.names)
    for box in boxes:
        if missing := sorted((entries[box.op, box.timed] | _expected(box)) - box.names):
            what = f"Box {box.index} has no line for {', '.join(missing[:5])}."
            yield lines_missing(TOOL, what, f"{path}:{box.line}")
        raw, net = box.value("bandwidth", "raw"), box.value("bandwidth", "net")
        if raw is not None and net is not None and net > raw * (1 + _TOLERANCE):
            yield Finding(
                "cray-mpich.inconsistent",
                ERROR,
                f"The net bandwidth of box {box.index} is above the raw one, of which it is a part.",
                "The output was edited, or put together from two. " + _HINT_AGAIN,
                f"{path}:{box.line}",
                expected=f"at most {raw / 2**20:.3f} MiB/s",
                actual=f"{net / 2**20:.3f} MiB/s",
            )
