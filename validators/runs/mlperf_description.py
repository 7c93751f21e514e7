"""System descriptions in the form of MLPerf Storage that lie in a bundle: are they JSON, and can the figures be true?

Nearly half of the published ones are not readable or hold impossible figures, mostly GiB where MiB are asked for and
MHz where GHz are. Only what no machine can have is told; the description stays the submitter's.
Source: the schema of system descriptions in the results of MLPerf Storage v1.0, whose names carry the units.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from validators.bundle import Bundle
from validators.findings import WARNING, Finding

SIZE_LIMIT = 1024 * 1024
FILES_LIMIT = 100
_MARK = b'"benchmark_hosts"'
_PARTS = ("networks", "nodes", "benchmark_hosts", "storage_system")
_MOST = 20
_POSSIBLE: Mapping[str, tuple[float, float, str]] = {
    "capacity_MiB": (4096, 64 * 1024 * 1024, "4 GiB to 64 TiB of memory, in MiB"),
    "capacity_GiB": (1, 1024 * 1024, "1 GiB to 1 PiB a drive, in GiB"),
    "base_frequency": (0.5, 10, "0.5 to 10, in GHz"),
    "boost_frequency": (0.5, 10, "0.5 to 10, in GHz"),
    "bitrate": (0.1, 3200, "0.1 to 3200, in Gb/s"),
    "usable_capacity_GiB": (1, 2**40, "1 GiB or more, in GiB"),
    "raw_capacity_GiB": (1, 2**40, "1 GiB or more, in GiB"),
    "socket_count": (1, 64, "1 to 64"),
    "cores_per_socket": (1, 1024, "1 to 1024"),
    "threads_per_socket": (1, 8192, "1 to 8192"),
    "count_of_this_type": (0, 10**7, "a count"),
}
"""What a figure of that name can be on any machine: least, most, and in words."""


def findings(bundle: Bundle) -> list[Finding]:
    """Findings `description.*` on the files of a bundle that are such descriptions; none for other JSON files."""
    paths = [path for path, entry in bundle.files.items() if path.endswith(".json") and entry.size <= SIZE_LIMIT]
    all_findings: list[Finding] = []
    for path in paths[:FILES_LIMIT]:
        content = bundle.read(path)
        if _MARK in content:
            all_findings += _description_findings(path, content)
    return all_findings


def _description_findings(path: str, content: bytes) -> list[Finding]:
    hint = "Correct the file; a JSON reader has to take it."
    try:
        document = json.loads(content.decode("utf-8"))
    except json.JSONDecodeError as error:
        message = f"The system description is not JSON: {error.msg}."
        return [Finding("description.unreadable", WARNING, message, hint, f"{path}:{error.lineno}")]
    except (ValueError, RecursionError):
        message = "The system description is not JSON in UTF-8."
        return [Finding("description.unreadable", WARNING, message, hint, path)]
    if isinstance(document, dict) and document.get("type") == "object" and "properties" in document:
        return []  # the schema itself, which sites upload beside their description
    described = _described(document)
    if described is None:
        return []
    return [*_incomplete(described, path), *_impossible(described, path)][:_MOST]


def _described(document: Any) -> Mapping[str, Any] | None:
    """The description; some have put it below the word `properties`, as the schema has it."""
    for candidate in (document, document.get("properties") if isinstance(document, dict) else None):
        if isinstance(candidate, dict) and "benchmark_hosts" in candidate:
            return candidate
    return None


def _incomplete(described: Mapping[str, Any], path: str) -> Iterator[Finding]:
    missing = [name for name in _PARTS if name not in described]
    if missing:
        message = f"The system description lacks {', '.join(missing)}."
        yield Finding("description.incomplete", WARNING, message, "Add what is missing.", path)


def _impossible(described: Mapping[str, Any], path: str) -> Iterator[Finding]:
    for place, name, value in _figures(described):
        least, most, words = _POSSIBLE[name]
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            message = f"{name} is no number: its unit is in its name."
        elif not least <= value <= most:
            message = f"{name} can't be {value:g}: no machine has that."
        else:
            continue
        hint = f"Give {words}, as a bare number."
        yield Finding(
            "description.unit", WARNING, message, hint, f"{path}#{place}"[:300], words, json.dumps(value)[:60]
        )


def _figures(described: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """(place, name, value) of every figure that has bounds, in the order of the file, without recursion."""
    waiting: list[tuple[str, Any]] = [("", described)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, dict):
            yield from ((f"{place}/{name}", name, item) for name, item in value.items() if name in _POSSIBLE)
            waiting += [(f"{place}/{name}", item) for name, item in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(f"{place}/{index}", item) for index, item in reversed(list(enumerate(value)))]
