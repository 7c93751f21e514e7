"""Which results to compare: those chosen, those that a name finds, and those that one is usually held against."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Abs
from django.http import QueryDict

from registry.models import ListEntry, Result
from registry.query import public_record
from registry.query.public_record import Row
from registry.query.questions.filters import result_conditions
from registry.query.questions.id_lists import MOST_COMPARED
from registry.query.responses.trust_levels import label_of
from registry.query.row_sources import PUBLIC, RowSource
from validators import catalogue

MOST_PICKED = 10
"""Results that a name offers at once."""
PREVIOUS, RIVAL, FILESYSTEM = "previous", "rival", "filesystem"
PARTNERS = {
    PREVIOUS: "The previous result of this system",
    RIVAL: "The nearest rank on its list",
    FILESYSTEM: "The nearest score with the same file system",
}
"""What one result is usually compared with, in the order of the page."""


def chosen_rows(ids: Sequence[str], titles: Sequence[str]) -> list[Row]:
    """Each chosen result with its title and the others, which stay when it is taken away. No query."""
    return [
        {"id": public_id, "title": title, "others": ",".join(other for other in ids if other != public_id)}
        for public_id, title in zip(ids, titles, strict=True)
    ]


def find_by_words(words: str, ids: Sequence[str], source: RowSource = PUBLIC) -> list[Row]:
    """The newest current results that the words find, without those chosen, each with the ids to go on with. One query.

    Raises InvalidValue for words that are too long.
    """
    query = QueryDict(mutable=True)
    query["q"] = words
    others = _current_others(ids, source).filter(result_conditions(query))
    results = others.order_by("-release__held_on", "-id")
    return [_partner_row(result, ids) for result in results[:MOST_PICKED]]


def example_pair() -> list[Row]:
    """The first two results of a newest list, to show what a comparison is; none where no list has two. One query."""
    entries = (
        ListEntry.objects.filter(public_record.is_current("result"), position__lte=2)
        .order_by("-ranked_list__release__held_on", "ranked_list__name", "position")
        .values("ranked_list", "system_name", "institution")
        .annotate(id=F("result__public_id"), release=F("ranked_list__release__name"))
    )[:2]
    pair = [row | {"name": row["system_name"] or row["institution"] or row["id"]} for row in entries]
    return pair if len({row["ranked_list"] for row in pair}) == 1 and len(pair) == 2 else []


def suggest_partners(public_id: str, source: RowSource = PUBLIC) -> list[Row]:
    """For one result those that it is usually compared with. Seven queries at most.

    Each row has `name` and `label` of PARTNERS, and the result. Raises NotOnRecord, ErasedFromRecord.
    """
    result = public_record.find_result(public_id, source)
    partners = {name: find_partner(result, name, source) for name in PARTNERS}
    return [
        {"name": name, "label": PARTNERS[name], **_partner_row(partner, [public_id])}
        for name, partner in partners.items()
        if partner is not None
    ]


def find_partner(result: Result, name: str, source: RowSource = PUBLIC) -> Result | None:
    """The result that another is compared with by a name of PARTNERS, or None. Two queries at most."""
    find = {PREVIOUS: _find_previous, RIVAL: _find_rival, FILESYSTEM: _find_same_filesystem}[name]
    return find(result, source)


def room_left(ids: Sequence[str]) -> int:
    """How many more results a comparison takes."""
    return max(0, MOST_COMPARED - len(ids))


def _current_others(ids: Sequence[str], source: RowSource) -> QuerySet[Result]:
    return public_record.current_results(source=source).exclude(public_id__in=ids).select_related("release")


def _find_previous(result: Result, source: RowSource) -> Result | None:
    """The last one of its system and benchmark that an earlier release or day has."""
    same = _current_others([result.public_id], source).filter(system=result.system, tool=result.tool)
    if result.release:
        return same.filter(release__held_on__lt=result.release.held_on).order_by("-release__held_on", "-score").first()
    return same.filter(id__lt=result.pk).order_by("-id").first()


def _find_rival(result: Result, _: RowSource) -> Result | None:
    """The entry above it on the first list it stands on, or below it where it leads."""
    memberships = public_record.list_memberships(result)
    if not memberships:
        return None
    place = memberships[0]
    entries = (
        ListEntry.objects.filter(
            public_record.is_current("result"),
            ranked_list__release__slug=place["release"],
            ranked_list__name=place["list"],
        )
        .exclude(result__system=result.system)
        .select_related("result__release")
    )
    above = entries.filter(rank__lte=place["rank"]).order_by("-rank", "-position").first()
    entry = above or entries.filter(rank__gte=place["rank"]).order_by("rank", "position").first()
    return entry.result if entry else None


def _find_same_filesystem(result: Result, source: RowSource) -> Result | None:
    if result.score is None or not result.filesystem_family:
        return None
    same = (
        _current_others([result.public_id], source)
        .filter(Q(filesystem_family=result.filesystem_family, tool=result.tool, score__isnull=False))
        .exclude(system=result.system)
    )
    return same.order_by(Abs(F("score") - result.score), "-id").first()


def _partner_row(result: Result, ids: Sequence[str]) -> Row:
    return {
        "id": result.public_id,
        "system": result.system_name or result.institution or result.public_id,
        "institution": result.institution,
        "release": result.release.name if result.release else "",
        "tool": catalogue.tool_name(result.tool),
        "trust": result.trust,
        "trust_label": label_of(result),
        "score": result.score,
        "client_nodes": result.client_nodes,
        "results": ",".join([*ids, result.public_id]),
    }
