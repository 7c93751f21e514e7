"""Private tables: accounts and what they submit. The public record has its own tables in `registry`."""

from __future__ import annotations

import uuid

from django.contrib.auth.models import AbstractUser, UserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models

from registry.models import Release, Result, Site


class AccountManager(UserManager):
    """Django's, but that a superuser has the role of one."""

    def create_superuser(self, username, email=None, password=None, **fields):
        return super().create_superuser(username, email, password, **{"role": Account.Role.ADMIN} | fields)


class Account(AbstractUser):
    """A person or robot that signs in. What an account may do follows from its role and its institutions."""

    class Role(models.TextChoices):
        SUBMITTER = "submitter", "submitter"
        REVIEWER = "reviewer", "reviewer"
        EDITOR = "editor", "editor"
        ADMIN = "admin", "admin"

    class Mail(models.TextChoices):
        EACH = "each", "as it happens"
        DAILY = "daily", "once a day"
        NONE = "none", "no mail"

    role = models.CharField(max_length=10, choices=Role, default=Role.SUBMITTER)
    mail = models.CharField(max_length=5, choices=Mail, default=Mail.EACH, help_text="About the own submissions.")
    institutions = models.ManyToManyField(Site, through="Membership", related_name="members")
    vendors = models.JSONField(
        default=list, blank=True, help_text="Vendors that it is tied to: it reviews no run on their storage."
    )

    objects = AccountManager()


class Membership(models.Model):
    """An account submits for an institution; members of one institution share its submissions."""

    class Role(models.TextChoices):
        SUBMITTER = "submitter", "submitter"
        ADMIN = "admin", "administrator"

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="memberships")
    institution = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.SUBMITTER)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "institution"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.account} at {self.institution}"


class Invitation(models.Model):
    """Somebody asked to become a member of an institution, by the name of an account or by mail."""

    institution = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="invitations")
    invitee = models.CharField(max_length=254, help_text="Name of an account, or mail address.")
    role = models.CharField(max_length=10, choices=Membership.Role, default=Membership.Role.SUBMITTER)
    invited_by = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["institution", "invitee"], name="invitation_once")]
        # Those that name an account, on its page.
        indexes = [models.Index(fields=["invitee"], name="invitation_by_invitee")]

    def __str__(self) -> str:
        return f"{self.invitee} to {self.institution}"


class Token(models.Model):
    """What a program signs in with: the hash of a key, what it may be used for, until when, and its last use."""

    class Scope(models.TextChoices):
        READ = "read", "read what the account may see"
        SUBMIT = "submit", "upload, check, answer, submit, withdraw"
        REVIEW = "review", "review"
        RELEASE = "release", "make and publish releases and lists"
        ACCOUNT = "account", "manage tokens, webhooks and members"

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="tokens")
    digest = models.CharField(max_length=128, unique=True, help_text="SHA-512 of the key.")
    beginning = models.CharField(max_length=15, help_text="Of the key, to tell tokens apart.")
    name = models.CharField(max_length=80, blank=True, help_text="What it is for.")
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope))
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="Null: made before tokens expired.")
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="To within a minute.")

    class Meta:
        ordering = ["-made_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(scopes__contained_by=["read", "submit", "review", "release", "account"])
                & models.Q(scopes__len__gt=0),
                name="token_scopes_are_known",
            )
        ]

    def __str__(self) -> str:
        return f"{self.beginning}… of {self.account}"


class State(models.TextChoices):
    """Where a submission stands. The permitted changes are in submissions/states.py."""

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


class Submission(models.Model):
    """One received bundle on its way to the public record.

    The bytes lie in the `received` storage under their sha256. The same bytes of the same account are one
    submission, and one for trying out; the same bytes of another account are another. A revision has the bytes of
    the published submission that it revises.
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

    revises = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="revisions", help_text="A published one."
    )
    revision_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-received_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["account", "sha256", "test"],
                condition=models.Q(revises=None) & ~models.Q(sha256=""),
                name="same_bytes_of_same_account_once",
            ),
            models.UniqueConstraint(
                fields=["revises"],
                condition=~models.Q(state__in=["rejected", "withdrawn"]) | models.Q(result__isnull=False),
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
        ]

    def __str__(self) -> str:
        return f"{self.filename} ({self.state})"


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

    def __str__(self) -> str:
        return f"version {self.number} of {self.submission_id}"


class RefusedBundle(models.Model):
    """Bytes that are not taken, whoever sends them: a private key or a live token was found in them."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    refused_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.sha256[:12]


class SigningKey(models.Model):
    """A public SSH key with which an account signs its bundles."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="signing_keys")
    added_at = models.DateTimeField(auto_now_add=True)
    public_key = models.TextField(help_text="Kind and key, as in authorized_keys, without the comment.")
    comment = models.CharField(max_length=100, blank=True)
    fingerprint = models.CharField(max_length=60, help_text="SHA256:..., as ssh-keygen prints it.")

    class Meta:
        ordering = ["added_at", "id"]
        constraints = [models.UniqueConstraint(fields=["account", "fingerprint"], name="signing_key_once")]

    def __str__(self) -> str:
        return self.fingerprint


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


class Check(models.Model):
    """What one check of a submission found: the report of `validators`, with the version that made it."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="checks")
    version = models.PositiveSmallIntegerField(default=1, help_text="Of the files that were checked.")
    made_at = models.DateTimeField(auto_now_add=True)
    validators_version = models.CharField(max_length=20)
    status = models.CharField(max_length=12)
    errors = models.PositiveIntegerField(default=0)
    warnings = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(help_text="Wall time of the check.")
    tool = models.CharField(max_length=40, default="", help_text="Of the run that counts; empty where none is clear.")
    contradictions = models.PositiveSmallIntegerField(default=0, help_text="Answers that the facts contradict.")
    report = models.JSONField()

    class Meta:
        ordering = ["-made_at", "-id"]
        # The latest check of a submission.
        indexes = [models.Index(fields=["submission", "-made_at"], name="check_latest")]

    def __str__(self) -> str:
        return f"{self.status} {self.made_at:%Y-%m-%d %H:%M}"


class Recheck(models.Model):
    """What a later version of the validators finds otherwise; the check that counts stays until somebody applies it."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="recheck")
    made_at = models.DateTimeField()
    validators_version = models.CharField(max_length=20)
    of_check = models.ForeignKey(
        Check, on_delete=models.CASCADE, related_name="+", help_text="What it was held against."
    )
    lines = models.JSONField(default=list, help_text="What differs, a line each; empty where nothing does.")

    def __str__(self) -> str:
        return f"{len(self.lines)} differences"


class SystemSnapshot(models.Model):
    """The description of the system in the bundle of a submission, as the latest check read it (schema system.1)."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="system_snapshot")
    made_at = models.DateTimeField(auto_now=True)
    sha256 = models.CharField(max_length=64, help_text="Of the document as received.")
    summary = models.JSONField(help_text="The document in short, so that most readers need not load it.")
    document = models.JSONField()

    def __str__(self) -> str:
        return f"System of {self.submission_id}"


class Derivative(models.Model):
    """The scrubbed copy of a bundle that others may see; the bytes as received stay as they are."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="derivative")
    made_at = models.DateTimeField(auto_now_add=True)
    sha256 = models.CharField(max_length=64, help_text="Of the derivative, in the public storage under this name.")
    size = models.PositiveBigIntegerField()
    files = models.JSONField(default=list, help_text="path, size, sha256 and scrubbed of every file in it.")
    report = models.JSONField(default=dict, help_text="What was removed, by rule, and what was left out.")

    def __str__(self) -> str:
        return self.sha256[:12]


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


class Review(models.Model):
    """One reviewer's decision on a submission, with the awarded level and the reason."""

    class Decision(models.TextChoices):
        ACCEPT = "accept", "accept"
        REQUEST_CHANGES = "request_changes", "request changes"
        REJECT = "reject", "reject"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="reviews")
    reviewer = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="reviews")
    decision = models.CharField(max_length=16, choices=Decision)
    reproducibility = models.CharField(max_length=12, choices=Result.Reproducibility, default="undefined")
    production = models.BooleanField(default=False)
    reason = models.TextField()
    findings = models.JSONField(
        default=list, blank=True, help_text="What the reason is about: codes of findings and rules, as they were then."
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-made_at", "-id"]
        constraints = [models.CheckConstraint(condition=~models.Q(reason=""), name="review_has_a_reason")]

    def __str__(self) -> str:
        return f"{self.decision} by {self.reviewer}"


class Assignment(models.Model):
    """A reviewer who is to decide about a submission; several may be."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="assignments")
    reviewer = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="assignments")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["made_at", "id"]
        constraints = [models.UniqueConstraint(fields=["submission", "reviewer"], name="assigned_once")]

    def __str__(self) -> str:
        return f"{self.reviewer}"


class Judgement(models.Model):
    """What a reviewer found of one rule that a machine could not settle. The latest of a rule counts, all are kept."""

    class Outcome(models.TextChoices):
        SATISFIED = "satisfied", "satisfied"
        VIOLATED = "violated", "violated"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="judgements")
    rule = models.CharField(max_length=80)
    outcome = models.CharField(max_length=10, choices=Outcome)
    note = models.TextField(blank=True)
    reviewer = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["made_at", "id"]

    def __str__(self) -> str:
        return f"{self.rule}: {self.outcome}"


class Comment(models.Model):
    """A word about a submission: to the committee alone, or between committee and submitter. Answers make a thread."""

    class Audience(models.TextChoices):
        COMMITTEE = "committee", "the committee"
        SUBMITTER = "submitter", "the committee and the submitter"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    audience = models.CharField(max_length=10, choices=Audience)
    answers = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="answered_by")
    finding = models.CharField(max_length=120, blank=True, help_text="Code of the finding or rule that it is about.")
    text = models.TextField()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["made_at", "id"]
        constraints = [models.CheckConstraint(condition=~models.Q(text=""), name="comment_has_a_text")]

    def __str__(self) -> str:
        return f"{self.author}: {self.text[:40]}"


class Notice(models.Model):
    """An event that nobody was told of yet. Written with the event, deleted when its deliveries are."""

    event = models.OneToOneField(Event, primary_key=True, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"Notice of {self.event_id}"


class Webhook(models.Model):
    """An address of an account's own that is told of each change of the submissions that the account owns or shares."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [models.UniqueConstraint(fields=["account", "url"], name="webhook_once")]

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """One event on its way to one receiver: a webhook, or without one the mail of the account. The log of both."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        DELIVERED = "delivered", "delivered"
        FAILED = "failed", "given up"

    event = models.ForeignKey(Event, null=True, on_delete=models.CASCADE, help_text="Null: a trial.", related_name="+")
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
        ]
        indexes = [
            # What the scheduler asks for every two seconds.
            models.Index(fields=["due_at"], condition=models.Q(state="waiting"), name="delivery_due"),
            # The log of a webhook, newest first.
            models.Index(fields=["webhook", "-id"], name="delivery_log"),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.webhook_id or self.account_id}"


class LateEntry(models.Model):
    """An editor's decision that one submission may come to a release after its deadline, with the reason."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="late_entries")
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+")
    decided_by = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(auto_now_add=True)
    reason = models.TextField()

    class Meta:
        ordering = ["decided_at", "id"]
        verbose_name_plural = "late entries"
        constraints = [
            models.UniqueConstraint(fields=["submission", "release"], name="late_entry_once"),
            models.CheckConstraint(condition=~models.Q(reason=""), name="late_entry_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.submission_id} to {self.release}"
