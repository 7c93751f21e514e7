"""Scales of charts: from a value to its place, and the values that an axis names. No colours, no styles."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import NamedTuple

LETTER = 7
"""Width of a letter of 12 px that a label reckons with."""
TEXT_ROOM = 76
"""Between two texts of an axis."""
TICK_ROOM = 12
"""Between the texts of two ticks."""
MOST_DIGITS = 15
"""Digits of a power of ten that a tick writes out."""
STEPS = (1, 1.5, 2, 3, 5, 7.5)
"""Ticks in each decade, those that there is room for."""


class Tick(NamedTuple):
    """A place on an axis, and the text that stands there."""

    at: float
    text: str


class LogAxis:
    """A logarithmic axis from `start` to `right` in units of the drawing, over whole decades or exactly as given."""

    def __init__(self, least: float, most: float, start: float, right: float, *, whole_decades: bool = True) -> None:
        low, high = math.log10(least), math.log10(most)
        self.low: float = math.floor(low) if whole_decades else low
        self.high: float = max(math.ceil(high), self.low + 1) if whole_decades else high
        self.left, self.right = start, right

    def at(self, value: float) -> float:
        return self._at_exponent(math.log10(value))

    def _at_exponent(self, exponent: float) -> float:
        share = (exponent - self.low) / (self.high - self.low)
        return round(self.left + share * (self.right - self.left), 1)

    def ruler(self) -> str:
        """The path of a line with a stroke at each decade, behind the small dot of a row."""
        return f"M{self.left} 7H{self.right}" + "".join(f"M{tick.at} 3v8" for tick in self.ticks)

    @property
    def ticks(self) -> list[Tick]:
        """Each power of ten of the axis, placed by its exponent: the smallest ones are no number of 64 bits."""
        powers = decade_exponents(self.low, self.high)
        return [Tick(self._at_exponent(power), _power_text(power)) for power in powers]

    def close_ticks(self, low: float, high: float) -> list[Tick]:
        """Powers of ten from `low` to `high`, then the steps between them, that have room; those nearest to 1 first."""
        powers = decade_exponents(math.log10(low), math.log10(high), around=True)
        steps = [(step != 1, step * 10.0**power) for power in powers for step in STEPS]
        placed: list[Tick] = []
        for _, value in sorted(steps, key=lambda step: (step[0], abs(math.log(step[1])), step[1])):
            if not low <= value <= high:
                continue
            tick = Tick(self.at(value), f"{value:,.6g}")
            if all(abs(tick.at - near.at) >= TICK_ROOM + text_width(tick.text + near.text) / 2 for near in placed):
                placed.append(tick)
        return sorted(placed)


class LinearAxis:
    """A linear axis from `low` to `high`, which it rounds outwards to its ticks, at `left` and `right`."""

    def __init__(self, low: float, high: float, start: float, right: float, ticks: int = 4) -> None:
        step = _round_step((high - low or abs(high) or 1.0) / ticks)
        self.low, self.high = math.floor(low / step) * step, math.ceil(high / step) * step
        self.high = self.high if self.high > self.low else self.low + step
        self.left, self.right, self.step = start, right, step

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.left + share * (self.right - self.left), 1)

    @property
    def ticks(self) -> list[Tick]:
        places = max(0, -math.floor(math.log10(self.step)))
        count = round((self.high - self.low) / self.step)
        values = [self.low + self.step * number for number in range(count + 1)]
        return [Tick(self.at(value), f"{value:,.{places}f}") for value in values]


def _power_text(power: int) -> str:
    """A power of ten in digits, or as 1e-30 where nobody would count them."""
    if abs(power) > MOST_DIGITS:
        return f"1e{power}"
    return f"{10**power:,d}" if power >= 0 else f"{10.0**power:g}"


def _round_step(rough: float) -> float:
    """The next of 1, 2, 5, 10, ... from a rough step."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough * 0.999)


def decade_exponents(low: float, high: float, *, around: bool = False) -> range:
    """The whole exponents of ten from one exponent to another; `around`: also the next one beyond each end."""
    first, last = (math.floor(low), math.ceil(high)) if around else (math.ceil(low), math.floor(high))
    return range(first, last + 1)


def powers_of_ten(values: Iterable[float], *, around: bool = False) -> list[float]:
    """The powers of ten among positive values, or those `around` them, as ticks of Vega-Lite."""
    exponents = sorted(math.log10(value) for value in values)
    powers = decade_exponents(exponents[0], exponents[-1], around=around)
    return [10.0**power for power in powers if sys.float_info.min_10_exp <= power <= sys.float_info.max_10_exp]


def is_wide(values: Iterable[float], times: float) -> bool:
    """Whether all values are positive and the largest is at least so many times the smallest."""
    sorted_values = sorted(values)
    return sorted_values[0] > 0 and sorted_values[-1] / sorted_values[0] >= times


def leave_room(ticks: list[Tick]) -> list[Tick]:
    """Ticks with every second text left out, the last one kept, where they would touch."""
    if ticks[1].at - ticks[0].at >= TEXT_ROOM:
        return ticks
    return [Tick(at, text if (len(ticks) - index) % 2 else "") for index, (at, text) in enumerate(ticks)]


def text_width(text: str) -> int:
    return LETTER * len(text)
