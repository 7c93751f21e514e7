"""Pages of submissions, newest first, by the key of the last row shown: rows that arrive meanwhile shift nothing."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from registry.query.cursor_pages import BadCursor
from submissions.models import Submission

CURSOR_LIMIT = 200  # characters


@dataclass(frozen=True, slots=True)
class Page:
    rows: list[Submission]
    cursor: str | None
    """Of the page after this one; None on the last."""


def take_page(submissions: QuerySet[Submission], cursor: str, size: int) -> Page:
    """Up to `size` rows after the cursor ("" begins). Raises BadCursor."""
    if cursor:
        at, pk = _decode_cursor(cursor)
        submissions = submissions.filter(Q(received_at__lt=at) | Q(received_at=at, pk__lt=pk))
    rows = list(submissions.order_by("-received_at", "-id")[: size + 1])
    return Page(rows[:size], _encode_cursor(rows[size - 1]) if len(rows) > size else None)


def _encode_cursor(last: Submission) -> str:
    content = json.dumps([last.received_at.isoformat(), str(last.pk)])
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


def _decode_cursor(cursor: str) -> tuple[datetime, UUID]:
    try:
        if len(cursor) > CURSOR_LIMIT:
            raise BadCursor
        at, pk = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is None:
            raise BadCursor
        return moment, UUID(pk)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise BadCursor from error
