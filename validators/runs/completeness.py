"""What the descriptor of a tool asks of every run: quantities that must be there, a 0 that is none, versions tried.

Parsers read what is printed; here is decided what is missing or impossible, for all tools alike:

- `never_zero`: quantities that are not 0 where an operation did work. Such a 0 says that nothing was measured.
- `required`: quantities without which an operation that did work is not reported whole.
- `tried_versions`: the versions whose real output the parser was tried on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from validators.findings import ERROR, INFO, WARNING, Finding, has_error
from validators.measurements import Measurement, Run

_NUMBERS = re.compile(r"\d{1,9}(?:\.\d{1,9}){0,5}", re.ASCII)
_MOST_NAMED = 4
SMALLEST, LARGEST = 1e-24, 1e24
"""All numbers but 0 that storage can have lie between these, in any unit: 1e24 bytes are a yottabyte."""
_ASIDE = frozenset({"iter", "sample", "file", "scope", "invalid", "qualifier"})
"""Parts of a context that say which of several values one is, or what it is worth, and nothing of what was done."""

Descriptor = Mapping[str, Any]


def examine(run: Run, descriptor: Descriptor) -> None:
    """Take out of a run what was printed as 0 and not measured, and add the findings on what is missing."""
    _leave_out_zeros(run, descriptor.get("never_zero", ()))
    run.findings += [
        *_not_measured(run),
        *_find_impossible(run),
        *_missing(run, descriptor),
        *_untested(run, descriptor),
    ]


def _leave_out_zeros(run: Run, quantities: Sequence[str]) -> None:
    """An operation did work where anything of it is above 0. A deviation of 0 is one."""
    worked = {_place(measurement) for measurement in run.measurements if measurement.value > 0} | set(
        map(_key, run.operations_done)
    )
    remaining = []
    for measurement in run.measurements:
        is_value = measurement.quantity in quantities and measurement.stat != "stdev"
        if measurement.value == 0 and is_value and _place(measurement) in worked:
            run.not_measured.append(f"{measurement.op} {measurement.quantity} {measurement.stat}")
        else:
            remaining.append(measurement)
    run.measurements = remaining


def _not_measured(run: Run) -> Iterator[Finding]:
    names = list(dict.fromkeys(run.not_measured))
    if names:
        yield Finding(
            f"{run.tool}.not-measured",
            INFO,
            f"Not measured, or less than what is printed, and printed as 0: {_listed(names)}. No value is kept of it.",
            "Nothing to do, unless it was meant to be measured: look at the options of the run.",
            run.path,
        )


def _find_impossible(run: Run) -> Iterator[Finding]:
    wrong = [row for row in run.measurements if row.value and not SMALLEST <= abs(row.value) <= LARGEST]
    if wrong:
        names = [f"{row.op} {row.quantity} {row.stat} {row.value:.3g} {row.unit}" for row in wrong]
        yield Finding(
            f"{run.tool}.impossible-number",
            ERROR,
            f"A number is of a size that nothing can have: {_listed(names)}.",
            "Upload the original output. If it prints this, the program or its clock was wrong: run it again.",
            run.path,
        )


def _missing(run: Run, descriptor: Descriptor) -> Iterator[Finding]:
    """One finding on all operations that lack a quantity. A run with an error does not count anyway."""
    if has_error(run.findings):
        return
    quantities: dict[tuple[str, str], set[str]] = {_key(done): set() for done in run.operations_done}
    for measurement in run.measurements:
        quantities.setdefault(_place(measurement), set()).add(measurement.quantity)
    lacking = [
        f"{op} has no {' or '.join(names)}"
        for (op, _), present in quantities.items()
        for names in _required(descriptor, op)
        if present.isdisjoint(names)
    ]
    if lacking:
        names = list(dict.fromkeys(lacking))
        yield Finding(
            f"{run.tool}.measurement-missing",
            ERROR,
            f"An operation did work, and what it must be reported with was not read: {_listed(names)}.",
            "Upload the original output. If it is complete, this form of it is not read here yet.",
            run.path,
        )


def _required(descriptor: Descriptor, op: str) -> Sequence[Sequence[str]]:
    """Groups of quantities of which an operation must have one each; the first entry that fits it counts."""
    for entry in descriptor.get("required", ()):
        if any(fnmatchcase(op, pattern) for pattern in entry.get("ops", ("*",))):
            return [[name] if isinstance(name, str) else name for name in entry["quantities"]]
    return ()


def _untested(run: Run, descriptor: Descriptor) -> Iterator[Finding]:
    tried = descriptor.get("tried_versions")
    if tried and not has_error(run.findings) and is_outside(run.version, tried["from"], tried["through"]):
        yield Finding(
            f"{run.tool}.version-untested",
            WARNING,
            f"No output of version {run.version[:40]} was tried here; what is printed may mean something else.",
            "Compare some numbers with the output by eye.",
            run.path,
            expected=f"{tried['from']} to {tried['through']}",
            actual=run.version[:40],
        )


def is_outside(version: str, first: str, last: str) -> bool:
    """Whether a version lies before the first or behind the last; 4.1.2 is not behind 4.1. False without a number."""
    match = _NUMBERS.match(version)
    if not match:
        return False
    numbers, low, high = (tuple(map(int, text.split("."))) for text in (match[0], first, last))
    return numbers + (0,) * len(low) < low or numbers[: len(high)] > high


def _place(measurement: Measurement) -> tuple[str, str]:
    return _key((measurement.op, measurement.context))


def _key(done: tuple[str, Mapping[str, Any]]) -> tuple[str, str]:
    op, context = done
    return op, repr(sorted((name, str(value)) for name, value in context.items() if name not in _ASIDE))


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
