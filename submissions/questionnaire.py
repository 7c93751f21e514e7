"""The questionnaire of a submission: what its facts answer, what its people answered, what the lists still ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from registry.models import ListDefinition
from submissions.errors import AnswersInvalid, AnswersMissing
from submissions.models import Check, Submission
from validators.findings import Finding
from validators.questionnaires import REPRODUCIBILITY, Questionnaire, load
from validators.questionnaires.answers import Answer, Missing, combined, missing, prefill, problems
from validators.questionnaires.contradictions import contradicted, contradictions
from validators.questionnaires.proposal import Proposal, propose

WITHOUT_LISTS = ("full",)
"""What is judged where no list was chosen yet: the list that asks the least."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A questionnaire as far as it is filled.

    `known` are the answers that count, by question; `lists` those that `missing` was judged for; `asking` those of
    them that take no run with a missing answer.
    """

    name: str
    questionnaire: Questionnaire
    known: Mapping[str, Answer]
    lists: tuple[str, ...]
    asking: frozenset[str]
    missing: list[Missing]
    contradictions: list[Finding]
    proposal: Proposal


def filled(submission: Submission) -> Filled:
    """The questionnaire of a submission, for the lists that it is meant for."""
    lists = tuple(submission.lists) or WITHOUT_LISTS
    asking = asked_by(lists)
    name = next(iter(asking.values()), REPRODUCIBILITY)
    questionnaire, document, run = load(name), _document(submission), _run(submission)
    known = combined(questionnaire, prefill(questionnaire, document, run), submission.answers)
    against = contradictions(questionnaire, known, document, run)
    return Filled(
        name,
        questionnaire,
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
        told = prefill(questionnaire, _document(submission), _run(submission, primary))
        known = combined(questionnaire, told, submission.answers)
        for row in missing(questionnaire, values(known), [one for one in wanted if wanted[one] == name]):
            errors.setdefault(row.question, []).append(f"{row.why} Asked for by {', '.join(row.lists)}.")
    if errors:
        raise AnswersMissing(f"Missing: {', '.join(errors)}.", errors=errors)


def read(sent: Any) -> dict[str, Any]:
    """The answers in what was sent: an object of them, or the file that was downloaded. Raises AnswersInvalid."""
    answers, name = sent, REPRODUCIBILITY
    if isinstance(sent, dict) and "questionnaire" in sent:
        answers, name = sent.get("answers"), sent["questionnaire"]
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


def _document(submission: Submission) -> dict[str, Any] | None:
    snapshot = getattr(submission, "system_snapshot", None)
    return snapshot.document if snapshot else None


def _run(submission: Submission, primary: int | None = None) -> dict[str, Any] | None:
    """The run that counts in the latest check, or None."""
    report = Check.objects.filter(submission=submission).order_by("-made_at", "-id").values_list("report", flat=True)
    for found in report[:1]:
        chosen = primary if primary is not None else submission.chosen_primary
        index = chosen if chosen is not None else found["primary"]
        return found["runs"][index] if index is not None and index < len(found["runs"]) else None
    return None
