"""The questionnaire of a submission as a page: what facts answered, from where, what is missing, what contradicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from registry.errors import Problem, problem_body
from registry.lists.definitions import title_of
from submissions.checks import questionnaire
from submissions.checks.questionnaire import FilledQuestionnaire
from submissions.editing import edit
from submissions.editing.forms import AnswersFileForm
from submissions.errors import AnswersChanged, AnswersInvalid, DeadlinePassed, StateConflict
from submissions.models import Submission
from submissions.permissions import is_own, visible_submission
from submissions.web.formatting import name_of
from submissions.web.page_base import private_page
from submissions.web.page_forms import form_page
from submissions.web.request_account import account_of
from validators.questionnaires import Question
from validators.questionnaires.answers import lacking
from validators.questionnaires.evidence import BENCHMARK, COLLECTED, SUBMITTER

DESCRIBED = Submission.objects.select_related("system_snapshot", "institution", "release", "account")
WORDS_OF_SOURCES = {COLLECTED: "from the collector", BENCHMARK: "from the benchmark", SUBMITTER: "from the submitter"}
JSON = "application/json"
FILE_LIMIT_BYTES = 1024 * 1024


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def answers_page(request: HttpRequest, id: UUID) -> HttpResponse:
    """The form; who may not answer, or not now, reads it."""
    account = account_of(request)
    submission = visible_submission(account, id, DESCRIBED)
    filled = questionnaire.fill_for_submission(submission)
    if request.method != "POST":
        return _answers_page(request, submission, filled)
    answers = questionnaire.from_form(filled, submission.answers, request.POST)
    by_script = request.headers.get("Accept") == JSON
    try:
        edit.save_answers(submission, account, answers, base=request.POST.get("base"))
    except (AnswersChanged, AnswersInvalid, DeadlinePassed, StateConflict) as problem:
        if by_script:
            return JsonResponse(_refusal_json(problem), status=problem.status)
        return _answers_page(request, submission, filled, problem, request.POST)
    if by_script:
        return JsonResponse({"base": edit.digest_answers(answers), "saved_at": timezone.now().isoformat()})
    return redirect("submission-answers", id=id)


def _refusal_json(problem: Problem) -> dict[str, Any]:
    """What a script says beside the form, which it leaves as it is."""
    return problem_body(problem.status, problem.code, problem.title, problem.detail, problem.hint, problem.errors)


@require_POST
@private_page
def upload_file(request: HttpRequest, id: UUID) -> HttpResponse:
    """Answers as a file: the one that was downloaded, or an object of questions and answers."""
    account = account_of(request)
    submission = visible_submission(account, id, DESCRIBED)
    form = AnswersFileForm(request.POST, request.FILES)
    if not form.carry_out(lambda file: edit.save_answers(submission, account, _read_answers(file))):
        return _answers_page(request, submission, questionnaire.fill_for_submission(submission), refused=form)
    return redirect("submission-answers", id=id)


def _read_answers(sent: UploadedFile[Any] | None) -> Any:
    """The answers of a file. Raises AnswersInvalid for one that is none, or too large."""
    if sent is None or sent.size is None or sent.size > FILE_LIMIT_BYTES:
        raise AnswersInvalid("Choose a file of at most 1 MiB.")
    return questionnaire.parse_answers(sent.read())


def _answers_page(
    request: HttpRequest,
    submission: Submission,
    filled: FilledQuestionnaire,
    problem: Problem | None = None,
    fields: Mapping[str, str] | None = None,
    refused: AnswersFileForm | None = None,
) -> HttpResponse:
    context = {
        "file_form": AnswersFileForm(),
        "section": "submissions",
        "submission": submission,
        "name": name_of(submission),
        "problem": problem,
        "may_answer": is_own(account_of(request), submission)
        and submission.state in edit.EDITABLE
        and edit.is_before_deadline(submission),
        "unkept": [
            (question["text"], words)
            for question in _all_questions(filled)
            if (words := (fields or {}).get(question["id"]))
        ],
        **questionnaire_context(filled, problem, fields),
        "base": edit.digest_answers(submission.answers),
        "stored": _stored_otherwise(filled, fields) if isinstance(problem, AnswersChanged) else [],
        "progress": answer_progress(filled),
    }
    context["sections"] = group_questions(context["questions"])
    if problem is not None:
        return render(request, "editing/answers.html", context, status=problem.status)
    return form_page(request, "editing/answers.html", context, refused)


def questionnaire_context(
    filled: FilledQuestionnaire, problem: Problem | None = None, fields: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What pages show of a questionnaire: questions with their answers, what is missing, contradictions, proposal."""
    errors = (problem.errors if problem else None) or {}
    texts = {question["id"]: question["text"] for question in _all_questions(filled)}
    return {
        "title": filled.questionnaire["title"],
        "questions": [
            _question_row(filled, question, errors, fields)
            | {"parts": [_question_row(filled, part, errors, fields) for part in question.get("parts", ())]}
            for question in filled.questionnaire["questions"]
        ],
        "lists": [_list_row(filled, name, texts) for name in filled.lists],
        "contradictions": [finding.as_json() for finding in filled.contradictions],
        "proposal": filled.proposal,
        "supported": filled.supported,
        "by_recipe": len(filled.answered_by_recipe()),
        "counted": count_text(filled),
    }


SECTIONS = (
    ("The system", ("system_purpose", "availability", "storage_system_software")),
    ("The run", ("runtime_environment", "fault_tolerance_mechanisms", "execution", "caching", "data_source")),
)
"""Questions that stand together on the page; all others follow under the last title."""
LAST_SECTION = "Trust"


def group_questions(questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The questions in sections, each with how many of its questions are answered."""
    by_title = {title: list[Mapping[str, Any]]() for title in (*dict(SECTIONS), LAST_SECTION)}
    for question in questions:
        title = next((title for title, names in SECTIONS if question["id"] in names), LAST_SECTION)
        by_title[title].append(question)
    return [
        {
            "title": title,
            "anchor": f"section-{number}",
            "questions": rows,
            "answered": sum(bool(row["source"]) for row in rows),
        }
        for number, (title, rows) in enumerate(by_title.items(), 1)
        if rows
    ]


def answer_progress(filled: FilledQuestionnaire) -> tuple[int, int]:
    """How many of the questions that somebody needs are answered, and how many there are."""
    questions = [question["id"] for question in filled.questionnaire["questions"] if question["required"] != "never"]
    answered = [name for name in questions if name in filled.answers and filled.answers[name].value is not None]
    return len(answered), len(questions)


def _stored_otherwise(filled: FilledQuestionnaire, fields: Mapping[str, str] | None) -> list[tuple[str, str]]:
    """Questions whose stored answer is another than the one that was typed, with the stored one."""
    rows = [_question_row(filled, question, {}, None) for question in _all_questions(filled)]
    typed = fields or {}
    return [(row["text"], row["field"]) for row in rows if row["field"].strip() != typed.get(row["id"], "").strip()]


def count_text(filled: FilledQuestionnaire) -> str:
    """ "6 of 10 questions are answered, 5 of them by facts." """
    questions = [question for question in filled.questionnaire["questions"] if question["required"] != "never"]
    filled_answers = [filled.answers[question["id"]] for question in questions if question["id"] in filled.answers]
    answered = [answer for answer in filled_answers if answer.value is not None]
    by_facts = sum(answer.source != SUBMITTER for answer in answered)
    return f"{len(answered)} of {len(questions)} questions are answered, {by_facts} of them by facts."


def _all_questions(filled: FilledQuestionnaire) -> list[Question]:
    return [
        question_or_part
        for question in filled.questionnaire["questions"]
        for question_or_part in (question, *question.get("parts", ()))
    ]


def _question_row(
    filled: FilledQuestionnaire, question: Question, errors: Mapping[str, list[str]], fields: Mapping[str, str] | None
) -> dict[str, Any]:
    """One question as it is shown; a refused form shows what was sent."""
    name = question["id"]
    answer = filled.answers.get(name)
    value = answer.value if answer else None
    number, unit = (value["value"], value["unit"]) if isinstance(value, dict) else (value, "")
    field = {True: "yes", False: "no"}[value] if isinstance(value, bool) else "" if number is None else str(number)
    sent = fields or {}
    return {
        "id": name,
        "text": question["text"],
        "help": question.get("help", ""),
        "kind": question["kind"],
        "choices": _question_choices(question),
        "units": list(question.get("units", ())),
        "field": sent.get(name, field),
        "unit": sent.get(f"{name}.unit", unit),
        "answer_text": question.get("choices", {}).get(field, field),
        "source": WORDS_OF_SOURCES[answer.source] if answer and value is not None else "",
        "evidence": answer.evidence if answer else (),
        "lacking": lacking(question, value) if question["required"] != "never" else "",
        "audience": _audience_text(question),
        "errors": errors.get(name, []),
        "recipe": _recipe_row(filled, question),
    }


def _recipe_row(filled: FilledQuestionnaire, question: Question) -> dict[str, Any] | None:
    """What the recipe says to a question, and whether a person said otherwise."""
    recipe_answer = filled.from_recipe.get(question["id"])
    if recipe_answer is None:
        return None
    is_contradicted = question["id"] in filled.contradicted_by_recipe
    return {"told": recipe_answer, "answers": recipe_answer.value is not None, "contradicted": is_contradicted}


def _question_choices(question: Question) -> list[tuple[str, str]]:
    if question["kind"] == "yes_no":
        return [("yes", "yes"), ("no", "no")]
    return list(question.get("choices", {}).items())


def _audience_text(question: Question) -> str:
    """For whom a question is there, "" if for everybody."""
    required = question["required"]
    if isinstance(required, str):
        return "" if required == "always" else "optional"
    levels = (f"level {level}" for level in required.get("levels", ()))
    return f"for {', '.join([*map(title_of, required.get('lists', ())), *levels])}"


def _list_row(filled: FilledQuestionnaire, name: str, texts: Mapping[str, str]) -> dict[str, Any]:
    missing = [row for row in filled.missing if name in row.lists]
    return {
        "name": name,
        "title": title_of(name),
        "asks": name in filled.required_by,
        "missing": [{"id": row.question, "text": texts[row.question], "why": row.why} for row in missing],
    }
