"""Shapes of webhooks and deliveries."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from msgspec import Meta

from registry.query.responses.row_fields import MadeAt, SlugOfSystem, SystemTitle
from registry.query.responses.shapes import Shape
from registry.web.responses import Page
from submissions import models


class Webhook(Shape):
    id: Annotated[UUID, Meta(description="Id of the webhook.")]
    url: Annotated[str, Meta(description="Address that notices are sent to.")]
    created_at: MadeAt


class WebhookWithSecret(Webhook):
    secret: Annotated[str, Meta(description="With which deliveries are signed, as in Standard Webhooks.")]


class WebhookPage(Page):
    results: Annotated[list[Webhook], Meta(description="Rows of this page.")]


class Delivery(Shape):
    id: Annotated[str, Meta(description="As in the header webhook-id.")]
    type: Annotated[str, Meta(description="submission.STATE, system.step, system.run, or trial.")]
    submission: Annotated[UUID | None, Meta(description="Id of the submission that it is about; null for none.")]
    system: Annotated[str | None, Meta(description="Of a step or a run: slug of its system.")]
    state: Annotated[str, Meta(description="waiting, delivered or failed (given up).")]
    attempts: Annotated[int, Meta(description="Deliveries tried so far.")]
    tried_at: Annotated[datetime | None, Meta(description="When the last attempt was; null before the first.")]
    due_at: Annotated[datetime | None, Meta(description="Next attempt, while waiting.")]
    answer: Annotated[str, Meta(description="Of the last attempt, in words.")]


class DeliveryPage(Page):
    results: Annotated[list[Delivery], Meta(description="Rows of this page.")]


class Followed(Shape):
    system: SlugOfSystem
    name: SystemTitle
    steps: Annotated[
        models.Subscription.Steps, Meta(description="Which performance changes the account is notified about.")
    ]
    since: Annotated[datetime, Meta(description="Performance changes found before this time are not notified.")]


class FollowedPage(Page):
    results: Annotated[list[Followed], Meta(description="Rows of this page.")]
