"""Where a checked run could rank, and if not, why: told from the first check on, before anything is submitted.

What people decide later (production, the level of reproducibility, questions that are still open) does not exclude a
run here. It is said as what the list still needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from registry.lists.definitions import tool_of
from registry.lists.eligibility import Candidate, exclusion_of
from registry.lists.listing import newest_definitions
from registry.lists.ranking import NO_SCORE
from registry.models import Result
from registry.presentation.parameter_table import format_parameter
from submissions.checks import questionnaire
from submissions.models import Submission
from submissions.publication.publishable import publishable_of
from validators.runs import printed_at

OUTCOMES = ("can", "cannot", "unknown")
CAN, CANNOT, UNKNOWN = OUTCOMES
_PARAMETER = "p."
_WORDS = {"trust": "trust", "client_nodes": "client nodes", "tool_version": "version of the benchmark"}
_DECIDED_HERE = ("trust", "production", "reproducibility", "answers", "lists", "opted_in", "ten_node")
"""Facts that no file of a run has."""
LEVEL_NEEDED = "Reviewers must award the level that the list asks for."
PRODUCTION_NEEDED = "Reviewers must find that the system is in production."
NOT_PRODUCTION_NEEDED = "Only if reviewers do not award the production mark."
DECLARED_WORDS = {
    "not-production": "The run details say that the system is not in production.",
    "on-production-list": "The run details say that the system is in production.",
}
"""By code what excludes a run that no reviewer saw: the sentence of the list would name a decision of theirs."""


@dataclass(frozen=True)
class Prospect:
    """What one list would do with a run.

    `outcome` is can, cannot or unknown (the fact that decides was not found in any file). `why` is the sentence of the
    list's definition with its stable `code`; `fact` names the fact that decides and its value, `source` what it was
    read from, `place` the file and line where it stands: the file or folder of the run where no line is known, nothing
    for what is not read from files. `needs` are sentences on what people still have to answer or decide;
    `missing_answers` counts open questions.
    """

    name: str
    title: str
    outcome: str
    why: str = ""
    code: str = ""
    fact: str = ""
    source: str = ""
    place: str = ""
    needs: tuple[str, ...] = ()
    missing_answers: int = 0


def find_prospects(
    submission: Submission, run: Mapping[str, Any], names: Iterable[str], *, production: bool | None = None
) -> list[Prospect]:
    """What each of these lists would do with the run of a submission; lists that rank another tool are left out.

    `production` is whether reviewers award that mark; None asks what was declared.
    """
    names = list(names)
    definitions = newest_definitions(names) if names else {}
    bodies = {name: body for name, body in definitions.items() if tool_of(body) == run["tool"]}
    if not bodies:
        return []
    publishable = publishable_of(submission, run)
    declared = submission.metadata.get("production") if production is None else production
    missing = _missing_answers(submission, publishable.document, run, bodies)
    prospects = []
    for name in [name for name in dict.fromkeys(names) if name in bodies]:
        body = bodies[name]
        facts = {condition["fact"]: condition for condition in body["eligible"]}
        is_production = declared if declared is not None else _wanted_production(facts.get("production"))
        candidate = publishable.candidate(
            None, bool(is_production), Result.Reproducibility.FULLY, None, lists=list(bodies)
        )
        prospect = _judge_list(candidate, publishable.run, body, missing.get(name, 0), run)
        if production is None and prospect.code in DECLARED_WORDS:
            prospect = replace(prospect, why=DECLARED_WORDS[prospect.code])
        prospects.append(prospect)
    return prospects


def _judge_list(
    candidate: Candidate,
    publishable_run: Mapping[str, Any],
    body: Mapping[str, Any],
    missing: int,
    checked_run: Mapping[str, Any],
) -> Prospect:
    exclusion = exclusion_of(candidate, body, publishable_run["measurements"])
    if exclusion is None:
        needs = _list_needs(body, missing)
        return Prospect(body["name"], body["title"], CAN, needs=tuple(needs), missing_answers=missing)
    condition = next((row for row in body["eligible"] if row["code"] == exclusion.code), None)
    fact = condition["fact"] if condition else ""
    value = candidate.facts.get(fact)
    outcome = UNKNOWN if fact and value is None and exclusion.code != NO_SCORE else CANNOT
    return Prospect(
        body["name"],
        body["title"],
        outcome,
        exclusion.why,
        exclusion.code,
        _fact_text(fact, value),
        _value_source(checked_run, fact) if value is not None else "",
        _value_place(checked_run, fact, value),
    )


def _list_needs(body: Mapping[str, Any], missing: int) -> list[str]:
    """What people still have to say before the list takes the run."""
    needs = []
    if missing:
        needs.append(f"{missing} {'question needs' if missing == 1 else 'questions need'} an answer.")
    for condition in body["eligible"]:
        if condition["fact"] == "production":
            needs.append(PRODUCTION_NEEDED if condition.get("is") is True else NOT_PRODUCTION_NEEDED)
        elif condition["fact"] == "reproducibility":
            needs.append(LEVEL_NEEDED)
    return needs


def _wanted_production(condition: Mapping[str, Any] | None) -> bool:
    """The answer that the list hopes for, where nobody declared any."""
    return condition is not None and condition.get("is") is True


def _missing_answers(
    submission: Submission,
    document: Mapping[str, Any] | None,
    run: Mapping[str, Any],
    bodies: Mapping[str, Mapping[str, Any]],
) -> dict[str, int]:
    """How many answers each list that asks for a questionnaire still lacks."""
    asking = questionnaire.required_by_list(bodies)
    if not asking:
        return {}
    return questionnaire.count_missing(submission, asking, document, run)


def _fact_text(fact: str, value: Any) -> str:
    """The fact that decides with the value that the run has: "client nodes: 186"."""
    if not fact:
        return ""
    words = _WORDS.get(fact) or fact.removeprefix(_PARAMETER).replace("_", " ")
    return f"{words}: {format_parameter(value) if value is not None else 'not found in any file'}"


def _value_source(run: Mapping[str, Any], fact: str) -> str:
    """Where the value was read, in words; "" for what no file says."""
    name = fact.removeprefix(_PARAMETER)
    return str(run.get("parameter_sources", {}).get(name, ""))


def _value_place(run: Mapping[str, Any], fact: str, value: Any) -> str:
    """Where a person can look at a value, or would find it: `path:line`, else the file or folder of the run."""
    name = fact.removeprefix(_PARAMETER)
    is_of_file = value is None or name in run["parameters"] or name == printed_at.VERSION
    if fact in _DECIDED_HERE or not is_of_file:
        return ""
    return str(run.get("printed_at", {}).get(name) or run["path"])
