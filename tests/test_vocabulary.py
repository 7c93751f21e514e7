"""Vague names become fewer: no package may bind more of them than it does now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vocabulary import (
    VAGUE_IN_TEMPLATES,
    bindings,
    functions,
    is_one_word,
    is_riddle,
    is_vague,
    template_variables,
)

ROOT = Path(__file__).resolve().parent.parent
MOST = {
    "bench": 0,
    "collectors": 0,
    "highwater": 0,
    "launcher": 0,
    "registry": 1,
    "submissions": 2,
    "tests": 123,
    "tools": 0,
    "validators": 2,
}
"""Vague names that are left. These only fall: write the new count here with each change that renames some."""
MOST_ONE_WORD = {"collectors": 525, "registry": 200, "submissions": 67, "validators": 944}
"""Functions of one word, which seldom tell what is done with what. These only fall, too."""
MOST_RIDDLES = 0
"""Names of tests that hide what they test. None is left."""
LARGEST_SHARE = 0.40
"""Of one-word functions among all functions of these packages."""


def vague(package: str) -> list[str]:
    """Places of vague names in a package: file, line and name."""
    return [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in sources(package)
        for line, name in bindings(path)
        if is_vague(name)
    ]


def sources(package: str) -> list[Path]:
    return [
        path
        for path in sorted((ROOT / package).rglob("*.py"))
        if not {"migrations", "data", "samples"} & set(path.relative_to(ROOT).parts)
    ]


def function_names(package: str) -> list[str]:
    """Names of all functions of a package, those of files that are links counted where they lie."""
    return [name for path in sources(package) if not path.is_symlink() for name in functions(path)]


@pytest.mark.parametrize("package", sorted(MOST))
def test_vague_names_become_fewer(package: str) -> None:
    places = vague(package)
    assert len(places) == MOST[package], f"{len(places)} vague names; the last ones:\n" + "\n".join(places[-20:])


def test_a_vague_name_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    path.write_text(
        "import one\n\n\ndef told(x, *, asked):\n    for _one in x:\n        found = asked\n    return found\n"
    )
    assert [name for _, name in bindings(path) if is_vague(name)] == ["told", "asked", "_one", "found"]


@pytest.mark.parametrize("package", sorted(MOST_ONE_WORD))
def test_one_word_functions_become_fewer(package: str) -> None:
    assert sum(map(is_one_word, function_names(package))) <= MOST_ONE_WORD[package]


def test_most_functions_have_two_words() -> None:
    names = [name for package in MOST_ONE_WORD for name in function_names(package)]
    assert sum(map(is_one_word, names)) < LARGEST_SHARE * len(names)


def test_one_word_functions_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    path.write_text(
        "def _rows(): ...\n\n\nclass A:\n    def __len__(self): ...\n    def get(self): ...\n    def of_x(self): ...\n"
    )
    assert [name for name in functions(path) if is_one_word(name)] == ["_rows"]


def test_riddles_in_names_of_tests_become_fewer() -> None:
    riddles = [
        f"{path.relative_to(ROOT)} {name}"
        for path in sources("tests")
        for name in functions(path)
        if name.startswith("test_") and is_riddle(name)
    ]
    assert len(riddles) <= MOST_RIDDLES, "\n".join(riddles)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("test_what_is_not_there_is_not_found", True),
        ("test_nobody_waits", True),
        ("test_a_defect_is_told", True),
        ("test_a_list_says_so", True),
        ("test_a_copy_is_held_against_its_source", True),
        ("test_an_unknown_list_returns_404", False),
        ("test_an_editor_is_notified", False),
        ("test_two_runs_are_kept", False),
    ],
)
def test_a_riddle_is_recognised(name: str, expected: bool) -> None:
    assert is_riddle(name) is expected


def test_no_variable_of_a_template_is_vague() -> None:
    assert [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in sorted((ROOT / "templates").rglob("*.*"))
        for line, name in template_variables(path.read_text(encoding="utf-8"))
        if name in VAGUE_IN_TEMPLATES
    ] == []


def test_a_vague_variable_of_a_template_is_counted() -> None:
    text = (
        '{% for one in rows %}\n{{ one.shown|default:"told" }}{% include "one.html" with given=row.left %}{% endfor %}'
    )
    assert [row for row in template_variables(text) if row[1] in VAGUE_IN_TEMPLATES] == [
        (1, "one"),
        (2, "one"),
        (2, "given"),
    ]
