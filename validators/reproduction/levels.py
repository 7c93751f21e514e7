"""How far reproductions raise the level that reviewers awarded, as a chain of dated marks. levels.json has the rules.

The awarded level stays what it is. A mark is added when a result reproduces the run, when such a result no longer
counts, and when a rule begins.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from typing import Any

from validators.reproduction.counting import SiteMark, choose_sites

DEFINITION = Path(__file__).with_suffix(".json")
Rule = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Repetition:
    """A result that reproduced another: of which site, whether its numbers agree, from when until when it counts.

    `shares_with` are earlier results whose sites had, or may have had, a member in common with it; None: not asked.
    """

    result: str
    site: int
    agrees: bool
    judged_at: datetime
    gone_at: datetime | None = None
    gone_because: str = ""
    shares_with: Sequence[str] | None = ()


@dataclass(frozen=True, slots=True)
class LevelMark:
    """A change of the level by rule: when, from what to what, by which rule, and why.

    `results` are those that count from then on: first those whose numbers agree, then those whose numbers do not.
    """

    at: datetime
    before: str
    after: str
    rule: str
    reason: str
    results: tuple[str, ...]


@cache
def load_rules() -> tuple[Rule, ...]:
    """The rules, the oldest first."""
    return tuple(json.loads(DEFINITION.read_text(encoding="utf-8"))["rules"])


def mark_levels(
    awarded: str, repetitions: Iterable[Repetition], rules: Sequence[Rule] | None = None
) -> list[LevelMark]:
    """The changes of the level by rule, the oldest first; none where no reproduction moved it.

    `repetitions` are in the order of judging.
    """
    rows, rules = list(repetitions), load_rules() if rules is None else rules
    moments = {row.judged_at for row in rows} | {row.gone_at for row in rows if row.gone_at}
    moments |= {_begin_of(rule) for rule in rules}
    level, marks = awarded, list[LevelMark]()
    for moment in sorted(moments):
        rule = next((rule for rule in reversed(rules) if _begin_of(rule) <= moment), None)
        if rule is None:
            continue
        standing = [row for row in rows if row.judged_at <= moment and not (row.gone_at and row.gone_at <= moment)]
        after = _apply_rule(rule, awarded, standing)
        if after != level:
            reason = _write_reason(rows, standing, moment)
            marks.append(LevelMark(moment, level, after, rule["rule"], reason, _list_counted(standing)))
            level = after
    return marks


def _begin_of(rule: Rule) -> datetime:
    return datetime.fromisoformat(rule["since"]).replace(tzinfo=timezone.utc)


def _apply_rule(rule: Rule, awarded: str, standing: Sequence[Repetition]) -> str:
    agreeing, failed = (len(_choose_sites(standing, agrees)) for agrees in (True, False))
    steps = [step for step in rule["steps"] if step["from"] == awarded and step["sites"] <= agreeing]
    return str(steps[-1]["to"]) if steps and agreeing > failed else awarded


def _choose_sites(standing: Iterable[Repetition], agrees: bool) -> set[int]:
    """Sites that count of those whose numbers agree, or of those whose numbers do not."""
    rows = (row for row in standing if row.agrees == agrees)
    return choose_sites(SiteMark(row.result, row.site, row.shares_with) for row in rows)


def _list_results(standing: Sequence[Repetition], agrees: bool) -> list[str]:
    """The results of these sites."""
    sites = _choose_sites(standing, agrees)
    return sorted(row.result for row in standing if row.agrees == agrees and row.site in sites)


def _list_counted(standing: Sequence[Repetition]) -> tuple[str, ...]:
    return (*_list_results(standing, True), *_list_results(standing, False))


def _write_reason(rows: Iterable[Repetition], standing: Sequence[Repetition], moment: datetime) -> str:
    """`reproduced by 1 site: hw-2`, with what went at that moment and how many sites did not get the numbers."""
    parts = [f"{row.result} was {row.gone_because}" for row in rows if row.gone_at == moment][:5]
    parts.append(f"reproduced by {_write_sites(standing, True)}")
    if _choose_sites(standing, False):
        parts.append(f"not reproduced by {_write_sites(standing, False)}")
    return "; ".join(parts)


def _write_sites(standing: Sequence[Repetition], agrees: bool) -> str:
    """`2 sites: hw-2, hw-3`."""
    count = len(_choose_sites(standing, agrees))
    names = ", ".join(_list_results(standing, agrees)[:5])
    return f"{count} site{'' if count == 1 else 's'}{': ' + names if names else ''}"
