"""Frozen lists move only by dated amendments, each with its reason: a decision, the end of an embargo, a name."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from registry.lists import listing
from registry.lists.ranking import DefinitionError
from registry.log import recording
from registry.models import Override, RankedList, Release, Result
from registry.models.lists import AMENDED
from submissions.errors import Forbidden, OverrideRefused
from submissions.lifecycle import private_records
from submissions.models import Account, PrivateRecord
from submissions.permissions import has_role

LOCK = 0x68777075  # "hwpu"


def lock_publication() -> None:
    """Held to the end of the transaction: one publication or amendment at a time, as they share numbers and lists."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])


def override_result(
    ranked_list: RankedList, editor: Account, result_id: str, action: str, reason: str, score: float | None = None
) -> tuple[Override, RankedList]:
    """Decide about one result of one list, with a reason; a frozen list is amended by exactly that decision.

    Raises Forbidden, OverrideRefused; the list is as before then.
    """
    if not has_role(editor, Account.Role.EDITOR):
        raise Forbidden
    result = Result.objects.filter(public_id=result_id).first()
    release = ranked_list.release
    if result is None or release.imported:
        raise OverrideRefused(f"There is no result {result_id[:60]!r}." if result is None else "The list is a copy.")
    if result.trust in (Result.Trust.REPORTED, Result.Trust.DERIVED):
        raise OverrideRefused(f"What is only {result.trust} stands on no list that is made here.")
    if not reason.strip() or (action == Override.Action.SCORE) != (score is not None):
        raise OverrideRefused("It needs a reason, and a score exactly when the action is `score`.")
    with transaction.atomic():
        lock_publication()
        ranked_list.refresh_from_db()
        decision, _ = Override.objects.update_or_create(
            release=release,
            list_name=ranked_list.name,
            result=result,
            defaults={
                "action": action,
                "score": score,
                "reason": reason.strip(),
                "decided_by": editor.username,
                "decided_at": timezone.now(),
            },
        )
        private_records.record_rows((PrivateRecord.Kind.RANKING, [decision]))
        return decision, _amend_list(ranked_list, f"{result.public_id}: {reason.strip()}")


def add_embargoed(release: Release, added: list[Result], why: str) -> None:
    """Put what was kept back onto the frozen lists that it belongs to, of its release and of those after it."""
    until, ids = (
        max(result.published_at for result in added if result.published_at),
        {result.public_id for result in added},
    )
    frozen = RankedList.objects.filter(release__imported=False, release__held_on__gte=release.held_on)
    frozen = frozen.exclude(frozen_at=None).select_related("release", "definition")
    for ranked_list in frozen.order_by("release__held_on", "release_id", "position"):
        before = ranked_list.entered_until
        RankedList.objects.filter(pk=ranked_list.pk).update(entered_until=until)
        if entering := listing.entries_if_made_now(ranked_list, ids):
            _amend_list(ranked_list, f"{', '.join(entering)}: {why}", until)
        else:
            RankedList.objects.filter(pk=ranked_list.pk).update(entered_until=before)


def note_named_results(results: list[Result]) -> None:
    """Say on the frozen lists whose results these are, which stood there without a name."""
    frozen = RankedList.objects.filter(entries__result__in=results, release__imported=False).exclude(frozen_at=None)
    ids = {result.public_id for result in results}
    for ranked_list in frozen.select_related("release", "definition").distinct().order_by("release", "position"):
        standing = ranked_list.entries.filter(result__public_id__in=ids).values_list("result__public_id", flat=True)
        _amend_list(ranked_list, f"{', '.join(standing)}: named by its submitter.")


def _amend_list(ranked_list: RankedList, reason: str, until: datetime | None = None) -> RankedList:
    """Make a list anew; the trigger on a frozen one lets only a transaction through that names its reason.

    `until` moves the time until which results may have been published; without it that stays as it is.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('highwater.amend', %s, true)", [reason])
    was_frozen = ranked_list.frozen_at is not None
    if was_frozen:
        day = f"{timezone.now():%Y-%m-%d}"
        note = "\n".join(filter(None, [ranked_list.note, f"{AMENDED}{day}: {reason}"]))
        until = until or ranked_list.entered_until
        RankedList.objects.filter(pk=ranked_list.pk).update(frozen_at=None, note=note, entered_until=until)
    try:
        definition = ranked_list.definition if was_frozen else None
        amended = listing.freeze_list(ranked_list.release, ranked_list.name, freeze=was_frozen, definition=definition)
        recording.record_lists([amended], recording.AMENDED)
        return amended
    except (listing.ListError, DefinitionError) as error:
        raise OverrideRefused(str(error)) from error
    finally:
        if not connection.needs_rollback:
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('highwater.amend', '', true)")


def override_document(row: Override, ranked_list: RankedList) -> dict[str, Any]:
    """A decision about a result of a list, as JSON; `row` with its result joined."""
    return {
        "release": ranked_list.release.slug,
        "list": ranked_list.name,
        "result": row.result.public_id,
        "action": row.action,
        "score": row.score,
        "reason": row.reason,
        "decided_by": row.decided_by,
        "decided_at": row.decided_at,
        "entries": ranked_list.entries.count(),
    }
