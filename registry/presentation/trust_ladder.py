"""The four levels of trust as one picture, and what would raise one result to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from msgspec import Meta

from registry.models import Result
from registry.query import demonstration
from registry.query.responses.shapes import Shape
from registry.query.responses.trust_levels import LEVELS, label_of

_UPLOAD = "The submitter uploads the raw files here, the rules check them, and reviewers accept the run."
_UPLOAD_ANEW = f"{_UPLOAD} It is then a separate result with its own id."


class TrustStep(Shape):
    """What would raise a result to a higher level of trust."""

    level: Annotated[str, Meta(description="The level that it would have; empty where it has the highest.")]
    needs: Annotated[str, Meta(description="What it needs for that.")]


def build_ladder(result: Result) -> dict[str, Any]:
    """`steps` from the lowest level to the highest, one of them `is_current`, and the `next` one with what it needs."""
    steps = [
        asdict(level) | {"is_current": is_current, "label": label_of(result) if is_current else level.name}
        for level in reversed(LEVELS)
        for is_current in [level.name == result.trust]
    ]
    return {"steps": steps, "next": next_step(result)}


def next_step(result: Result) -> TrustStep:
    """The next level of trust of a result, and what it needs for it; none of what only shows the product."""
    if result.trust == demonstration.TRUST:
        return TrustStep("", "It is made up to show the product, and has no level of trust.")
    return {
        Result.Trust.VERIFIED: lambda: TrustStep("", "This is the highest level."),
        Result.Trust.DERIVED: lambda: TrustStep(Result.Trust.VERIFIED, _UPLOAD_ANEW),
        Result.Trust.IMPORTED: lambda: _above_imported(result.snapshot, result.tool),
        Result.Trust.REPORTED: lambda: _above_reported(result.snapshot),
    }[Result.Trust(result.trust)]()


def _above_imported(snapshot: Mapping[str, Any], tool: str) -> TrustStep:
    level = Result.Trust.DERIVED
    archive = snapshot.get("archive")
    if archive is None and tool == "io500":
        return TrustStep(level, "IO500 publishes its raw files, and our readers find in them what the list states.")
    if "published_row" in snapshot:
        return TrustStep(
            level, "Our readers read its published raw files, as the command import_mlperf does with a copy of them."
        )
    if archive is None:
        return TrustStep(level, "Our readers read its published raw files and find in them what the table states.")
    if "measurements" not in archive:
        return TrustStep(level, f"IO500 publishes an archive of the one run that counts. Today: {archive['reason']}")
    return TrustStep(level, "IO500 corrects or explains the numbers that differ between its list and its archive.")


def _above_reported(snapshot: Mapping[str, Any]) -> TrustStep:
    if "document" in snapshot:
        needs = "Those who run the benchmark publish it in a list or table; with its raw files it is derived."
        return TrustStep(Result.Trust.IMPORTED, needs)
    return TrustStep(Result.Trust.VERIFIED, _UPLOAD)
