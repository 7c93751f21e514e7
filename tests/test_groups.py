"""Which tests stay in one process of a distributed run, and which begin first."""

from __future__ import annotations

from tests.conftest import LONG, ROOT, group_of, place_of


def test_tests_that_share_a_registry_stay_together() -> None:
    assert group_of("tests/flows/test_browser.py::test_a") == group_of("tests/flows/test_client.py::test_b")


def test_a_file_with_a_registry_of_its_own_is_a_group() -> None:
    file = "tests/flows/test_first_steps.py"
    assert group_of(f"{file}::test_a") == file != group_of("tests/flows/test_client.py::test_b")


def test_each_other_file_is_a_group() -> None:
    assert group_of("tests/launcher/test_up.py::test_a") != group_of("tests/launcher/test_commands.py::test_b")


def test_long_groups_begin_first() -> None:
    groups = [group_of("tests/flows/test_client.py::test_a"), *LONG, "tests/test_tree.py"]
    places = [place_of(group) for group in groups]
    assert places == sorted(set(places))


def test_files_that_begin_early_are_there() -> None:
    assert [file for file in LONG if not (ROOT / file).is_file()] == []
