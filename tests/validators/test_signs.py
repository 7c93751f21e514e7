"""A sign is looked for only where one of its words stands, and that hides no output."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import pytest

from validators import catalogue, launcher_output
from validators.signs import Sign

MODULES = [
    import_module(f"validators.benchmarks.{benchmark.slug}.{module.name}")
    for benchmark in catalogue.benchmarks()
    for module in pkgutil.iter_modules([str(catalogue.FOLDER / benchmark.slug)])
] + [launcher_output]
SIGNS = {
    f"{module.__name__}.{name}": sign
    for module in MODULES
    for name, value in vars(module).items()
    for sign in (value if isinstance(value, tuple) else (value,))
    if isinstance(sign, Sign)
}
HEADS = [path.read_bytes()[: 64 * 1024] for path in catalogue.FOLDER.glob("*/samples/**/*") if path.is_file()]


@pytest.mark.parametrize("name", SIGNS)
def test_the_word_filter_skips_no_match_of_a_pattern(name: str) -> None:
    sign = SIGNS[name]
    assert [bool(sign.search(head)) for head in HEADS] == [bool(sign._pattern.search(head)) for head in HEADS]


def test_most_benchmarks_have_signs() -> None:
    assert len({name.split(".")[2] for name in SIGNS}) >= 9


def test_a_word_alone_is_no_sign() -> None:
    sign = Sign(rb"^tool \d", b"tool ")
    assert sign.search(b"a\ntool 1") and not sign.search(b"a tool 1") and not sign.search(b"tool x")
