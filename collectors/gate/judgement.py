"""Whether new values are worse than earlier ones, or only vary as those do. Plain values in, plain values out.

Rates and times vary by factors, so logarithms are compared: by Student's t of two samples with a common spread
(Student 1908; Welch's form would ask for more runs than anybody repeats). One new value is held against where the
earlier ones predict it. Chances are of one side, adjusted after Holm (1979) for all metrics of the run.
"""

import math
from collections import namedtuple

FEWEST = 3
# What systems of the record vary by at least; equal values, such as rounded ones, would else make anything clear.
LEAST_SPREAD = 0.0005
LEVEL = 0.05
# Beyond these nobody measures anything, and ratios are no numbers of a computer any more.
LEAST_VALUE, LARGEST_VALUE = 1e-100, 1e100
WORSE, BETTER, ALIKE, UNKNOWN = "worse", "better", "not worse", "cannot tell"

Judged = namedtuple("Judged", "verdict ratio chance why")
Judged.__doc__ = (
    """What became of one metric: verdict; new to old, or None; the chance without a change, or None; why."""
)


def judge_metrics(pairs, higher_is_better, fewest, tolerance):
    """A Judged for each (earlier values, new values); `higher_is_better` has a truth value for each.

    `fewest` earlier values must be there. A difference within `tolerance` (a share) is never worse or better. Where
    that is given, it also decides where too few values are there.
    """
    compared = [compare_values(earlier, new, fewest) for earlier, new in pairs]
    chances = [row.chance for row in compared if row.chance is not None]
    adjusted = iter(adjust_chances(chances))
    rows = []
    for row, higher in zip(compared, higher_is_better):
        chance = next(adjusted) if row.chance is not None else None
        rows.append(decide_verdict(row._replace(chance=chance), higher, tolerance))
    return rows


def compare_values(earlier, new, fewest):
    """Ratio and unadjusted chance of a difference this large, or why there is none."""
    if not earlier or not new:
        return Judged(UNKNOWN, None, None, "not measured " + ("now" if earlier else "before"))
    if not all(LEAST_VALUE <= value <= LARGEST_VALUE for value in list(earlier) + list(new)):
        return Judged(UNKNOWN, None, None, "a value is not positive, or is no measurement")
    old_logs, new_logs = [list(map(math.log, values)) for values in (earlier, new)]
    difference = mean_of(new_logs) - mean_of(old_logs)
    ratio = math.exp(difference)
    if len(earlier) < fewest:
        return Judged(UNKNOWN, ratio, None, "%d earlier values; it takes %d" % (len(earlier), fewest))
    degrees = len(old_logs) + len(new_logs) - 2
    variance = (sum_of_squares(old_logs) + sum_of_squares(new_logs)) / degrees
    spread = max(math.sqrt(variance), LEAST_SPREAD)
    t = abs(difference) / (spread * math.sqrt(1.0 / len(old_logs) + 1.0 / len(new_logs)))
    return Judged(ALIKE, ratio, compute_tail_chance(t, degrees), "")


def decide_verdict(row, higher, tolerance):
    """The verdict of a comparison, in the direction that is better."""
    if row.ratio is None:
        return row
    gain = row.ratio if higher else 1 / row.ratio
    is_beyond = gain < 1 - (tolerance or 0) or gain > 1 / (1 - (tolerance or 0))
    if row.chance is None:
        if tolerance is None:
            return row
        clear = is_beyond
        row = row._replace(why="held against the tolerance alone: " + row.why)
    else:
        clear = is_beyond and row.chance < LEVEL
    return row._replace(verdict=(BETTER if gain > 1 else WORSE) if clear else ALIKE)


def mean_of(values):
    return math.fsum(values) / len(values)


def sum_of_squares(values):
    """The sum of the squares of deviations from the mean."""
    centre = mean_of(values)
    return math.fsum((value - centre) ** 2 for value in values)


def compute_tail_chance(t, degrees):
    """The chance that Student's t of so many degrees is above `t`, which is at least 0.

    Abramowitz and Stegun 1964, 26.7.3 and 26.7.4: sums of powers of a cosine, for whole degrees.
    """
    angle = math.atan(t / math.sqrt(degrees))
    cosine, sine = math.cos(angle), math.sin(angle)
    if degrees == 1:
        inside = 2 * angle / math.pi
    elif degrees % 2:
        term, total = cosine, cosine
        for number in range(3, degrees - 1, 2):
            term *= cosine * cosine * (number - 1) / number
            total += term
        inside = 2 / math.pi * (angle + sine * total)
    else:
        term, total = 1.0, 1.0
        for number in range(2, degrees - 1, 2):
            term *= cosine * cosine * (number - 1) / number
            total += term
        inside = sine * total
    return max(0.0, (1 - inside) / 2)


def adjust_chances(chances):
    """Chances after Holm, in their order: the smallest times their number, and so on, never falling."""
    adjusted, highest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=lambda place: chances[place])):
        highest = max(highest, min(1.0, chances[place] * (len(chances) - rank)))
        adjusted[place] = highest
    return adjusted


def combine_verdicts(rows):
    """The verdict of the run: worse if any metric is, cannot tell if any cannot be told or there is none."""
    verdicts = [row.verdict for row in rows]
    if WORSE in verdicts:
        return WORSE
    return UNKNOWN if UNKNOWN in verdicts or not verdicts else ALIKE
