"""Keys and tokens that must not be stored: found in the bytes of any file of a bundle, whatever it is.

Only what works for whoever reads it: a private key with a body, a token of a known form. Forms that documentation uses
as examples (a body of a few different characters, AWS's keys that end in EXAMPLE, a key whose body is dots) are let
through. What was assigned to a password may be anything; scrubbing takes that out of the copy that others see.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from validators.findings import ERROR, Finding

if TYPE_CHECKING:
    from validators.bundle import Bundle

CODE = "bundle.secret"
_OVERLAP = 8192
"""Bytes that are looked at again with the next piece, more than any token or the beginning of a key has."""
_MOST = 20
_DISTINCT = 8
"""Different characters of a token; one of x and zeros is a placeholder."""

_KEY = re.compile(
    rb"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]){0,16}"
    rb"(?:[A-Za-z-]{1,40}: [^\r\n]{0,200}(?:\s|\\[nr]){1,8}){0,4}[A-Za-z0-9+/]{4}"
)
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


def scan(bundle: Bundle) -> list[Finding]:
    """Findings `bundle.secret`, one for each kind and file; nothing of the secret itself is in them."""
    found: list[Finding] = []
    for path in bundle.files:
        found += [_finding(path, line, what) for what, line in sorted(_in_file(bundle, path).items())]
        if len(found) >= _MOST:
            break
    return found[:_MOST]


def _in_file(bundle: Bundle, path: str) -> dict[str, int]:
    """The line of the first secret of each kind."""
    first: dict[str, int] = {}
    lines, tail = 1, b""
    for chunk in bundle.chunks(path):
        window = tail + chunk
        for what, position in _in_bytes(window):
            first.setdefault(what, lines + window.count(b"\n", 0, position))
        tail = window[-_OVERLAP:]
        lines += window.count(b"\n", 0, len(window) - len(tail))
    return first


def _in_bytes(window: bytes) -> Iterator[tuple[str, int]]:
    if b"PRIVATE KEY" in window and (key := _KEY.search(window)):
        yield "a private key", key.start()
    for hint, name, pattern in _TOKENS:
        if hint in window:
            yield from ((name, token.start()) for token in pattern.finditer(window) if _looks_live(token[1]))


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


def _finding(path: str, line: int, what: str) -> Finding:
    return Finding(
        CODE,
        ERROR,
        f"There is {what} in the bundle. It was refused, and nothing of it is kept.",
        "Revoke what was sent: it left your site. Then pack with the collector, which takes such things out.",
        f"{path}:{line}",
    )
