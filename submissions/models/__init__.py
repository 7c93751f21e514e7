"""Private tables: accounts and what they submit. The public record has its own tables in `registry`."""

from submissions.models.accounts import (
    AccessRequest,
    Account,
    AccountManager,
    AccountRequest,
    Invitation,
    Membership,
    MembershipPeriod,
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
from submissions.models.review import Assignment, Comment, Disposition, Judgement, Question, QuestionConsent, Review
from submissions.models.secret_files import SecretFile
from submissions.models.shelf import (
    FIRST_NUMBER,
    ShelfFact,
    ShelfMeasurement,
    ShelfObservedParameter,
    ShelfResult,
    ShelfRun,
    ShelfShare,
    ShelfSystem,
    ShelfSystemSnapshot,
    own_condition,
)
from submissions.models.stored_faults import ScrubRun, StoredFault
from submissions.models.submissions import (
    CLOSED,
    EXPIRING_DRAFT,
    EXPIRING_TRIAL,
    SHELVED,
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
    "FIRST_NUMBER",
    "SHELVED",
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
    "Disposition",
    "Event",
    "Invitation",
    "Judgement",
    "MaintenanceRun",
    "Membership",
    "MembershipPeriod",
    "Notice",
    "PrivateRecord",
    "Question",
    "QuestionConsent",
    "QuotaUse",
    "ReceiptKey",
    "RecheckComparison",
    "Review",
    "ScrubRun",
    "ScrubbedCopy",
    "SecretFile",
    "ShelfFact",
    "ShelfMeasurement",
    "ShelfObservedParameter",
    "ShelfResult",
    "ShelfRun",
    "ShelfShare",
    "ShelfSystem",
    "ShelfSystemSnapshot",
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
    "own_condition",
]
