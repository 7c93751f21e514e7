"""Looking into a received archive without a download. It is opened in the cage; what comes back is bounded text."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from registry.errors import Problem
from submissions.bundles import quarantine
from submissions.bundles.cage import archive_view, jobs, untrusted
from submissions.bundles.cage import client as cage
from submissions.bundles.file_versions import files_of
from submissions.bundles.storage import stored_files, stored_path
from submissions.errors import ArchiveTooMuch, BinaryFile, NoSuchFile, NotLookedInto, UnreadableArchive
from submissions.models import Submission

log = logging.getLogger(__name__)

LINES = archive_view.LINES
SECONDS = 10.0
"""So long one look may take; also the wait for other looks of the same web process."""

_LAST_LINE = 1_000_000_000
"""No archive that is opened for a page has more lines."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file: its number from 1, its text, whether the end was cut off, the codes of findings on it."""

    number: int
    text: str
    cut: bool
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FilePage:
    """Lines of a file; `following` is the number of the line after them, None at the end."""

    path: str
    size: int
    lines: list[Line]
    following: int | None


def list_files(submission: Submission) -> list[dict[str, Any]]:
    """Path and size in bytes of every file of the archive. Raises as `look_into` does."""
    rows: list[dict[str, Any]] = look_into(submission, archive_view.list_files)["files"]
    return rows


def file_page(submission: Submission, path: str, begin: int, findings: Iterable[dict[str, Any]]) -> FilePage:
    """Up to LINES lines of one file from line `begin` on.

    Raises NoSuchFile where there is none, BinaryFile where it holds a NUL, and what `look_into` raises.
    """
    begin = min(max(begin, 1), _LAST_LINE)
    answer = look_into(submission, archive_view.read_lines, path=path, begin=begin)
    marks = _findings_by_line(answer["path"], findings)
    lines = [
        Line(number, text, cut, tuple(marks.get(number, ())))
        for number, (text, cut) in enumerate(answer["lines"], begin)
    ]
    return FilePage(answer["path"], answer["size"], lines, begin + LINES if answer["more"] else None)


def has_line(where: str) -> bool:
    """Whether it is `path:line`."""
    path, _, line = where.rpartition(":")
    return bool(path) and line.isdecimal() and len(line) < 10


def split_place(where: str) -> tuple[str, int]:
    """File and line of a finding's `path:line`; line 1 where it names none, or a place in a document."""
    path, _, line = where.rpartition(":")
    if has_line(where):
        return path, int(line)
    return (path if line.startswith("/") else where), 1


def look_into(submission: Submission, what: Callable[..., dict[str, Any]], **arguments: Any) -> dict[str, Any]:
    """What a function of `archive_view` says of the archive, which is opened in the cage.

    Raises UnreadableArchive where it does not open, ArchiveTooMuch where it takes too long or too much memory,
    NotLookedInto where nobody knows why it failed, FileQuarantined where it is withheld, FileGone where it is not
    stored; NoSuchFile and BinaryFile where the function refuses.
    """
    files = files_of(submission)
    if not files:
        raise UnreadableArchive("The draft has no file yet.")
    quarantine.require_served(submission, *(file["sha256"] for file in files))
    with stored_path(submission.sha256) as path, stored_files(submission.beside) as extra_files:
        paths = [path, *(file.path for file in extra_files.values())]
        named = {"name": submission.filename, "extra_files": [{"name": name} for name in extra_files]}
        job_arguments = {**named, "look": what.__name__, **arguments}
        try:
            answer = untrusted.require_look(
                cage.do_job(jobs.look_into, paths, job_arguments, seconds=SECONDS, wait_s=SECONDS), what
            )
        except (cage.OutOfTime, cage.TooMuch) as error:
            raise ArchiveTooMuch(str(error)) from error
        except cage.CageError as error:
            log.warning("Looking into %s failed: %s", submission.pk, error)
            raise NotLookedInto from error
    if "refused" in answer:
        raise _REFUSALS[answer["refused"]](answer["detail"])
    return answer


_REFUSALS: dict[str, type[Problem]] = {
    archive_view.UNREADABLE: UnreadableArchive,
    archive_view.UNKNOWN: NoSuchFile,
    archive_view.BINARY: BinaryFile,
}


def _findings_by_line(name: str, findings: Iterable[dict[str, Any]]) -> dict[int, list[str]]:
    marks: dict[int, list[str]] = {}
    for finding in findings:
        path, line = split_place(finding["where"])
        if name == path or (path and name.endswith(f"/{path}")):
            marks.setdefault(line, []).append(finding["code"])
    return marks
