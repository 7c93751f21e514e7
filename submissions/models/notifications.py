"""The outbox: whom to tell of an event, a step or a run, and what came of it."""

from __future__ import annotations

import uuid

from django.db import models

from registry.models import RunVerdict, Step
from submissions.models.accounts import Account
from submissions.models.submissions import Event


class Notice(models.Model):
    """An event that nobody was told of yet. Written with the event, deleted when its deliveries are."""

    event = models.OneToOneField(Event, primary_key=True, on_delete=models.CASCADE, related_name="+")
    editors = models.BooleanField(default=False, db_default=False, help_text="Editors are told, too.")

    def __str__(self) -> str:
        return f"Notice of {self.event_id}"


class Webhook(models.Model):
    """An address of an account's own that is told of each change of the submissions that the account owns or shares."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    created_at = models.DateTimeField(auto_now_add=True)
    failures = models.PositiveIntegerField(default=0, db_default=0, help_text="Calls in a row that nobody answered.")
    rest_until = models.DateTimeField(null=True, blank=True, help_text="Not called before that.")

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [models.UniqueConstraint(fields=["account", "url"], name="webhook_once")]

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """An event, a step or the verdict on a run, or a trial of none, on its way to one receiver. The log of all.

    The receiver is a webhook, or without one the mail of the account.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        DELIVERED = "delivered", "delivered"
        FAILED = "failed", "given up"

    event = models.ForeignKey(Event, null=True, on_delete=models.CASCADE, related_name="+")
    step = models.ForeignKey(Step, null=True, on_delete=models.CASCADE, related_name="+")
    run_verdict = models.ForeignKey(RunVerdict, null=True, on_delete=models.CASCADE, related_name="+")
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="deliveries")
    webhook = models.ForeignKey(Webhook, null=True, on_delete=models.CASCADE, related_name="deliveries")
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(help_text="Next attempt, while waiting.")
    tried_at = models.DateTimeField(null=True)
    answer = models.CharField(max_length=200, blank=True, help_text="Of the last attempt.")

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(
                fields=["event", "account"], condition=models.Q(webhook=None), name="mail_of_an_event_once"
            ),
            models.UniqueConstraint(fields=["event", "webhook"], name="webhook_of_an_event_once"),
            models.UniqueConstraint(
                fields=["step", "account"], condition=models.Q(webhook=None), name="mail_of_a_step_once"
            ),
            models.UniqueConstraint(fields=["step", "webhook"], name="webhook_of_a_step_once"),
            models.UniqueConstraint(
                fields=["run_verdict", "account"], condition=models.Q(webhook=None), name="mail_of_a_verdict_once"
            ),
            models.UniqueConstraint(fields=["run_verdict", "webhook"], name="webhook_of_a_verdict_once"),
            models.CheckConstraint(
                condition=models.Q(event=None, step=None)
                | models.Q(event=None, run_verdict=None)
                | models.Q(step=None, run_verdict=None),
                name="delivery_of_one_thing",
            ),
        ]
        indexes = [
            # What the scheduler asks for every two seconds.
            models.Index(fields=["due_at"], condition=models.Q(state="waiting"), name="delivery_due"),
            # The log of a webhook, newest first.
            models.Index(fields=["webhook", "-id"], name="delivery_log"),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.webhook_id or self.account_id}"
