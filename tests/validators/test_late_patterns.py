"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.running import ROOT
from validators.scrubbing import late_patterns
from validators.scrubbing.late_patterns import LatePattern


@pytest.fixture(autouse=True)
def own_patterns(monkeypatch: pytest.MonkeyPatch) -> list[LatePattern]:
    """The list of all patterns, without those that the rules made."""
    patterns: list[LatePattern] = []
    monkeypatch.setattr(late_patterns, "_PATTERNS", patterns)
    return patterns


def test_a_pattern_is_compiled_at_its_first_use() -> None:
    late = LatePattern("(")
    with pytest.raises(re.error):
        _ = late.compiled_pattern


def test_flags_apply() -> None:
    assert LatePattern("abc", re.IGNORECASE).compiled_pattern.fullmatch("ABC")


def test_all_patterns_are_compiled_on_demand() -> None:
    LatePattern("(")
    with pytest.raises(re.error):
        late_patterns.compile_all()


def test_a_start_of_the_collector_compiles_none_of_the_forms() -> None:
    code = (
        "import collectors.capture.capture, collectors.scrubbing.personal\n"
        "from collectors.scrubbing import late_patterns\n"
        "patterns = late_patterns._PATTERNS\n"
        "print(len(patterns) > 50, sum(late._compiled is not None for late in patterns))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "0"]
