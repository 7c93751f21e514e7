"""The page of parameters says what the registry of parameters says."""

from __future__ import annotations

from tools.parameters_page import PAGE, page
from validators.parameters import parameters


def test_the_page_is_written_from_the_registry() -> None:
    """Else: ./dev.py exec python -m tools.parameters_page"""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_parameter_has_one_row() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    assert [line.split("`")[1] for line in lines if line.startswith("| `") and "." in line.split("|")[2]] == list(
        parameters()
    )
