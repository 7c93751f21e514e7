"""Shapes of steps, and what people judged of them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from msgspec import Meta

from registry.query.responses.row_fields import SlugOfSystem
from registry.query.responses.shapes import Shape
from registry.timeseries.responses import SeriesLabel
from registry.web.responses import Page


class StepRow(SeriesLabel):
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
    id: Annotated[int, Meta(description="Number of the step.")]
    system: SlugOfSystem
    found_at: Annotated[datetime, Meta(description="When the step was found.")]
    version: Annotated[int, Meta(description="How often state or note were changed.")]


class StepPage(Page):
    results: Annotated[list[StepRow], Meta(description="Rows of this page.")]


class StepJudgement(Shape):
    at: Annotated[datetime, Meta(description="When it was changed.")]
    by: Annotated[str, Meta(description="Username of who changed it.")]
    from_state: Annotated[str, Meta(description="State of the step before.")]
    state: Annotated[str, Meta(description="State of the step after.")]
    note: Annotated[str, Meta(description="The note that was set; may be empty.")]


class StepWithHistory(StepRow):
    history: Annotated[list[StepJudgement], Meta(description="Newest first.")]
