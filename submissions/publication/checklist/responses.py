"""Shapes of a checklist."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from msgspec import Meta

from registry.query.responses.shapes import Shape
from submissions.models import ChecklistAct


class ChecklistItemRow(Shape):
    """One item of a checklist."""

    id: Annotated[int, Meta(description="Number of the item, in its address.")]
    position: Annotated[int, Meta(description="Order on the checklist, from 1.")]
    label: Annotated[str, Meta(description="What has to be done.")]
    done: Annotated[bool, Meta(description="Whether it is ticked.")]
    done_by: Annotated[str | None, Meta(description="Account that ticked it; null while it is open.")]
    done_at: Annotated[datetime | None, Meta(description="When it was ticked; null while it is open.")]
    version: Annotated[int, Meta(description="Rises with each change of label or tick; a change names it.")]


class ChecklistActRow(Shape):
    """One act on a checklist."""

    at: Annotated[datetime, Meta(description="When.")]
    account: Annotated[str | None, Meta(description="Who; null: the registry.")]
    action: Annotated[ChecklistAct.Action, Meta(description="What was done with the item.")]
    label: Annotated[str, Meta(description="Label of the item before the act; empty for a copy of the whole list.")]
    detail: Annotated[str, Meta(description="The new label, the new position, or the slug of the release copied from.")]


class Checklist(Shape):
    """The committee's own checklist of a release."""

    release: Annotated[str, Meta(description="Slug of the release.")]
    open: Annotated[int, Meta(description="Items that are not ticked. They warn before publishing and block nothing.")]
    items: Annotated[Sequence[ChecklistItemRow], Meta(description="In their order.")]
    history: Annotated[Sequence[ChecklistActRow], Meta(description="The newest 100 acts, the newest first.")]
