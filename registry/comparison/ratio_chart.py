"""The picture of a comparison: the ratio of each row to the first result, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from registry.comparison.answer import LETTERS
from registry.comparison.uncertainty import Interval, is_tie
from registry.presentation import numbers
from registry.presentation.charts.model import (
    AXIS,
    EDGE,
    FULL,
    HOLLOW,
    OUTLINE,
    Chart,
    Circle,
    Mark,
    Path,
    Text,
    vertical_grid,
)
from registry.presentation.charts.scales import LETTER, LogAxis

WIDTHS = {"wide": 620, "thin": 358}
TOP = 30
ROW = 23
MOST_NAME = {"wide": 36, "thin": 20}
"""Letters of a name, by kind of picture."""
MOST_ROWS = 30
SIDE_ROOM = 84
NAME_GAP = 16
"""Between the longest name and the axis: half a mark at its beginning fits in."""
MARGIN = 1.08
"""Of the axis beyond the outermost interval, as a factor."""

APART, TIE, ASSUMED, UNREPEATED = "apart", "tie", "assumed", "unrepeated"
_SPOKEN = {APART: "", TIE: " tie", ASSUMED: " not repeated, range assumed", UNREPEATED: " not repeated"}
DOTS = 6
"""Between the dots of a line that is assumed, in pixels."""


class AssumedInterval(NamedTuple):
    """An interval that rests on no repeats of both numbers."""

    low: float
    high: float


Ratio = tuple[str, float, Interval | None]
"""The name of a row, its ratio, and where that lies; None where that is not known, as it was not repeated."""


def draw_profiles(columns: Sequence[Sequence[Ratio]]) -> list[list[Chart]]:
    """For each column of ratios its picture for wide pages and for phones; all have one axis. Empty without a ratio."""
    shown_columns = [column[:MOST_ROWS] for column in columns]
    ends = [end for column in shown_columns for _, ratio, interval in column for end in (interval or (ratio, ratio))]
    if not ends:
        return []
    low, high = min(1.0, *ends) / MARGIN, max(1.0, *ends) * MARGIN
    rows = [row for column in shown_columns for row in column]
    longest = max(len(name) for name, *_ in rows)
    right = 16 + LETTER * max(len(_ratio_text(row)) for row in rows)
    axes = {
        kind: LogAxis(low, high, NAME_GAP + LETTER * min(MOST_NAME[kind], longest), width - right, whole_decades=False)
        for kind, width in WIDTHS.items()
    }
    return [
        [_draw_profile(kind, letter, column, axis, low, high) for kind, axis in axes.items()]
        for letter, column in zip(LETTERS[1:], shown_columns, strict=False)
    ]


def _draw_profile(kind: str, letter: str, rows: Sequence[Ratio], axis: LogAxis, low: float, high: float) -> Chart:
    width, base, unity_x = WIDTHS[kind], TOP + ROW * len(rows), axis.at(1)
    ticks = axis.close_ticks(low, high)
    marks = [*vertical_grid(ticks, 24, base, 16), Path(AXIS, f"M{unity_x} 24V{base}")]
    if unity_x - axis.left > SIDE_ROOM:
        marks.append(Text(unity_x - 6, base + 15, "← A higher", "end"))
    if axis.right - unity_x > SIDE_ROOM:
        marks.append(Text(unity_x + 6, base + 15, f"{letter} higher →", "start"))
    for place, row in enumerate(rows):
        marks += _draw_row(TOP + 16 + ROW * place, row, axis, kind)
    words = "; ".join(
        f"{name} {numbers.format_significant(ratio)}{_SPOKEN[_kind_of(interval)]}" for name, ratio, interval in rows
    )
    words = f"Ratios on a logarithmic axis: {words}"
    return Chart(width, base + 22, words, marks, kind, ticks, is_logarithmic=True)


def _kind_of(interval: Interval | None) -> str:
    """`assumed`, or `tie` where the interval holds 1, `unrepeated` where there is none, else `apart`."""
    if interval is None:
        return UNREPEATED
    return ASSUMED if isinstance(interval, AssumedInterval) else TIE if is_tie(interval) else APART


def _ratio_text(row: Ratio) -> str:
    """The ratio in figures, or that it is none."""
    _, ratio, interval = row
    return "tie" if _kind_of(interval) == TIE else f"\N{MULTIPLICATION SIGN} {numbers.format_significant(ratio)}"


def _draw_row(y: int, row: Ratio, axis: LogAxis, chart_kind: str) -> list[Mark]:
    """A name, its interval with a dot at the ratio, and the ratio in figures.

    What was not repeated has a diamond, and no line, or one of dots where it is assumed.
    """
    name, ratio, interval = row
    kind, x = _kind_of(interval), axis.at(ratio)
    marks: list[Mark] = [Text(0, y + 4, _shorten_name(name, MOST_NAME[chart_kind]), strong=True)]
    if interval is not None:
        left_x, right_x = map(axis.at, interval)
        marks.append(Path(EDGE, _dotted_line(left_x, right_x, y) if kind == ASSUMED else f"M{left_x} {y}H{right_x}"))
    if kind in (ASSUMED, UNREPEATED):
        marks.append(Path(HOLLOW, f"M{x} {y}m-6 0l6 -6l6 6l-6 6z"))
    else:
        marks.append(Circle(OUTLINE if kind == TIE else FULL, x, y, 5))
    return [*marks, Text(WIDTHS[chart_kind], y + 4, _ratio_text(row), "end", strong=kind != TIE)]


def _dotted_line(left_x: float, right_x: float, y: int) -> str:
    """The path of a line of dots between two places."""
    count = max(1, int((right_x - left_x) // DOTS))
    return "".join(f"M{round(left_x + (right_x - left_x) * place / count, 1)} {y}h1.5" for place in range(count + 1))


def _shorten_name(name: str, most: int) -> str:
    """Both ends of a name that is too long, for its end tells it from others."""
    half = most // 2
    return name if len(name) <= most else f"{name[: half - 1]}\N{HORIZONTAL ELLIPSIS}{name[-half:]}"
