"""What a check has to say: a code that never changes, a level, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

ERROR = "error"
WARNING = "warning"
INFO = "info"
LEVELS = (ERROR, WARNING, INFO)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a reader of a run should know.

    `code` is stable and documented in docs/findings.md; `message` says what is wrong, `hint` what to do next;
    `where` is `path:line` inside the bundle. `expected` and `actual` are short texts with their unit. `sha256` is that
    of the stored file that the bytes were read from, where who opened the bundle named it: paths inside an archive are
    its sender's words, and say nothing of what is stored.
    """

    code: str
    level: str
    message: str
    hint: str = ""
    where: str = ""
    expected: str = ""
    actual: str = ""
    sha256: str = ""

    def as_json(self) -> dict[str, str]:
        """Every field; `sha256` only where it is known."""
        document = asdict(self)
        if not self.sha256:
            del document["sha256"]
        return document


def has_error(findings: Iterable[Finding]) -> bool:
    return any(finding.level == ERROR for finding in findings)


def worst_first(findings: list[Finding]) -> list[Finding]:
    """Errors before warnings before infos; otherwise the order in which they were found."""
    return sorted(findings, key=lambda finding: LEVELS.index(finding.level))


def findings_of_report(report: Mapping[str, Any]) -> list[Any]:
    """All findings of a report in JSON: those on the archive, then those on each run."""
    return [*report["findings"], *(finding for run in report["runs"] for finding in run["findings"])]
