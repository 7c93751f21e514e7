"""The output of `io500 --verify`: what the program itself says of the hash of a result.txt."""

from __future__ import annotations

import re
from collections.abc import Iterable

from validators.findings import ERROR, INFO, WARNING, Finding
from validators.measurements import Run

MARKER = b"result file ver ="
_VALUE = re.compile(r"(result file ver|config-hash|score-hash)\s*=\s*(\S{0,200})")
_MISMATCH = re.compile(r'ERROR: Score hash expected: "(\w{1,16})" read: "(\w{1,16})"')


def read_verification(lines: Iterable[str], path: str) -> Run:
    """A run without measurements: its hashes, and one finding with the verdict."""
    values: dict[str, str] = {}
    expected: str | None = None
    verdict = Finding(
        "io500.verify.truncated",
        ERROR,
        "io500 --verify printed no verdict.",
        "Upload the complete output.",
        path,
    )
    for number, line in enumerate(lines, 1):
        value, mismatch = _VALUE.match(line), _MISMATCH.match(line)
        if value:
            values[value[1]] = value[2]
        elif mismatch:
            expected = mismatch[1]
            verdict = Finding(
                "io500.verify.hash-mismatch",
                WARNING,
                "io500 --verify computed another score hash than result.txt has.",
                "Something in result.txt was changed after the run.",
                f"{path}:{number}",
                expected=mismatch[1],
                actual=mismatch[2],
            )
        elif line.startswith("[OK]"):
            verdict = _accepted(line, f"{path}:{number}")
    run = Run("io500", path.rpartition("/")[0], values.get("result file ver", ""))
    accepted = verdict.code in ("io500.verify.ok", "io500.verify.ok-invalid")
    printed_hash = values.get("score-hash")
    run.hashes = {
        "config": {"printed": values.get("config-hash"), "computed": None},
        "score": {"printed": printed_hash, "computed": printed_hash if accepted else expected},
    }
    run.findings = [verdict]
    return run


def _accepted(line: str, where: str) -> Finding:
    if "invalid" in line:
        message = "io500 --verify found the hash right, of a run that is marked invalid."
        return Finding("io500.verify.ok-invalid", ERROR, message, "Repeat the run.", where)
    return Finding("io500.verify.ok", INFO, "io500 --verify found the hash right.", where=where)
