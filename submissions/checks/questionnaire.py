"""The questionnaire of a submission: what its facts answer, what its people answered, what the lists still ask for."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from registry.lists.listing import newest_definitions
from registry.query import public_record
from submissions.errors import AnswersInvalid
from submissions.models import Check, Submission
from validators.findings import Finding
from validators.questionnaires import REPRODUCIBILITY, Question, Questionnaire, each_question, load
from validators.questionnaires.answers import Answer, Missing, combined, missing, prefill, problems
from validators.questionnaires.contradictions import contradicted, contradictions
from validators.questionnaires.evidence import SUBMITTER
from validators.questionnaires.proposal import Proposal, propose
from validators.recipes.answers import RecipeAnswer, recipe_answers, recipe_contradictions, with_recipe
from validators.recipes.of_run import write_run_recipe

WITHOUT_LISTS = ("full",)
"""What is judged where no list was chosen yet: the list that asks the least."""
PRIVATE = ("feedback",)
"""Questions whose answers only the committee reads, also after publication."""


@dataclass(frozen=True, slots=True)
class FilledQuestionnaire:
    """A questionnaire as far as it is filled.

    `prefilled` are the answers of the facts by question, `answers` those that count; `lists` those that `missing` was
    judged for; `required_by` those of them that rank no run with a missing answer. `from_recipe` is what the recipe of
    the run says by question, `contradicted_by_recipe` what people answered otherwise. `supported` is the level that
    facts alone propose, without what people wrote.
    """

    name: str
    questionnaire: Questionnaire
    prefilled: Mapping[str, Answer]
    answers: Mapping[str, Answer]
    lists: tuple[str, ...]
    required_by: frozenset[str]
    missing: list[Missing]
    contradictions: list[Finding]
    proposal: Proposal
    from_recipe: Mapping[str, RecipeAnswer]
    contradicted_by_recipe: frozenset[str]
    supported: Proposal

    def answered_by_recipe(self) -> list[str]:
        """The questions that the recipe answers, in their order."""
        return _answered_questions(self.questionnaire, self.from_recipe)


def fill_for_submission(submission: Submission, report: Mapping[str, Any] | None = None) -> FilledQuestionnaire:
    """The questionnaire of a submission, for the lists that it is meant for; `report` is that of its latest check."""
    questionnaires = required_by_list(newest_definitions(submission.lists or WITHOUT_LISTS))
    return fill_questionnaires(
        submission, questionnaires, system_document_of(submission), primary_run(submission, report)
    )


def fill_questionnaires(
    submission: Submission,
    questionnaires: Mapping[str, str],
    document: Mapping[str, Any] | None,
    run: Mapping[str, Any] | None,
) -> FilledQuestionnaire:
    """The same from what is known already; `questionnaires` are names by list, of these lists or more."""
    lists = tuple(submission.lists) or WITHOUT_LISTS
    asking = {name: questionnaires[name] for name in lists if name in questionnaires}
    name = next(iter(asking.values()), REPRODUCIBILITY)
    questionnaire = load(name)
    recipe, from_recipe = _read_recipe(questionnaire, document, run)
    prefilled = with_recipe(prefill(questionnaire, document, run), from_recipe)
    answers = combined(questionnaire, prefilled, submission.answers)
    against = contradictions(questionnaire, answers, document, run)
    against_recipe = recipe_contradictions(questionnaire, answers, from_recipe, recipe)
    places = {finding.where for finding in against}
    against += [finding for finding in against_recipe if finding.where not in places]
    facts = {name: answer for name, answer in prefilled.items() if answer.source != SUBMITTER}
    return FilledQuestionnaire(
        name,
        questionnaire,
        prefilled,
        answers,
        lists,
        frozenset(asking),
        missing(questionnaire, answer_values(answers), lists),
        against,
        propose(questionnaire, answers, contradicted(against), document, run),
        from_recipe,
        frozenset(contradicted(against_recipe)),
        propose(questionnaire, facts, set(), document, run, only_facts=True),
    )


def _read_recipe(
    questionnaire: Questionnaire, document: Mapping[str, Any] | None, run: Mapping[str, Any] | None
) -> tuple[dict[str, Any] | None, dict[str, RecipeAnswer]]:
    """The recipe of a run and what it says to the questions; (None, {}) without a run of a known tool."""
    if run is None or not run.get("tool"):
        return None, {}
    recipe = write_run_recipe(run, document)
    return recipe, recipe_answers(questionnaire, recipe, run)


def _answered_questions(questionnaire: Questionnaire, from_recipe: Mapping[str, RecipeAnswer]) -> list[str]:
    ids = (question["id"] for question in each_question(questionnaire))
    return [name for name in ids if name in from_recipe and from_recipe[name].value is not None]


def answered_by_recipe(submission: Submission, report: Mapping[str, Any] | None) -> list[str]:
    """The questions that the recipe of the run answers; `report` is that of the latest check, or None."""
    if not report:
        return []
    document, run = system_document_of(submission), primary_run(submission, report)
    return _answered_questions(load(), _read_recipe(load(), document, run)[1])


def answer_values(answers: Mapping[str, Answer]) -> dict[str, Any]:
    return {question: answer.value for question, answer in answers.items()}


def required_by_list(bodies: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The questionnaires that lists ask for, by the list; a list whose definition names none asks for nothing."""
    return {name: body["questionnaire"] for name, body in bodies.items() if body.get("questionnaire")}


def completeness(filled: FilledQuestionnaire) -> str | None:
    """complete or incomplete for all the lists that ask, None where none does: the fact `answers` of definitions."""
    asking = [row for row in filled.missing if filled.required_by.intersection(row.lists)]
    return ("incomplete" if asking else "complete") if filled.required_by else None


def count_missing(
    submission: Submission,
    questionnaires: Mapping[str, str],
    document: Mapping[str, Any] | None,
    run: Mapping[str, Any] | None,
) -> dict[str, int]:
    """How many questions of each of these lists have no answer; `questionnaires` are names by list."""
    counts: dict[str, int] = {}
    for name in dict.fromkeys(questionnaires.values()):
        body = load(name)
        prefilled = with_recipe(prefill(body, document, run), _read_recipe(body, document, run)[1])
        answers = answer_values(combined(body, prefilled, submission.answers))
        asking = [list_name for list_name, used in questionnaires.items() if used == name]
        rows = missing(body, answers, asking)
        counts |= {list_name: sum(list_name in row.lists for row in rows) for list_name in asking}
    return counts


def missing_by_list(submission: Submission, report: Mapping[str, Any] | None) -> dict[str, list[str]]:
    """The questions without an answer by list, of the lists that ask; where none asks, nothing else is read."""
    questionnaires = required_by_list(newest_definitions(submission.lists))
    if not questionnaires:
        return {}
    return _missing_by_list(
        fill_questionnaires(submission, questionnaires, system_document_of(submission), primary_run(submission, report))
    )


def _missing_by_list(filled: FilledQuestionnaire) -> dict[str, list[str]]:
    asking = [name for name in filled.lists if name in filled.required_by]
    return {name: [row.question for row in filled.missing if name in row.lists] for name in asking}


def public_answers(
    submission: Submission, asking: Mapping[str, str], document: Mapping[str, Any] | None, run: Mapping[str, Any]
) -> dict[str, Any]:
    """What everybody may read of the answers; {} for a submission that answered nothing and was asked for nothing.

    `document` is the published form of the description, so that no fact tells more than it does. Feedback on the
    questions is the committee's.
    """
    if not submission.answers and asking.keys().isdisjoint(submission.lists or WITHOUT_LISTS):
        return {}
    filled = fill_questionnaires(submission, asking, document, run)
    rows = [row for question in each_question(filled.questionnaire) if (row := _public_row(question, filled.answers))]
    return {
        "questionnaire": filled.name,
        "state": completeness(filled),
        "missing": _missing_by_list(filled),
        "rows": rows,
    }


def _public_row(question: Question, answers: Mapping[str, Answer]) -> dict[str, Any] | None:
    answer = answers.get(question["id"])
    if answer is None or answer.value is None or question["id"] in PRIVATE:
        return None
    return {
        "question": question["id"],
        "text": question["text"],
        "answer": format_answer(question, answer.value),
        "source": answer.source,
    }


def format_answer(question: Question, value: Any) -> str:
    """An answer as it is read: the words of a choice, yes or no, a number with its unit."""
    if isinstance(value, dict):
        return f"{value['value']} {value['unit']}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(question.get("choices", {}).get(value, value))


DOWNLOAD_FIELDS = (
    *("questionnaire", "answers", "questions", "lists", "contradictions", "proposal"),
    *("supported", "answered_by_recipe"),
)
COLLECTOR_FIELDS = ("about", "questions")


def read_answers(sent: Any, stored_ids: Collection[str] = ()) -> dict[str, Any]:
    """The answers in what was sent: an object of them, the file that was downloaded, or that of the collector.

    Ids in `stored_ids` are taken though the questionnaire does not know them: they were stored before it was asked.
    Raises AnswersInvalid for anything else.
    """
    answers, name = sent, REPRODUCIBILITY
    if isinstance(sent, dict) and "questionnaire" in sent:
        _require_fields(sent, DOWNLOAD_FIELDS)
        answers, name = sent.get("answers"), sent["questionnaire"]
    elif isinstance(sent, dict) and isinstance(sent.get("questions"), list):
        _require_fields(sent, COLLECTOR_FIELDS)
        answers = _collector_answers(sent["questions"])
    if not isinstance(answers, dict):
        raise AnswersInvalid
    try:
        questionnaire = load(name)
    except (KeyError, TypeError):
        raise AnswersInvalid(f"There is no questionnaire {str(name)[:60]!r}.", hint="GET questionnaires/.") from None
    _require_questions(answers, questionnaire, stored_ids)
    if wrong := problems(questionnaire, answers):
        errors = {question: [why] for question, why in wrong.items()}
        hint = "Correct the answers under `errors`; GET questionnaires/ says what is asked."
        raise AnswersInvalid(f"Not of the kind that is asked for: {', '.join(wrong)}.", hint=hint, errors=errors)
    return answers


def _require_fields(sent: dict[str, Any], field_names: tuple[str, ...]) -> None:
    """Raises AnswersInvalid for a field that no such file has: what it holds would be ignored."""
    if unknown := sorted(set(sent) - set(field_names)):
        errors = {name[:80]: [f"Known are {', '.join(field_names)}."] for name in unknown[:20]}
        raise AnswersInvalid(f"The file has a field that is not known: {unknown[0][:80]}.", errors=errors)


def _require_questions(answers: dict[str, Any], questionnaire: Questionnaire, stored_ids: Collection[str]) -> None:
    """Raises AnswersInvalid for an id that no question has: its answer would count nowhere, and nobody would say so."""
    question_ids = [question["id"] for question in each_question(questionnaire)]
    errors = {}
    for name in [name for name in answers if name not in question_ids and name not in stored_ids][:20]:
        near = public_record.nearest_names(name[:80], question_ids, 1)
        errors[name[:80]] = [f"Did you mean {near[0]}?" if near else "There is no such question."]
    if errors:
        name, (why,) = next(iter(errors.items()))
        raise AnswersInvalid(
            f"There is no question {name!r}.",
            hint=f"{why} GET questionnaires/ has them. Nothing was changed.",
            errors=errors,
        )


def _collector_answers(rows: list[Any]) -> dict[str, Any]:
    """The answers in a file of `highwater.pyz questionnaire`; those about the document are in the bundle."""
    question_ids = {question["id"] for question in each_question(load())}
    answered = [row for row in rows if isinstance(row, dict) and isinstance(row.get("question"), str)]
    return {
        row["question"]: row["answer"]
        for row in answered
        if row["question"] in question_ids and row.get("answer") is not None
    }


def parse_answers(content: bytes) -> Any:
    """The JSON of a file of answers. Raises AnswersInvalid for what is no JSON."""
    try:
        return json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise AnswersInvalid("The file is not JSON.", hint="Send the file that was downloaded, edited.") from error


def from_form(filled: FilledQuestionnaire, stored: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    """Answers from the fields of the form, without those that say what the facts say; other ids of `stored` stay."""
    questions = {question["id"]: question for question in each_question(filled.questionnaire)}
    answers = {name: answer for name, answer in stored.items() if name not in questions}
    for name, question in questions.items():
        value = _from_fields(question, fields)
        prefilled = filled.prefilled.get(name)
        if value not in (None, "") and (prefilled is None or value != prefilled.value):
            answers[name] = value
    return answers


def _from_fields(question: Question, fields: Mapping[str, str]) -> Any:
    """The answer in the fields of one question. What is no number stays a text, which is refused by its kind."""
    text = fields.get(question["id"], "").replace("\r\n", "\n").strip()
    if question["kind"] == "yes_no":
        return {"yes": True, "no": False}.get(text, text)
    if question["kind"] != "number" or not text:
        return text
    value = _refuse_number(text)
    return {"value": value, "unit": fields.get(f"{question['id']}.unit", "")} if "units" in question else value


def _refuse_number(text: str) -> Any:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def system_document_of(submission: Submission) -> dict[str, Any] | None:
    snapshot = getattr(submission, "system_snapshot", None)
    return snapshot.document if snapshot else None


def primary_run(submission: Submission, report: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The run that counts in the latest check, or None."""
    if report is None:
        reports = Check.objects.filter(submission=submission).order_by("-made_at", "-id")
        report = reports.values_list("report", flat=True).first()
    if not report:
        return None
    index = submission.chosen_primary if submission.chosen_primary is not None else report["primary"]
    return report["runs"][index] if index is not None and index < len(report["runs"]) else None
