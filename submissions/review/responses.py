"""Shapes of decisions, and what reviewers send."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from registry import models as registry_models
from registry.query.row_fields import DecidedAt, DecidedBy, ReviewerName, SizeInBytes, SubmissionId
from registry.query.shapes import Shape
from registry.web.responses import Page
from submissions import models
from submissions.checks.responses import Finding
from submissions.lifecycle.responses import Receipt


class ReviewRow(Shape):
    decision: Annotated[models.Review.Decision, Meta(description="The decision of the reviewer.")]
    reproducibility: Annotated[
        registry_models.Result.Reproducibility, Meta(description="The level that the reviewer awarded.")
    ]
    production: Annotated[bool, Meta(description="Whether the reviewer found the system in production.")]
    reason: Annotated[str, Meta(description="The reason, in words.")]
    findings: Annotated[list[dict[str, str]], Meta(description="What the reason is about: code, message, where.")]
    reviewer: ReviewerName
    made_at: DecidedAt


class ReviewResponse(Receipt):
    decision: Annotated[models.Review.Decision, Meta(description="The decision of the reviewer.")]
    reproducibility: Annotated[
        registry_models.Result.Reproducibility, Meta(description="The level that the reviewer awarded.")
    ]
    production: Annotated[bool, Meta(description="Whether the reviewer found the system in production.")]
    reason: Annotated[str, Meta(description="The reason, in words.")]
    findings: Annotated[list[dict[str, str]], Meta(description="What the reason is about: code, message, where.")]
    reviewer: ReviewerName
    made_at: DecidedAt
    excluded: Annotated[dict[str, Any], Meta(description="By list, code and reason why the run could not rank there.")]


class DeadlineExceptionResponse(Shape):
    """The decision that stands: the first one about this submission and release."""

    release: Annotated[str, Meta(description="Slug of the release that it may come to.", max_length=40)]
    reason: Annotated[str, Meta(description="Why it may come late.", max_length=2000)]
    id: SubmissionId
    decided_by: DecidedBy
    decided_at: DecidedAt


class Assigned(Receipt):
    assigned: Annotated[list[str], Meta(description="Usernames of the reviewers who are to decide.")]


class JudgementRow(Shape):
    outcome: Annotated[models.Judgement.Outcome, Meta(description="What the reviewer judged.")]
    note: Annotated[str, Meta(description="Why it was judged so.")]
    reviewer: ReviewerName
    made_at: Annotated[datetime, Meta(description="When it was judged.")]


class RubricRow(Shape):
    rule: Annotated[str, Meta(description="Code of the rule.")]
    text: Annotated[str, Meta(description="The rule in words.")]
    outcome: Annotated[str, Meta(description="Of the check: satisfied, violated, needs_human or not_evaluated.")]
    why: Annotated[str, Meta(description="Why the check decided so; may be empty.")]
    settled: Annotated[bool, Meta(description="By the check, or by a reviewer.")]
    findings: Annotated[list[Finding], Meta(description="Findings that bear on the rule.")]
    judgement: Annotated[JudgementRow | None, Meta(description="The latest word of a reviewer.")]


class Rubric(Shape):
    settled: Annotated[int, Meta(description="Rules that are settled.")]
    of: Annotated[int, Meta(description="Rules in all.")]
    rules: Annotated[list[RubricRow], Meta(description="All rules of the run that counts.")]


class CommentRow(Shape):
    id: Annotated[int, Meta(description="Number of the comment.")]
    at: Annotated[datetime, Meta(description="When it was written.")]
    author: Annotated[str, Meta(description="Username of who wrote it.")]
    audience: Annotated[models.Comment.Audience, Meta(description="Who reads it.")]
    answers: Annotated[int | None, Meta(description="Id of the comment that it answers.")]
    finding: Annotated[str, Meta(description="Code of the finding or rule that it is about; may be empty.")]
    text: Annotated[str, Meta(description="The comment.")]


class CommentPage(Page):
    results: Annotated[list[CommentRow], Meta(description="Rows of this page.")]


class ReceivedFile(Shape):
    path: Annotated[str, Meta(description="Path in the archive.")]
    size: SizeInBytes


class ReceivedLine(Shape):
    number: Annotated[int, Meta(description="Number of the line, from 1.")]
    text: Annotated[str, Meta(description="The line, without its end.")]
    cut: Annotated[bool, Meta(description="The line is longer than shown.")]
    findings: Annotated[list[str], Meta(description="Codes of findings on this line.")]


class ReceivedPage(Shape, kw_only=True):
    files: Annotated[list[ReceivedFile] | UnsetType, Meta(description="Without `path`.")] = UNSET
    path: Annotated[str | UnsetType, Meta(description="Path of the file in the archive.")] = UNSET
    size: Annotated[int | UnsetType, Meta(description="Bytes of the file.")] = UNSET
    lines: Annotated[list[ReceivedLine] | UnsetType, Meta(description="Lines of the file, in order.")] = UNSET
    following: Annotated[int | UnsetType | None, Meta(description="Number of the line after these.")] = UNSET
