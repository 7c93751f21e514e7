"""Private tables: accounts and what they submit. The public record has its own tables in `registry`."""

from submissions.models.accounts import Account, AccountManager, Invitation, Membership, SigningKey, Token
from submissions.models.checklists import ChecklistAct, ChecklistItem
from submissions.models.checks import Check, CopyAgreement, RecheckComparison, ScrubbedCopy, SubmittedSystem
from submissions.models.log import PrivateRecord
from submissions.models.notifications import Delivery, Notice, Webhook
from submissions.models.review import Assignment, Comment, Judgement, Review
from submissions.models.secret_files import SecretFile
from submissions.models.stored_faults import ScrubRun, StoredFault
from submissions.models.submissions import (
    CLOSED,
    Anonymity,
    DeadlineException,
    Event,
    ReceiptKey,
    Signature,
    State,
    Submission,
    Version,
)
from submissions.models.subscriptions import Subscription
from submissions.models.triage import StepComment

__all__ = [
    "CLOSED",
    "Account",
    "AccountManager",
    "Anonymity",
    "Assignment",
    "Check",
    "ChecklistAct",
    "ChecklistItem",
    "Comment",
    "CopyAgreement",
    "DeadlineException",
    "Delivery",
    "Event",
    "Invitation",
    "Judgement",
    "Membership",
    "Notice",
    "PrivateRecord",
    "ReceiptKey",
    "RecheckComparison",
    "Review",
    "ScrubRun",
    "ScrubbedCopy",
    "SecretFile",
    "Signature",
    "SigningKey",
    "State",
    "StepComment",
    "StoredFault",
    "Submission",
    "SubmittedSystem",
    "Subscription",
    "Token",
    "Version",
    "Webhook",
]
