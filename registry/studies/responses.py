"""Shapes of studies and rankings."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from registry.comparison.responses import AssumedClass
from registry.query.responses.record_rows import Gap
from registry.query.responses.row_fields import (
    AsOf,
    AxisName,
    Candidates,
    ColumnNames,
    Divisor,
    FactTitle,
    Question,
    ResultId,
    Sentence,
    TrustText,
    UnknownValues,
)
from registry.query.responses.shapes import Shape
from registry.web.responses import Page

PlaceInDocument = Annotated[str, Meta(description="Table, figure, slide or section of the document.")]
StudyKind = Annotated[
    str, Meta(description="question; figures: a table, some of it computed; saved: a question that somebody saved.")
]


class StudyAxis(Shape):
    name: AxisName
    title: Annotated[str, Meta(description="What it is called in charts and tables.")]
    unit: Annotated[str, Meta(description="Of its values; empty where they have none.")]


class MissingFact(Shape):
    name: AxisName
    title: FactTitle
    results: Annotated[int, Meta(description="Candidates that do not state it.")]


MissingFacts = Annotated[
    list[MissingFact],
    Meta(description="Facts that a condition, the divisor or the formula needs, and some candidates do not state."),
]


class CodedNote(Shape):
    code: Annotated[
        str,
        Meta(
            description="study.mixed-quantities: a reported name means several; nothing is drawn. study.unlike: points "
            "hold measurements that differ in what moves the number, and have no value. study.unbalanced: points "
            "differ in it. study.sampled: of very many measurements some were looked at. "
            "study.formula-input-missing: results that lack an input of the formula have no value."
        ),
    ]
    message: Sentence


FactName = Annotated[str, Meta(description="Name of the fact, as of an axis; context.NAME of a measurement's own.")]
Count = Annotated[int, Meta(description="Measurements, in number.")]
RowNumber = Annotated[int, Meta(description="Number of the row, from 0.")]
AxisValue = Annotated[Any, Meta(description="Place of the row on the axis: a number, a text or null.")]
RatioQualifier = Annotated[
    str | None, Meta(description="Where bounds go into the ratio: about, below, above or unknown; else null.")
]


class FactValue(Shape):
    value: Annotated[str, Meta(description="A known value of the fact, as text.")]
    count: Count


class RowMix(Shape):
    row: RowNumber
    values: Annotated[list[FactValue], Meta(description="Known values, most frequent first, at most five.")]
    unknown: Annotated[int, Meta(description="Measurements of which the fact is not known.")]


class UnbalancedFact(Shape):
    fact: FactName
    title: FactTitle
    values: Annotated[list[FactValue], Meta(description="Its values over these rows, at most five.")]
    distinct: Annotated[int, Meta(description="Different values in all.")]
    rows: Annotated[list[RowMix], Meta(description="What each row has of it, at most 24 rows.")]
    rows_left_out: Annotated[int, Meta(description="Rows beyond these.")]


class UnknownFact(Shape):
    fact: FactName
    title: FactTitle
    measurements: Annotated[int, Meta(description="Measurements of which it is not known.")]
    rows: Annotated[int, Meta(description="Rows that have such measurements, in number.")]


class NearestFact(Shape):
    fact: FactName
    title: FactTitle
    first: Annotated[str | None, Meta(description="Value of the first row's result; null: not known.")]
    other: Annotated[str | None, Meta(description="Value of the other row's result; null: not known.")]


class OtherFact(Shape):
    fact: FactName
    title: FactTitle
    first: Annotated[list[str], Meta(description="Values on the side of the first row.")]
    other: Annotated[list[str], Meta(description="Values on the side of the other row.")]


class MatchedStratum(Shape):
    equal: Annotated[dict[str, str], Meta(description="Facts that move the metric, known and equal on both sides.")]
    unknown: Annotated[list[str], Meta(description="Facts that move the metric and are known on neither side.")]
    values: Annotated[list[float | None], Meta(description="Medians of the first and the other row, in the unit.")]
    qualifiers: Annotated[list[str | None], Meta(description="Qualifiers in their sources: about, below, above.")]
    ratio: Annotated[
        float | None, Meta(description="The second of these by the first, without unit; null: there is none.")
    ]
    qualifier: RatioQualifier
    results: Annotated[list[list[str]], Meta(description="Ids of the results of the first row, and of the other.")]
    differs: Annotated[
        list[OtherFact], Meta(description="Other facts that differ and are not known to move the metric.")
    ]


class ForbiddenResult(Shape):
    result: ResultId
    reasons: Annotated[list[str], Meta(description="Reasons of its source against comparing the number.")]


class MatchedRows(Shape):
    axis: Annotated[str, Meta(description="The one axis in which the two rows differ.")]
    first: AxisValue
    other: AxisValue
    at: Annotated[dict[str, Any], Meta(description="Place of both on the other axes.")]
    trust: TrustText
    rows: Annotated[list[int], Meta(description="Numbers of the two rows, from 0.")]
    ratio: Annotated[
        float | None,
        Meta(
            description="Other by first: geometric mean over strata that are alike in all else that is known to move "
            "the metric. It has no unit; null without strata."
        ),
    ]
    qualifier: RatioQualifier
    n_strata: Annotated[int, Meta(description="Strata, in number.")]
    strata: Annotated[list[MatchedStratum], Meta(description="At most 20 of them.")]
    unmatched: Annotated[list[int], Meta(description="Results of both rows that are in no stratum, in number.")]
    not_comparable: Annotated[
        list[ForbiddenResult],
        Meta(description="Results of both rows that may not be compared; no stratum has them."),
    ]
    nearest: Annotated[list[NearestFact], Meta(description="Without strata: what keeps the two nearest results apart.")]


class StudySplit(Shape):
    fact: FactName
    title: FactTitle
    question: Question


class StudyShape(Shape):
    title: Annotated[str, Meta(description="Title of the study.")]
    axes: Annotated[
        list[StudyAxis], Meta(description="First columns of the rows: x, series, and what else distinguishes them.")
    ]
    unit: Annotated[str, Meta(description="Of all figures; empty: no unit.")]
    points: Annotated[int, Meta(description="Points of the study, in number.")]
    missing: Annotated[int, Meta(description="Points without a value or without a place on the x axis.")]
    columns: ColumnNames
    rows: Annotated[
        list[dict[str, Any]],
        Meta(
            description="Of a single measurement `interval_low`, `interval_high`, `interval_basis` (repeats, or "
            "assumed where the question has `assume=prior`) and `interval_runs` (three or more, null where it is "
            "assumed); all null where it was not repeated, for which CSV says `not repeated`. Then `rounding_low` "
            "and `rounding_high` are what its printed digits leave open, or null. `n` is how many results "
            "it is of. `value_basis`: measurement; median (of results alike in all "
            "that is known to move the metric); median-unknown (some of that is not known); unlike (they differ in it: "
            "value, q1 and q3 are null). `varies`: facts with several known values inside the row, with `fact`, "
            "`title`, `values` (each with its count), `distinct`, `unknown`, and `moves` where it moves the metric; "
            "`varies_text` is the same in a line, which files have."
        ),
    ]
    unbalanced: Annotated[
        list[UnbalancedFact],
        Meta(description="Facts that move the metric and whose mix differs between rows; no bar is drawn then."),
    ]
    unknown: Annotated[
        list[UnknownFact], Meta(description="Facts that move the metric and are not known of all measurements.")
    ]
    matched: Annotated[
        list[MatchedRows], Meta(description="Ratios of rows that differ in one axis; at most 60, empty of a sample.")
    ]
    splits: Annotated[
        list[StudySplit], Meta(description="The question with one more series, for each fact that varies or differs.")
    ]
    examined: Annotated[int, Meta(description="Measurements whose facts were read; of very many an even sample.")]
    chart: Annotated[dict[str, Any] | None, Meta(description="Vega-Lite 6; null where nothing can be drawn.")]
    coded_notes: Annotated[list[CodedNote], Meta(description="What keeps the rows from being compared.")]
    unknown_values: UnknownValues
    question: Question
    metrics: Annotated[list[str], Meta(description="Metrics, as OP.QUANTITY.STAT.")]
    x: Annotated[str, Meta(description="Name of the axis along which points lie.")]
    series: Annotated[list[str], Meta(description="Facts that divide the points into series.")]
    per: Divisor | None
    as_of: AsOf | None
    assumptions: Annotated[
        list[AssumedClass], Meta(description="What `assume=prior` assumed in these rows; else empty.")
    ]
    trust: Annotated[dict[str, int], Meta(description="Measurements by level of trust.")]
    gaps: Annotated[list[Gap], Meta(description="Why numbers have no divisor or no place on an axis.")]
    candidates: Candidates
    missing_facts: MissingFacts


class StudySummary(Shape):
    slug: Annotated[str, Meta(description="Name of the study in addresses.")]
    title: Annotated[str, Meta(description="Title of the study.")]
    place: PlaceInDocument
    kind: StudyKind
    document: Annotated[str, Meta(description="Title of the document that has the figure; empty for a saved study.")]


class StudyListed(StudySummary):
    url: Annotated[str, Meta(description="Address of the study in this API.")]


class StudyPage(Page):
    results: Annotated[list[StudyListed], Meta(description="Rows of this page.")]


class CuratedStudy(StudyShape):
    slug: Annotated[str, Meta(description="Name of the study in addresses.")]
    place: PlaceInDocument
    kind: StudyKind
    document: Annotated[str, Meta(description="Title of the document that has the figure; empty for a saved study.")]
    notes: Annotated[list[str], Meta(description="What a reader must know of the study, one sentence each.")]
    finding: Annotated[str, Meta(description="What the study finds, in words.")]


class MetricRow(Shape):
    metric: Annotated[str, Meta(description="OP.QUANTITY.STAT, or the name of a column of results.")]
    title: Annotated[str, Meta(description="What people call it.", examples=["IOR easy write bandwidth"])]
    tools: Annotated[list[str], Meta(description="Benchmarks that measure it, by name.", examples=[["io500"]])]
    unit: Annotated[str, Meta(description="Unit in which most results print it; empty where it has none.")]
    group: Annotated[
        str,
        Meta(
            description="The quantity in words, to group by; empty where tools mean several things by its name.",
            examples=["bandwidth"],
        ),
    ]
    results: Annotated[int, Meta(description="Results on record that have it, withdrawn and revised ones too.")]


class MetricPage(Page):
    results: Annotated[list[MetricRow], Meta(description="Rows of this page.")]


class AxisRow(StudyAxis):
    """An axis that questions may go along: its `name` stands in `x` and `series` of study/."""

    reads: Annotated[list[str], Meta(description="Facts it is read from; the first counts.")]
    alias_of: Annotated[str | None, Meta(description="The axis with a title that means the same; null: none.")]


class AxisPage(Page):
    results: Annotated[list[AxisRow], Meta(description="Rows of this page.")]


class RankingInput(Shape):
    name: Annotated[str, Meta(description="Name, as in the formula.")]
    kind: Annotated[str, Meta(description="metric, column (of results) or fact (an axis of studies).")]
    unit: Annotated[str, Meta(description="Of its column in.NAME; empty where it has none.")]


class RankingCount(Shape):
    ranked: Annotated[int, Meta(description="Results that have a rank.")]
    missing: Annotated[int, Meta(description="Measured, but without some other number of the formula.")]


class FactCount(Shape):
    value: Annotated[str, Meta(description="One value of the fact.")]
    count: Annotated[int, Meta(description="Rows that have it.")]


class RankingVariation(Shape):
    name: AxisName
    values: Annotated[list[FactCount], Meta(description="Its known values, the most frequent first.")]
    more: Annotated[int, Meta(description="Further values in number.")]
    unknown: Annotated[int, Meta(description="Rows of which it is not known.")]


class RankingUnknown(Shape):
    name: AxisName
    unknown: Annotated[int, Meta(description="Rows of which it is not known; all others have the same value.")]


class RankingGroup(Shape):
    """Results of one trust and one meaning, with ranks of their own from 1."""

    trust: TrustText
    tool: Annotated[str, Meta(description="Benchmark; empty where the formula has facts alone.")]
    mode: Annotated[str, Meta(description="Mode of the benchmark; empty: standard, or not stated.")]
    division: Annotated[str, Meta(description="Division of the benchmark; empty where it has none or it is not known.")]
    ranked: Annotated[int, Meta(description="Results that have a rank.")]
    missing: Annotated[int, Meta(description="Measured, but without some other number of the formula.")]
    varies: Annotated[
        list[RankingVariation], Meta(description="Facts that move the numbers and differ among the rows of the answer.")
    ]
    unknown: Annotated[
        list[RankingUnknown], Meta(description="Facts that move the numbers and are not known of all rows.")
    ]


class RankingShape(Shape):
    title: Annotated[str, Meta(description="Title of the ranking.")]
    official: Annotated[bool, Meta(description="Always false.")]
    formula: Annotated[str, Meta(description="The formula, with one blank between its parts.")]
    unit: Annotated[str, Meta(description="Of all values; empty: no unit.")]
    per: Divisor | None
    order: Annotated[str, Meta(description="most or least first.")]
    as_of: AsOf | None
    question: Question
    inputs: Annotated[list[RankingInput], Meta(description="Metrics, columns and facts that the formula names.")]
    counts: Annotated[dict[str, RankingCount], Meta(description="By level of trust, all groups together.")]
    groups: Annotated[list[RankingGroup], Meta(description="What has ranks of its own; `group` of a row is its place.")]
    not_comparable: Annotated[
        list[ForbiddenResult],
        Meta(
            description="Results without a rank: their source forbids to compare the number, or a part of it was read."
        ),
    ]
    candidates: Candidates
    missing_facts: MissingFacts
    columns: ColumnNames
    rows: Annotated[list[dict[str, Any]], Meta(description="By group, then rank: each has ranks of its own.")]
    unknown_values: UnknownValues


class SavedRanking(RankingShape):
    slug: Annotated[str, Meta(description="Name of the ranking in addresses.")]
    place: PlaceInDocument
    kind: StudyKind
    document: Annotated[str, Meta(description="Title of the document that has it; empty for a saved one.")]
