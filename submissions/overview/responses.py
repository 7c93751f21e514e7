"""Shapes of submissions, and what submitting and withdrawing one send, for openapi.json."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta

from registry.presentation.responses import Distribution, SystemSummary
from registry.query.responses.row_fields import RevisionReason, RunParameters, UnconfirmedOperations
from registry.query.responses.shapes import Shape, one_of
from registry.results.recipes.raised_level import RaisedLevel
from registry.results.responses import Change
from registry.web.responses import Page
from submissions.checks.responses import Finding
from submissions.lifecycle.responses import HistoryRow, Receipt
from submissions.lifecycle.unjudged import Unjudged
from submissions.publication.prospects import OUTCOMES
from submissions.review.responses import ReviewRow


class Prospect(Shape):
    name: Annotated[str, Meta(description="Name of the list.")]
    title: Annotated[str, Meta(description="Title of the list.")]
    releases: Annotated[list[str], Meta(description="Slugs of the releases that make it and take this submission.")]
    outcome: Annotated[
        str,
        one_of(*OUTCOMES),
        Meta(description="Whether the run could rank there; unknown: no file tells the fact that decides."),
    ]
    why: Annotated[str, Meta(description="Why not, in the words of the list's definition; empty where it can.")]
    code: Annotated[str, Meta(description="Code of the reason; empty where it can.")]
    fact: Annotated[str, Meta(description="The fact that decides, with the value that the run has.")]
    source: Annotated[str, Meta(description="Where that value was read; empty where no file has it.")]
    needs: Annotated[list[str], Meta(description="What people still have to answer or decide.")]
    missing_answers: Annotated[int, Meta(description="Questions that the list asks for and nobody answered.")]


class SubmissionRow(Receipt):
    name: Annotated[str, Meta(description="The system that was declared, else the file.")]
    score: Annotated[
        float | None,
        Meta(description="Score of the run that counts, without unit; null: not checked, no score, or no run chosen."),
    ]
    waits_for: Annotated[
        str | None,
        one_of("submitter", "check", "review", "publication"),
        Meta(description="Who or what moves it next; null where it stays as it is."),
    ]
    test: Annotated[bool, Meta(description="Whether it is for trying out and never submitted to a release.")]
    filename: Annotated[str, Meta(description="Name of the file as it was sent.")]
    size: Annotated[int, Meta(description="Bytes as received.")]
    account: Annotated[str, Meta(description="Username of the submitter.")]
    institution: Annotated[str | None, Meta(description="Slug of the institution; null where none is known.")]
    release: Annotated[str | None, Meta(description="Slug of the release; null: none is declared.")]
    lists: Annotated[list[str], Meta(description="Names of the lists that it is meant for.")]
    received_at: Annotated[datetime, Meta(description="When it was received; of a draft, when it was begun.")]
    checked_at: Annotated[datetime | None, Meta(description="When it was last checked; null before the first check.")]
    submitted_at: Annotated[datetime | None, Meta(description="When it was submitted to its release; null: not yet.")]
    expires_at: Annotated[
        datetime | None,
        Meta(description="A draft or test upload expires from then on, if nobody changes or keeps it; null: never."),
    ]
    result: Annotated[str | None, Meta(description="Public id, once published.")]
    reproduces: Annotated[str | None, Meta(description="Public id of the result that the run is to reproduce.")]
    revises: Annotated[UUID | None, Meta(description="The published submission that it revises.")]


class SubmissionDetail(SubmissionRow):
    revision_reason: RevisionReason
    changes: Annotated[list[Change], Meta(description="How a revision differs from what it revises.")]
    metadata: Annotated[
        dict[str, Any], Meta(description="What the submitter declared, by the names of schemas/metadata.1/.")
    ]
    embargo_until: Annotated[
        datetime | None, Meta(description="The result stays private until then; null: no embargo.")
    ]
    answers: Annotated[dict[str, Any], Meta(description="Answers by question, as people sent them.")]
    not_judged: Annotated[
        Unjudged | None,
        Meta(description="Why the published run has no mark of reproduction; null: it has, is to get, or needs none."),
    ]
    level_by_rule: Annotated[
        RaisedLevel | None,
        Meta(description="The level of its result as reproductions raise it; null until it is published."),
    ]
    answers_missing: Annotated[
        dict[str, Any], Meta(description="By list that asks for the questionnaire, the questions without an answer.")
    ]
    answered_by_recipe: Annotated[
        list[str], Meta(description="Questions of the questionnaire that the recipe of the run answers.")
    ]
    checked_with: Annotated[str | None, Meta(description="Version of the validators.")]
    signature: Annotated[
        str,
        one_of("none", "pending", "verified", "unknown-key", "invalid"),
        Meta(description="What the signature of the bundle is worth."),
    ]
    system: Annotated[
        SystemSummary | None, Meta(description="The description of the system in short, where there is one.")
    ]
    shelf_runs: Annotated[int, Meta(description="How many of its runs are on the shelf of an institution of yours.")]
    status: Annotated[str | None, Meta(description="valid, invalid, unreadable; null before the first check.")]
    primary: Annotated[int | None, Meta(description="Index in `runs` of the run that counts.")]
    tool: Annotated[str | None, Meta(description="Benchmark of the run that counts; null where there is none.")]
    version: Annotated[
        str | None, Meta(description="Version of the benchmark of the run that counts; null where there is none.")
    ]
    mode: Annotated[str | None, Meta(description="Mode of the run that counts; null where there is none.")]
    path: Annotated[
        str | None, Meta(description="Path of the run that counts in the archive; null where there is none.")
    ]
    scores: Annotated[
        dict[str, Any], Meta(description="Scores by name. A score has no unit; its halves are in GiB/s and kIOPS.")
    ]
    hashes: Annotated[dict[str, Any], Meta(description="Hashes of the run that counts, as printed and as computed.")]
    measurements: Annotated[
        list[dict[str, Any]], Meta(description="Measurements of the run that counts, each in its canonical unit.")
    ]
    parameters: RunParameters
    parameter_sources: Annotated[dict[str, Any], Meta(description="Where each parameter comes from.")]
    described_parameters: Annotated[
        dict[str, Any], Meta(description="Values of the described system for the same parameters.")
    ]
    tests: Annotated[list[dict[str, Any]], Meta(description="Tests of the run that counts, with the options of each.")]
    distributions: Annotated[list[Distribution], Meta(description="Values under the numbers of the run.")]
    rules: Annotated[list[dict[str, Any]], Meta(description="Rules with their outcomes, of the run that counts.")]
    evidence: Annotated[
        dict[str, Any],
        Meta(description="Facts that the files state twice: kinds that agree, contradict or are absent; empty: none."),
    ]
    evidence_in_short: Annotated[
        str, Meta(description="`not examined` for a check from before evidence was looked at.")
    ]
    unconfirmed_operations: UnconfirmedOperations
    findings: Annotated[
        list[Finding], Meta(description="Findings on the archive and on the run that counts, worst first.")
    ]
    runs: Annotated[list[dict[str, Any]], Meta(description="All runs of the archive in short.")]
    could_rank: Annotated[
        list[Prospect] | None,
        Meta(
            description="Where the run that counts could rank, and why not: each list of its benchmark that may be "
            "chosen. Null where no run counts yet, and once the result is published."
        ),
    ]
    assigned: Annotated[list[str], Meta(description="Usernames of the reviewers who are to decide.")]
    groups: Annotated[list[dict[str, Any]], Meta(description="Repeats, sweeps and runs not known to be alike.")]
    not_read: Annotated[
        list[dict[str, Any]], Meta(description="Files and lines that no benchmark read, with what they look like.")
    ]
    reviews: Annotated[list[ReviewRow], Meta(description="Decisions of reviewers.")]
    history: Annotated[list[HistoryRow], Meta(description="Changes of state, oldest first.")]


class SubmissionPage(Page):
    results: Annotated[list[SubmissionRow], Meta(description="Rows of this page.")]
