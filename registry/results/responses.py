"""Shapes of results."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from registry.presentation.responses import Repeated
from registry.presentation.trust_ladder import TrustStep
from registry.query import demonstration
from registry.query.reproductions import Reproduced
from registry.query.responses import record_rows
from registry.query.responses.record_rows import Measurement, Membership, OmittedFile, ResultFile
from registry.query.responses.row_fields import (
    CanonicalUnit,
    ClientNodes,
    Context,
    FactKind,
    FactName,
    FactTitle,
    PrintedInstitution,
    PrintedSystem,
    PublicId,
    Qualifier,
    Quantity,
    ReleaseSlug,
    RevisionReason,
    RunParameters,
    Statistic,
    TrustLabel,
    TrustText,
    UnconfirmedOperations,
    UnknownValues,
    VersionNumber,
    WithdrawnAt,
)
from registry.query.responses.shapes import Shape, one_of
from registry.query.responses.source_links import SourceLink
from registry.results.recipes.raised_level import RaisedLevel
from registry.web.responses import Page


class Result(record_rows.Result):
    """A result as a row of results/, with what was asked for beside it."""

    measurements: Annotated[
        list[Measurement] | UnsetType, Meta(description="All its numbers; left out unless include=measurements.")
    ] = UNSET


class ResultPage(Page):
    results: Annotated[list[Result], Meta(description="Rows of this page.")]
    unknown_values: UnknownValues


class Change(Shape):
    field: Annotated[str, Meta(description="A column, or parameters.NAME, answers.QUESTION.")]
    before: Annotated[Any, Meta(description="Value before the change.")]
    after: Annotated[Any, Meta(description="Value after the change.")]


class ResultDetail(record_rows.ResultFacts):
    """Everything that is published of one result. A run of the demonstration has this form, too."""

    trust: Annotated[
        str,
        Meta(
            description="How far it may be trusted: verified (checked and reviewed here), derived (read here from "
            "published raw files), imported (copied) or reported (without raw data); demonstration: made up to show "
            "the product, and in no other answer."
        ),
        one_of(*demonstration.LEVELS_AND_TRUST),
    ]
    origin_id: Annotated[str, Meta(description="Id that the source gave it; empty where it gave none.")]
    storage_vendor: Annotated[str, Meta(description="Vendor of the storage, as declared or printed.")]
    filesystem_name: Annotated[str, Meta(description="Name of the file system, as declared or printed.")]
    filesystem_version: Annotated[str, Meta(description="Version of the file system, as printed.")]
    bundle_sha256: Annotated[str, Meta(description="Of the bytes as received, which stay private.")]
    public_sha256: Annotated[str, Meta(description="Of the published derivative.")]
    archive_missing_since: Annotated[
        datetime | None,
        Meta(description="Since when the received bytes are known to be missing; null: they are stored."),
    ]
    copy_missing_since: Annotated[
        datetime | None,
        Meta(description="Since when the public copy is known to be missing; null: it can be downloaded."),
    ]
    archive_damaged_since: Annotated[
        datetime | None,
        Meta(
            description="Since when the stored bytes are known to be others than those that came; null: not known so."
        ),
    ]
    copy_damaged_since: Annotated[
        datetime | None,
        Meta(description="Since when the stored public copy is known to be another one; null: not known so."),
    ]
    copy_withheld_at: Annotated[
        datetime | None, Meta(description="When the public copy went into quarantine; null: it is not in quarantine.")
    ]
    revises: Annotated[str | None, Meta(description="Id of the result that it revises; null where it revises none.")]
    revised_by: Annotated[str | None, Meta(description="Id of the result that revises it; null where none does.")]
    printed_again: Annotated[
        list[str], Meta(description="Ids of results that print its measurement once more; this one counts.")
    ]
    revision_reason: RevisionReason
    changes: Annotated[list[Change], Meta(description="What this revision changed of the one that it revises.")]
    withdrawn_at: WithdrawnAt | None
    withdrawn_reason: Annotated[str, Meta(description="Why it was withdrawn; empty where it was not.")]
    parameters: RunParameters
    parameter_sources: Annotated[
        dict[str, Any], Meta(description="Where each parameter comes from; empty for what was not read here.")
    ]
    described_parameters: Annotated[dict[str, Any], Meta(description="Parameters of the described system, by name.")]
    measurements: Annotated[list[Measurement], Meta(description="Measurements, each in its canonical unit.")]
    repeated_scores: Annotated[
        dict[str, Any], Meta(description="Scores that the archive has several runs of, by name.")
    ]
    repeats: Annotated[
        list[Repeated], Meta(description="Of several runs of one configuration in one archive one is published.")
    ]
    scores: Annotated[
        dict[str, Any], Meta(description="Scores by name. A score has no unit; its halves are in GiB/s and kIOPS.")
    ]
    hashes: Annotated[dict[str, Any], Meta(description="Hashes of the run, as printed and as computed.")]
    findings: Annotated[list[dict[str, Any]], Meta(description="Findings as of its publication.")]
    rules: Annotated[list[dict[str, Any]], Meta(description="Rules with their outcomes as of its publication.")]
    evidence: Annotated[
        dict[str, Any],
        Meta(description="Facts that its files state twice: kinds that agree, contradict or are absent."),
    ]
    evidence_in_short: Annotated[
        str, Meta(description="`not examined` where it was published before evidence was looked at.")
    ]
    unconfirmed_operations: UnconfirmedOperations
    later_evidence: Annotated[
        dict[str, Any],
        Meta(
            description="What later rules found in its files: `on` that day, by `validators`, `evidence`, `findings`."
        ),
    ]
    read_from: Annotated[
        dict[str, Any] | None,
        Meta(
            description="Where the run stands: `path` of a file or folder, and `lines` (`first`, `last`), or null. "
            "Null: not known, as of what was published before this was written down, or withheld."
        ),
    ]
    not_read: Annotated[
        list[dict[str, Any]] | None,
        Meta(
            description="What no benchmark read of the published files: `path`, `lines` (null: all of it), "
            "`looks_like`, `reason`. Null: not known, or withheld."
        ),
    ]
    missing_measurements: Annotated[
        list[dict[str, str]],
        Meta(description="Measurements that only the files of others have: `op`, `quantity`, code of the `reason`."),
    ]
    tests: Annotated[list[Any], Meta(description="Tests of the tool, with the options of each.")]
    versions: Annotated[dict[str, Any], Meta(description="Versions of what checked it, by name.")]
    answers: Annotated[
        dict[str, Any],
        Meta(description="Questionnaire: name, state (complete, incomplete, null), missing by list, rows."),
    ]
    facts: Annotated[dict[str, Any], Meta(description="Other facts kept at publication or import.")]
    lists: Annotated[list[Membership], Meta(description="Its places, list by list.")]
    source_links: Annotated[
        list[SourceLink], Meta(description="Where its numbers can be looked up; empty for what was uploaded here.")
    ]
    reproduced: Annotated[Reproduced, Meta(description="Whether others reproduced it.")]
    level_by_rule: Annotated[
        RaisedLevel,
        Meta(description="The level of reproducibility as reproductions raise it, beside the published one."),
    ]
    next_trust: Annotated[TrustStep, Meta(description="What would raise it to the next level of trust.")]


class LikenessRule(Shape):
    title: Annotated[str, Meta(description="Title of the rule.")]
    version: VersionNumber


class LikenessCondition(Shape):
    """One fact in which results that are like agree."""

    name: FactName
    title: FactTitle
    rule: Annotated[str, Meta(description="How they agree."), one_of("equal", "within")]
    value: Annotated[str | None, Meta(description="Value of this result; null where it does not state it.")]
    low: Annotated[float | None, Meta(description="The least number that is like; null where it has to be equal.")]
    high: Annotated[float | None, Meta(description="The largest number that is like; null where it has to be equal.")]
    needed: Annotated[
        bool, Meta(description="Whether a result that does not state it is excluded; else it stays and is counted.")
    ]
    applied: Annotated[bool, Meta(description="Whether this result states it; unstated facts are skipped.")]
    why: Annotated[str, Meta(description="Why results that differ in it are not alike.")]


class MissingCondition(Shape):
    name: FactName
    title: FactTitle


class UnsaidFact(Shape):
    name: FactName
    title: FactTitle
    results: Annotated[int, Meta(description="Similar results that do not state it.")]


class NumberAmong(Shape):
    """Where one number stands. Of each other system its best number counts, once."""

    op: Annotated[str, Meta(description="Operation, or the name of a score.")]
    quantity: Quantity
    stat: Statistic
    unit: CanonicalUnit
    value: Annotated[float, Meta(description="The number of this result, in `unit`.")]
    context: Context
    qualifier: Qualifier
    better: Annotated[int, Meta(description="Systems whose best number is better.")]
    equal: Annotated[int, Meta(description="Systems whose best number is the same.")]
    worse: Annotated[int, Meta(description="Systems whose best number is worse.")]
    unknown: Annotated[int, Meta(description="Systems of which a bound leaves open which is better.")]
    without: Annotated[int, Meta(description="Systems without a number that means the same.")]
    share_not_better: Annotated[
        float | None,
        Meta(description="Share of systems not better, 0 to 1, without unit; null where few, or not all are known."),
    ]
    median: Annotated[float | None, Meta(description="Median of the others in `unit`; null with bounds among them.")]
    best: Annotated[float | None, Meta(description="The best of the others in `unit`; null where there is none.")]
    best_qualifier: Qualifier
    best_result: Annotated[str | None, Meta(description="Id of the result that has it.")]


class BetterResult(Shape):
    id: PublicId
    institution: PrintedInstitution
    system: PrintedSystem
    release: ReleaseSlug | None
    trust: TrustText
    trust_label: TrustLabel
    client_nodes: ClientNodes | None
    value: Annotated[float | None, Meta(description="Its number of `metric`, in the unit of that.")]
    qualifier: Qualifier
    ratio: Annotated[float | None, Meta(description="To this result, without unit.")]
    unknown: Annotated[list[str], Meta(description="Facts of the rule that it does not state.")]


class ValueOfBetter(Shape):
    value: Annotated[str, Meta(description="The value, as text.")]
    results: Annotated[int, Meta(description="Better results that have it.")]


class DifferenceOfBetter(Shape):
    """What better results have otherwise. It need not be why they are better."""

    name: FactName
    title: FactTitle
    kind: FactKind
    own: Annotated[str | None, Meta(description="Value of this result; null where it does not state it.")]
    values: Annotated[list[ValueOfBetter], Meta(description="Of the better ones, most results first.")]
    unknown: Annotated[int, Meta(description="Better results that do not state it.")]


class ResultAmong(Shape):
    """A result among similar results: same benchmark, file system and settings, similar scale and drives."""

    result: PublicId
    system: PrintedSystem
    rule: Annotated[LikenessRule, Meta(description="The rule, by name and version.")]
    conditions: Annotated[list[LikenessCondition], Meta(description="The rule, as it applies to this result.")]
    missing: Annotated[
        list[MissingCondition],
        Meta(description="Needed facts that this result does not state: then no result is known to be similar."),
    ]
    systems: Annotated[int, Meta(description="Other systems that have a similar result.")]
    results: Annotated[int, Meta(description="Similar results, of other systems.")]
    left_out: Annotated[bool, Meta(description="There were more candidates than are looked at, the newest.")]
    few: Annotated[bool, Meta(description="Too few systems for a share.")]
    unknown: Annotated[list[UnsaidFact], Meta(description="Facts that some of them do not state.")]
    like: Annotated[list[str], Meta(description="Ids of similar results, newest first, up to 200.")]
    metric: Annotated[str | None, Meta(description="What `better` is judged by; null without any number.")]
    numbers: Annotated[list[NumberAmong], Meta(description="Its numbers, with the place of each.")]
    better: Annotated[list[BetterResult], Meta(description="The best systems that are better by `metric`.")]
    differences: Annotated[list[DifferenceOfBetter], Meta(description="What `better` have otherwise.")]


class ResultFilePage(Page):
    results: Annotated[list[ResultFile], Meta(description="Rows of this page.")]
    left_out: Annotated[list[OmittedFile], Meta(description="What no benchmark read whole, and nobody agreed to show.")]


class PhaseShare(Shape):
    quantity: Annotated[
        str,
        Meta(description="What it is a share of: see the definitions on the page of the benchmark."),
        one_of("close_share", "wear_out_share", "wear_out_work", "rank_imbalance"),
    ]
    percent: Annotated[float | None, Meta(description="In %; null where the files do not have it.")]
    reason: Annotated[str | None, Meta(description="Code of why it is null; null where it is not.")]
    why: Annotated[str | None, Meta(description="The reason in words; null where there is none.")]


class ResultPhase(Shape):
    phase: Annotated[str, Meta(description="Name of the phase.")]
    quantity: Quantity
    unit: CanonicalUnit
    value: Annotated[float, Meta(description="The value of the phase, in `unit`.")]
    scored: Annotated[bool | None, Meta(description="Whether the score counts it; null where that is not known.")]
    seconds: Annotated[float | None, Meta(description="Number of seconds that it took; null where that is not known.")]
    median: Annotated[
        float | None, Meta(description="Median of the similar systems, in `unit`; null with fewer than five of them.")
    ]
    systems: Annotated[int, Meta(description="Similar systems that have the phase.")]
    score_rise_percent: Annotated[
        float | None,
        Meta(description="By how many % the score would rise if the phase reached the median; 0 where it has."),
    ]
    ranks: Annotated[
        int | None, Meta(description="Ranks in the table of the phase; null without one, and for find: not kept.")
    ]
    shares: Annotated[list[PhaseShare], Meta(description="Where its time went; empty where that was not looked for.")]


class ResultPhases(Shape):
    """Why an IO500 score is what it is: the phase that limits it, and where the time of each phase went."""

    result: PublicId
    limiting_phase: Annotated[
        str | None,
        Meta(description="The phase that would raise the score most at the median of similar systems; null: none is."),
    ]
    score_rise_percent: Annotated[
        float | None, Meta(description="By how many % the score would rise then; null without a limiting phase.")
    ]
    unlimited_reason: Annotated[
        str | None,
        Meta(description="Why no phase is named; null where one is."),
        one_of("no-score", "other-score", "unknown-facts", "few", "not-below"),
    ]
    unknown_facts: Annotated[
        list[str],
        Meta(description="Facts that similarity needs and the result does not state: then no result is similar."),
    ]
    systems: Annotated[int, Meta(description="Other systems that have a similar result.")]
    fewest_systems: Annotated[int, Meta(description="With fewer systems no median is given.")]
    shares_read: Annotated[bool, Meta(description="Whether raw files were looked at for the shares of time.")]
    phases: Annotated[list[ResultPhase], Meta(description="Its phases in the order of its measurements.")]
