"""What an IO500 run says twice, pair by pair, for the kinds of evidence.json."""

from __future__ import annotations

from collections.abc import Iterator

from validators.benchmarks.io500.evidence import Evidence, is_dry_run
from validators.benchmarks.io500.evidence_kinds import clocks, command_lines, conservation, copies, counts, raw_texts
from validators.evidence import Comparison
from validators.measurements import Run

COMPARISONS = (
    *conservation.COMPARISONS, *counts.COMPARISONS, *clocks.COMPARISONS, *command_lines.COMPARISONS,
    *raw_texts.COMPARISONS, *copies.COMPARISONS,
)  # fmt: skip


def compare(run: Run) -> Iterator[Comparison]:
    """Every pair of values that stand independently in the files of a run; none of a dry run."""
    evidence = getattr(run, "evidence", None)
    if isinstance(evidence, Evidence) and not is_dry_run(evidence):
        for comparisons in COMPARISONS:
            yield from comparisons(evidence)
