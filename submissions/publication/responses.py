"""Shapes of releases, publication and overrides, and what editors send."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from msgspec import UNSET, Meta, UnsetType

from registry import models as registry_models
from registry.lists.responses import Ranks
from registry.query.responses.row_fields import (
    DecidedAt,
    DecidedBy,
    ListName,
    PrintedInstitution,
    Rank,
    RankHigh,
    RankLow,
    ReleaseSlug,
    ResultId,
    SystemTitle,
)
from registry.query.responses.shapes import Shape
from registry.web.responses import Definition


class Published(Shape):
    release: ReleaseSlug
    published_at: Annotated[datetime, Meta(description="When it was published here; null where it was not.")]
    results: Annotated[int, Meta(description="Results that were published with the release.")]
    lists: Annotated[
        list[dict[str, Any]], Meta(description="Its lists: name, number of entries, and digest of what they show.")
    ]
    embargoed: Annotated[int, Meta(description="Accepted runs that wait for the end of their embargo.")]


class OverrideResponse(Shape, kw_only=True):
    result: Annotated[str, Meta(description="Id of the result.", max_length=60)]
    action: Annotated[
        registry_models.Override.Action,
        Meta(description="The decision: include the result, exclude it, or rank it by another score."),
    ]
    score: Annotated[
        Annotated[float, Meta(ge=0)] | UnsetType | None,
        Meta(description="The score that it is ranked by, without unit; null where the action is another one."),
    ] = UNSET
    reason: Annotated[str, Meta(description="Why; everybody may read it.", max_length=2000)]
    release: ReleaseSlug
    list: ListName
    decided_by: DecidedBy
    decided_at: DecidedAt
    entries: Annotated[int, Meta(description="Entries of the list now.")]


class Anonymity(Shape):
    """What was asked for and decided."""

    asked: Annotated[bool, Meta(description="Whether anonymous publication was requested.")]
    reason: Annotated[str, Meta(description="The reason of the submitter; empty without a request.")]
    granted: Annotated[bool | None, Meta(description="Null: not decided.")]
    decision: Annotated[str, Meta(description="The editor's reason.")]
    lifted_at: Annotated[datetime | None, Meta(description="When the published result got its name.")]


class Previewed(Shape):
    """What a preview says of a result. Where `submission` is not null, the id of the result is provisional."""

    result: ResultId
    submission: Annotated[
        UUID | None, Meta(description="Id of the submission of a result that is not published; else null.")
    ]
    release: ReleaseSlug
    institution: PrintedInstitution
    system: SystemTitle


class PreviewedEntry(Previewed):
    rank: Rank
    rank_low: RankLow
    rank_high: RankHigh
    score: Annotated[float, Meta(description="In the unit of `ranks`.")]
    note: Annotated[str, Meta(description="The reason of a decision of people.")]


class PreviewedExclusion(Previewed):
    code: Annotated[
        str, Meta(description="Code of the condition that does not hold, or no-score, not-best, override-excluded.")
    ]
    why: Annotated[str, Meta(description="Why, in a sentence.")]


class PreviewShape(Shape):
    release: ReleaseSlug
    list: ListName
    definition: Annotated[Definition, Meta(description="The definition that was used.")]
    ranks: Annotated[Ranks, Meta(description="What the list ranks.")]
    entries: Annotated[Sequence[PreviewedEntry], Meta(description="Rows as they would be ranked, by rank.")]
    excluded: Annotated[
        Sequence[PreviewedExclusion], Meta(description="Results that would not be on the list, each with its reason.")
    ]
