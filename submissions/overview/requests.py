"""Bodies of requests: what submitting and withdrawing send."""

from __future__ import annotations

from rest_framework import serializers as s

from submissions.web.request_bodies import JSONBoolean


class SubmitRequest(s.Serializer[None]):
    release = s.CharField(help_text="Slug of an open release.")
    lists = s.ListField(
        child=s.CharField(max_length=30), max_length=20, help_text="Empty for a tool without a score: no list ranks it."
    )
    acknowledge_rules = JSONBoolean(help_text="Must be true: the submitter knows the rules of the release.")
    acknowledge_publication = JSONBoolean(help_text="Must be true: the submitter agrees that the result is published.")
    embargo_until = s.DateTimeField(
        required=False,
        allow_null=True,
        default=None,
        help_text="The result stays private until then; null: no embargo.",
    )
    primary = s.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        max_value=32767,
        help_text="Index of the run that counts, from 0; null: the one chosen before, else the one that "
        "the check found.",
    )


class WithdrawRequest(s.Serializer[None]):
    reason = s.CharField(max_length=4000, help_text="Why it is withdrawn; of a published result everybody may read it.")
