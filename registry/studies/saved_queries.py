"""Saving a study or a ranking under a name, so that others open it: live, or as the record stands at that moment."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.http import QueryDict
from django.utils.text import slugify

from registry.errors import Problem
from registry.models import SavedStudy
from registry.query import study_query
from registry.query.canonical_names import plain
from registry.query.filters import InvalidValue
from registry.query.public_record import NotOnRecord, Row
from registry.studies import curated, custom_rankings, documents, run

MOST_SAVED = 100  # studies of one account
TITLE_LIMIT = 120  # characters
QUESTION_LIMIT = 4000
LISTED = 200
KEEP = LIVE, AS_OF = "live", "as-of"
KIND, PLACE = "saved", "saved by {}"


class TooManySaved(Problem):
    code = "study.too-many-saved"
    title = "This account has saved as many studies and rankings as it may"
    hint = "Remove one that is not needed any more."


def save(kind: str, title: str, query: str, username: str, as_of: datetime | None = None) -> SavedStudy:
    """Save the question of a query string; with `as_of`, as the record stood then. `kind` is one of SavedStudy.Kind.

    Raises InvalidValue for a title or question that is empty or too long, TooManySaved, and whatever asking raises.
    """
    title = plain(title)
    if not 0 < len(title) <= TITLE_LIMIT:
        raise InvalidValue("title", f"1 to {TITLE_LIMIT} characters")
    if len(query) > QUESTION_LIMIT:
        raise InvalidValue("question", f"at most {QUESTION_LIMIT} characters")
    if SavedStudy.objects.filter(saved_by=username).count() >= MOST_SAVED:
        raise TooManySaved(f"There are {MOST_SAVED}.")
    slug = f"{slugify(title)[:60].strip('-') or kind}-{secrets.token_hex(4)}"
    asked = {"slug": slug, "title": title, "question": _asked(kind, query, as_of), "saved_by": username}
    return SavedStudy.objects.create(kind=kind, **asked)


def _asked(kind: str, query: str, as_of: datetime | None) -> str:
    """The question as it is kept, asked once. Raises whatever asking raises."""
    if kind == SavedStudy.Kind.RANKING:
        ranking = custom_rankings.read_address(query)
        ranking = ranking if as_of is None else replace(ranking, as_of=as_of)
        custom_rankings.run_ranking(ranking)
        return ranking.address()
    question = study_query.read(QueryDict(query))
    question = question if as_of is None else replace(question, as_of=as_of)
    run.run_study(question)
    return question.address()


def remove(kind: str, slug: str, username: str) -> None:
    """Remove one's own. Raises NotOnRecord for any other, and where there is none."""
    removed, _ = SavedStudy.objects.filter(kind=kind, slug=slug, saved_by=username).delete()
    if not removed:
        raise NotOnRecord(kind, slug)


def newest(kind: str = SavedStudy.Kind.STUDY, count: int = LISTED) -> Sequence[SavedStudy]:
    return SavedStudy.objects.filter(kind=kind)[:count]


def ranking(slug: str) -> SavedStudy:
    """A saved ranking. Raises NotOnRecord."""
    saved_study = SavedStudy.objects.filter(kind=SavedStudy.Kind.RANKING, slug=slug.replace("\0", "").lower()).first()
    if saved_study is None:
        raise NotOnRecord("ranking", slug)
    return saved_study


def ranked(one: SavedStudy) -> dict[str, Any]:
    """The document of a saved ranking.

    Raises what custom_rankings.run_ranking raises, if a name is no longer on record.
    """
    return custom_rankings.ranking_document(custom_rankings.read_address(one.question)) | study_summary(one)


def study_summary(one: SavedStudy) -> Row:
    """As curated.in_short."""
    place = PLACE.format(one.saved_by)
    return {"slug": one.slug, "title": one.title, "place": place, "kind": KIND, "document": ""}


def get_study(slug: str) -> curated.Study | SavedStudy:
    """A curated study, else a saved one. Raises NotOnRecord with the nearest curated ones."""
    known = curated.studies().get(slug.lower())
    found = known or SavedStudy.objects.filter(kind=SavedStudy.Kind.STUDY, slug=slug.replace("\0", "").lower()).first()
    return found or curated.study(slug)


def study_query_of(one: curated.Study | SavedStudy) -> study_query.Question | None:
    """None for a study that is a table of figures."""
    if isinstance(one, SavedStudy):
        return study_query.read(QueryDict(one.question))
    return curated.question_of(one) if "question" in one else None


def study_result(one: curated.Study | SavedStudy) -> dict[str, Any]:
    """As curated.answer; what a saved study asks for may be gone from the record: then it has no points."""
    if not isinstance(one, SavedStudy):
        return curated.answer(one)
    about = study_summary(one) | {"notes": [], "finding": ""}
    return documents.study_document(study_query.read(QueryDict(one.question)), about) | about
