"""Numbers with what their source says of them: about, below or above. Plain values in, plain values out.

"Below 200" is at most 200, "above 200" at least 200. Arithmetic is that of intervals, so that a bound stays one through
every computation: twice "below 200" is below 400, and 400 over "below 200" at least 2. Where bounds leave nothing to
say, as of "below 400" over "below 200", the answer is not known, and there is no number. What is measured is never
negative, so that "below 200" begins at zero.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ABOUT, BELOW, ABOVE, UNKNOWN = "about", "below", "above", "unknown"
QUALIFIERS = ("", ABOUT, BELOW, ABOVE)
"""What sources say."""
WORDS = {"": "", ABOUT: "about", BELOW: "less than", ABOVE: "at least"}
ROUGH = f" {ABOUT}"
"""After below and above: the bound itself is about so much, as of the quotient of "about 8" and "above 2"."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number that lies from `low` to `high`; `rough` where these are only about so much."""

    low: float
    high: float
    rough: bool = False

    @property
    def is_bound(self) -> bool:
        return self.low != self.high

    @property
    def qualifier(self) -> str:
        """About, below, above, "below about", "above about"; unknown where nothing is; "" of a plain number."""
        if not self.is_bound:
            return ABOUT if self.rough else ""
        if math.isfinite(self.high):
            return BELOW + ROUGH * self.rough
        return ABOVE + ROUGH * self.rough if self.low > 0 else UNKNOWN

    @property
    def value(self) -> float | None:
        """The number, or the bound that `qualifier` is of; None where nothing is known."""
        if math.isfinite(self.high):
            return self.high
        return self.low if self.low > 0 else None

    def written(self, write: Callable[[float], str]) -> str:
        """In words: "less than 200"; "not known" where there is no number."""
        return "not known" if self.value is None else in_words(self.qualifier, write(self.value))

    def __neg__(self) -> Number:
        return Number(-self.high, -self.low, self.rough)

    def __add__(self, other: Number) -> Number:
        return Number(self.low + other.low, self.high + other.high, self.rough or other.rough)

    def __sub__(self, other: Number) -> Number:
        return self + -other

    def __mul__(self, other: Number) -> Number:
        ends = [_safe_product(own_end, two) for own_end in (self.low, self.high) for two in (other.low, other.high)]
        return Number(min(ends), max(ends), self.rough or other.rough)

    def __truediv__(self, other: Number) -> Number:
        """Raises ZeroDivisionError where the divisor is zero, or may be on both sides of it."""
        if other.low == other.high == 0 or other.low < 0 < other.high:
            raise ZeroDivisionError("division by a number that may be zero")
        if not other.is_bound:  # one division, so that plain numbers keep their last digit
            ends = self.low / other.low, self.high / other.low
            return Number(min(ends), max(ends), self.rough or other.rough)
        low, high = (-math.inf if other.high == 0 else 1 / other.high), (math.inf if other.low == 0 else 1 / other.low)
        return self * Number(low, high, other.rough)

    def power(self, exponent: float) -> Number:
        """The number to a power. Raises ValueError for a bound below zero, whose powers need not rise."""
        if self.low < 0 and self.is_bound:
            raise ValueError("a power of what may be negative")
        ends = [_safe_power(end, exponent) for end in (self.low, self.high)]
        return Number(min(ends), max(ends), self.rough)


def _safe_product(factor: float, other: float) -> float:
    """Zero times what has no end is zero: the bound itself is a number."""
    return 0.0 if factor == 0 or other == 0 else factor * other


def _safe_power(base: float, exponent: float) -> float:
    return math.inf if base == 0 and exponent < 0 else base**exponent


def qualified_number(value: float, qualifier: str = "") -> Number:
    """A value as its source qualifies it. Raises ValueError for what is no qualifier."""
    sense, _, rough = qualifier.partition(" ")
    if (sense not in QUALIFIERS and sense != UNKNOWN) or rough not in ("", ABOUT):
        raise ValueError(f"no qualifier: {qualifier!r}")
    least = 0.0 if value >= 0 else -math.inf
    low = least if sense in (BELOW, UNKNOWN) else value
    high = math.inf if sense in (ABOVE, UNKNOWN) else value
    return Number(low, high, bool(rough) or sense == ABOUT)


def number_of_row(row: Mapping[str, Any]) -> Number:
    """A measurement: its `value` with its `qualifier`, its own or that of its context."""
    return qualified_number(row["value"], qualifier_of(row))


def qualifier_of(row: Mapping[str, Any]) -> str:
    return str(row.get("qualifier") or row.get("context", {}).get("qualifier") or "")


def is_bound(row: Mapping[str, Any]) -> bool:
    """Whether a measurement is only a bound: how much was measured is not known."""
    return number_of_row(row).is_bound


def divide_numbers(dividend: Number | None, other: Number | None) -> Number | None:
    """How many times the other one is; None where either lacks or the other is zero."""
    if dividend is None or other is None or other.value in (None, 0):
        return None
    return dividend / other


def compare_numbers(first: Number, other: Number) -> int | None:
    """-1, 0 or 1 as one is less than, equal to or larger than another; None where that is not known."""
    if first.high < other.low:
        return -1
    if first.low > other.high:
        return 1
    exact = not (first.is_bound or other.is_bound or first.rough or other.rough)
    return 0 if exact else None


def least_number(numbers: Iterable[Number]) -> Number:
    return _combine_ends(min, list(numbers))


def largest_number(numbers: Iterable[Number]) -> Number:
    return _combine_ends(max, list(numbers))


def median_number(numbers: Iterable[Number]) -> Number:
    return _combine_ends(statistics.median, list(numbers))


def _combine_ends(choose: Callable[[Sequence[float]], float], numbers: Sequence[Number]) -> Number:
    """What rises with each of some numbers lies between what it is of their lower and of their upper ends."""
    ends = choose([number.low for number in numbers]), choose([number.high for number in numbers])
    return Number(*ends, any(number.rough for number in numbers))


def in_words(qualifier: str, text: str) -> str:
    """("below", "200 GB/s") -> "less than 200 GB/s"."""
    sense, _, rough = qualifier.partition(" ")
    return " ".join(filter(None, [WORDS.get(sense, sense), rough, text]))
