"""Bodies of requests: what webhooks send."""

from __future__ import annotations

from rest_framework import serializers as s


class WebhookRequest(s.Serializer):
    url = s.CharField(max_length=500, help_text="https, of a public host.")
