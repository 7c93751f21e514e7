"""System documents as JSON."""

from __future__ import annotations

from typing import Any

from submissions.models import Submission, SubmittedSystem
from validators.system import difference as system_difference


def system_in_short(submission: Submission) -> dict[str, Any] | None:
    """What the description of the system holds; None where the bundle has none."""
    snapshot = getattr(submission, "system_snapshot", None)
    return snapshot and {"sha256": snapshot.sha256} | snapshot.summary


def system_document(snapshot: SubmittedSystem) -> dict[str, Any]:
    """The description of the system in short and as a whole."""
    return {"sha256": snapshot.sha256, "summary": snapshot.summary, "document": snapshot.document}


def difference_document(*submissions: Submission) -> dict[str, Any]:
    """What differs between the systems of submissions, each joined with its snapshot."""
    snapshots = [getattr(submission, "system_snapshot", None) for submission in submissions]
    return system_difference.difference([snapshot and snapshot.document for snapshot in snapshots])
