"""Private tables: accounts and what they submit. The public record has its own tables in `registry`."""

from submissions.models.accounts import (
    AccessRequest,
    Account,
    AccountManager,
    AccountRequest,
    Invitation,
    Membership,
    SigningKey,
    Tie,
    Token,
)
from submissions.models.checklists import ChecklistAct, ChecklistItem
from submissions.models.checks import Check, CheckTurn, CopyAgreement, RecheckComparison, ScrubbedCopy, SubmittedSystem
from submissions.models.log import PrivateRecord
from submissions.models.maintenance import MaintenanceRun
from submissions.models.notifications import Delivery, Notice, Webhook
from submissions.models.quotas import QuotaUse
from submissions.models.review import Assignment, Comment, Judgement, Review
from submissions.models.secret_files import SecretFile
from submissions.models.stored_faults import ScrubRun, StoredFault
from submissions.models.submissions import (
    CLOSED,
    EXPIRING_DRAFT,
    EXPIRING_TRIAL,
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
    "EXPIRING_DRAFT",
    "EXPIRING_TRIAL",
    "AccessRequest",
    "Account",
    "AccountManager",
    "AccountRequest",
    "Anonymity",
    "Assignment",
    "Check",
    "CheckTurn",
    "ChecklistAct",
    "ChecklistItem",
    "Comment",
    "CopyAgreement",
    "DeadlineException",
    "Delivery",
    "Event",
    "Invitation",
    "Judgement",
    "MaintenanceRun",
    "Membership",
    "Notice",
    "PrivateRecord",
    "QuotaUse",
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
    "Tie",
    "Token",
    "Version",
    "Webhook",
]
