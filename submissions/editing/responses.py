"""Shapes of files and versions, and what changes of them send."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from registry.query.responses.row_fields import SizeInBytes, VersionNumber
from registry.query.responses.shapes import Shape, one_of
from registry.results.responses import Change
from registry.web.responses import Page
from submissions.checks.responses import Finding


class File(Shape):
    name: Annotated[str, Meta(description="Name of the file in the submission.")]
    sha256: Annotated[str, Meta(description="sha256 of the file, 64 hexadecimal digits.")]
    size: SizeInBytes


class VersionRow(Shape):
    version: VersionNumber
    since: Annotated[datetime, Meta(description="When it became the current version.")]
    by: Annotated[str, Meta(description="Username of who made it.")]
    files: Annotated[list[File], Meta(description="Files of the version.")]
    check: Annotated[dict[str, Any] | None, Meta(description="status, errors, warnings; null before it was checked.")]


class VersionPage(Page):
    results: Annotated[list[VersionRow], Meta(description="Rows of this page.")]


class VersionDifference(Shape, rename={"from_": "from"}):
    from_: Annotated[int, Meta(description="Number of the earlier version.")]
    to: Annotated[int, Meta(description="Number of the later version.")]
    files: Annotated[list[Change], Meta(description="Files that changed.")]
    scores: Annotated[list[Change], Meta(description="Scores that changed; they have no unit.")]
    measurements: Annotated[list[Change], Meta(description="Printed values with their units.")]
    findings_gone: Annotated[list[Finding], Meta(description="Findings that the later version does not have.")]
    findings_new: Annotated[list[Finding], Meta(description="Findings that the earlier version does not have.")]


class Files(Shape):
    received: Annotated[dict[str, Any], Meta(description="The bundle.")]
    files: Annotated[list[File], Meta(description="Of the current version, the bundle first.")]
    version: Annotated[int, Meta(description="Number of the current version, from 1.")]
    derivative: Annotated[
        dict[str, Any] | None,
        Meta(
            description="The scrubbed copy: sha256, size in bytes, files, and a report of what was scrubbed; null "
            "until it is made."
        ),
    ]


class RecipeAnswer(Shape):
    """What the recipe of the run says to a question."""

    is_answered: Annotated[bool, Meta(description="Whether the recipe answers it, so that nobody has to.")]
    value: Annotated[Any, Meta(description="The answer of the recipe; null where it gives none.")]
    why_not: Annotated[
        str,
        Meta(
            description="Why the recipe gives no answer; empty where it gives one.",
            examples=["The recipe lacks: Client nodes."],
        ),
    ]
    evidence: Annotated[
        list[dict[str, Any]],
        Meta(description="Parts of the recipe: label, text, where (file and line, or a fact), source."),
    ]
    contradicted: Annotated[bool, Meta(description="Whether a person answered otherwise; that answer counts.")]


class AnswerRow(Shape):
    question: Annotated[str, Meta(description="Id of the question.")]
    of: Annotated[str | None, Meta(description="The question that it is a part of.")]
    text: Annotated[str, Meta(description="The question, as people read it.")]
    kind: Annotated[
        str, one_of("text", "choice", "yes_no", "number"), Meta(description="What kind of answer it takes.")
    ]
    value: Annotated[Any, Meta(description="The answer that counts; null where there is none.")]
    source: Annotated[
        str | None, one_of("collected", "benchmark", "submitter"), Meta(description="Who gave the value.")
    ]
    evidence: Annotated[list[dict[str, Any]], Meta(description="Facts on the question: label, text, where, source.")]
    lacking: Annotated[str, Meta(description="Why the answer does not do; empty for one that does.")]
    recipe: Annotated[RecipeAnswer | None, Meta(description="What the recipe of the run says to it; null: nothing.")]


class Answers(Shape):
    questionnaire: Annotated[str, Meta(description="Name and version, see questionnaires/.")]
    answers: Annotated[dict[str, Any], Meta(description="As they were sent.")]
    questions: Annotated[list[AnswerRow], Meta(description="Questions, in order, with the answers that count.")]
    lists: Annotated[
        dict[str, Any],
        Meta(description="By list: whether it asks for answers, whether it has all of them, which are missing."),
    ]
    contradictions: Annotated[list[Finding], Meta(description="Findings on answers that contradict facts.")]
    proposal: Annotated[
        dict[str, Any],
        Meta(description="The level of reproducibility that facts and answers propose: points, items, evidence."),
    ]
    supported: Annotated[
        dict[str, Any],
        Meta(description="The level that facts alone support, without what people wrote: as `proposal`."),
    ]
    answered_by_recipe: Annotated[list[str], Meta(description="Questions that the recipe answers.")]
