"""The files of the current version of a submission."""

from __future__ import annotations

from typing import Any

from submissions.models import Submission

File = dict[str, Any]
"""`name`, `sha256` and `size` in bytes. The first of a version is its bundle."""


def files_of(submission: Submission) -> list[File]:
    """The files of the current version, its bundle first; none for a draft that has none yet."""
    bundle = {"name": submission.filename, "sha256": submission.sha256, "size": submission.size}
    return [bundle, *submission.beside] if submission.sha256 else []
