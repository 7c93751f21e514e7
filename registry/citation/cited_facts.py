"""What the record shows of a result or a frozen list, as it may be cited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db.models import Exists, F, OuterRef
from django.db.models.fields.json import KeyTransform

from registry.citation import badges, formats, messaging
from registry.citation.formats import PUBLISHER, Work
from registry.errors import Problem
from registry.models import ListEntry, Result, System
from registry.query import public_record, reproductions
from registry.query.names.canonical_names import plain_text
from registry.query.responses import trust_levels
from validators import catalogue

TERMS = "docs/data-terms/"


class ListNotFrozen(Problem):
    status = 409
    code = "citation.not-frozen"
    title = "The list is not frozen and can't be cited yet"
    hint = "Cite it once its release is published."


def frozen_places(result: Result, memberships: list[public_record.Row]) -> list[dict[str, Any]]:
    """The frozen lists of these memberships, in their order. One query.

    Each row has what a membership has, and `pk`, `digest`, `release_name`, `shared` (another entry has the same rank)
    and `is_scored` (the list ranks scores of IO500).
    """
    entries = ListEntry.objects.filter(result=result, ranked_list__frozen_at__isnull=False)
    same_rank = ListEntry.objects.filter(ranked_list=OuterRef("ranked_list"), rank=OuterRef("rank"))
    rows = entries.values(
        list_pk=F("ranked_list_id"),
        digest=F("ranked_list__digest"),
        release_name=F("ranked_list__release__name"),
        key=F("ranked_list__release__slug"),
        name=F("ranked_list__name"),
        shared=Exists(same_rank.exclude(pk=OuterRef("pk"))),
        ranks=KeyTransform("ranks", "ranked_list__definition__body"),
    )
    by_list = {
        (row["key"], row["name"]): {
            "pk": row["list_pk"],
            "digest": row["digest"],
            "release_name": row["release_name"],
            "shared": row["shared"],
            "is_scored": row["ranks"] is None,
        }
        for row in rows
    }
    keys = ((row, (row["release"], row["list"])) for row in memberships)
    return [{**row, **by_list[key]} for row, key in keys if key in by_list]


def main_list(result: Result, places: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The frozen list that a result is read against: the first of its release, else of the newest it stands on."""
    own = (row for row in places if result.release and row["release"] == result.release.slug)
    return next(own, places[0] if places else None)


def citable_result(public_id: str) -> Work:
    """The result of that id, withdrawn and revised ones with what they are. Raises NotOnRecord."""
    result = public_record.find_result(public_id)
    return result_work(result, frozen_places(result, public_record.list_memberships(result)))


def result_work(result: Result, places: list[dict[str, Any]]) -> Work:
    """One result as record.result() reads it, and the lists of frozen_places()."""
    main, revised_by = main_list(result, places), getattr(result, "revised_by", None)
    is_reported = result.trust == Result.Trust.REPORTED
    benchmark = catalogue.tool_name(result.tool)
    home = f"{settings.SITE_URL}/"
    name = f"{result.system_name or benchmark + ' result'}, {result.institution}"
    trust = _cited_trust(result, main)
    reproduced = "" if result.withdrawn_at else reproductions.write_in_brief(reproductions.describe_marks(result))
    statement = _report_sentence(result, name) if is_reported else _run_sentence(benchmark, name, trust, main)
    return Work(
        id=f"result {result.public_id}",
        title=f"{benchmark} result {result.public_id}: {name}",
        statement=", ".join(filter(None, [statement, reproduced])),
        brief=", ".join(filter(None, [_brief_place(result, trust, main, revised_by), reproduced])),
        author=PUBLISHER if is_reported else result.institution,
        author_address=home if is_reported else f"{home}sites/{result.site.slug}/",
        trust=trust,
        version=f"revision {result.revision}",
        published=_publication_day(result),
        address=_permanent_address(result),
        home=home,
        terms=home + TERMS,
        status=_result_status(result, revised_by),
        revises=_permanent_address(result.revises) if result.revises else "",
        revised_by=_permanent_address(revised_by) if revised_by else "",
        places=() if result.withdrawn_at else tuple(map(messaging.place_statement, places)),
        rules=tuple(messaging.result_rules(result, places, is_revised=revised_by is not None, trust=trust)),
        caveat=trust_levels.count_caveat(trust, result.rules_violated),
    )


def _cited_trust(result: Result, main: dict[str, Any] | None) -> str:
    """The level that a citation states: what was read from raw files stays derived, wherever its rank is from."""
    return result.trust if main is None or result.trust == Result.Trust.DERIVED else main["trust"]


def _list_title(main: dict[str, Any], trust: str) -> str:
    """The list of a rank, with its own level where the citation states another."""
    return f"{main['trust']} {main['title']}" if main["trust"] != trust else main["title"]


def _run_sentence(benchmark: str, name: str, trust: str, main: dict[str, Any] | None) -> str:
    place = (
        f"rank {main['rank']} on the {_list_title(main, trust)} list of {main['release_name']}"
        if main
        else "on no list"
    )
    return f"{name}: {benchmark}, {place}"


def _report_sentence(result: Result, name: str) -> str:
    label = result.snapshot.get("label")
    return ", ".join(filter(None, [result.source, label, f"of {name}"]))


def _brief_place(result: Result, trust: str, main: dict[str, Any] | None, revised_by: Result | None) -> str:
    """The place, until the result is withdrawn; what a document reports has none."""
    if result.withdrawn_at:
        return f"withdrawn on {result.withdrawn_at:%Y-%m-%d}, result {result.public_id}"
    place = f"rank {main['rank']}, {_list_title(main, trust)} list of {main['release_name']}" if main else ""
    revised = f"revised by result {revised_by.public_id}" if revised_by else ""
    return ", ".join(filter(None, [place, f"result {result.public_id}", revised]))


def _publication_day(result: Result) -> str:
    """The day for what was published here, the month for a copy; a reported number has only when it was recorded."""
    if result.published_at:
        return f"{result.published_at:%Y-%m-%d}"
    return f"{result.release.held_on:%Y-%m}" if result.release else f"{result.recorded_at:%Y-%m-%d}"


def _result_status(result: Result, revised_by: Result | None) -> str:
    withdrawn = f"Withdrawn on {result.withdrawn_at:%Y-%m-%d}." if result.withdrawn_at else ""
    revised = f"Revised by result {revised_by.public_id}." if revised_by else ""
    return " ".join(filter(None, [withdrawn, revised]))


def _permanent_address(result: Result) -> str:
    return f"{settings.SITE_URL}/results/{result.public_id}/"


def system_citation(system: System, ids: Sequence[str], *, has_more: bool) -> dict[str, str]:
    """How the page of a system is cited: a sentence that names no number and so no level of trust, and its address.

    `ids` are its current results, the newest first, `has_more` where they are not all.
    """
    counted = f"{'more than ' if has_more else ''}{len(ids)} result{'' if len(ids) == 1 else 's'}"
    extent = f"{counted}, the newest is {ids[0]}" if ids else "no current results"
    name = f"{system.name or 'Unnamed system'}, {system.site.name}"
    return {
        "sentence": plain_text(f"{name}: {extent} ({PUBLISHER}, system {system.slug})."),
        "address": f"{settings.SITE_URL}/systems/{system.slug}/",
    }


def list_work(ranked_list: public_record.DatedList) -> Work:
    """One list as record.ranked_list() reads it. Raises ListNotFrozen where the list is not frozen yet."""
    if not ranked_list.frozen_at:
        raise ListNotFrozen
    release, amendments = ranked_list.release, ranked_list.amendments
    title = f"{ranked_list.title} list of {release.name}"
    extent = "complete" if ranked_list.complete else "the first ranks only"
    is_copy = ranked_list.trust == Result.Trust.IMPORTED
    home, caveat = f"{settings.SITE_URL}/", trust_levels.list_caveat(ranked_list.violating)
    parts = [
        f"{'copied' if is_copy else 'frozen'} {ranked_list.frozen_at:%Y-%m-%d}",
        f"amendments: {amendments}" if amendments else "",
        f"sha256 {ranked_list.digest[:16]}" if ranked_list.digest else "",
    ]
    return Work(
        id=f"list {release.slug}/{ranked_list.name}",
        title=title,
        statement=f"{title}, {extent}",
        brief=title if ranked_list.complete else f"{title}, {extent}",
        author=PUBLISHER,
        author_address=home,
        trust=ranked_list.trust,
        version=", ".join(filter(None, parts)),
        published=f"{release.held_on:%Y-%m}" if is_copy else f"{ranked_list.frozen_at:%Y-%m-%d}",
        address=f"{home}lists/{release.slug}/{ranked_list.name}/",
        home=home,
        terms=home + TERMS,
        rules=tuple(messaging.list_rules(ranked_list.trust, is_complete=ranked_list.complete, caveat=caveat)),
        caveat=caveat,
    )


def citation_block(work: Work, citation: str) -> dict[str, Any]:
    """What a page shows of it: sentence, formats at the address of its citation, badge."""
    return {
        "cited": work,
        "cite_address": citation,
        "cite_formats": formats.FORMATS,
        "badge": badges.badge_of_work(work),
        "badge_snippets": badges.embed_snippets(work),
    }
