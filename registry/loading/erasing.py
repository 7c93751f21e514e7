"""Take a result out of the record on request, for good: names, texts and files go, its rank and its number stay.

What stays of the row is what a list needs to be made again with the same ranks: scores, counts, marks and the settings
that its conditions ask for. A load of the catalogue writes the names of imported results again, so it ends with
`keep_erased`.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from typing import Any

from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from registry.lists.listing import entries_digest
from registry.log import name_records, recording, records
from registry.models import (
    Erasure,
    Fact,
    IdentityChange,
    ListDefinition,
    ListEntry,
    LogOpening,
    Measurement,
    ObservedParameter,
    Override,
    PublicSystemSnapshot,
    RankedList,
    Reproduction,
    Result,
    ResultFile,
    RunVerdict,
    Site,
    Step,
    System,
)
from registry.models.lists import AMENDED
from registry.query.names.canonical_names import read_names
from registry.query.public_record import ERASED_SLUG
from registry.timeseries import detected_steps

SITE_NAME = "Erased on request"
REASON = "erased on request"
_PARAMETER = "p."
_EMPTY_TEXTS = (
    *("origin_id", "tool_version", "source", "institution", "system_name", "filesystem_type", "filesystem_name"),
    *(
        "filesystem_version",
        "storage_vendor",
        "vendor",
        "bundle_sha256",
        "public_sha256",
        "revision_reason",
        "withdrawn_reason",
    ),
)


def erase_results(results: Iterable[Result], category: str, erased_by: str) -> None:
    """Erase results that are not erased yet; all or none. `category` is one of Erasure.Category."""
    with transaction.atomic():
        now = timezone.now()
        for result in results:
            same_system = Erasure.objects.filter(system=result.system_id).values_list("system_key", flat=True)
            Erasure.objects.create(
                result=result,
                category=category,
                erased_at=now,
                erased_by=erased_by,
                system=result.system,
                system_key=same_system.first() or secrets.token_hex(16),
            )
            Result.objects.filter(pk=result.pk, withdrawn_at=None).update(withdrawn_at=now)
        erased = Result.objects.filter(erasure__erased_at=now)
        lists = RankedList.objects.filter(pk__in=ListEntry.objects.filter(result__in=erased).values("ranked_list"))
        touched = list(lists.select_related("release").order_by("pk"))
        _record_erasure(erased, touched, _blank_results(erased))


def _record_erasure(erased: QuerySet[Result], lists: list[RankedList], names: set[str]) -> None:
    """The log forgets what these records said, what lists said of them, and names; it keeps that they were erased."""
    ids = list(erased.order_by("pk").values_list("public_id", "erasure__category", "erasure__erased_at"))
    named = [f"lists/{ranked_list.release.slug}/{ranked_list.name}" for ranked_list in lists]
    emptied = recording.forget_openings([*(f"results/{public_id}" for public_id, *_ in ids), *named])
    emptied_names = name_records.forget_names(names)
    recording.record_lists(lists, recording.ERASED)
    for public_id, category, erased_at in ids:
        erasure_facts = {"id": public_id, "category": category, "erased_at": erased_at}
        counts = {"emptied": emptied[f"results/{public_id}"], "emptied_names": emptied_names}
        facts, emptied_names = {"erasure": erasure_facts | counts}, 0
        recording.record_own(LogOpening.Kind.ERASURE, facts, recording.ERASED, f"results/{public_id}")


def keep_erased() -> None:
    """Erase again what a load of data files brought back of erased results; inside its transaction."""
    Fact.objects.filter(result__erasure__isnull=False).delete()
    _blank_results(Result.objects.exclude(erasure=None).exclude(system__slug=ERASED_SLUG))


def _blank_results(erased: QuerySet[Result]) -> set[str]:
    """Take everything that names or describes them out of the record; subjects of records of what went."""
    names = set[str]()
    results = list(erased.select_related("system", "site", "erasure").defer("search"))
    if not results:
        return names
    systems = {result.system for result in results}
    for kind in (ResultFile, Fact, ObservedParameter, PublicSystemSnapshot, RunVerdict):
        kind.objects.filter(result__in=results).delete()
    marks = Reproduction.objects.filter(Q(result__in=results) | Q(original__in=results))
    names |= {records.mark_subject(public_id) for public_id in marks.values_list("result__public_id", flat=True)}
    marks.delete()
    Step.objects.filter(Q(before__in=results) | Q(after__in=results)).delete()
    Override.objects.filter(result__in=results).update(reason=REASON)
    Result.objects.filter(same_as__in=results).update(same_as=None)
    for result in results:
        _blank_row(result)
    _blank_lists(results)
    for system in systems:
        gone = _drop_unused(system)
        names |= gone
        if not gone:
            detected_steps.mark_due([system.pk])
    return names


def _blank_row(result: Result) -> None:
    """Its columns, as far as no list asks for them, and its measurements but those that a list ranks."""
    bodies = ListDefinition.objects.filter(rankedlist__entries__result=result).values_list("body", flat=True)
    fact_names = {condition["fact"] for body in bodies for condition in body.get("eligible", ())}
    ranked = Q(pk=None)
    for ranks in (body["ranks"] for body in bodies if "ranks" in body):
        ranked |= Q(op=ranks["op"], quantity=ranks["quantity"], stat=ranks["stat"])
    result.measurements.exclude(ranked).delete()
    Measurement.objects.filter(result=result).update(context={}, repeats=None)
    known_families = {str(row["canonical"]) for row in read_names().filesystem_types.rows}
    answers = result.snapshot.get("answers", {}).get("state")
    placeholder = _erased_system()
    changes: dict[str, Any] = dict.fromkeys(_EMPTY_TEXTS, "") | {
        "site": placeholder.site,
        "system": placeholder,
        "platform": None,
        "filesystem_family": result.filesystem_family if result.filesystem_family in known_families else "",
        "parameters": {name: value for name, value in result.parameters.items() if f"{_PARAMETER}{name}" in fact_names},
        "snapshot": {"erased": True} | ({"answers": {"state": answers}} if answers else {}),
        "later_evidence": {},
        "same_as": None,
        "archive_missing_since": None,
        "copy_missing_since": None,
        "archive_damaged_since": None,
        "copy_damaged_since": None,
        "copy_withheld_at": None,
    }
    if "tool_version" in fact_names:
        del changes["tool_version"]
    Result.objects.filter(pk=result.pk).update(**changes)


def _erased_system() -> System:
    """The system that erased results are under; no page and no answer shows it."""
    site, _ = Site.objects.get_or_create(slug=ERASED_SLUG, defaults={"name": SITE_NAME})
    return System.objects.select_related("site").get_or_create(slug=ERASED_SLUG, defaults={"site": site})[0]


def _blank_lists(results: list[Result]) -> None:
    """Names go from the rows of lists; ranks and numbers stay. A list says so with the day, under a new digest."""
    rows = ListEntry.objects.filter(result__in=results)
    named = rows.exclude(institution="", system_name="", filesystem_type="", note="")
    for ranked_list in RankedList.objects.filter(pk__in=named.values("ranked_list")).order_by("pk"):
        own = rows.filter(ranked_list=ranked_list)
        ids = list(own.order_by("position").values_list("result__public_id", flat=True))
        _set_amendment(REASON)
        own.update(institution="", system_name="", filesystem_type="", note="")
        _set_amendment("")
        day = max(result.erasure.erased_at for result in results if result.public_id in ids)
        line = f"{AMENDED}{day:%Y-%m-%d}: {', '.join(ids)}: {REASON}."
        ranked_list.note = "\n".join(filter(None, [_note_without(ranked_list.note, ids), line]))
        if ranked_list.digest:
            ranked_list.digest = entries_digest(ranked_list.entries.select_related("result").order_by("position"))
        ranked_list.save(update_fields=["note", "digest"])


def _set_amendment(reason: str) -> None:
    """The trigger on frozen lists lets only a transaction through that names its reason."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('highwater.amend', %s, true)", [reason])


def _note_without(note: str, ids: list[str]) -> str:
    """The note of a list without the reasons that people wrote about these results."""
    names = "|".join(map(re.escape, ids))
    pattern = re.compile(rf"({re.escape(AMENDED)}\d{{4}}-\d\d-\d\d: (?:{names}):) .*")
    return "\n".join(pattern.sub(rf"\1 {REASON}.", line) for line in note.splitlines())


def _drop_unused(system: System) -> set[str]:
    """Delete a system that no result names any more, with its former names and the acts that name it; its site too.

    Returns the subjects of the records of all that went; none where the system stays.
    """
    if system.slug == ERASED_SLUG or system.results.exists():
        return set()
    site, names = system.site, set[str]()
    for former in System.objects.filter(merged_into=system):
        if not former.results.exists():
            names |= _forget_name(IdentityChange.Kind.SYSTEM, former)
    names |= _forget_name(IdentityChange.Kind.SYSTEM, system)
    for former_site in Site.objects.filter(merged_into=site):
        names |= _drop_unused_site(former_site)
    return names | _drop_unused_site(site)


def _drop_unused_site(site: Site) -> set[str]:
    """Delete an institution that nothing refers to: no result, system, member or submission.

    One that has members alone stays; the record and its log no longer have it.
    """
    relations = (relation for relation in Site._meta.related_objects if relation.field.model is not Site)
    used = any(
        relation.related_model._base_manager.filter(**{relation.field.name: site}).exists() for relation in relations
    )
    if not used and not Site.objects.filter(merged_into=site).exists():
        return _forget_name(IdentityChange.Kind.SITE, site)
    is_recorded = site.merged_into_id is not None or site.results.exists()
    return set() if is_recorded else {name_records.subject_of(IdentityChange.Kind.SITE, site.slug)}


def _forget_name(kind: str, row: Site | System) -> set[str]:
    """Delete a row with the acts that name it; the subjects of their records."""
    acts = IdentityChange.objects.filter(Q(from_slug=row.slug) | Q(to_slug=row.slug), kind=kind)
    with_parts = IdentityChange.objects.filter(Q(pk__in=acts) | Q(part_of__in=acts))
    names = {name_records.subject_of(kind, row.slug), *map(records.name_change_subject, with_parts)}
    acts.delete()
    row.delete()
    return names
