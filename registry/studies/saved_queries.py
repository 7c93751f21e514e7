"""Saving a study or a ranking under a name, so that others open it: live, or as the record stands at that moment."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.text import slugify

from registry.errors import Problem
from registry.models import SavedStudy
from registry.query.names.canonical_names import plain_text
from registry.query.public_record import NotOnRecord, Row
from registry.query.questions import study_query
from registry.query.questions.filters import InvalidValue
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
    title = plain_text(title)
    if not 0 < len(title) <= TITLE_LIMIT:
        raise InvalidValue("title", f"1 to {TITLE_LIMIT} characters")
    if len(query) > QUESTION_LIMIT:
        raise InvalidValue("question", f"at most {QUESTION_LIMIT} characters")
    if SavedStudy.objects.filter(saved_by=username).count() >= MOST_SAVED:
        raise TooManySaved(f"There are {MOST_SAVED}.")
    slug = f"{slugify(title)[:60].strip('-') or kind}-{secrets.token_hex(4)}"
    fields = {"slug": slug, "title": title, "question": _checked_address(kind, query, as_of), "saved_by": username}
    return SavedStudy.objects.create(kind=kind, **fields)


def _checked_address(kind: str, query: str, as_of: datetime | None) -> str:
    """The question as it is kept, asked once. Raises whatever asking raises."""
    if kind == SavedStudy.Kind.RANKING:
        ranking = custom_rankings.read_address(query)
        ranking = ranking if as_of is None else replace(ranking, as_of=as_of)
        custom_rankings.run_ranking(ranking)
        return ranking.address()
    question = study_query.parse_query(QueryDict(query))
    question = question if as_of is None else replace(question, as_of=as_of)
    run.run_study(question)
    return question.address()


def remove_saved(kind: str, slug: str, username: str) -> None:
    """Remove one's own. Raises NotOnRecord for any other, and where there is none."""
    removed, _ = SavedStudy.objects.filter(kind=kind, slug=slug, saved_by=username).delete()
    if not removed:
        raise NotOnRecord(kind, slug)


def newest_saved(kind: str = SavedStudy.Kind.STUDY, count: int = LISTED) -> QuerySet[SavedStudy]:
    return SavedStudy.objects.filter(kind=kind)[:count]


def find_ranking(slug: str) -> SavedStudy:
    """A saved ranking. Raises NotOnRecord where there is none of that slug."""
    saved_study = SavedStudy.objects.filter(kind=SavedStudy.Kind.RANKING, slug=slug.replace("\0", "").lower()).first()
    if saved_study is None:
        raise NotOnRecord("ranking", slug)
    return saved_study


def ranking_result(saved_study: SavedStudy) -> dict[str, Any]:
    """The document of a saved ranking.

    Raises what custom_rankings.run_ranking raises, if a name is no longer on record.
    """
    return custom_rankings.ranking_document(custom_rankings.read_address(saved_study.question)) | study_summary(
        saved_study
    )


def study_summary(saved_study: SavedStudy) -> Row:
    """As curated.in_short."""
    place = PLACE.format(saved_study.saved_by)
    return {"slug": saved_study.slug, "title": saved_study.title, "place": place, "kind": KIND, "document": ""}


def get_study(slug: str) -> curated.Study | SavedStudy:
    """A curated study, else a saved one. Raises NotOnRecord with the nearest curated ones."""
    curated_study = curated.load_studies().get(slug.lower())
    study = (
        curated_study
        or SavedStudy.objects.filter(kind=SavedStudy.Kind.STUDY, slug=slug.replace("\0", "").lower()).first()
    )
    return study or curated.find_study(slug)


def study_query_of(study: curated.Study | SavedStudy, assume: str = "") -> study_query.StudyQuery | None:
    """None for a study that is a table of figures."""
    if isinstance(study, SavedStudy):
        return curated.with_assumption(study_query.parse_query(QueryDict(study.question)), assume)
    return curated.with_assumption(curated.question_of(study), assume) if "question" in study else None


def study_result(
    study: curated.Study | SavedStudy, assume: str = "", *, drawn: bool = True, for_people: bool = False
) -> dict[str, Any]:
    """As curated.study_answer; what a saved study asks for may be gone from the record: then it has no points."""
    if not isinstance(study, SavedStudy):
        return curated.study_answer(study, assume, drawn=drawn, for_people=for_people)
    about = study_summary(study) | {"notes": [], "finding": ""}
    question = curated.with_assumption(study_query.parse_query(QueryDict(study.question)), assume)
    return documents.study_document(question, about, drawn=drawn, for_people=for_people) | about
