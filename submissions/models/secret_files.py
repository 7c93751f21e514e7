"""Stored files in which a check found a private key or a live token."""

from __future__ import annotations

from django.db import models

from submissions.models.accounts import Account
from submissions.models.submissions import Submission


class SecretFile(models.Model):
    """A stored file of one submission that holds a secret, and what became of it: submissions/bundles/quarantine.py."""

    class Outcome(models.TextChoices):
        BLOCKED = "blocked", "refused"
        QUARANTINED = "quarantined", "in quarantine"
        REPORTED = "reported", "reported to editors"
        CLEARED = "cleared", "cleared"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="secret_files")
    account = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="+", help_text="Who sent it, and may not send it again."
    )
    sha256 = models.CharField(max_length=64)
    where = models.TextField(help_text="Each secret: what it is and its path:line, a line each.")
    outcome = models.CharField(max_length=12, choices=Outcome)
    found_at = models.DateTimeField(auto_now_add=True)
    bytes_deleted_at = models.DateTimeField(
        null=True, blank=True, help_text="When a blocked file left the storage; null while others hold it."
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(Account, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True, help_text="The editor's, for the last decision.")

    class Meta:
        ordering = ["-found_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "sha256"], name="secret_file_once"),
            models.CheckConstraint(
                condition=~models.Q(outcome="cleared") | ~models.Q(reason=""), name="cleared_with_a_reason"
            ),
        ]
        indexes = [
            # Whether an account may send these bytes.
            models.Index(fields=["account", "sha256"], name="secret_file_of_account"),
            # What editors have to decide.
            models.Index(
                fields=["-id"],
                condition=models.Q(outcome__in=["quarantined", "reported"]),
                name="secret_file_open",
            ),
            # What the scheduler has to delete.
            models.Index(
                fields=["id"],
                condition=models.Q(outcome="blocked", bytes_deleted_at=None),
                name="secret_file_undeleted",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.sha256[:12]} {self.outcome}"
