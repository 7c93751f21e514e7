"""What several pages of submissions show in one way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from registry.errors import Problem
from registry.lists.definitions import title_of
from registry.presentation import numbers
from registry.presentation.read_lines import format_lines
from submissions.models import Submission
from validators import catalogue

REASON_LIMIT = 10_000
JOINED = Submission.objects.select_related(
    "institution", "release", "account", "result", "derivative", "system_snapshot", "anonymity"
)


class FormInvalid(Problem):
    status = 422
    code = "request.invalid"
    title = "Some fields are not valid"
    hint = "Choose a release and at least one of its lists."


def name_of(submission: Submission) -> str:
    """The system that was declared, else the file."""
    return str(submission.metadata.get("system") or submission.filename or "Draft without a file")


def list_titles(names: Iterable[str]) -> str:
    """Lists in words: "IO500 Research, 10-node"."""
    return ", ".join(map(title_of, names))


def run_row(index: int, run: dict[str, Any], is_primary: bool) -> dict[str, Any]:
    """One run of the archive: the lines it was read from, its recomputed score, and whether its hashes reproduce."""
    score = run.get("scores", {}).get("SCORE", {})
    hashes = [pair for pair in run.get("hashes", {}).values() if pair.get("printed")]
    same = sum(pair["printed"] == pair.get("computed") for pair in hashes)
    return {
        "index": index,
        "tool": run["tool"],
        "tool_name": catalogue.tool_name(run["tool"]),
        "path": run.get("path") or ".",
        "lines": format_lines(run.get("lines")),
        "scored": run["tool"] in catalogue.scored_tools(),
        "version": run.get("version", ""),
        "score": numbers.format_decimal(score.get("value")) or numbers.MISSING,
        "bandwidth": numbers.format_decimal(score.get("bandwidth_gib_per_s")) or numbers.MISSING,
        "rate": numbers.format_decimal(score.get("rate_kiops")) or numbers.MISSING,
        "hashes": f"{same} of {len(hashes)} reproduced" if hashes else "none printed",
        "primary": is_primary,
    }
