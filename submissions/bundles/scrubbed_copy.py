"""The scrubbed derivative of a submission: made once from the received bytes, which stay as they are."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from typing import IO

from django.db import transaction

from submissions.bundles import public_files
from submissions.bundles.cage import client as cage
from submissions.bundles.cage import jobs, untrusted
from submissions.bundles.storage import CHUNK, Incoming, public_storage, stored_files, stored_path
from submissions.models import ScrubbedCopy, Submission
from validators.findings import WARNING, Finding

LIMIT_BYTES = 1024 * 1024 * 1024
SECONDS = 90.0
"""So long one copy may take; the published archive that takes longest takes some seconds."""


def ensure_scrubbed_copy(submission: Submission) -> ScrubbedCopy:
    """Its derivative, made if there is none yet.

    Raises Unavailable where storage can't take it, CageError where the bytes can't be scrubbed.
    """
    derivative = ScrubbedCopy.objects.filter(submission=submission).first()
    return derivative or _make_copy(submission)


def copy_findings(submission: Submission) -> list[dict[str, str]]:
    """The warning that the bundle told more than others get to see; none before the copy is made."""
    derivative = getattr(submission, "derivative", None)
    removed = derivative.report.get("removed", []) if derivative else []
    if not removed:
        return []
    listed = ", ".join(f"{row['rule']} ({row['count']})" for row in removed)
    message = f"The public copy leaves out what names persons or hosts, or is a key: {listed}."
    hint = "Pack with the collector, which takes such things out before anything leaves your site."
    return [Finding("bundle.personal", WARNING, message, hint).as_json()]


def _make_copy(submission: Submission) -> ScrubbedCopy:
    agreed, read = public_files.agreed_paths(submission), public_files.read_paths(submission)

    with tempfile.TemporaryFile() as out:
        with stored_path(submission.sha256) as received, stored_files(submission.beside) as extra_files:
            arguments = {
                "name": submission.filename,
                "extra_files": [{"name": name, "sha256": file.sha256} for name, file in extra_files.items()],
                "agreed": sorted(agreed),
                "read": None if read is None else sorted(read),
            }
            paths = [received, *(file.path for file in extra_files.values())]
            answer = cage.do_job(jobs.scrub_bundle, paths, arguments, seconds=SECONDS, out=out)
            scrubbed = untrusted.require_scrubbed(answer)
        out.seek(0)
        _keep_copy(out, scrubbed.sha256)
    with transaction.atomic():
        current = Submission.objects.select_for_update().get(pk=submission.pk)
        if current.version == submission.version and public_files.agreed_paths(current) == agreed:
            derivative, _ = ScrubbedCopy.objects.get_or_create(
                submission=submission,
                defaults={
                    "sha256": scrubbed.sha256,
                    "size": scrubbed.size,
                    "files": [asdict(file) for file in scrubbed.files],
                    "report": {"removed": scrubbed.report, "left_out": scrubbed.left_out},
                    "names": scrubbed.names,
                },
            )
            return derivative
    return ensure_scrubbed_copy(current)  # its files, or what was agreed to, changed meanwhile


def _keep_copy(file: IO[bytes], sha256: str) -> None:
    """Store what was written, if it is what the cage says that it wrote. Raises JobFailed where it is not."""
    incoming = Incoming("derivative", LIMIT_BYTES, public_storage())
    try:
        while chunk := file.read(CHUNK):
            incoming.write(chunk)
        if incoming.sha256 != sha256:
            raise cage.JobFailed("The scrubbed copy has another digest than its report says.")
        incoming.keep()
    finally:
        incoming.close()
