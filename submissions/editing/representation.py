"""Files and versions as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from submissions.bundles.file_versions import files_of
from submissions.models import Submission


def files_document(submission: Submission) -> dict[str, Any]:
    """The bytes as received, and the scrubbed derivative with its files once there is one."""
    derivative = getattr(submission, "derivative", None)
    received = {"name": submission.filename, "size": submission.size, "sha256": submission.sha256}
    derivative_document = derivative and {
        "sha256": derivative.sha256,
        "size": derivative.size,
        "files": derivative.files,
        "report": derivative.report,
    }
    return {
        "received": received,
        "files": files_of(submission),
        "version": submission.version,
        "derivative": derivative_document,
    }


def comparison_document(difference: dict[str, Any]) -> dict[str, Any]:
    """What changed between two versions, as submissions.versions.compare tells it."""
    changes = {name: [asdict(change) for change in difference[name]] for name in ("files", "scores", "measurements")}
    return difference | changes
