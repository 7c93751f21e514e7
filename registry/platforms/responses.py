"""Shapes of lines of platforms, sizing and ceilings."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from registry.query.responses.record_rows import Gap
from registry.query.responses.row_fields import (
    AxisName,
    CanonicalUnit,
    Context,
    Divisor,
    FactorQualifier,
    MoreThere,
    Operation,
    PlatformSlug,
    PlatformTitle,
    Qualifier,
    Quantity,
    ResultId,
    Statistic,
    Tool,
    TrustLabel,
    TrustText,
    UnknownValues,
)
from registry.query.responses.shapes import Shape
from registry.web.responses import Page


class Factor(Shape):
    name: Annotated[str, Meta(description="What it is.")]
    value: Annotated[float, Meta(description="Its value, in `unit`.")]
    unit: Annotated[str, Meta(description="Unit of the value; may be empty.")]
    source: Annotated[str, Meta(description="The datasheet or document with this value.")]
    estimated: Annotated[bool, Meta(description="Assumed for this use.")]


class Layer(Shape):
    layer: Annotated[str, Meta(description="drives, slots, parity, controllers, network or clients.")]
    words: Annotated[str, Meta(description="The layer in words.")]
    value: Annotated[float, Meta(description="The most that it delivers, in `unit`: the product of the factors.")]
    unit: Annotated[str, Meta(description="Unit of `value`.")]
    percent: Annotated[float, Meta(description="What was measured, in % of it.")]
    observed: Annotated[
        float | None, Meta(description="The highest observed rate, in `unit`; null where no document has one.")
    ]
    percent_of_observed: Annotated[
        float | None, Meta(description="What was measured, in % of `observed`; null where nothing was seen.")
    ]
    estimated: Annotated[bool, Meta(description="Some factor is.")]
    factors: Annotated[list[Factor], Meta(description="What the value is the product of.")]


class Limiting(Shape):
    layer: Annotated[str, Meta(description="drives, slots, parity, controllers, network or clients.")]
    words: Annotated[str, Meta(description="For parity, what it is a share of: drives, less parity.")]
    percent: Annotated[float, Meta(description="What was measured, in % of what the layer can deliver.")]


class Efficiency(Shape):
    """One measurement against the layers that its data crosses, from below. Canonical units."""

    op: Operation
    quantity: Quantity
    stat: Statistic
    context: Context
    value: Annotated[float, Meta(description="What was measured, in `unit`.")]
    unit: CanonicalUnit
    qualifier: Annotated[
        str,
        Meta(description="Qualifier of the value and of every percentage, as in its source: about, below or above."),
    ]
    direction: Annotated[str, Meta(description="read or write.")]
    over: Annotated[str, Meta(description="What the number is of: system, server or drive.")]
    limiting: Annotated[Limiting, Meta(description="The layer that can deliver least.")]
    above: Annotated[list[str], Meta(description="Layers that it is above 100 % of; empty as it should be.")]
    layers: Annotated[list[Layer], Meta(description="Layers that its data crosses.")]


class EfficiencyPage(Page):
    results: Annotated[list[Efficiency], Meta(description="Rows of this page.")]


class PlatformName(Shape):
    slug: PlatformSlug
    name: PlatformTitle


class LineShape(Shape):
    platforms: Annotated[list[PlatformName], Meta(description="Platforms, each before the one that followed it.")]
    url: Annotated[str, Meta(description="Address of the comparison of its generations.")]


class LinePage(Page):
    results: Annotated[list[LineShape], Meta(description="Rows of this page.")]


class StepShape(Shape):
    """The best result of one generation or release. Canonical unit."""

    step: Annotated[str, Meta(description="Name of the generation or release.")]
    value: Annotated[float, Meta(description="The best value, in the canonical unit.")]
    result: ResultId
    printed_unit: Annotated[str, Meta(description="The unit in which its source prints it.")]
    qualifier: Qualifier
    low: Annotated[
        float | None, Meta(description="Least value of the step, canonical unit; null where one of them is a bound.")
    ]
    high: Annotated[
        float | None, Meta(description="Most of the step, canonical unit; null where one of them is a bound.")
    ]
    count: Annotated[int, Meta(description="Values of the step under the conditions of the row.")]
    varies: Annotated[
        dict[str, list[str]],
        Meta(
            description="Facts that differ among the results of the step, with their values; the best of them counts."
        ),
    ]
    x_first: Annotated[
        float | None,
        Meta(description="How many times better than the first platform, without unit; null where it is unknown."),
    ]
    x_before: Annotated[
        float | None, Meta(description="How many times better than the step before, without unit; null of the first.")
    ]
    x_first_qualifier: FactorQualifier
    x_before_qualifier: FactorQualifier


class ChangeShape(Shape):
    before: Annotated[str, Meta(description="Id of the result before.")]
    after: Annotated[str, Meta(description="Id of the result after.")]
    factor: Annotated[float | None, Meta(description="How many times better, without unit; null where it is unknown.")]
    factor_qualifier: FactorQualifier
    cause: Annotated[str | None, Meta(description="hardware, software or tuning, where it alone differs; else null.")]
    may_be: Annotated[list[str], Meta(description="All possible causes, as far as results state them.")]
    differs: Annotated[dict[str, Any], Meta(description="Names of what differs, by kind.")]
    unrecorded: Annotated[list[str], Meta(description="Kinds of which something is not recorded of both.")]


class PossibleShape(Shape):
    may_be: Annotated[list[str], Meta(description="All causes that it may come from.")]
    factor: Annotated[
        float | None,
        Meta(
            description="How many times better, all changes with these causes together, without unit; null where it "
            "is unknown."
        ),
    ]
    factor_qualifier: FactorQualifier


class ConditionShape(Shape):
    name: Annotated[str, Meta(description="Name of the condition: of scale, or of an option of the benchmark.")]
    value: Annotated[str, Meta(description="Its value, the same in all results of the row.")]


class ConditionPair(Shape):
    name: Annotated[str, Meta(description="Name of the condition.")]
    before: Annotated[str | None, Meta(description="Its value in the result before; null where it is not known.")]
    after: Annotated[str | None, Meta(description="Its value in the result after; null where it is not known.")]


class UnmatchedEnd(Shape):
    step: Annotated[str, Meta(description="Name of the generation or release.")]
    result: ResultId
    value: Annotated[float, Meta(description="Its number, in the canonical unit.")]
    qualifier: Qualifier
    printed_unit: Annotated[str, Meta(description="The unit in which its source prints it.")]


class UnmatchedShape(Shape):
    """Two results of neighbouring steps, the nearest to each other, that give no factor."""

    tool: Tool
    op: Operation
    quantity: Quantity
    stat: Statistic
    trust: TrustText
    unit: Annotated[str, Meta(description="Canonical unit of both values.")]
    before: Annotated[UnmatchedEnd, Meta(description="The number of the earlier step.")]
    after: Annotated[UnmatchedEnd, Meta(description="The number of the later step.")]
    differs: Annotated[list[ConditionPair], Meta(description="Conditions that are known of both, and differ.")]
    unknown: Annotated[list[ConditionPair], Meta(description="Conditions that are not known of both.")]
    reasons: Annotated[list[str], Meta(description="Reasons of a source against the comparison.")]


class GainShape(Shape):
    """One number over the steps of a line, measured at one scale and with the same options."""

    tool: Tool
    op: Operation
    quantity: Quantity
    stat: Statistic
    trust: TrustText
    unit: Annotated[str, Meta(description="Canonical unit of the values of the steps.")]
    conditions: Annotated[list[ConditionShape], Meta(description="Scale and options that all its results share.")]
    steps: Annotated[list[StepShape], Meta(description="The best result of each step.")]
    changes: Annotated[list[ChangeShape], Meta(description="Between the best results of neighbouring steps.")]
    chain: Annotated[
        list[ChangeShape],
        Meta(description="From first to last best, one cause at a time; empty where no results allow it."),
    ]
    by_cause: Annotated[dict[str, float], Meta(description="Factors by cause along the chain, which has no bounds.")]
    by_possible: Annotated[
        list[PossibleShape], Meta(description="Factors of the changes by all that they may come from.")
    ]


class AxisShape(Shape):
    name: AxisName
    title: Annotated[str, Meta(description="What it is called in charts and tables.")]


class Generations(Shape):
    platforms: Annotated[list[PlatformName], Meta(description="Platforms, each before the one that followed it.")]
    x: Annotated[AxisShape, Meta(description="What the steps are.")]
    per: Divisor | None
    order: Annotated[list[str], Meta(description="Names of the steps, in order.")]
    results: Annotated[int, Meta(description="Results that were looked at, the newest of the line.")]
    left_out: MoreThere
    gaps: Annotated[list[Gap], Meta(description="Why results have no divisor; they are not divided.")]
    single: Annotated[int, Meta(description="Numbers that only one step has; they are not shown.")]
    rows: Annotated[
        list[GainShape],
        Meta(description="Numbers of the line over its steps, one row for each scale and set of options."),
    ]
    unmatched: Annotated[
        list[UnmatchedShape],
        Meta(description="Numbers of two steps without results of equal scale and options: no factor."),
    ]
    unknown_values: UnknownValues


class UnitsShape(Shape):
    low: Annotated[
        int | None, Meta(description="If every unit does what the best did; of bounds alone, which no fewer reach.")
    ]
    middle: Annotated[int | None, Meta(description="The median; null where there are only bounds.")]
    high: Annotated[
        int | None,
        Meta(description="The least; of bounds alone, which is enough. Of one measurement there is no range."),
    ]
    measurements: Annotated[int, Meta(description="Measured rates that it rests on; bounds are not counted.")]
    qualifier: Annotated[
        str,
        Meta(
            description="above: at least `low`, and not known how many. below: at most `high`. about: of rough rates. "
            "unknown: the measurements are not alike, and only `groups` have numbers."
        ),
    ]


class OneUnit(Shape):
    layer: Annotated[
        str,
        Meta(description="The layer that can deliver least: drives, slots, parity, controllers, network or clients."),
    ]
    words: Annotated[str, Meta(description="The layer in words.")]
    of_one: Annotated[float, Meta(description="What the layer of one enclosure can deliver, in `unit` of the answer.")]
    units: Annotated[int, Meta(description="No fewer reach the rate, whatever is tuned.")]
    estimated: Annotated[bool, Meta(description="Whether some factor is assumed.")]
    drive: Annotated[str, Meta(description="Model of the drives that it is made of; empty where none is known.")]
    drive_assumed: Annotated[
        bool,
        Meta(description="Whether no result names a drive, so that the one that the platform is sold with is taken."),
    ]
    above: Annotated[
        list[str],
        Meta(description="Results that measured more than the ceiling of their drives: what it assumes is doubtful."),
    ]
    factors: Annotated[list[Factor], Meta(description="What it is the product of, in canonical units.")]


class PartingFact(Shape):
    name: AxisName
    values: Annotated[list[str], Meta(description="Its known values among the results of the basis.")]
    unknown: Annotated[int, Meta(description="Results of which it is not known.")]


class GroupFact(Shape):
    name: AxisName
    value: Annotated[str | None, Meta(description="Its value in the group; null where it is not known.")]


class GroupShape(Shape):
    """Results of the basis that are alike in every fact that is known to move the rate."""

    facts: Annotated[
        list[GroupFact], Meta(description="What distinguishes the group from the others; empty for a single one.")
    ]
    units: Annotated[UnitsShape, Meta(description="Enclosures that the rate takes, by the results of the group alone.")]
    results: Annotated[list[str], Meta(description="Ids of its results, best first.")]


class BasisShape(Shape):
    result: ResultId
    op: Annotated[str, Meta(description="Operation of the rate.")]
    trust: TrustText
    trust_label: TrustLabel
    enclosures: Annotated[float, Meta(description="Measured enclosures in number; one target of two is half of one.")]
    of_one: Annotated[float, Meta(description="Rate of one enclosure, in `unit`.")]
    qualifier: Annotated[str, Meta(description="Qualifier of the rate in its source: about, below or above.")]
    rates: Annotated[int, Meta(description="Rates of this direction and kind that the result has; the best counts.")]
    varies: Annotated[
        dict[str, list[str]], Meta(description="In what these rates differ: operation, statistic, parts of contexts.")
    ]
    drive: Annotated[str, Meta(description="Drive of the hardware catalogue that the result names; empty where none.")]
    percent_of_ceiling: Annotated[
        float | None,
        Meta(description="The rate in % of the ceiling of one enclosure with its drive, with `qualifier`."),
    ]
    above_ceiling: Annotated[bool, Meta(description="Whether it is above that: what the ceiling assumes is doubtful.")]
    source: Annotated[str, Meta(description="Source of the result; may be empty.")]


class SizingShape(Shape):
    platform: PlatformSlug
    direction: Annotated[str, Meta(description="read or write.")]
    kind: Annotated[str, Meta(description="bandwidth or iops (of 4 KiB).")]
    target: Annotated[float, Meta(description="The rate to reach, in `unit`.")]
    unit: Annotated[str, Meta(description="Of the target and of every of_one.")]
    units: Annotated[
        UnitsShape, Meta(description="Enclosures that the rate takes; null where the basis is of several groups.")
    ]
    varies: Annotated[list[PartingFact], Meta(description="Facts that move the rate and part the basis into groups.")]
    groups: Annotated[list[GroupShape], Meta(description="Like measurements, each with its own number of enclosures.")]
    ceiling: Annotated[OneUnit | None, Meta(description="Of the parts of one; null where they are not known.")]
    basis: Annotated[list[BasisShape], Meta(description="What one enclosure delivered, best first.")]
