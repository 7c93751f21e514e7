"""What shall become less and may not become more. Each number falls with the work on it."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("registry", "submissions")
MOST_SERIALIZERS = {"registry": 0, "submissions": 26}
"""Serializers validate what a request sends; what an answer holds is said by shapes (registry/query/shapes.py)."""
BODIES = ("Request", "Change", "Proposal")
"""How the names of serializers end, each of which is the body of a request."""
MOST_WITHOUT_DESCRIPTION = 0
"""Properties of openapi.json that nobody explains."""
UNTYPED = {"registry", "submissions", "launcher", "highwater"}
"""Packages that mypy does not check yet."""
MOST_WITHOUT_DOCSTRING = {"launcher": 1, "highwater": 0, "registry": 9, "submissions": 5, "validators": 6}
"""Public functions of more than 12 lines that say nothing of what they take and give."""
MOST_WITHOUT_SUMMARY = 0
"""Operations of openapi.json without one; all have a description."""
_LONG = 12


def sources(package: str) -> Iterator[Path]:
    return (path for path in sorted((ROOT / package).rglob("*.py")) if "migrations" not in path.parts)


def classes_on(package: str, base: str) -> list[str]:
    """Classes of a package whose first base ends with a name."""
    return [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in sources(package)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and node.bases and ast.unparse(node.bases[0]).endswith(base)
    ]


def without_docstring(package: str) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in sources(package)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if (node.end_lineno or node.lineno) - node.lineno >= _LONG and ast.get_docstring(node) is None
    ]


@pytest.mark.parametrize("app", APPS)
def test_serializers_become_fewer(app: str) -> None:
    assert len(classes_on(app, "Serializer")) <= MOST_SERIALIZERS[app]


def test_no_serializer_only_describes_an_answer() -> None:
    assert [place for place in classes_on("submissions", "Serializer") if not place.endswith(BODIES)] == []


def test_unexplained_properties_become_fewer() -> None:
    document = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))
    schemas = document["components"]["schemas"].values()
    unexplained = [
        name for schema in schemas for name, row in schema.get("properties", {}).items() if "description" not in row
    ]
    assert len(unexplained) <= MOST_WITHOUT_DESCRIPTION


def test_every_operation_has_a_summary() -> None:
    document = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))
    operations = [row for path in document["paths"].values() for row in path.values() if "responses" in row]
    assert operations
    assert sum(not row.get("summary") for row in operations) <= MOST_WITHOUT_SUMMARY


def test_untyped_packages_become_fewer() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    packages = {"validators", "registry", "submissions", "launcher", "highwater"}
    assert settings["strict"] and packages - set(settings["files"]) <= UNTYPED


@pytest.mark.parametrize("package", sorted(MOST_WITHOUT_DOCSTRING))
def test_long_functions_without_a_docstring_become_fewer(package: str) -> None:
    assert len(without_docstring(package)) <= MOST_WITHOUT_DOCSTRING[package]


def test_counters_count() -> None:
    assert classes_on("submissions", "Serializer") and not classes_on("registry", "NoSuchBase")
