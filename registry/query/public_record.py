"""The public record, read: what the API and the pages both ask of it, each in one query unless it says otherwise.

Rows are plain dictionaries with the names that the API shows; nothing here costs more than what is shown.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Coalesce, Greatest, Lower
from django.http import Http404

from registry.errors import Problem
from registry.models import (
    CatalogueLoad,
    Erasure,
    IdentityChange,
    ListEntry,
    Measurement,
    Platform,
    RankedList,
    Release,
    Reproduction,
    Result,
    Site,
    System,
)
from registry.query.responses import declared_limits, record_rows
from registry.query.responses.reproduced_words import of_all_marks
from registry.query.responses.shapes import columns_of
from registry.query.row_sources import PUBLIC, RowSource

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class _Count(TypedDict):
        length: int

    class _Dates(_Count):
        last_identity: datetime | None
        last_mark: datetime | None
        standing_marks: int | None
        last_load: int | None
        last_withdrawal: datetime | None
        violating: int

    class _Again(TypedDict):
        again: list[str]
        has_marks: bool

    SharedResult = WithAnnotations[Result, _Again]
    CountedList = WithAnnotations[RankedList, _Count]
    DatedList = WithAnnotations[RankedList, _Dates]

ERASED_SLUG = "erased-on-request"
"""Slug of the institution and of the system that erased results are under; nobody is shown them."""

Columns = Mapping[str, Any]
Row = dict[str, Any]
Subject = TypeVar("Subject", Site, System, Platform)

LENGTH = Subquery(ListEntry.objects.filter(ranked_list=OuterRef("pk")).order_by("-position").values("position")[:1])
"""Entries of a ranked list: the last position, read from its index and not counted."""
_VIOLATING = Subquery(
    ListEntry.objects.order_by()
    .filter(ranked_list=OuterRef("pk"), ranked_list__trust=Result.Trust.VERIFIED, result__rules_violated__gt=0)
    .values("ranked_list")
    .annotate(count=Count("pk"))
    .values("count")
)


class NotOnRecord(Problem, Http404):
    """The record has nothing of that name. `nearest` are names that it does have."""

    status = 404
    title = "The registry has nothing of that name"

    def __init__(self, kind: str, name: str, nearest: Sequence[str] = (), hint: str = "Check the address.") -> None:
        super().__init__(f"There is no {kind} {name!r}.", hint=f"Nearest: {', '.join(nearest)}." if nearest else hint)
        self.code = f"record.no-{kind.replace(' ', '-')}"
        self.nearest = list(nearest)


class ErasedFromRecord(Problem, Http404):
    """The result was erased on request: that, when and why by category is all that is left to tell."""

    status = 410
    code = "record.erased"
    title = "The result was erased on request"

    def __init__(self, result: Result) -> None:
        erasure = result.erasure
        day, why = f"{erasure.erased_at:%Y-%m-%d}", Erasure.Category(erasure.category).label
        super().__init__(
            f"Result {result.public_id} was erased on {day}: {why}.",
            hint=f"It was erased on {day}: {why}. Its rank stays on the lists that it stood on, without a name.",
        )


class MovedOnRecord(Exception):
    """A former name was asked for; what it names stands under `slug` now. Pages and answers redirect there."""

    def __init__(self, kind: str, former_slug: str, slug: str) -> None:
        super().__init__(f"The {kind} {former_slug} is {slug} now.")
        self.slug = slug


def nearest_names(name: str, known_names: Iterable[str], count: int = 3) -> list[str]:
    """Up to `count` of the known names that `name` may have meant: the shortest that contain it, then similar ones."""
    by_fold = {word.casefold(): word for word in sorted(known_names)}
    longer = sorted((word for word in by_fold if f"-{name.casefold()}-" in f"-{word}-"), key=len)
    similar = difflib.get_close_matches(name.casefold(), by_fold, count, cutoff=0.5)
    return [by_fold[word] for word in dict.fromkeys([*longer, *similar])][:count]


def rows_of(columns: Columns, queryset: QuerySet[Any]) -> list[Row]:
    """A query's rows as dictionaries under the names of `columns`."""
    return [dict(zip(columns, values, strict=True)) for values in queryset.values_list(*columns.values())]


# Releases and their lists


def release_slug(text: str) -> str:
    """How a release is looked up: in lower case; `SC18*` is `SC18-recomputed`."""
    slug = text.replace("\0", "").lower()
    return f"{slug[:-1]}-recomputed" if slug.endswith("*") else slug


def releases_called(texts: Iterable[str]) -> QuerySet[Release]:
    return Release.objects.alias(folded=Lower("slug")).filter(folded__in=[release_slug(text) for text in texts])


def find_release(text: str) -> Release:
    """The release of a slug. Raises NotOnRecord, with the nearest slugs, where there is none."""
    matching_release = releases_called([text]).first()
    if matching_release is None:
        raise NotOnRecord("release", text, nearest_names(text, Release.objects.values_list("slug", flat=True)))
    return matching_release


def ranked_lists() -> QuerySet[CountedList]:
    """All lists with their release, newest release first, each with its `length`."""
    lists = RankedList.objects.select_related("release", "definition").annotate(length=Coalesce(LENGTH, 0))
    return lists.order_by("-release__held_on", "-release_id", "position", "name")


def ranked_list(release_text: str, name: str) -> DatedList:
    """One list with `length`, and of the record what its answers depend on: the last changes, and marks that stand.

    `violating` counts the entries of a list made here whose results violate rules.
    Raises NotOnRecord with the nearest lists as RELEASE/LIST, after one more query.
    """
    matching_list = (
        ranked_lists()
        .annotate(
            last_identity=last_identity_change(),
            last_mark=of_all_marks(Max("judged_at")),
            standing_marks=of_all_marks(Count("pk")),
            violating=Coalesce(_VIOLATING, 0),
            last_load=Subquery(CatalogueLoad.objects.order_by("-id").values("id")[:1]),
            last_withdrawal=Subquery(
                Result.objects.filter(withdrawn_at__isnull=False).order_by("-withdrawn_at").values("withdrawn_at")[:1]
            ),
        )
        .alias(folded=Lower("release__slug"))
        .filter(folded=release_slug(release_text), name=name.replace("\0", "").lower())
        .first()
    )
    if matching_list is None:
        raise _no_list(release_text, name)
    return matching_list


def last_identity_change() -> Subquery:
    """When institutions, systems or platforms were merged or split, or that was undone, for the last time."""
    newest = IdentityChange.objects.order_by().values(constant=Value(1)).annotate(last=Max(_ACTED))
    return Subquery(newest.values("last"))


_ACTED = Greatest("made_at", "undone_at")


def _no_list(release_text: str, name: str) -> NotOnRecord:
    """Why there is no such list: its release is not published yet, or the name is wrong."""
    missing = NotOnRecord("list", f"{release_text}/{name}", nearest_lists(release_text, name))
    open_release = releases_called([release_text]).filter(published_at=None, imported=False).first()
    if open_release is not None and name.lower() in open_release.list_names:
        when = f" It publishes {open_release.publishes:%Y-%m-%d %H:%M} UTC." if open_release.publishes else ""
        missing.nearest = []
        missing.hint = f"{open_release.name} is not published yet.{when} GET releases/ has its dates."
    return missing


def nearest_lists(release_text: str, name: str) -> list[str]:
    """Lists as RELEASE/LIST that may have been meant, best first: those of that release, else the closest spellings."""
    sought_address = f"{release_slug(release_text)}/{name}"
    all_addresses = [f"{slug}/{title}" for slug, title in ranked_lists().values_list("release__slug", "name")]
    same = [
        address
        for address in all_addresses
        if address.lower().startswith(sought_address[: sought_address.index("/") + 1])
    ]
    close = nearest_names(sought_address, same or all_addresses)
    return close + [address for address in same if address not in close][: 8 - len(close)]


# Entries of one list
ENTRY: Columns = {"position": "position"} | columns_of(record_rows.Entry)
"""The facts of an entry, and its place on the list."""

SCORED_LISTS = Q(definition=None) | ~Q(definition__body__has_key="ranks")
"""Lists of IO500; those that rank a measurement of another tool have a unit of their own."""


def list_entries(of: RankedList, condition: Q | None = None) -> QuerySet[ListEntry]:
    """The entries of a list that meet a condition, in the order of the list."""
    return ListEntry.objects.filter(condition or Q(), ranked_list=of).order_by("position")


# Results
RESULT: Columns = columns_of(record_rows.Result)

LIMITS = KeyTransform(declared_limits.FIELD, "snapshot")
"""What the source of a result says that it may not be compared for (declared_limits.read_limits), without the rest."""


def is_current(result: str) -> Q:
    """Of rows that have results under this name those whose results `standing_results` are."""
    return Q(**{f"{result}__withdrawn_at": None, f"{result}__revised_by": None})


def current_results(condition: Q | None = None, source: RowSource = PUBLIC) -> QuerySet[Result]:
    """Results that count today: not withdrawn, newest revision, newest first."""
    revised = Exists(Result.objects.filter(revises=OuterRef("pk"), revises__isnull=False))  # few: they are read once
    return source.table_rows(Result).filter(condition or Q(), ~revised, withdrawn_at__isnull=True).order_by("-id")


def counted_once(results: QuerySet[Result], *among: QuerySet[Result]) -> QuerySet[Result]:
    """These results without copies of others with the same trust, which are of them or of any in `among`. No query."""
    # Levels of trust are never one row, so that a copy of another level counts in a row of its own.
    copies = Result.objects.order_by().filter(trust=F("same_as__trust"))
    for others in among or (results,):
        results = results.exclude(pk__in=copies.filter(same_as__in=others.order_by().values("pk")).values("pk"))
    return results


def take_newest(queryset: QuerySet[Result], most: int) -> tuple[list[Result], bool]:
    """The first of some results with their releases, and whether there are more than `most`."""
    results = list(queryset.select_related("release").defer("search", "snapshot")[: most + 1])
    return results[:most], len(results) > most


def find_result(public_id: str, source: RowSource = PUBLIC) -> SharedResult:
    """One result, withdrawn and superseded ones too, with release, site, system, platform, both neighbours and verdict.

    `again`: public ids of results that print its measurement once more. `has_marks`: whether it was to reproduce
    another result, or another was to reproduce it. Raises NotOnRecord where no result has the id, ErasedFromRecord
    where it was erased.
    """
    again = Result.objects.filter(same_as=OuterRef("pk")).order_by("pk")
    marks = Reproduction.objects.order_by().filter(Q(result=OuterRef("pk")) | Q(original=OuterRef("pk")))
    matching_result = (
        source.table_rows(Result)
        .select_related(
            "release", "site", "system", "platform", "revises", "revised_by", "same_as", "run_verdict", "erasure"
        )
        .defer("search", "erasure__erased_by")
        .annotate(again=ArraySubquery(again.values("public_id")), has_marks=Exists(marks))
        .filter(public_id=public_id.replace("\0", ""))
        .first()
    )
    if matching_result is None:
        raise NotOnRecord("result", public_id, hint=source.missing_hint)
    if hasattr(matching_result, "erasure"):
        raise ErasedFromRecord(matching_result)
    return matching_result


MEASUREMENT: Columns = columns_of(record_rows.Measurement)
MEMBERSHIP: Columns = columns_of(record_rows.Membership)
"""Where a result stands: one row per list."""
FILE: Columns = columns_of(record_rows.ResultFile)


def names_by_id(public_ids: Collection[str], source: RowSource = PUBLIC) -> dict[str, Row]:
    """By public id how each of these results is called: `name` and `release`, "" without one. One query, or none.

    What no result has, and what was erased, is left out.
    """
    if not public_ids:
        return {}
    columns = ("public_id", "system_name", "institution", "release__name")
    results = source.table_rows(Result).order_by().filter(public_id__in=public_ids, erasure=None).values_list(*columns)
    return {
        public_id: {"name": system or institution or public_id, "release": release or ""}
        for public_id, system, institution, release in results
    }


def list_measurements(of: Result, source: RowSource = PUBLIC) -> list[Row]:
    return rows_of(MEASUREMENT, source.table_rows(Measurement).filter(result=of).order_by("position"))


def of_quantities(quantities: Iterable[tuple[str, str]]) -> Q:
    """Of measurements those of one of these operations and quantities, or all where none is named."""
    return reduce(or_, (Q(op=op, quantity=quantity) for op, quantity in quantities), Q())


def measurements_by_result(
    ids: Iterable[int], quantities: Collection[tuple[str, str]] = (), source: RowSource = PUBLIC
) -> dict[int, list[Row]]:
    """By primary key of a result its measurements, in their order: of these operations and quantities, or all."""
    by_result: dict[int, list[Row]] = {pk: [] for pk in ids}
    numbers = source.table_rows(Measurement)
    stored_measurements = numbers.filter(of_quantities(quantities), result__in=by_result).order_by(
        "result_id", "position"
    )
    for row in rows_of({"of": "result_id", **MEASUREMENT}, stored_measurements):
        by_result[row.pop("of")].append(row)
    return by_result


def measurements_by_quantity(
    ids: Iterable[int], quantities: Collection[str], source: RowSource = PUBLIC
) -> dict[int, list[Row]]:
    """By primary key of a result its measurements of these quantities, of any operation, in their order."""
    by_result: dict[int, list[Row]] = {pk: [] for pk in ids}
    numbers = source.table_rows(Measurement)
    stored = numbers.filter(quantity__in=quantities, result__in=by_result).order_by("result_id", "position")
    for row in rows_of({"of": "result_id", **MEASUREMENT}, stored):
        by_result[row.pop("of")].append(row)
    return by_result


def with_measurements(rows: Sequence[Row], source: RowSource = PUBLIC) -> list[Row]:
    """Rows of RESULT, each with its `measurements`, in their order. One query."""
    by_id: dict[str, list[Row]] = {row["id"]: [] for row in rows}
    numbers = source.table_rows(Measurement)
    stored_measurements = numbers.filter(result__public_id__in=list(by_id)).order_by("result_id", "position")
    for measurement in rows_of({"of": "result__public_id", **MEASUREMENT}, stored_measurements):
        by_id[measurement.pop("of")].append(measurement)
    return [row | {"measurements": by_id[row["id"]]} for row in rows]


def list_memberships(of: Result) -> list[Row]:
    """The lists that a result stands on, newest release first."""
    list_entries = ListEntry.objects.filter(result=of)
    return rows_of(
        MEMBERSHIP,
        list_entries.order_by(
            *("-ranked_list__release__held_on", "ranked_list__position"),
            *("ranked_list__name", "-ranked_list__release__slug"),
        ),
    )


def list_files(of: Result) -> list[Row]:
    return rows_of(FILE, of.files.order_by("path"))


def omitted_files(of: Result) -> list[Row]:
    """The files of the archive that are not public because nobody agreed to it; copies from before have none."""
    rows = of.snapshot.get("scrubbed", {}).get("left_out", [])
    return [row for row in rows if row["reason"] == "not-agreed"]


# Sites, systems, platforms

SITE: Columns = columns_of(record_rows.Site)
SYSTEM: Columns = columns_of(record_rows.System)
PLATFORM: Columns = columns_of(record_rows.Platform)


def current_sites() -> QuerySet[Site]:
    """Those that results stand under: the record does not tell who else has an account."""
    return Site.objects.filter(~Q(slug=ERASED_SLUG), Exists(Result.objects.filter(site=OuterRef("pk"))))


def current_systems(source: RowSource = PUBLIC) -> QuerySet[System]:
    """All but former names."""
    return source.table_rows(System).filter(~Q(slug=ERASED_SLUG), merged_into=None)


def current_platforms() -> QuerySet[Platform]:
    """All but former names."""
    return Platform.objects.filter(merged_into=None)


def find_site(slug: str) -> Site:
    """Raises NotOnRecord, and MovedOnRecord for a former name."""
    return _by_slug(current_sites(), "site", slug)


def find_system(slug: str, *, follow: bool = False, source: RowSource = PUBLIC) -> System:
    """With its site and platform. Raises NotOnRecord, and MovedOnRecord for a former name unless it is to `follow`."""
    systems = current_systems(source).select_related("site", "platform")
    return _by_slug(systems, "system", slug, follow=follow)


def find_platform(slug: str, *, follow: bool = False) -> Platform:
    """With the one before it. Raises NotOnRecord, and MovedOnRecord for a former name unless it is to `follow`."""
    return _by_slug(current_platforms().select_related("predecessor"), "platform", slug, follow=follow)


def _by_slug(queryset: QuerySet[Subject], kind: str, slug: str, *, follow: bool = False) -> Subject:
    """By slug in any case. Raises NotOnRecord with the nearest slugs, after two more queries."""
    folded = slug.replace("\0", "").lower()
    matching_row = queryset.filter(slug=folded).first()
    if matching_row is None:
        if now := _slug_now(queryset.model, kind, folded):
            if follow:
                return queryset.get(slug=now)
            raise MovedOnRecord(kind, folded, now)
        raise NotOnRecord(kind, slug, nearest_names(slug, queryset.order_by().values_list("slug", flat=True)))
    return matching_row


def _slug_now(model: type[Subject], kind: str, slug: str) -> str:
    """Where a former name leads; empty for what is none, or never stood in the record."""
    rows: QuerySet[Any] = model._default_manager.filter(is_public_name(kind), slug=slug)
    return rows.exclude(merged_into=None).values_list("merged_into__slug", flat=True).first() or ""


def is_public_name(kind: str) -> Q:
    """Of rows of a kind those whose slug ever stood in the record: the others lead nobody to what they became."""
    acts = IdentityChange.objects.filter(kind=kind, public=True)
    split_off = acts.filter(to_slug=OuterRef("slug"), action=IdentityChange.Action.SPLIT)
    return Q(merged_into=None) | Q(Exists(acts.filter(from_slug=OuterRef("slug")))) | Q(Exists(split_off))


def best_by_release(condition: Q) -> list[Row]:
    """Highest score and number of scored results per release and tool, oldest release first; without reported ones."""
    columns = ("release__slug", "tool", "best", "count")
    scored_results = current_results(condition).filter(score__isnull=False, release__isnull=False)
    grouped = scored_results.order_by("release__held_on", "release_id", "tool").values(
        "release_id", "release__slug", "tool"
    )
    rows = grouped.annotate(best=Max("score"), count=Count("id")).values_list(*columns)
    return [dict(zip(("release", "tool", "score", "results"), row, strict=True)) for row in rows]
