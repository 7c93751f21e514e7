"""Shapes of the shelf for openapi.json."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from msgspec import Meta

from registry.query.responses.record_rows import Measurement
from registry.query.responses.row_fields import RunParameters, SlugOfInstitution
from registry.query.responses.shapes import Shape
from registry.web.responses import Page


class ShareRow(Shape):
    username: Annotated[str, Meta(description="Name of the account, as it was given.")]
    until: Annotated[datetime, Meta(description="Until when it may see the run.")]


class ShelfRow(Shape):
    id: Annotated[UUID, Meta(description="Id of the run; questions with a scope take it as the id of a result.")]
    submission: Annotated[UUID | None, Meta(description="Id of its submission; null: shared by another institution.")]
    run: Annotated[str, Meta(description="Path of its output in an upload of several runs of which none counts.")]
    name: Annotated[str, Meta(description="The system that was declared, else the file.")]
    institution: SlugOfInstitution
    tool: Annotated[str, Meta(description="The benchmark.")]
    score: Annotated[float | None, Meta(description="Score without unit; null where the benchmark has none.")]
    numbers: Annotated[
        str, Meta(description="In words the leading numbers of a run without a score; empty: it has one.")
    ]
    state: Annotated[str, Meta(description="State of the submission.")]
    received_at: Annotated[datetime, Meta(description="When it was received.")]
    project: Annotated[str, Meta(description="Project of the run; empty: none, or shared by another institution.")]
    labels: Annotated[list[str], Meta(description="Labels of the run; none of a run shared by another institution.")]
    is_own: Annotated[bool, Meta(description="Whether it is of an institution of the account.")]
    shares: Annotated[list[ShareRow], Meta(description="With whom it is shared; members of its institution see it.")]


class ShelfRunDetail(ShelfRow):
    """One run with all that was measured, as a published result has it."""

    system_slug: Annotated[str, Meta(description="Name of its system in addresses of questions with a scope.")]
    client_nodes: Annotated[int | None, Meta(description="Client nodes; null where nothing says how many.")]
    parameters: RunParameters
    measurements: Annotated[list[Measurement], Meta(description="Numbers of the run, each in its canonical unit.")]


class ShelfPage(Page):
    results: Annotated[list[ShelfRow], Meta(description="Rows of this page.")]


class GroupedRuns(Shape):
    runs: Annotated[int, Meta(description="How many runs have the project and labels now.")]
