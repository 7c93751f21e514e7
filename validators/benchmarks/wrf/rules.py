"""What a run of WRF should hold; all of it is data."""

from __future__ import annotations

from pathlib import Path

from validators.findings import Finding
from validators.measurements import Run
from validators.rules import Context, load_rules

RULES = load_rules(Path(__file__).with_name("rules.json"), {})


def findings(run: Run, context: Context) -> list[Finding]:
    """Nothing: what is wrong with a run stands in its log."""
    return []
