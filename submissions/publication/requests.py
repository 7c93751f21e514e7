"""Bodies of requests: what editors send."""

from __future__ import annotations

from rest_framework import serializers as s

from registry.models import Override
from submissions.web.request_bodies import Choice, JSONBoolean


class ReleaseChange(s.Serializer[None]):
    name = s.CharField(max_length=120, required=False, help_text="What the release is called.")
    opens = s.DateTimeField(
        required=False, allow_null=True, help_text="When submissions open; null: no such time was set."
    )
    deadline = s.DateTimeField(required=False, help_text="Last moment for submitting.")
    publishes = s.DateTimeField(
        required=False, allow_null=True, help_text="When it is planned to be published; null: no such time was set."
    )
    benchmark_versions = s.ListField(
        child=s.CharField(max_length=80),
        required=False,
        max_length=50,
        help_text="Versions of the benchmark that a run may use; empty: any.",
    )
    lists = s.ListField(
        child=s.CharField(max_length=30),
        required=False,
        allow_empty=False,
        max_length=60,
        help_text="Names of the lists that the release makes, in order.",
    )
    accepting_reviewers = s.IntegerField(
        required=False, min_value=1, max_value=9, help_text="So many reviewers have to accept a run."
    )


class ReleaseRequest(ReleaseChange):
    slug = s.SlugField(max_length=40, help_text="Name of the release in addresses.")
    deadline = s.DateTimeField(help_text="Last moment for submitting.")


class PublishRequest(s.Serializer[None]):
    allow_empty = JSONBoolean(
        default=False, help_text="Publish although lists would be empty, or no accepted run would become a result."
    )


class OverrideRequest(s.Serializer[None]):
    result = s.CharField(max_length=60, help_text="Id of the result.")
    action = Choice(
        Override.Action.choices,
        help_text="The decision: include the result, exclude it, or rank it by another score.",
    )
    score = s.FloatField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        help_text="The score that it is ranked by, without unit; exactly when the action is `score`.",
    )
    reason = s.CharField(max_length=2000, help_text="Why; everybody may read it.")


class Proposal(s.Serializer[None]):
    definition = s.JSONField(required=False, default=None, help_text="Body of a list definition; null: the newest.")
    score = s.JSONField(required=False, default=None, help_text="A score definition of scores.1; null: the current.")


class AskRequest(s.Serializer[None]):
    reason = s.CharField(max_length=2000, help_text="Read by the committee alone.")


class DecisionRequest(AskRequest):
    granted = JSONBoolean(help_text="true grants it, false refuses it.")
    reason = s.CharField(max_length=2000, help_text="Read by the submitter and the committee.")
