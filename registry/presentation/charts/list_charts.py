"""Pictures of lists and of phases: where scores lie, the best score over time, phases against their list."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from textwrap import wrap
from typing import NamedTuple

from registry.presentation import numbers as presentation_numbers
from registry.presentation.charts.model import (
    AXIS,
    CEILING,
    CEILING_LINE,
    FULL,
    GRID,
    HOLLOW,
    LINE,
    OUTLINE,
    WATER,
    Bar,
    Chart,
    Circle,
    Dot,
    Link,
    Mark,
    Panel,
    Path,
    Text,
    circle_path,
    horizontal_grid,
    vertical_grid,
    with_link,
)
from registry.presentation.charts.scales import LETTER, LogAxis, leave_room

NAME_ROOM = 130
"""Between the median and the mark of a strip there is room to write both when they lie this far apart."""


class Strip(NamedTuple):
    """The picture of where the scores of a list lie; one dot stands for up to `each` entries."""

    chart: Chart
    each: int


def draw_strip(
    scores: Sequence[tuple[float, bool]], *, width: int, height: int, radius: float, kind: str = "", leader: str = ""
) -> Strip | None:
    """Stack a dot for each (score, new) on a logarithmic axis, with mark and median; None for fewer than three.

    Beyond a full stack one dot stands for several. The mark is named `leader` where nothing stands in the way.
    """
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
    above = round(min(dot.y for dot in dots if dot.x == best_x) - radius - 2, 1)
    ticks, texts = leave_room(axis.ticks), [presentation_numbers.format_significant(value) for value in (middle, best)]
    marks: list[Mark] = []
    for place, (x, text) in enumerate(ticks):
        anchor = "end" if place == len(ticks) - 1 else "middle" if place else ""
        marks += [Path(GRID, f"M{x} {base}V26"), Text(x, base + 18, text, anchor)]
    marks += [
        Path(AXIS, f"M14 {base}H{width - 14}"),
        Path(HOLLOW, circle_path((dot for dot in dots if not dot.new), radius)),
        Path(FULL, circle_path((dot for dot in dots if dot.new), radius)),
        Path(AXIS, f"M{middle_x} {base}V22", dashed=True),
        Text(middle_x, 16, f"median {texts[0]}", "middle", strong=True, halo=True),
        Path(CEILING, "M-6 -10.500h12L0 0z", (best_x, above)),
    ]
    if best_x - middle_x > NAME_ROOM:
        named = f"{texts[1]} {leader}".rstrip()
        start = best_x - LETTER * len(named)
        is_free = all(dot.y > above - 12 for dot in dots if start < dot.x < best_x)
        text = named if is_free and start > middle_x + NAME_ROOM / 2 else texts[1]
        marks.append(Text(best_x, int(above) - 16, text, "end", dx=6, strong=True, halo=True))
    words = f"Scores of {len(scores)} entries on a logarithmic axis; the median is {texts[0]}, the highest {texts[1]}."
    return Strip(Chart(width, height, words, marks, kind, ticks, is_logarithmic=True), each)


def row_axis(scores: Sequence[float]) -> LogAxis | None:
    """The axis of the small dot in each row, 2 to 102 wide. None without a score."""
    values = [score for score in scores if score > 0]
    return LogAxis(min(values), max(values), 2, 102) if values else None


class Staircase(NamedTuple):
    """The marks of the best score so far, release by release, as rising water; `words` are its new records."""

    marks: list[Mark | Link]
    words: str


class StairPoint(NamedTuple):
    """The best score of one release and its system; `address` is where its mark leads."""

    release: str
    score: float
    system: str
    address: str = ""


def draw_staircase(
    points: Sequence[StairPoint], axis: LogAxis, *, left_x: float, right: float, labels: int, marks: int
) -> Staircase:
    """Stairs through the best score of each release, oldest first; `axis` runs upwards from the water's ground.

    At most `labels` releases and `marks` new records are named; the last record always is.
    """
    run = (right - left_x - 22) / max(1, len(points) - 1)
    every = math.ceil(len(points) / labels)
    records = _new_records([point.score for point in points])
    named = set(records[:1] + records[-max(1, marks - 1) :])
    best, line, words = 0.0, "", []
    steps: list[Mark | Link] = []
    below: float | None = None
    for index, (release, score, system, address) in enumerate(points):
        best = max(best, score)
        x, y = round(left_x + index * run, 1), axis.at(best)
        line += f"M{x} {y}" if not index else f"H{x}V{y}"
        number = presentation_numbers.format_decimal(best, 0)
        text = f"{number} {system}" if index in named else ""
        if max(x - left_x, right - x - 6) <= LETTER * len(text):
            text = number  # neither side has room for the name
        if x - left_x > LETTER * len(text):
            text_x, text_y, anchor = x - 5, y - 4, "end"
        elif below is None or abs(y - below) > 20:
            text_x, text_y, anchor, below = x + 6, y + 17, "start", y
        else:
            text, text_x, text_y, anchor = "", x, y, "start"
        steps.append(Path(AXIS, f"M{x} {axis.left}v4"))
        if index % every == 0:
            steps.append(Text(x, axis.left, release, "middle", dy=17))
        record: list[Mark] = []
        if index in records:
            record.append(Path(CEILING, "M2.500 -9.200h9L7 -2z", (x, y)))
            words.append(f"{number} at {release}")
        if text:
            is_last = index == len(points) - 1
            record.append(Text(round(text_x, 1), round(text_y, 1), text, anchor, strong=is_last, halo=True))
        if record:
            steps += with_link(address, f"{release}: {number} {system}".rstrip(), record)
    line += f"H{right}"
    ground: list[Mark | Link] = [
        *horizontal_grid(axis.ticks, left_x, right),
        Path(WATER, f"{line}V{axis.left}H{left_x}z"),
        Path(LINE, line),
        Path(AXIS, f"M{left_x} {axis.left}H{right}"),
    ]
    return Staircase([*ground, *steps], ", ".join(words))


TITLE_LETTERS, LINE_HEIGHT = 46, 14
"""Letters of a title that a phone has room for, and the height of its lines."""
Series = tuple[str, Sequence[StairPoint]]
"""The title of a staircase and its points."""


def draw_pictures(panels: Sequence[Series], *, height: int = 300) -> list[Chart]:
    """The same staircases drawn for wide pages and for phones. None at all without two points in a row."""
    drawn = [(title, points) for title, points in panels if len(points) > 1]
    if not drawn:
        return []
    return [_side_by_side(drawn, 1232, height), _stack_panels(drawn, 358, 230)]


def _side_by_side(panels: Sequence[Series], width: int, height: int) -> Chart:
    runs, axis = sum(len(points) for _, points in panels), _water_axis(panels, height)
    gap, left_x, placed = 50, 0.0, []
    for title, points in panels:
        share = (width - gap * (len(panels) - 1)) * len(points) / runs
        stairs = draw_staircase(points, axis, left_x=left_x + 56, right=round(left_x + share, 1), labels=10, marks=9)
        placed.append((title, Panel(0, [Text(round(left_x, 1), 10, title, strong=True), *stairs.marks]), stairs.words))
        left_x = round(left_x + share + gap, 1)
    return _draw_picture("wide", width, height, placed)


def _stack_panels(panels: Sequence[Series], width: int, height: int) -> Chart:
    axis, placed, top = _water_axis(panels, height), [], 0
    for title, points in panels:
        stairs = draw_staircase(points, axis, left_x=56, right=width, labels=5, marks=4)
        lines = wrap(title, TITLE_LETTERS)
        top += LINE_HEIGHT * (len(lines) - 1)
        heads = [
            Text(0, 10 - LINE_HEIGHT * below, line, strong=True)
            for below, line in zip(range(len(lines) - 1, -1, -1), lines, strict=True)
        ]
        placed.append((title, Panel(top, [*heads, *stairs.marks]), stairs.words))
        top += height
    return _draw_picture("thin", width, top, placed)


def _water_axis(panels: Sequence[Series], height: int) -> LogAxis:
    scores = [point.score for _, points in panels for point in points]
    return LogAxis(min(scores) / 3, max(scores) * 2, height - 26, 22, whole_decades=False)


def _draw_picture(kind: str, width: int, height: int, placed: Sequence[tuple[str, Panel, str]]) -> Chart:
    records = ". ".join(f"{title}: {words}" for title, _, words in placed)
    words = f"Best score so far, release by release, logarithmic. {records}."
    return Chart(width, height, words, [panel for _, panel, _ in placed], kind, is_logarithmic=True)


def _new_records(scores: Sequence[float]) -> list[int]:
    """Where a score is higher than all before it, as whole numbers: lists print one score with 2 to 6 decimals."""
    best, record_indexes = 0, []
    for index, score in enumerate(scores):
        if round(score) > best:
            best = round(score)
            record_indexes.append(index)
    return record_indexes


def draw_columns(
    values: Sequence[tuple[str, float]],
    ceilings: Mapping[str, float] | None = None,
    *,
    unit: str = "GiB/s",
    decimals: int = 1,
    width: int = 390,
    height: int = 250,
    kind: str = "",
) -> Chart | None:
    """Bars from zero for (name, value in `unit`), each under its ceiling. None without a positive value.

    `ceilings` are by name; a bar without one stands alone.
    """
    if not values or max(value for _, value in values) <= 0:
        return None
    limits = ceilings or {}
    base, most = height - 22, max([value for _, value in values] + list(limits.values()))
    scale = (base - (40 if limits else 20)) / most
    run = width / len(values)
    bar = round(run * 0.58, 1)
    marks: list[Mark] = []
    for index, (name, value) in enumerate(values):
        middle = round((index + 0.5) * run, 1)
        marks += [
            *_draw_column(middle, bar, base, scale, (value, limits.get(name)), decimals),
            Text(middle, height - 5, name, "middle", strong=True),
        ]
    words = "; ".join(_column_words(name, value, limits.get(name)) for name, value in values)
    return Chart(width, height, f"Bars, {unit}: {words}", [*marks, Path(AXIS, f"M0 {base}H{width}")], kind)


def _draw_column(
    middle: float, bar: float, base: int, scale: float, level: tuple[float, float | None], decimals: int
) -> list[Mark]:
    """The water up to the limit, the bar, its value and its share; the red line and its triangle lie above."""
    value, limit = level
    tall = round(scale * value, 1)
    left_x, top, inside = round(middle - bar / 2, 1), round(base - tall, 1), tall > base / 2
    text = presentation_numbers.format_decimal(value, decimals)
    if limit is None:
        text_y = round(top + (18 if inside else -6), 1)
        return [Bar(FULL, left_x, top, bar, tall), Text(middle, text_y, text, "middle", strong=True, inside=inside)]
    limit_y = round(base - scale * limit, 1)
    share_y = round(top + (33 if inside else -6), 1)
    return [
        Bar(WATER, left_x, limit_y, bar, round(base - limit_y, 1)),
        Bar(FULL, left_x, top, bar, tall),
        Path(CEILING_LINE, f"M{left_x} {limit_y}h{bar}", dashed=True),
        Path(CEILING_LINE, "M-6 -10.500h12L0 0z", (middle, limit_y)),
        Text(middle, limit_y - 15, presentation_numbers.format_decimal(limit, decimals), "middle", halo=True),
        Text(middle, share_y - 15, text, "middle", strong=True, inside=inside, halo=not inside),
        Text(middle, share_y, f"{100 * value / limit:.1f} %", "middle", inside=inside, halo=not inside),
    ]


def _column_words(name: str, value: float, limit: float | None) -> str:
    """ "easy read 1,836.46, 93.9 % of its ceiling of 1,955.80"."""
    words = f"{name} {presentation_numbers.format_decimal(value)}"
    if limit is None:
        return words
    return f"{words}, {100 * value / limit:.1f} % of its ceiling of {presentation_numbers.format_decimal(limit)}"


def draw_pairs(values: Sequence[tuple[str, float, float | None]], *, width: int = 390) -> Chart | None:
    """Dots on a logarithmic axis for (name, value, median); None without a positive value.

    The median is None where too few are known.
    """
    positive_rows = [(name, value, median) for name, value, median in values if value > 0]
    if not positive_rows:
        return None
    numbers = [number for _, value, median in positive_rows for number in (value, median) if number]
    axis = LogAxis(min(numbers), max(numbers), 92, width - 100)
    height, ticks = 30 + 27 * len(positive_rows), leave_room(axis.ticks)
    marks = [*vertical_grid(ticks, 22, height, 14)]
    if any(median for _, _, median in positive_rows):
        marks.append(Text(width, 14, "\N{MULTIPLICATION SIGN} median", "end"))
    for index, (name, value, usual) in enumerate(positive_rows):
        y, x = 40 + 27 * index, axis.at(value)
        marks.append(Text(0, y + 4, name, strong=True))
        if usual:
            median_x = axis.at(usual)
            marks += [Path(AXIS, f"M{median_x} {y}H{x}"), Circle(OUTLINE, median_x, y, 4)]
        ratio = presentation_numbers.format_decimal(value / usual, 1) if usual else ""
        marks += [Circle(FULL, x, y, 5), Text(width, y + 4, ratio, "end", strong=True)]
    words = "; ".join(
        f"{name} {presentation_numbers.format_decimal(value)}"
        + (f", median {presentation_numbers.format_decimal(median)}" if median else "")
        for name, value, median in positive_rows
    )
    words = f"Dots on a logarithmic axis, kIOPS: {words}"
    return Chart(width, height, words, marks, ticks=ticks, is_logarithmic=True)
