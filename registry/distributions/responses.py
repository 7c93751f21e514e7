"""Shapes of what lies under a number: members, their histogram, and chances."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from registry.query.responses.row_fields import CanonicalUnit, Context, Operation, PrintedUnit, Quantity, Statistic
from registry.query.responses.shapes import Shape
from registry.web.responses import Page


class _Named(Shape):
    op: Operation
    quantity: Quantity
    stat: Statistic
    over: Annotated[
        str, Meta(description="What the values are of: targets, drives, ranks, jobs, groups, iterations or runs.")
    ]
    context: Context
    unit: CanonicalUnit
    printed_unit: PrintedUnit
    count: Annotated[int, Meta(description="Number of values; members and repeats that gave none are not counted.")]


class SlowMember(Shape):
    number: Annotated[int, Meta(description="From 0: the number of the rank or target; names of hosts are not kept.")]
    value: Annotated[float, Meta(description="Its value, in the canonical unit of the distribution.")]
    percent: Annotated[float, Meta(description="In % of the best.")]


class HistogramBin(Shape):
    low: Annotated[float, Meta(description="Lower end of the bin, in the unit of the values; belongs to the bin.")]
    high: Annotated[
        float, Meta(description="Upper end, in the unit of the values; belongs to the next bin, and to the last.")
    ]
    count: Annotated[int, Meta(description="Values in the bin.")]


class Chance(Shape):
    stripes: Annotated[int, Meta(description="Stripes of the file.")]
    percent: Annotated[
        float, Meta(description="Chance in % that such a file meets a slow member; stripes lie on different members.")
    ]


class MembersShape(_Named):
    best: Annotated[float, Meta(description="The best value, in `unit`.")]
    share: Annotated[float, Meta(description="Slow is who reaches so many % of the best, or less.")]
    slow_count: Annotated[int, Meta(description="Slow members, in number.")]
    slow: Annotated[list[SlowMember], Meta(description="Slowest first, at most 100.")]
    silent: Annotated[list[int], Meta(description="Numbers of those that gave no figure, as they failed.")]
    histogram: Annotated[list[HistogramBin], Meta(description="Counts of values by bin.")]
    meeting: Annotated[list[Chance], Meta(description="Of targets; empty of others.")]


class SeriesShape(_Named):
    percents: Annotated[list[float], Meta(description="Each value in % of the first, in order.")]
    aged_from: Annotated[int | None, Meta(description="From this place, from 0, all stay below 95 %; null: none.")]
    written_bytes: Annotated[
        list[float] | None,
        Meta(description="Bytes written since the first began, up to the end of each; null: not known."),
    ]


class ResultMembersShape(Shape):
    members: Annotated[
        list[MembersShape], Meta(description="Targets, drives, ranks, jobs or groups, one row for each number.")
    ]
    series: Annotated[list[SeriesShape], Meta(description="Rates that were repeated in order, and whether they age.")]


class ChancesShape(Page):
    members: Annotated[int, Meta(description="Members in all.")]
    slow: Annotated[int, Meta(description="Members that are slow.")]
    results: Annotated[list[Chance], Meta(description="A row for each number of stripes.")]
