"""Rows of the public record: what a table of the API, of CSV and of the export shows of each."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any

from django.db.models import Value
from django.db.models.functions import Coalesce, NullIf
from msgspec import Meta

from registry.models import Release
from registry.query.responses.reproduced_words import words_expression
from registry.query.responses.row_fields import (
    AskedTrust,
    BandwidthGibPerS,
    CanonicalUnit,
    ClientNodes,
    DistinctLabel,
    FilesystemFamily,
    InstitutionName,
    InstitutionSlug,
    ListName,
    ListTitle,
    MissingReason,
    Mode,
    Operation,
    PlatformSlug,
    PlatformTitle,
    PrintedInstitution,
    PrintedSystem,
    PrintedUnit,
    PublicId,
    Quantity,
    Rank,
    RankHigh,
    RankLow,
    RateKiops,
    ReleaseSlug,
    ReproducedWords,
    Reproducibility,
    ResultId,
    RulesViolated,
    Score,
    SizeInBytes,
    SlugOfInstitution,
    SlugOfSystem,
    SourceAddress,
    SourceText,
    Statistic,
    SystemSlug,
    SystemTitle,
    Tasks,
    Tool,
    ToolVersion,
    Trust,
    TrustLabel,
    Vendor,
    WithdrawnAt,
)
from registry.query.responses.shapes import Shape, at_path
from registry.query.responses.source_links import (
    ADDRESS_OF_ENTRY,
    ADDRESS_OF_MEMBERSHIP,
    ADDRESS_OF_RESULT,
    SOURCE_OF_ENTRY,
)
from registry.query.responses.trust_levels import label_expression

_VENDOR = Coalesce(NullIf("vendor", Value("")), "storage_vendor")
_ENTRY_VENDOR = Coalesce(NullIf("result__vendor", Value("")), "result__storage_vendor")
_RANK_LOW, _RANK_HIGH = Coalesce("range__low", "rank_low"), Coalesce("range__high", "rank_high")


class Measurement(Shape):
    """One number in its canonical unit, beside the value and unit as printed."""

    op: Operation
    quantity: Quantity
    stat: Statistic
    value: Annotated[float, Meta(description="The number, in `unit`.")]
    unit: CanonicalUnit
    printed_value: Annotated[float, Meta(description="Value as printed, in `printed_unit`.")]
    printed_unit: PrintedUnit
    scored: Annotated[bool | None, Meta(description="Whether the score counts it; null where the tool has no score.")]
    context: Annotated[
        dict[str, Any], Meta(description="What else distinguishes it from other numbers of the operation, by name.")
    ]
    repeats: Annotated[
        list[float] | None,
        Meta(
            description="Values in `unit` of each run of this configuration in the archive, this one too, in order; "
            "null: it ran once."
        ),
    ]


class ResultFacts(Shape):
    """A result, in a row of a table and in its own answer."""

    id: Annotated[PublicId, at_path("public_id")]
    label: Annotated[DistinctLabel | None, at_path("snapshot__label")]
    tool: Tool
    tool_version: ToolVersion
    mode: Mode
    trust: AskedTrust
    release: Annotated[
        str | None,
        Meta(description="Slug of the release that it first appeared in; null for a reported result, which has none."),
        at_path("release__slug"),
    ]
    institution: PrintedInstitution
    institution_slug: Annotated[InstitutionSlug, at_path("site__slug")]
    system: Annotated[PrintedSystem, at_path("system_name")]
    system_slug: Annotated[SystemSlug, at_path("system__slug")]
    platform: Annotated[
        str | None, Meta(description="Slug of the platform; null where it is not known."), at_path("platform__slug")
    ]
    vendor: Annotated[Vendor, at_path(_VENDOR)]
    filesystem_type: Annotated[str, Meta(description="Type of the file system, as declared or printed.")]
    filesystem_family: FilesystemFamily
    client_nodes: ClientNodes | None
    tasks: Tasks | None
    score: Score | None
    bandwidth_gib_per_s: BandwidthGibPerS | None
    rate_kiops: RateKiops | None
    reproducibility: Reproducibility
    production: Annotated[
        bool | None, Meta(description="Whether the system is in production; null where it is not known.")
    ]
    submitted_on: Annotated[date | None, Meta(description="Day of the submission; null where it is not known.")]
    published_at: Annotated[datetime | None, Meta(description="When it was published here; null where it was not.")]
    revision: Annotated[int, Meta(description="Number of the revision, from 1.")]
    same_as: Annotated[
        str | None,
        Meta(description="Id of the result that counts, if this one prints the same measurement again; null: none."),
        at_path("same_as__public_id"),
    ]
    source: SourceText
    source_address: Annotated[SourceAddress, at_path(ADDRESS_OF_RESULT)]
    rules_violated: RulesViolated
    trust_label: Annotated[TrustLabel, at_path(label_expression())]


class Result(ResultFacts):
    """A result as a row of a table, with what came of it elsewhere. Its own answer has `reproduced` as a whole."""

    reproduced: Annotated[ReproducedWords, at_path(words_expression())]


class Membership(Shape):
    """Where a result stands on one list."""

    release: Annotated[ReleaseSlug, at_path("ranked_list__release__slug")]
    list: Annotated[ListName, at_path("ranked_list__name")]
    title: Annotated[ListTitle, at_path("ranked_list__title")]
    trust: Annotated[Trust, at_path("ranked_list__trust")]
    trust_label: Annotated[TrustLabel, at_path(label_expression("ranked_list__trust", "result__rules_violated"))]
    rank: Rank
    rank_low: Annotated[RankLow, at_path(_RANK_LOW)]
    rank_high: Annotated[RankHigh, at_path(_RANK_HIGH)]
    score: Score
    new: Annotated[bool, Meta(description="Entered with that release; false: carried over.")]
    source: Annotated[SourceText, at_path("ranked_list__source")]
    source_address: Annotated[SourceAddress, at_path(ADDRESS_OF_MEMBERSHIP)]


class ResultFile(Shape):
    """One published file."""

    path: Annotated[str, Meta(description="Path in the published copy.")]
    size: SizeInBytes
    sha256: Annotated[str, Meta(description="sha256 of the published file.")]
    scrubbed: Annotated[bool, Meta(description="Differs from the file as received.")]


class OmittedFile(Shape):
    """A file of the archive that is not public."""

    path: Annotated[str, Meta(description="Path in the archive.")]
    reason: Annotated[str, Meta(description="Why it is not public.")]


class Entry(Shape):
    """One row of a list. Texts and figures are those of that list; units stand in the names; a score has none."""

    rank: Rank
    rank_low: Annotated[RankLow, at_path(_RANK_LOW)]
    rank_high: Annotated[RankHigh, at_path(_RANK_HIGH)]
    result: Annotated[ResultId, at_path("result__public_id")]
    institution: Annotated[str, Meta(description="Institution, as printed on that list.")]
    institution_slug: Annotated[InstitutionSlug, at_path("result__site__slug")]
    system: Annotated[str, Meta(description="System, as printed on that list."), at_path("system_name")]
    system_slug: Annotated[SystemSlug, at_path("result__system__slug")]
    vendor: Annotated[Vendor, at_path(_ENTRY_VENDOR)]
    filesystem_type: Annotated[str, Meta(description="Type of the file system, as printed on that list.")]
    filesystem_family: Annotated[FilesystemFamily, at_path("result__filesystem_family")]
    client_nodes: ClientNodes | None
    tasks: Annotated[Tasks | None, at_path("result__tasks")]
    score: Annotated[float, Meta(description="What the list ranks, in the unit of its `ranks`.")]
    bandwidth_gib_per_s: BandwidthGibPerS | None
    rate_kiops: RateKiops | None
    reproducibility: Annotated[Reproducibility, at_path("result__reproducibility")]
    trust: Annotated[Trust, at_path("ranked_list__trust")]
    new: Annotated[bool, Meta(description="Entered with this release; false: carried over.")]
    entered: Annotated[
        str, Meta(description="Release that the result first appeared in."), at_path("result__release__slug")
    ]
    note: Annotated[str, Meta(description="What a reader must know of this row; may be empty.")]
    withdrawn_at: Annotated[WithdrawnAt | None, at_path("result__withdrawn_at")]
    erased_at: Annotated[
        datetime | None,
        Meta(description="When the result was erased on request; its names are empty then. Null: it was not."),
        at_path("result__erasure__erased_at"),
    ]
    source: Annotated[SourceText, at_path(SOURCE_OF_ENTRY)]
    source_address: Annotated[SourceAddress, at_path(ADDRESS_OF_ENTRY)]
    rules_violated: Annotated[RulesViolated, at_path("result__rules_violated")]
    trust_label: Annotated[TrustLabel, at_path(label_expression("ranked_list__trust", "result__rules_violated"))]
    reproduced: Annotated[ReproducedWords, at_path(words_expression("result__"))]


class Gap(Shape):
    """Results that lack a fact, for one reason."""

    name: Annotated[str, Meta(description="Name of the fact: an axis, or the axis of the divisor.")]
    reason: MissingReason
    why: Annotated[str, Meta(description="The reason in a sentence.")]
    results: Annotated[int, Meta(description="Results that lack it for this reason.")]


class Site(Shape):
    """An institution."""

    slug: SlugOfInstitution
    name: InstitutionName


class System(Shape):
    """One storage system of one institution."""

    slug: SlugOfSystem
    name: SystemTitle
    site: Annotated[SlugOfInstitution, at_path("site__slug")]
    institution: Annotated[InstitutionName, at_path("site__name")]
    platform: Annotated[
        str | None, Meta(description="Slug of its platform; null where it is not known."), at_path("platform__slug")
    ]


class Platform(Shape):
    """One product generation of storage."""

    slug: PlatformSlug
    name: PlatformTitle
    vendor: Annotated[str, Meta(description="Vendor of the platform.")]
    predecessor: Annotated[
        str | None,
        Meta(description="Slug of the platform before it; null where none is known."),
        at_path("predecessor__slug"),
    ]


def release_row(release: Release) -> dict[str, Any]:
    """What a release says of itself, under the names of the API."""
    return {
        "slug": release.slug,
        "name": release.name,
        "imported": release.imported,
        "held_on": release.held_on,
        "opens": release.opens,
        "deadline": release.deadline,
        "publishes": release.publishes,
        "published_at": release.published_at,
        "completeness": release.completeness,
        "note": release.note,
        "source": release.source,
        "benchmark_versions": release.benchmark_versions,
        "list_names": release.list_names,
        "accepting_reviewers": release.accepting_reviewers,
        "unknown_lists": release.unknown_lists,
    }
