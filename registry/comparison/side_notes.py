"""What must be known of the results of a comparison, whatever was measured: codes and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING

from registry.query.responses.trust_levels import LEVELS

if TYPE_CHECKING:
    from registry.comparison.compare import Side

REPORTED = "reported"
"""The trust of what was never more than a number on paper."""


def barring_notes(sides: Sequence[Side]) -> Iterable[dict[str, str]]:
    """Why no number of theirs may be divided by another."""
    if len({side.tool for side in sides}) > 1:
        yield note_row("compare.other-tool", "The results are of different benchmarks, so no ratio is shown.")
    modes = {side.mode or "standard": side.mode or "standard or not stated" for side in sides}
    if len(modes) > 1:
        named = "; ".join(sorted(modes.values()))
        yield note_row("compare.other-mode", f"The benchmark ran in different modes ({named}), so no ratio is shown.")
    if len({side.trust == REPORTED for side in sides}) > 1:
        message = "Some are reported in papers or slides, without raw data, and others were checked or published as "
        yield note_row("compare.other-trust", f"{message}results, so no ratio is shown.")


def differing_notes(sides: Sequence[Side]) -> Iterable[dict[str, str]]:
    """What else differs and leaves a ratio its meaning."""
    versions = {side.tool_version for side in sides}
    if len(versions) > 1:
        which = (
            "The versions of the benchmark differ"
            if all(versions)
            else "The version of the benchmark is not known of all"
        )
        yield note_row("compare.other-version", f"{which}: a phase may have changed its meaning.")
    trusts = {side.trust for side in sides}
    if len(trusts) > 1 and REPORTED not in trusts:
        yield note_row("compare.other-trust", _trust_note(trusts))
    if all(side.lists for side in sides) and not frozenset.intersection(*(side.lists for side in sides)):
        named = "; ".join(f"{side.id}: {', '.join(sorted(side.lists))}" for side in sides)
        yield note_row("compare.other-lists", f"They are on no common list ({named}), so their ranks do not compare.")
    if len({side.parameters["client_nodes"] for side in sides if "client_nodes" in side.parameters}) > 1:
        yield note_row("compare.other-clients", "The numbers of client nodes differ; totals grow with clients.")


def standing_notes(sides: Sequence[Side]) -> Iterable[dict[str, str]]:
    """Results that count no more: each page of them says so, and a comparison does."""
    for side in sides:
        if side.withdrawn_on:
            yield note_row("compare.withdrawn", f"{side.id} was withdrawn on {side.withdrawn_on}.")
        if side.revised_by:
            yield note_row("compare.revised", f"{side.id} was revised: {side.revised_by} replaces it.")


def _trust_note(trusts: Set[str]) -> str:
    """What levels of trust the sides have, in words."""
    if trusts == {"verified", "imported"}:
        return "Some are verified here from raw output, others are copied."
    named = (level.name for level in LEVELS if level.name in trusts)
    return f"They are of different trust: {', '.join(named)}."


def note_row(code: str, message: str) -> dict[str, str]:
    """A note as the API gives it."""
    return {"code": code, "message": message}
