"""What was said of steps in the numbers of systems."""

from __future__ import annotations

from django.db import models

from registry.models import Step
from submissions.models.accounts import Account


class StepComment(models.Model):
    """One change of the state or the note of a step. State and note are public, who changed them is not."""

    step = models.ForeignKey(Step, on_delete=models.CASCADE, related_name="+")
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    from_state = models.CharField(max_length=13, choices=Step.State)
    state = models.CharField(max_length=13, choices=Step.State)
    note = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.state} by {self.account}"
