"""Bodies of requests: what webhooks send."""

from __future__ import annotations

from rest_framework import serializers as s

from submissions.models import Subscription
from submissions.web.request_bodies import Choice


class WebhookRequest(s.Serializer[None]):
    url = s.CharField(max_length=500, help_text="https, of a public host.")


class FollowRequest(s.Serializer[None]):
    system = s.CharField(max_length=160, help_text="Slug of the system.")
    steps = Choice(
        Subscription.Steps.choices,
        default=Subscription.Steps.ALL,
        help_text="Which performance changes the account is notified about.",
    )
