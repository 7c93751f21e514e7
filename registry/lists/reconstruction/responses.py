"""Shapes of reconstructed lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from registry.query.responses.row_fields import (
    BandwidthGibPerS,
    ClientNodes,
    Code,
    InstitutionSlug,
    ListName,
    ListTitle,
    PrintedInstitution,
    PrintedSystem,
    RateKiops,
    ReleaseSlug,
    ReleaseTitle,
    ResultId,
    Score,
    Sentence,
    SystemSlug,
    Trust,
    TrustLabel,
)
from registry.query.responses.shapes import Shape


class ReconstructedEntry(Shape):
    """A row of a reconstructed list. Texts and figures are those of its result."""

    rank: Annotated[int, Meta(description="Rank in this reconstruction; equal scores share one.")]
    official_rank: Annotated[
        int | None, Meta(description="Rank on the official list of the same name; null where none is known.")
    ]
    official_production_rank: Annotated[
        int | None, Meta(description="Rank on the official list of production systems; null where none is known.")
    ]
    result: ResultId
    institution: PrintedInstitution
    institution_slug: InstitutionSlug
    system: PrintedSystem
    system_slug: SystemSlug
    filesystem_type: Annotated[str, Meta(description="Type of the file system, as printed.")]
    client_nodes: ClientNodes | None
    score: Score
    bandwidth_gib_per_s: BandwidthGibPerS | None
    rate_kiops: RateKiops | None
    trust: Trust
    trust_label: TrustLabel
    entered: Annotated[str, Meta(description="Release that the result belongs to.")]
    entered_inferred: Annotated[bool, Meta(description="True: the release follows from the number of its archive.")]


class KnownRanks(Shape):
    """How much is known of an official list, and how much of that stands on the reconstruction."""

    list: ListName
    title: ListTitle
    complete: Annotated[bool, Meta(description="False: only the first ranks are known.")]
    known_entries: Annotated[int, Meta(description="Entries of the official list that are known.")]
    archives: Annotated[int, Meta(description="Of these, results derived from a published archive.")]
    here: Annotated[int, Meta(description="Of these, entries of the reconstruction.")]


class LeftOut(Shape):
    """Candidates that are no entries, for one reason."""

    code: Code
    why: Sentence
    results: Annotated[Sequence[str], Meta(description="Ids of the results.", examples=[["hw-13"]])]


class ReconstructedList(Shape):
    """A list rebuilt from published archives. It is no list of IO500, and no ranking, award or count reads it."""

    release: ReleaseSlug
    release_name: ReleaseTitle
    list: ListName
    title: ListTitle
    statement: Annotated[
        str,
        Meta(
            description="What it is and what it is not.",
            examples=["Reconstructed by Highwater from 120 published archives; not an IO500 list."],
        ),
    ]
    archives: Annotated[int, Meta(description="Candidates derived from published archives.")]
    copied: Annotated[int, Meta(description="Candidates whose figures are copied from a list.")]
    goes_on_from: Annotated[
        str, Meta(description="The last list known whole, as RELEASE/LIST.", examples=["ISC21/ten"])
    ]
    rules: Annotated[
        str,
        Meta(
            description="Which results are on it, in words.",
            examples=["Entries of the 10-node list of ISC21, and runs that came since."],
        ),
    ]
    not_known: Annotated[
        Sequence[str],
        Meta(
            description="What no published source states, in sentences.",
            examples=[["No archive says which system is in production."]],
        ),
    ]
    official: Annotated[Sequence[KnownRanks], Meta(description="Official lists of the release that have its entries.")]
    left_out: Annotated[Sequence[LeftOut], Meta(description="Candidates that are no entries, by reason.")]
    length: Annotated[int, Meta(description="Entries in all.")]
    entries: Annotated[Sequence[ReconstructedEntry], Meta(description="Entries, by rank.")]
