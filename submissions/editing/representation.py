"""Files and versions as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from submissions.bundles.file_versions import files_of
from submissions.models import Submission


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
