"""What public rows have that no public record has: who decided, why before publication, and members in common.

People are the numbers of their accounts, which stay when an account is erased and gets another name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Model, QuerySet

from registry.models import IdentityChange, Override, Reproduction
from submissions.models import Account, PrivateRecord

Kind = PrivateRecord.Kind
MODELS: dict[str, type[Model]] = {Kind.RANKING: Override, Kind.NAMING: IdentityChange, Kind.SHARING: Reproduction}


def decided_rows() -> dict[Kind, QuerySet[Any]]:
    """By kind the rows that need a record: what people decided here, and marks. Data files decide the rest."""
    return {
        Kind.RANKING: Override.objects.filter(release__imported=False, result__erasure=None).order_by("pk"),
        Kind.NAMING: IdentityChange.objects.exclude(decided_by="", undone_by="").order_by("pk"),
        Kind.SHARING: Reproduction.objects.order_by("pk"),
    }


def rows_facts(kind: Kind, rows: Sequence[Any]) -> list[dict[str, Any]]:
    """What is recorded of each of these rows of one kind. Two queries at most."""
    if kind == Kind.SHARING:
        return [{"number": mark.pk, "shares_members_with": mark.shares_members_with} for mark in rows]
    if kind == Kind.NAMING:
        numbers = _account_numbers({name for change in rows for name in (change.decided_by, change.undone_by)})
        return [_naming_facts(change, numbers) for change in rows]
    decisions = Override.objects.filter(pk__in=[row.pk for row in rows]).select_related("release", "result")
    by_key = decisions.in_bulk()
    numbers = _account_numbers({row.decided_by for row in by_key.values()})
    return [_ranking_facts(by_key[row.pk], numbers) for row in rows]


def _naming_facts(change: IdentityChange, numbers: Mapping[str, int]) -> dict[str, Any]:
    return {
        "number": change.pk,
        "decided_by": numbers.get(change.decided_by),
        "undone_by": numbers.get(change.undone_by),
    }


def _ranking_facts(decision: Override, numbers: Mapping[str, int]) -> dict[str, Any]:
    return {
        "number": decision.pk,
        "release": decision.release.slug,
        "list": decision.list_name,
        "result": decision.result.public_id,
        "action": decision.action,
        "score": decision.score,
        "reason": decision.reason,
        "decided_by": numbers.get(decision.decided_by),
        "decided_at": decision.decided_at,
    }


def _account_numbers(usernames: set[str]) -> dict[str, int]:
    """By username the number of the account."""
    return dict(Account.objects.filter(username__in=usernames).values_list("username", "pk"))
