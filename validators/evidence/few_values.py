"""Whether a least, a mean, a most and a deviation can be of so many values.

Of one value all are the same. Of two or three the deviation follows from the others; of more the mean lies between
bounds. So a tool that sums up its iterations says things twice even where it does not print them one by one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import pstdev, stdev

_RELATIVE = 1e-6
_EXACT_COUNTS = (2, 3)


def find_contradiction(figures: Mapping[str, float], count: int, rounding: float, *, of_a_sample: bool = False) -> str:
    """What of `min`, `mean`, `max` and `stdev` cannot be of `count` values; "" where all can be, or are not there."""
    if count < 1 or not {"min", "mean", "max"} <= set(figures):
        return ""
    least, mean, most = figures["min"], figures["mean"], figures["max"]
    if not all(map(math.isfinite, (least, mean, most))):
        return ""
    loose = rounding + _RELATIVE * abs(most)
    if count == 1:
        is_one = abs(most - least) <= 2 * loose and abs(mean - most) <= 2 * loose
        return "" if is_one else "minimum, mean and maximum of one value differ"
    part = (most - least) / count
    if not least + part - 2 * loose <= mean <= most - part + 2 * loose:
        return f"no {count} values between minimum and maximum have this mean"
    deviation = figures.get("stdev")
    if deviation is None or count not in _EXACT_COUNTS or (of_a_sample and count < 2):
        return ""
    values = [least, most] if count == 2 else [least, most, count * mean - least - most]
    expected = stdev(values) if of_a_sample else pstdev(values)
    # The third of three values is known no better than three means, the least and the most together are.
    return "" if abs(deviation - expected) <= 6 * loose else f"the deviation of these {count} values is {expected:.6g}"
