"""docs/states.md shows the permitted changes of a submission as the code defines them."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from submissions.lifecycle.states import PERMITTED
from submissions.models import State

PAGE = (Path(__file__).resolve().parent.parent.parent / "docs" / "states.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([a-z_]+)` \| (.+) \|$", PAGE, re.MULTILINE)


def test_the_table_has_every_state_and_every_permitted_change() -> None:
    documented = {origin: frozenset(re.findall(r"`([a-z_]+)`", targets)) for origin, targets in ROWS}
    assert len(ROWS) == 12
    assert documented == {state.value: frozenset(target.value for target in PERMITTED[state]) for state in State}


def test_the_usual_path_takes_permitted_changes_only() -> None:
    line = next(line for line in PAGE.splitlines() if "→" in line)
    path = [State(name.strip()) for name in line.split("→")]
    assert len(path) == 8
    assert [(origin, to) for origin, to in pairwise(path) if to not in PERMITTED[origin]] == []
