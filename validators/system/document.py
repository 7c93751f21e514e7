"""Find and read the system document of a bundle. Hostile until it fits its schema.

In a bag it is `data/system.json`; in a plain folder or archive `system.json` in the root, in the only folder, or as
the single file that was given. A file of that name that says nothing of ours is another program's and is left alone.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from validators import schema
from validators.bundle import Bundle
from validators.findings import ERROR, Finding
from validators.system import facts
from validators.system.seal import Seal, compare

NAME = "system.json"
SIZE_LIMIT = 4 * 1024 * 1024
DEPTH_LIMIT = 24
"""Objects and arrays inside one another; the schema itself needs 10."""
SCHEMAS = {"1": "system.1"}
"""The schema of each `schema_version` that is read."""
_OURS = (b'"schema_version"', b'"node_classes"')
_MOST = 20
_MAKE_AGAIN = "Collect and pack again with the collector that this registry serves."


@dataclass(frozen=True, slots=True)
class System:
    """A system document that fits its schema: where it lay, sha256 of its bytes, what it says, and its seal.

    `seal` is None where no command was wrapped.
    """

    path: str
    sha256: str
    document: dict[str, Any]
    seal: Seal | None = None

    def as_json(self) -> dict[str, Any]:
        """What a report shows of it; the document itself is in the bundle."""
        summary = {"path": self.path, "sha256": self.sha256, **facts.summary(self.document)}
        return summary | ({"seal": self.seal.as_json()} if self.seal else {})


class _Unfit(Exception):
    """The content is no system document; `code` says why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def read(bundle: Bundle) -> tuple[System | None, list[Finding]]:
    """The system document of a bundle, or None with findings `system.*` where there is one that can't be used."""
    path = find(bundle)
    if path is None:
        return None, []
    content = bundle.read(path, SIZE_LIMIT + 1)
    if not _in_bag(bundle, path) and not any(name in content for name in _OURS):
        return None, []
    try:
        document = _parsed(content)
    except _Unfit as unfit:
        return None, [Finding(unfit.code, ERROR, str(unfit), _MAKE_AGAIN, path)]
    findings = _schema_findings(document, path)
    if findings:
        return None, findings
    return System(path, hashlib.sha256(content).hexdigest(), document, compare(bundle, document, path)), []


def find(bundle: Bundle) -> str | None:
    """The path of the file that may be the system document: the one of a bag, else the one nearest to the root."""
    candidates = [path for path in bundle.files if path.rpartition("/")[2] == NAME and path.count("/") <= 1]
    bags = [path for path in bundle.files if _in_bag(bundle, path) and path.rpartition("/")[2] == NAME]
    return min(bags or candidates, key=lambda path: (path.count("/"), path), default=None)


def _in_bag(bundle: Bundle, path: str) -> bool:
    """True for the `data/system.json` of a bag in the root or in the only folder."""
    root, data, name = path.rpartition(f"data/{NAME}")
    return bool(data) and not name and root.count("/") <= 1 and f"{root}bagit.txt" in bundle.files


def _parsed(content: bytes) -> dict[str, Any]:
    """The JSON object of the bytes, finite and not too deep."""
    if len(content) > SIZE_LIMIT:
        raise _Unfit("system.too-large", f"The system document has more than {SIZE_LIMIT // 1024 // 1024} MiB.")
    try:
        document = json.loads(content.decode("utf-8"), parse_constant=_refuse_constant)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise _Unfit("system.unreadable", f"The system document is not JSON: {str(error)[:200]}.") from error
    if not isinstance(document, dict):
        raise _Unfit("system.unreadable", "The system document is not a JSON object.")
    for depth, value in _walk(document):
        if depth > DEPTH_LIMIT:
            raise _too_deep()
        if isinstance(value, float) and not math.isfinite(value):
            raise _Unfit("system.unreadable", "The system document holds a number that is not finite.")
    return document


def _too_deep() -> _Unfit:
    return _Unfit("system.too-deep", f"The system document is nested more than {DEPTH_LIMIT} deep.")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _walk(document: object) -> Iterator[tuple[int, object]]:
    """Every value with its depth, without recursion."""
    waiting: list[tuple[int, object]] = [(1, document)]
    while waiting:
        depth, value = waiting.pop()
        yield depth, value
        if isinstance(value, dict):
            waiting += [(depth + 1, item) for item in value.values()]
        elif isinstance(value, list):
            waiting += [(depth + 1, item) for item in value]


def _schema_findings(document: dict[str, Any], path: str) -> list[Finding]:
    version = document.get("schema_version")
    if not isinstance(version, str) or version not in SCHEMAS:
        message = "The system document is of a version that is not read here."
        expected, actual = " or ".join(SCHEMAS), json.dumps(version)[:60]
        return [Finding("system.version", ERROR, message, _MAKE_AGAIN, path, expected, actual)]
    return [
        Finding(
            "system.schema",
            ERROR,
            f"The system document does not fit its schema: {schema.sentence(error)}",
            _MAKE_AGAIN,
            f"{path}{error.json_path.replace('$', '#', 1)[:200]}",
        )
        for error in islice(schema.each_error(document, SCHEMAS[version]), _MOST)
    ]
