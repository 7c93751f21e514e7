"""The numbers of two results, held against each other one by one. Plain values in, plain values out."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from registry.query.reproductions import ReproducedNumber
from validators import quantities
from validators.reproduction import agreement

Row = Mapping[str, Any]
Key = tuple[str, str, str, str]
NO_CONTEXT = ("invalid", "scope", "qualifier")
"""Parts of a context that say what a number is worth, and not what it is of."""
STATISTICS = ("phase", "mean", "max", "")
"""Which one of several numbers of an operation is compared: the first that both sides have."""


def compare_numbers(tool: str, original: Iterable[Row], new: Iterable[Row]) -> list[dict[str, Any]]:
    """Each number that both results have and limits are set for, new to original, the furthest from 1 first.

    Measurements are as in the API, `repeats` with the value of each run of the configuration; their mean is compared.
    [{"op", "quantity", "stat", "context", "ratio", "low", "high", "original_runs", "new_runs", "outcome", "why"}].
    """
    sides = [_values_by_key(tool, rows) for rows in (original, new)]
    rows = [_compare_number(tool, key, sides[0][key], sides[1][key]) for key in _compared_keys(*sides)]
    return sorted(rows, key=_log_distance, reverse=True)


def _values_by_key(tool: str, rows: Iterable[Row]) -> dict[Key, Row]:
    """What tells numbers apart, of those that mean something and have limits."""
    return {
        (row["op"], row["quantity"], row["stat"], _number_context(row)): row
        for row in rows
        if row["stat"] in STATISTICS
        and not row["context"].get("qualifier")
        and not row["context"].get("invalid")
        and agreement.find_limits(tool, quantities.canonical_name(tool, row))
    }


def _number_context(row: Row) -> str:
    return json.dumps({name: part for name, part in row["context"].items() if name not in NO_CONTEXT}, sort_keys=True)


def _compared_keys(original: Mapping[Key, Row], new: Mapping[Key, Row]) -> list[Key]:
    """Of each operation, quantity and context the first statistic that both sides have."""
    chosen: dict[tuple[str, str, str], Key] = {}
    both = (key for key in original if key in new)
    for key in sorted(both, key=lambda key: STATISTICS.index(key[2])):
        chosen.setdefault((key[0], key[1], key[3]), key)
    return list(chosen.values())


def _compare_number(tool: str, key: Key, original: Row, new: Row) -> dict[str, Any]:
    ratio = agreement.compare_means(_run_values(original), _run_values(new))
    limits = agreement.find_limits(tool, quantities.canonical_name(tool, original))
    decided = agreement.decide_agreement(ratio, limits)
    number = ReproducedNumber(
        op=key[0],
        quantity=key[1],
        stat=key[2],
        context=json.loads(key[3]),
        ratio=ratio.ratio,
        low=ratio.low,
        high=ratio.high,
        original_runs=ratio.original_runs,
        new_runs=ratio.new_runs,
        outcome=decided.outcome,
        why=decided.why,
    )
    return msgspec.structs.asdict(number)


def _run_values(row: Row) -> Sequence[float]:
    return row.get("repeats") or [row["value"]]


def _log_distance(row: Row) -> float:
    """How far a ratio is from 1; such as is too small for a float is the furthest, and none is the nearest."""
    if row["ratio"] is None:
        return -1.0
    return abs(math.log(row["ratio"])) if row["ratio"] else math.inf


def choose_headline(rows: Sequence[Row], outcome: str) -> Row:
    """The number that a mark is told by: of those with the outcome of the run the one that is furthest from 1.

    `rows` are of compare_numbers.
    """
    without = {"ratio": None, "low": None, "high": None, "why": "no number is comparable"}
    return next((row for row in rows if row["outcome"] == outcome), rows[0] if rows else without)
