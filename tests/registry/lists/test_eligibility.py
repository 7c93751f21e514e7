"""What lists may ask of a run: the same names in the schema, of results and of submissions, and nothing unverified."""

from __future__ import annotations

from typing import Any

import pytest

from registry.lists.definitions import read_definitions
from registry.lists.eligibility import CONDITION_NAMES, SCORE_NAMES, Candidate, exclusion_of
from registry.query import data_files


def candidate(**changes: Any) -> Candidate:
    """A run that every condition of this file holds for."""
    facts = {
        "trust": "verified",
        "release": "sc99",
        "tool_version": "io500-sc25",
        "client_nodes": 10,
        "ten_node": None,
        "opted_in": True,
        "production": False,
        "reproducibility": "fully",
        "lists": ["io500", "ten"],
        "answers": None,
        "parameters": {"scc": False},
        "scores": {"score": 4.0, "bandwidth_gib_per_s": 2.0, "rate_kiops": 8.0},
    }
    return Candidate(**facts | changes)


def body(*conditions: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The parts of a definition that ranking reads."""
    return {"pool": "results", "eligible": list(conditions), "best_per": [], "score": "score"} | changes


def condition(fact: str, **test: Any) -> dict[str, Any]:
    return {"fact": fact, "code": f"other-{fact}", "otherwise": "It is another one."} | test


def code_of(candidate: Candidate, *conditions: dict[str, Any], **changes: Any) -> str | None:
    exclusion = exclusion_of(candidate, body(*conditions, **changes))
    return exclusion.code if exclusion else None


def test_a_candidate_has_exactly_the_facts_that_the_schema_allows() -> None:
    schema = data_files.load_schema("list-definition.schema.json")
    allowed = schema["$defs"]["condition"]["properties"]["fact"]["anyOf"][0]["enum"]
    assert sorted(CONDITION_NAMES) == sorted(allowed)
    assert sorted(SCORE_NAMES) == sorted(schema["properties"]["score"]["enum"])
    assert set(candidate().facts) == {*allowed, "p.scc"}


@pytest.mark.parametrize("fact", ["release", "tool_version", "reproducibility", "trust"])
def test_a_condition_on_every_text_can_hold_and_fail(fact: str) -> None:
    held = getattr(candidate(), fact)
    assert code_of(candidate(), condition(fact, **{"is": held})) is None
    assert code_of(candidate(**{fact: "another"}), condition(fact, **{"is": held})) == (
        "other-trust" if fact == "trust" else f"other-{fact}"
    )


@pytest.mark.parametrize("trust", ["reported", "imported"])
def test_a_definition_without_trust_ranks_verified_runs_only(trust: str) -> None:
    assert code_of(candidate(trust=trust)) == "not-verified"
    assert code_of(candidate()) is None
    assert code_of(candidate(trust=trust), pool="release") is None  # a list that was published elsewhere


def test_the_words_about_trust_are_those_of_the_published_definitions() -> None:
    (implied,) = {exclusion_of(candidate(trust="reported"), body()).why}
    published = {
        row["otherwise"]
        for definition in read_definitions()
        for row in definition["eligible"]
        if row["code"] == "not-verified"
    }
    assert published == {implied}


@pytest.mark.parametrize("score", SCORE_NAMES)
def test_a_run_ranks_by_any_score_that_a_definition_may_name(score: str) -> None:
    assert code_of(candidate(), score=score) is None
    assert code_of(candidate(scores={score: None}), score=score) == "no-score"
    assert code_of(candidate(scores={}), score=score) == "no-score"


def test_an_unknown_parameter_meets_only_negated_conditions() -> None:
    assert code_of(candidate(parameters={}), condition("p.scc", is_not=True)) is None
    assert code_of(candidate(parameters={}), condition("p.scc", **{"is": False})) == "other-p.scc"
