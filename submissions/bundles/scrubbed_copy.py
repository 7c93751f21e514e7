"""The scrubbed derivative of a submission: made once from the received bytes, which stay as they are."""

from __future__ import annotations

import tempfile
from dataclasses import asdict

from django.db import transaction

from submissions.bundles import scrubbing
from submissions.bundles.storage import CHUNK, Incoming, key_of, local_files, local_path, public
from submissions.models import Derivative, Submission
from validators.findings import WARNING, Finding

LIMIT_BYTES = 1024 * 1024 * 1024


def ensure_scrubbed_copy(submission: Submission) -> Derivative:
    """Its derivative, made if there is none yet. Raises Unavailable where storage can't take it."""
    derivative = Derivative.objects.filter(submission=submission).first()
    return derivative or _make(submission)


def findings(submission: Submission) -> list[dict[str, str]]:
    """The warning that the bundle told more than others get to see; none before the copy is made."""
    derivative = getattr(submission, "derivative", None)
    removed = derivative.report.get("removed", []) if derivative else []
    if not removed:
        return []
    listed = ", ".join(f"{row['rule']} {row['count']}" for row in removed)
    message = f"The bundle tells of persons, hosts or keys; the copy that others see is without it: {listed}."
    hint = "Pack with the collector, which takes such things out before anything leaves your site."
    return [Finding("bundle.personal", WARNING, message, hint).as_json()]


def _make(submission: Submission) -> Derivative:
    with tempfile.TemporaryFile() as out:
        with local_path(key_of(submission.sha256)) as received, local_files(submission.beside) as beside:
            scrubbed = scrubbing.derive(received, out, name=submission.filename, beside=beside)
        out.seek(0)
        _keep(out)
    with transaction.atomic():
        current = Submission.objects.select_for_update().get(pk=submission.pk)
        if current.version == submission.version:
            derivative, _ = Derivative.objects.get_or_create(
                submission=submission,
                defaults={
                    "sha256": scrubbed.sha256,
                    "size": scrubbed.size,
                    "files": [asdict(file) for file in scrubbed.files],
                    "report": {"removed": scrubbed.report, "left_out": scrubbed.left_out},
                },
            )
            return derivative
    return ensure_scrubbed_copy(current)  # its files changed meanwhile


def _keep(file) -> None:
    incoming = Incoming("derivative", LIMIT_BYTES, public())
    try:
        while chunk := file.read(CHUNK):
            incoming.write(chunk)
        incoming.keep()
    finally:
        incoming.close()
