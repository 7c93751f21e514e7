"""Shapes of decisions, and what reviewers send."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from registry import models as registry_models
from registry.query.responses.row_fields import (
    DecidedAt,
    DecidedBy,
    ReleaseSlug,
    ReviewerName,
    SizeInBytes,
    SubmissionId,
)
from registry.query.responses.shapes import Shape, one_of
from registry.web.responses import Page
from submissions import models
from submissions.checks.responses import Finding
from submissions.lifecycle.responses import Receipt, SubmissionState


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
    settled: Annotated[
        bool, Meta(description="By the check, by a reviewer, or as a rule of lists that the run was not submitted for.")
    ]
    findings: Annotated[list[Finding], Meta(description="Findings that bear on the rule.")]
    judgement: Annotated[JudgementRow | None, Meta(description="The latest word of a reviewer.")]


class Rubric(Shape):
    settled: Annotated[int, Meta(description="Rules that are settled.")]
    of: Annotated[int, Meta(description="Rules in all.")]
    rules: Annotated[list[RubricRow], Meta(description="All rules of the run that counts.")]


class DispositionRow(Shape):
    kind: Annotated[models.Disposition.Kind, Meta(description="What becomes of the findings of the code.")]
    reason: Annotated[str, Meta(description="Why, in words.")]
    covers: Annotated[
        list[str],
        Meta(description="What was said under the code then.", examples=[["result.txt: no line of that name"]]),
    ]
    reviewer: ReviewerName
    made_at: Annotated[datetime, Meta(description="When it was decided.")]


class PointRow(Shape):
    """What the latest check says under one code."""

    code: Annotated[str, Meta(description="Code of the finding or rule.")]
    level: Annotated[
        str,
        one_of("error", "rule", "warning", "question"),
        Meta(
            description="Level of the findings; rule: a rule that is violated or waits for a person; question: what "
            "other submitters asked and nobody answered, among the open points of a release alone."
        ),
    ]
    messages: Annotated[
        list[str],
        Meta(
            description="What is said, with file and line where they are known.",
            examples=[["result.txt: no line of that name"]],
        ),
    ]
    open: Annotated[bool, Meta(description="True: no disposition covers all that is said now.")]
    disposition: Annotated[DispositionRow | None, Meta(description="The disposition that covers it; null: none.")]


class PointList(Shape):
    open: Annotated[int, Meta(description="Points that are open.")]
    of: Annotated[int, Meta(description="Points in all.")]
    points: Annotated[list[PointRow], Meta(description="All points, open ones first.")]


class OpenSubmission(Shape):
    id: SubmissionId
    name: Annotated[str, Meta(description="How pages call the run.")]
    state: SubmissionState
    institution: Annotated[str, Meta(description="Name of the institution; empty: none is set.")]
    points: Annotated[list[PointRow], Meta(description="The points that are open.")]


class ReleasePoints(Shape):
    """What is open of a release before it is published."""

    release: ReleaseSlug
    open: Annotated[int, Meta(description="Open points in all.")]
    closed_to_account: Annotated[int, Meta(description="Submissions that the account may not review; none is listed.")]
    submissions: Annotated[list[OpenSubmission], Meta(description="Submissions that wait, the oldest first.")]


class QuestionRow(Shape):
    id: Annotated[int, Meta(description="Number of the question.")]
    submission: SubmissionId
    asker: Annotated[str, Meta(description="Username of who asks.")]
    asked_at: Annotated[datetime, Meta(description="When it was asked.")]
    text: Annotated[str, Meta(description="The question.")]
    answer: Annotated[str, Meta(description="The answer; empty: there is none yet.")]
    answered_by: Annotated[str, Meta(description="Username of who answered; empty: nobody did yet.")]
    answered_at: Annotated[datetime | None, Meta(description="When it was answered; null: it was not yet.")]


class QuestionList(Shape):
    """What other submitters of the release asked about a run."""

    open: Annotated[bool, Meta(description="True: other submitters of its release may ask about it now.")]
    questions: Annotated[list[QuestionRow], Meta(description="The questions, the oldest first.")]


class OpenRun(Shape):
    """What a consent to questions shows of a run, and all that it shows."""

    id: SubmissionId
    institution: Annotated[str, Meta(description="Name of the institution; empty: none is set.")]
    system: Annotated[str, Meta(description="Name of the system as it was declared; empty: none.")]
    lists: Annotated[list[str], Meta(description="Lists that it asks for.")]


class ReleaseQuestions(Shape):
    """About which runs of others a submitter of a release may ask, and what its institutions asked."""

    release: ReleaseSlug
    runs: Annotated[list[OpenRun], Meta(description="Runs of others that are open to questions.")]
    questions: Annotated[list[QuestionRow], Meta(description="What was asked, with answers, the oldest first.")]


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
