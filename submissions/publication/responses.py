"""Shapes of releases, publication and overrides, and what editors send."""

from __future__ import annotations

from rest_framework import serializers as s

from registry.models import Override
from submissions.lifecycle.responses import Mapping
from submissions.web.request_bodies import Choice


class ReleaseChange(s.Serializer):
    name = s.CharField(max_length=120, required=False)
    opens = s.DateTimeField(required=False, allow_null=True)
    deadline = s.DateTimeField(required=False)
    publishes = s.DateTimeField(required=False, allow_null=True)
    benchmark_versions = s.ListField(child=s.CharField(max_length=80), required=False, max_length=50)
    lists = s.ListField(child=s.CharField(max_length=30), required=False, allow_empty=False, max_length=60)
    accepting_reviewers = s.IntegerField(
        required=False, min_value=1, max_value=9, help_text="So many reviewers have to accept a run."
    )


class ReleaseRequest(ReleaseChange):
    slug = s.SlugField(max_length=40)
    deadline = s.DateTimeField()


class PublishRequest(s.Serializer):
    allow_empty = s.BooleanField(
        default=False, help_text="Publish although lists would be empty, or no accepted run would become a result."
    )


class Published(s.Serializer):
    release = s.CharField()
    published_at = s.DateTimeField()
    results = s.IntegerField()
    lists = s.ListField(child=Mapping())
    embargoed = s.IntegerField()


class OverrideRequest(s.Serializer):
    result = s.CharField(max_length=60)
    action = Choice(Override.Action.choices)
    score = s.FloatField(required=False, allow_null=True, default=None, min_value=0)
    reason = s.CharField(max_length=2000)


class OverrideResponse(OverrideRequest):
    release = s.CharField()
    list = s.CharField()
    decided_by = s.CharField()
    decided_at = s.DateTimeField()
    entries = s.IntegerField(help_text="Entries of the list now.")
