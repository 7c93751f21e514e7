"""Docstrings of public functions say what is raised and when, and the unit of a quantity that comes back."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.vocabulary import FRAMEWORK

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("collectors", "highwater", "launcher", "registry", "submissions", "validators")
_LONG = 12
_WHEN = re.compile(r"\b(?:after|always|as|because|before|beyond|else|for|if|in|that|unless|when|where|while|without)\b")
_RAISES = re.compile(r"\b[Rr]aises? ([^.]{1,400})")
_CODE = re.compile(r"`[^`]{1,100}`")
_ERROR_NAME = re.compile(r"\b[A-Z][a-z]\w*[a-z]\b")
_QUANTITY_NAME = re.compile(
    r"(?:^|_)(?:age|bandwidth|bytes|capacity|delay|duration|elapsed|interval|latency|pause|rate|runtime|seconds"
    r"|size|speed|throughput|timeout|wait)(?:_|$)"
)
_QUANTITY_WORD = re.compile(
    r"\b(?:age|bandwidth|bytes|capacity|delay|duration|how long|interval|latency|rates?|seconds"
    r"|size|speed|throughput)\b"
)
_UNIT = re.compile(
    r"(?:(?<!')\b|_)(?:bytes?|[KMGT]i?B|[kmgt]ib|bit_s|bits?|s|ms|us|ns|seconds?|minutes?|hours?|days?|hz|khz|[kM]?Hz"
    r"|percent|%|px|share|logarithms?|per second|0 to 1|unit)(?:\b|_)"
)


class Function(NamedTuple):
    path: Path
    node: ast.FunctionDef
    class_name: str

    @property
    def place(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.node.lineno} {self.node.name}"

    @property
    def docstring(self) -> str:
        return " ".join((ast.get_docstring(self.node) or "").split())

    @property
    def error_clauses(self) -> list[str]:
        """What follows each "Raises", to the end of its sentence; codes between backticks are left out."""
        return _RAISES.findall(_CODE.sub("", self.docstring))


@cache
def trees(package: str) -> dict[Path, ast.Module]:
    """The modules of a package; files that are links count where they lie."""
    return {
        path: ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / package).rglob("*.py"))
        if not {"migrations", "data", "samples"} & set(path.relative_to(ROOT).parts) and not path.is_symlink()
    }


@cache
def classes() -> dict[str, tuple[set[str], set[str]]]:
    """Of each class of ours by its name: the names of its bases, and of its methods that have a docstring."""
    rows: dict[str, tuple[set[str], set[str]]] = {}
    for package in PACKAGES:
        for tree in trees(package).values():
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    bases, documented = rows.setdefault(node.name, (set(), set()))
                    bases |= {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}
                    documented |= {
                        item.name for item in node.body if isinstance(item, ast.FunctionDef) and ast.get_docstring(item)
                    }
    return rows


def ancestors(name: str) -> set[str]:
    """A class and all that it descends from, as far as these are ours."""
    lineage, pending = set(), [name]
    while pending:
        ancestor = pending.pop()
        if ancestor not in lineage:
            lineage.add(ancestor)
            pending += classes().get(ancestor, (set(), set()))[0]
    return lineage


def public_functions(path: Path, body: list[ast.stmt], class_name: str = "") -> Iterator[Function]:
    """Functions and methods with public names, but those that a framework calls by name."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(path, node.body, node.name)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from public_functions(path, node.body, class_name)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.name not in FRAMEWORK:
            yield Function(path, node, class_name)


@cache
def functions(package: str) -> list[Function]:
    return [
        function
        for path, tree in trees(package).items()
        for function in public_functions(path, tree.body)
        if not is_view(function)
    ]


def is_view(function: Function) -> bool:
    """Whether it takes a request first; what views refuse is in OpenAPI."""
    names = [argument.arg for argument in function.node.args.args]
    return [name for name in names if name not in ("self", "cls")][:1] == ["request"]


def is_described_by_base(function: Function) -> bool:
    """Whether a base of ours has a docstring for this method."""
    bases = ancestors(function.class_name) - {function.class_name} if function.class_name else set()
    return any(function.node.name in classes()[base][1] for base in bases & set(classes()))


def handled_names(node: ast.Try) -> set[str]:
    """Names of the errors that a `try` handles itself."""
    types = [handler.type for handler in node.handlers if handler.type]
    return {ast.unparse(name) for kind in types for name in (kind.elts if isinstance(kind, ast.Tuple) else [kind])}


def raised_errors(body: list[ast.AST], handled: frozenset[str] = frozenset()) -> Iterator[str]:
    """What leaves a body by its own `raise`: the name of a class, or "" for an error that is made elsewhere."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Raise) and node.exc is not None:
            error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = ast.unparse(error).rpartition(".")[2]
            if name not in handled:
                yield name if name[:1].isupper() else ""
        elif isinstance(node, ast.Try):
            yield from raised_errors([*node.body], handled | handled_names(node))
            yield from raised_errors([*node.handlers, *node.orelse, *node.finalbody], handled)
        else:
            yield from raised_errors(list(ast.iter_child_nodes(node)), handled)


def says_errors(function: Function) -> bool:
    """Whether the docstring says each class that the body raises, or one it descends from, and when."""
    names = set(raised_errors([*function.node.body]))
    clauses = function.error_clauses
    words = set(re.findall(r"\w+", " ".join(clauses)))
    return not names or (
        any(_WHEN.search(clause) for clause in clauses) and all(ancestors(name) & words for name in names - {""})
    )


def says_unit(function: Function) -> bool:
    """Whether a function that returns a number of a physical quantity tells its unit."""
    returned = ast.unparse(function.node.returns) if function.node.returns else ""
    is_number = set(re.findall(r"\w+", returned)) in ({"float"}, {"int"}, {"float", "None"}, {"int", "None"})
    if not is_number or not (_QUANTITY_NAME.search(function.node.name) or _QUANTITY_WORD.search(function.docstring)):
        return True
    return bool(_UNIT.search(function.node.name) or _UNIT.search(function.docstring))


def is_long_without_docstring(function: Function) -> bool:
    lines = (function.node.end_lineno or function.node.lineno) - function.node.lineno
    return lines >= _LONG and not function.docstring and not is_described_by_base(function)


def is_imported(name: str, tree: ast.Module) -> bool:
    """Whether a module takes this name, or a module with it, from outside of ours."""
    nodes = list(ast.walk(tree))
    imported = {
        alias.asname or alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    return name in imported | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def missing_errors(package: str) -> list[str]:
    """Names that docstrings of a package say are raised, and that no class of ours, of Python or imported has."""
    return [
        f"{function.place} {name}"
        for function in functions(package)
        for clause in function.error_clauses
        for name in _ERROR_NAME.findall(_WHEN.split(clause)[0])
        if name not in classes() and not hasattr(builtins, name)
        if not is_imported(name, trees(package)[function.path])
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_docstrings_name_raised_errors(package: str) -> None:
    assert [function.place for function in functions(package) if not says_errors(function)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_long_functions_have_a_docstring(package: str) -> None:
    assert [function.place for function in functions(package) if is_long_without_docstring(function)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_docstrings_name_units_of_returned_quantities(package: str) -> None:
    assert [function.place for function in functions(package) if not says_unit(function)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_errors_that_docstrings_name_exist(package: str) -> None:
    assert missing_errors(package) == []


def only_function(text: str) -> Function:
    return next(public_functions(ROOT / "example.py", ast.parse(text).body))


@pytest.mark.parametrize(
    ("docstring", "is_enough"),
    [
        ("", False),
        ("Read it.", False),
        ("Read it. Raises ValueError.", False),
        ("Read it. Raises KeyError where it is none.", False),
        ("Read it. Raises ValueError where it is none.", True),
        ("Read it. Raises LookupError for a name, ValueError for a number.", True),
    ],
)
def test_an_error_needs_its_name_and_its_case(docstring: str, is_enough: bool) -> None:
    assert says_errors(only_function(f'def read(x):\n    """{docstring}"""\n    raise ValueError(x)\n')) is is_enough


def test_a_base_of_the_error_is_enough() -> None:
    text = 'def read(x):\n    """Read it. Raises {} where nothing came."""\n    raise NoBundle\n'
    assert says_errors(only_function(text.format("IntakeRefused")))
    assert not says_errors(only_function(text.format("ReviewRefused")))


def test_only_errors_that_leave_the_function_count() -> None:
    text = "def read(x):\n    try:\n        raise {}(x)\n    except (KeyError, ValueError):\n        return None\n"
    assert says_errors(only_function(text.format("ValueError")))
    assert not says_errors(only_function(text.format("OSError")))
    assert says_errors(only_function("def read(x):\n    def inner():\n        raise OSError\n    return inner\n"))
    assert not says_errors(only_function("def read(x):\n    for y in x:\n        raise too_many(y)\n"))


@pytest.mark.parametrize(
    ("text", "is_enough"),
    [
        ("def read_rate(x) -> float: ...", False),
        ("def read_rate(x) -> float | None: ...", False),
        ("def read_rate_bytes(x) -> float: ...", True),
        ('def read_rate(x) -> float:\n    """The rate in GiB/s."""', True),
        ('def drive(x) -> float:\n    """The rate of a drive."""', False),
        ("def read_rate(x) -> str: ...", True),
        ("def count_rows(x) -> int: ...", True),
    ],
)
def test_a_quantity_needs_a_unit(text: str, is_enough: bool) -> None:
    assert says_unit(only_function(text)) is is_enough


def test_views_are_left_out() -> None:
    assert is_view(only_function("def page(request, name): ...\n"))
    assert not is_view(only_function("def answer(body, request): ...\n"))


def test_private_functions_and_those_of_frameworks_are_left_out() -> None:
    text = "def _read(x): ...\nclass _A:\n    def read(self): ...\nclass B:\n    def get(self): ...\n"
    assert list(public_functions(ROOT / "example.py", ast.parse(text).body)) == []
