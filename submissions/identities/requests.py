"""What requests about identities send."""

from __future__ import annotations

from rest_framework import serializers as s

from registry.models import IdentityChange
from submissions.web.request_bodies import Choice

SOURCE = "Document or page that proves it. Public."
REASON = "In words, what proves it. Public."


class MergeRequest(s.Serializer[None]):
    kind = Choice(IdentityChange.Kind.choices, help_text="What both are.")
    former = s.CharField(max_length=160, help_text="Slug that becomes a former name.")
    into = s.CharField(max_length=160, help_text="Slug that remains.")
    reason = s.CharField(max_length=2000, help_text=REASON)
    source = s.CharField(max_length=300, required=False, help_text=SOURCE)  # type: ignore[assignment]  # a field, not its source


class SplitRequest(s.Serializer[None]):
    kind = Choice(IdentityChange.Kind.choices, help_text="Kind of the split: site or system.")
    slug = s.CharField(max_length=160, help_text="Slug of the site or system to split.")
    moving = s.ListField(
        child=s.CharField(max_length=160),
        min_length=1,
        max_length=10_000,
        help_text="Of a system ids of results, of an institution slugs of systems.",
    )
    into = s.CharField(max_length=160, required=False, help_text="Slug of the one that takes them.")
    name = s.CharField(max_length=200, required=False, help_text="Name of a new one that takes them.")
    reason = s.CharField(max_length=2000, help_text=REASON)
    source = s.CharField(max_length=300, required=False, help_text=SOURCE)  # type: ignore[assignment]  # a field, not its source


class UndoRequest(s.Serializer[None]):
    reason = s.CharField(max_length=2000, help_text="In words, why it was wrong. Public.")
