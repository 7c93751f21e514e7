"""Shapes of findings and reports, and what a check is asked for."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from registry.query.responses.row_fields import Code, Sentence
from registry.query.responses.shapes import Shape, one_of
from registry.web.responses import Page


class Finding(Shape, kw_only=True):
    code: Code
    level: Annotated[
        str, one_of("error", "warning", "info"), Meta(description="How grave it is: error, warning or info.")
    ]
    message: Sentence
    hint: Annotated[str, Meta(description="What to do about it.")]
    where: Annotated[str, Meta(description="File and line; empty for the whole.")]
    expected: Annotated[str, Meta(description="What the rule expects; empty where the finding compares nothing.")]
    actual: Annotated[str, Meta(description="The value in the file; empty where the finding compares nothing.")]
    run: Annotated[int | UnsetType, Meta(description="Index of its run, where no run counts yet.")] = UNSET


class FindingPage(Page):
    results: Annotated[list[Finding], Meta(description="Rows of this page.")]


class Report(Shape):
    status: Annotated[str, Meta(description="valid, invalid or unreadable.")]
    primary: Annotated[int | None, Meta(description="Index of the run that counts, from 0; null: none is chosen.")]
    findings: Annotated[list[Finding], Meta(description="Findings on the archive as a whole.")]
    runs: Annotated[list[dict[str, Any]], Meta(description="Runs in the archive, as docs/check.md describes them.")]
