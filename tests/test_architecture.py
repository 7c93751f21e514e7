"""Imports go one way: collectors and client alone; validators <- registry <- submissions. Said with file and line."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("collectors", "highwater", "validators", "registry", "submissions", "launcher", "bench", "tools", "tests")
MAY_IMPORT = {
    "collectors": set(),
    "highwater": set(),
    "validators": set(),
    "registry": {"validators"},
    "submissions": {"validators", "registry"},
}
DUSTBINS = {"utils", "util", "helpers", "helper", "services", "service", "manager", "handlers", "common", "misc"}


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> list[tuple[int, str]]:
    """(line, dotted name) of every absolute import, wherever in the file it stands."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.append((node.lineno, node.module or ""))
    return found


def wrong_directions(package: str) -> list[str]:
    allowed = MAY_IMPORT[package] | {package}
    return [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in modules(package)
        for line, name in imports(path)
        if name.split(".")[0] in PACKAGES and name.split(".")[0] not in allowed
    ]


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_imports_go_one_way(package: str) -> None:
    assert modules(package), f"{package}/ has no module"
    assert wrong_directions(package) == []


def test_the_collector_needs_the_standard_library_only() -> None:
    foreign = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in modules("collectors")
        for line, name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names | {"collectors"}
    ]
    assert foreign == []


def test_the_client_needs_the_standard_library_and_frames_that_are_asked_for() -> None:
    foreign = {
        name.split(".")[0]
        for path in modules("highwater")
        for _, name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names | {"highwater"}
    }
    assert foreign == {"pandas", "polars"}


def test_validators_need_the_standard_library_and_may_use_jsonschema() -> None:
    """In one module, which goes on without it: a site runs these rules offline, from a single file."""
    foreign = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in modules("validators")
        for line, name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names | {"validators"}
        if (path.name, name) != ("schema.py", "jsonschema")
    ]
    assert foreign == []


def test_no_module_is_a_grab_bag() -> None:
    named = [str(path.relative_to(ROOT)) for package in PACKAGES for path in modules(package) if path.stem in DUSTBINS]
    assert named == []


def test_a_wrong_import_would_be_seen(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("def f():\n    from submissions.models import Submission\n    return Submission\n")
    assert imports(bad) == [(2, "submissions.models")]
