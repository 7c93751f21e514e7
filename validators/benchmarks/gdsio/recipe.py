"""The recipe of a run of gdsio: a command for each line of results, of what that line says. It prints no command."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from validators import recipes
from validators.recipes import TESTDIR, Facts, GivenOptions, Missing, Program

_OPS = {"read": "0", "write": "1", "randread": "2", "randwrite": "3"}
_TRANSFERS = {
    "GPUD": "0", "CPUONLY": "1", "CPU_GPU": "2", "CPU_ASYNC_GPU": "3", "CPU_CACHED_GPU": "4", "GPUD_ASYNC": "5",
    "GPU_BATCH": "6",
}  # fmt: skip
"""Codes of -I and -x by the words of the results."""
_MOST = 400
_NUMBER = re.compile(r"\d{1,12}")
_NO_COMMAND = Missing("other options", "gdsio does not print its command line.", "GPU, file size and duration.")
_UNKNOWN_LINES = Missing("some tests", "Their operation, transfer or size has no known option.", "What is measured.")


def write_program(facts: Facts, given_options: GivenOptions | None) -> Program:
    """A command for each test of the results."""
    rows = [_options_of(test) for test in facts.tests[:_MOST]]
    options = [row for row in rows if row]
    if not options:
        return Program(missing=[recipes.UNKNOWN_COMMAND])
    commands = {f"test {number}": _command(row) for number, row in enumerate(options, 1)}
    return Program(commands=commands, missing=[_NO_COMMAND, *([_UNKNOWN_LINES] if len(options) < len(rows) else [])])


def _options_of(test: Mapping[str, Any]) -> dict[str, str]:
    """The options of one test; {} where one of its words is not known."""
    op, transfer = _OPS.get(str(test.get("op"))), _TRANSFERS.get(str(test.get("xfer_type")))
    threads, size = str(test.get("threads")), str(test.get("io_size_KiB"))
    if op is None or transfer is None or not _NUMBER.fullmatch(threads) or not _NUMBER.fullmatch(size):
        return {}
    return {"I": op, "x": transfer, "w": threads, "i": f"{size}K"}


def _command(row: Mapping[str, str]) -> list[str]:
    return ["gdsio", "-D", TESTDIR, *(word for name in "Ixwi" for word in (f"-{name}", row[name]))]


def read_options(program: Program) -> GivenOptions | None:
    """None: most options are not known, so two runs with equal commands need not have had the same."""
    return None
