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
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from validators.bundle.gunzip import gunzip
from validators.findings import ERROR, Finding

if TYPE_CHECKING:
    from validators.bundle import Bundle, Entry

CODE = "bundle.secret"
_PIECE = 256 * 1024
_OVERLAP = 8192
"""Bytes that are looked at again with the next piece, more than any token or the beginning of a key has."""
_MOST = 20
"""Findings of one stored file: those of one never hide those of another."""
_GUNZIPPED_BYTES = 64 * 1024 * 1024
"""That is searched of the insides of all gzips that hold no archive; a log shrinks to a tenth."""
_DISTINCT = 8
"""Different characters of a token; one of x and zeros is a placeholder."""

_KEY = re.compile(rb"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BEGINNING_BYTES = 1024
"""Behind its first line, in which the body of a key has begun: the headers before it have a few lines."""
_MOST_KEY_HEADERS = 4
_LINE_END = re.compile(rb"\r|\n|\\[nr]")
_KEY_HEADER, _KEY_BODY = re.compile(rb"[A-Za-z-]{1,40}: "), re.compile(rb"(?:^|\s)[A-Za-z0-9+/]{4}")
_TOKENS: tuple[tuple[bytes, str, re.Pattern[bytes]], ...] = tuple(
    (hint, name, re.compile(rb"(?<![A-Za-z0-9_-])" + pattern))
    for hint, name, pattern in (
        (b"AKIA", "an AWS access key", rb"AKIA([0-9A-Z]{16})(?![0-9A-Z])"),
        (b"ASIA", "an AWS access key", rb"ASIA([0-9A-Z]{16})(?![0-9A-Z])"),
        (b"gh", "a GitHub token", rb"gh[pousr]_([A-Za-z0-9]{30,255})"),
        (b"github_pat_", "a GitHub token", rb"github_pat_([A-Za-z0-9_]{30,255})"),
        (b"glpat-", "a GitLab token", rb"glpat-([A-Za-z0-9_-]{20,255})"),
        (b"xox", "a Slack token", rb"xox[abprs]-([A-Za-z0-9-]{20,255})"),
        (b"AIza", "a Google key", rb"AIza([A-Za-z0-9_-]{35})(?![A-Za-z0-9_-])"),
        (b"sk_live_", "a Stripe key", rb"sk_live_([A-Za-z0-9]{20,255})"),
        (b"npm_", "an npm token", rb"npm_([A-Za-z0-9]{36})(?![A-Za-z0-9])"),
        (b"pypi-", "a PyPI token", rb"pypi-([A-Za-z0-9_-]{60,255})"),
        (b"hf_", "a Hugging Face token", rb"hf_([A-Za-z0-9]{34,60})(?![A-Za-z0-9])"),
        (b"hvs.", "a Vault token", rb"hvs\.([A-Za-z0-9_-]{24,255})"),
        (b"hw_", "a token of this registry", rb"hw_([0-9a-f]{32,128})(?![0-9a-f])"),
        (b"eyJ", "a signed token (JWT)", rb"(eyJ[\w-]{10,2000}\.eyJ[\w-]{8,4000}\.[\w-]{16,1000})"),
    )
)


def scan(bundle: Bundle, cleared: Collection[str] = ()) -> list[Finding]:
    """Findings `bundle.secret`, for each kind and file; nothing of the secret itself is in them.

    Each has the sha256 of the stored file that the bytes were read from. What was read from stored files that are all
    in `cleared` (sha256) is not searched: somebody looked, and it holds no secret. What readers do not get is searched.
    """
    findings: list[Finding] = []
    counts: Counter[str] = Counter()
    left = _GUNZIPPED_BYTES
    archives = {str(parent) for path in bundle.files for parent in PurePosixPath(path).parents}
    for path, entry in chain(bundle.files.items(), bundle.unread):
        if entry.sources and entry.sources.issubset(cleared):
            continue
        sources = [source for source in sorted(entry.sources) or [""] if counts[source] < _MOST]
        if not sources:
            continue
        first = _first_of_each(bundle.pieces(entry))
        if path not in archives and bundle.slice(entry, 0).startswith(b"\x1f\x8b"):
            inside = _Gunzipped(bundle, entry, left)
            first = _first_of_each(inside) | first
            left = inside.left
        for what, line in sorted(first.items()):
            findings += [_finding(path, line, what, source) for source in sources]
            counts.update(sources)
    return findings


class _Gunzipped:
    """What a gzip holds, in pieces, until it ends, is damaged or gave `left` bytes."""

    def __init__(self, bundle: Bundle, entry: Entry, left: int) -> None:
        self.left = left
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
    for hint, name, pattern in _TOKENS:
        if hint in window:
            yield from ((name, token.start()) for token in pattern.finditer(window) if _looks_live(token[1]))


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


def _looks_live(body: bytes) -> bool:
    if body.startswith(b"eyJ"):
        return _is_jwt_header(body.partition(b".")[0])
    return len(set(body)) >= _DISTINCT and not body.endswith(b"EXAMPLE")


def _is_jwt_header(part: bytes) -> bool:
    try:
        header = json.loads(base64.urlsafe_b64decode(part + b"=" * (-len(part) % 4)))
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and "alg" in header


def _without_tokens(path: str) -> str:
    """A path may be called like a token, and findings are kept."""
    name = path.encode("utf-8", "replace")
    for _, _, pattern in _TOKENS:
        name = pattern.sub(b"...", name)
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
