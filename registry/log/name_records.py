"""Records of names: what a slug of an institution, a system or a platform stands for, and which former ones lead there.

Institutions are recorded while results stand under them, so that nobody is told who else has an account. Former names
have records of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from registry.log import recording
from registry.models import IdentityChange, LogOpening, Platform, Result, Site, System
from registry.models.identities import MODELS
from registry.query import public_record
from registry.query.facts import fact_index
from registry.query.public_record import Row
from registry.query.questions.former_names import former_slugs

Named = Site | System | Platform
Kind = LogOpening.Kind
KINDS = tuple(MODELS)
_JOINED: dict[str, tuple[str, ...]] = {
    Kind.SITE: (),
    Kind.SYSTEM: ("site", "platform"),
    Kind.PLATFORM: ("predecessor",),
}
_FIELDS: dict[str, Callable[[Any], Row]] = {
    Kind.SITE: lambda site: {"also_printed_as": site.also_printed_as},
    Kind.SYSTEM: lambda system: {
        "site": system.site.slug,
        "platform": system.platform.slug if system.platform else None,
    },
    Kind.PLATFORM: lambda platform: {
        "vendor": platform.vendor,
        "predecessor": platform.predecessor.slug if platform.predecessor else None,
        "source": platform.source,
    },
}
"""What is recorded beside `slug`, `name` and `former_slugs`, under the names of the API."""
_AT_ONCE = 500


def recorded_rows(kind: str) -> QuerySet[Any]:
    """The rows of a kind of which there is a record: those that the API shows, and their former names."""
    rows: QuerySet[Any] = MODELS[kind]._default_manager.filter(public_record.is_public_name(kind))
    if kind == Kind.SITE:
        rows = rows.filter(~Q(merged_into=None) | Exists(Result.objects.filter(site=OuterRef("pk"), erasure=None)))
    return rows.exclude(slug=public_record.ERASED_SLUG).select_related(*_JOINED[kind]).order_by("pk")


def name_records(kind: str, rows: Collection[Named]) -> Iterator[tuple[str, Row]]:
    """(`sites/SLUG`, `systems/SLUG` or `platforms/SLUG`, what is recorded) of each of these rows. One query."""
    former = former_slugs(kind, [row.pk for row in rows])
    for row in rows:
        facts = {"slug": row.slug, "name": row.name, "former_slugs": former.get(row.pk, [])}
        yield subject_of(kind, row.slug), {str(kind): facts | _FIELDS[kind](row)}


def subject_of(kind: str, slug: str) -> str:
    return f"{kind}s/{slug}"


def record_names(subjects: Iterable[str], act: str) -> int:
    """Record these names, as far as they stand in the record, where they are not as recorded last; how many were."""
    slugs_by_kind: dict[str, set[str]] = defaultdict(set)
    for subject in subjects:
        kind, _, slug = subject.partition("s/")
        slugs_by_kind[kind].add(slug)
    count = 0
    with transaction.atomic():
        for kind, slugs in slugs_by_kind.items():
            rows = list(recorded_rows(kind).filter(slug__in=slugs))
            count += recording.record_changed(Kind(kind), dict(name_records(kind, rows)), act)
    return count


def record_removed(rows: Iterable[System]) -> None:
    """Record that these systems stand for nothing any more, before their rows go."""
    named = list(System.objects.filter(pk__in=[row.pk for row in rows]).select_related(*_JOINED[Kind.SYSTEM]))
    recording.record_changed(Kind.SYSTEM, dict(name_records(Kind.SYSTEM, named)), recording.REMOVED)


def forget_names(subjects: Collection[str]) -> int:
    """Erase salt, text and name of every record of these names and changes of names; how many were emptied."""
    emptied = recording.forget_openings(subjects)
    LogOpening.objects.filter(subject__in=subjects).update(subject=recording.ERASED_NAMES)
    return sum(emptied.values())


def record_unrecorded_names() -> int:
    """Record names for the first time, and of recorded ones what a load of data files may change; how many were."""
    count = 0
    for kind in KINDS:
        openings = LogOpening.objects.filter(kind=kind).order_by()
        known_subjects = set(openings.values_list("subject", flat=True).distinct())
        for rows in _in_batches(recorded_rows(kind)):
            bodies = dict(name_records(kind, rows))
            new = {subject: body for subject, body in bodies.items() if subject not in known_subjects}
            with transaction.atomic():
                count += recording.record_changed(Kind(kind), new, recording.FIRST_RECORDED)
                loaded = {subject: body for subject, body in bodies.items() if subject not in new}
                count += recording.record_changed(Kind(kind), loaded, recording.LOADED)
    return count


def current_names() -> Iterator[Iterator[tuple[str, Row]]]:
    """What is recorded of every name as the tables have it now, some at a time."""
    for kind in KINDS:
        for rows in _in_batches(recorded_rows(kind)):
            yield name_records(kind, rows)


def _in_batches(rows: QuerySet[Any]) -> Iterator[list[Any]]:
    last = 0
    while batch := list(rows.filter(pk__gt=last)[:_AT_ONCE]):
        yield batch
        last = batch[-1].pk


# Which names an act is about


def names_of_results(ids: Iterable[int]) -> set[str]:
    """Subjects of the names that results stand under."""
    slugs = Result.objects.filter(pk__in=list(ids)).values_list("site__slug", "system__slug", "platform__slug")
    return {subject_of(kind, slug) for row in slugs for kind, slug in zip(KINDS, row, strict=True) if slug}


def names_of_change(change: IdentityChange) -> set[str]:
    """Subjects of the names that a merging or splitting with its parts is about, or that its undoing touches."""
    subjects, sites = set[str](), set[str]()
    for act in [change, *change.parts.all()]:
        slugs = {act.from_slug, act.to_slug, act.moved.get("returned_from", act.to_slug), *act.moved.get("former", ())}
        subjects |= {subject_of(act.kind, slug) for slug in slugs}
        subjects |= {
            subject_of(Kind.SYSTEM, slug) for key in ("systems", "former_systems") for slug in act.moved.get(key, ())
        }
        subjects |= {subject_of(Kind.PLATFORM, slug) for slug in act.moved.get("successors", ())}
        sites |= slugs if act.kind == IdentityChange.Kind.SITE else set()
    # Results that came later stay with the institution, under a system that the undoing makes.
    systems = System.objects.filter(site__slug__in=sites).values_list("slug", flat=True)
    return subjects | {subject_of(Kind.SYSTEM, slug) for slug in systems}


def record_new_name(site: Site) -> None:
    """Record that an editor changed the name of an institution, by which its results are found."""
    record_names([subject_of(Kind.SITE, site.slug)], recording.CHANGED)
    fact_index.rebuild_facts(site.results.filter(erasure=None).order_by("pk").values_list("pk", flat=True))
