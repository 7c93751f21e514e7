"""What the printed digits of a number leave open: "83.3" is something from 83.25 to 83.35. Plain values, no query.

It says how a source rounded, and nothing of how a measurement would move in another run. Zeros behind the point are not
kept (83.30 is stored as 83.3), so that what is given is never narrower than what was printed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from registry.query.values.qualified_values import qualified_number, qualifier_of
from validators.units import UNITS

Rounding = tuple[float, float]
"""Lower and upper end."""
COMPUTED_DIGITS = 15
"""A number with so many digits is a computed one, written in full: nobody rounded it."""
REPORTED = "reported"
"""The trust of numbers in documents, which are rounded to tens or thousands; tools print every digit."""


def printed_rounding(value: float | None, *, trust: str, qualifier: str = "") -> Rounding | None:
    """From where to where a printed number may lie, in its printed unit: half of its last digit to both sides.

    All digits behind the point count. Of a whole number all digits count that a tool printed; of one in a document,
    zeros at its end do not. None of zero, of a negative number, of a computed one, and of what is only about, below or
    above so much.
    """
    if value is None or value <= 0 or not math.isfinite(value) or _is_qualified(value, qualifier):
        return None
    number = Decimal(repr(float(value))).normalize()
    _, digits, exponent = number.as_tuple()
    if len(digits) >= COMPUTED_DIGITS:
        return None
    place = exponent if trust == REPORTED else min(int(exponent), 0)
    half = Decimal(5).scaleb(int(place) - 1)
    return float(number - half), float(number + half)


def _is_qualified(value: float, qualifier: str) -> bool:
    number = qualified_number(value, qualifier)
    return number.rough or number.is_bound


def rounding_of_row(row: Mapping[str, Any], trust: str) -> Rounding | None:
    """As `printed_rounding` of a measurement as in the API, in its canonical unit."""
    rounding = printed_rounding(row.get("printed_value"), trust=trust, qualifier=qualifier_of(row))
    return rounding and in_other_unit(rounding, row["printed_unit"], "")


def in_other_unit(rounding: Rounding, unit: str, other: str) -> Rounding:
    """The same ends in another unit of the same kind; an empty one is the canonical unit."""
    factor = (UNITS[unit].factor if unit else 1.0) / (UNITS[other].factor if other else 1.0)
    return rounding if factor == 1.0 else (rounding[0] * factor, rounding[1] * factor)
