"""A checklist as JSON: the names of responses.py."""

from __future__ import annotations

from registry.models import Release
from submissions.models import ChecklistAct, ChecklistItem
from submissions.publication.checklist import items as checklist_items
from submissions.publication.checklist.responses import Checklist, ChecklistActRow, ChecklistItemRow


def checklist_document(release: Release) -> Checklist:
    """The whole checklist with its newest acts, as an answer."""
    rows = checklist_items.list_items(release)
    return Checklist(
        release=release.slug,
        open=sum(item.done_at is None for item in rows),
        items=[item_document(item) for item in rows],
        history=[act_document(act) for act in checklist_items.list_acts(release)],
    )


def item_document(item: ChecklistItem) -> ChecklistItemRow:
    """One item, its account joined."""
    return ChecklistItemRow(
        id=item.pk,
        position=item.position,
        label=item.label,
        done=item.done_at is not None,
        done_by=item.done_by.username if item.done_by else None,
        done_at=item.done_at,
        version=item.version,
    )


def act_document(act: ChecklistAct) -> ChecklistActRow:
    """One act, its account joined."""
    return ChecklistActRow(
        at=act.at,
        account=act.account.username if act.account else None,
        action=ChecklistAct.Action(act.action),
        label=act.label,
        detail=act.detail,
    )
