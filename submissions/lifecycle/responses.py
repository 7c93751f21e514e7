"""Shapes of states, history and short answers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from registry.query.responses.row_fields import Address, SubmissionId
from registry.query.responses.shapes import Shape
from registry.web.responses import Page
from submissions import models

SubmissionState = Annotated[models.State, Meta(description="State of the submission.")]


class Receipt(Shape):
    id: SubmissionId
    state: SubmissionState
    url: Annotated[Address, Meta(description="The page of the submission.")]
    sha256: Annotated[str, Meta(description="sha256 of the bytes as received; empty for a draft.")]


class HistoryRow(Shape):
    at: Annotated[datetime, Meta(description="When it was changed.")]
    actor: Annotated[str | None, Meta(description="Null: the registry itself.")]
    from_state: Annotated[str | None, Meta(description="State of the submission before; null for the first.")]
    to_state: Annotated[str, Meta(description="State of the submission after.")]
    reason: Annotated[str, Meta(description="Why; may be empty.")]


class HistoryPage(Page):
    results: Annotated[list[HistoryRow], Meta(description="Rows of this page.")]
