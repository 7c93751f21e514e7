"""The log in figures: for its page, and for whoever watches the registry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeGuard

from django.db.models import Count, Min

from registry.log.canonical_form import read_record
from registry.log.signing import verifier_keys
from registry.models import LogCheckpoint, LogLeaf, LogOpening, LogState

RESTORED_SUBJECT = "log/restored"
"""Under which restorations from a backup are recorded."""
CLOCK_SUBJECT = "log/clock"
"""Under which reasons are recorded for times that do not fit."""
LONGEST_REASON = 500
"""Characters of such a reason."""


@dataclass(frozen=True, slots=True)
class ExplainedTimes:
    """Entries of the log, by place, whose times do not fit, and why by the word of an operator."""

    recorded_at: datetime
    reason: str
    entries: frozenset[int]


@dataclass(frozen=True, slots=True)
class LogOverview:
    """`size` entries are signed, `waiting` are not appended yet; `trouble` says why nothing can be appended."""

    origin: str
    size: int
    waiting: int
    waits_since: datetime | None
    note: str
    root: str
    signed_at: datetime | None
    trouble: str
    keys: list[str]
    restored_at: list[datetime]
    explained: list[ExplainedTimes]


def log_overview() -> LogOverview:
    """Five queries, whatever the log holds."""
    state = LogState.objects.only("origin", "trouble").filter(pk=1).first()
    newest = LogCheckpoint.objects.order_by("-size").first()
    pending = LogLeaf.objects.filter(index=None).aggregate(count=Count("pk"), oldest=Min("noted_at"))
    restored = LogOpening.objects.filter(subject=RESTORED_SUBJECT).order_by("-leaf")
    return LogOverview(
        origin=state.origin if state else "",
        size=newest.size if newest else 0,
        waiting=pending["count"],
        waits_since=pending["oldest"],
        note=newest.note if newest else "",
        root=bytes(newest.root).hex() if newest else "",
        signed_at=newest.signed_at if newest else None,
        trouble=state.trouble if state else "",
        keys=verifier_keys(),
        restored_at=list(restored.values_list("recorded_at", flat=True)[:20]),
        explained=explained_times()[:20],
    )


def explained_times() -> list[ExplainedTimes]:
    """What operators recorded about times that do not fit, the newest first; each speaks of earlier entries alone.

    A record that `explain_times` cannot have made explains nothing.
    """
    rows = LogOpening.objects.filter(subject=CLOCK_SUBJECT).order_by("-leaf")
    explained = []
    for recorded_at, canonical, place in rows.values_list("recorded_at", "canonical", "leaf__index"):
        facts = (read_record(canonical or "") or {}).get("clock")
        reason, listed = (facts.get("reason"), facts.get("entries")) if isinstance(facts, dict) else (None, None)
        if not is_reason(reason) or not isinstance(listed, list):
            continue
        entries = (entry for entry in listed if type(entry) is int and (place is None or entry < place))
        explained.append(ExplainedTimes(recorded_at, reason, frozenset(entries)))
    return explained


def is_reason(reason: Any) -> TypeGuard[str]:
    """Whether something is a reason that everybody may read: a text that can be printed, and not too long."""
    return isinstance(reason, str) and 0 < len(reason) <= LONGEST_REASON and reason.isprintable()
