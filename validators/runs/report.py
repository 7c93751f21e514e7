"""The report of a check: its runs, its findings and its status."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from validators.findings import Finding, has_error

if TYPE_CHECKING:
    from validators.system.document import System
from validators.measurements import Run

VALID = "valid"
INVALID = "invalid"
UNREADABLE = "unreadable"


@dataclass(slots=True)
class Report:
    """All that a check of one bundle found.

    `primary` is the index of the run that counts, or None; `groups` are repeats and sweeps of several runs; `system` is
    the description of the system in the bundle, `not_read` what no benchmark claimed; `read_files` are the paths of
    what was read, and stand in no document.
    """

    runs: list[Run] = field(default_factory=list)
    primary: int | None = None
    findings: list[Finding] = field(default_factory=list)
    groups: list[dict[str, Any]] = field(default_factory=list)
    system: System | None = None
    read_files: set[str] = field(default_factory=set)
    not_read: list[dict[str, Any]] = field(default_factory=list)

    @property
    def status(self) -> str:
        """`unreadable` without any run; `invalid` with an error finding on the archive or the run that counts.

        Where it is not clear which one counts, it is `valid` as long as one could be chosen.
        """
        if not self.runs:
            return UNREADABLE
        candidates = self.runs if self.primary is None else [self.runs[self.primary]]
        sound = not has_error(self.findings) and not all(has_error(run.findings) for run in candidates)
        return VALID if sound else INVALID

    def as_json(self) -> dict[str, Any]:
        """`groups` and `system` stand beside `runs` where several runs belong together, or a system is described."""
        report = {
            "status": self.status,
            "primary": self.primary,
            "findings": [finding.as_json() for finding in self.findings],
            "runs": [run.as_json() for run in self.runs],
        }
        report |= {"groups": self.groups} if self.groups else {}
        report |= {"not_read": self.not_read} if self.not_read else {}
        return report | ({"system": self.system.as_json()} if self.system else {})
