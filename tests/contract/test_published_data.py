"""Published versions of data files never change: what changes gets the next number."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from registry.lists.definitions import read_definitions

ROOT = Path(__file__).resolve().parents[2]
FROZEN: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "published_data.json").read_text())
"""sha256 by name and version: of list definitions in full, as JSON with sorted names; of questionnaires as files.

A version is frozen from the first release on that has it.
"""


def body_digest(body: dict[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def test_published_versions_are_unchanged() -> None:
    files = (ROOT / "validators" / "questionnaires").glob("*.json")
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert {name: digests.get(name) for name in FROZEN["questionnaires"]} == FROZEN["questionnaires"]


def test_definitions_expand_to_what_was_published() -> None:
    digests = {f"{body['name']}.{body['version']}": body_digest(body) for body in read_definitions()}
    assert {name: digests.get(name) for name in FROZEN["lists"]} == FROZEN["lists"]


def test_every_list_definition_of_a_release_is_frozen() -> None:
    names = {f"{body['name']}.{body['version']}" for body in read_definitions()}
    assert names <= set(FROZEN["lists"]), "freeze new definitions with the release that first has them"
