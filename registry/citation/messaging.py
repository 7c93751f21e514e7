"""What a public statement about a result or list may say: ready places, and rules that docs/citing.md defines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from registry.models import Result
from registry.query.names.canonical_names import plain_text
from registry.query.responses import trust_levels

LEVEL = "Say the level of trust: {level} ({meaning})."
NAME_LIST = "Name the list and the release beside each rank."
ONE_LIST = "Compare ranks of one list only: ranks of two lists or of two releases say nothing about each other."
PUBLISHED = "Use published figures only."
ENDORSED = "Claim no endorsement: a place on a list is no recommendation by this registry, its operator or the IO500."
NO_RANK = "It stands on no list, so quote its figures without a rank."
REBUILT = "A place on a reconstructed list is no rank of the IO500: do not quote it as one."
DOCUMENT = "Name the document that reports it, and no rank."
ORIGINAL = "Name the original publisher as well: what stands here is a copy."
WITHDRAWN = "It was withdrawn: quote no rank of it."
REVISED = "It was revised: quote the newer result unless you mean this one."
FIRST_RANKS = "Only the first ranks of this list are known here: do not say how many entries it has."


def place_statement(place: Mapping[str, Any]) -> str:
    """The place on one frozen list, as it may be printed: "#5 on the Production list at SC25 (imported)".

    `place` has `rank`, `shared` (another entry has the same rank), `title`, `release_name`, `is_scored` (a list of
    IO500, whose releases are conferences) and `trust_label` of the entry.
    """
    shared = "shared " if place["shared"] else ""
    joined = "at" if place["is_scored"] else "of"
    rank, title = f"{shared}#{place['rank']}", f"the {place['title']} list"
    return plain_text(f"{rank} on {title} {joined} {place['release_name']} ({place['trust_label']})")


def result_rules(
    result: Result, places: Iterable[Mapping[str, Any]], *, is_revised: bool, trust: str | None = None
) -> list[str]:
    """What a statement about the result must say and must not; `trust` is the level that its citation states."""
    levels = [place["trust"] for place in places]
    on_lists, level = bool(levels), trust or result.trust
    is_reported = result.trust == Result.Trust.REPORTED
    return [
        _level_rule(level, trust_levels.count_caveat(level, result.rules_violated)),
        *([WITHDRAWN] if result.withdrawn_at else []),
        *([REVISED] if is_revised else []),
        *([DOCUMENT] if is_reported else [NAME_LIST, ONE_LIST] if on_lists and not result.withdrawn_at else []),
        *([NO_RANK] if not on_lists and not is_reported else []),
        *([ORIGINAL] if Result.Trust.IMPORTED in (level, result.trust, *levels) else []),
        *([REBUILT] if result.trust in (Result.Trust.DERIVED, Result.Trust.IMPORTED) else []),
        PUBLISHED,
        ENDORSED,
    ]


def list_rules(trust: str, *, is_complete: bool, caveat: str = "") -> list[str]:
    """What a statement about a frozen list must say and must not; `caveat` is said beside its level of trust."""
    return [
        _level_rule(trust, caveat),
        NAME_LIST,
        ONE_LIST,
        *([] if is_complete else [FIRST_RANKS]),
        *([ORIGINAL, REBUILT] if trust == Result.Trust.IMPORTED else []),
        PUBLISHED,
        ENDORSED,
    ]


def _level_rule(trust: str, caveat: str) -> str:
    level = trust_levels.BY_NAME[trust]
    return LEVEL.format(level=trust_levels.join_caveat(level.name, caveat), meaning=level.meaning)
