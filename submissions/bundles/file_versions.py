"""The files of submissions: those of the current version, and who has a file in any version."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from submissions.models import Submission, Version

File = dict[str, Any]
"""`name`, `sha256` and `size` in bytes. The first of a version is its bundle."""


def files_of(submission: Submission) -> list[File]:
    """The files of the current version, its bundle first; none for a draft that has none yet."""
    bundle = {"name": submission.filename, "sha256": submission.sha256, "size": submission.size}
    return [bundle, *submission.beside] if submission.sha256 else []


def submissions_with_file(sha256: str) -> QuerySet[Submission]:
    """Submissions with this file in a version of theirs; each of the three places has its index."""
    row = [{"sha256": sha256}]
    bundles = Submission.objects.order_by().filter(sha256=sha256).values_list("pk", flat=True)
    extra_files = Submission.objects.order_by().filter(beside__contains=row).values_list("pk", flat=True)
    former = Version.objects.order_by().filter(files__contains=row).values_list("submission", flat=True)
    return Submission.objects.order_by().filter(pk__in={*bundles, *extra_files, *former})
