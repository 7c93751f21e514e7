"""Ties of accounts to vendors: declared by the account, ended by an editor with a reason, never deleted."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from submissions.errors import ConflictOfInterest, NoTie, ReasonNeeded
from submissions.models import Account, Tie
from submissions.permissions import has_role, require_role

JOINED = ("account", "ended_by")
MOST_OPEN = 100


def declare_ties(account: Account, vendors: Iterable[str]) -> None:
    """Tie the account to these vendors as well; those that it is tied to already stay."""
    names = list(dict.fromkeys(" ".join(vendor.split())[:120] for vendor in vendors if vendor.strip()))[:MOST_OPEN]
    with transaction.atomic():
        Tie.objects.bulk_create([Tie(account=account, vendor=name) for name in names], ignore_conflicts=True)
        _copy_open_vendors(account)


def end_tie(tie_id: int, editor: Account, reason: str) -> Tie:
    """End a tie of somebody else. For releases that were open meanwhile it goes on counting.

    Raises Forbidden below editor, NoTie where there is no such open tie, ConflictOfInterest for the own one,
    ReasonNeeded.
    """
    require_role(editor, Account.Role.EDITOR)
    if not reason.strip():
        raise ReasonNeeded
    with transaction.atomic():
        tie = Tie.objects.select_for_update(of=("self",)).select_related("account").filter(pk=tie_id, ended_at=None)
        row = tie.first()
        if row is None:
            raise NoTie
        if row.account_id == editor.pk:
            raise ConflictOfInterest("You cannot end your own tie. Ask another editor.")
        row.ended_at, row.ended_by, row.reason = timezone.now(), editor, reason.strip()
        row.save(update_fields=["ended_at", "ended_by", "reason"])
        _copy_open_vendors(row.account)
    return row


def visible_ties(account: Account) -> QuerySet[Tie]:
    """Newest first: the own ones; for editors those of all, the open ones first."""
    ties = Tie.objects.select_related(*JOINED).order_by("-since", "-id")
    return ties if has_role(account, Account.Role.EDITOR) else ties.filter(account=account)


def _copy_open_vendors(account: Account) -> None:
    """The column that ties had before they were rows; programs of the release before read it.

    Of several that change ties of one account at once, the later waits, and sees what the earlier wrote.
    """
    Account.objects.select_for_update().get(pk=account.pk)
    account.vendors = list(account.ties.filter(ended_at=None).values_list("vendor", flat=True))
    account.save(update_fields=["vendors"])
