"""The versions of a submission: files, checks, and what changed between two of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from registry.query.differences.revision_diff import document_differences
from submissions.bundles.file_versions import File, files_of
from submissions.checks import finding_counts
from submissions.errors import NoSuchVersion
from submissions.models import Check, Submission, Version


def list_versions(submission: Submission) -> list[dict[str, Any]]:
    """All versions, oldest first: number, since when and by whom, files, and the latest check in short.

    Of the current one with what its scrubbed copy told since.
    """
    former = list(Version.objects.filter(submission=submission).select_related("replaced_by").order_by("number"))
    checks = {check.version: check for check in submission.checks.order_by("made_at", "id").defer("report")}
    since, by, rows = submission.received_at, submission.account.username, []
    for version in former:
        rows.append(_version_row(version.number, since, by, version.files, checks))
        since, by = version.replaced_at, version.replaced_by.username
    current = _version_row(submission.version, since, by, files_of(submission), checks)
    if current["check"]:
        counted = finding_counts.count_report(submission, checks[submission.version].report)
        current["check"] |= {"errors": counted.errors, "warnings": counted.warnings}
    return [*rows, current]


def file_of(submission: Submission, number: int, name: str) -> File:
    """One file of one version. Raises NoSuchVersion where there is none."""
    for file in _version_files(submission, number):
        if file["name"] == name:
            return file
    raise NoSuchVersion(f"Version {number} has no file {name[:60]!r}.")


def compare_versions(submission: Submission, before: int, after: int) -> dict[str, Any]:
    """What changed from one version to another: files, scores, measurements, findings. Raises NoSuchVersion."""
    files = [
        {file["name"]: file["sha256"] for file in _version_files(submission, number)} for number in (before, after)
    ]
    runs = [_run(submission, number) for number in (before, after)]
    old, new = (_run_findings(run) for run in runs)
    return {
        "from": before,
        "to": after,
        "files": document_differences(*files),
        "scores": document_differences(*(_run_scores(run) for run in runs)),
        "measurements": document_differences(*(_printed_values(run) for run in runs)),
        "findings_gone": [old[key] for key in old if key not in new],
        "findings_new": [new[key] for key in new if key not in old],
    }


def _version_row(number: int, since: Any, by: str, files: list[File], checks: Mapping[int, Check]) -> dict[str, Any]:
    check = checks.get(number)
    check_summary = check and {"status": check.status, "errors": check.errors, "warnings": check.warnings}
    return {"version": number, "since": since, "by": by, "files": files, "check": check_summary or None}


def _version_files(submission: Submission, number: int) -> list[File]:
    if number == submission.version:
        return files_of(submission)
    former = Version.objects.filter(submission=submission, number=number).first()
    if former is None:
        raise NoSuchVersion(f"There is no version {number}; the current one is {submission.version}.")
    files: list[File] = former.files
    return files


def _run(submission: Submission, number: int) -> dict[str, Any]:
    """The findings of the version's latest check with the run that counts; {} where it was not checked."""
    check = submission.checks.filter(version=number).first()
    if check is None:
        return {}
    report, chosen = check.report, check.report["primary"]
    run = report["runs"][chosen] if chosen is not None else {}
    return run | {"findings": report["findings"] + run.get("findings", [])}


def _run_scores(run: Mapping[str, Any]) -> dict[str, float | None]:
    return {name: score.get("value") for name, score in run.get("scores", {}).items()}


def _printed_values(run: Mapping[str, Any]) -> dict[str, str]:
    """Printed values with their units by what they are of."""
    return {
        _measurement_name(row): f"{row['printed_value']} {row['printed_unit']}" for row in run.get("measurements", [])
    }


def _measurement_name(row: Mapping[str, Any]) -> str:
    context = "".join(f" {name}={value}" for name, value in sorted(row["context"].items()) if value is not False)
    return f"{row['op']} {row['quantity']} {row['stat']}{context}"


def _run_findings(run: Mapping[str, Any]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """By code, place and message. A finding of another value is another finding."""
    return {(row["code"], row["where"], row["message"]): row for row in run.get("findings", [])}
