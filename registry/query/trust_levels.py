"""The levels of trust, said once: their order, what each means, and how full its sign is."""

from __future__ import annotations

from dataclasses import dataclass

from registry.models import Result


@dataclass(frozen=True, slots=True)
class TrustLevel:
    """One level. `filled` is how full its sign is, 0 to 1; `brief` fits a badge, `cited_as` a citation."""

    name: str
    filled: float
    meaning: str
    brief: str
    cited_as: str


LEVELS = (
    TrustLevel(
        Result.Trust.VERIFIED,
        1.0,
        "the raw files were uploaded here, checked by the rules and reviewed",
        "verified",
        "verified: checked by the rules and reviewed",
    ),
    TrustLevel(
        Result.Trust.DERIVED,
        0.75,
        "read by our readers from raw files that are published elsewhere; not reviewed here",
        "derived",
        "derived: read by our readers from published raw files, not reviewed here",
    ),
    TrustLevel(
        Result.Trust.IMPORTED,
        0.5,
        "copied from a published list or table; not checked here",
        "imported copy",
        "imported: a copy of what was published elsewhere, not checked here",
    ),
    TrustLevel(
        Result.Trust.REPORTED,
        0.0,
        "a number of a paper or slide without raw data, or a summary that was submitted alone",
        "reported, not checked",
        "reported: a number of the source named, not checked",
    ),
)
"""From the highest to the lowest."""
BY_NAME = {level.name: level for level in LEVELS}
