"""What people look at in an archive: its files, lines of one, and texts that no benchmark read.

Runs in the cage, so nothing in here may import Django. What can't be shown is an answer, too: `refused` and `detail`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from submissions.bundles import scrubbing, suspicious_words
from validators.bundle import Bundle, BundleError, Limits, StoredFile, open_bundle
from validators.scrubbing import personal

LIMITS = Limits(unpacked_bytes=256 * 1024 * 1024)
"""What is opened for a page; a larger archive is looked at on one's own machine."""
LINES = 200
CHARACTERS = 2000
"""Of one line; the rest of it is cut off and said to be."""
MOST_FILES = 500
"""Texts that are offered for a copy."""
MARKED_BYTES = 8 * 1024 * 1024
"""Of all files together, smallest first, in which words are marked. What is larger has to be looked at elsewhere."""
UNREADABLE, UNKNOWN, BINARY = "unreadable", "unknown", "binary"
"""Why something is refused: the archive does not open, it holds no such file, the file is no text."""
_HEAD_BYTES = 8192
_CONTROL_PICTURES = {code: 0x2400 + code for code in range(32) if code != 9} | {0x7F: 0x2421}
_CONTROL_PICTURES |= dict.fromkeys(
    (*range(0x80, 0xA0), 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD
)
"""Control characters as their pictures; what turns the direction of writing as the sign of the unreadable."""


class _Refused(Exception):
    def __init__(self, why: str, detail: str = "") -> None:
        super().__init__(why)
        self.answer = {"refused": why, "detail": detail}


def view_bundle(
    look: Callable[[Bundle, Mapping[str, Any]], dict[str, Any]], paths: Sequence[Path], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """What one of the functions below says of the bundle at the first path; the others are `extra_files` by name."""
    names = [file["name"] for file in arguments["extra_files"]]
    extra_files = {name: StoredFile(path) for name, path in zip(names, paths[1:], strict=True)}
    try:
        with open_bundle(paths[0], LIMITS, arguments["name"], extra_files) as bundle:
            return look(bundle, arguments)
    except BundleError as error:
        return {"refused": UNREADABLE, "detail": str(error)}
    except _Refused as refused:
        return refused.answer


def list_files(bundle: Bundle, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Path and size in bytes of every file."""
    return {"files": [{"path": path, "size": entry.size} for path, entry in bundle.files.items()]}


def read_lines(bundle: Bundle, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Up to LINES lines of the file `path` from line `begin` on: each its text, and whether its end was cut off.

    Raises _Refused for a path that is not there, and for a file that is no text.
    """
    path = _resolve_path(bundle, arguments["path"])
    if b"\0" in bundle.read(path, _HEAD_BYTES):
        raise _Refused(BINARY)
    begin = arguments["begin"]
    texts = list(islice(_file_lines(bundle, path), begin - 1, begin + LINES))
    line_rows = [[text[:CHARACTERS].translate(_CONTROL_PICTURES), len(text) > CHARACTERS] for text in texts[:LINES]]
    return {"path": path, "size": bundle.files[path].size, "lines": line_rows, "more": len(texts) > LINES}


def offer_texts(bundle: Bundle, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Texts beside those that a check `read`: path, size, and words to look at; None where none were marked."""
    texts = scrubbing.texts_of(bundle)
    tags, read = scrubbing.tag_files(bundle, texts), frozenset(arguments["read"])
    others = [path for path in texts if path not in read and path not in tags]
    names = _names_in_texts(bundle, texts)
    marked, total = {}, 0
    for path in sorted(others, key=lambda path: (bundle.files[path].size, path)):
        total += bundle.files[path].size
        if total <= MARKED_BYTES:
            marked[path] = [asdict(mark) for mark in _marks_of_file(bundle, path, names)]
    return {
        "files": [
            {"path": path, "size": bundle.files[path].size, "marks": marked.get(path)} for path in others[:MOST_FILES]
        ]
    }


def require_texts(bundle: Bundle, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Nothing. Raises _Refused for `texts` of which one is no text of the bundle."""
    unknown = set(arguments["texts"]).difference(scrubbing.texts_of(bundle))
    if unknown:
        raise _Refused(UNKNOWN, min(unknown)[:200])
    return {}


def _resolve_path(bundle: Bundle, path: str) -> str:
    """The file of that path, or the only one whose path ends so: findings leave the top folder out."""
    if path in bundle.files:
        return path
    ending = [name for name in bundle.files if path and name.endswith(f"/{path}")]
    if len(ending) != 1:
        raise _Refused(UNKNOWN)
    return ending[0]


def _file_lines(bundle: Bundle, path: str) -> Iterator[str]:
    """The lines of a file, of each a little more than is shown; memory does not grow with a line."""
    rest = b""
    for chunk in bundle.chunks(path):
        *complete, rest = (rest + chunk).split(b"\n")
        for line in complete:
            yield _shown_line(line)
        rest = rest[: 4 * CHARACTERS + 4]
    if rest:
        yield _shown_line(rest)


def _shown_line(line: bytes) -> str:
    return line[: 4 * CHARACTERS + 4].removesuffix(b"\r").decode("utf-8", "replace")


def _names_in_texts(bundle: Bundle, texts: Iterable[str]) -> personal.Names:
    names, total = personal.Names(), 0
    for path in texts:
        total += bundle.files[path].size
        if total <= MARKED_BYTES:
            names.learn(path, scrubbing.lines_of(bundle, path))
    return names


def _marks_of_file(bundle: Bundle, path: str, names: personal.Names) -> Collection[suspicious_words.Mark]:
    scrubbed = personal.scrub_lines(path, scrubbing.lines_of(bundle, path), names, Counter())
    return list(suspicious_words.mark_words(scrubbed))
