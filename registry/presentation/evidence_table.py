"""The evidence of a run as pages show it: a line, and a row for each kind with what must hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from validators import catalogue
from validators.evidence import unconfirmed_line

NOT_EXAMINED = "not examined"
NO_KINDS = "no kinds of it are defined for this benchmark"
MARKS = {
    "agrees": ("yes", "✓ agrees"),
    "contradicts": ("no", "✕ contradicts"),
    "absent": ("soft", "\N{EN DASH} absent"),
}


def evidence_line(evidence: Mapping[str, Any] | None) -> str:
    """In short; None is a check from before evidence was looked at, an empty one that of a tool without kinds of it."""
    return NOT_EXAMINED if evidence is None else str(evidence.get("in_short", ""))


def list_unconfirmed(evidence: Mapping[str, Any] | None) -> list[str] | None:
    """Operations whose figure nothing independent confirms; None where that was not looked at."""
    return (evidence or {}).get("unconfirmed")


def build_evidence(evidence: Mapping[str, Any] | None, tool: str) -> dict[str, Any]:
    """`line`, the `unconfirmed` in words, `rows` and `address` of the definitions.

    A tool without kinds of evidence has no rows and no address.
    """
    benchmark = catalogue.find(tool)
    kinds = {kind.code: kind for kind in benchmark.evidence_kinds} if benchmark else {}
    rows = [
        {
            **row,
            "mark": MARKS.get(row["outcome"], ("", row["outcome"])),
            "text": kinds[row["code"]].text if row["code"] in kinds else "",
            "allowed": kinds[row["code"]].allowed if row["code"] in kinds else "",
        }
        for row in (evidence or {}).get("kinds", [])
    ]
    order = ("contradicts", "agrees", "absent")
    return {
        "line": evidence_line(evidence) if kinds else NO_KINDS,
        "unconfirmed": unconfirmed_line(evidence) if kinds else "",
        "rows": sorted(rows, key=lambda row: order.index(row["outcome"]) if row["outcome"] in order else len(order)),
        "address": f"/docs/benchmarks/{benchmark.slug}/#evidence" if benchmark and kinds else "",
    }
