"""Coordinates of the picture of a comparison: the ratio of each row to the first result, on a logarithmic axis.

As in list_charts.py there are no colours and no styles here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from registry.comparison.uncertainty import Interval, is_tie
from registry.presentation import numbers
from registry.presentation.charts.scales import LETTER, LogAxis, Tick

WIDTHS = {"wide": 620, "thin": 358}
TOP = 30
ROW = 23
MOST_NAME = 20
MOST_ROWS = 30
SIDE_ROOM = 84
MARGIN = 1.08
"""Of the axis beyond the outermost interval, as a factor."""

APART, TIE, UNREPEATED = "apart", "tie", "unrepeated"
_SPOKEN = {APART: "", TIE: " tie", UNREPEATED: " not repeated"}

Ratio = tuple[str, float, Interval | None]
"""The name of a row, its ratio, and where that lies; None where that is not known, as it was not repeated."""


class Mark(NamedTuple):
    """One row: its mark, interval from left to right, and the ratio in figures.

    `kind` is `apart`, `tie` where the interval holds 1, or `unrepeated` where there is none.
    """

    y: int
    name: str
    at: float
    left: float
    right: float
    text: str
    kind: str


class Profile(NamedTuple):
    """`ticks`: places with their text; `at_one`: where both are equal; `sides`: what lies beside it, with anchors."""

    kind: str
    width: int
    height: int
    ticks: list[Tick]
    at_one: float
    sides: list[tuple[float, str, str]]
    base: int
    marks: list[Mark]
    words: str


def draw_profiles(columns: Sequence[Sequence[Ratio]]) -> list[list[Profile]]:
    """For each column of ratios its picture for wide pages and for phones; all have one axis. Empty without a ratio."""
    shown_columns = [column[:MOST_ROWS] for column in columns]
    ends = [end for column in shown_columns for _, ratio, interval in column for end in (interval or (ratio, ratio))]
    if not ends:
        return []
    low, high = min(1.0, *ends) / MARGIN, max(1.0, *ends) * MARGIN
    rows = [row for column in shown_columns for row in column]
    left_x = 8 + LETTER * min(MOST_NAME, max(len(name) for name, *_ in rows))
    right = 16 + LETTER * max(len(_ratio_text(row)) for row in rows)
    axes = {kind: LogAxis(low, high, left_x, width - right, whole_decades=False) for kind, width in WIDTHS.items()}
    return [[_draw_profile(kind, column, axis, low, high) for kind, axis in axes.items()] for column in shown_columns]


def _draw_profile(kind: str, rows: Sequence[Ratio], axis: LogAxis, low: float, high: float) -> Profile:
    marks = [_draw_mark(TOP + 16 + ROW * place, row, axis) for place, row in enumerate(rows)]
    words = "; ".join(
        f"{name} {numbers.format_significant(ratio)}{_SPOKEN[mark.kind]}"
        for (name, ratio, _), mark in zip(rows, marks, strict=True)
    )
    base, unity_x = TOP + ROW * len(rows), axis.at(1)
    sides = [(unity_x - 6, "end", "← first higher")] if unity_x - axis.left > SIDE_ROOM else []
    sides += [(unity_x + 6, "start", "this higher →")] if axis.right - unity_x > SIDE_ROOM else []
    return Profile(kind, WIDTHS[kind], base + 22, axis.close_ticks(low, high), unity_x, sides, base, marks, words)


def _ratio_text(row: Ratio) -> str:
    """The ratio in figures, or that it is none."""
    _, ratio, interval = row
    return "tie" if interval and is_tie(interval) else f"\N{MULTIPLICATION SIGN} {numbers.format_significant(ratio)}"


def _draw_mark(y: int, row: Ratio, axis: LogAxis) -> Mark:
    name, ratio, interval = row
    low, right = interval or (ratio, ratio)
    kind = UNREPEATED if interval is None else TIE if is_tie(interval) else APART
    return Mark(y, _shorten_name(name), axis.at(ratio), axis.at(low), axis.at(right), _ratio_text(row), kind)


def _shorten_name(name: str) -> str:
    """Both ends of a name that is too long, for its end tells it from others."""
    half = MOST_NAME // 2
    return name if len(name) <= MOST_NAME else f"{name[: half - 1]}\N{HORIZONTAL ELLIPSIS}{name[-half:]}"
