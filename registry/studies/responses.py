"""Shapes of studies and rankings."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from registry.query.row_fields import AsOf, AxisName, ColumnNames, Divisor, Question
from registry.query.shapes import Shape
from registry.web.responses import Page

PlaceInDocument = Annotated[str, Meta(description="Table, figure, slide or section of the document.")]
StudyKind = Annotated[
    str, Meta(description="question; figures: a table, some of it computed; saved: a question that somebody saved.")
]


class StudyAxis(Shape):
    name: AxisName
    title: Annotated[str, Meta(description="What it is called in charts and tables.")]
    unit: Annotated[str, Meta(description="Of its values; empty where they have none.")]


class CodedNote(Shape):
    code: Annotated[str, Meta(description="study.mixed-quantities: a reported name means several; nothing is drawn.")]
    message: Annotated[str, Meta(description="What it says, in a sentence.")]


class StudyShape(Shape):
    title: Annotated[str, Meta(description="Title of the study.")]
    axes: Annotated[
        list[StudyAxis], Meta(description="What rows begin with: x, series, and what else tells them apart.")
    ]
    unit: Annotated[str, Meta(description="Of all figures; empty: no unit.")]
    points: Annotated[int, Meta(description="Points of the study, in number.")]
    missing: Annotated[int, Meta(description="Points without a value or without a place on the x axis.")]
    columns: ColumnNames
    rows: Annotated[
        list[dict[str, Any]],
        Meta(
            description="Of a single measurement `interval_low`, `interval_high`, `interval_basis` (repeats) and "
            "`interval_runs` (three or more); all null where it was not repeated, for which CSV says `not "
            "repeated`."
        ),
    ]
    chart: Annotated[dict[str, Any] | None, Meta(description="Vega-Lite 6; null where nothing can be drawn.")]
    coded_notes: Annotated[list[CodedNote], Meta(description="What keeps the rows from being compared.")]
    question: Question
    metrics: Annotated[list[str], Meta(description="Metrics, as OP.QUANTITY.STAT.")]
    x: Annotated[str, Meta(description="Name of the axis along which points lie.")]
    series: Annotated[list[str], Meta(description="Facts that divide the points into series.")]
    per: Divisor | None
    as_of: AsOf | None
    trust: Annotated[dict[str, int], Meta(description="Measurements by level of trust.")]


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


class MetricPage(Page):
    results: Annotated[list[MetricRow], Meta(description="Rows of this page.")]


class AxisRow(StudyAxis):
    """An axis that questions may go along: its `name` stands in `x` and `series` of study/."""

    reads: Annotated[list[str], Meta(description="Facts it is read from; the first counts.")]


class AxisPage(Page):
    results: Annotated[list[AxisRow], Meta(description="Rows of this page.")]


class RankingInput(Shape):
    name: Annotated[str, Meta(description="Name, as it stands in the formula.")]
    kind: Annotated[str, Meta(description="metric, column (of results) or fact (an axis of studies).")]
    unit: Annotated[str, Meta(description="Of its column in.NAME; empty where it has none.")]


class RankingCount(Shape):
    ranked: Annotated[int, Meta(description="Results that have a rank.")]
    missing: Annotated[int, Meta(description="Measured, but without some other number of the formula.")]


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
    counts: Annotated[dict[str, RankingCount], Meta(description="By level of trust.")]
    columns: ColumnNames
    rows: Annotated[list[dict[str, Any]], Meta(description="By trust, then rank: each level has ranks of its own.")]


class SavedRanking(RankingShape):
    slug: Annotated[str, Meta(description="Name of the ranking in addresses.")]
    place: PlaceInDocument
    kind: StudyKind
    document: Annotated[str, Meta(description="Title of the document that has it; empty for a saved one.")]
