"""Coordinates of the pictures of lists and of phases: no colours, no styles, only where things are.

Templates in templates/presentation/drawings/ put classes of static/base.css on them. Vega-Lite specifications of the
same numbers are in vega.py.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from registry.presentation import numbers as presentation_numbers
from registry.presentation.charts.scales import LETTER, LogAxis, Tick, leave_room

NAME_ROOM = 130
"""Between the median and the mark of a strip there is room to write both when they lie this far apart."""


class Dot(NamedTuple):
    """The centre of a dot; filled when new."""

    x: float
    y: float
    new: bool


def circle_path(dots: Iterable[Dot], radius: float) -> str:
    """One path through all dots: a list has hundreds, and one element is read faster than hundreds."""
    turn = f"a{radius} {radius} 0 1 0 "
    return "".join(f"M{dot.x - radius:.1f} {dot.y}{turn}{2 * radius} 0{turn}{-2 * radius} 0" for dot in dots)


@dataclass(frozen=True)
class Strip:
    """Where the scores of one list lie: stacked dots on a logarithmic axis, with its mark and median."""

    width: int
    height: int
    base: int
    ticks: list[Tick]
    filled: str
    hollow: str
    each: int
    median: tuple[float, str]
    mark: tuple[float, float, str]
    mark_is_named: bool


def draw_strip(scores: Sequence[tuple[float, bool]], *, width: int, height: int, radius: float) -> Strip | None:
    """Stack a dot for each (score, new); beyond a full stack one dot stands for several. None for fewer than three."""
    values = [score for score, _ in scores if score > 0]
    if len(values) < 3:
        return None
    base, step = height - 28, 2 * radius + 2
    axis = LogAxis(min(values), max(values), 14, width - 14)
    columns: Counter[float] = Counter()
    new: Counter[float] = Counter()
    for score, is_new in scores:
        if score > 0:
            column = round(round((axis.at(score) - 14) / step) * step + 14, 1)
            columns[column] += 1
            new[column] += is_new
    room = int((base - 30) // step)
    each = max(1, math.ceil(max(columns.values()) / room))
    dots = [
        Dot(column, round(base - radius - 2 - level * step, 1), level * each < new[column])
        for column, count in columns.items()
        for level in range(math.ceil(count / each))
    ]
    middle, best = median(values), max(values)
    middle_x, best_x = axis.at(middle), max(dot.x for dot in dots)
    above = min(dot.y for dot in dots if dot.x == best_x) - radius - 2
    return Strip(
        width, height, base, leave_room(axis.ticks),
        circle_path((dot for dot in dots if dot.new), radius),
        circle_path((dot for dot in dots if not dot.new), radius), each,
        (middle_x, presentation_numbers.format_significant(middle)),
        (best_x, round(above, 1), presentation_numbers.format_significant(best)),
        best_x - middle_x > NAME_ROOM,
    )  # fmt: skip


def row_axis(scores: Sequence[float]) -> LogAxis | None:
    """The axis of the small dot in each row, 2 to 102 wide. None without a score."""
    values = [score for score in scores if score > 0]
    return LogAxis(min(values), max(values), 2, 102) if values else None


class StairStep(NamedTuple):
    """One release on the staircase: `mark` where it set a new one, `text` where there is room to name it."""

    x: float
    y: float
    label: str
    mark: bool
    text: str
    text_x: float
    text_y: float
    anchor: str


@dataclass(frozen=True)
class Staircase:
    """The best score so far, release by release, as rising water."""

    left: float
    right: float
    base: float
    ticks: list[Tick]
    steps: list[StairStep]
    line: str
    water: str
    words: str


def draw_staircase(
    points: Sequence[tuple[str, float, str]], axis: LogAxis, *, left_x: float, right: float, labels: int, marks: int
) -> Staircase:
    """Stairs through (release, best score, system), oldest first; `axis` runs upwards from the water's ground.

    At most `labels` releases and `marks` new records are named; the last record always is.
    """
    run = (right - left_x - 22) / max(1, len(points) - 1)
    every = math.ceil(len(points) / labels)
    records = _new_records([score for _, score, _ in points])
    named = set(records[:1] + records[-max(1, marks - 1) :])
    best, steps, line, words = 0.0, [], "", []
    below: float | None = None
    for index, (release, score, system) in enumerate(points):
        best = max(best, score)
        x, y = round(left_x + index * run, 1), axis.at(best)
        line += f"M{x} {y}" if not index else f"H{x}V{y}"
        text = f"{best:,.0f} {system}" if index in named else ""
        if x - left_x > LETTER * len(text):
            text_x, text_y, anchor = x - 5, y - 4, "end"
        elif below is None or abs(y - below) > 20:
            text_x, text_y, anchor, below = x + 6, y + 17, "start", y
        else:
            text, text_x, text_y, anchor = "", x, y, "start"
        label = release if index % every == 0 else ""
        steps.append(StairStep(x, y, label, index in records, text, round(text_x, 1), round(text_y, 1), anchor))
        if index in records:
            words.append(f"{best:,.0f} at {release}")
    line += f"H{right}"
    water = f"{line}V{axis.left}H{left_x}z"
    return Staircase(left_x, right, axis.left, axis.ticks, steps, line, water, ", ".join(words))


Panel = tuple[str, Sequence[tuple[str, float, str]]]
"""The title of a staircase and its points: release, score, system."""


@dataclass(frozen=True)
class Picture:
    """Staircases on one scale, side by side or one below the other."""

    kind: str
    width: int
    height: int
    panels: list[dict[str, Any]]
    words: str


def draw_pictures(panels: Sequence[Panel], *, height: int = 300) -> list[Picture]:
    """The same staircases drawn for wide pages and for phones. None at all without two points in a row."""
    drawn = [(title, points) for title, points in panels if len(points) > 1]
    if not drawn:
        return []
    return [_side_by_side(drawn, 1232, height), _stack_panels(drawn, 358, 230)]


def _side_by_side(panels: Sequence[Panel], width: int, height: int) -> Picture:
    runs, axis = sum(len(points) for _, points in panels), _water_axis(panels, height)
    gap, left_x, placed = 50, 0.0, []
    for title, points in panels:
        share = (width - gap * (len(panels) - 1)) * len(points) / runs
        stairs = draw_staircase(points, axis, left_x=left_x + 56, right=round(left_x + share, 1), labels=10, marks=9)
        placed.append({"title": title, "x": round(left_x, 1), "y": 0, "stairs": stairs})
        left_x = round(left_x + share + gap, 1)
    return _draw_picture("wide", width, height, placed)


def _stack_panels(panels: Sequence[Panel], width: int, height: int) -> Picture:
    axis = _water_axis(panels, height)
    placed = [
        {
            "title": title,
            "x": 0,
            "y": index * height,
            "stairs": draw_staircase(points, axis, left_x=56, right=width, labels=5, marks=4),
        }
        for index, (title, points) in enumerate(panels)
    ]
    return _draw_picture("thin", width, height * len(panels), placed)


def _water_axis(panels: Sequence[Panel], height: int) -> LogAxis:
    scores = [score for _, points in panels for _, score, _ in points]
    return LogAxis(min(scores) / 3, max(scores) * 2, height - 26, 22, whole_decades=False)


def _draw_picture(kind: str, width: int, height: int, placed: list[dict[str, Any]]) -> Picture:
    words = ". ".join(f"{panel['title']}: {panel['stairs'].words}" for panel in placed)
    return Picture(kind, width, height, placed, words)


def _new_records(scores: Sequence[float]) -> list[int]:
    """Where a score is higher than all before it, as whole numbers: lists print one score with 2 to 6 decimals."""
    best, record_indexes = 0, []
    for index, score in enumerate(scores):
        if round(score) > best:
            best = round(score)
            record_indexes.append(index)
    return record_indexes


class Column(NamedTuple):
    """A bar from zero: its middle, its top, its texts, and whether the value stands above it (or inside)."""

    middle: float
    left: float
    top: float
    height: float
    value: str
    value_y: float
    inside: bool
    name: str


@dataclass(frozen=True)
class Columns:
    width: int
    height: int
    base: int
    bar: float
    columns: list[Column]
    words: str


def draw_columns(values: Sequence[tuple[str, float]], *, width: int = 390, height: int = 250) -> Columns | None:
    """Bars from zero for (name, value in GiB/s). None without a positive value."""
    if not values or max(value for _, value in values) <= 0:
        return None
    base, most = height - 22, max(value for _, value in values)
    run = width / len(values)
    bar = round(run * 0.58, 1)
    drawn = []
    for index, (name, value) in enumerate(values):
        tall = round((base - 20) * value / most, 1)
        middle, top, inside = round((index + 0.5) * run, 1), round(base - tall, 1), tall > base / 2
        value_y = round(top + (18 if inside else -6), 1)
        text = presentation_numbers.format_decimal(value, 1)
        drawn.append(Column(middle, round(middle - bar / 2, 1), top, tall, text, value_y, inside, name))
    words = "; ".join(f"{name} {presentation_numbers.format_decimal(value)}" for name, value in values)
    return Columns(width, height, base, bar, drawn, words)


class Pair(NamedTuple):
    """A value beside the median of its list; `median` is None where too few are known."""

    y: int
    name: str
    at: float
    median: float | None
    ratio: str


@dataclass(frozen=True)
class Pairs:
    width: int
    height: int
    ticks: list[Tick]
    pairs: list[Pair]
    words: str


def draw_pairs(values: Sequence[tuple[str, float, float | None]], *, width: int = 390) -> Pairs | None:
    """Dots on a logarithmic axis for (name, value, median). None without a positive value."""
    positive_rows = [(name, value, median) for name, value, median in values if value > 0]
    if not positive_rows:
        return None
    numbers = [number for _, value, median in positive_rows for number in (value, median) if number]
    axis = LogAxis(min(numbers), max(numbers), 92, width - 88)
    drawn = [
        Pair(
            40 + 27 * index, name, axis.at(value), axis.at(median) if median else None,
            presentation_numbers.format_decimal(value / median, 1) if median else "",
        )
        for index, (name, value, median) in enumerate(positive_rows)
    ]  # fmt: skip
    words = "; ".join(
        f"{name} {presentation_numbers.format_decimal(value)}"
        + (f", median {presentation_numbers.format_decimal(median)}" if median else "")
        for name, value, median in positive_rows
    )
    return Pairs(width, 30 + 27 * len(positive_rows), leave_room(axis.ticks), drawn, words)
