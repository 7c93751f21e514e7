"""The transparency log: its leaves, and what opens those of public things. Private ones are opened elsewhere."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now


class LogLeaf(models.Model):
    """One entry of the log: sha256 over a random salt and a record. It names nothing (migration 0029 keeps it so)."""

    entry = models.BinaryField(max_length=32, unique=True)
    index = models.PositiveBigIntegerField(
        null=True, blank=True, unique=True, help_text="Place in the log, from 0; null: it waits to be appended."
    )
    noted_at = models.DateTimeField(db_default=Now(), editable=False, help_text="When it began to wait.")

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["id"], condition=Q(index=None), name="log_leaf_waiting")]

    def __str__(self) -> str:
        return bytes(self.entry).hex()


class LogOpening(models.Model):
    """What a leaf is the digest of, where everybody may know: the salt and the canonical text of the record."""

    class Kind(models.TextChoices):
        RESULT = "result", "result"
        LIST = "list", "list"
        RELEASE = "release", "release"
        NAME_CHANGE = "name_change", "change of names"
        SITE = "site", "institution"
        SYSTEM = "system", "system"
        PLATFORM = "platform", "platform"
        EDITION = "edition", "edition"
        REPRODUCTION = "reproduction", "mark of reproduction"
        ERASURE = "erasure", "erasure"
        KEY = "key", "key"
        RESTORATION = "restoration", "restoration"
        CLOCK = "clock", "explained times"

    leaf = models.OneToOneField(LogLeaf, primary_key=True, on_delete=models.CASCADE, related_name="opening")
    kind = models.CharField(max_length=12, choices=Kind)
    act = models.CharField(max_length=20, help_text="Why it was recorded then.")
    recorded_at = models.DateTimeField()
    subject = models.CharField(
        max_length=200,
        help_text=(
            "results/ID, lists/RELEASE/LIST, releases/RELEASE, name-changes/ID, sites/SLUG, systems/SLUG,"
            " platforms/SLUG, as below /api/v1/; editions/NAME, reproductions/ID; else of the log itself."
        ),
    )
    salt = models.BinaryField(max_length=32, null=True, blank=True, help_text="32 random bytes; null: erased.")
    canonical = models.TextField(null=True, blank=True, help_text="The record by RFC 8785; null: erased.")  # noqa: DJ001
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["leaf"]
        constraints = [
            models.CheckConstraint(
                condition=Q(salt=None, canonical=None, erased_at__isnull=False)
                | Q(salt__isnull=False, canonical__isnull=False, erased_at=None),
                name="log_opening_whole_or_erased",
            )
        ]
        # The records of one thing, newest first; the few that tell of the log itself.
        indexes = [models.Index("subject", F("leaf").desc(), name="log_opening_by_subject")]

    def __str__(self) -> str:
        return f"{self.kind} {self.act}"


class LogCheckpoint(models.Model):
    """A signed head of the log; one for each size that was signed."""

    size = models.PositiveBigIntegerField(primary_key=True)
    root = models.BinaryField(max_length=32)
    note = models.TextField(help_text="As it is published, with its signature.")
    signed_at = models.DateTimeField()

    class Meta:
        ordering = ["-size"]

    def __str__(self) -> str:
        return f"{self.size} entries"


class LogKey(models.Model):
    """A public key that signed checkpoints here, or signs them now."""

    verifier_key = models.CharField(max_length=400, unique=True, help_text="NAME+ID+KEY, as readers of notes take it.")
    first_used_at = models.DateTimeField()

    class Meta:
        ordering = ["-first_used_at", "-id"]

    def __str__(self) -> str:
        return self.verifier_key


class LogState(models.Model):
    """The one row about the log as a whole."""

    WITHHELD_COLUMNS = ("unheld_since",)

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    origin = models.CharField(max_length=300, blank=True, help_text="Its name in checkpoints; set with the first.")
    unheld_since = models.DateTimeField(
        null=True,
        blank=True,
        db_default=Now(),
        help_text="Since when a load or a start may have left records that are not in the log; null: all were held.",
    )
    trouble = models.TextField(blank=True, help_text="Why nothing can be appended; empty where all is well.")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="log_has_one_state")]

    def __str__(self) -> str:
        return self.origin
