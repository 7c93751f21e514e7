"""What shall become less and may not become more. Each number falls with the work on it."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("registry", "submissions")
MOST_SERIALIZERS = {"registry": 0, "submissions": 37}
"""Serializers validate what a request sends; what an answer holds is said by shapes (query/responses/shapes.py)."""
MOST_DICTIONARIES = {"registry": 118, "submissions": 48}
"""Answers that are written as dictionaries under the names of a shape, where mypy does not see a wrong field."""
BODIES = ("Request", "Change", "Proposal")
"""How the names of serializers end, each of which is the body of a request."""
MOST_WITHOUT_DESCRIPTION = 0
"""Properties of openapi.json that nobody explains."""
TYPED = {"validators", "registry", "submissions", "launcher", "highwater"}
"""Packages that mypy checks, strictly."""
UNTYPED = {"validators.scrubbing.*"}
"""Modules of these whose errors mypy keeps to itself. It only shrinks: strike a module here and in pyproject.toml."""
RELAXATIONS = {
    *("module", "ignore_errors", "ignore_missing_imports"),
    *("disallow_subclassing_any", "disallow_untyped_decorators"),
}
"""What pyproject.toml may say of single modules."""
_IGNORE = re.compile(r"# type: ignore\b(?P<code>\[[a-z, -]{1,60}\])?(?P<reason>  # \w)?")
MOST_WITHOUT_DOCSTRING = {"launcher": 0, "highwater": 0, "registry": 9, "submissions": 4, "validators": 4}
"""Public functions of more than 12 lines that say nothing of what they take and give."""
MOST_WITHOUT_SUMMARY = 0
"""Operations of openapi.json without one; all have a description."""
MOST_LONG_TEMPLATE_LINES = 60
"""Lines of templates over 120 characters, which nobody reads in a review."""
_LONG = 12


def sources(package: str) -> Iterator[Path]:
    return (path for path in sorted((ROOT / package).rglob("*.py")) if "migrations" not in path.parts)


@cache
def parse_source(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def classes_on(package: str, base: str) -> list[str]:
    """Classes of a package whose first base ends with a name."""
    return [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in sources(package)
        for node in ast.walk(parse_source(path))
        if isinstance(node, ast.ClassDef) and node.bases
        if ast.unparse(node.bases[0]).partition("[")[0].endswith(base)
    ]


def class_bodies() -> dict[str, tuple[list[str], set[str]]]:
    """By name of a class of both apps: the names of its bases, and of the fields that it annotates."""
    return {
        node.name: (
            [ast.unparse(base).rpartition(".")[2] for base in node.bases],
            {
                line.target.id
                for line in node.body
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
            },
        )
        for app in APPS
        for path in sources(app)
        for node in ast.walk(parse_source(path))
        if isinstance(node, ast.ClassDef)
    }


def shape_fields(name: str, bodies: Mapping[str, tuple[list[str], set[str]]]) -> set[str] | None:
    """The fields of a shape, with those that it inherits; None for a class that is no shape."""
    if name == "Shape":
        return set()
    bases, own = bodies.get(name, ([], set()))
    inherited = [shape_fields(base, bodies) for base in bases if base != name]
    found_fields = [fields for fields in inherited if fields is not None]
    return own.union(*found_fields) if found_fields else None


def dictionaries_under(fields: Collection[frozenset[str]], tree: ast.Module) -> list[int]:
    """Lines of dictionaries of two keys or more, all of them texts, that are exactly the fields of a shape."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict) and len(node.keys) > 1
        if all(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in node.keys)
        if frozenset(ast.literal_eval(key) for key in node.keys if key) in fields
    ]


def without_docstring(package: str) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in sources(package)
        for node in ast.walk(parse_source(path))
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if (node.end_lineno or node.lineno) - node.lineno >= _LONG and ast.get_docstring(node) is None
    ]


@pytest.mark.parametrize("app", APPS)
def test_serializers_become_fewer(app: str) -> None:
    assert len(classes_on(app, "Serializer")) <= MOST_SERIALIZERS[app]


def test_no_serializer_only_describes_an_answer() -> None:
    assert [place for place in classes_on("submissions", "Serializer") if not place.endswith(BODIES)] == []


def test_answers_written_as_dictionaries_become_fewer() -> None:
    bodies = class_bodies()
    shapes = {frozenset(fields) for name in bodies if (fields := shape_fields(name, bodies))}
    assert shapes
    for app, most in MOST_DICTIONARIES.items():
        assert sum(len(dictionaries_under(shapes, parse_source(path))) for path in sources(app)) <= most, app


def test_a_dictionary_under_the_names_of_a_shape_is_counted() -> None:
    text = 'a = {"id": 1, "name": "x"}\nb = {"id": 1}\nc = {"id": 1, "name": "x", "more": 2}\nd = Row(id=1, name="x")\n'
    assert dictionaries_under([frozenset({"id", "name"})], ast.parse(text)) == [1]


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


def mypy_settings() -> dict[str, Any]:
    """The table [tool.mypy] of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]


def test_all_packages_are_checked_strictly() -> None:
    settings = mypy_settings()
    assert settings["strict"] and set(settings["files"]) == TYPED
    assert set().union(*settings["overrides"]) <= RELAXATIONS


def test_untyped_modules_become_fewer() -> None:
    rows = [row for row in mypy_settings()["overrides"] if row.get("ignore_errors")]
    assert {module for row in rows for module in row["module"]} == UNTYPED


def test_only_foreign_modules_may_be_without_types() -> None:
    rows = [row for row in mypy_settings()["overrides"] if row.get("ignore_missing_imports")]
    assert not TYPED & {module.split(".")[0] for row in rows for module in row["module"]}


def unexplained_ignores(path: Path) -> list[int]:
    """Lines of a file that silence mypy without the code of the error or without a reason."""
    return [
        number
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for match in _IGNORE.finditer(line)
        if not (match["code"] and match["reason"])
    ]


def test_ignored_type_errors_have_a_code_and_a_reason() -> None:
    assert [
        f"{path.relative_to(ROOT)}:{line}"
        for package in sorted(TYPED)
        for path in sources(package)
        for line in unexplained_ignores(path)
    ] == []


def test_an_unexplained_ignore_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    silence = "# type:" + " ignore"
    path.write_text(f"a = 1  {silence}\nb = 2  {silence}[arg-type]\nc = 3  {silence}[arg-type]  # why it is right\n")
    assert unexplained_ignores(path) == [1, 2]


@pytest.mark.parametrize("package", sorted(MOST_WITHOUT_DOCSTRING))
def test_long_functions_without_a_docstring_become_fewer(package: str) -> None:
    assert len(without_docstring(package)) <= MOST_WITHOUT_DOCSTRING[package]


def test_counters_find_classes() -> None:
    assert classes_on("submissions", "Serializer") and not classes_on("registry", "NoSuchBase")


def test_fewer_lines_of_templates_are_too_long() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 120
    ]
    assert len(long) <= MOST_LONG_TEMPLATE_LINES, long
