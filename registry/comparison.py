"""Compare published results: what was measured side by side, with ratios to the first, and what else differed.

Plain values in, plain values out. A ratio stands only where both numbers mean the same; otherwise a note says why not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from validators import catalogue
from validators.meanings import Figure, why_not

VOLATILE = frozenset(
    {"started", "ended", "job_scripts", "job_outputs", "datadir", "file_system_used_percent", "inodes"}
)
"""Parameters that differ from run to run and explain nothing."""


Key = tuple[str, ...]
"""Operation, quantity, statistic, unit, and the context as JSON."""


@dataclass(frozen=True, slots=True)
class Side:
    """One result of a comparison. `measurements` are dictionaries as in the API; values are canonical."""

    id: str
    tool: str
    tool_version: str
    mode: str
    trust: str
    release: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    measurements: Sequence[Mapping[str, Any]] = ()


def compare(sides: Sequence[Side]) -> dict[str, Any]:
    """Measurements with one value and one ratio per result (to the first), notes, and what else differed.

    {"comparable", "notes": [{"code", "message"}], "measurements": [{"op", "quantity", "stat", "context", "unit",
    "values", "ratios", "differs"}], "differences": [{"parameter", "values"}], "equal": count}. A value that a result
    does not have is None, and so is its ratio; without comparable results there is no ratio at all. `differs` says for
    each result why its number does not mean the same as the first one's; it has no ratio then.
    """
    reasons = list(_not_comparable(sides))
    aligned = _aligned(sides)
    differs = {
        key: [""] * len(sides) if reasons else list(_meant_otherwise(sides, row)) for key, row in aligned.items()
    }
    return {
        "comparable": not reasons,
        "notes": reasons + list(_notes(sides)) + list(_meaning_notes(differs)),
        "measurements": [_row(key, row, differs[key], ratios=not reasons) for key, row in aligned.items()],
        **_parameters(sides),
    }


def _not_comparable(sides: Sequence[Side]) -> Iterable[dict[str, str]]:
    if len({side.tool for side in sides}) > 1:
        yield _note("compare.other-tool", "The results are of different benchmarks, so no ratio is shown.")
    if len({side.mode or "standard" for side in sides}) > 1:
        yield _note("compare.other-mode", "The benchmark ran in different modes, so no ratio is shown.")


def _notes(sides: Sequence[Side]) -> Iterable[dict[str, str]]:
    if len({side.tool_version for side in sides}) > 1:
        yield _note("compare.other-version", "Other versions of the benchmark: a phase may have changed its meaning.")
    if len({side.trust for side in sides}) > 1:
        yield _note("compare.other-trust", "Some are verified here from raw output, others are copied or reported.")
    if len({side.parameters.get("client_nodes") for side in sides}) > 1:
        yield _note("compare.other-clients", "The numbers of client nodes differ; totals grow with clients.")


def _meant_otherwise(sides: Sequence[Side], row: Sequence[Mapping[str, Any] | None]) -> Iterable[str]:
    """For each result why its number does not mean what that of the first result means, or an empty text."""
    entries = catalogue.meanings(sides[0].tool)
    for side, found in zip(sides, row, strict=True):
        if found is None or row[0] is None or side is sides[0]:
            yield ""
        else:
            first = Figure(row[0], sides[0].tool_version, sides[0].parameters)
            yield why_not(entries, first, Figure(found, side.tool_version, side.parameters))


def _meaning_notes(differs: Mapping[Key, Sequence[str]]) -> Iterable[dict[str, str]]:
    """A note for each reason, naming the quantities, statistics and operations that have it."""
    told: dict[tuple[str, str], dict[str, list[str]]] = {}
    for (op, quantity, stat, *_), reasons in differs.items():
        for reason in filter(None, dict.fromkeys(reasons)):
            names = told.setdefault((quantity, reason), {"stats": [], "ops": []})
            names["stats"].append(stat)
            names["ops"].append(op)
    for (quantity, reason), names in told.items():
        stats, ops = (", ".join(dict.fromkeys(names[kind])) for kind in ("stats", "ops"))
        message = f"{quantity.replace('_', ' ').capitalize()} ({stats}) of {ops} does not mean the same. {reason}."
        yield _note("compare.other-meaning", f"{message} No ratio is shown for it.")


def _note(code: str, message: str) -> dict[str, str]:
    return {"code": code, "message": message}


def _aligned(sides: Sequence[Side]) -> dict[Key, list[Mapping[str, Any] | None]]:
    """The measurements of the same operation, quantity, statistic, unit and context beside one another."""
    rows: dict[Key, list[Mapping[str, Any] | None]] = {}
    for column, side in enumerate(sides):
        for measurement in side.measurements:
            rows.setdefault(_key(measurement), [None] * len(sides))[column] = measurement
    return rows


def _key(measurement: Mapping[str, Any]) -> Key:
    """What tells a row from others; what a statistic is over (`scope`) does not, or nobody saw that it differs."""
    context = {name: value for name, value in measurement["context"].items() if name not in ("invalid", "scope")}
    names = ("op", "quantity", "stat", "unit")
    return (*(measurement[name] for name in names), json.dumps(context, sort_keys=True))


def _row(
    key: Key, found: Sequence[Mapping[str, Any] | None], differs: Sequence[str], *, ratios: bool
) -> dict[str, Any]:
    op, quantity, stat, unit, context = key
    values = [None if one is None else one["value"] for one in found]
    return {
        "op": op,
        "quantity": quantity,
        "stat": stat,
        "context": json.loads(context),
        "unit": unit,
        "values": values,
        "ratios": [
            _ratio(value, values[0]) if ratios and not reason else None
            for value, reason in zip(values, differs, strict=True)
        ],
        "differs": list(differs),
    }


def _ratio(value: float | None, first: float | None) -> float | None:
    return value / first if value is not None and first else None


def _parameters(sides: Sequence[Side]) -> dict[str, Any]:
    """Parameters that differ, volatile ones left out, and how many are equal in all."""
    names = dict.fromkeys(name for side in sides for name in side.parameters if name not in VOLATILE)
    differences, equal = [], 0
    for name in names:
        values = [side.parameters.get(name) for side in sides]
        if all(value == values[0] for value in values):
            equal += 1
        else:
            differences.append({"parameter": name, "values": values})
    return {"differences": differences, "equal": equal}
