"""What every form of elbencho's results says of a phase, and the checks that all of them share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from validators.measurements import Measurement
from validators.outputs import Refusal
from validators.units import to_canonical

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
_MANY = 100
_ROUNDED_S = 1e-6


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

    def disagreement(self, step: float = 0.0) -> str:
        """What of bytes or entries, time and rate doesn't fit, or nothing. Times are whole milliseconds, cut off.

        `step` is how far volumes and bandwidths may be from what is printed of them: of whole MiB one.
        """
        for stat in STATS:
            for amount, rate, rounded in (("volume", "bandwidth", step), ("ops", "rate", 1.0)):
                done, stated, time = (self.value(quantity, stat) for quantity in (amount, rate, "time"))
                if done is None or stated is None or not time:
                    continue
                most, least = (done + rounded) * 1000 / time, max(done - rounded, 0.0) * 1000 / (time + 1)
                if not least * (1 - _TOLERANCE) - rounded <= stated <= most * (1 + _TOLERANCE) + rounded:
                    unit = "B" if amount == "volume" and not step else "MiB" if amount == "volume" else "entries"
                    return f"{self.name}: {done:.0f} {unit} in {time:.0f} ms are not {stated:.0f} {unit}/s ({stat})."
        return ""

    def other_disagreement(self) -> str:
        """What of rates and latencies doesn't fit, or nothing: one size of an operation, and an order of latencies."""
        sizes = [self._bytes_each(stat) for stat in STATS]
        present = [size for size in sizes if size]
        block = self.config.get("block_size", "")
        if len(present) == len(STATS) and abs(present[0] / present[1] - 1) > _TOLERANCE:
            sizes_told = f"{present[0]:.0f} B of the first that is done, {present[1]:.0f} B of the last"
            return f"{self.name}: an operation has {sizes_told}."
        if present and block.isdecimal() and int(block) and present[-1] > int(block) * (1 + _TOLERANCE):
            return f"{self.name}: an operation has {present[-1]:.0f} B by both rates, and a block {block} B."
        for quantity in ("latency", "entry_latency"):
            latencies = [
                value for stat in ("min", "mean", "max") if (value := self._latency_in_s(quantity, stat)) is not None
            ]
            if any(low > high * (1 + _TOLERANCE) + _ROUNDED_S for low, high in pairwise(latencies)):
                return f"{self.name}: least, mean and largest {quantity.replace('_', ' ')} are not in this order."
        return ""

    def _latency_in_s(self, quantity: str, stat: str) -> float | None:
        figures = (figure for figure in self.figures if figure[:3] == (self.op, quantity, stat))
        return next((to_canonical(value, unit)[0] for *_, value, unit in figures), None)

    def _bytes_each(self, stat: str) -> float | None:
        """Bytes of an operation, where there are so many that rounding of the rates does not matter."""
        bandwidth, rate = self.value("bandwidth", stat), self.value("iops", stat)
        return bandwidth / rate if bandwidth and rate and rate > _MANY else None


def named(name: object, line: int) -> Phase:
    """A new phase. Raises Refusal for what is no name of one."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        hint = "Upload the results as elbencho wrote them."
        raise Refusal("inconsistent", f"{str(name)[:40]!r} is no name of a phase.", hint, line)
    return Phase(name, line)
