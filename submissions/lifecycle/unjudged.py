"""Why a published run that names a result has no mark, as its submitter is told."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from registry.models import Reproduction
from registry.query.responses.shapes import Shape
from submissions.models import Submission


class Unjudged(Shape):
    """Why a published run was not held against the result that it names."""

    why: Annotated[str, Meta(description="Why it was not judged, in words.")]
    tried_at: Annotated[datetime | None, Meta(description="When it was last tried; null: it is not tried.")]
    again_at: Annotated[datetime | None, Meta(description="When it is tried again; null: never.")]


def describe_unjudged(submission: Submission) -> Unjudged | None:
    """Of a published run that names a result and has no mark; None for any other, and while its turn has not come."""
    result, original = submission.result, submission.reproduces
    if result is None or original is None:
        return None
    if why := _why_never(submission):
        return Unjudged(why=why, tried_at=None, again_at=None)
    if submission.judging_failed_at is None or Reproduction.objects.filter(result=result).exists():
        return None
    why, again_at = submission.judging_failure, submission.judging_due_at
    return Unjudged(why=why, tried_at=submission.judging_failed_at, again_at=again_at)


def _why_never(submission: Submission) -> str:
    result, original = submission.result, submission.reproduces
    if result is None or original is None or result == original:
        return "A result cannot reproduce itself." if result == original else ""
    if hasattr(original, "erasure"):
        return f"{original.public_id} was erased from the record."
    if hasattr(result, "erasure"):
        return f"{result.public_id} was erased from the record."
    if original.tool != result.tool:
        return f"{original.public_id} is of {original.tool}, and {result.public_id} of {result.tool}."
    return ""
