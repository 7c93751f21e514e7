"""What accounts used up of what they may use within a day."""

from __future__ import annotations

from django.db import models

from registry.models import Site
from submissions.models.accounts import Account


class QuotaUse(models.Model):
    """One use: bytes that were stored, or a letter to somebody. After a day it counts no more, and is deleted."""

    class Kind(models.TextChoices):
        BYTES = "bytes", "bytes stored"
        LETTER = "letter", "invitation by mail"

    kind = models.CharField(max_length=10, choices=Kind)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")
    institution = models.ForeignKey(Site, null=True, on_delete=models.CASCADE, related_name="+")
    address = models.CharField(max_length=254, blank=True, help_text="Of a letter, in lower case.")
    amount = models.PositiveBigIntegerField()
    at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["account", "kind", "at"], name="quota_use_by_account"),
            models.Index(fields=["institution", "kind", "at"], name="quota_use_by_institution"),
            models.Index(fields=["address", "at"], condition=~models.Q(address=""), name="quota_use_by_address"),
            models.Index(fields=["at"], name="quota_use_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} {self.kind} of {self.account}"
