"""What the hints in a line hint at is found in short lines and in long ones, as a search for each would find it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validators.scrubbing.hints import _SHORT_LINE, Hints

ROWS = [("@", "sign"), ("pw", "word"), ("pass", "word"), ("password", "secret"), ("assw", "part"), ("é=", "accent")]
LONG = "x" * _SHORT_LINE


@pytest.mark.parametrize("before", ["", LONG])
@pytest.mark.parametrize(
    ("text", "meanings"),
    [
        ("", set()),
        ("pas", set()),
        ("PASS", set()),
        ("pass", {"word"}),
        ("password", {"word", "secret", "part"}),
        ("a@b", {"sign"}),
        ("@", {"sign"}),
        ("npw", {"word"}),
        ("clé=1", {"accent"}),
    ],
)
def test_all_hints_of_a_line_count(before: str, text: str, meanings: set[str]) -> None:
    assert Hints(ROWS).list_meanings(before + text) == meanings


def test_a_hint_may_mean_several_things() -> None:
    assert Hints([("key", 1), ("key", 2), ("ke", 3)]).list_meanings("a key") == {1, 2, 3}


@given(st.lists(st.text("abc", min_size=1, max_size=6), max_size=30), st.text("abc", max_size=40), st.booleans())
def test_as_many_are_found_as_by_a_search_for_each(hints: list[str], line: str, is_long: bool) -> None:
    line += LONG * is_long
    assert Hints((hint, hint) for hint in hints).list_meanings(line) == {hint for hint in hints if hint in line}
