"""Questions in people's words, each with the page that answers it and the one call that does: data/questions/."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from registry.query import data_files
from registry.query.public_record import Row

QUESTIONS = Path(__file__).parent / "data" / "questions"
SCHEMA = "questions.schema.json"
API = "/api/v1"


class QuestionsError(Exception):
    """A file of questions breaks its schema."""


@cache
def list_questions() -> Sequence[Row]:
    """The newest version of the questions, in order, each with the `call` of the API that answers it.

    Raises QuestionsError where a file is malformed.
    """
    versions = [content for _, content in data_files.valid_files(QUESTIONS, SCHEMA, QuestionsError)]
    newest = max(versions, key=lambda content: int(content["version"]))
    return [row | {"call": API + row["page"]} for row in newest["questions"]]
