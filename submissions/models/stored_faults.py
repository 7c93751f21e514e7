"""Stored bytes that are damaged or missing, and the runs that look for them."""

from __future__ import annotations

from django.db import models


class StoredFault(models.Model):
    """Bytes that a row names and the storage has otherwise, or not at all: since when, until when."""

    class Kind(models.TextChoices):
        RECEIVED = "received", "bundle as received"
        PUBLIC = "public", "scrubbed copy"

    class Fault(models.TextChoices):
        DAMAGED = "damaged", "damaged"
        MISSING = "missing", "missing"

    kind = models.CharField(max_length=8, choices=Kind)
    sha256 = models.CharField(max_length=64)
    fault = models.CharField(max_length=7, choices=Fault)
    found_at = models.DateTimeField(auto_now_add=True)
    modified_at = models.DateTimeField(
        null=True, blank=True, help_text="When the damaged bytes were written, as the storage says."
    )
    told_at = models.DateTimeField(null=True, blank=True, help_text="When administrators got a letter about it.")
    looked_at = models.DateTimeField(null=True, blank=True, help_text="When the scheduler last looked for its end.")
    ended_at = models.DateTimeField(
        null=True, blank=True, help_text="When the bytes were right again, or nothing named them any more."
    )

    class Meta:
        ordering = ["found_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "sha256"], condition=models.Q(ended_at=None), name="stored_fault_open_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.sha256} {self.fault}"


class ScrubRun(models.Model):
    """One reading of all stored bytes: how far it is, and what it found. It goes on after a restart."""

    began_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    kind = models.CharField(max_length=8, choices=StoredFault.Kind, default=StoredFault.Kind.RECEIVED)
    after = models.CharField(max_length=64, blank=True, help_text="What was read last: a submission, or a sha256.")
    objects_read = models.PositiveBigIntegerField(default=0)
    bytes_read = models.PositiveBigIntegerField(default=0)
    damaged = models.PositiveIntegerField(default=0)
    missing = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-began_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["ended_at"], condition=models.Q(ended_at=None), nulls_distinct=False, name="one_scrub_at_a_time"
            )
        ]

    def __str__(self) -> str:
        return f"scrub of {self.began_at:%Y-%m-%d}"
