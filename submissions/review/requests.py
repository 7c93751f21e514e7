"""Bodies of requests: what reviewers send."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from registry.models import Result
from submissions.models import Comment, Disposition, Judgement, Review
from submissions.web.request_bodies import Choice, JSONBoolean


class ReviewRequest(s.Serializer[None]):
    decision = Choice(Review.Decision.choices, help_text="The decision.")
    reproducibility = Choice(
        Result.Reproducibility.choices, required=False, help_text="The awarded level; needed to accept a run."
    )
    production = JSONBoolean(default=False, help_text="Whether the system is in production.")
    reason = s.CharField(max_length=8000, help_text="Why; the submitter reads it.")
    findings = s.ListField(
        child=s.CharField(max_length=120), required=False, max_length=50, help_text="Codes that the reason is about."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """What is accepted can't be decided again, so its level is what somebody wrote and no default.

        Raises ValidationError where it is missing.
        """
        if attrs["decision"] == Review.Decision.ACCEPT and "reproducibility" not in attrs:
            levels = ", ".join(Result.Reproducibility.values)
            raise s.ValidationError({"reproducibility": [f"An accepted run is awarded a level: {levels}."]})
        return attrs


class LateRequest(s.Serializer[None]):
    release = s.CharField(max_length=40, help_text="Slug of the release that it may come to.")
    reason = s.CharField(max_length=2000, help_text="Why it may come late.")


class AssignRequest(s.Serializer[None]):
    reviewer = s.CharField(max_length=150, required=False, help_text="Username; without it the caller.")


class JudgeRequest(s.Serializer[None]):
    rule = s.CharField(max_length=80, help_text="Code of the rule.")
    outcome = Choice(Judgement.Outcome.choices, help_text="The judgement.")
    note = s.CharField(max_length=4000, help_text="Why it is judged so.")


class DispositionRequest(s.Serializer[None]):
    code = s.CharField(max_length=120, help_text="Code of the finding or rule.")
    kind = Choice(Disposition.Kind.choices, help_text="What becomes of it.")
    reason = s.CharField(max_length=4000, help_text="Why; the submitter reads it.")


class QuestionRequest(s.Serializer[None]):
    text = s.CharField(max_length=4000, help_text="The question; the submitter of the run and reviewers read it.")


class AnswerRequest(s.Serializer[None]):
    text = s.CharField(max_length=8000, help_text="The answer; who asked reads it.")


class ConsentRequest(s.Serializer[None]):
    open = JSONBoolean(
        help_text="True: other submitters of the release see institution, system and lists, and may ask about it."
    )


class CommentRequest(s.Serializer[None]):
    text = s.CharField(max_length=8000, help_text="The comment.")
    audience = Choice(
        Comment.Audience.choices, required=False, help_text="Without it that of the thread, else submitter."
    )
    answers = s.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=1,
        max_value=2**63 - 1,
        help_text="Id of the comment that it answers; null: it begins a thread.",
    )
    finding = s.CharField(
        max_length=120,
        required=False,
        allow_blank=True,
        default="",
        help_text="Code of the finding or rule that it is about; empty: none.",
    )
