"""The section "Why this score" on the page of a result: what limits it, and where the time of each phase went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from registry.presentation import numbers
from registry.presentation.words import label_phase
from registry.query.public_record import Row
from registry.results.limiting_phase import FEW, NO_SCORE, NOT_BELOW, OTHER_SCORE, UNKNOWN_FACTS

COLUMNS = ("close_share", "wear_out_share", "wear_out_work", "rank_imbalance")
_NAMES = {
    "close_share": "closing",
    "wear_out_share": "time after the stonewall",
    "wear_out_work": "work after the stonewall",
    "rank_imbalance": "imbalance of ranks",
}
LEAST_SHOWN = 0.01
"""Percent; the API has the number."""


def build_why(document: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of results/ID/phases/ as the section shows it; empty without phases or raw files."""
    phases = document["phases"]
    if not document["shares_read"] or not phases:
        return {}
    return {
        "sentence": limit_sentence(document),
        "rows": [_phase_row(row) for row in phases],
        "missing": _list_missing(phases),
    }


def limit_sentence(document: Mapping[str, Any]) -> str:
    """Which phase limits the score, or why that cannot be told."""
    systems, fewest = document["systems"], document["fewest_systems"]
    if phase := document["limiting_phase"]:
        rise = numbers.format_significant(document["score_rise_percent"], 2)
        better = f"at the median of {systems} similar systems, the score would be {rise} % higher."
        return f"{label_phase(phase)} limits this score most: {better}"
    return {
        NO_SCORE: "No phase can be named as the limit: the run has no score.",
        OTHER_SCORE: "No phase can be named as the limit: the known phases do not give its score.",
        UNKNOWN_FACTS: "No phase can be named as the limit: the result does not state its "
        f"{' and '.join(document['unknown_facts'])}, so no result can be matched with it.",
        FEW: "No phase can be named as the limit: "
        f"every phase is known of {_count_systems(systems)}, and {fewest} are needed.",
        NOT_BELOW: f"No phase limits it: none lies below the median of {systems} similar systems.",
    }[document["unlimited_reason"]]


def _count_systems(systems: int) -> str:
    """ "no similar system", "3 similar systems"."""
    return {0: "no similar system", 1: "1 similar system"}.get(systems, f"{systems} similar systems")


def _phase_row(row: Row) -> dict[str, Any]:
    """A phase with its cells; an empty cell is a share that the phase cannot have."""
    shares = {share["quantity"]: share for share in row["shares"]}
    return {
        "phase": label_phase(row["phase"]),
        "seconds": numbers.format_decimal(row["seconds"], 1) or numbers.MISSING,
        "cells": [_share_cell(shares.get(name)) for name in COLUMNS],
        "rise": numbers.MISSING if row["score_rise_percent"] is None else _format_rise(row["score_rise_percent"]),
        "scored": row["scored"] is not False,
    }


def _share_cell(share: Mapping[str, Any] | None) -> str:
    """A share as text, empty where the phase has no such part; one that nobody would notice is below LEAST_SHOWN."""
    if share is None:
        return ""
    if share["percent"] is None:
        return numbers.MISSING
    return f"< {LEAST_SHOWN}" if 0 < share["percent"] < LEAST_SHOWN else numbers.format_significant(share["percent"])


def _format_rise(percent: float) -> str:
    return f"+{numbers.format_significant(percent, 2)}" if percent else "0"


def _list_missing(phases: Iterable[Row]) -> list[tuple[str, str]]:
    """Each reason with the shares that it is the reason of: "closing of IOR easy write, IOR easy read"."""
    by_reason: dict[str, dict[str, list[str]]] = {}
    for row in phases:
        for share in row["shares"]:
            if share["percent"] is None:
                by_reason.setdefault(share["why"], {}).setdefault(share["quantity"], []).append(
                    label_phase(row["phase"])
                )
    return [
        (why, "; ".join(f"{_NAMES[name]} of {', '.join(of_phases)}" for name, of_phases in by_quantity.items()))
        for why, by_quantity in by_reason.items()
    ]
