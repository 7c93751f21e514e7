"""The rules are those of the registry on every Python from 3.9 on, with its standard library alone."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.conftest import CHECKOUT, find_python
from validators import older_python
from validators.checks import check
from validators.times import parse_time

SAMPLES = sorted((CHECKOUT / "validators" / "benchmarks").glob("*/samples/*"))
PROGRAM = """
import importlib, json, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import validators
for module in pkgutil.walk_packages(validators.__path__, "validators."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
from validators.checks import check
json.dump([check(path).as_json() for path in sys.argv[2:]], sys.stdout)
"""


def rounded(value: Any) -> Any:
    """With twelve digits: the last ones of a standard deviation are others in Python 3.9."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("minor", range(9, 14), ids=lambda minor: f"3.{minor}")
def test_every_sample_has_the_same_report(minor: int) -> None:
    python = find_python(minor)
    if python is None:
        pytest.skip(f"Python 3.{minor} is not installed here")
    done = subprocess.run(
        [python, "-I", "-S", "-B", "-c", PROGRAM, CHECKOUT, *SAMPLES], capture_output=True, text=True, cwd=CHECKOUT
    )
    assert done.returncode == 0, done.stderr
    reports = json.loads(done.stdout)
    assert len(reports) == len(SAMPLES) > 90
    here = json.loads(json.dumps([check(path).as_json() for path in SAMPLES]))
    differing = [
        str(path) for path, there, ours in zip(SAMPLES, reports, here, strict=True) if rounded(there) != rounded(ours)
    ]
    assert differing == []


def unions_at_runtime(tree: ast.AST) -> list[int]:
    """Lines on which Python 3.9 would have to compute `int | str`: the types of isinstance, and names for types."""
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
            lines += [node.lineno for part in ast.walk(node.args[-1]) if isinstance(part, ast.BitOr)]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            sides = (node.left, node.right)
            if any(
                getattr(side, "id", "") in ("int", "float", "str", "bool", "bytes", "list", "dict") for side in sides
            ) or any(isinstance(side, ast.Constant) and side.value is None for side in sides):
                lines.append(node.lineno)
    return lines


class WithoutAnnotations(ast.NodeTransformer):
    """Annotations are texts in these modules, and never computed."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        return self.generic_visit(ast.Expr(node.value)) if node.value else None

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)


@pytest.mark.parametrize("text", ["isinstance(x, int | list)", "Value = int | str", "cast(float | None, x)"])
def test_a_union_at_runtime_is_detected(text: str) -> None:
    assert unions_at_runtime(ast.parse(text))


def test_no_union_is_computed_at_runtime() -> None:
    places = []
    for path in sorted((CHECKOUT / "validators").rglob("*.py")):
        tree = WithoutAnnotations().visit(ast.parse(path.read_text(encoding="utf-8")))
        places += [f"{path.relative_to(CHECKOUT)}:{line}" for line in unions_at_runtime(tree)]
    assert places == []


def test_the_registry_itself_never_loads_the_replacements() -> None:
    program = "import sys, validators.checks; print('validators.older_python' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=CHECKOUT)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("lengths", [(), (0, 0), (2, 2), (3, 2), (0, 1), (2, 2, 3)])
def test_the_replacement_of_zip_behaves_like_zip(lengths: tuple[int, ...]) -> None:
    lists = [list(range(length)) for length in lengths]
    assert list(older_python._zip(*lists)) == list(zip(*lists, strict=False))
    rows: list[tuple[int, ...]] = []
    if len(set(lengths)) > 1:
        with pytest.raises(ValueError, match=r"zip\(\)"):
            rows.extend(older_python._zip(*lists, strict=True))
    else:
        assert list(older_python._zip(*lists, strict=True)) == list(zip(*lists, strict=True))


@pytest.mark.parametrize("minor", [9, 10, 11], ids=lambda minor: f"3.{minor}")
def test_times_are_read_alike(minor: int, tmp_path: Path) -> None:
    python = find_python(minor)
    if python is None:
        pytest.skip(f"Python 3.{minor} is not installed here")
    texts = [
        "2026-01-02T03:04:05Z", "2026-01-02T03:04:05z", "2026-01-02T03:04:05+02:00", "2026-01-02T03:04:05",
        "2026-01-02T03:04:05.5Z", "2026-01-02T03:04:05.123456789-11:30", "2026-01-02 03:04:05", "2026-01-02",
        "2026-02-30T00:00:00Z", "yesterday", "", "Z", "2026-01-02T03:04:05.Z",
    ]  # fmt: skip
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1])\n"
        "from validators.times import parse_time\n"
        "def read(text):\n"
        "    try: return parse_time(text).isoformat()\n"
        "    except ValueError: return None\n"
        "print(json.dumps([read(text) for text in json.loads(sys.argv[2])]))"
    )
    done = subprocess.run([python, "-I", "-c", program, CHECKOUT, json.dumps(texts)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert dict(zip(texts, json.loads(done.stdout), strict=True)) == {text: _here(text) for text in texts}


def _here(text: str) -> str | None:
    try:
        return parse_time(text).isoformat()
    except ValueError:
        return None
