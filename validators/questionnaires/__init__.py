"""Questionnaires: versioned files NAME.VERSION.json (schema questionnaire.1), and what facts and answers say.

answers.py        what facts answer already, what is missing, which answers can't be taken
contradictions.py where an answer and the facts disagree
proposal.py       the level of reproducibility that points per item propose
evidence.py       where a fact stands in the description of the system or in the run
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
REPRODUCIBILITY = "reproducibility.1"

Questionnaire = Mapping[str, Any]
Question = Mapping[str, Any]


@cache
def questionnaires() -> dict[str, Questionnaire]:
    """Every questionnaire by name and version: {"reproducibility.1": {...}}."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def load(name: str = REPRODUCIBILITY) -> Questionnaire:
    """A questionnaire by name and version. KeyError: there is none."""
    return questionnaires()[name]


def each_question(questionnaire: Questionnaire) -> Iterator[Question]:
    """Every question, each followed by its parts."""
    for question in questionnaire["questions"]:
        yield question
        yield from question.get("parts", ())
