"""What an output of IOR says, in whichever form it was printed: tests, rows of iterations, rows of the summary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from validators.outputs import Refusal

MOST_TESTS = 1000
OPERATIONS = ("write", "read", "remove")
COMPONENTS = {
    "bandwidth": "MiB/s",
    "iops": "ops/s",
    "time": "s",
    "latency": "s",
    "open_time": "s",
    "transfer_time": "s",
    "close_time": "s",
}
"""Quantities of one iteration, and the units that every version prints them in."""


@dataclass(slots=True)
class Row:
    """One operation of one iteration. `half` is how far a printed quantity may be from the measured one."""

    test: int
    op: str
    iteration: int
    values: dict[str, float]
    half: dict[str, float]
    line: int = 0
    moved_bytes: float | None = None


@dataclass(slots=True)
class Summary:
    """One line of the summary: values by (quantity, stat), and the test's settings that stand in the same line."""

    test: int
    op: str
    values: dict[tuple[str, str], float]
    settings: dict[str, float]
    line: int = 0


@dataclass(slots=True)
class Test:
    """One test: its number, and its settings as printed, by the key that IOR gives them."""

    id: int
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Record:
    """An output as a whole. `dropped` counts lines inside a JSON that had to go for it to be read, and
    `damaged` is the first of them that holds a value of it."""

    version: str = ""
    command: str = ""
    tests: list[Test] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    summaries: list[Summary] = field(default_factory=list)
    best: dict[tuple[int, str], float] = field(default_factory=dict)
    finished: bool = False
    failure: tuple[int, str] | None = None
    short: int = 0
    dropped: int = 0
    damaged: int = 0
    verification_errors: int = 0
    environment_line: int = 0
    has_metadata: bool = True

    def test(self, id: int) -> Test:
        """The test of that number; a new one where none was announced. Raises Refusal beyond MOST_TESTS."""
        test_of_id = next((test for test in self.tests if test.id == id), None)
        if test_of_id is None:
            if len(self.tests) >= MOST_TESTS:
                raise Refusal("too-large", f"The output has more than {MOST_TESTS} tests.", "Split it by test.")
            test_of_id = Test(id)
            self.tests.append(test_of_id)
        return test_of_id
