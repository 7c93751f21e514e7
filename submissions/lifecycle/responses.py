"""Shapes of states, history and short answers."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from submissions.models import State


class Receipt(s.Serializer):
    id = s.UUIDField()
    state = s.ChoiceField(State.choices)
    url = s.URLField(help_text="The page of the submission.")
    sha256 = s.CharField()


class HistoryRow(s.Serializer):
    at = s.DateTimeField()
    actor = s.CharField(allow_null=True, help_text="Null: the registry itself.")
    from_state = s.CharField(allow_null=True)
    to_state = s.CharField()
    reason = s.CharField()


class HistoryPage(s.Serializer):
    next = s.URLField(allow_null=True)
    results = HistoryRow(many=True)


@extend_schema_field(OpenApiTypes.OBJECT)
class Mapping(s.JSONField):
    """A JSON object whose names are not fixed."""
