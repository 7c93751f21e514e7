"""What an account and an institution may use within 24 hours. Each use is a row, so that restarts forget nothing.

Who uses something holds a lock until the transaction ends: of several at once, each counts the others.
A limit of 0 is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet, Sum
from django.utils import timezone

from registry.models import Site
from submissions.errors import BytesUsedUp, InstitutionBytesUsedUp, TooManyInvitations, TooManyUnchecked
from submissions.lifecycle.states import UNFINISHED
from submissions.models import Account, QuotaUse, Submission

WITHIN = timedelta(days=1)
MOST_LETTERS = 50
"""Invitations by mail of one account within a day."""
MOST_LETTERS_TO_ADDRESS = 3
"""Invitations by mail to one address within a day, whoever sends them."""
Kind = QuotaUse.Kind


def use_bytes(account: Account, institution: Site | None, size: int) -> None:
    """Take bytes that are about to be stored from what is left; inside the transaction that stores them.

    Raises TooManyUnchecked where too many wait for their check, BytesUsedUp or InstitutionBytesUsedUp where too much
    was stored, with the seconds until there is room again.
    """
    _take_turn(f"account {account.pk}")
    unchecked = Submission.objects.filter(account=account, state__in=UNFINISHED).count()
    if 0 < settings.UNCHECKED_PER_ACCOUNT <= unchecked:
        raise TooManyUnchecked(f"{unchecked} of its submissions wait for their check.")
    uses = _recent_uses(Kind.BYTES)
    _require_room(uses.filter(account=account), size, settings.UPLOAD_BYTES_PER_DAY, BytesUsedUp)
    if institution is not None:
        _take_turn(f"institution {institution.pk}")
        of_institution = uses.filter(institution=institution)
        _require_room(of_institution, size, settings.INSTITUTION_BYTES_PER_DAY, InstitutionBytesUsedUp)
    _note_use(Kind.BYTES, account, institution, size)


def use_letter(account: Account, institution: Site, address: str) -> bool:
    """Take an invitation by mail from what is left; whether it is to be sent, for a renewal is mailed once a day.

    Inside the transaction that sends it. Raises TooManyInvitations where the account or the address had enough today.
    """
    address = address.lower()
    for name in sorted((f"account {account.pk}", f"address {address}")):
        _take_turn(name)
    uses = _recent_uses(Kind.LETTER)
    to_address = uses.filter(address=address)
    if to_address.filter(institution=institution).exists():
        return False
    if to_address.count() >= MOST_LETTERS_TO_ADDRESS or uses.filter(account=account).count() >= MOST_LETTERS:
        raise TooManyInvitations
    _note_use(Kind.LETTER, account, institution, 1, address)
    return True


def delete_old_uses() -> int:
    """Forget what counts no more; how many rows went."""
    return QuotaUse.objects.filter(at__lt=timezone.now() - WITHIN).delete()[0]


def _recent_uses(kind: str) -> QuerySet[QuotaUse]:
    return QuotaUse.objects.filter(kind=kind, at__gte=timezone.now() - WITHIN)


def _require_room(
    uses: QuerySet[QuotaUse], size: int, limit: int, refusal: type[BytesUsedUp] | type[InstitutionBytesUsedUp]
) -> None:
    used = uses.aggregate(sum=Sum("amount"))["sum"] or 0
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
        kind=kind, account=account, institution=institution, amount=amount, address=address, at=timezone.now()
    )


def _take_turn(name: str) -> None:
    """Until the transaction ends, nobody else uses what has this name."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"quota of {name}"])
