"""Answers to a questionnaire: which the facts give, which people gave, which are missing, which can't be taken.

Answers are plain JSON by the id of the question: a text, the name of a choice, true or false (or "yes" and "no"), a
number, or {"value", "unit"} where the question has units. Ids that a questionnaire doesn't know are left alone.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from validators.questionnaires import Question, Questionnaire, each_question
from validators.questionnaires.evidence import COLLECTED, SOURCES, SUBMITTER, Evidence, all_evidence, evidence_for
from validators.system import formatting

TEXT_CHARACTERS = 20_000
LARGEST_NUMBER = 1e24
_MARKUP = re.compile(r"<[^>]{0,2000}>")
_TRUTH = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known to one question: the answer (None if there is none), who gave it, and the facts that are told."""

    value: Any
    source: str
    evidence: tuple[Evidence, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {"value": self.value, "source": self.source, "evidence": [fact.as_json() for fact in self.evidence]}


@dataclass(frozen=True, slots=True)
class Missing:
    """A question without a sufficient answer, why it is none, and the lists that ask for one."""

    question: str
    why: str
    lists: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return {"question": self.question, "why": self.why, "lists": list(self.lists)}


def prefill(
    questionnaire: Questionnaire, document: Mapping[str, Any] | None, run: Mapping[str, Any] | None
) -> dict[str, Answer]:
    """What the facts say to each question: `document` is of system.1, `run` one of a report; both may be None.

    A text is answered from as many facts on as its question calls enough; fewer are given as evidence, with value None.
    Questions on which nothing is told are left out.
    """
    answers = {}
    for question in each_question(questionnaire):
        answer = (_written if question["kind"] == "text" else _chosen)(question, document, run)
        if answer.evidence:
            answers[question["id"]] = answer
    return answers


def combined(
    questionnaire: Questionnaire, prefilled: Mapping[str, Answer], answers: Mapping[str, Any]
) -> dict[str, Answer]:
    """For every question what people answered, else what the facts do; with the evidence either way."""
    answers_by_question = {}
    for question in each_question(questionnaire):
        prefilled_answer, submitted = (
            prefilled.get(question["id"]),
            normalised_answer(question, answers.get(question["id"])),
        )
        if submitted is not None:
            answers_by_question[question["id"]] = Answer(
                submitted, SUBMITTER, prefilled_answer.evidence if prefilled_answer else ()
            )
        elif prefilled_answer is not None:
            answers_by_question[question["id"]] = prefilled_answer
    return answers_by_question


def missing(questionnaire: Questionnaire, answers: Mapping[str, Any], lists: Iterable[str]) -> list[Missing]:
    """What these lists ask for and `answers` (values by question) don't have, in the order of the questions."""
    lists = tuple(lists)
    rows = []
    for question in each_question(questionnaire):
        asking = tuple(name for name in lists if _is_required(question, name, answers.get("reproducibility")))
        why = asking and lacking(question, answers.get(question["id"]))
        if why:
            rows.append(Missing(question["id"], why, asking))
    return rows


def lacking(question: Question, answer: Any) -> str:
    """Why an answer does not do; "" for one that does."""
    value = normalised_answer(question, answer)
    if value is None:
        return "There is no answer."
    least = question.get("least_words", 1) if question["kind"] == "text" else 0
    count = count_words(value) if least else 0
    return f"It has {count} of at least {least} words." if count < least else ""


def problems(questionnaire: Questionnaire, answers: Mapping[str, Any]) -> dict[str, str]:
    """Why an answer is of another kind than its question asks for, by question; what is not answered is none."""
    wrong = {}
    for question in each_question(questionnaire):
        answer = answers.get(question["id"])
        if answer not in (None, "") and (why := _unfit(question, answer)):
            wrong[question["id"]] = why
    return wrong


def normalised_answer(question: Question, answer: Any) -> Any:
    """An answer of the kind that is asked for, yes and no as true and false; None for none and for any other kind."""
    if answer is None or _unfit(question, answer) or (isinstance(answer, str) and not answer.strip()):
        return None
    return _TRUTH[answer.lower()] if question["kind"] == "yes_no" and isinstance(answer, str) else answer


def count_words(text: str) -> int:
    """Words of a text itself, without markup; what holds neither letter nor digit is no word."""
    plain = html.unescape(_MARKUP.sub(" ", text))
    return sum(any(character.isalnum() for character in word) for word in plain.split())


def magnitude(question: Question, answer: Any) -> float:
    """A number in the smallest unit of its question."""
    return float(answer["value"] * question["units"][answer["unit"]]) if isinstance(answer, dict) else float(answer)


def _is_required(question: Question, name: str, level: Any) -> bool:
    requirement = question["required"]
    if isinstance(requirement, str):
        return requirement == "always"
    return name in requirement.get("lists", ()) or level in requirement.get("levels", ())


def _unfit(question: Question, answer: Any) -> str:
    """Why an answer is of the wrong kind, "" for a fitting one."""
    kind = question["kind"]
    if kind == "text":
        fits = isinstance(answer, str) and len(answer) <= TEXT_CHARACTERS
        return "" if fits else f"It must be a text of at most {TEXT_CHARACTERS} characters."
    if kind == "choice":
        fits = isinstance(answer, str) and answer in question["choices"]
        return "" if fits else f"It must be one of {', '.join(question['choices'])}."
    if kind == "yes_no":
        fits = isinstance(answer, bool) or (isinstance(answer, str) and answer.lower() in _TRUTH)
        return "" if fits else "It must be true or false."
    return _unfit_number(question, answer)


def _unfit_number(question: Question, answer: Any) -> str:
    if "units" not in question:
        return "" if _is_number(answer) else "It must be a number, not negative."
    fits = isinstance(answer, dict) and answer.keys() == {"value", "unit"} and _is_number(answer["value"])
    if fits and isinstance(answer["unit"], str) and answer["unit"] in question["units"]:
        return ""
    return f"It must be {{value, unit}}, a number and one of {', '.join(question['units'])}."


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return 0 <= value <= LARGEST_NUMBER and math.isfinite(value)


def _written(question: Question, document: Mapping[str, Any] | None, run: Mapping[str, Any] | None) -> Answer:
    """The facts as a text, one to a line; no text for too few of them."""
    evidence = tuple(all_evidence(question.get("facts", ()), document, run))
    text = "\n".join(f"{fact.label}: {fact.text}" for fact in evidence).replace(formatting.NO_BREAK, " ")[
        :TEXT_CHARACTERS
    ]
    enough = len(evidence) >= question.get("enough", math.inf) and not lacking(question, text)
    source = min((fact.source for fact in evidence), key=SOURCES.index, default=SUBMITTER)
    return Answer(text if enough else None, source, evidence)


def _chosen(question: Question, document: Mapping[str, Any] | None, run: Mapping[str, Any] | None) -> Answer:
    """The answer of the first fact that gives one to a closed question."""
    evidence: list[Evidence] = []
    chosen, source = None, COLLECTED
    for fact in question.get("facts", ()):
        if fact_evidence := evidence_for(fact, document, run):
            evidence.append(fact_evidence)
            value = normalised_answer(question, _as_answer(question, fact, fact_evidence.values[0]))
            if chosen is None and value is not None:
                chosen, source = value, fact_evidence.source
    return Answer(chosen, source, tuple(evidence))


def _as_answer(question: Question, fact: Mapping[str, Any], value: Any) -> Any:
    if "map" in fact:
        return fact["map"].get(str(value), fact["map"].get("*"))
    if "units" in question and _is_number(value):
        unit = max((name for name, size in question["units"].items() if size <= value), key=question["units"].get,
                   default=next(iter(question["units"])))  # fmt: skip
        return {"value": round(value / question["units"][unit], 2), "unit": unit}
    return value
