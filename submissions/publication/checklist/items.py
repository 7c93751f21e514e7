"""Items of a checklist: each act is of one account, at one time, and stands in the history.

Every act locks the release first, so that of two editors at once one waits. What was changed meanwhile is refused by
its version, and nothing is overwritten unseen. Open items warn and never block a publication.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from registry.models import Release
from registry.query.names.canonical_names import plain_text
from submissions.errors import ChecklistChanged, ChecklistInvalid, ChecklistTaken, NoChecklistItem, ReleaseInvalid
from submissions.models import Account, ChecklistAct, ChecklistItem
from submissions.models.checklists import LONGEST_LABEL
from submissions.permissions import require_role

MOST_ITEMS = 100
HISTORY_SHOWN = 100

Action = ChecklistAct.Action


def list_items(release: Release) -> list[ChecklistItem]:
    """The items in their order, each with its account."""
    items = ChecklistItem.objects.filter(release=release).select_related("done_by")
    return list(items.order_by("position", "id"))


def list_acts(release: Release) -> list[ChecklistAct]:
    """The newest acts first, at most HISTORY_SHOWN."""
    return list(ChecklistAct.objects.filter(release=release).select_related("account")[:HISTORY_SHOWN])


def copy_from_last(release: Release) -> None:
    """Give a new release the labels of the release made before it, all open; inside the caller's transaction."""
    last = Release.objects.filter(imported=False).exclude(pk=release.pk).order_by("-pk").first()
    labels = [item.label for item in list_items(last)] if last else []
    if last is None or not labels:
        return
    ChecklistItem.objects.bulk_create(
        ChecklistItem(release=release, position=position, label=label) for position, label in enumerate(labels, 1)
    )
    ChecklistAct.objects.create(release=release, action=Action.COPY, detail=last.slug)


@transaction.atomic
def add_item(release: Release, editor: Account, label: str) -> ChecklistItem:
    """Put an item at the end.

    Raises Forbidden below editor, ReleaseInvalid for an imported release, ChecklistInvalid for a label that says
    nothing or is too long, or where there are MOST_ITEMS, ChecklistTaken where another item has the label.
    """
    items = _lock_items(release, editor)
    if len(items) >= MOST_ITEMS:
        raise ChecklistInvalid(f"A checklist has at most {MOST_ITEMS} items.")
    label = _require_label(label, items)
    item = ChecklistItem.objects.create(release=release, position=len(items) + 1, label=label)
    _record_act(release, editor, Action.ADD, label)
    return item


@transaction.atomic
def change_item(
    release: Release,
    editor: Account,
    item_id: int,
    version: int,
    *,
    label: str | None = None,
    done: bool | None = None,
    position: int | None = None,
) -> ChecklistItem:
    """Rename, tick or untick, and move one item, as far as each is asked for; what is so already changes nothing.

    `version` is that of the item as the editor saw it; `position` counts from 1. Raises what `add_item` does,
    NoChecklistItem, and ChecklistChanged where the item has another label or tick than that version had.
    """
    items = _lock_items(release, editor)
    item = _find_item(items, item_id)
    label = None if label is None else _require_label(label, [other for other in items if other.pk != item.pk])
    renames = label is not None and label != item.label
    ticks = done is not None and done != (item.done_at is not None)
    if (renames or ticks) and version != item.version:
        raise ChecklistChanged(f"Version {version} was sent, the item has version {item.version}: {item.label}")
    if renames and label is not None:
        _record_act(release, editor, Action.RENAME, item.label, label)
        item.label = label
    if ticks:
        item.done_at, item.done_by = (timezone.now(), editor) if done else (None, None)
        _record_act(release, editor, Action.TICK if done else Action.UNTICK, item.label)
    if renames or ticks:
        item.version += 1
        item.save(update_fields=["label", "done_at", "done_by", "version"])
    if position is not None and position != items.index(item) + 1:
        _move_item(items, item, position)
        _record_act(release, editor, Action.MOVE, item.label, str(position))
    return item


@transaction.atomic
def remove_item(release: Release, editor: Account, item_id: int) -> None:
    """Take an item off; its acts stay. Raises Forbidden, ReleaseInvalid, NoChecklistItem."""
    items = _lock_items(release, editor)
    item = _find_item(items, item_id)
    _record_act(release, editor, Action.REMOVE, item.label)
    items.remove(item)
    item.delete()
    _number_items(items)


def _lock_items(release: Release, editor: Account) -> list[ChecklistItem]:
    """The items, which stay as they are until the end of the transaction. Raises Forbidden, ReleaseInvalid."""
    require_role(editor, Account.Role.EDITOR)
    if release.imported:
        raise ReleaseInvalid(f"{release.name} is a copy of published lists; it has no checklist.")
    Release.objects.select_for_update().get(pk=release.pk)
    return list_items(release)


def _find_item(items: list[ChecklistItem], item_id: int) -> ChecklistItem:
    item = next((item for item in items if item.pk == item_id), None)
    if item is None:
        raise NoChecklistItem
    return item


def _require_label(text: str, others: list[ChecklistItem]) -> str:
    label = plain_text(text)
    if not label or len(label) > LONGEST_LABEL:
        raise ChecklistInvalid(errors={"label": [f"Needs 1 to {LONGEST_LABEL} characters that can be seen."]})
    if any(other.label.casefold() == label.casefold() for other in others):
        raise ChecklistTaken(f"There is an item {label!r} already.")
    return label


def _move_item(items: list[ChecklistItem], item: ChecklistItem, position: int) -> None:
    if not 1 <= position <= len(items):
        raise ChecklistInvalid(errors={"position": [f"Lies between 1 and {len(items)}."]})
    items.remove(item)
    items.insert(position - 1, item)
    _number_items(items)


def _number_items(items: list[ChecklistItem]) -> None:
    for position, item in enumerate(items, 1):
        item.position = position
    ChecklistItem.objects.bulk_update(items, ["position"])


def _record_act(release: Release, editor: Account, action: ChecklistAct.Action, label: str, detail: str = "") -> None:
    ChecklistAct.objects.create(release=release, account=editor, action=action, label=label, detail=detail)
