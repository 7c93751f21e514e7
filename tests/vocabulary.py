"""Names that Python code binds: of modules' functions, classes, parameters and variables."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

VAGUE = {
    "asked", "beside", "found", "given", "kept", "known", "left", "made", "meant",
    "measured", "one", "printed", "said", "seen", "shown", "told", "wanted", "whole",
}  # fmt: skip
"""Words that say nothing of what they hold. What to write in their place: docs/decisions/0036."""


def bindings(path: Path) -> Iterator[tuple[int, str]]:
    """(line, name) of everything that a file binds but imports: an import repeats the name of another place."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.lineno, node.name


def is_vague(name: str) -> bool:
    return name.strip("_").lower() in VAGUE
