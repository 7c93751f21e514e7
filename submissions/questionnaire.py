"""The questionnaire of a submission: what its facts answer, what its people answered, what the lists still ask for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from registry.models import ListDefinition
from submissions.errors import AnswersInvalid, AnswersMissing
from submissions.models import Check, Submission
from validators.findings import Finding
from validators.questionnaires import REPRODUCIBILITY, Question, Questionnaire, each, load
from validators.questionnaires.answers import Answer, Missing, combined, missing, prefill, problems
from validators.questionnaires.contradictions import contradicted, contradictions
from validators.questionnaires.proposal import Proposal, propose

WITHOUT_LISTS = ("full",)
"""What is judged where no list was chosen yet: the list that asks the least."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A questionnaire as far as it is filled.

    `told` are the answers of the facts by question, `known` those that count; `lists` those that `missing` was judged
    for; `asking` those of them that take no run with a missing answer.
    """

    name: str
    questionnaire: Questionnaire
    told: Mapping[str, Answer]
    known: Mapping[str, Answer]
    lists: tuple[str, ...]
    asking: frozenset[str]
    missing: list[Missing]
    contradictions: list[Finding]
    proposal: Proposal


def filled(submission: Submission, report: Mapping[str, Any] | None = None) -> Filled:
    """The questionnaire of a submission, for the lists that it is meant for; `report` is that of its latest check."""
    lists = tuple(submission.lists) or WITHOUT_LISTS
    asking = asked_by(lists)
    name = next(iter(asking.values()), REPRODUCIBILITY)
    questionnaire, document, run = load(name), _document(submission), _run(submission, report)
    told = prefill(questionnaire, document, run)
    known = combined(questionnaire, told, submission.answers)
    against = contradictions(questionnaire, known, document, run)
    return Filled(
        name,
        questionnaire,
        told,
        known,
        lists,
        frozenset(asking),
        missing(questionnaire, values(known), lists),
        against,
        propose(questionnaire, known, contradicted(against), document, run),
    )


def values(known: Mapping[str, Answer]) -> dict[str, Any]:
    return {question: answer.value for question, answer in known.items()}


def asked_by(lists: Iterable[str]) -> dict[str, str]:
    """The questionnaires that lists ask for, by the list; a list whose definition names none asks for nothing."""
    definitions = ListDefinition.objects.filter(name__in=list(lists), body__applies_to__origin="here")
    newest = {one.name: one.body.get("questionnaire") for one in definitions.order_by("version")}
    return {name: asked for name, asked in newest.items() if asked}


def require_complete(submission: Submission, lists: Iterable[str], primary: int | None) -> None:
    """Raises AnswersMissing with what each list asks for and neither facts nor people answered."""
    wanted = asked_by(lists)
    errors: dict[str, list[str]] = {}
    for name in sorted(set(wanted.values())):
        questionnaire = load(name)
        told = prefill(questionnaire, _document(submission), _run(submission, primary=primary))
        known = combined(questionnaire, told, submission.answers)
        for row in missing(questionnaire, values(known), [one for one in wanted if wanted[one] == name]):
            errors.setdefault(row.question, []).append(f"{row.why} Asked for by {', '.join(row.lists)}.")
    if errors:
        raise AnswersMissing(f"Missing: {', '.join(errors)}.", errors=errors)


def read(sent: Any) -> dict[str, Any]:
    """The answers in what was sent: an object of them, the file that was downloaded, or that of the collector.

    Raises AnswersInvalid.
    """
    answers, name = sent, REPRODUCIBILITY
    if isinstance(sent, dict) and "questionnaire" in sent:
        answers, name = sent.get("answers"), sent["questionnaire"]
    elif isinstance(sent, dict) and isinstance(sent.get("questions"), list):
        answers = _of_the_collector(sent["questions"])
    if not isinstance(answers, dict):
        raise AnswersInvalid
    try:
        questionnaire = load(name)
    except (KeyError, TypeError):
        raise AnswersInvalid(f"There is no questionnaire {str(name)[:60]!r}.", hint="GET questionnaires/.") from None
    if wrong := problems(questionnaire, answers):
        errors = {question: [why] for question, why in wrong.items()}
        hint = "Correct the answers under `errors`; GET questionnaires/ says what is asked."
        raise AnswersInvalid(f"Not of the kind that is asked for: {', '.join(wrong)}.", hint=hint, errors=errors)
    return answers


def _of_the_collector(rows: list[Any]) -> dict[str, Any]:
    """The answers in a file of `highwater.pyz questionnaire`; those about the document are in the bundle."""
    asked = {question["id"] for question in each(load())}
    given = [row for row in rows if isinstance(row, dict) and isinstance(row.get("question"), str)]
    return {
        row["question"]: row["answer"] for row in given if row["question"] in asked and row.get("answer") is not None
    }


def parsed(content: bytes) -> Any:
    """The JSON of a file of answers. Raises AnswersInvalid."""
    try:
        return json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise AnswersInvalid("The file is not JSON.", hint="Send the file that was downloaded, edited.") from error


def from_form(filled: Filled, kept: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    """Answers from the fields of the form, without those that say what the facts say; other ids of `kept` stay."""
    questions = {question["id"]: question for question in each(filled.questionnaire)}
    answers = {name: answer for name, answer in kept.items() if name not in questions}
    for name, question in questions.items():
        given = _from_fields(question, fields)
        told = filled.told.get(name)
        if given not in (None, "") and (told is None or given != told.value):
            answers[name] = given
    return answers


def _from_fields(question: Question, fields: Mapping[str, str]) -> Any:
    """The answer in the fields of one question. What is no number stays a text, which is refused by its kind."""
    text = fields.get(question["id"], "").replace("\r\n", "\n").strip()
    if question["kind"] == "yes_no":
        return {"yes": True, "no": False}.get(text, text)
    if question["kind"] != "number" or not text:
        return text
    value = _number(text)
    return {"value": value, "unit": fields.get(f"{question['id']}.unit", "")} if "units" in question else value


def _number(text: str) -> Any:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def _document(submission: Submission) -> dict[str, Any] | None:
    snapshot = getattr(submission, "system_snapshot", None)
    return snapshot.document if snapshot else None


def _run(
    submission: Submission, report: Mapping[str, Any] | None = None, primary: int | None = None
) -> dict[str, Any] | None:
    """The run that counts in the latest check, or None."""
    if report is None:
        reports = Check.objects.filter(submission=submission).order_by("-made_at", "-id")
        report = reports.values_list("report", flat=True).first()
    if not report:
        return None
    chosen = primary if primary is not None else submission.chosen_primary
    index = chosen if chosen is not None else report["primary"]
    return report["runs"][index] if index is not None and index < len(report["runs"]) else None
