"""Projects and labels of shelved runs, and with whom a run is shared until when. Members of its institution decide."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Func, Q, QuerySet
from django.utils import timezone

from submissions.errors import NotOnShelf, NotShared, ShelfRefused
from submissions.models import Account, ShelfRun, ShelfShare

MOST_LABELS, MOST_SHARES = 20, 50
LABEL_LENGTH, PROJECT_LENGTH = 40, 60
MOST_DAYS = 366


def find_run(runs: QuerySet[ShelfRun], run_id: UUID) -> ShelfRun:
    """One of some shelved runs. Raises NotOnShelf, for one that the account may not see too."""
    shelf_run = runs.filter(key=run_id).select_related("submission__institution").first()
    if shelf_run is None:
        raise NotOnShelf
    return shelf_run


def group_runs(
    account: Account, ids: Collection[UUID], project: str | None = None, labels: Sequence[str] | None = None
) -> None:
    """Set project and labels of runs, all or none; what is None stays.

    Raises NotOnShelf where one is not the account's, ShelfRefused for words that are too long or too many.
    """
    with transaction.atomic():
        runs = ShelfRun.objects.of_member(account).filter(key__in=ids)
        if len(runs.select_for_update(of=("self",))) < len(set(ids)):
            raise NotOnShelf
        _set_groups(runs, project, labels)


def group_matching(
    account: Account, condition: Q, project: str | None = None, labels: Sequence[str] | None = None
) -> int:
    """Set project and labels of all runs of the account's institutions that meet a condition; how many they are.

    Raises ShelfRefused without a condition, without words to set, and as `group_runs`.
    """
    if project is None and labels is None:
        raise ShelfRefused("Nothing to set: give a project or labels.")
    if not condition:
        raise ShelfRefused("Say which runs: all of a shelf are not grouped at once.")
    return _set_groups(ShelfRun.objects.of_member(account).filter(condition), project, labels)


def _set_groups(runs: QuerySet[ShelfRun], project: str | None, labels: Sequence[str] | None) -> int:
    words: dict[str, Any] = {}
    if project is not None:
        words["project"] = _check_text("project", project, PROJECT_LENGTH)
    if labels is not None:
        words["labels"] = _check_labels(labels)
    return runs.update(**words) if words else runs.count()


def _check_labels(labels: Sequence[str]) -> list[str]:
    """Labels without repeats, in their order. Raises ShelfRefused for too many, and for one that is too long."""
    words = list(dict.fromkeys(filter(None, (_check_text("labels", label, LABEL_LENGTH) for label in labels))))
    if len(words) > MOST_LABELS:
        raise ShelfRefused(f"At most {MOST_LABELS} labels.", errors={"labels": [f"at most {MOST_LABELS}"]})
    return words


def _check_text(name: str, text: str, longest: int) -> str:
    words = " ".join(text.split())
    if len(words) > longest or "\0" in words or "," in words:
        why = f"at most {longest} characters, without commas"
        raise ShelfRefused(f"A word for {name} has {why}.", errors={name: [why]})
    return words


def known_groups(account: Account) -> tuple[list[str], list[str]]:
    """Projects and labels of the runs that the account's institutions have, in order."""
    runs = ShelfRun.objects.of_member(account)
    projects = runs.exclude(project="").order_by("project").values_list("project", flat=True).distinct()
    labels = runs.annotate(label=Func(F("labels"), function="unnest")).values_list("label", flat=True).distinct()
    return list(projects), sorted(labels)


def share_run(account: Account, run_id: UUID, username: str, until: datetime) -> ShelfShare:
    """Let an account see one run until a moment; again, the new moment counts.

    Whether there is an account of that name nobody is told. Raises NotOnShelf, and ShelfRefused for a moment that has
    passed or lies too far ahead, and for a name that no account can have.
    """
    shelf_run, now = find_run(ShelfRun.objects.of_member(account), run_id), timezone.now()
    if not now < until <= now + timedelta(days=MOST_DAYS):
        why = f"a moment from now on, at most {MOST_DAYS} days ahead"
        raise ShelfRefused(f"It is shared until {why}.", errors={"until": [why]})
    try:
        Account._meta.get_field("username").run_validators(username)
    except ValidationError as error:
        raise ShelfRefused("No account has such a name.", errors={"username": error.messages}) from error
    with transaction.atomic():
        ShelfRun.objects.select_for_update().get(pk=shelf_run.pk)  # of several at once, each counts the others
        if shelf_run.shares.exclude(username=username).count() >= MOST_SHARES:
            raise ShelfRefused(f"A run is shared with at most {MOST_SHARES} accounts.")
        other = Account.objects.filter(username=username).first()
        share, _ = ShelfShare.objects.update_or_create(
            run=shelf_run,
            username=username,
            defaults={"account": other, "until": until, "shared_by": account, "shared_at": now},
        )
    return share


def delete_ended_shares() -> int:
    """Delete the shares whose moment has passed; how many there were."""
    return ShelfShare.objects.filter(until__lte=timezone.now()).delete()[0]


def end_share(account: Account, run_id: UUID, username: str) -> None:
    """End a share at once. Raises NotOnShelf where the run is not the account's, NotShared where there is no share."""
    shelf_run = find_run(ShelfRun.objects.of_member(account), run_id)
    ended, _ = shelf_run.shares.filter(username=username.replace("\0", "")).delete()
    if not ended:
        raise NotShared
