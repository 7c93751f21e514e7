"""Shapes of the numbers of a system over time, and of the standard sweep."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any

from msgspec import Meta

from registry.comparison.responses import DifferenceGroup, Note
from registry.query.responses.row_fields import (
    AxisName,
    CanonicalUnit,
    ClientNodes,
    Context,
    DistinctLabel,
    InstitutionName,
    Mode,
    MoreThere,
    Operation,
    PrintedUnit,
    Qualifier,
    Quantity,
    ResultId,
    RoundingHigh,
    RoundingLow,
    Score,
    SlugOfSystem,
    Statistic,
    SystemTitle,
    Tasks,
    Tool,
    TrustLabel,
    TrustText,
    UnknownValues,
    VersionNumber,
)
from registry.query.responses.shapes import Shape


class SystemName(Shape):
    slug: SlugOfSystem
    name: SystemTitle
    institution: InstitutionName


class SeriesPoint(Shape):
    result: ResultId
    day: Annotated[date, Meta(description="Of the run, else of its submission, else of its release.")]
    value: Annotated[float, Meta(description="In the canonical unit of the series.")]
    qualifier: Qualifier


class StepSummary(Shape):
    """Where the level of a series moved, and what was said of it."""

    day: Annotated[date, Meta(description="Day of the first result after the step.")]
    before: Annotated[str, Meta(description="Result before it.")]
    after: Annotated[str, Meta(description="Result after it.")]
    level_before: Annotated[
        float, Meta(description="In the canonical unit: geometric mean from the step before, or the first point, on.")
    ]
    level_after: Annotated[
        float, Meta(description="In the canonical unit: geometric mean up to the next step, or the last point.")
    ]
    ratio: Annotated[float, Meta(description="`level_after` divided by `level_before`, without unit.")]
    better: Annotated[bool, Meta(description="Whether the numbers after the step are better.")]
    chance: Annotated[
        float,
        Meta(
            description="At most the probability that a series without steps shows one as clear; from 0 to 1, without "
            "unit."
        ),
    ]
    state: Annotated[str, Meta(description="new, investigating, explained, accepted, false_alarm.")]
    note: Annotated[str, Meta(description="By members of the institution, or reviewers.")]


class SeriesStep(StepSummary):
    """A step of a series that is shown whole."""

    place: Annotated[int, Meta(description="Of the first point after it, from 0.")]
    id: Annotated[int | None, Meta(description="In the record; null: only with these filters, or not yet.")]


class SeriesLabel(Shape):
    """What tells a series of a system from its others."""

    tool: Tool
    mode: Mode
    trust: TrustText
    client_nodes: Annotated[int | None, Meta(description="Client nodes of its results; null where it is not known.")]
    settings: Annotated[
        dict[str, Any],
        Meta(description="Those that the benchmark's descriptor names; none of IO500, whose rules set them."),
    ]
    op: Operation
    quantity: Quantity
    stat: Statistic
    unit: CanonicalUnit
    printed_unit: PrintedUnit
    context: Context


class SystemSeries(SeriesLabel):
    list: Annotated[
        str, Meta(description="Kind of IO500 list: 10-node, production, both; empty for those of any scale.")
    ]
    scale: Annotated[
        dict[str, Any], Meta(description="What else its results have in common in size, such as client processes.")
    ]
    points: Annotated[Sequence[SeriesPoint], Meta(description="Oldest first.")]
    resolution: Annotated[
        float,
        Meta(description="The last digit that its values are printed with, in the canonical unit; 0 of no value."),
    ]
    steps: Annotated[Sequence[SeriesStep], Meta(description="None where a point is a bound, and no measured value.")]


class JudgedMetric(Shape):
    """One metric of a run, held against the runs before it."""

    op: Operation
    quantity: Quantity
    stat: Statistic
    unit: CanonicalUnit
    printed_unit: PrintedUnit
    context: Context
    value: Annotated[float, Meta(description="Of the run, in the canonical unit.")]
    verdict: Annotated[str, Meta(description="lower, higher, as expected; cannot tell: fewer than five earlier runs.")]
    better: Annotated[
        bool | None,
        Meta(description="Whether lower or higher is better here; null where it is neither, or as expected."),
    ]
    expected: Annotated[
        float | None, Meta(description="Median of the earlier runs, in the canonical unit; null where it is unknown.")
    ]
    expected_low: Annotated[
        float | None,
        Meta(
            description="Below it the verdict is lower, with regard to all metrics of the run; in the canonical unit."
        ),
    ]
    expected_high: Annotated[
        float | None,
        Meta(
            description="Above it the verdict is higher, with regard to all metrics of the run; in the canonical unit."
        ),
    ]
    ratio: Annotated[float | None, Meta(description="`value` divided by `expected`, without unit.")]
    chance: Annotated[
        float | None,
        Meta(
            description="How likely a run without a change has some metric as far out, from 0 to 1, without unit: "
            "adjusted after Holm for the metrics of the run."
        ),
    ]
    earlier: Annotated[
        int, Meta(description="Earlier runs since the last performance change that it was compared with, at most 20.")
    ]


class RunVerdictRow(Shape):
    """One run, held against the runs before it that are known to be alike."""

    result: ResultId
    day: Annotated[date, Meta(description="Of the run, else of its submission, else of its release.")]
    tool: Tool
    mode: Mode
    trust: TrustText
    trust_label: TrustLabel
    client_nodes: Annotated[int | None, Meta(description="Client nodes; null where it is not known.")]
    list: Annotated[str, Meta(description="Kind of IO500 list, as of a series.")]
    verdict: Annotated[
        str, Meta(description="Of its clearest metric: lower, higher, as expected, or cannot tell: see `reason`.")
    ]
    better: Annotated[
        bool | None,
        Meta(
            description="Whether all values outside the range are better (true) or worse (false); null: mixed or none."
        ),
    ]
    continues: Annotated[bool, Meta(description="Whether the run before lay outside in the same way already.")]
    earlier: Annotated[int, Meta(description="Most earlier runs that any of its metrics was compared with.")]
    judged: Annotated[int, Meta(description="Metrics with five earlier runs or more.")]
    unknown: Annotated[
        Sequence[str], Meta(description="What would have to be known of the run to hold it against any.")
    ]
    reason: Annotated[str, Meta(description="Why it is unknown, as a sentence; else empty.")]
    metrics: Annotated[Sequence[JudgedMetric], Meta(description="The clearest first.")]


class NotJoined(Shape):
    """A result of which it is not known which other ones are of the same experiment."""

    result: ResultId
    day: Annotated[date, Meta(description="Day of the run, else of its submission, else of its release.")]
    tool: Tool
    mode: Mode
    trust: TrustText
    trust_label: TrustLabel
    client_nodes: Annotated[int | None, Meta(description="Client nodes; null where it is not known.")]
    tasks: Tasks | None
    score: Score | None
    list: Annotated[str, Meta(description="As of a series.")]
    unknown: Annotated[Sequence[str], Meta(description="What would have to be known: client nodes, settings.")]
    numbers: Annotated[int, Meta(description="So many of its numbers are in no series.")]


class SeriesChange(Shape):
    """Two neighbours around a step, as compare/ has them."""

    before: Annotated[str, Meta(description="Id of the result before the step.")]
    after: Annotated[str, Meta(description="Id of the result after the step.")]
    notes: Annotated[list[Note], Meta(description="What speaks against comparing them.")]
    configuration: Annotated[list[DifferenceGroup], Meta(description="What else differed, in groups.")]


class SystemHistoryShape(Shape):
    system: Annotated[SystemName, Meta(description="The system.")]
    results: Annotated[int, Meta(description="Results that were looked at, the newest.")]
    left_out: MoreThere
    undated: Annotated[int, Meta(description="Results of which no day is known; they are in no series.")]
    single: Annotated[int, Meta(description="Numbers that only one result has.")]
    not_joined: Annotated[
        list[NotJoined], Meta(description="Results, or numbers of them, whose scale or settings are not known.")
    ]
    fewest: Annotated[int, Meta(description="So many points a series needs for a step.")]
    newest: Annotated[
        RunVerdictRow | None,
        Meta(description="Whether the newest run is as the earlier ones predict; null without a run."),
    ]
    newest_others: Annotated[
        list[RunVerdictRow],
        Meta(description="The same of the newest run of other benchmarks, scales and settings, at most ten."),
    ]
    unexpected: Annotated[
        list[RunVerdictRow],
        Meta(description="Runs that are lower or higher, newest first, at most 20, with the metrics that are."),
    ]
    series: Annotated[list[SystemSeries], Meta(description="Those with steps first, then the longest.")]
    changes: Annotated[list[SeriesChange], Meta(description="At most ten, the newest first.")]
    unknown_values: UnknownValues


class SweepShape(Shape):
    name: Annotated[str, Meta(description="Name of the sweep.")]
    version: VersionNumber
    title: Annotated[str, Meta(description="Title of the sweep.")]
    source: Annotated[str, Meta(description="Where it is from; may be empty.")]
    notes: Annotated[list[str], Meta(description="What must be known of it, one sentence each.")]


class SweepRun(Shape):
    """One result in a cell."""

    result: ResultId
    release: Annotated[str, Meta(description="Of the storage software; empty where it is not known.")]
    trust: TrustText
    trust_label: TrustLabel
    client_nodes: ClientNodes | None
    day: Annotated[date | None, Meta(description="Day of the run, else of its submission; null where it is not known.")]
    value: Annotated[float, Meta(description="In the canonical unit, `unit` of the cell.")]
    qualifier: Qualifier
    rounding_low: RoundingLow | None
    rounding_high: RoundingHigh | None


class SweepCell(Shape):
    """One operation under one choice of each axis."""

    choices: Annotated[list[str], Meta(description="One choice of each axis, in words.")]
    op: Annotated[str, Meta(description="Operation of the cell.")]
    verdict: Annotated[
        str,
        Meta(
            description="missing; first, with no release before; equal within the interval; better; worse; "
            "not_repeated: fewer than three runs of either, so that nobody can tell; or unknown: there is "
            "one before, but not that both ran alike, or which is more, is known."
        ),
    ]
    unknown: Annotated[list[str], Meta(description="What would have to be known of both to compare them.")]
    unit: CanonicalUnit
    latest: Annotated[SweepRun | None, Meta(description="The newest result of the cell; null where it has none.")]
    before: Annotated[SweepRun | None, Meta(description="Of the release before, of the same trust and run alike.")]
    ratio: Annotated[
        float | None, Meta(description="`latest` divided by `before`, without unit; null where it is unknown.")
    ]
    interval: Annotated[
        Annotated[list[float], Meta(min_length=2, max_length=2)] | None,
        Meta(description="95 % interval of the ratio: two numbers without unit; null where it was not repeated."),
    ]
    interval_basis: Annotated[str | None, Meta(description="repeats; null where there is no interval.")]


class UnplacedResult(Shape):
    """A result that fills no cell of a part."""

    result: ResultId
    label: DistinctLabel | None
    not_said: Annotated[list[str], Meta(description="Facts that this part needs and the result does not state.")]
    other: Annotated[list[str], Meta(description="Axes on which it is something else than the sweep asks for.")]


class SweepUnplaced(Shape):
    axis: AxisName
    results: Annotated[int, Meta(description="Results that fill no cell, because they do not state their place.")]


class SweepPart(Shape):
    title: Annotated[str, Meta(description="Title of the part.")]
    tool: Tool
    quantity: Quantity
    cells: Annotated[list[SweepCell], Meta(description="Cells of the part.")]
    unplaced: Annotated[list[SweepUnplaced], Meta(description="Results that no cell has, by axis.")]
    unplaced_results: Annotated[
        list[UnplacedResult], Meta(description="Results that measured this and fill no cell, and why.")
    ]


class SystemSweepShape(Shape):
    system: Annotated[SystemName, Meta(description="The system.")]
    sweep: Annotated[SweepShape, Meta(description="The sweep that it is compared with.")]
    releases: Annotated[list[str], Meta(description="The last run first; those of which no day is known at the end.")]
    results: Annotated[int, Meta(description="Results of the sweep's benchmarks that were looked at, the newest.")]
    left_out: MoreThere
    cells: Annotated[int, Meta(description="Cells of all parts.")]
    measured: Annotated[int, Meta(description="Cells with a result.")]
    regressed: Annotated[int, Meta(description="Worse than in the release before, beyond the interval.")]
    not_repeated: Annotated[
        int, Meta(description="Cells with an earlier release, where repeats do not show whether anything changed.")
    ]
    parts: Annotated[list[SweepPart], Meta(description="The sweep part by part.")]
