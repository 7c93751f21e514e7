"""How a submission is written as JSON. The shapes for openapi.json are in serializers.py."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from registry.models import Override, RankedList
from submissions.bundles.file_versions import files_of
from submissions.checks import finding_counts, questionnaire
from submissions.editing import edit
from submissions.lifecycle.states import UNFINISHED
from submissions.models import Check, Event, LateEntry, Review, Submission, SystemSnapshot
from submissions.review.decisions import prospects
from validators.system import difference as system_difference

_OF_THE_RUN = ("tool", "version", "mode", "path")
SOON = timedelta(seconds=5)


def receipt(submission: Submission, request: HttpRequest) -> dict[str, Any]:
    """What an upload is answered with."""
    return {
        "id": str(submission.pk),
        "state": submission.state,
        "url": request.build_absolute_uri(f"/submissions/{submission.pk}/"),
        "sha256": submission.sha256,
    }


def summary(submission: Submission, request: HttpRequest) -> dict[str, Any]:
    """One row of the list of submissions; needs account, institution, release and result joined."""
    return receipt(submission, request) | {
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
        "result": submission.result and submission.result.public_id,
        "revises": submission.revises_id and str(submission.revises_id),
    }


def whole(submission: Submission, request: HttpRequest) -> dict[str, Any]:
    """Everything about one submission: its latest check, the run that counts, reviews and history."""
    check = latest_check(submission)
    return (
        summary(submission, request)
        | {
            "revision_reason": submission.revision_reason,
            "changes": [asdict(change) for change in edit.revised(submission)],
            "metadata": submission.metadata,
            "embargo_until": submission.embargo_until,
            "answers": submission.answers,
            "answers_missing": questionnaire.missing_by_list(submission, check and check.report),
            "checked_with": check.validators_version if check else None,
            "signature": signature(submission),
            "system": system_in_short(submission),
        }
        | checked(submission, check)
        | {
            "assigned": assigned(submission),
            "reviews": [review(row) for row in submission.reviews.select_related("reviewer")],
            "history": history(submission),
        }
    )


def signature(submission: Submission) -> str:
    """verified, unknown-key, invalid or pending; none where the bundle came without one."""
    found = getattr(submission, "signature", None)
    return found.outcome if found else "none"


def checked(submission: Submission, check: Check | None) -> dict[str, Any]:
    """The latest report as seen from the run that counts, and all runs in short."""
    report = check.report if check else {"status": None, "primary": None, "findings": [], "runs": []}
    primary = finding_counts.chosen_run(submission, report)
    run = report["runs"][primary] if primary is not None else {}
    return {
        "status": report["status"],
        "primary": primary,
        **{name: run.get(name) for name in _OF_THE_RUN},
        "scores": run.get("scores", {}),
        "hashes": run.get("hashes", {}),
        "measurements": run.get("measurements", []),
        "parameters": run.get("parameters", {}),
        "parameter_sources": run.get("parameter_sources", {}),
        "described_parameters": run.get("described_parameters", {}),
        "tests": run.get("tests", []),
        "distributions": run.get("distributions", []),
        "rules": run.get("rules", []),
        "findings": finding_counts.of(submission, report),
        "runs": [_in_short(one) for one in report["runs"]],
        "groups": report.get("groups", []),
    }


def latest_check(submission: Submission) -> Check | None:
    return submission.checks.order_by("-made_at", "-id").first()


def history(submission: Submission) -> list[dict[str, Any]]:
    return [event(row) for row in submission.events.select_related("actor").order_by("id")]


def event(row: Event) -> dict[str, Any]:
    return {
        "at": row.at,
        "actor": row.actor.username if row.actor else None,
        "from_state": row.from_state or None,
        "to_state": row.to_state,
        "reason": row.reason,
    }


def review(row: Review) -> dict[str, Any]:
    return {
        "decision": row.decision,
        "reproducibility": row.reproducibility,
        "production": row.production,
        "reason": row.reason,
        "findings": row.findings,
        "reviewer": row.reviewer.username,
        "made_at": row.made_at,
    }


def assigned(submission: Submission) -> list[str]:
    """Usernames of the reviewers who are to decide."""
    return list(submission.assignments.values_list("reviewer__username", flat=True))


def excluded(submission: Submission, review: Review) -> dict[str, dict[str, str]]:
    """By list, why the run that counts could not rank there."""
    check = latest_check(submission)
    primary = finding_counts.chosen_run(submission, check.report) if check else None
    run = check.report["runs"][primary] if primary is not None else {}
    found = prospects(submission, run, review.production, review.reproducibility)
    return {name: {"code": why.code, "why": why.why} for name, why in found.items() if why}


def late(row: LateEntry) -> dict[str, Any]:
    """`row` with its release and who decided joined."""
    return {
        "id": str(row.submission_id),
        "release": row.release.slug,
        "reason": row.reason,
        "decided_by": row.decided_by.username,
        "decided_at": row.decided_at,
    }


def override(row: Override, ranked_list: RankedList) -> dict[str, Any]:
    """`row` with its result joined."""
    return {
        "release": ranked_list.release.slug,
        "list": ranked_list.name,
        "result": row.result.public_id,
        "action": row.action,
        "score": row.score,
        "reason": row.reason,
        "decided_by": row.decided_by,
        "decided_at": row.decided_at,
        "entries": ranked_list.entries.count(),
    }


def system_in_short(submission: Submission) -> dict[str, Any] | None:
    """What the description of the system holds; None where the bundle has none."""
    snapshot = getattr(submission, "system_snapshot", None)
    return snapshot and {"sha256": snapshot.sha256} | snapshot.summary


def system(snapshot: SystemSnapshot) -> dict[str, Any]:
    """The description of the system in short and as a whole."""
    return {"sha256": snapshot.sha256, "summary": snapshot.summary, "document": snapshot.document}


def difference(*submissions: Submission) -> dict[str, Any]:
    """What differs between the systems of submissions, each joined with its snapshot."""
    snapshots = [getattr(submission, "system_snapshot", None) for submission in submissions]
    return system_difference.difference([snapshot and snapshot.document for snapshot in snapshots])


def files(submission: Submission) -> dict[str, Any]:
    """The bytes as received, and the scrubbed derivative with its files once there is one."""
    derivative = getattr(submission, "derivative", None)
    received = {"name": submission.filename, "size": submission.size, "sha256": submission.sha256}
    shown = derivative and {
        "sha256": derivative.sha256,
        "size": derivative.size,
        "files": derivative.files,
        "report": derivative.report,
    }
    return {"received": received, "files": files_of(submission), "version": submission.version, "derivative": shown}


def comparison(found: dict[str, Any]) -> dict[str, Any]:
    """What changed between two versions, as submissions.versions.compare tells it."""
    changes = {name: [asdict(change) for change in found[name]] for name in ("files", "scores", "measurements")}
    return found | changes


def retry_after_s(submission: Submission) -> int | None:
    """When to look again at what waits behind others; what just came is checked in less than the shortest wait."""
    waiting = submission.state in UNFINISHED and timezone.now() - submission.received_at > SOON
    return 2 if waiting else None


def _in_short(run: dict[str, Any]) -> dict[str, Any]:
    levels = [finding["level"] for finding in run["findings"]]
    return {name: run[name] for name in (*_OF_THE_RUN, "scores", "hashes", "parameters")} | {
        "errors": levels.count("error"),
        "warnings": levels.count("warning"),
    }
