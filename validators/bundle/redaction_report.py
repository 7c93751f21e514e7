"""What a site took out of a bundle before it left: the report `redaction-report.json`, as far as it can be held true.

A file counts as redacted if the report lists it, with the sha256 that it has here. Everything else in the report is the
word of whoever packed the bundle.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from validators.bundle import Bundle

NAME = "data/redaction-report.json"
_SIZE_LIMIT = 4 * 1024 * 1024
_MOST_FILES = 10_000


@dataclass(frozen=True, slots=True)
class Redaction:
    """`files` are the paths in the bundle of what was changed; `wrong` the hashes that were wrong before: tool, name,
    printed text."""

    files: frozenset[str] = frozenset()
    wrong: frozenset[tuple[str, str, str]] = field(default_factory=frozenset)


def read(bundle: Bundle) -> Redaction:
    """The redaction of a bag in the root or in the only folder; an empty one where there is none, or no report."""
    path = min((path for path in bundle.files if is_report(bundle, path)), key=len, default=None)
    if path is None:
        return Redaction()
    try:
        report = json.loads(bundle.read(path, _SIZE_LIMIT))
    except (ValueError, RecursionError):
        return Redaction()
    root = path.removesuffix(NAME)
    return Redaction(frozenset(_changed(bundle, root, report)), frozenset(_wrong(report)))


def is_report(bundle: Bundle, path: str) -> bool:
    """Whether a path is where the collector's bags have the report."""
    root = path.removesuffix(NAME)
    return path.endswith(NAME) and root.count("/") <= 1 and f"{root}bagit.txt" in bundle.files


def _changed(bundle: Bundle, root: str, report: object) -> list[str]:
    listed = {root + str(entry.get("path")): entry.get("sha256_after") for entry in _objects(report, "files")}
    return [path for path, sha256 in listed.items() if path in bundle.files and _sha256(bundle, path) == sha256]


def _wrong(report: object) -> list[tuple[str, str, str]]:
    pairs = [
        (str(entry.get("tool")), str(name), pair)
        for entry in _objects(report, "hashes")
        for name, pair in (entry["hashes"].items() if isinstance(entry.get("hashes"), dict) else ())
    ]
    return [
        (tool, name, str(pair.get("printed")))
        for tool, name, pair in pairs
        if isinstance(pair, dict) and pair.get("computed") and pair["computed"] != pair.get("printed")
    ]


def _objects(report: object, name: str) -> list[dict[str, Any]]:
    listed = report.get(name) if isinstance(report, dict) else None
    return [entry for entry in listed[:_MOST_FILES] if isinstance(entry, dict)] if isinstance(listed, list) else []


def _sha256(bundle: Bundle, path: str) -> str:
    digest = hashlib.sha256()
    for chunk in bundle.chunks(path):
        digest.update(chunk)
    return digest.hexdigest()
