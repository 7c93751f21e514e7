"""Looking into a received archive without a download: its files, and the lines of one, bounded and harmless."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from submissions.bundles import quarantine
from submissions.bundles.file_versions import files_of
from submissions.bundles.storage import stored_files, stored_path
from submissions.errors import BinaryFile, NoSuchFile, UnreadableArchive
from submissions.models import Submission
from validators.bundle import Bundle, BundleError, Limits, open_bundle

LIMITS = Limits(unpacked_bytes=256 * 1024 * 1024)
"""What a web process opens; a larger archive is looked at on one's own machine."""
LINES = 200
CHARACTERS = 2000
"""Of one line; the rest of it is cut off and said to be."""
_HEAD_BYTES = 8192
_CONTROL_PICTURES = {code: 0x2400 + code for code in range(32) if code != 9} | {0x7F: 0x2421}
_CONTROL_PICTURES |= dict.fromkeys(
    (*range(0x80, 0xA0), 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD
)
"""Control characters as their pictures; what turns the direction of writing as the sign of the unreadable."""


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
    """Path and size in bytes of every file of the archive. Raises UnreadableArchive, FileQuarantined, FileGone."""
    with open_archive(submission) as bundle:
        return [{"path": path, "size": entry.size} for path, entry in bundle.files.items()]


def file_page(submission: Submission, path: str, begin: int, findings: Iterable[dict[str, Any]]) -> FilePage:
    """Up to LINES lines of one file from line `begin` on.

    Raises NoSuchFile where there is none, BinaryFile where it holds a NUL, UnreadableArchive for an archive that does
    not open.
    """
    with open_archive(submission) as bundle:
        name = _resolve_path(bundle, path)
        if b"\0" in bundle.read(name, _HEAD_BYTES):
            raise BinaryFile
        begin = max(begin, 1)
        texts = list(islice(_file_lines(bundle, name), begin - 1, begin + LINES))
        size = bundle.files[name].size
    marks = _findings_by_line(name, findings)
    lines = [
        Line(
            number, text[:CHARACTERS].translate(_CONTROL_PICTURES), len(text) > CHARACTERS, tuple(marks.get(number, ()))
        )
        for number, text in enumerate(texts[:LINES], begin)
    ]
    return FilePage(name, size, lines, begin + LINES if len(texts) > LINES else None)


def split_place(where: str) -> tuple[str, int]:
    """File and line of a finding's `path:line`; line 1 where it names none, or a place in a document."""
    path, _, line = where.rpartition(":")
    if path and line.isdecimal() and len(line) < 10:
        return path, int(line)
    return (path if line.startswith("/") else where), 1


@contextmanager
def open_archive(submission: Submission) -> Iterator[Bundle]:
    """The archive within LIMITS.

    Raises UnreadableArchive where it does not open, FileQuarantined where it is withheld, FileGone where it is not
    stored.
    """
    files = files_of(submission)
    if not files:
        raise UnreadableArchive("The draft has no file yet.")
    quarantine.require_served(submission, *(file["sha256"] for file in files))
    try:
        with (
            stored_path(submission.sha256) as path,
            stored_files(submission.beside) as extra_files,
            open_bundle(path, LIMITS, submission.filename, extra_files) as bundle,
        ):
            yield bundle
    except BundleError as error:
        raise UnreadableArchive(str(error)) from error


def _resolve_path(bundle: Bundle, path: str) -> str:
    """The file of that path, or the only one whose path ends so: findings leave the top folder out."""
    if path in bundle.files:
        return path
    ending = [name for name in bundle.files if path and name.endswith(f"/{path}")]
    if len(ending) != 1:
        raise NoSuchFile
    return ending[0]


def _file_lines(bundle: Bundle, name: str) -> Iterator[str]:
    """The lines of a file, of each a little more than is shown; memory does not grow with a line."""
    rest = b""
    for chunk in bundle.chunks(name):
        *complete, rest = (rest + chunk).split(b"\n")
        for line in complete:
            yield _shown_line(line)
        rest = rest[: 4 * CHARACTERS + 4]
    if rest:
        yield _shown_line(rest)


def _shown_line(line: bytes) -> str:
    return line[: 4 * CHARACTERS + 4].removesuffix(b"\r").decode("utf-8", "replace")


def _findings_by_line(name: str, findings: Iterable[dict[str, Any]]) -> dict[int, list[str]]:
    marks: dict[int, list[str]] = {}
    for finding in findings:
        path, line = split_place(finding["where"])
        if name == path or (path and name.endswith(f"/{path}")):
            marks.setdefault(line, []).append(finding["code"])
    return marks
