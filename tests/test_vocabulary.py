"""Vague names become fewer: no package may bind more of them than it does now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vocabulary import bindings, is_vague

ROOT = Path(__file__).resolve().parent.parent
MOST = {
    "bench": 8,
    "collectors": 508,
    "highwater": 8,
    "launcher": 16,
    "registry": 781,
    "submissions": 355,
    "tests": 1429,
    "tools": 20,
    "validators": 517,
}
"""Vague names that are left. These only fall: write the new count here with each change that renames some."""


def vague(package: str) -> list[str]:
    """Places of vague names in a package: file, line and name."""
    return [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in sorted((ROOT / package).rglob("*.py"))
        if not {"migrations", "data", "samples"} & set(path.relative_to(ROOT).parts)
        for line, name in bindings(path)
        if is_vague(name)
    ]


@pytest.mark.parametrize("package", sorted(MOST))
def test_vague_names_become_fewer(package: str) -> None:
    places = vague(package)
    assert len(places) == MOST[package], f"{len(places)} vague names; the last ones:\n" + "\n".join(places[-20:])


def test_a_vague_name_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    path.write_text(
        "import one\n\n\ndef told(x, *, asked):\n    for _one in x:\n        found = asked\n    return found\n"
    )
    assert [name for _, name in bindings(path) if is_vague(name)] == ["told", "asked", "_one", "found"]
