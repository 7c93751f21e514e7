"""One tree of refusals: every code once, in the docstring that draws the tree, and documented."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from registry.errors import Problem
from submissions import errors

# Where the tree stands; what any stage may meet is defined with its base.
OURS = (errors.__name__, Problem.__module__)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "problems.md"


def kinds(base: type[Problem]) -> list[type[Problem]]:
    problem_types = [kind for kind in base.__subclasses__() if kind.__module__ in OURS]
    return problem_types + [deeper for kind in problem_types for deeper in kinds(kind)]


KINDS = kinds(Problem)


def test_every_code_is_used_once() -> None:
    codes = [kind.code for kind in KINDS]
    assert len(codes) == len(set(codes)) > 30


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_refusal_is_in_the_tree_and_on_the_page(kind) -> None:
    assert re.search(rf"── {kind.__name__}\b", errors.__doc__)
    assert f"`{kind.code}`" in PAGE.read_text(encoding="utf-8")
    assert 400 <= kind.status < 600
    assert kind.title
    assert kind.hint


@pytest.mark.parametrize("kind", kinds(errors.Unavailable), ids=lambda kind: kind.__name__)
def test_temporary_errors_have_a_retry_after(kind) -> None:
    assert (kind.status, bool(kind.retry_after_s)) == (503, True)
