"""Shapes of results."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from registry.presentation.responses import Repeated
from registry.query.record_rows import Measurement, Membership, OmittedFile, Result, ResultFile
from registry.query.row_fields import RevisionReason, RunParameters, UnconfirmedOperations, WithdrawnAt
from registry.query.shapes import Shape
from registry.web.responses import Page


class ResultPage(Page):
    results: Annotated[list[Result], Meta(description="Rows of this page.")]


class Change(Shape):
    field: Annotated[str, Meta(description="A column, or parameters.NAME, answers.QUESTION.")]
    before: Annotated[Any, Meta(description="Value before the change.")]
    after: Annotated[Any, Meta(description="Value after the change.")]


class ResultDetail(Result):
    """Everything that is published of one result."""

    source: Annotated[str, Meta(description="Where its numbers are from.")]
    origin_id: Annotated[str, Meta(description="Id that the source gave it; empty where it gave none.")]
    storage_vendor: Annotated[str, Meta(description="Vendor of the storage, as declared or printed.")]
    filesystem_name: Annotated[str, Meta(description="Name of the file system, as declared or printed.")]
    filesystem_version: Annotated[str, Meta(description="Version of the file system, as printed.")]
    bundle_sha256: Annotated[str, Meta(description="Of the bytes as received, which stay private.")]
    public_sha256: Annotated[str, Meta(description="Of the published derivative.")]
    archive_missing_since: Annotated[
        datetime | None,
        Meta(description="Since when the bytes as received are known to be gone; null: they are stored."),
    ]
    copy_missing_since: Annotated[
        datetime | None, Meta(description="Since when the public copy is known to be gone; null: it can be downloaded.")
    ]
    copy_withheld_at: Annotated[
        datetime | None, Meta(description="When the public copy went into quarantine; null: it is not in quarantine.")
    ]
    revises: Annotated[str | None, Meta(description="Id of the result that it revises; null where it revises none.")]
    revised_by: Annotated[str | None, Meta(description="Id of the result that revises it; null where none does.")]
    revision_reason: RevisionReason
    changes: Annotated[list[Change], Meta(description="What this revision changed of the one that it revises.")]
    withdrawn_at: WithdrawnAt | None
    withdrawn_reason: Annotated[str, Meta(description="Why it was withdrawn; empty where it was not.")]
    parameters: RunParameters
    parameter_sources: Annotated[
        dict[str, Any], Meta(description="Where each parameter comes from; empty for what was not read here.")
    ]
    described_parameters: Annotated[
        dict[str, Any], Meta(description="What the described system says under names of parameters.")
    ]
    measurements: Annotated[list[Measurement], Meta(description="Measurements, each in its canonical unit.")]
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
        dict[str, Any], Meta(description="What its files say twice: kinds that agree, contradict or are absent.")
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
    tests: Annotated[list[Any], Meta(description="Tests of the tool, with the options of each.")]
    versions: Annotated[dict[str, Any], Meta(description="Versions of what checked it, by name.")]
    answers: Annotated[
        dict[str, Any],
        Meta(description="Questionnaire: name, state (complete, incomplete, null), missing by list, rows."),
    ]
    facts: Annotated[dict[str, Any], Meta(description="Other facts kept at publication or import.")]
    lists: Annotated[list[Membership], Meta(description="Where it stands, list by list.")]


class ResultFilePage(Page):
    results: Annotated[list[ResultFile], Meta(description="Rows of this page.")]
    left_out: Annotated[list[OmittedFile], Meta(description="What no benchmark read whole, and nobody agreed to show.")]
