"""Who may see and do what with submissions: the one place that knows.

What an account may not see is answered like what is not there, by the same line of code.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from registry.models import Release, Site, Step
from registry.query.names import canonical_names
from registry.query.names.text_folding import fold_text
from submissions.errors import ConflictOfInterest, Forbidden, NotFound, NotYours
from submissions.models import Account, Submission, Tie

RANKS = (Account.Role.SUBMITTER, Account.Role.REVIEWER, Account.Role.EDITOR, Account.Role.ADMIN)


def has_role(account: Account, role: str) -> bool:
    """Whether an account has a role or one above it."""
    return account.is_active and RANKS.index(Account.Role(account.role)) >= RANKS.index(Account.Role(role))


def visible_to(account: Account) -> QuerySet[Submission]:
    """Own ones and those of the own institutions; reviewers: all that were submitted; editors and admins: all."""
    if has_role(account, Account.Role.EDITOR):
        return Submission.objects.all()
    own = Q(account=account) | Q(institution__in=account.memberships.order_by().values("institution"))
    if has_role(account, Account.Role.REVIEWER):
        own |= Q(submitted_at__isnull=False)
    return Submission.objects.filter(own)


def visible_submission(
    account: Account, submission_id: UUID | str, among: QuerySet[Submission] | None = None
) -> Submission:
    """One submission that the account may see, out of `among` (by default plain rows).

    Raises NotFound where there is none.
    """
    visible = visible_to(account) if among is None else among & visible_to(account)
    submission = visible.filter(pk=submission_id).first()
    if submission is None:
        raise NotFound
    return submission


def is_own(account: Account, submission: Submission) -> bool:
    """Whether it is the account's, or of one of its institutions."""
    if submission.account_id == account.pk:
        return True
    return submission.institution_id is not None and is_member(account, submission.institution_id)


def own_submission(
    account: Account, submission_id: UUID | str, among: QuerySet[Submission] | None = None
) -> Submission:
    """One submission that is the account's, or of one of its institutions.

    Raises NotFound for what it may not see, NotYours for another's that it may see.
    """
    submission = visible_submission(account, submission_id, among)
    require_own(account, submission)
    return submission


def is_member(account: Account, site_id: int) -> bool:
    return account.memberships.filter(institution=site_id).exists()


def own_and_merged_sites(account: Account) -> QuerySet[Site]:
    """The account's institutions and all that were merged with one of them.

    Who belongs there judges nothing of any of them, and speaks for their systems. It sees no more submissions by it.
    """
    own = account.memberships.order_by().values_list(Coalesce("institution__merged_into", "institution"))
    return Site.objects.order_by().filter(Q(pk__in=own) | Q(merged_into__in=own))


def require_own(account: Account, submission: Submission) -> None:
    """Raises NotYours for everybody who may only look at it."""
    if not is_own(account, submission):
        raise NotYours


def require_role(account: Account, role: str) -> None:
    """Check that the account has the role or one above it. Raises Forbidden where it does not."""
    if not has_role(account, role):
        raise Forbidden(f"This needs the role {role} or one above it; this account is a {account.role}.")


def conflict_reason(account: Account, submission: Submission) -> str:
    """Why this account may not review it, as a sentence; "" where nothing stands against it."""
    if is_own(account, submission):
        return "It belongs to this account or its institution."
    if submission.institution_id and own_and_merged_sites(account).filter(pk=submission.institution_id).exists():
        return "It belongs to an institution that was merged with this account's."
    tied = tied_vendors(account, submission.release)
    return _tie_sentence(_find_tie(tied, str(submission.metadata.get("storage_vendor") or ""), submission.institution))


def conflict_about(account: Account, step: Step) -> str:
    """Why a reviewer who is tied to a vendor may say nothing of a step; "" where nothing stands against it.

    Members of the institution speak for themselves.
    """
    site = step.system.site
    if own_and_merged_sites(account).filter(pk=site.pk).exists():
        return ""
    tied = tied_vendors(account)
    return _tie_sentence(
        _find_tie(tied, step.before.storage_vendor, site) or _find_tie(tied, step.after.storage_vendor, site)
    )


def conflicting_ids(account: Account, submissions: QuerySet[Submission]) -> list[UUID]:
    """Those of `submissions` that the account may not review because of a vendor."""
    ties = list(account.ties.all())
    if not ties:
        return []
    times = [f"release__{name}" for name in ("opens", "called_at", "published_at")]
    rows = submissions.select_related("institution__merged_into", "release").only(
        "id", "metadata", "institution__name", "institution__merged_into__name", *times
    )
    return [
        row.pk
        for row in rows
        if _find_tie(
            [tie.vendor for tie in ties if _tie_counts(tie, row.release)],
            str(row.metadata.get("storage_vendor") or ""),
            row.institution,
        )
    ]


def tied_vendors(account: Account, release: Release | None = None) -> list[str]:
    """The vendors that the account is tied to now, or was while that release was open."""
    return [tie.vendor for tie in account.ties.all() if _tie_counts(tie, release)]


def _tie_counts(tie: Tie, release: Release | None) -> bool:
    """Whether a tie stands, or stood at a time between the opening of a release and its publication."""
    if tie.ended_at is None:
        return True
    if release is None or (release.opens or release.called_at) > tie.ended_at:
        return False
    return release.published_at is None or release.published_at >= tie.since


def _find_tie(vendors: Iterable[str], vendor: str, institution: Site | None) -> str:
    """The vendor of the storage, or that submits, if it is one of `vendors`; "" if not."""
    tied = {_canonical_vendor(tied_vendor) for tied_vendor in vendors}
    sites = [institution, institution.merged_into] if institution else []
    names = [vendor, *(site.name[:120] for site in sites if site)]  # as long as a tie keeps it
    return next((name for name in names if name and _canonical_vendor(name) in tied), "")


def _tie_sentence(vendor: str) -> str:
    return f"This account is tied to {vendor}." if vendor else ""


def _canonical_vendor(vendor: str) -> str:
    return fold_text(_vendor_names().vendor(vendor))


@cache
def _vendor_names() -> canonical_names.Names:
    return canonical_names.read_names()


def require_review(account: Account, submission: Submission) -> None:
    """Raises Forbidden below reviewer, ConflictOfInterest for the own, the own institution's and a tied vendor's."""
    require_role(account, Account.Role.REVIEWER)
    if why := conflict_reason(account, submission):
        raise ConflictOfInterest(why)


def require_bytes(account: Account, submission: Submission) -> None:
    """The bytes as received are for their institution and for who may review them. Raises ConflictOfInterest."""
    if not is_own(account, submission):
        require_review(account, submission)


class IsEditor(BasePermission):
    """For whole addresses that only editors may use."""

    def has_permission(self, request: Request, view: object) -> bool:
        if not isinstance(request.user, Account):
            return False
        require_role(request.user, Account.Role.EDITOR)
        return True
