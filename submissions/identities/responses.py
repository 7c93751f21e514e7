"""Shapes of acts on identities and of their preview."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from registry.models import IdentityChange
from registry.query.responses.row_fields import MadeAt
from registry.query.responses.shapes import Shape
from registry.web.responses import Page


class IdentityAct(Shape):
    """One merging or splitting."""

    id: Annotated[int, Meta(description="Number of the act.")]
    kind: Annotated[IdentityChange.Kind, Meta(description="What was merged or split.")]
    act: Annotated[IdentityChange.Action, Meta(description="Merge or split.")]
    from_slug: Annotated[str, Meta(description="Where what moved was before.")]
    from_name: Annotated[str, Meta(description="Its name; may be empty.")]
    to_slug: Annotated[str, Meta(description="Where it went.")]
    to_name: Annotated[str, Meta(description="Its name; may be empty.")]
    reason: Annotated[str, Meta(description="Why; public.")]
    source: Annotated[str, Meta(description="What proves it; public, may be empty.")]
    decided_by: Annotated[str, Meta(description="Username of the editor; empty: a data file of the registry.")]
    made_at: MadeAt
    public: Annotated[bool, Meta(description="The former name stood in the record, so that everybody may know of it.")]
    part_of: Annotated[int | None, Meta(description="The act that it is a part of; null: it is a whole one.")]
    moved: Annotated[dict[str, Any], Meta(description="Ids of results and slugs that moved, by kind.")]
    undone_at: Annotated[datetime | None, Meta(description="When it was undone; null: it was not.")]
    undone_by: Annotated[str, Meta(description="Username of who undid it; empty: it was not.")]
    undone_reason: Annotated[str, Meta(description="Why it was undone; empty: it was not.")]


class IdentityActPage(Page):
    results: Annotated[list[IdentityAct], Meta(description="Acts, newest first.")]


class BecomingOne(Shape):
    """Two systems of the same name that become one with their institutions."""

    former: Annotated[str, Meta(description="Slug that becomes a former name.")]
    into: Annotated[str, Meta(description="Slug that remains.")]


class MergePreview(Shape):
    """What a merging would move and what would stay; nothing is changed."""

    kind: Annotated[IdentityChange.Kind, Meta(description="What both are.")]
    former: Annotated[str, Meta(description="Slug that would become a former name.")]
    into: Annotated[str, Meta(description="Slug that would remain.")]
    refused: Annotated[str | None, Meta(description="Code with which it would be refused; null: it would be done.")]
    refused_why: Annotated[str, Meta(description="Why, in words; may be empty.")]
    results: Annotated[int, Meta(description="Results that would move to `into`.")]
    first_results: Annotated[list[str], Meta(description="Ids of the newest of them, at most 100.")]
    systems: Annotated[list[str], Meta(description="Slugs of the systems that go along.")]
    becoming_one: Annotated[list[BecomingOne], Meta(description="Systems of the same name, which become one.")]
    steps: Annotated[int, Meta(description="Performance changes that are detected again.")]
    followers: Annotated[int, Meta(description="Accounts' subscriptions that go on with `into`.")]
    submissions: Annotated[int, Meta(description="Submissions; they stay visible to whom they are visible now.")]
    members: Annotated[int, Meta(description="Members of the institution; they stay apart.")]
    invitations: Annotated[int, Meta(description="Open invitations of the institution; they stay.")]
