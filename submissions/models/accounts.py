"""Accounts: who signs in, for which institutions, with which tokens and keys."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Coalesce, Now
from django.utils import timezone
from django.utils.functional import cached_property

from registry.models import Site


class AccountManager(UserManager["Account"]):
    """Django's, but that a superuser has the role of one."""

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **fields: Any
    ) -> Account:
        return super().create_superuser(username, email, password, **{"role": Account.Role.ADMIN} | fields)

    def lock_account(self, account_id: int) -> None:
        """Lock an account until the transaction ends: of several that count what it has, each counts the others.

        Rows that name the account can be written meanwhile.
        """
        self.select_for_update(no_key=True).get(pk=account_id)


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
    directory_entry = models.CharField(
        max_length=200,
        null=True,
        blank=True,
        unique=True,
        help_text="Id of the entry in the directory of LDAP_DIRECTORY, which alone signs it in then.",
    )

    memberships_known_since = models.DateTimeField(
        db_default=Now(), editable=False, help_text="Since when its memberships are kept as periods."
    )

    objects: ClassVar[AccountManager] = AccountManager()

    @cached_property
    def followed(self) -> frozenset[str]:
        """Slugs of the systems that it follows; pages of the record ask for it."""
        slugs = self.following.order_by().values_list(Coalesce("system__merged_into__slug", "system__slug"), flat=True)
        return frozenset(slugs)


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


class MembershipPeriod(models.Model):
    """From when until when an account was a member of an institution. A trigger on memberships writes it.

    Without a beginning it began before Account.memberships_known_since.
    """

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="membership_periods")
    institution = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="+")
    began_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["account", "institution"], condition=models.Q(ended_at=None), name="membership_period_open_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.account_id} at {self.institution_id}"


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


class AccountRequest(models.Model):
    """Somebody asked for an account, or for another password; a worker answers by mail, and the row goes."""

    class Kind(models.TextChoices):
        SIGN_UP = "sign-up", "sign-up"
        RESET = "reset", "reset of a password"
        GRANTED = "granted", "request for access that was granted"
        REFUSED = "refused", "request for access that was refused"

    kind = models.CharField(max_length=7, choices=Kind)
    email = models.EmailField()
    username = models.CharField(max_length=150, blank=True)
    password = models.CharField(max_length=128, blank=True, help_text="Its hash.")
    note = models.TextField(blank=True, default="", db_default="", help_text="What the letter says of a refusal.")
    origin = models.CharField(max_length=300, help_text="Address of this site, to which links in the letter lead.")
    made_at = models.DateTimeField(auto_now_add=True)
    due_at = models.DateTimeField(default=timezone.now, help_text="When a worker tries next.")

    class Meta:
        ordering = ["due_at", "id"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.made_at:%Y-%m-%d}"


class AccessRequest(models.Model):
    """Somebody asks administrators for an account; the row goes when they decide."""

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=150)
    institution = models.CharField(max_length=200)
    purpose = models.TextField(max_length=2000)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["made_at", "id"]

    def __str__(self) -> str:
        return f"request of {self.made_at:%Y-%m-%d}"


class Tie(models.Model):
    """An account is tied to a vendor, and reviews no run on its storage. Never deleted; an editor ends it."""

    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="ties")
    vendor = models.CharField(max_length=120)
    since = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.ForeignKey(Account, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True, help_text="The editor's, for its end.")

    class Meta:
        ordering = ["since", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["account", "vendor"], condition=models.Q(ended_at=None), name="tie_open_once"
            ),
            models.CheckConstraint(
                condition=models.Q(ended_at=None, ended_by=None, reason="")
                | (models.Q(ended_at__isnull=False, ended_by__isnull=False) & ~models.Q(reason="")),
                name="tie_ends_with_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.account} to {self.vendor}"


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
