"""Overrides as JSON."""

from __future__ import annotations

from typing import Any

from registry.models import Override, RankedList


def override_document(row: Override, ranked_list: RankedList) -> dict[str, Any]:
    """`row` with its result joined."""
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
