"""The level of reproducibility that the facts and answers propose: points per item, each with its evidence.

It is a proposal: reviewers award the level, and see here what it rests on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from validators.questionnaires import Question, Questionnaire, each_question
from validators.questionnaires.answers import Answer, lacking
from validators.questionnaires.evidence import SUBMITTER, Evidence, all_evidence

UNDEFINED = "undefined"
_SHOWN_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that earns points: how many of how many, why, and the evidence."""

    id: str
    title: str
    points: int
    of: int
    why: str
    evidence: tuple[Evidence, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": self.title,
            "points": self.points,
            "of": self.of,
            "why": self.why,
            "evidence": [fact.as_json() for fact in self.evidence],
        }


@dataclass(frozen=True, slots=True)
class Proposal:
    """The proposed level, its points, and what the next level lacks in words ("" at the highest)."""

    level: str
    points: int
    of: int
    items: tuple[Criterion, ...]
    next_level: str

    def as_json(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "points": self.points,
            "of": self.of,
            "next_level": self.next_level,
            "items": [item.as_json() for item in self.items],
        }


def propose(
    questionnaire: Questionnaire,
    answers: Mapping[str, Answer],
    contradicted: set[str],
    document: Mapping[str, Any] | None,
    run: Mapping[str, Any] | None,
    only_facts: bool = False,
) -> Proposal:
    """Points for the `answers` (answers.combined) and what is described; a `contradicted` answer earns none.

    With `only_facts`, what people wrote into the description earns none either.
    """
    rows = questionnaire["proposal"]["items"]
    questions = {question["id"]: question for question in each_question(questionnaire)}
    items = tuple(
        _of_answer(row, questions[row["question"]], answers, contradicted)
        if "question" in row
        else _of_facts(row, document, run, only_facts)
        for row in rows
    )
    return _levelled(questionnaire["proposal"]["levels"], items)


def _of_facts(
    row: Mapping[str, Any], document: Mapping[str, Any] | None, run: Mapping[str, Any] | None, only_facts: bool
) -> Criterion:
    facts = all_evidence(row["facts"], document, run)
    evidence = tuple(fact for fact in facts if fact.source != SUBMITTER or not only_facts)
    earned = len(evidence) >= row["enough"]
    lack = "" if earned else f"; at least {row['enough']} are needed"
    why = f"{len(evidence)} of {len(row['facts'])} facts are given{lack}."
    return Criterion(row["id"], row["title"], row["points"] if earned else 0, row["points"], why, evidence)


def _of_answer(
    row: Mapping[str, Any], question: Question, answers: Mapping[str, Answer], contradicted: set[str]
) -> Criterion:
    answer = answers.get(question["id"]) or Answer(None, "")
    why = lacking(question, answer.value)
    if not why and "one_of" in row and answer.value not in row["one_of"]:
        why = "The answer earns no points."
    if not why and contradicted & {question["id"], *(part["id"] for part in question.get("parts", ()))}:
        why = "The facts contradict the answer."
    evidence = [] if answer.value is None else [_answer_evidence(question, answer)]
    points = 0 if why else row["points"]
    return Criterion(row["id"], row["title"], points, row["points"], why or "It is answered.", tuple(evidence))


def _answer_evidence(question: Question, answer: Answer) -> Evidence:
    value = answer.value
    if question["kind"] == "choice":
        value = question["choices"][value]
    text = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
    short = text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 1]}…"
    return Evidence("Answer", short, f"answers.{question['id']}", answer.source, (value,))


def _levelled(levels: list[Mapping[str, Any]], items: tuple[Criterion, ...]) -> Proposal:
    """The highest level whose points and items are there."""
    points, earned = sum(item.points for item in items), {item.id for item in items if item.points}
    reached = [points >= level["at_least"] and set(level["needs"]) <= earned for level in levels]
    highest = max((place for place, holds in enumerate(reached) if holds), default=-1)
    level = levels[highest]["level"] if highest >= 0 else UNDEFINED
    above = levels[highest + 1 : highest + 2]
    lacks = _lacks(above[0], points, items) if above else ""
    return Proposal(level, points, sum(item.of for item in items), items, lacks)


def _lacks(level: Mapping[str, Any], points: int, items: tuple[Criterion, ...]) -> str:
    """ "The next level, proprietary, needs: 90 points; Servers are described."."""
    absent = [item.title for item in items if item.id in level["needs"] and not item.points]
    words = [f"{level['at_least']} points"] if points < level["at_least"] else []
    return f"The next level, {level['level']}, needs: {'; '.join([*words, *absent])}."
