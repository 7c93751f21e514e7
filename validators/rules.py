"""Rules: one statement of what a valid run is, with its source, and what it says of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from validators.measurements import RuleOutcome, Run

if TYPE_CHECKING:
    from validators.bundle import Bundle


@dataclass(frozen=True, slots=True)
class Context:
    """What is known beside the run itself; empty where nothing was said.

    `metadata` as sent with the upload (schemas/metadata.1.json). `release` are facts of the release aimed at: slug,
    benchmark_versions, deadline (RFC 3339). `list_name` is the list aimed at, or None. `answers` are those of the
    questionnaire, by question; `submitted_at` is RFC 3339, None for what was not submitted yet.
    """

    bundle: Bundle
    metadata: Mapping[str, Any] = field(default_factory=dict)
    release: Mapping[str, Any] = field(default_factory=dict)
    list_name: str | None = None
    answers: Mapping[str, Any] = field(default_factory=dict)
    submitted_at: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: a stable code, the level of breaking it, its text in our words, and where it comes from.

    `evaluate` must answer not_evaluated where an input is missing, never satisfied.
    """

    code: str
    level: str
    text: str
    source: str
    evaluate: Callable[[Run, Context], RuleOutcome]

    def as_json(self) -> dict[str, str]:
        return {"code": self.code, "level": self.level, "text": self.text, "source": self.source}
