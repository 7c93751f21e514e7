"""What launchers, shells, batch systems and the system print when a program did not come to its end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from validators.bundle import Bundle
from validators.findings import WARNING, Finding

_FAILED_BEGINNINGS = ("Abort(", "Aborted", "Killed", "Terminated", "Exited with exit code ")
_FAILED_WORDS = (
    *("BAD TERMINATION", "KILLED BY SIGNAL", "CANCELLED", "DUE TO TIME LIMIT", "TERM_RUNLIMIT", "job killed"),
    *("slurmstepd: error", "srun: error", "Job step aborted", "MPI_ABORT", "MPI_Abort"),
    *("mpirun noticed", "mpiexec noticed", "prterun noticed", "Forwarding signal", "Sending Ctrl-C", "killing job"),
    *("exited on signal", "exited with exit code", "exit signal", "died from signal", "terminated by signal"),
    *("Caught signal", "eceived signal SIG", "process killed (SIG", "sending signal ", "KeyboardInterrupt"),
    *("returned a non-zero exit code", "Command exited with non-zero status"),
    *("Segmentation fault", "Bus error", "core dumped", "oom-kill", "Out Of Memory", "Out of memory", "out of memory"),
    *("No space left on device", "Disk quota exceeded", "Input/output error", "Stale file handle"),
)
_FAILED_LINES = frozenset(("^C", "Hangup", "Interrupt", "Quit", "User defined signal 1", "User defined signal 2"))
"""What a terminal or a shell prints alone in a line."""
_OF_A_SHELL = re.compile(r": line \d{1,9}: {1,9}\d{1,9} (?:Killed|Terminated|Aborted|Hangup|Interrupt)\b")
_SEARCHED = tuple(
    word.encode()
    for word in (*_FAILED_BEGINNINGS, *_FAILED_WORDS, *_FAILED_LINES, "Hangup", "Interrupt", "Assertion", ": line ")
)
_MESSAGE_CHARACTERS = 400
_SHOWN_CHARACTERS = 160
_SEARCHED_BYTES = 8 * 1024 * 1024
"""Of a log beside a result."""


def is_failure(line: str) -> bool:
    """Whether a launcher, a batch system or the system says that a program did not come to its end."""
    return bool(line) and (
        any(map(line.__contains__, _FAILED_WORDS))
        or line.startswith(_FAILED_BEGINNINGS)
        or line.strip() in _FAILED_LINES
        or ("Assertion" in line and "failed" in line)
        or (": line " in line and _OF_A_SHELL.search(line) is not None)
    )


def failures_in(chunks: Iterable[bytes], own: Sequence[str] = ()) -> Iterator[tuple[int, str]]:
    """The lines of a text that say so, with their numbers; `own` are the words of the tool itself."""
    searched = (*_SEARCHED, *(word.encode() for word in own))
    rest, number = b"", 0
    for chunk in (*chunks, b"\n"):
        block, newline, rest = (rest + chunk).rpartition(b"\n")
        if not newline:
            rest = rest[:_MESSAGE_CHARACTERS]
            continue
        if any(word in block for word in searched):
            for at, line in enumerate(block.split(b"\n"), start=number + 1):
                text = line[:_MESSAGE_CHARACTERS].decode("utf-8", "replace")
                if text and (is_failure(text) or any(word in text for word in own)):
                    yield at, text.strip()
        number += block.count(b"\n") + 1


def build_interruption(tool: str, path: str, line: int, message: str) -> Finding:
    """The warning that a program was ended early."""
    text = f"A program was ended before its end, as its output says: {message[:_SHOWN_CHARACTERS]!r}."
    hint = "If it is this run, its figures are of the part before: repeat it."
    return Finding(f"{tool}.interrupted", WARNING, text, hint, f"{path}:{line}")


def interruption_in(bundle: Bundle, tool: str, paths: Iterable[str], end: re.Pattern[bytes]) -> list[Finding]:
    """A warning for the first of some files that says so, for results that are trees of files.

    Behind the last line that is an `end` it is of something else.
    """
    for path in paths:
        content = bundle.read(path, _SEARCHED_BYTES)
        if b"\0" in content[:4096]:
            continue
        last = max((match.start() for match in end.finditer(content)), default=len(content))
        for line, message in failures_in([content[:last]]):
            return [build_interruption(tool, path, line, message)]
    return []
