"""Names that code binds: Python functions, classes, parameters and variables, and variables of templates."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

VAGUE = {
    "asked", "beside", "found", "given", "kept", "known", "left", "made", "meant",
    "measured", "one", "printed", "said", "seen", "shown", "told", "wanted", "whole",
}  # fmt: skip
"""Words that say nothing of what they hold. What to write in their place: docs/decisions/0036."""


def bindings(path: Path) -> list[tuple[int, str]]:
    """(line, name) of everything that a file binds but imports: an import repeats the name of another place."""
    return _names(path)[0]


@cache
def _names(path: Path) -> tuple[list[tuple[int, str]], list[str]]:
    """The bindings and the functions of a file, which is read once."""
    bound, functions = list[tuple[int, str]](), list[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            bound.append((node.lineno, node.name))
            functions.append(node.name)
        elif isinstance(node, ast.ClassDef):
            bound.append((node.lineno, node.name))
        elif isinstance(node, ast.arg):
            bound.append((node.lineno, node.arg))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.append((node.lineno, node.id))
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.append((node.lineno, node.name))
    return bound, functions


def is_vague(name: str) -> bool:
    return name.strip("_").lower() in VAGUE


FRAMEWORK = {
    "_authenticate", "authenticate", "clean", "define", "delete", "dispatch", "get", "handle", "head", "options",
    "patch", "post", "put", "ready", "render", "run", "save", "stop",
    "close", "emit", "fileno", "readable", "readinto", "seek", "seekable", "tell",
}  # fmt: skip
"""Functions that Django, its REST framework, Celery, the command line, files or logging call by that name."""
VAGUE_IN_TEMPLATES = VAGUE | {"copy", "left_out", "levels", "live", "may_be_named", "others", "say_to", "until"}
_TAG = re.compile(r"\{\{(.*?)\}\}|\{%(.*?)%\}", re.DOTALL)
_QUOTED = re.compile(r""""[^"]*"|'[^']*'""")
_VARIABLE = re.compile(r"(?<![\w.|])[A-Za-z_]\w*")


def functions(path: Path) -> Iterator[str]:
    """Names of the functions and methods of a file that somebody here chose."""
    for name in _names(path)[1]:
        if name not in FRAMEWORK and not (name.startswith("__") and name.endswith("__")):
            yield name


def is_one_word(name: str) -> bool:
    return "_" not in name.strip("_")


_RIDDLE = re.compile(
    r"^test_(?:it|its|nobody|nothing|of|they|what|whatever|where|whether|who|whoever|whom)_"
    r"|_(?:anew|said|tells|told)(?:_|$)|_says?_so(?:_|$)|_(?:goes_on|held_against|without_a_word)(?:_|$)"
)
"""Names of tests without a subject, or with words that docs do not use either (docs/decisions/0036)."""


def is_riddle(name: str) -> bool:
    """Whether the name of a test hides what it tests: a plain sentence names a thing and what happens to it."""
    return _RIDDLE.search(name) is not None


def template_variables(text: str) -> Iterator[tuple[int, str]]:
    """(line, name) of every word in the tags of a template that is no text, attribute or filter."""
    for tag in _TAG.finditer(text):
        words = _QUOTED.sub('""', tag[1] or tag[2])
        for name in _VARIABLE.findall(words):
            yield text.count("\n", 0, tag.start()) + 1, name
