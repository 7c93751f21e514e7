"""What the rules say about the samples beside the parsers, one digest each, with the version of the rules.

`python -m tools.rule_reports` writes tests/validators/rule_reports.json. A test compares it with the rules of the
checkout: whoever changes what a report says raises `validators.VERSION` once in each release, and runs this.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from validators import VERSION, catalogue
from validators.checks import check
from validators.findings import Finding
from validators.runs.report import Report

STORED = Path(__file__).parents[1] / "tests/validators/rule_reports.json"


def read_reports() -> dict[str, Any]:
    """The version, and of each sample by benchmark and name the digest of what its report says."""
    digests = {}
    for benchmark in catalogue.benchmarks():
        for folder in sorted((catalogue.FOLDER / benchmark.slug / "samples").iterdir()):
            sample = folder / json.loads((folder / "expected.json").read_text())["path"]
            digests[f"{benchmark.slug}/{folder.name}"] = digest_of(check(sample))
    return {"version": VERSION, "reports": digests}


def digest_of(report: Report) -> str:
    """The first digits of the SHA-256 over codes, outcomes, scores and numbers; wording is not part of it."""
    runs = [
        {
            "tool": run.tool,
            "findings": _codes(run.findings),
            "rules": sorted((rule.code, rule.outcome) for rule in run.rules),
            "scores": run.scores,
            "measurements": [[row.op, row.quantity, row.stat, row.value, row.unit] for row in run.measurements],
        }
        for run in report.runs
    ]
    document = {"status": report.status, "findings": _codes(report.findings), "runs": runs}
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:16]


def _codes(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return sorted((finding.code, finding.level, finding.where) for finding in findings)


if __name__ == "__main__":
    STORED.write_text(json.dumps(read_reports(), indent=1) + "\n")
