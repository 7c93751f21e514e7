"""The recipe of a run of obdfilter-survey: a command for each row, of what that row says. It prints no command."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from validators import recipes
from validators.recipes import Facts, GivenOptions, Missing, Program

_MOST = 400
_WORD = re.compile(r"[a-z_]{1,20}")
_TARGETS = Missing("targets", "Which targets were tested is not printed by name.", "Every rate: targets differ.")
_ROWS = Missing("some rows", "Their sizes are not whole numbers for each target.", "What is measured.")
_ON_SERVER = Missing(
    "server", "It runs on a server, beside its targets; which one is not shown.", "Every rate: servers differ."
)


def write_program(facts: Facts, given_options: GivenOptions | None) -> Program:
    """A command for each row of the results."""
    commands = {}
    rows = facts.tests[:_MOST]
    for number, row in enumerate(rows, 1):
        if words := _list_variables(row, str(facts.parameters.get("case", ""))):
            commands[f"row {number}"] = ["env", *words, "obdfilter-survey"]
    if not commands:
        return Program(missing=[recipes.UNKNOWN_COMMAND])
    missing = [_TARGETS, _ON_SERVER, *([_ROWS] if len(commands) < len(rows) else [])]
    return Program(commands=commands, missing=missing)


def _list_variables(row: Mapping[str, Any], case: str) -> list[str]:
    """The variables of one row, which prints sums over targets; [] where they give no whole number for each."""
    counts = [row.get(name) for name in ("osts", "total_KiB", "record_KiB", "objects", "threads")]
    if not all(isinstance(count, int) and not isinstance(count, bool) and count > 0 for count in counts):
        return []
    targets, total, record, objects, threads = (int(count or 0) for count in counts)
    if total % (targets * 1024) or objects % targets or threads % targets:
        return []
    nobj, thr, size = objects // targets, threads // targets, total // targets // 1024
    words = [f"nobjlo={nobj}", f"nobjhi={nobj}", f"thrlo={thr}", f"thrhi={thr}", f"size={size}"]
    words += [f"rszlo={record}", f"rszhi={record}"]
    words += [f"case={case}"] if case in ("disk", "netdisk", "network") else []
    tests = row.get("tests")
    if isinstance(tests, list) and tests and all(isinstance(name, str) and _WORD.fullmatch(name) for name in tests):
        words.append(f"tests_str={' '.join(tests)}")
    return words


def read_options(program: Program) -> GivenOptions | None:
    """None: targets are not known, so two runs with equal commands need not have had the same."""
    return None
