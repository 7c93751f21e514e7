"""Every unit that a measurement may carry, and what it converts to.

GiB and GB are different words here: 1 GiB = 2^30 B, 1 GB = 10^9 B.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


class UnitError(ValueError):
    """The unit is not in the table."""


@dataclass(frozen=True, slots=True)
class Unit:
    name: str
    canonical: str
    factor: float


def _units(canonical: str, factors: dict[str, float]) -> list[Unit]:
    return [Unit(name, canonical, factor) for name, factor in factors.items()]


_BINARY = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50}
_DECIMAL = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}

UNITS: dict[str, Unit] = {
    unit.name: unit
    for unit in [
        *_units("B/s", {"B/s": 1}),
        *_units("B/s", {f"{prefix}iB/s": factor for prefix, factor in _BINARY.items()}),
        *_units("B/s", {f"{prefix}B/s": factor for prefix, factor in _DECIMAL.items()}),
        *_units("B/s", {"Gb/s": 10**9 / 8, "bit/s": 1 / 8}),
        *_units("B/s", {f"{prefix}ibit/s": factor / 8 for prefix, factor in _BINARY.items()}),
        *_units("B/s", {f"{prefix}bit/s": factor / 8 for prefix, factor in _DECIMAL.items()}),
        *_units("B", {"B": 1}),
        *_units("B", {f"{prefix}iB": factor for prefix, factor in _BINARY.items()}),
        *_units("B", {f"{prefix}B": factor for prefix, factor in _DECIMAL.items()}),
        *_units("ops/s", {"ops/s": 1, "kIOPS": 1000, "RPC/s": 1, "samples/s": 1}),
        *_units("s", {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ms/op": 1e-3, "us/op": 1e-6}),
        *_units("count", {"count": 1, "ops": 1, "ranks": 1, "stripes": 1}),
        *_units("tokens/s", {"tokens/s": 1}),
        *_units("queries/s", {"queries/s": 1}),
        *_units("%", {"%": 1, "fraction": 100}),
        *_units("W", {"W": 1, "kW": 1000}),
        *_units("J", {"J": 1, "kJ": 1000, "kWh": 3.6e6}),
    ]
}


def to_canonical(value: float, unit: str) -> tuple[float, str]:
    """The value in its canonical unit, and that unit: (1.0, "GiB/s") -> (1073741824.0, "B/s").

    Raises UnitError for a unit that is not in the table.
    """
    try:
        definition = UNITS[unit]
    except KeyError:
        raise UnitError(f"unknown unit {unit!r}") from None
    return value * definition.factor, definition.canonical


def from_canonical(value: float, unit: str) -> float:
    """A canonical value expressed in `unit`: (1073741824.0, "GiB/s") -> 1.0. Raises UnitError for an unknown unit."""
    try:
        return value / UNITS[unit].factor
    except KeyError:
        raise UnitError(f"unknown unit {unit!r}") from None


def is_finite_number(value: object) -> bool:
    """True for an int or float that is neither NaN nor infinite nor too large for a float (and not a bool)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
