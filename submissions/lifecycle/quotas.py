"""What an account and an institution may use within 24 hours. Each use is a row, so that restarts forget nothing.

The database's clock counts: no host whose own clock is wrong forgets uses, or holds them against an account for years.

Who uses something holds a lock until the transaction ends: of several at once, each counts the others.
A limit of 0 is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Aggregate, Count, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from registry.models import Site
from submissions.errors import BytesUsedUp, InstitutionBytesUsedUp, TooManyInvitations, TooManyUnchecked
from submissions.lifecycle.states import UNFINISHED
from submissions.models import Account, QuotaUse, Submission

WITHIN = timedelta(days=1)
MOST_LETTERS = 50
"""Invitations by mail of one account within a day."""
MOST_LETTERS_TO_ADDRESS = 3
"""Invitations by mail to one mailbox within a day, whoever sends them: `a+1@x.org` is the mailbox of `a@x.org`."""
Kind = QuotaUse.Kind


def use_bytes(account: Account, institution: Site | None, size: int, *, new: Submission | None = None) -> None:
    """Take bytes that are about to be stored from what is left; inside the transaction that stores them.

    `new` is the submission that this transaction made for them: it does not count as one that waits.
    Raises TooManyUnchecked where too many wait for their check, BytesUsedUp or InstitutionBytesUsedUp where too much
    was stored, with the seconds until there is room again.
    """
    _take_turns(f"account {account.pk}", *([f"institution {institution.pk}"] if institution else []))
    of_account = Q(account=account)
    of_institution = Q(institution=institution) if institution else Q(pk=None)
    uses = _recent_uses(Kind.BYTES)
    unchecked = Submission.objects.filter(account=account, state__in=UNFINISHED)
    if new:
        unchecked = unchecked.exclude(pk=new.pk)
    used = Account.objects.values(
        unchecked=_total_amount(unchecked, "account", Count("pk")),
        account=_total_amount(uses.filter(of_account), "kind", Sum("amount")),
        institution=_total_amount(uses.filter(of_institution), "kind", Sum("amount")),
    ).get(pk=account.pk)
    if 0 < settings.UNCHECKED_PER_ACCOUNT <= used["unchecked"]:
        raise TooManyUnchecked(f"{used['unchecked']} of its submissions wait for their check.")
    _require_room(uses.filter(of_account), used["account"], size, settings.UPLOAD_BYTES_PER_DAY, BytesUsedUp)
    _require_room(
        uses.filter(of_institution),
        used["institution"],
        size,
        settings.INSTITUTION_BYTES_PER_DAY if institution else 0,
        InstitutionBytesUsedUp,
    )
    _note_use(Kind.BYTES, account, institution, size)


def use_letter(account: Account, institution: Site, address: str) -> bool:
    """Take an invitation by mail from what is left; whether it is to be sent, for a renewal is mailed once a day.

    Inside the transaction that sends it. Raises TooManyInvitations where the account or the mailbox had enough today.
    """
    address = address.lower()
    mailbox = mailbox_of(address)
    _take_turns(*sorted((f"account {account.pk}", f"address {mailbox}")))
    uses = _recent_uses(Kind.LETTER)
    if uses.filter(address=address, institution=institution).exists():
        return False
    name, _, domain = mailbox.rpartition("@")
    with_suffix = Q(address__startswith=f"{name}+", address__endswith=f"@{domain}")
    to_mailbox = uses.filter(Q(address=mailbox) | with_suffix)
    if to_mailbox.count() >= MOST_LETTERS_TO_ADDRESS or uses.filter(account=account).count() >= MOST_LETTERS:
        raise TooManyInvitations
    _note_use(Kind.LETTER, account, institution, 1, address)
    return True


def mailbox_of(address: str) -> str:
    """The address in lower case, without what follows a plus: many servers deliver both to the same person."""
    name, _, domain = address.lower().rpartition("@")
    return f"{name.partition('+')[0]}@{domain}"


def delete_old_uses() -> int:
    """Forget what counts no more; how many rows went."""
    return QuotaUse.objects.filter(at__lt=Now() - WITHIN).delete()[0]


def _recent_uses(kind: str) -> QuerySet[QuotaUse]:
    return QuotaUse.objects.filter(kind=kind, at__gte=Now() - WITHIN)


def _total_amount(rows: QuerySet[Any], equal: str, amount: Aggregate) -> Coalesce:
    """What rows that are equal in one field come to, for a query of something else; 0 for none."""
    return Coalesce(Subquery(rows.order_by().values(equal).annotate(total=amount).values("total")), 0)


def _require_room(
    uses: QuerySet[QuotaUse],
    used: int,
    size: int,
    limit: int,
    refusal: type[BytesUsedUp] | type[InstitutionBytesUsedUp],
) -> None:
    if not limit or used + size <= limit:
        return
    problem = refusal(f"{used} of {limit} bytes were stored within 24 hours; this one has {size}.")
    problem.retry_after_s = _seconds_until_room(uses.order_by("at").values_list("at", "amount"), used + size - limit)
    raise problem


def _seconds_until_room(uses: Iterable[tuple[object, int]], excess: int) -> int | None:
    """Until so many bytes lie more than a day back; None where that is never so: the limit is below one file."""
    for at, amount in uses:
        excess -= amount
        if excess <= 0:
            return max(math.ceil((at + WITHIN - timezone.now()).total_seconds()), 1)  # type: ignore[operator]  # a time
    return None


def _note_use(kind: str, account: Account, institution: Site | None, amount: int, address: str = "") -> None:
    QuotaUse.objects.create(
        kind=kind, account=account, institution=institution, amount=amount, address=address, at=Now()
    )


def _take_turns(*names: str) -> None:
    """Until the transaction ends, nobody else uses what has these names. They are waited for in this order."""
    locks = ", ".join(["pg_advisory_xact_lock(hashtextextended(%s, 0))"] * len(names))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {locks}", [f"quota of {name}" for name in names])
