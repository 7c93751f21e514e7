"""Plots beside the tables of a result: boxes, lines of a sweep, stairs in order of time.

Figures are canonical values divided by `factor`, so that an axis has the unit
that its caption names. Axes are linear; only boxes turn logarithmic, where values lie far apart.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from registry.presentation import numbers
from registry.presentation.charts.model import (
    AXIS,
    CEILING,
    CEILING_LINE,
    EDGE,
    FULL,
    HOLLOW,
    LINE,
    LINE_DASHES,
    Bar,
    Chart,
    Dot,
    Mark,
    Path,
    Text,
    circle_path,
    horizontal_grid,
    vertical_grid,
)
from registry.presentation.charts.scales import LETTER, LinearAxis, LogAxis, Tick

WIDTH = 390
ROW = 40
"""Height of a box with its name above."""
EDGE_ROOM = 24
"""Room for half a text at both ends of an axis."""
MOST_DOTS = 64
"""Members that are drawn one by one."""
DAY_ROOM = 36.0
"""Half of the text of a day, which stands under the middle of its point."""
NAME_ROOM = 13
"""Between the names at the ends of two lines."""
FAR_APART = 50
"""Times that the largest value is above the smallest where an axis turns logarithmic."""


def draw_boxes(named: Sequence[tuple[str, Mapping[str, Any]]], factor: float) -> Chart:
    """Boxes of (name, distribution) on one axis; `named` is not empty.

    Name and figures above, whisker from least to most, box from 25 to 75 %, line at 50 %.
    """
    least = min(distribution["min"] for _, distribution in named) / factor
    most = max(distribution["max"] for _, distribution in named) / factor
    is_logarithmic = least > 0 and most / least > FAR_APART
    room = (EDGE_ROOM, WIDTH - EDGE_ROOM)
    axis = LogAxis(least, most, *room) if is_logarithmic else LinearAxis(least, most, *room)
    height = 26 + ROW * len(named)
    marks, words = vertical_grid(axis.ticks, 20, height, 14), []
    for row, (name, distribution) in enumerate(named):
        summary, box = _draw_box(row, name, distribution, axis, factor)
        marks += box
        words.append(f"{name} {summary}")
    text = f"Boxes from the least to the most: {'; '.join(words)}"
    return Chart(WIDTH, height, text, marks, ticks=axis.ticks, is_logarithmic=is_logarithmic)


def _draw_box(
    row: int, name: str, distribution: Mapping[str, Any], axis: LinearAxis | LogAxis, factor: float
) -> tuple[str, list[Mark]]:
    """The figures of a distribution in words, and its marks."""
    cuts = [value / factor for value in distribution["quantiles"]]
    low, first, middle, third, high = (axis.at(cuts[place]) for place in (0, 5, 10, 15, 20))
    y = 26 + ROW * row + 28
    members = distribution["members"] if distribution["members"] and len(distribution["members"]) <= MOST_DOTS else []
    dots = circle_path([Dot(axis.at(value / factor), y, True) for value in members if value is not None], 2.5)
    texts = [numbers.format_significant(cuts[place], 4) for place in (0, 10, 20)]
    summary = f"{texts[0]}\N{EN DASH}{texts[2]}, median {texts[1]}"
    if LETTER * (len(name) + len(summary) + 4) > WIDTH:
        summary = f"median {texts[1]}"
    marks: list[Mark] = [
        Text(0, y - 12, name, strong=True, halo=True),
        Text(WIDTH, y - 12, summary, "end", halo=True),
        Path(AXIS, f"M{low} {y}H{high}M{low} {y - 4}v8M{high} {y - 4}v8"),
        Bar(HOLLOW, first, y - 6, round(max(third - first, 1), 1), 12),
        Path(EDGE, f"M{middle} {y - 6}v12"),
    ]
    return summary, [*marks, *([Path(FULL, dots)] if dots else [])]


class Line(NamedTuple):
    """One series: its path, its points as circles, its name at the end of the line."""

    path: str
    dots: str
    end: tuple[float, float]
    name: str
    place: int = 0
    """Among the series of the chart."""


Series = tuple[str, Sequence[tuple[int, float]]]
"""A name, and values by the number of their step."""


def draw_lines(
    steps: Sequence[str], series: Sequence[Series], low: float, high: float, width: int = WIDTH, kind: str = ""
) -> Chart:
    """Lines through the values of a sweep, `steps` evenly apart, on an axis from `low` to `high`; `width` in px."""
    axis = LinearAxis(low, high, 196, 14)
    named = _merge_close_names(series, axis)
    frame = _Frame(len(steps), axis, width - 14 - LETTER * max(len(name) for name, _ in named))
    drawn = [frame.line(name, values)._replace(place=place) for place, (name, values) in enumerate(named)]
    words = "; ".join(
        f"{name or 'values'} "
        + ", ".join(f"{steps[step]}: {numbers.format_significant(value, 4)}" for step, value in values)
        for name, values in series
    )
    return replace(frame.chart(frame.place_texts(steps), drawn, None, words), width=width, kind=kind)


def draw_curve(points: Sequence[tuple[float, float]], high: float) -> Chart:
    """One line through (amount, value), both from zero, `high` the least that the axis of values reaches."""
    values = LinearAxis(0.0, high, 196, 14)
    frame = _Frame(1, values, WIDTH - EDGE_ROOM)
    amounts = LinearAxis(0.0, points[-1][0], frame.left, WIDTH - EDGE_ROOM)
    line = _line_through([(amounts.at(amount), values.at(value)) for amount, value in points], "")
    words = "; ".join(
        f"{numbers.format_significant(amount, 4)}: {numbers.format_significant(value, 4)}" for amount, value in points
    )
    return frame.chart(amounts.ticks, [line], None, f"values {words}")


def draw_stairs(named: Sequence[tuple[str, Sequence[float]]], limit: float | None, low: float, high: float) -> Chart:
    """Stairs through the values of each group in order, group after group; `limit` is drawn as the mark."""
    count = sum(len(values) for _, values in named)
    frame = _Frame(count, LinearAxis(low, high, 196, 14), WIDTH - 8)
    drawn, steps, begun = [], [], 0
    for name, values in named:
        drawn.append(frame.stair(begun, values))
        steps += [name if len(named) > 1 else "1", *[""] * (len(values) - 1)]
        begun += len(values)
    if len(named) == 1 and count > 1:
        steps[-1] = str(count)
    words = "; ".join(
        f"{name} " + ", ".join(numbers.format_significant(value, 4) for value in values[:24]) for name, values in named
    )
    mark = (frame.axis.at(limit), numbers.format_significant(limit, 3)) if limit is not None else None
    return frame.chart(frame.place_texts(steps), drawn, mark, words)


def draw_levels(days: Sequence[dt.date], values: Sequence[float], stretches: Sequence[tuple[int, int, float]]) -> Chart:
    """Values as points at their days, and of each stretch (from, to, level) its level; without any a line through all.

    Days are to scale: a year is as wide wherever it lies. Values of one day stand above each other.
    """
    texts = [str(day) for day in days]
    frame = _Frame(len(days), LinearAxis(min(values), max(values), 196, 14), WIDTH - 8)
    frame.place_at([float(day.toordinal()) for day in days])
    points = frame.line("", list(enumerate(values)))
    held = [frame.held(*stretch) for stretch in stretches]
    drawn = [points._replace(path="") if held else points, *held]
    words = ", ".join(
        f"{text}: {numbers.format_significant(value, 4)}" for text, value in zip(texts, values, strict=True)
    )
    level_words = "; step to ".join(numbers.format_significant(level, 4) for _, _, level in stretches)
    return frame.chart(
        frame.place_texts(texts), drawn, None, f"{words}{f'; level {level_words}' if level_words else ''}"
    )


def _line_through(points: Sequence[tuple[float, float]], name: str) -> Line:
    path = "M" + "L".join(f"{x} {y}" for x, y in points)
    return Line(path, circle_path([Dot(x, y, True) for x, y in points], 3), points[-1], name)


class _Frame:
    """The place of a plot: steps from left to right, values upwards."""

    def __init__(self, steps: int, axis: LinearAxis, right: float) -> None:
        self.axis, self.right = axis, right
        self.left = 10.0 + LETTER * max(len(tick.text) for tick in axis.ticks)
        self.run = (right - self.left - 8) / max(1, steps)
        self.placed: Sequence[float] | None = None

    def place_at(self, amounts: Sequence[float]) -> None:
        """Set steps as far apart as their amounts, which do not fall; where all are one amount, evenly."""
        first, last = amounts[0], amounts[-1]
        if first < last:
            begin, end = max(self.left + 8, DAY_ROOM), min(self.right - 8, WIDTH - DAY_ROOM)
            self.placed = [begin + (amount - first) / (last - first) * (end - begin) for amount in amounts]

    def x(self, step: float) -> float:
        if self.placed is None:
            return round(self.left + 4 + (step + 0.5) * self.run, 1)
        nearest = min(max(round(step), 0), len(self.placed) - 1)
        return round(self.placed[nearest] + 8 * max(-0.5, min(0.5, step - nearest)), 1)

    def line(self, name: str, values: Sequence[tuple[int, float]]) -> Line:
        return _line_through([(self.x(step), self.axis.at(value)) for step, value in values], name)

    def stair(self, begun: int, values: Sequence[float]) -> Line:
        heights = [self.axis.at(value) for value in values]
        path = f"M{self.x(begun - 0.5)} {heights[0]}"
        for place, height in enumerate(heights):
            path += f"V{height}H{self.x(begun + place + 0.5)}"
        return Line(path, "", (self.x(begun), heights[0]), "")

    def held(self, begin: int, end: int, value: float) -> Line:
        """A level from the middle of one step to that of the last before `end`."""
        height = self.axis.at(value)
        return Line(f"M{self.x(begin - 0.4)} {height}H{self.x(end - 0.6)}", "", (self.x(end - 1), height), "")

    def place_texts(self, steps: Sequence[str]) -> list[Tick]:
        """The texts of steps that there is room for; of steps evenly apart every second, every third and so on."""
        if self.placed is not None or not all(steps):
            return self._fit_texts(enumerate(steps))
        for stride in range(1, len(steps) + 1):
            numbered = list(enumerate(steps))[::stride]
            if len(texts := self._fit_texts(numbered)) == len(numbered):
                return texts
        return []

    def _fit_texts(self, numbered_steps: Iterable[tuple[int, str]]) -> list[Tick]:
        texts, free = [], 0.0
        for step, text in numbered_steps:
            half = LETTER * len(text) / 2
            if text and self.x(step) - half >= free:
                texts.append(Tick(self.x(step), text))
                free = self.x(step) + half + 6
        return texts

    def chart(self, steps: Sequence[Tick], lines: Sequence[Line], limit: tuple[float, str] | None, words: str) -> Chart:
        """Lines on their axes; `limit` is the height of a limit and its text."""
        base = self.axis.left
        marks = horizontal_grid(self.axis.ticks, self.left, self.right)
        marks += [Text(x, base, text, "middle", dy=18) for x, text in steps]
        marks.append(Path(AXIS, f"M{self.left} {base}H{self.right}"))
        for line in lines:
            dashes = LINE_DASHES[line.place % len(LINE_DASHES)]
            marks += [Path(LINE, line.path, dashes=dashes)] if line.path else []
            marks += [Path(HOLLOW if line.place % 2 else FULL, line.dots)] if line.dots else []
            if line.name:
                marks.append(Text(*line.end, line.name, dx=8, dy=4, strong=True, halo=True))
        if limit:
            y, text = limit
            marks += [
                Path(CEILING_LINE, f"M{self.left} {y}H{self.right}"),
                Path(CEILING, "M2.500 -9.200h9L7 -2z", (int(self.right) - 14, y)),
                Text(int(self.right) - 18, int(y) - 5, text, "end", strong=True, halo=True),
            ]
            words = f"{words}; limit {text}"
        return Chart(WIDTH, int(base) + 24, words, marks, ticks=self.axis.ticks)


def _merge_close_names(series: Sequence[Series], axis: LinearAxis) -> list[Series]:
    """Series whose names would lie on one another at their ends share the name of the first of them."""
    heights: list[float] = []
    names: list[list[str]] = []
    for name, values in series:
        end = axis.at(values[-1][1])
        near = next((place for place, height in enumerate(heights) if abs(end - height) < NAME_ROOM), None)
        heights.append(end if near is None else math.inf)
        names.append([name] if near is None else [])
        if near is not None:
            names[near].append(name)
    return [(", ".join(filter(None, joined)), values) for joined, (_, values) in zip(names, series, strict=True)]


def draw_histogram(bins: Sequence[tuple[float, float, int]], limit: float | None, factor: float) -> Chart:
    """Bars of (from, to, count), counts where there is room; `limit` is the mark where it lies among the values."""
    low, high = bins[0][0] / factor, bins[-1][1] / factor
    axis = LinearAxis(low, high, EDGE_ROOM, WIDTH - EDGE_ROOM)
    base, most = 176, max(count for _, _, count in bins)
    around = [0, *(count for _, _, count in bins), 0]
    marks: list[Mark] = []
    for place, (begin, end, count) in enumerate(bins):
        left_x, right = axis.at(begin / factor), axis.at(end / factor)
        width, tall = max(right - left_x - 1, 1.0), round((base - 26) * count / most, 1)
        top = round(base - tall, 1)
        marks.append(Bar(FULL, left_x, top, round(width, 1), tall))
        is_alone = not around[place] and not around[place + 2]
        if count and (is_alone or LETTER * len(str(count)) <= right - left_x):
            marks.append(Text(round(left_x + width / 2, 1), top, str(count), "middle", dy=-4))
    marks.append(Path(AXIS, f"M0 {base}H{WIDTH}"))
    marks += [Text(x, base, text, "middle", dy=18) for x, text in axis.ticks]
    parts = "; ".join(
        f"{numbers.format_significant(begin / factor, 4)} to {numbers.format_significant(end / factor, 4)}: {count}"
        for begin, end, count in bins
    )
    words = f"Histogram: {parts}"
    if limit is not None and low <= limit / factor <= high:
        limit_x = axis.at(limit / factor)
        marks += [
            Path(CEILING_LINE, f"M{limit_x} 12V{base}"),
            Text(limit_x, 10, "slow", "middle", strong=True, halo=True),
        ]
        words += f"; slow at {numbers.format_significant(limit / factor, 4)}"
    return Chart(WIDTH, base + 24, words, marks, ticks=axis.ticks)
