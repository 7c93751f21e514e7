"""Where an answer and the facts disagree. Each is a warning: people may know why, and then say so in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from validators.findings import INFO, WARNING, Finding
from validators.questionnaires import Question, Questionnaire, each
from validators.questionnaires.answers import Answer, magnitude
from validators.questionnaires.evidence import SUBMITTER, Evidence, classes, found
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
    known: Mapping[str, Answer],
    document: Mapping[str, Any] | None,
    run: Mapping[str, Any] | None,
) -> list[Finding]:
    """Findings `questionnaire.*` about what is `known` (answers.combined); `where` is `answers.QUESTION`."""
    about = {"document": document, "run": run}
    return [
        *_differing(questionnaire, known, **about),
        *_load(known, document),
        *_caches(known, document),
        *_settings(questionnaire, known, document),
    ][:_MOST]


def contradicted(findings: Iterable[Finding]) -> set[str]:
    """The questions whose answers are contradicted."""
    return {finding.where.removeprefix("answers.") for finding in findings if finding.level == WARNING}


def _differing(
    questionnaire: Questionnaire,
    known: Mapping[str, Answer],
    document: Mapping[str, Any] | None,
    run: Mapping[str, Any] | None,
) -> Iterator[Finding]:
    """Counts, sizes and choices that people gave and that facts give otherwise."""
    for question in each(questionnaire):
        answer = known.get(question["id"])
        if answer is None or answer.source != SUBMITTER or answer.value is None:
            continue
        for fact in question.get("facts", ()):
            told = found(fact, document, run) if fact.get("compare") else None
            if told and not any(_agrees(question, fact, answer.value, value) for value in told.values):
                yield _finding(
                    question["id"], "questionnaire.answer-differs", _differs(question, told), told.text, answer.value
                )


def _differs(question: Question, told: Evidence) -> str:
    return (
        f"{question['text']} The answer is another than what is {'measured' if 'run' in told.where else 'described'}."
    )


def _agrees(question: Question, fact: Mapping[str, Any], answer: Any, value: Any) -> bool:
    if question["kind"] != "number":
        return bool(answer == value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return True
    apart = abs(magnitude(question, answer) - value)
    return bool(apart <= fact.get("within", 0) * value)


def _load(known: Mapping[str, Answer], document: Mapping[str, Any] | None) -> Iterator[Finding]:
    """A dedicated system on which others were at work before the run."""
    exclusive = known.get("exclusive_cluster_usage")
    if document is None or exclusive is None or exclusive.value is not True:
        return
    for one in document["node_classes"]:
        threads = one["hardware"]["cpu"].get("threads") or 1
        quiet = max(QUIET_LOAD, QUIET_LOAD_PER_THREAD * threads)
        load, others = (_highest(one, key) for key in ("load_1min", "processes_of_others"))
        role = "/".join(one["role"])
        if load > quiet:
            message = f"Exclusive use is declared, and the {role} nodes were at work before the run."
            yield _finding(
                "exclusive_cluster_usage", "questionnaire.load-found", message, f"a load up to {quiet:g}", f"{load:g}"
            )
        if others:
            message = f"Exclusive use is declared, and processes of other users ran on the {role} nodes."
            yield _finding("exclusive_cluster_usage", "questionnaire.load-found", message, "0", f"{others:g} processes")


def _highest(one: Mapping[str, Any], key: str) -> float:
    """The highest value of an entry of node.load_before, 0 where it is not told."""
    values = [
        row["value"]
        for entry in one.get("parameters", [])
        if entry["id"] == "node.load_before" and entry.get("key") == key
        for row in entry["values"]
    ]
    return max((float(value) for value in values if isinstance(value, (int, float))), default=0.0)


def _caches(known: Mapping[str, Answer], document: Mapping[str, Any] | None) -> Iterator[Finding]:
    """Caches that were dropped, or are said to be none, while the kernel's counters of drops stood still."""
    claims = [name for name in ("caches_dropped", "caching") if _claims_no_caching(name, known.get(name))]
    if not claims or document is None or facts.drift(document) is None:
        return
    clients = [one for one in classes(document, facts.CLIENT) if _counts_drops(one)]
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


def _counts_drops(one: Mapping[str, Any]) -> bool:
    return any(entry["id"] == "bench.cache_drop" for entry in one.get("parameters", []))


def _settings(
    questionnaire: Questionnaire, known: Mapping[str, Answer], document: Mapping[str, Any] | None
) -> Iterator[Finding]:
    """Tunables that a text gives as NAME=NUMBER and that every node has otherwise."""
    if document is None:
        return
    named = _by_name(document)
    for question in questionnaire["questions"]:
        answer = known.get(question["id"])
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
        meant = entry["key"] == name if "key" in entry else not path or set(entry["id"].split(".")[:-1]) & set(path)
        numbers = {float(row["value"]) for row in entry["values"] if isinstance(row["value"], (int, float))}
        if meant and numbers:
            values.setdefault(entry["id"], set()).update(numbers)
    return values


def _finding(
    question: str, code: str, message: str, expected: Any = "", actual: Any = "", level: str = WARNING
) -> Finding:
    return Finding(code, level, message, _EXPLAIN, f"answers.{question}", _short(expected), _short(actual))


def _short(value: Any) -> str:
    text = f"{value['value']:g} {value['unit']}" if isinstance(value, dict) else formatting.format_json_value(value)
    return text if len(text) <= 200 else f"{text[:199]}…"
