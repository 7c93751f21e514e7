"""Shapes of comparisons: results, and descriptions of systems, side by side."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from registry.query.responses.row_fields import (
    Code,
    Context,
    DistinctLabel,
    MissingReason,
    PrintedInstitution,
    PrintedSystem,
    PublicId,
    Quantity,
    ReleaseSlug,
    ReleaseTitle,
    SourceAddress,
    SourceText,
    Statistic,
    ToolVersion,
    TrustLabel,
    TrustText,
)
from registry.query.responses.shapes import Shape


class AssumedClass(Shape):
    """A class of numbers of which something is assumed, since the query has `assume=prior` (docs: uncertainty)."""

    name: Annotated[str, Meta(description="Name of the class: bandwidth, metadata, score, mlperf, ...")]
    title: Annotated[str, Meta(description="What the class is, in words.")]
    scale_percent: Annotated[
        float, Meta(description="Scale of the logarithm of one run, in %: its typical distance from the usual value.")
    ]
    degrees: Annotated[int, Meta(description="Degrees of freedom of Student's t; the fewer, the heavier its tails.")]
    sets: Annotated[int, Meta(description="Sets of runs that it is fitted to.")]
    runs: Annotated[int, Meta(description="Runs in these sets, in number.")]
    source: Annotated[str, Meta(description="Where the sets were published, and what they may not be.")]


class Note(Shape):
    code: Code
    message: Annotated[str, Meta(description="What must be known, in a sentence.")]


class ComparedSpread(Shape):
    """How well a number repeats (docs: uncertainty)."""

    deviation_percent: Annotated[
        float | None, Meta(description="Sample deviation of one run, in % of the number; null: not repeated.")
    ]
    runs: Annotated[
        int | None, Meta(description="Repeats that it was measured over, three or more; null: not repeated.")
    ]


class ComparedMeasurement(Shape):
    """Where a score of a result is meant, `op` is its name, and `quantity` and `stat` are empty."""

    op: Annotated[str, Meta(description="Operation, or the name of a score.")]
    quantity: Quantity
    stat: Statistic
    context: Context
    unit: Annotated[str, Meta(description="Canonical unit of all values.")]
    divided: Annotated[bool, Meta(description="By the divisors of `per`; times, shares and counts are not.")]
    values: Annotated[
        list[float | None], Meta(description="The value of each result, in `unit`; null where it has none.")
    ]
    rounding_low: Annotated[
        list[float | None],
        Meta(
            description="Where the printed digits of each value begin, in `unit`; null where it was repeated, divided, "
            "computed, or is only about, above or below so much."
        ),
    ]
    rounding_high: Annotated[list[float | None], Meta(description="Where they end, in `unit`; null as `rounding_low`.")]
    ratios: Annotated[
        list[float | None], Meta(description="To the first result, without unit; null where there is none.")
    ]
    intervals: Annotated[
        list[Annotated[list[float], Meta(min_length=2, max_length=2)] | None],
        Meta(
            description="95 % interval of each ratio, from repeats of both numbers; one that contains 1 is a tie. "
            "Null: not repeated, so it is unknown whether they differ by more than chance. With "
            "`assume=prior` it may be assumed: see `interval_basis`."
        ),
    ]
    interval_basis: Annotated[
        list[str | None],
        Meta(
            description="For each interval `repeats`, or `assumed` where one of both numbers was not repeated; null "
            "where there is none."
        ),
    ]
    spreads: Annotated[list[ComparedSpread], Meta(description="How far the number of each result varied.")]
    printed_units: Annotated[list[str], Meta(description="Unit in its source; empty where it has none.")]
    ratio_qualifiers: Annotated[
        list[str],
        Meta(description="What follows of each ratio: about, below, above; unknown, and no ratio, where nothing does."),
    ]
    qualifiers: Annotated[list[str], Meta(description="about, above or below, as printed; else empty.")]
    differs: Annotated[
        list[str],
        Meta(
            description="Why a number does not mean what the first one does, or a source forbids to compare it: then "
            "it has no ratio. Else empty."
        ),
    ]


class Difference(Shape):
    parameter: Annotated[str, Meta(description="Name of the parameter.")]
    values: Annotated[list[Any], Meta(description="The value of each result: any JSON value, null where it has none.")]


class ConditionOfTwo(Shape):
    name: Annotated[str, Meta(description="Name of a condition: of scale, or of an option of the benchmark.")]
    values: Annotated[list[str | None], Meta(description="Of the first result and of this one; null is not known.")]


class MatchedShape(Shape):
    """Whether a result ran at the scale and with the options of the first one."""

    outcome: Annotated[str, Meta(description="alike, different, or unknown where that is not known.")]
    differs: Annotated[list[ConditionOfTwo], Meta(description="Conditions that are known of both, and differ.")]
    unknown: Annotated[list[ConditionOfTwo], Meta(description="Conditions that are not known of both.")]


class ComparedResult(Shape):
    id: PublicId
    institution: PrintedInstitution
    system: PrintedSystem
    release: ReleaseSlug | None
    release_name: ReleaseTitle | None
    label: DistinctLabel | None
    tool_version: ToolVersion
    trust: TrustText
    trust_label: TrustLabel
    score: Annotated[float | None, Meta(description="No unit.")]
    source: SourceText
    source_address: SourceAddress


class DifferingFact(Shape):
    subject: Annotated[str, Meta(description="Nodes that it is of; empty for the run as a whole.")]
    name: Annotated[str, Meta(description="Name of the fact.")]
    parameter: Annotated[str, Meta(description="Id in parameters/; empty where it is none.")]
    key: Annotated[str, Meta(description="Entry of a parameter that is a map.")]
    values: Annotated[
        list[list[str] | None],
        Meta(description="Distinct values of each, with their units; null where it is not known."),
    ]
    differs_from_default: Annotated[
        list[bool | None], Meta(description="Whether it differs from the default of its release; null: unknown.")
    ]
    defaults: Annotated[list[str], Meta(description="Default of each side, as text; empty where it is not known.")]


class SystemDifference(DifferingFact):
    section: Annotated[str, Meta(description="Section of the description.")]


class DifferenceGroup(Shape):
    group: Annotated[str, Meta(description="Scale, Hardware, BIOS, Tunables, Layout, Network, Benchmark options, ...")]
    differences: Annotated[list[DifferingFact], Meta(description="What differs, one row for each fact.")]


class ComparedDivisor(Shape):
    value: Annotated[
        float | None,
        Meta(description="Number of what `name` names (`watt` in W, `pib` in PiB); null where the record has none."),
    ]
    source: Annotated[str, Meta(description="Where it is from; may be empty.")]
    reason: Annotated[MissingReason | None, Meta(description="Why there is none; null where there is one.")]


class ComparedPer(Shape):
    """What rates and scores are divided by."""

    name: Annotated[str, Meta(description="Name, as `per` of the query.")]
    axis: Annotated[str, Meta(description="Axis that has the divisors.")]
    title: Annotated[str, Meta(description="What it is called in tables.")]
    divisors: Annotated[list[ComparedDivisor], Meta(description="The divisor of each result.")]


class SystemsCompared(Shape):
    """What differs between described systems; what is of one moment is left out."""

    described: Annotated[list[bool], Meta(description="For each side, whether its system is described.")]
    differences: Annotated[list[SystemDifference], Meta(description="What differs, one row for each fact.")]
    equal: Annotated[int, Meta(description="Facts that are the same on all sides.")]
    unknown: Annotated[int, Meta(description="Facts that are known of some only.")]


class ComparisonShape(Shape):
    results: Annotated[list[ComparedResult], Meta(description="The results, in the order of the query.")]
    per: Annotated[ComparedPer | None, Meta(description="What rates and scores are divided by; null: they are not.")]
    comparable: Annotated[bool, Meta(description="Whether ratios are computed; `notes` give the reason if not.")]
    notes: Annotated[list[Note], Meta(description="Reasons against comparing them, and what you must know.")]
    matched: Annotated[
        list[MatchedShape | None],
        Meta(
            description="For each result whether it is matched with the first one; null for the first, and where "
            "nothing is comparable. A ratio of results that are not matched also reflects the load."
        ),
    ]
    measurements: Annotated[list[ComparedMeasurement], Meta(description="Measurements, each in its canonical unit.")]
    assumptions: Annotated[
        list[AssumedClass],
        Meta(description="What `assume=prior` assumed of numbers that were not repeated; else empty."),
    ]
    differences: Annotated[list[Difference], Meta(description="Parameters of the runs that differ.")]
    equal: Annotated[int, Meta(description="Parameters that are the same in all results.")]
    configuration: Annotated[list[DifferenceGroup], Meta(description="What else differed, in groups.")]
    system: Annotated[SystemsCompared, Meta(description="What differs between the described systems.")]
