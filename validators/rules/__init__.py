"""Rules: one statement of what a valid run is, with its source, and what it says of a run.

The rules of a benchmark are data, `rules.json` in its folder (schema rules.1). A rule that compares one parameter says
so there and needs no code; what takes more is decided by a function of the benchmark's rules.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validators.ceilings.ceiling_fraction import Crossing
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, RuleOutcome, Run

if TYPE_CHECKING:
    from validators.bundle import Bundle
    from validators.system.document import System


@dataclass(frozen=True, slots=True)
class Context:
    """What is known beside the run itself; empty where nothing was said.

    `metadata` as sent with the upload (schemas/metadata.1.json). `release` are facts of the release aimed at: slug,
    benchmark_versions, deadline (RFC 3339). `list_name` is the list aimed at, or None. `answers` are those of the
    questionnaire, by question; `submitted_at` is RFC 3339, None for what was not submitted yet. `system` is the
    description of the system that lies in the bundle, None where there is none; `crossings` are the layers of it that
    each tool's data crosses. `institution` is the name of the institution that a submission belongs to.
    """

    bundle: Bundle
    metadata: Mapping[str, Any] = field(default_factory=dict)
    release: Mapping[str, Any] = field(default_factory=dict)
    list_name: str | None = None
    answers: Mapping[str, Any] = field(default_factory=dict)
    submitted_at: str | None = None
    system: System | None = None
    crossings: Mapping[str, Crossing] = field(default_factory=dict)
    institution: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: a stable code, the level of breaking it, its text in our words, and where it comes from.

    `evaluate` must answer not_evaluated where an input is missing, never satisfied. `applies` says whether the rule is
    one for a run at all, of its version and kind: a report names no other rules.
    """

    code: str
    level: str
    text: str
    source: str
    evaluate: Callable[[Run, Context], RuleOutcome]
    applies: Callable[[Run], bool] = lambda run: True

    def as_json(self) -> dict[str, str]:
        return {"code": self.code, "level": self.level, "text": self.text, "source": self.source}


_ONLY_FOR = "Only for "


def only_for(lists: Sequence[str]) -> str:
    """Why a rule of these lists was not evaluated for a run that is meant for another one."""
    return f"{_ONLY_FOR}{', '.join(lists)}."


def lists_of_reason(why: str) -> list[str]:
    """The lists that `only_for` named; none of any other reason."""
    return why.removeprefix(_ONLY_FOR).removesuffix(".").split(", ") if why.startswith(_ONLY_FOR) else []


Verdict = tuple[str, str]
"""An outcome and the sentence with its evidence."""
RuleJudge = Callable[[Run, Context], Verdict]

_COMPARISONS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "is": ("", lambda value, expected: bool(value == expected)),
    "at_least": ("at least ", lambda value, least: bool(value >= least)),
    "at_most": ("at most ", lambda value, most: bool(value <= most)),
    "one_of": ("one of ", lambda value, choices: value in choices),
}


def load_rules(path: Path, judges: Mapping[str, RuleJudge]) -> list[Rule]:
    """The rules of a file; `judges` decide, by code, those without a `test` of their own. KeyError: nobody does."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [_rule(row, partial(_compare, row["test"]) if "test" in row else judges[row["code"]]) for row in rows]


def _rule(row: Mapping[str, Any], judge: RuleJudge) -> Rule:
    code = row["code"]
    return Rule(
        code, row["level"], row["text"], row["source"], lambda run, context: RuleOutcome(code, *judge(run, context))
    )


def _compare(test: Mapping[str, Any], run: Run, context: Context) -> Verdict:
    """One parameter of the run against the value of the rule, for the lists that it names."""
    lists, parameter = test.get("on_lists"), test["parameter"]
    if lists is not None and context.list_name not in lists:
        return NOT_EVALUATED, only_for(lists)
    value = run.parameters.get(parameter)
    if value is None:
        return NOT_EVALUATED, f"{parameter} is not known."
    (((words, holds), expected),) = [(_COMPARISONS[name], test[name]) for name in _COMPARISONS if name in test]
    requirement = f"{words}{', '.join(map(str, expected)) if isinstance(expected, list) else expected}"
    try:
        satisfied = holds(value, expected)
    except TypeError:
        return NOT_EVALUATED, f"{parameter} is {value!r}, which can't be compared with {requirement}."
    return (
        (SATISFIED, f"{parameter} is {value}.")
        if satisfied
        else (VIOLATED, f"{parameter} is {value}, not {requirement}.")
    )
