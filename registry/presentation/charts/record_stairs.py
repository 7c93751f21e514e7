"""Stairs of the highest value so far from zero, release by release, with a mark and a label at each new record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from registry.presentation import numbers
from registry.presentation.charts.model import (
    AXIS,
    CEILING,
    LINE,
    WATER,
    Chart,
    Link,
    Mark,
    Path,
    Text,
    horizontal_grid,
    with_link,
)
from registry.presentation.charts.scales import LinearAxis

SIZES = {"wide": (596, 300), "thin": (358, 280)}
LEFT_X, TOP, BOTTOM, INSET = 52, 34, 46, 10
LABEL_ROOM = 96
"""Two labels nearer than this would meet: only the later one is written."""


@dataclass(frozen=True, slots=True)
class RecordPoint:
    """The highest value of one release, with what a reader has to know beside it, such as its client nodes.

    `address` is where its mark leads.
    """

    release: str
    value: float
    about: str = ""
    address: str = ""


def find_records(points: Sequence[RecordPoint]) -> list[int]:
    """The places of points that are higher than all before them."""
    places: list[int] = []
    for place, point in enumerate(points):
        if not places or point.value > points[places[-1]].value:
            places.append(place)
    return places


def draw_record_stairs(points: Sequence[RecordPoint]) -> list[Chart]:
    """The same stairs for wide pages and for phones; oldest point first. None with fewer than two releases."""
    return [_draw_stairs(points, kind, *size) for kind, size in SIZES.items()] if len(points) > 1 else []


def _draw_stairs(points: Sequence[RecordPoint], kind: str, width: int, height: int) -> Chart:
    base, right = height - BOTTOM, width
    records = find_records(points)
    axis = LinearAxis(0.0, points[records[-1]].value, base, TOP)
    first_x, last_x = LEFT_X + INSET, right - 26
    xs = [round(first_x + (last_x - first_x) * place / (len(points) - 1), 1) for place in range(len(points))]
    path = f"M{xs[0]} {axis.at(points[0].value)}"
    path += "".join(f"H{xs[place]}V{axis.at(points[place].value)}" for place in records[1:]) + f"H{right}"
    marks: list[Mark | Link] = [
        *horizontal_grid(axis.ticks[1:], LEFT_X, right),
        Path(WATER, f"{path}V{base}H{xs[0]}z"),
        Path(LINE, path),
        Path(AXIS, f"M{LEFT_X} {base}H{right}"),
    ]
    marks += _release_names(points, xs, records, base)
    for place, following in zip(records, [*records[1:], None], strict=True):
        point, x, y = points[place], xs[place], axis.at(points[place].value)
        value = numbers.format_decimal(point.value)
        record: list[Mark] = [Path(CEILING, "M-5 -9h10L0 0z", (x, y))]
        if following is None or xs[following] - x >= LABEL_ROOM:
            at_end = place == len(points) - 1
            label_x, anchor = (x - 9, "end") if at_end else (x + 9, "")
            record.append(Text(label_x, y - 4, value, anchor, strong=True, halo=True))
            if point.about:
                record.append(Text(label_x, y + 16, point.about, anchor, halo=True))
        marks += with_link(point.address, f"{point.release}: {value}", record)
    words = "; ".join(
        f"{numbers.format_decimal(points[place].value)} at {points[place].release}"
        + (f" with {points[place].about}" if points[place].about else "")
        for place in records
    )
    return Chart(width, height, f"The highest value so far: {words}.", marks, kind, axis.ticks)


def _release_names(
    points: Sequence[RecordPoint], xs: Sequence[float], records: Sequence[int], base: float
) -> list[Mark]:
    """Each release below its place, those of records strong; one that has no room is left out."""
    marks: list[Mark] = []
    room_from = -1e9
    for place, (point, x) in enumerate(zip(points, xs, strict=True)):
        marks.append(Path(AXIS, f"M{x} {base}v4"))
        last_half = 4 * len(points[-1].release) + 8
        is_free = x - 4 * len(point.release) > room_from
        if is_free and (place == len(points) - 1 or x + 4 * len(point.release) < xs[-1] - last_half):
            marks.append(Text(x, base + 18, point.release, "middle", strong=place in records))
            room_from = x + 4 * len(point.release) + 6
    return marks
