"""Keys and tokens that must not be stored: found in the bytes of any file of a bundle, whatever it is.

Only what works for whoever reads it: a private key with a body, a token of a known form. Forms that documentation uses
as examples (a body of a few different characters, AWS's keys that end in EXAMPLE, a key whose body is dots) are let
through. What was assigned to a password may be anything; scrubbing takes that out of the copy that others see.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, takewhile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from validators.bundle.gunzip import gunzip
from validators.findings import ERROR, Finding

if TYPE_CHECKING:
    from validators.bundle import ArchiveEntry, Bundle

CODE = "bundle.secret"
_PIECE = 256 * 1024
_OVERLAP = 8192
"""Bytes that are looked at again with the next piece, more than any token or the beginning of a key has."""
_MOST = 20
"""Findings of one stored file: those of one never hide those of another."""
_GUNZIPPED_BYTES = 64 * 1024 * 1024
"""That is searched of the insides of all gzips that hold no archive; a log shrinks to a tenth."""
_JWT_SIGNATURE = 16
"""Characters of the signature of a token that is signed."""

_KEY = re.compile(rb"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BEGINNING_BYTES = 1024
"""Behind its first line, in which the body of a key has begun: the headers before it have a few lines."""
_MOST_KEY_HEADERS = 4
_LINE_END = re.compile(rb"\r|\n|\\[nr]")
_KEY_HEADER, _KEY_BODY = re.compile(rb"[A-Za-z-]{1,40}: "), re.compile(rb"(?:^|\s)[A-Za-z0-9+/]{4}")


@dataclass(frozen=True)
class Refused:
    """A form of token that is not stored: one of credential-forms.1.json with `refuse`."""

    what: str
    hints: tuple[bytes, ...]
    pattern: re.Pattern[bytes]
    least: int
    most: int | None
    distinct: int
    is_jwt: bool
    shared: bytes
    """What all hints begin or end with: where it is missing, none of them is searched."""

    def is_hinted(self, window: bytes) -> bool:
        """Whether one of the hints stands there."""
        return self.shared in window and any(hint in window for hint in self.hints)

    def is_live(self, body: bytes) -> bool:
        """Whether it may work for whoever reads it: long enough, and no placeholder."""
        if len(body) < self.least or (self.most is not None and len(body) > self.most):
            return False
        if self.is_jwt and not _is_signed_jwt(body):
            return False
        return len(set(body)) >= self.distinct and not body.endswith(b"EXAMPLE")


def _refused(row: Mapping[str, Any]) -> Refused:
    ask = row["refuse"]
    pattern = re.compile(rb"(?<![A-Za-z0-9_-])(?:" + row["pattern"].encode("ascii") + rb")")
    hints = tuple(hint.encode("ascii") for hint in row["hints"])
    is_jwt = ask.get("form") == "jwt"
    shared = _shared_part(row["hints"]).encode("ascii")
    return Refused(row["what"], hints, pattern, ask["least"], ask.get("most"), ask["distinct"], is_jwt, shared)


def _shared_part(texts: list[str]) -> str:
    """What all of them begin with, or end with if that is longer."""
    backwards = [text[::-1] for text in texts]
    return max(_shared_beginning(texts), _shared_beginning(backwards)[::-1], key=len)


def _shared_beginning(texts: list[str]) -> str:
    """What all of them begin with; the first and the last in order differ soonest."""
    first, last = min(texts), max(texts)
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return "".join(letter for letter, _ in alike)


_FORMS = Path(__file__).parent.parent / "scrubbing" / "credential-forms.1.json"
"""What scrubbing takes out of copies (validators/scrubbing/credentials.py); a part of it is refused."""
REFUSED = tuple(_refused(row) for row in json.loads(_FORMS.read_text(encoding="utf-8"))["tokens"] if "refuse" in row)


def scan(bundle: Bundle, cleared: Collection[str] = ()) -> list[Finding]:
    """Findings `bundle.secret`, for each kind and file; nothing of the secret itself is in them.

    Each has the sha256 of the stored file that the bytes were read from. What was read from stored files that are all
    in `cleared` (sha256) is not searched: somebody looked, and it holds no secret. What readers do not get is searched.
    """
    findings: list[Finding] = []
    counts: Counter[str] = Counter()
    bytes_left = _GUNZIPPED_BYTES
    archives = {str(parent) for path in bundle.files for parent in PurePosixPath(path).parents}
    for path, entry in chain(bundle.files.items(), bundle.unread):
        if entry.sources and entry.sources.issubset(cleared):
            continue
        sources = [source for source in sorted(entry.sources) or [""] if counts[source] < _MOST]
        if not sources:
            continue
        first = _first_of_each(bundle.pieces(entry))
        if path not in archives and bundle.slice(entry, 0).startswith(b"\x1f\x8b"):
            inside = _Gunzipped(bundle, entry, bytes_left)
            first = _first_of_each(inside) | first
            bytes_left = inside.left
        for what, line in sorted(first.items()):
            findings += [_finding(path, line, what, source) for source in sources]
            counts.update(sources)
    return findings


class _Gunzipped:
    """What a gzip holds, in pieces, until it ends, is damaged or gave `left` bytes."""

    def __init__(self, bundle: Bundle, entry: ArchiveEntry, bytes_left: int) -> None:
        self.left = bytes_left
        self._packed = bundle.pieces(entry)

    def __iter__(self) -> Iterator[bytes]:
        unpacked = gunzip(self)  # type: ignore[arg-type]  # it is only read from
        try:
            while self.left > 0 and (piece := unpacked.read(_PIECE)):
                self.left -= len(piece)
                yield piece
        except (EOFError, zlib.error):
            return

    def read(self, size: int) -> bytes:
        """The next piece of the gzip itself, of whatever size."""
        return next(self._packed, b"")


def _first_of_each(pieces: Iterable[bytes]) -> dict[str, int]:
    """The line of the first secret of each kind."""
    first: dict[str, int] = {}
    lines, tail = 1, b""
    for piece in pieces:
        window = tail + piece
        for what, position in _in_bytes(window):
            first.setdefault(what, lines + window.count(b"\n", 0, position))
        tail = window[-_OVERLAP:]
        lines += window.count(b"\n", 0, len(window) - len(tail))
    return first


def _in_bytes(window: bytes) -> Iterator[tuple[str, int]]:
    if b"PRIVATE KEY" in window and (key := next(filter(_has_body, _KEY.finditer(window)), None)):
        yield "a private key", key.start()
    for form in REFUSED:
        if form.is_hinted(window):
            yield from ((form.what, token.start()) for token in form.pattern.finditer(window) if form.is_live(token[1]))


def _has_body(key: re.Match[bytes]) -> bool:
    """Whether base64 follows the first line of a key, behind headers such as `Proc-Type: 4,ENCRYPTED`.

    Ends of lines may be written as they are in JSON. A body may stand behind a blank on the line of a header.
    """
    headers = 0
    for line in _LINE_END.split(key.string[key.end() : key.end() + _KEY_BEGINNING_BYTES]):
        line = line.strip()
        header = _KEY_HEADER.match(line) if headers < _MOST_KEY_HEADERS else None
        if header is None:
            if line:
                return _KEY_BODY.match(line) is not None
        elif _KEY_BODY.search(line, header.end()):
            return True
        else:
            headers += 1
    return False


def _is_signed_jwt(body: bytes) -> bool:
    header, payload, signature = (*body.split(b"."), b"", b"")[:3]
    return payload.startswith(b"eyJ") and len(signature) >= _JWT_SIGNATURE and _is_jwt_header(header)


def _is_jwt_header(part: bytes) -> bool:
    try:
        header = json.loads(base64.urlsafe_b64decode(part + b"=" * (-len(part) % 4)))
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and "alg" in header


def _without_tokens(path: str) -> str:
    """A path may be called like a token, and findings are kept."""
    name = path.encode("utf-8", "replace")
    for form in REFUSED:
        name = form.pattern.sub(b"...", name)
    return name.decode()


def _finding(path: str, line: int, what: str, source: str) -> Finding:
    return Finding(
        CODE,
        ERROR,
        f"There is {what} in this file. A registry keeps no bundle with one.",
        "Revoke it, if it left your site. Then pack with the collector, which takes such things out.",
        f"{_without_tokens(path)}:{line}",
        sha256=source,
    )
