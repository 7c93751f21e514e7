"""What opens the leaves of the transparency log that are about private things."""

from __future__ import annotations

from django.db import models

from registry.models import LogLeaf
from submissions.models.submissions import Submission


class PrivateRecord(models.Model):
    """A record with its salt. The owner of a submission may have both; the public log holds only their digest."""

    class Kind(models.TextChoices):
        RECEIPT = "receipt", "receipt"
        EVENT = "event", "event"
        CHECK = "check", "check"
        DECISION = "decision", "decision"
        # What public rows have that no public record has. The operator alone has these: they are of no submission.
        RANKING = "ranking", "decision about a list"
        NAMING = "naming", "deciders about names"
        SHARING = "sharing", "members in common"

    leaf = models.OneToOneField(LogLeaf, primary_key=True, on_delete=models.PROTECT, related_name="+")
    submission = models.ForeignKey(
        Submission, null=True, on_delete=models.SET_NULL, related_name="private_records", db_index=False
    )
    kind = models.CharField(max_length=10, choices=Kind)
    row = models.PositiveBigIntegerField(help_text="Primary key of what it is about; version of a receipt.")
    salt = models.BinaryField(max_length=32, null=True, blank=True, help_text="32 random bytes; null: erased.")
    canonical = models.TextField(null=True, blank=True, help_text="The record by RFC 8785; null: erased.")  # noqa: DJ001
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["leaf"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(salt=None, canonical=None, erased_at__isnull=False)
                | models.Q(salt__isnull=False, canonical__isnull=False, erased_at=None),
                name="private_record_whole_or_erased",
            )
        ]
        indexes = [
            # What the owner of a submission gets with the receipt.
            models.Index(fields=["submission", "leaf"], name="private_record_by_submission"),
            # Which rows have a record.
            models.Index(fields=["kind", "row"], name="private_record_by_row"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.submission_id}"
