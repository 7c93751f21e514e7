"""Shapes of releases and ranked lists."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from registry import models
from registry.comparison.responses import AssumedClass
from registry.query.responses import record_rows
from registry.query.responses.row_fields import (
    Address,
    BandwidthGibPerS,
    ListName,
    ListTitle,
    PrintedInstitution,
    PrintedSystem,
    RateKiops,
    ReleaseSlug,
    ReleaseTitle,
    ResultId,
    RulesViolated,
    Score,
    Tool,
    Trust,
    UnknownValues,
)
from registry.query.responses.shapes import Shape, one_of
from registry.web.responses import Definition, Page


class Ranks(Shape):
    """What a list ranks: a score, which has no unit, or one measurement of a tool."""

    tool: Tool
    op: Annotated[str | None, Meta(description="Operation of the measurement; null for a score.")]
    quantity: Annotated[str, Meta(description="Quantity, or the name of the score.")]
    stat: Annotated[str | None, Meta(description="Statistic of the measurement; null for a score.")]
    unit: Annotated[str | None, Meta(description="Of `score` in the entries of this list.")]
    title: Annotated[str, Meta(description="What the number is called in the head of the list.")]
    better: Annotated[str, one_of("higher", "lower"), Meta(description="Which end of the numbers comes first.")]


class RankedList(Shape):
    """The facts of a list, without its entries."""

    release: ReleaseSlug
    release_name: ReleaseTitle
    list: ListName
    title: ListTitle
    trust: Trust
    complete: Annotated[bool, Meta(description="False: only the first ranks are known.")]
    completeness: Annotated[
        str, Meta(description="Entries that are known, and of how many.", examples=["55 of 55 entries"])
    ]
    reconstructed_as: Annotated[
        str | None,
        Meta(
            description="Name of the list whose reconstruction, lists/{release}/NAME/reconstructed/, has these entries "
            "too; null where none is made.",
            examples=[None],
        ),
    ]
    source: Annotated[str, Meta(description="Where the list is copied from; empty for one that was made here.")]
    source_address: Annotated[
        str,
        Meta(
            description="Where the published list can be looked up; empty for one that was made or ordered here.",
            examples=["https://io500.org/list/SC19/ten"],
        ),
    ]
    note: Annotated[str, Meta(description="What a reader must know of the list, and its amendments; may be empty.")]
    definition: Annotated[
        Definition | None, Meta(description="The definition that makes the list; null where none is known.")
    ]
    ranks: Annotated[Ranks, Meta(description="What the list ranks.")]
    frozen_at: Annotated[datetime | None, Meta(description="Since when the list is final; null: it may still change.")]
    length: Annotated[int, Meta(description="Entries in all, whatever page or filter is shown.")]


class RankedListPage(Page):
    results: Annotated[list[RankedList], Meta(description="Rows of this page.")]


class Entry(record_rows.Entry, kw_only=True):
    """An entry of a list, with its assumed ranks where the query has `assume=prior`."""

    assumed_rank_low: Annotated[
        int | UnsetType | None,
        Meta(description="Best rank under the assumption of the list, all entries together; null: nothing is assumed."),
    ] = UNSET
    assumed_rank_high: Annotated[
        int | UnsetType | None,
        Meta(
            description="Worst rank under the assumption of the list, all entries together; null: nothing is assumed."
        ),
    ] = UNSET


class NotAssumed(Shape):
    code: Annotated[
        str,
        one_of("no-class", "repeated", "incomplete"),
        Meta(description="no-class: no repeats are known of it; repeated: all were; incomplete: not all ranks are."),
    ]
    message: Annotated[str, Meta(description="Why nothing is assumed, in a sentence.")]


class RankedListDetail(RankedList, kw_only=True):
    """A list and a page of its entries. What is assumed is left out unless the query has `assume=prior`."""

    assumption: Annotated[
        AssumedClass | UnsetType | None, Meta(description="The assumption about a run; null: none.")
    ] = UNSET
    assumed_factor: Annotated[
        float | UnsetType | None,
        Meta(
            description="By this factor, which has no unit, two scores have to differ for a rank above; null: "
            "nothing is assumed, or no number is large enough."
        ),
    ] = UNSET
    not_assumed: Annotated[
        NotAssumed | UnsetType | None, Meta(description="Why nothing is assumed; null where something is.")
    ] = UNSET
    entries: Annotated[list[Entry], Meta(description="Entries, by rank.")]
    next: Annotated[Address | None, Meta(description="Address of the next page; null on the last.")]
    unknown_values: UnknownValues


class Release(Shape):
    """One call for submissions and its lists."""

    slug: Annotated[str, Meta(description="Slug of the release.")]
    name: ReleaseTitle
    imported: Annotated[bool, Meta(description="Copied from published lists, not run here.")]
    held_on: Annotated[date, Meta(description="Day that orders releases; of imported ones the first of the month.")]
    opens: Annotated[datetime | None, Meta(description="When submissions open; null: no such time was set.")]
    deadline: Annotated[datetime | None, Meta(description="Last moment for submitting; null for imported releases.")]
    publishes: Annotated[
        datetime | None, Meta(description="When it is planned to be published; null: no such time was set.")
    ]
    published_at: Annotated[
        datetime | None, Meta(description="When it was published here; null: not yet, or imported.")
    ]
    completeness: Annotated[
        models.Release.Completeness, Meta(description="How much of the lists of the release is on the record.")
    ]
    note: Annotated[str, Meta(description="What a reader must know of the release; may be empty.")]
    source: Annotated[str, Meta(description="Where its lists are copied from; may be empty.")]
    benchmark_versions: Annotated[
        list[str], Meta(description="Versions of the benchmark that a run may use; empty: any.")
    ]
    accepting_reviewers: Annotated[int, Meta(description="So many reviewers have to accept a run.")]
    list_names: Annotated[list[str], Meta(description="Lists that this release makes.")]
    unknown_lists: Annotated[dict[str, str], Meta(description="Lists published elsewhere but not known here, and why.")]
    lists: Annotated[list[RankedList], Meta(description="The lists of the release, without entries.")]


class Winner(Shape):
    """The entry that won, with what decided; units stand in the names; a score has none."""

    result: ResultId
    institution: PrintedInstitution
    system: PrintedSystem
    client_nodes: Annotated[int, Meta(description="Client nodes.")]
    score: Score
    bandwidth_gib_per_s: BandwidthGibPerS | None
    rate_kiops: RateKiops | None
    rules_violated: RulesViolated


class AwardOfList(Shape):
    list: ListName
    title: Annotated[str, Meta(description="Of the list.")]
    award: Annotated[str, one_of("overall", "bandwidth", "metadata"), Meta(description="Which award of the list.")]
    value: Annotated[float, Meta(description="The winning number, in `unit`.")]
    unit: Annotated[str | None, Meta(description="None: a score has no unit.")]
    shared: Annotated[bool, Meta(description="True where several entries have the same value.")]
    winners: Annotated[Sequence[Winner], Meta(description="The entries that won; several where they are equal.")]


class Awards(Shape):
    release: ReleaseSlug
    awards: Annotated[list[AwardOfList], Meta(description="Awards, list by list.")]


class FilesystemCount(Shape):
    name: Annotated[str, Meta(description="Family, or as printed where none is known.")]
    entries: Annotated[int, Meta(description="Entries with it.")]


class ListInNumbers(Shape):
    """One list of one release. Withdrawn runs are counted in `withdrawn` only; scores have no unit."""

    release: ReleaseSlug
    release_name: ReleaseTitle
    title: Annotated[str, Meta(description="Of the list at that release.")]
    trust: Trust
    complete: Annotated[bool, Meta(description="False: only the first ranks are known, counts and sums are theirs.")]
    recomputed: Annotated[bool, Meta(description="True: another release here has this list recomputed.")]
    entries: Annotated[int, Meta(description="Entries, without withdrawn ones.")]
    institutions: Annotated[int, Meta(description="Different names as printed.")]
    new: Annotated[int, Meta(description="Entries that came with this release.")]
    withdrawn: Annotated[int, Meta(description="Entries that were withdrawn.")]
    bandwidth_gib_per_s: Annotated[
        float | None, Meta(description="Sum in GiB/s over the entries that give it; null where none does.")
    ]
    with_bandwidth: Annotated[int, Meta(description="Entries that give a bandwidth.")]
    best_score: Annotated[float | None, Meta(description="Highest score, without unit; null where no entry has any.")]
    median_score: Annotated[float | None, Meta(description="Without unit; null unless the list is complete.")]
    best_score_per_client: Annotated[
        float | None,
        Meta(description="Highest score divided by client nodes, without unit; null where no entry gives both."),
    ]
    median_score_per_client: Annotated[
        float | None, Meta(description="Without unit; null unless the list is complete.")
    ]
    with_client_nodes: Annotated[int, Meta(description="Entries that give the number of client nodes.")]
    filesystems: Annotated[list[FilesystemCount], Meta(description="Entries by family of the file system.")]


class Analysis(Shape):
    """One list over the releases, oldest first."""

    list: ListName
    releases: Annotated[Sequence[ListInNumbers], Meta(description="The list at each release, oldest first.")]


class ReleasePage(Page):
    results: Annotated[list[Release], Meta(description="Rows of this page.")]
