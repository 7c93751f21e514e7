"""Fields that several answers share: each meaning, with its unit, is written once."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta

from registry import models
from registry.query.responses.shapes import Shape, one_of

Sentence = Annotated[str, Meta(description="The note as a sentence.")]
MadeAt = Annotated[datetime, Meta(description="When it was made.")]
DistinctLabel = Annotated[str, Meta(description="Distinguishes a reported result from its neighbours; else null.")]


class UnknownValue(Shape):
    """A value of a filter that no result has."""

    code: Annotated[str, Meta(description="query.unknown-value, always.")]
    name: Annotated[str, Meta(description="Name of the filter.", examples=["filesystem_type"])]
    value: Annotated[str, Meta(description="The value of the request.", examples=["Lustr"])]
    nearest: Annotated[
        list[str], Meta(description="Up to three values that some result has, best first.", examples=[["Lustre"]])
    ]
    message: Annotated[Sentence, Meta(examples=["No result has filesystem_type=Lustr."])]


Address = Annotated[str, Meta(extra_json_schema={"format": "uri"})]
SourceText = Annotated[
    str,
    Meta(
        description="What its numbers are from, with the slide, table, section or path in it; empty: uploaded here.",
        examples=["IO500 SC22 slides p25"],
    ),
]
SourceAddress = Annotated[
    str,
    Meta(
        description="Where its numbers can be looked up; empty for what was uploaded here, and for a document that is "
        "nowhere public.",
        examples=["https://io500.org/files/SC22_IO500_Presentation.pdf#page=25"],
    ),
]
ReleaseSlug = Annotated[str, Meta(description="Slug of the release; null where it has none.")]
ResultId = Annotated[str, Meta(description="Id of the result.")]
Quantity = Annotated[str, Meta(description="Quantity, such as bandwidth or rate.")]
Tool = Annotated[str, Meta(description="Name of the benchmark.")]
ListName = Annotated[str, Meta(description="Name of the list.")]
Statistic = Annotated[str, Meta(description="Statistic, such as mean or max.")]
Operation = Annotated[str, Meta(description="Operation, such as write.")]
CanonicalUnit = Annotated[str, Meta(description="Canonical unit of the values.")]
_TRUST = Meta(
    description="How far it may be trusted: verified (checked and reviewed here), derived (read here from published "
    "raw files), imported (copied) or reported (without raw data)."
)
Trust = Annotated[models.Result.Trust, _TRUST]
_CHECKED = "checked"
"""The level of runs of a shelf, which is in no table of the record."""
_ASKED_TRUST = Meta(
    description="How far it may be trusted: verified (checked and reviewed here), derived (read here from published "
    "raw files), imported (copied) or reported (without raw data); checked: a run of the shelf, if `scope` asks for it."
)
TrustText = Annotated[str, _ASKED_TRUST]
AskedTrust = Annotated[str, _ASKED_TRUST, one_of(*models.Result.Trust.values, _CHECKED)]
TrustLabel = Annotated[
    str,
    Meta(
        description="The trust level as pages show it; of a verified result with the number of violated rules.",
        examples=["verified, 1 rule violated"],
    ),
]
RulesViolated = Annotated[
    int | None,
    Meta(description="Rules that its checks found violated as of its publication; null where no rule was checked."),
]
Code = Annotated[str, Meta(description="Code that never changes.")]
SizeInBytes = Annotated[int, Meta(description="Bytes.")]
Context = Annotated[
    dict[str, Any], Meta(description="What else distinguishes this number from others of the same operation, by name.")
]
Score = Annotated[float, Meta(description="Score; it has no unit.")]
VersionNumber = Annotated[int, Meta(description="Number of the version, from 1.")]
PrintedInstitution = Annotated[str, Meta(description="Name of the institution, as printed.")]
PrintedSystem = Annotated[str, Meta(description="Name of the system, as printed.")]
SystemTitle = Annotated[str, Meta(description="Name of the system.")]
Qualifier = Annotated[str, Meta(description="Qualifier in its source: about, below or above.")]
Tasks = Annotated[int, Meta(description="Client processes in total; null where the source does not state them.")]
MoreThere = Annotated[bool, Meta(description="There are more.")]
SubmissionId = Annotated[UUID, Meta(description="Id of the submission.")]
ReviewerName = Annotated[str, Meta(description="Username of the reviewer.")]
PrintedUnit = Annotated[str, Meta(description="Unit in which the source prints it; may be empty.")]
ClientNodes = Annotated[int, Meta(description="Client nodes; null where the source does not state them.")]
BandwidthGibPerS = Annotated[
    float, Meta(description="Bandwidth half of the score in GiB/s (2^30 B/s); null where the source has none.")
]
RateKiops = Annotated[
    float, Meta(description="Metadata half of the score in kIOPS (1,000 operations/s); null where the source has none.")
]
Rank = Annotated[int, Meta(description="Rank; equal scores share one.")]
RankLow = Annotated[int, Meta(description="The best rank that ties and repeats leave possible.")]
RankHigh = Annotated[int, Meta(description="The worst rank that ties and repeats leave possible.")]
RoundingLow = Annotated[
    float,
    Meta(
        description="Where the printed digits of a number begin that was not repeated, in the unit of its value; null "
        "where they are not known."
    ),
]
RoundingHigh = Annotated[float, Meta(description="Where they end, in the same unit; null as `rounding_low`.")]
Divisor = Annotated[str, Meta(description="What rates are divided by; null: they are not.")]
Mode = Annotated[str, Meta(description="Mode of the benchmark; empty where it has none.")]
ToolVersion = Annotated[str, Meta(description="Version of the benchmark, as printed.")]
PublicId = Annotated[str, Meta(description="Public id of the result.")]
InstitutionSlug = Annotated[str, Meta(description="Slug of the institution, for sites/{slug}/.")]
SystemSlug = Annotated[str, Meta(description="Slug of the system, for systems/{slug}/.")]
Vendor = Annotated[str, Meta(description="Vendor in one spelling where it is known, else as printed.")]
FilesystemFamily = Annotated[
    str, Meta(description="Family of the file system in one spelling where it is known, else as printed.")
]
Reproducibility = Annotated[
    models.Result.Reproducibility, Meta(description="The level of reproducibility that reviewers awarded.")
]
ReproducedWords = Annotated[
    str,
    Meta(
        description="Outcomes at other institutions that count: agrees, not-reproduced, undecided, or several "
        "with a comma between them; none: nobody. The filter of this name takes each.",
        examples=["agrees, not-reproduced"],
    ),
]
FactorQualifier = Annotated[
    str,
    Meta(
        description="About, below or above, as the numbers are; unknown, with a null factor, where bounds leave it "
        "open."
    ),
]
WithdrawnAt = Annotated[datetime, Meta(description="When it was withdrawn; null where it was not.")]
RevisionReason = Annotated[str, Meta(description="Why it revises another one; empty where it does not.")]
PlatformSlug = Annotated[str, Meta(description="Slug of the platform.")]
PlatformTitle = Annotated[str, Meta(description="Name of the platform.")]
ListTitle = Annotated[str, Meta(description="Title of the list.")]
ReleaseTitle = Annotated[str, Meta(description="Name of the release.")]
DecidedBy = Annotated[str, Meta(description="Username of who decided.")]
DecidedAt = Annotated[datetime, Meta(description="When it was decided.")]
AsOf = Annotated[datetime, Meta(description="Moment whose record was read; null: the record of now.")]
Question = Annotated[str, Meta(description="The query string that asks for this.")]
FactName = Annotated[str, Meta(description="Name of the fact, as studies ask for it.")]
FactTitle = Annotated[str, Meta(description="What the fact is called.")]
FactKind = Annotated[str, Meta(description="What it is of: tuning, software, hardware or conditions.")]
Candidates = Annotated[
    int | None,
    Meta(
        description="Results that may meet all conditions: every fact that they state does. Null where no fact is "
        "needed."
    ),
]
ColumnNames = Annotated[list[str], Meta(description="Names of the columns of `rows`, in order.")]
InstitutionName = Annotated[str, Meta(description="Name of the institution.")]
SlugOfInstitution = Annotated[str, Meta(description="Slug of the institution.")]
SlugOfSystem = Annotated[str, Meta(description="Slug of the system.")]
AxisName = Annotated[str, Meta(description="Name of the axis.")]
UnconfirmedOperations = Annotated[
    list[str] | None,
    Meta(
        description="Operations (phases of IO500) whose figure nothing independent in the files agrees with. "
        "Null: not looked at, or the benchmark has no kinds of evidence."
    ),
]
UnknownValues = Annotated[
    list[UnknownValue],
    Meta(
        description="Values of filters that no result has, where that leaves the answer empty or a filter has several "
        "values; [] where there are none."
    ),
]
MissingReason = Annotated[
    str,
    Meta(
        description="not-in-document, not-in-list, not-read, no-description, not-described or not-a-number: why no "
        "usable value is known."
    ),
]
RunParameters = Annotated[dict[str, Any], Meta(description="Parameters of the run, by name.")]
