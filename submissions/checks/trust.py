"""How far a run may be trusted once it is published: a summary that nothing confirms is reported, never verified."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from registry.models import Result
from validators.evidence import SUMMARY_ALONE

_FROM_OTHER_FILES = frozenset({"tasks", "procs", "started"})
"""Parameters of an IO500 run that no summary has: what tells of reports from before evidence was looked at."""
_SOURCE = {
    Result.Trust.VERIFIED: "Submitted here; the raw output was checked and reviewed.",
    Result.Trust.REPORTED: "Submitted here as a summary alone; reviewed, with nothing that could confirm its numbers.",
}


def trust_of(run: Mapping[str, Any]) -> Result.Trust:
    """Verified, or reported where only a summary was uploaded (decision 39)."""
    return Result.Trust.REPORTED if is_summary_alone(run) else Result.Trust.VERIFIED


def is_summary_alone(run: Mapping[str, Any]) -> bool:
    """Whether nothing that was uploaded can be held against anything else."""
    if "evidence" in run:
        return bool(run["evidence"].get("summary_alone"))
    return run.get("tool") == "io500" and not _FROM_OTHER_FILES & run.get("parameters", {}).keys()


def source_of(trust: str) -> str:
    return _SOURCE[Result.Trust(trust)]


def reason_of(trust: str) -> dict[str, Any]:
    """What the snapshot keeps of why a result is not verified; nothing where it is."""
    return (
        {} if trust == Result.Trust.VERIFIED else {"trust_reason": {"code": SUMMARY_ALONE, "message": source_of(trust)}}
    )
