"""Bodies of requests about a checklist."""

from __future__ import annotations

from rest_framework import serializers as s

from submissions.models.checklists import LONGEST_LABEL
from submissions.web.request_bodies import JSONBoolean


class ChecklistItemRequest(s.Serializer[None]):
    label = s.CharField(  # type: ignore[assignment]  # serializers have an attribute of that name
        max_length=LONGEST_LABEL, help_text="What has to be done, in one line."
    )


class ChecklistItemChange(ChecklistItemRequest):
    label = s.CharField(max_length=LONGEST_LABEL, required=False, help_text="The new label, in one line.")
    version = s.IntegerField(min_value=1, max_value=2**31 - 1, help_text="Version of the item that the change is for.")
    done = JSONBoolean(required=False, help_text="true ticks it, false unticks it.")
    position = s.IntegerField(required=False, min_value=1, max_value=1000, help_text="Where it moves, from 1.")
