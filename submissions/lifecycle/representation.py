"""History and receipts as JSON."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from submissions.lifecycle.responses import HistoryRow
from submissions.models import Event, Submission

JOINED = Submission.objects.select_related(
    "account", "institution", "release", "result", "derivative", "signature", "reproduces"
)


def receipt_document(submission: Submission, request: HttpRequest) -> dict[str, Any]:
    """What an upload is answered with."""
    return {
        "id": str(submission.pk),
        "state": submission.state,
        "url": request.build_absolute_uri(f"/submissions/{submission.pk}/"),
        "sha256": submission.sha256,
    }


def history_document(submission: Submission) -> list[HistoryRow]:
    return [event_document(row) for row in submission.events.select_related("actor").order_by("id")]


def event_document(row: Event) -> HistoryRow:
    return HistoryRow(
        at=row.at,
        actor=row.actor.username if row.actor else None,
        from_state=row.from_state or None,
        to_state=row.to_state,
        reason=row.reason,
    )
