"""What every form of elbencho's results says of a phase, and the checks that all of them share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from validators.measurements import Measurement
from validators.outputs import Refusal

MOST_PHASES = 5_000
STATS = ("first_done", "last_done")
CONFIG = (
    "path_type",
    "paths",
    "hosts",
    "threads",
    "dirs",
    "files",
    "file_size",
    "block_size",
    "direct_io",
    "random_offsets",
    "random_aligned",
    "io_depth",
    "truncate_files",
)
"""Settings that say what was measured; the command line, which holds paths and hosts, is not among them."""
_NAME = re.compile(r"[A-Z][A-Z0-9_+-]{0,30}")
_TOLERANCE = 0.02


@dataclass(slots=True)
class Phase:
    """One phase: its figures as operation, quantity, statistic, value and unit.

    `command` is the command line, which is not kept; `invocation` counts those of a text.
    """

    name: str
    line: int
    version: str = ""
    command: str = ""
    invocation: int = 0
    config: dict[str, str] = field(default_factory=dict)
    figures: list[tuple[str, str, str, float, str]] = field(default_factory=list)

    @property
    def op(self) -> str:
        return self.name.lower()

    def add(self, quantity: str, stat: str, value: float, unit: str, side: str = "") -> None:
        """Add a figure; `side` is `read` for the read part of a mixed phase."""
        self.figures.append((f"{self.op}_{side}" if side else self.op, quantity, stat, value, unit))

    def value(self, quantity: str, stat: str, side: str = "") -> float | None:
        op = f"{self.op}_{side}" if side else self.op
        return next((figure[3] for figure in self.figures if figure[:3] == (op, quantity, stat)), None)

    def measurements(self, number: int) -> Iterator[Measurement]:
        for op, quantity, stat, value, unit in self.figures:
            yield Measurement.printed(op, quantity, stat, value, unit, context={"phase": number})

    def test(self) -> dict[str, Any]:
        return {"phase": self.name, **self.config}

    def disagreement(self) -> str:
        """What of bytes, time and bandwidth doesn't fit, or nothing. Times are whole milliseconds, cut off."""
        for stat in STATS:
            volume, bandwidth, time = (self.value(quantity, stat) for quantity in ("volume", "bandwidth", "time"))
            if volume is None or bandwidth is None or not time:
                continue
            most, least = volume * 1000 / time, volume * 1000 / (time + 1)
            if not least * (1 - _TOLERANCE) <= bandwidth <= most * (1 + _TOLERANCE):
                return f"{self.name}: {volume:.0f} B in {time:.0f} ms are not {bandwidth:.0f} B/s ({stat})."
        return ""


def named(name: object, line: int) -> Phase:
    """A new phase. Raises Refusal for what is no name of one."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        hint = "Upload the results as elbencho wrote them."
        raise Refusal("inconsistent", f"{str(name)[:40]!r} is no name of a phase.", hint, line)
    return Phase(name, line)
