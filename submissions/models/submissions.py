"""Submissions on their way to the public record, and the history of each."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any, TypeVar

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F
from django.db.models.functions import Now

from registry.models import Release, Result, Site
from submissions.models.accounts import Account

Present = TypeVar("Present")


class State(models.TextChoices):
    """Where a submission stands. The permitted changes are in submissions/lifecycle/states.py."""

    DRAFT = "draft", "draft"
    RECEIVED = "received", "received"
    PROCESSING = "processing", "being checked"
    INVALID = "invalid", "invalid"
    CHECKED = "checked", "checked"
    SUBMITTED = "submitted", "submitted"
    IN_REVIEW = "in_review", "in review"
    CHANGES_REQUESTED = "changes_requested", "changes requested"
    ACCEPTED = "accepted", "accepted"
    REJECTED = "rejected", "rejected"
    PUBLISHED = "published", "published"
    WITHDRAWN = "withdrawn", "withdrawn"


CLOSED = (State.REJECTED, State.WITHDRAWN)
"""Nothing leads out of these, so the same bytes may come again."""
SHELVED = (
    State.CHECKED,
    State.SUBMITTED,
    State.IN_REVIEW,
    State.CHANGES_REQUESTED,
    State.ACCEPTED,
    State.PUBLISHED,
)
"""In which a run is on the shelf of its institution."""
EXPIRING_DRAFT: dict[str, Any] = {"test": False, "state": State.DRAFT}
EXPIRING_TRIAL: dict[str, Any] = {"test": True, "state__in": (State.DRAFT, State.CHECKED, State.INVALID)}
"""What expires when nobody works on it, as conditions of a query: submissions/lifecycle/expiry.py."""


class Submission(models.Model):
    """One received bundle on its way to the public record.

    The bytes lie in the `received` storage under their sha256. The same bytes of the same account are one
    submission, and one for trying out, until that is closed; of another account they are another. A revision has the
    bytes of the published submission that it revises.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="submissions")
    institution = models.ForeignKey(Site, null=True, blank=True, on_delete=models.PROTECT, related_name="submissions")
    state = models.CharField(max_length=20, choices=State, default=State.RECEIVED)
    test = models.BooleanField(default=False, help_text="For trying out; never submitted to a release.")

    filename = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(help_text="Bytes as received.")
    beside = models.JSONField(default=list, blank=True, help_text="More files: name, sha256, size of each.")
    version = models.PositiveSmallIntegerField(default=1, help_text="Counts every change of the files.")
    metadata = models.JSONField(default=dict, blank=True)
    release = models.ForeignKey(Release, null=True, blank=True, on_delete=models.PROTECT, related_name="submissions")
    lists = models.JSONField(default=list, blank=True)

    received_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(null=True, blank=True, help_text="Last time that a task was sent for it.")
    attempts = models.PositiveSmallIntegerField(default=0, help_text="Times that a worker took it up since received.")
    checked_at = models.DateTimeField(null=True, blank=True)
    changed_at = models.DateTimeField(
        db_default=Now(), editable=False, help_text="Last change of state, files or what is said beside them."
    )
    expiry_told_at = models.DateTimeField(
        null=True, blank=True, help_text="When its owner was told that it expires; null again after a change."
    )
    expired_at = models.DateTimeField(
        null=True, blank=True, help_text="When it expired; from then on it holds no stored bytes."
    )
    expired_bytes_deleted_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the bytes of an expired one were deleted, but for those that others hold.",
    )
    bytes_seen_at = models.DateTimeField(
        null=True, blank=True, help_text="When the scheduler last looked for the stored bytes of a published run."
    )
    shelved_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When it was last put on the shelf of its institution."
    )
    chosen_primary = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Index of the run that counts, where the submitter had to choose."
    )

    submitted_at = models.DateTimeField(null=True, blank=True)
    rules_acknowledged_at = models.DateTimeField(null=True, blank=True)
    publication_acknowledged_at = models.DateTimeField(null=True, blank=True)
    embargo_until = models.DateTimeField(null=True, blank=True)
    answers = models.JSONField(default=dict, blank=True)
    result = models.OneToOneField(
        Result, null=True, blank=True, on_delete=models.PROTECT, related_name="+", help_text="Once published."
    )

    reproduces = models.ForeignKey(
        Result,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="The published result that this run is to reproduce.",
    )
    judging_failed_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When its reproduction could last not be judged."
    )
    judging_due_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When that is tried again; null: at once."
    )
    judging_failure = models.CharField(
        max_length=200, db_default="", blank=True, editable=False, help_text="Why it could not be judged."
    )

    revises = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="revisions", help_text="A published one."
    )
    revision_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-received_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["account", "sha256", "test"],
                condition=models.Q(revises=None) & ~models.Q(sha256="") & ~models.Q(state__in=CLOSED),
                name="same_bytes_of_same_account_once",
            ),
            models.UniqueConstraint(
                fields=["revises"],
                condition=~models.Q(state__in=CLOSED) | models.Q(result__isnull=False),
                name="one_revision_at_a_time",
            ),
            models.CheckConstraint(
                condition=models.Q(revises=None) | ~models.Q(revision_reason=""), name="revision_has_a_reason"
            ),
            models.CheckConstraint(
                condition=~models.Q(state="published") | models.Q(result__isnull=False),
                name="published_submission_has_a_result",
            ),
        ]
        indexes = [
            # The sweeper looks for received and processing ones, every five seconds.
            models.Index(
                fields=["state", "queued_at"],
                condition=models.Q(state__in=["received", "processing"]),
                name="submission_unfinished",
            ),
            models.Index(fields=["account", "-received_at"], name="submission_by_account"),
            models.Index(fields=["institution", "-received_at"], name="submission_by_institution"),
            # The sweeper looks for submitted ones without a derivative; the review queue.
            models.Index(
                fields=["submitted_at"],
                condition=models.Q(state__in=["submitted", "in_review", "accepted"]),
                name="submission_under_review",
            ),
            # Publication of one release.
            models.Index(fields=["release", "state"], name="submission_by_release"),
            # Who else refers to the same stored bytes.
            models.Index(fields=["sha256"], name="submission_by_sha256"),
            GinIndex(fields=["beside"], opclasses=["jsonb_path_ops"], name="submission_by_file_beside"),
            # Whose bytes were not looked for longest.
            models.Index(
                F("bytes_seen_at").asc(nulls_first=True),
                condition=models.Q(result__isnull=False),
                name="submission_bytes_unseen",
            ),
            # What the shelves lack: checked or changed since it was shelved.
            models.Index(
                fields=["changed_at"],
                condition=models.Q(shelved_at=None) | models.Q(shelved_at__lt=F("changed_at")),
                name="submission_to_shelve",
            ),
            # What expires next, and what expired and still has bytes.
            models.Index(
                fields=["changed_at"], condition=models.Q(**EXPIRING_DRAFT), name="submission_draft_by_change"
            ),
            models.Index(
                fields=["changed_at"], condition=models.Q(**EXPIRING_TRIAL), name="submission_trial_by_change"
            ),
            models.Index(
                fields=["expired_at"],
                condition=models.Q(expired_at__isnull=False, expired_bytes_deleted_at=None),
                name="submission_expired_bytes",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.filename} ({self.state})"

    def require_institution(self) -> Site:
        """The institution that it is of. Raises LookupError where it is of none."""
        return self._require_present(self.institution, "institution")

    def require_release(self) -> Release:
        """The release that it is for. Raises LookupError before one is named."""
        return self._require_present(self.release, "release")

    def require_result(self) -> Result:
        """The result that it became. Raises LookupError before it is published."""
        return self._require_present(self.result, "result")

    def require_submitted_at(self) -> datetime:
        """When it was submitted. Raises LookupError before."""
        return self._require_present(self.submitted_at, "time of submission")

    def _require_present(self, value: Present | None, name: str) -> Present:
        if value is None:
            raise LookupError(f"submission {self.pk} has no {name}")
        return value


class Version(models.Model):
    """The files that a submission had before they were replaced; their bytes stay stored."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="former_versions")
    number = models.PositiveSmallIntegerField()
    files = models.JSONField(help_text="name, sha256, size of each; the bundle first.")
    replaced_at = models.DateTimeField(auto_now_add=True)
    replaced_by = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["submission", "number"]
        constraints = [models.UniqueConstraint(fields=["submission", "number"], name="version_once")]
        # Who else refers to the same stored bytes.
        indexes = [GinIndex(fields=["files"], opclasses=["jsonb_path_ops"], name="version_by_file")]

    def __str__(self) -> str:
        return f"version {self.number} of {self.submission_id}"


class DeadlineException(models.Model):
    """An editor's decision that one submission may come to a release after its deadline, with the reason."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="late_entries")
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+")
    decided_by = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(auto_now_add=True)
    reason = models.TextField()

    class Meta:
        db_table = "submissions_lateentry"
        ordering = ["decided_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "release"], name="late_entry_once"),
            models.CheckConstraint(condition=~models.Q(reason=""), name="late_entry_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.submission_id} to {self.release}"


class Anonymity(models.Model):
    """That a submitter asked for publication without a name, and what became of it; who and when is in the history."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="anonymity")
    reason = models.TextField(help_text="The submitter's; private.")
    granted = models.BooleanField(null=True, help_text="By an editor; null: not decided.")
    decision = models.TextField(blank=True, help_text="The editor's reason; private.")
    lifted_at = models.DateTimeField(null=True, blank=True, help_text="When a result published so got its name.")

    class Meta:
        verbose_name_plural = "anonymities"
        constraints = [
            models.CheckConstraint(condition=~models.Q(reason=""), name="anonymity_has_a_reason"),
            models.CheckConstraint(
                condition=models.Q(granted=None) | ~models.Q(decision=""), name="anonymity_decided_with_a_reason"
            ),
            models.CheckConstraint(
                condition=models.Q(lifted_at=None) | models.Q(granted=True), name="anonymity_lifted_was_granted"
            ),
        ]

    def __str__(self) -> str:
        return {None: "asked", True: "granted", False: "refused"}[self.granted]


class Signature(models.Model):
    """The detached signature that came with a bundle, and what a worker made of it."""

    class Outcome(models.TextChoices):
        PENDING = "pending", "not verified yet"
        VERIFIED = "verified", "verified"
        UNKNOWN_KEY = "unknown-key", "made with a key that the account has not registered"
        INVALID = "invalid", "not of this bundle"

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="signature")
    text = models.TextField(help_text="As ssh-keygen -Y sign wrote it, in the namespace highwater.")
    outcome = models.CharField(max_length=12, choices=Outcome, default=Outcome.PENDING)
    fingerprint = models.CharField(max_length=60, blank=True, help_text="Of the key that made it, once verified.")

    def __str__(self) -> str:
        return self.outcome


class ReceiptKey(models.Model):
    """A public key with which receipts were signed, so that older ones stay verifiable after a change of the key."""

    public_key = models.CharField(max_length=100, unique=True, help_text="As in authorized_keys.")
    first_used_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.public_key


class Event(models.Model):
    """One change of a submission's state: who, when, from what to what, why. Append-only and chained by hashes.

    A row that leads from a state to the same one tells what happened in it, such as an assignment.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(
        Account, null=True, blank=True, on_delete=models.PROTECT, related_name="+", help_text="Null: the registry."
    )
    from_state = models.CharField(max_length=20, choices=State, blank=True)
    to_state = models.CharField(max_length=20, choices=State)
    reason = models.TextField(blank=True)
    hash = models.CharField(max_length=64, editable=False, default="", help_text="Computed by the database.")

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["submission", "id"], name="event_history")]

    def __str__(self) -> str:
        return f"{self.from_state} -> {self.to_state}"
