"""Published versions of data files never change: what changes gets the next number."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FROZEN: dict[str, str] = json.loads((Path(__file__).parent / "published_data.json").read_text())
"""sha256 of each file by its name. A file is frozen from the first release on that has it."""


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_published_versions_are_unchanged() -> None:
    files = {path.name: path for path in (ROOT / "registry" / "lists" / "data").glob("*.json")}
    files |= {path.name: path for path in (ROOT / "validators" / "questionnaires").glob("*.json")}
    assert {name: digest(files[name]) for name in FROZEN if name in files} == FROZEN


def test_every_list_definition_of_a_release_is_frozen() -> None:
    names = {path.name for path in (ROOT / "registry" / "lists" / "data").glob("*.json")}
    assert names <= set(FROZEN), "freeze new definitions with the release that first has them"
