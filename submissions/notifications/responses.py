"""Shapes of webhooks and deliveries."""

from __future__ import annotations

from rest_framework import serializers as s


class WebhookRequest(s.Serializer):
    url = s.CharField(max_length=500, help_text="https, of a public host.")


class Webhook(s.Serializer):
    id = s.UUIDField()
    url = s.CharField()
    created_at = s.DateTimeField()


class WebhookWithSecret(Webhook):
    secret = s.CharField(help_text="With which deliveries are signed, as in Standard Webhooks.")


class WebhookPage(s.Serializer):
    next = s.URLField(allow_null=True)
    results = Webhook(many=True)


class Delivery(s.Serializer):
    id = s.CharField(help_text="As in the header webhook-id.")
    type = s.CharField(help_text="submission.STATE, system.step, or trial.")
    submission = s.UUIDField(allow_null=True)
    system = s.CharField(allow_null=True, help_text="Of a step: slug.")
    state = s.CharField(help_text="waiting, delivered or failed (given up).")
    attempts = s.IntegerField()
    tried_at = s.DateTimeField(allow_null=True)
    due_at = s.DateTimeField(allow_null=True, help_text="Next attempt, while waiting.")
    answer = s.CharField(help_text="Of the last attempt, in words.")


class DeliveryPage(s.Serializer):
    next = s.URLField(allow_null=True)
    results = Delivery(many=True)
