"""Which questions of the questionnaire the recipe of a run answers, by which parts, and with what evidence.

`answers.json` is the definition. A question is answered where all parts are there that it needs; where one is absent,
what is there is shown as evidence. Nothing here changes what a person answered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from validators.findings import WARNING, Finding
from validators.questionnaires import Question, Questionnaire, each_question
from validators.questionnaires.answers import Answer, lacking, magnitude
from validators.questionnaires.evidence import BENCHMARK, COLLECTED, SOURCES, SUBMITTER, Evidence
from validators.recipes.data_set import data_set_words, parse_size
from validators.recipes.script import command_line

DEFINITION = Path(__file__).with_suffix(".json")
DIFFERS = "questionnaire.recipe-differs"
_MOST_ROWS, _MOST_CHARACTERS, _MOST_SETTINGS = 40, 1500, 100
_OPTION = re.compile(r"([\w.-]{1,60})\s{0,8}=\s{0,8}([^\r\n]{1,400})")
_TYPED = re.compile(
    r"(?<![\w.*-])([A-Za-z][\w.-]{0,59})\s{0,3}=\s{0,3}([\w.%]{1,40})(?![\w.%])(?!\s{0,2}[kKMGTP]i?B\b)"
)

Recipe = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RecipeAnswer:
    """What a recipe says to one question: the answer, or None, why there is none, and the parts that are told."""

    value: Any
    why_not: str
    evidence: tuple[Evidence, ...]

    def as_json(self, is_contradicted: bool = False) -> dict[str, Any]:
        return {
            "is_answered": self.value is not None,
            "value": self.value,
            "why_not": self.why_not,
            "evidence": [fact.as_json() for fact in self.evidence],
            "contradicted": is_contradicted,
        }


@dataclass(frozen=True, slots=True)
class _Setting:
    """One option in an input file of a recipe."""

    file: str
    line: int
    section: str
    name: str
    value: str


@cache
def load_definition() -> dict[str, Any]:
    """Questions and the parts that answer them."""
    loaded: dict[str, Any] = json.loads(DEFINITION.read_text(encoding="utf-8"))
    return loaded


def recipe_answers(
    questionnaire: Questionnaire, recipe: Recipe, run: Mapping[str, Any] | None = None
) -> dict[str, RecipeAnswer]:
    """What a recipe says to each question; those to which it says nothing are left out.

    `run`, as in a report, tells in which line of which file a part is printed.
    """
    if f"{questionnaire['name']}.{questionnaire['version']}" != load_definition()["questionnaire"]:
        return {}
    questions = {question["id"]: question for question in each_question(questionnaire)}
    answers = {
        row["question"]: _answer_question(questions[row["question"]], row, recipe, run or {}) for row in _list_rows()
    }
    return {name: answer for name, answer in answers.items() if answer.evidence}


def with_recipe(prefilled: Mapping[str, Answer], answers: Mapping[str, RecipeAnswer]) -> dict[str, Answer]:
    """The answers of the facts, with those of the recipe where the facts give none; the evidence of both."""
    merged = dict(prefilled)
    for name, answer in answers.items():
        facts = merged.get(name)
        if answer.value is None or (facts is not None and facts.value is not None):
            continue
        source = min((fact.source for fact in answer.evidence), key=SOURCES.index)
        merged[name] = Answer(answer.value, source, (*(facts.evidence if facts else ()), *answer.evidence))
    return merged


def recipe_contradictions(
    questionnaire: Questionnaire,
    answers: Mapping[str, Answer],
    from_recipe: Mapping[str, RecipeAnswer],
    recipe: Recipe | None,
) -> list[Finding]:
    """Findings on answers that people gave and that the recipe gives otherwise."""
    findings: list[Finding] = []
    settings = _values_by_name(recipe) if recipe else {}
    for question in each_question(questionnaire):
        answer = answers.get(question["id"])
        if answer is None or answer.source != SUBMITTER or answer.value is None:
            continue
        recipe_answer = from_recipe.get(question["id"])
        if question["kind"] == "text" and question["required"] != "never":
            findings += _text_differences(question, str(answer.value), settings)
        elif (
            recipe_answer
            and recipe_answer.value is not None
            and not _is_same(question, answer.value, recipe_answer.value)
        ):
            findings.append(_make_finding(question, question["text"], recipe_answer.evidence[0].text, answer.value))
    return findings


def _list_rows() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = load_definition()["questions"]
    return rows


def _answer_question(
    question: Question, row: Mapping[str, Any], recipe: Recipe, run: Mapping[str, Any]
) -> RecipeAnswer:
    pairs = [(part, fact) for part in row["parts"] if (fact := _find_part(part, recipe, run))]
    there = [part["label"] for part, _ in pairs]
    lacks = [part["label"] for part in row["parts"] if part.get("needed") and part["label"] not in there]
    evidence = tuple(fact for _, fact in pairs)
    if not evidence or lacks:
        return RecipeAnswer(None, f"The recipe lacks: {', '.join(lacks)}." if lacks else "", evidence)
    if row.get("answers") is False:
        return RecipeAnswer(None, row["why"], evidence)
    value = row.get("gives")
    if value is None:
        value = evidence[0].values[0] if question["kind"] == "number" else _as_text(evidence)
    why_not = lacking(question, value)
    return RecipeAnswer(None if why_not else value, why_not, evidence)


def _as_text(evidence: tuple[Evidence, ...]) -> str:
    return "\n".join(f"{fact.label}: {fact.text}" for fact in evidence)


def _find_part(part: Mapping[str, Any], recipe: Recipe, run: Mapping[str, Any]) -> Evidence | None:
    if "tool" in part:
        return _find_option(part, recipe) if part["tool"] == recipe["tool"] else None
    name = part["part"]
    if name.startswith("$"):
        values = [row["value"] for row in recipe["variables"] if row["name"] == name and row["value"] is not None]
        evidence = (
            _make_evidence(part, f"{values[0]:,}", f"recipe.variables.{name}", BENCHMARK, values[0]) if values else None
        )
    else:
        evidence = _PARTS[name](part, recipe, run)
    place = (run.get("printed_at") or {}).get(part.get("printed", ""))
    return replace(evidence, where=place) if evidence and place else evidence


def _make_evidence(part: Mapping[str, Any], text: str, where: str, source: str, value: Any = None) -> Evidence | None:
    if not text:
        return None
    short = text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"
    return Evidence(part["label"], short, where, source, (text if value is None else value,))


def _find_command(part: Mapping[str, Any], recipe: Recipe, run: Mapping[str, Any]) -> Evidence | None:
    """The command line, and the names of the files that it reads; the file of the run that tells it.

    None where options as a whole are not known: what is left of the command answers nothing.
    """
    if recipe["options_sha256"] is None:
        return None
    commands = [recipe["arguments"]] if recipe["arguments"] else [row["arguments"] for row in recipe["commands"]]
    lines = [command_line(arguments) for arguments in commands[:_MOST_ROWS]]
    files = [f"{file['path']} of {len(file['text'].splitlines())} lines" for file in recipe["files"]]
    text = "; ".join(lines) + (f", with {', '.join(files)}" if files else "")
    return _make_evidence(part, text if commands else "", run.get("path") or "recipe.arguments", BENCHMARK)


def _find_version(part: Mapping[str, Any], recipe: Recipe, run: Mapping[str, Any]) -> Evidence | None:
    return _make_evidence(part, recipe["version"] or "", "recipe.version", BENCHMARK)


def _find_launcher(part: Mapping[str, Any], recipe: Recipe, run: Mapping[str, Any]) -> Evidence | None:
    return _make_evidence(part, recipe["launcher"] or "", "/run/launcher", COLLECTED)


def _find_data_set(part: Mapping[str, Any], recipe: Recipe, run: Mapping[str, Any]) -> Evidence | None:
    data_set = recipe["data_set"]
    is_known = data_set is not None and data_set["bytes"] is not None
    return _make_evidence(part, data_set_words(data_set) if is_known else "", "recipe.data_set", BENCHMARK)


def _find_layout(part: Mapping[str, Any], recipe: Recipe, run: Mapping[str, Any]) -> Evidence | None:
    rows = [f"{row['phase']}: {row['command'] or row['words']}" for row in recipe["layout"][:_MOST_ROWS]]
    return _make_evidence(part, "; ".join(rows), "/layouts", COLLECTED)


def _find_environment(part: Mapping[str, Any], recipe: Recipe, run: Mapping[str, Any]) -> Evidence | None:
    rows = recipe["environment"][:_MOST_ROWS]
    texts = [row["variable"] + (f"={row['value']}" if row["value"] is not None else " is set") for row in rows]
    return _make_evidence(part, "; ".join(texts), "/job/environment", COLLECTED)


def _find_tunables(part: Mapping[str, Any], recipe: Recipe, run: Mapping[str, Any]) -> Evidence | None:
    rows = recipe["tunables"][:_MOST_ROWS]
    texts = [f"{row['parameter']} {row['value']} on {row['nodes']}" for row in rows]
    return _make_evidence(part, "; ".join(texts), "/node_classes", COLLECTED)


def _find_build(part: Mapping[str, Any], recipe: Recipe, run: Mapping[str, Any]) -> Evidence | None:
    texts = [
        f"{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in recipe["build"].items()
    ]
    return _make_evidence(part, "; ".join(texts), "/run", COLLECTED)


_PARTS = {
    "command": _find_command,
    "version": _find_version,
    "launcher": _find_launcher,
    "data_set": _find_data_set,
    "layout": _find_layout,
    "environment": _find_environment,
    "tunables": _find_tunables,
    "build": _find_build,
}


def _find_option(part: Mapping[str, Any], recipe: Recipe) -> Evidence | None:
    """An option with one of the values in question, in each section of the input files that runs something."""
    if "argument" in part:
        words = [word for word in recipe["arguments"] or () if word in part["argument"]]
        return _make_evidence(part, words[0], "recipe.arguments", BENCHMARK) if words else None
    settings = list(_list_settings(recipe))
    rows = [row for row in settings if row.name == part["option"]]
    if "section" in part:
        rows = [row for row in rows if row.section == part["section"]]
    elif not any(row.section == "global" for row in rows):
        sections = {row.section for row in settings} - {"global"}
        rows = rows if sections == {row.section for row in rows} else []
    if not rows or any(row.value.lower() not in part["is"] for row in rows):
        return None
    first = rows[0]
    return _make_evidence(part, f"{first.name} = {first.value}", f"recipe {first.file}:{first.line}", BENCHMARK)


def _list_settings(recipe: Recipe) -> Iterator[_Setting]:
    """The options in the input files of a recipe, which have sections."""
    for file in recipe["files"]:
        section = ""
        for number, line in enumerate(file["text"].splitlines(), 1):
            text = line.strip()
            if text.startswith("[") and text.endswith("]"):
                section = text[1:-1]
            elif text[:1] not in ("", "#", ";") and (match := _OPTION.fullmatch(text)):
                yield _Setting(file["path"], number, section, match[1], match[2].strip())


def _values_by_name(recipe: Recipe) -> dict[str, set[str]]:
    values: dict[str, set[str]] = {}
    for row in _list_settings(recipe):
        values.setdefault(row.name.lower(), set()).add(row.value)
    return values


def _text_differences(question: Question, text: str, settings: Mapping[str, set[str]]) -> Iterator[Finding]:
    """Options that a text gives as NAME=VALUE and that no section of the recipe has with that value."""
    typed = dict(_TYPED.findall(text)[:_MOST_SETTINGS])
    for name, typed_value in typed.items():
        values, value = settings.get(name.lower(), set()), typed_value.rstrip(".")
        if values and not any("$" in recipe_value or _may_be_same(value, recipe_value) for recipe_value in values):
            message = f"{name} is given as {value}, and the recipe of the run has it otherwise."
            yield _make_finding(question, message, f"{name} = {' or '.join(sorted(values)[:8])}", value)


def _may_be_same(typed: str, recipe_value: str) -> bool:
    """Whether two texts are one value, or nobody can tell: units of benchmarks differ."""
    sizes = parse_size(typed), parse_size(recipe_value)
    if None in sizes and typed[:1].isdigit() and recipe_value[:1].isdigit():
        return True
    return typed.lower() == recipe_value.lower() or (sizes[0] is not None and sizes[0] == sizes[1])


def _is_same(question: Question, typed: Any, recipe_value: Any) -> bool:
    return magnitude(question, typed) == recipe_value if question["kind"] == "number" else bool(typed == recipe_value)


def _make_finding(question: Question, message: str, expected: str, actual: Any) -> Finding:
    hint = "Correct the answer, or say in words why both are true."
    words = message if message.endswith(".") else f"{message} The answer is another than that of the recipe."
    short = "yes" if actual is True else "no" if actual is False else str(actual)
    return Finding(DIFFERS, WARNING, words, hint, f"answers.{question['id']}", expected[:200], short[:200])
