"""Units of formulas: what may be added, and what comes out. Plain values, no query."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from registry.query.values.formulas import LARGEST_POWER, FormulaError, interpret_formula
from validators.units import UNITS, is_finite_number

LARGEST_DENOMINATOR = 64
COUNTED_UNITS = {"sample_rate": "samples/s", "message_rate": "RPC/s"}
"""Units of canonical quantities that count something else than operations, though they convert as if they did."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """Powers of units, without those that are zero; `constant` is the value of what is only numbers."""

    powers: Mapping[str, Fraction] = field(default_factory=dict)
    constant: float | None = None

    def __str__(self) -> str:
        """ "B/s", "ops/s/W", "1/s"; empty where there is no unit."""
        above = [_format_power(unit, power) for unit, power in sorted(self.powers.items()) if power > 0]
        time_first = sorted(self.powers.items(), key=lambda item: (item[0] != "s", item[0]))
        below = [f"/{_format_power(unit, -power)}" for unit, power in time_first if power < 0]
        return ("\N{MIDDLE DOT}".join(above) or ("1" if below else "")) + "".join(below)


def _format_power(unit: str, power: Fraction) -> str:
    return unit if power == 1 else f"{unit}^{power}" if power.denominator == 1 else f"{unit}^({power})"


def of_unit(unit: str) -> Dimension:
    """ "B/s" -> B^1 s^-1; counts and the empty unit have none."""
    above, *below = unit.split("/")
    powers = {above: Fraction(1)} if above not in ("", "1", "count") else {}
    return _from_units([(powers, 1), *(({divisor: Fraction(1)}, -1) for divisor in below)])


def counted_unit(quantity: str, unit: str) -> str:
    """The unit that formulas reckon with for a canonical quantity: samples per second are no operations per second."""
    return COUNTED_UNITS.get(quantity, unit)


def dimension_unit(unit: str) -> str:
    """The unit that values in this one are of for a formula: "GB/s" -> "B/s", "samples/s" is itself."""
    return unit if unit in COUNTED_UNITS.values() else UNITS[unit].canonical


def of_formula(formula: str, units: Mapping[str, Dimension]) -> Dimension:
    """The unit of a formula over named quantities. Raises FormulaError: units that don't fit, or what is not known."""
    return interpret_formula(formula, _Units(units))


def _from_units(parts: list[tuple[Mapping[str, Fraction], Fraction | int]]) -> Dimension:
    """The product of powers of units."""
    powers: dict[str, Fraction] = {}
    for units, exponent in parts:
        for unit, power in units.items():
            powers[unit] = powers.get(unit, Fraction(0)) + power * exponent
    return Dimension({unit: power for unit, power in powers.items() if power})


class _Units:
    """The unit of a formula. Only numbers of one unit are added; exponents are numbers."""

    def __init__(self, units: Mapping[str, Dimension]) -> None:
        self.units = units

    def read_number(self, value: float) -> Dimension:
        if not is_finite_number(value):
            raise FormulaError("A number is too large")
        return Dimension({}, float(value))

    def read_name(self, name: str) -> Dimension:
        return self.units[name]

    def negate_value(self, value: Dimension) -> Dimension:
        return Dimension(value.powers, None if value.constant is None else -value.constant)

    def apply_operator(self, kind: type[ast.operator], left_operand: Dimension, right: Dimension) -> Dimension:
        if kind in (ast.Add, ast.Sub):
            return _require_same_unit([left_operand, right], "A sum")
        if kind is ast.Pow:
            return _raise_to_power(left_operand, right)
        return _from_units([(left_operand.powers, 1), (right.powers, 1 if kind is ast.Mult else -1)])

    def call_function(self, function: str, arguments: list[Dimension]) -> Dimension:
        if function == "sqrt" and len(arguments) == 1:
            return _from_units([(arguments[0].powers, Fraction(1, 2))])
        if function in ("min", "max") and len(arguments) > 1:
            return _require_same_unit(arguments, "A comparison")
        raise FormulaError(f"{function} of {len(arguments)} is not known here")


def _require_same_unit(several: list[Dimension], what: str) -> Dimension:
    units = sorted({str(dimension) or "no unit" for dimension in several})
    if len(units) > 1:
        raise FormulaError(f"{what} of different units: {', '.join(units)}")
    return Dimension(several[0].powers)


def _raise_to_power(base: Dimension, exponent: Dimension) -> Dimension:
    if exponent.constant is None or abs(exponent.constant) > LARGEST_POWER:
        raise FormulaError(f"An exponent is a number up to {LARGEST_POWER}")
    return _from_units([(base.powers, Fraction(exponent.constant).limit_denominator(LARGEST_DENOMINATOR))])
