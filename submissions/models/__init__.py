"""Private tables: accounts and what they submit. The public record has its own tables in `registry`."""

from submissions.models.accounts import Account, AccountManager, Invitation, Membership, SigningKey, Token
from submissions.models.checks import Check, Derivative, Recheck, SystemSnapshot
from submissions.models.notifications import Delivery, Notice, Webhook
from submissions.models.review import Assignment, Comment, Judgement, Review
from submissions.models.secret_files import SecretFile
from submissions.models.submissions import (
    CLOSED,
    Anonymity,
    Event,
    LateEntry,
    ReceiptKey,
    Signature,
    State,
    Submission,
    Version,
)
from submissions.models.subscriptions import Following
from submissions.models.triage import StepComment

__all__ = [
    "CLOSED",
    "Account",
    "AccountManager",
    "Anonymity",
    "Assignment",
    "Check",
    "Comment",
    "Delivery",
    "Derivative",
    "Event",
    "Following",
    "Invitation",
    "Judgement",
    "LateEntry",
    "Membership",
    "Notice",
    "ReceiptKey",
    "Recheck",
    "Review",
    "SecretFile",
    "Signature",
    "SigningKey",
    "State",
    "StepComment",
    "Submission",
    "SystemSnapshot",
    "Token",
    "Version",
    "Webhook",
]
