"""Whether two institutions had no member in common. What is not known of memberships is no proof."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from django.db.models.functions import Coalesce

from registry.models import Site
from submissions.models import Account, MembershipPeriod

_AT_ONCE = timedelta(seconds=10)
"""Memberships of an account that are kept since so soon after it was made are kept from its beginning."""


class Independence(Enum):
    """How two institutions are related by their members."""

    SAME = "same"
    """One institution, or two with a common member."""
    NONE_IN_COMMON = "none in common"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Span:
    """A time of which memberships are asked. Without `began_at` it is some time until `ended_at`, not known which."""

    began_at: datetime | None
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class _Stay:
    """From when until when an account is known to have been a member; without an end it still is."""

    site: int
    began_at: datetime
    ended_at: datetime | None


def find_common_members(first: Site, other: Site, spans: Iterable[Span]) -> Independence:
    """Whether one institution is the other, or somebody was a member of both within one of the spans. One query.

    Memberships before Account.memberships_known_since are not known: who belonged to one of them at such a time, or
    may have, may have belonged to the other. Nor is it known whether a common member of a span without a beginning
    was one at the time in question.
    """
    sites = {current_pk(first), current_pk(other)}
    if len(sites) == 1:
        return Independence.SAME
    stays_by_account = _stays_by_account(sites)
    unknown = False
    for span in spans:
        for account, stays in stays_by_account.items():
            if account.date_joined > span.ended_at:
                continue
            if _is_member_of_both(stays, span):
                if span.began_at is not None:
                    return Independence.SAME
                unknown = True
            unknown = unknown or not _is_known(account, span)
    return Independence.UNKNOWN if unknown else Independence.NONE_IN_COMMON


def current_pk(site: Site) -> int:
    """The key of what an institution is called today."""
    return site.merged_into_id or site.pk


def _is_known(account: Account, span: Span) -> bool:
    """Whether the memberships of an account are known for all of a span in which it existed."""
    if span.began_at is not None and span.began_at >= account.date_joined:
        return span.began_at >= account.memberships_known_since
    return account.memberships_known_since <= account.date_joined + _AT_ONCE


def _is_member_of_both(stays: Sequence[_Stay], span: Span) -> bool:
    """Whether two stays at the two institutions overlap within the span."""
    return any(
        first.site != another.site and _stays_overlap(first, another, span)
        for number, first in enumerate(stays)
        for another in stays[number + 1 :]
    )


def _stays_overlap(first: _Stay, another: _Stay, span: Span) -> bool:
    begins = [first.began_at, another.began_at, *([span.began_at] if span.began_at else [])]
    ends = [span.ended_at, *(stay.ended_at for stay in (first, another) if stay.ended_at)]
    return max(begins) <= min(ends)


def _stays_by_account(sites: set[int]) -> dict[Account, list[_Stay]]:
    """The stays at these institutions, under their former names too, by account.

    A period without a beginning began before its memberships were known.
    """
    current = Coalesce("institution__merged_into", "institution")
    rows = MembershipPeriod.objects.annotate(current=current).filter(current__in=sites).select_related("account")
    by_account: dict[Account, list[_Stay]] = {}
    for period in rows:
        began_at = period.began_at or period.account.memberships_known_since
        by_account.setdefault(period.account, []).append(_Stay(period.current, began_at, period.ended_at))
    return by_account
