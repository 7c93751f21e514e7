"""What repeats show: which change of a number can be told from chance, after one, three and five runs of it.

Plain values in, plain values out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from registry.comparison import assumptions
from registry.comparison.uncertainty import Spread, joint_width

COUNTS = (3, 5)
SINGLE_NUMBERS = ("bandwidth", "metadata", "mlperf")
"""Classes of single numbers; scores follow from them."""


def least_change_percent(deviation: float, runs: int) -> float:
    """The least change that is no tie, in %, of two numbers that vary by this share, each over so many runs.

    Raises ValueError below three runs.
    """
    spread = Spread(deviation, runs)
    return 100 * math.expm1(joint_width(spread, spread))


def repeat_gains() -> list[Mapping[str, Any]]:
    """For each class how published runs vary (median, in %), and the least change that each count of runs tells.

    [{"title", "deviation_percent", "single_percent", "three_percent", "five_percent"}]: of single runs it is assumed.
    """
    return [_gain_row(assumptions.assumed_classes()[name]) for name in SINGLE_NUMBERS]


def _gain_row(assumed_class: assumptions.AssumedClass) -> Mapping[str, Any]:
    deviation = assumed_class.median_deviation_percent / 100
    single = joint_width(assumed_class.assumption, assumed_class.assumption)
    three, five = (least_change_percent(deviation, runs) for runs in COUNTS)
    return {
        "title": assumed_class.title,
        "deviation_percent": assumed_class.median_deviation_percent,
        "single_percent": 100 * math.expm1(single),
        "three_percent": three,
        "five_percent": five,
    }
