"""How a submission is written as JSON. The shapes for openapi.json are in responses.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from registry.presentation.evidence_table import evidence_line, list_unconfirmed
from registry.results.recipes.raised_level import raised_level
from submissions.bundles.representation import system_in_short
from submissions.checks import finding_counts, questionnaire
from submissions.checks.representation import latest_check
from submissions.editing import edit
from submissions.lifecycle import expiry
from submissions.lifecycle.representation import history_document, receipt_document
from submissions.lifecycle.states import UNFINISHED, WAITS_FOR
from submissions.lifecycle.unjudged import describe_unjudged
from submissions.models import Check, State, Submission
from submissions.overview.open_lists import where_it_could_rank
from submissions.review.representation import assigned_reviewers, review_document
from submissions.web.formatting import name_of
from submissions.web.request_account import account_of

_RUN_FIELDS = ("tool", "version", "mode", "path")
SOON = timedelta(seconds=5)


def submission_summary(
    submission: Submission, report: Mapping[str, Any] | None, request: HttpRequest
) -> dict[str, Any]:
    """One row of the list of submissions; needs account, institution, release and result joined.

    `report` is that of the latest check, or the part of it that has the scores; None where there is none.
    """
    return receipt_document(submission, request) | {
        "name": name_of(submission),
        "score": finding_counts.score_of(submission, report),
        "waits_for": None if _is_tried_out(submission) else WAITS_FOR[State(submission.state)],
        "test": submission.test,
        "filename": submission.filename,
        "size": submission.size,
        "account": submission.account.username,
        "institution": submission.institution and submission.institution.slug,
        "release": submission.release and submission.release.slug,
        "lists": submission.lists,
        "received_at": submission.received_at,
        "checked_at": submission.checked_at,
        "submitted_at": submission.submitted_at,
        "expires_at": expiry.expires_at(submission),
        "result": submission.result and submission.result.public_id,
        "reproduces": submission.reproduces and submission.reproduces.public_id,
        "revises": submission.revises_id and str(submission.revises_id),
    }


def submission_document(submission: Submission, request: HttpRequest) -> dict[str, Any]:
    """Everything about one submission: its latest check, the run that counts, reviews and history."""
    check = latest_check(submission)
    return (
        submission_summary(submission, check.report if check else None, request)
        | {
            "revision_reason": submission.revision_reason,
            "changes": [asdict(change) for change in edit.changes_from_original(submission)],
            "metadata": submission.metadata,
            "embargo_until": submission.embargo_until,
            "answers": submission.answers,
            "not_judged": describe_unjudged(submission),
            "level_by_rule": raised_level(submission.result) if submission.result else None,
            "answers_missing": questionnaire.missing_by_list(submission, check.report if check else None),
            "answered_by_recipe": questionnaire.answered_by_recipe(submission, check.report if check else None),
            "checked_with": check.validators_version if check else None,
            "signature": signature_outcome(submission),
            "system": system_in_short(submission),
            "shelf_runs": submission.shelf_runs.of_member(account_of(request)).count(),
        }
        | check_document(submission, check)
        | {
            "could_rank": where_it_could_rank(
                submission, questionnaire.primary_run(submission, check.report) if check else None
            ),
            "assigned": assigned_reviewers(submission),
            "reviews": [review_document(row) for row in submission.reviews.select_related("reviewer")],
            "history": history_document(submission),
        }
    )


def _is_tried_out(submission: Submission) -> bool:
    """A test goes no further than its check."""
    return submission.test and submission.state == State.CHECKED


def signature_outcome(submission: Submission) -> str:
    """verified, unknown-key, invalid or pending; none where the bundle came without one."""
    signature_row = getattr(submission, "signature", None)
    return signature_row.outcome if signature_row else "none"


def check_document(submission: Submission, check: Check | None) -> dict[str, Any]:
    """The latest report as seen from the run that counts, and all runs in short."""
    report = check.report if check else {"status": None, "primary": None, "findings": [], "runs": []}
    primary = finding_counts.chosen_run(submission, report)
    run = report["runs"][primary] if primary is not None else {}
    return {
        "status": report["status"],
        "primary": primary,
        **{name: run.get(name) for name in _RUN_FIELDS},
        "scores": run.get("scores", {}),
        "hashes": run.get("hashes", {}),
        "measurements": run.get("measurements", []),
        "parameters": run.get("parameters", {}),
        "parameter_sources": run.get("parameter_sources", {}),
        "described_parameters": run.get("described_parameters", {}),
        "tests": run.get("tests", []),
        "distributions": run.get("distributions", []),
        "rules": run.get("rules", []),
        "evidence": run.get("evidence", {}),
        "evidence_in_short": evidence_line(run.get("evidence")) if run else "",
        "unconfirmed_operations": list_unconfirmed(run.get("evidence")),
        "findings": finding_counts.list_findings(submission, report),
        "runs": [_run_summary(checked_run) for checked_run in report["runs"]],
        "groups": report.get("groups", []),
        "not_read": report.get("not_read", []),
    }


def retry_after_s(submission: Submission) -> int | None:
    """When to look again at what waits behind others; what just came is checked in less than the shortest wait."""
    waiting = submission.state in UNFINISHED and timezone.now() - submission.received_at > SOON
    return 2 if waiting else None


def _run_summary(run: dict[str, Any]) -> dict[str, Any]:
    levels = [finding["level"] for finding in run["findings"]]
    return {name: run[name] for name in (*_RUN_FIELDS, "scores", "hashes", "parameters")} | {
        "lines": run.get("lines"),
        "errors": levels.count("error"),
        "warnings": levels.count("warning"),
    }
