"""Shapes of decisions, and what reviewers send."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from registry.models import Result
from submissions.lifecycle.responses import Mapping, Receipt
from submissions.models import Review
from submissions.web.request_bodies import Choice


class ReviewRow(s.Serializer):
    decision = s.ChoiceField(Review.Decision.choices)
    reproducibility = s.ChoiceField(Result.Reproducibility.choices)
    production = s.BooleanField()
    reason = s.CharField()
    findings = s.ListField(
        child=s.DictField(child=s.CharField()), help_text="What the reason is about: code, message, where."
    )
    reviewer = s.CharField()
    made_at = s.DateTimeField()


class ReviewRequest(s.Serializer):
    decision = Choice(Review.Decision.choices)
    reproducibility = Choice(
        Result.Reproducibility.choices, required=False, help_text="The awarded level; needed to accept a run."
    )
    production = s.BooleanField(default=False)
    reason = s.CharField(max_length=8000)
    findings = s.ListField(
        child=s.CharField(max_length=120), required=False, max_length=50, help_text="Codes that the reason is about."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """What is accepted can't be decided again, so its level is what somebody wrote and no default."""
        if attrs["decision"] == Review.Decision.ACCEPT and "reproducibility" not in attrs:
            levels = ", ".join(Result.Reproducibility.values)
            raise s.ValidationError({"reproducibility": [f"An accepted run is awarded a level: {levels}."]})
        return attrs


class ReviewResponse(Receipt, ReviewRow):
    excluded = Mapping(help_text="By list, code and reason why the run could not rank there.")


class LateRequest(s.Serializer):
    release = s.CharField(max_length=40)
    reason = s.CharField(max_length=2000)


class DeadlineExceptionResponse(LateRequest):
    """The decision that stands: the first one about this submission and release."""

    id = s.UUIDField()
    decided_by = s.CharField()
    decided_at = s.DateTimeField()
