"""Shapes of the files of the whole record."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from registry.query.responses.record_rows import Measurement, Result
from registry.query.responses.row_fields import Address, RunParameters, WithdrawnAt
from registry.query.responses.shapes import Shape, at_path
from registry.web.responses import Page


class ExportRow(Shape):
    name: Annotated[str, Meta(description="Name of the file.")]
    url: Annotated[Address, Meta(description="Address of the file.")]
    media_type: Annotated[str, Meta(description="Media type of the file.")]


class ExportPage(Page):
    results: Annotated[list[ExportRow], Meta(description="Rows of this page.")]


class ExportedResult(Result):
    """A result in the files of the whole record; measurements and other nested fields are JSON in CSV and Parquet."""

    revises: Annotated[
        str | None,
        Meta(description="Id of the result that it revises; null where it revises none."),
        at_path("revises__public_id"),
    ]
    withdrawn_at: WithdrawnAt | None
    parameters: RunParameters
    repeated_scores: Annotated[
        dict[str, Any], Meta(description="Scores that the archive has several runs of, by name.")
    ]
    measurements: Annotated[list[Measurement], Meta(description="Numbers of the result, each in its canonical unit.")]
