"""The levels of trust, said once: their order, what each means, how full its sign is, and what is said beside it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Case, F, TextField, Value, When
from django.db.models.functions import Cast, Concat

from registry.models import Result

ONE_VIOLATED, SEVERAL_VIOLATED = "1 rule violated", " rules violated"


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


def count_caveat(trust: str, rules_violated: int | None) -> str:
    """What is said beside the level of a result: "1 rule violated". Empty where no rule is, and of other levels."""
    if trust != Result.Trust.VERIFIED or not rules_violated:
        return ""
    return ONE_VIOLATED if rules_violated == 1 else f"{rules_violated}{SEVERAL_VIOLATED}"


def list_caveat(violating: int) -> str:
    """What is said beside the level of several results: "2 with violated rules". Empty where there are none."""
    return f"{violating} with violated rules" if violating else ""


def join_caveat(level: str, caveat: str) -> str:
    """A level, or what is said instead of its name, and what is said beside it."""
    return f"{level}, {caveat}" if caveat else level


def label_of(result: Result) -> str:
    """The level of a result as it is shown: "verified, 1 rule violated"."""
    if result.trust != Result.Trust.VERIFIED:
        return result.trust
    return join_caveat(result.trust, count_caveat(result.trust, result.rules_violated))


def label_expression(trust: str = "trust", rules_violated: str = "rules_violated") -> Case:
    """What `label_of` says, for the rows of a query; names are those of columns."""
    is_verified = {trust: Result.Trust.VERIFIED}
    level = f"{Result.Trust.VERIFIED}, "
    several = Concat(_text_value(level), Cast(rules_violated, TextField()), _text_value(SEVERAL_VIOLATED))
    return Case(
        When(**is_verified, **{rules_violated: 1}, then=_text_value(f"{level}{ONE_VIOLATED}")),
        When(**is_verified, **{f"{rules_violated}__gt": 1}, then=several),
        default=F(trust),
        output_field=TextField(),
    )


def _text_value(text: str) -> Value:
    return Value(text, output_field=TextField())


def cite_level(trust: str, caveat: str) -> str:
    """The level as a citation says it, with what is said beside it."""
    level = BY_NAME[trust]
    return level.cited_as.replace(level.name, join_caveat(level.name, caveat), 1)
