"""The log in figures: for its page, and for whoever watches the registry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min

from registry.log.signing import verifier_keys
from registry.models import LogCheckpoint, LogLeaf, LogOpening, LogState

RESTORED_SUBJECT = "log/restored"
"""Under which restorations from a backup are recorded."""


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


def log_overview() -> LogOverview:
    """Four queries, whatever the log holds."""
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
    )
