"""Where an answer and the facts disagree. Each is a warning: people may know why, and then say so in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from validators.findings import INFO, WARNING, Finding
from validators.questionnaires import Question, Questionnaire, each_question
from validators.questionnaires.answers import Answer, magnitude
from validators.questionnaires.evidence import SUBMITTER, Evidence, classes, evidence_for
from validators.system import facts, formatting

QUIET_LOAD = 1.0
QUIET_LOAD_PER_THREAD = 0.05
"""A node that nobody uses has daemons; up to this load, and up to this part of its threads, they explain it."""
_EXPLAIN = "Correct the answer, or say in words why both are true."
_NO_CACHING = re.compile(
    r"\b(?:no|without(?: any)?)\s+(?:(?:client|page|read|data)(?:[- ]side)?\s+)?cach(?:e|es|ing)\b", re.IGNORECASE
)
_SETTING = re.compile(r"(?<![\w.*-])([\w.*-]{1,200})\s{0,3}=\s{0,3}(\d{1,15}(?:\.\d{1,6})?)(?![\w.])")
_MOST = 20
_MOST_SETTINGS = 100
"""Of one text; each is looked for among all parameters."""


def contradictions(
    questionnaire: Questionnaire,
    answers: Mapping[str, Answer],
    document: Mapping[str, Any] | None,
    run: Mapping[str, Any] | None,
) -> list[Finding]:
    """Findings `questionnaire.*` about the `answers` (answers.combined); `where` is `answers.QUESTION`."""
    about = {"document": document, "run": run}
    return [
        *_differing(questionnaire, answers, **about),
        *_load(answers, document),
        *_caches(answers, document),
        *_settings(questionnaire, answers, document),
    ][:_MOST]


def contradicted(findings: Iterable[Finding]) -> set[str]:
    """The questions whose answers are contradicted."""
    return {finding.where.removeprefix("answers.") for finding in findings if finding.level == WARNING}


def _differing(
    questionnaire: Questionnaire,
    answers: Mapping[str, Answer],
    document: Mapping[str, Any] | None,
    run: Mapping[str, Any] | None,
) -> Iterator[Finding]:
    """Counts, sizes and choices that people gave and that facts give otherwise."""
    for question in each_question(questionnaire):
        answer = answers.get(question["id"])
        if answer is None or answer.source != SUBMITTER or answer.value is None:
            continue
        for fact in question.get("facts", ()):
            fact_evidence = evidence_for(fact, document, run) if fact.get("compare") else None
            if fact_evidence and not any(
                _agrees(question, fact, answer.value, value) for value in fact_evidence.values
            ):
                yield _finding(
                    question["id"],
                    "questionnaire.answer-differs",
                    _differs(question, fact_evidence),
                    fact_evidence.text,
                    answer.value,
                )


def _differs(question: Question, fact: Evidence) -> str:
    return (
        f"{question['text']} The answer is another than what is {'measured' if 'run' in fact.where else 'described'}."
    )


def _agrees(question: Question, fact: Mapping[str, Any], answer: Any, value: Any) -> bool:
    if question["kind"] != "number":
        return bool(answer == value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return True
    apart = abs(magnitude(question, answer) - value)
    return bool(apart <= fact.get("within", 0) * value)


def _load(answers: Mapping[str, Answer], document: Mapping[str, Any] | None) -> Iterator[Finding]:
    """A dedicated system on which others were at work before the run."""
    exclusive = answers.get("exclusive_cluster_usage")
    if document is None or exclusive is None or exclusive.value is not True:
        return
    for node_class in document["node_classes"]:
        threads = node_class["hardware"]["cpu"].get("threads") or 1
        quiet = max(QUIET_LOAD, QUIET_LOAD_PER_THREAD * threads)
        load, others = (_highest(node_class, key) for key in ("load_1min", "processes_of_others"))
        role = "/".join(node_class["role"])
        if load > quiet:
            message = f"Exclusive use is declared, and the {role} nodes were at work before the run."
            yield _finding(
                "exclusive_cluster_usage", "questionnaire.load-found", message, f"a load up to {quiet:g}", f"{load:g}"
            )
        if others:
            message = f"Exclusive use is declared, and processes of other users ran on the {role} nodes."
            yield _finding("exclusive_cluster_usage", "questionnaire.load-found", message, "0", f"{others:g} processes")


def _highest(node_class: Mapping[str, Any], key: str) -> float:
    """The highest value of an entry of node.load_before, 0 where it is not told."""
    values = [
        row["value"]
        for entry in node_class.get("parameters", [])
        if entry["id"] == "node.load_before" and entry.get("key") == key
        for row in entry["values"]
    ]
    return max((float(value) for value in values if isinstance(value, (int, float))), default=0.0)


def _caches(answers: Mapping[str, Answer], document: Mapping[str, Any] | None) -> Iterator[Finding]:
    """Caches that were dropped, or are said to be none, while the kernel's counters of drops stood still."""
    claims = [name for name in ("caches_dropped", "caching") if _claims_no_caching(name, answers.get(name))]
    if not claims or document is None or facts.drift(document) is None:
        return
    clients = [node_class for node_class in classes(document, facts.CLIENT) if _counts_drops(node_class)]
    if not clients or any("bench.cache_drop" in row["pointer"] for row in document.get("drift", [])):
        return
    alone = all(client["count"] == 1 for client in clients)
    message = "The answer leaves out the caches of the clients, and "
    message += "their kernels counted no drop of caches during the run." if alone else (
        "no drop of caches is on record: of nodes that are alike, the counters of one are kept."
    )  # fmt: skip
    yield _finding(claims[0], "questionnaire.caches-not-dropped", message, "", "", WARNING if alone else INFO)


def _claims_no_caching(name: str, answer: Answer | None) -> bool:
    if answer is None or answer.source != SUBMITTER:
        return False
    return answer.value is True if name == "caches_dropped" else bool(_NO_CACHING.search(str(answer.value)))


def _counts_drops(node_class: Mapping[str, Any]) -> bool:
    return any(entry["id"] == "bench.cache_drop" for entry in node_class.get("parameters", []))


def _settings(
    questionnaire: Questionnaire, answers: Mapping[str, Answer], document: Mapping[str, Any] | None
) -> Iterator[Finding]:
    """Tunables that a text gives as NAME=NUMBER and that every node has otherwise."""
    if document is None:
        return
    named = _by_name(document)
    for question in questionnaire["questions"]:
        answer = answers.get(question["id"])
        if question["kind"] != "text" or answer is None or answer.source != SUBMITTER:
            continue
        for name, number in islice(dict(_SETTING.findall(str(answer.value))).items(), _MOST_SETTINGS):
            for tunable, values in _observed(named, name).items():
                if float(number) not in values:
                    message = f"{name[-80:]} is given as {number}, and no node has it."
                    observed = " or ".join(formatting.number(value) for value in sorted(values)[:8])
                    yield _finding(
                        question["id"], "questionnaire.tunable-differs", message, f"{tunable} {observed}", number
                    )


def _by_name(document: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    """What was observed by the name that people call it: the entry of a map, else the last part of the id."""
    named: dict[str, list[Mapping[str, Any]]] = {}
    for _, entry in facts.parameters(document):
        if entry["source"] != "declared":
            named.setdefault(entry.get("key") or entry["id"].rpartition(".")[2], []).append(entry)
    return named


def _observed(named: Mapping[str, list[Mapping[str, Any]]], name: str) -> dict[str, set[float]]:
    """The numbers that a tunable has, by id: those called so, of the part that the path before the name means."""
    *path, last = name.split(".")
    values: dict[str, set[float]] = {}
    for entry in [*named.get(name, ()), *(named.get(last, ()) if path else ())]:
        is_meant = entry["key"] == name if "key" in entry else not path or set(entry["id"].split(".")[:-1]) & set(path)
        numbers = {float(row["value"]) for row in entry["values"] if isinstance(row["value"], (int, float))}
        if is_meant and numbers:
            values.setdefault(entry["id"], set()).update(numbers)
    return values


def _finding(
    question: str, code: str, message: str, expected: Any = "", actual: Any = "", level: str = WARNING
) -> Finding:
    return Finding(code, level, message, _EXPLAIN, f"answers.{question}", _short(expected), _short(actual))


def _short(value: Any) -> str:
    text = f"{value['value']:g} {value['unit']}" if isinstance(value, dict) else formatting.format_json_value(value)
    return text if len(text) <= 200 else f"{text[:199]}…"
