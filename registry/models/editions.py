"""Which state of the record lies ready as files, and who wrote to the record since."""

from __future__ import annotations

from django.db import models


class Edition(models.Model):
    """The whole record as files, as it was at one moment. Written when all of its files lie ready."""

    name = models.CharField(max_length=16, unique=True, help_text="Random; the folder of its files.")
    as_of = models.DateTimeField(help_text="The record is told as it was then.")
    manifest = models.JSONField(help_text="What manifest.json says: counts, size and sha256 of each file.")

    class Meta:
        get_latest_by = "id"
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class RecordChange(models.Model):
    """A transaction that wrote to the record after the newest edition; triggers note it (migration 0017)."""

    transaction = models.BigIntegerField(primary_key=True)
    changed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.transaction} at {self.changed_at:%Y-%m-%d %H:%M:%S}"


class PublicWrite(models.Model):
    """A transaction that wrote to the record not long ago, whatever table (registry/database/public_writes.py)."""

    transaction = models.BigIntegerField(primary_key=True)
    written_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.transaction} at {self.written_at:%Y-%m-%d %H:%M:%S}"
