"""Small public records for tests: constructed results of systems that don't exist."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone

from registry.lists.listing import entries_digest
from registry.models import (
    CatalogueLoad,
    Edition,
    IdentityChange,
    ListDefinition,
    ListEntry,
    LogState,
    Measurement,
    ObservedParameter,
    Override,
    Platform,
    RankedList,
    Release,
    Result,
    ResultFile,
    Site,
    System,
)

GIB = 2**30
IOR = {"access": "file-per-process", "transfer_size_bytes": 2**20, "direct_io": True}
"""What has to be known of a run of IOR before it stands in a row with others."""


def stored_in(folder: Path) -> dict[str, Any]:
    """STORAGES with what anybody may read in a folder of its own."""
    options = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(folder)}}
    return settings.STORAGES | {"public": options}


def empty() -> None:
    """Take everything out of the record."""
    Edition.objects.all().delete()
    LogState.objects.all().delete()
    names = (IdentityChange, System, Site, Platform)
    for model in (Override, RankedList, Result, *names, Release, ListDefinition, CatalogueLoad):
        model.objects.all().delete()
    connection.check_constraints()
    with connection.cursor() as cursor:  # whoever made an edition left a leaf, and no row of a leaf can be deleted
        cursor.execute("TRUNCATE registry_logleaf, registry_logcheckpoint CASCADE")


def make_release(slug: str, held_on: str = "2026-05-01", **facts: Any) -> Release:
    defaults: dict[str, Any] = {"name": slug, "imported": True, "held_on": dt.date.fromisoformat(held_on)}
    return Release.objects.create(slug=slug, **defaults | facts)


def make_result(release: Release, public_id: str, score: float | None = 10.0, **facts: Any) -> Result:
    """An imported result of `institution` (default Site One) on `system_name` (default Test system A)."""
    institution = facts.pop("institution", "Site One")
    system_name = facts.pop("system_name", "Test system A")
    # Without the savepoints of get_or_create: nobody else writes here, and thousands of tests begin so.
    slug = institution.lower().replace(" ", "-")
    site = Site.objects.filter(slug=slug).first() or Site.objects.create(slug=slug, name=institution)
    slug = f"{site.slug}-{system_name.lower().replace(' ', '-')}"
    system = System.objects.filter(slug=slug).first() or System.objects.create(slug=slug, site=site, name=system_name)
    defaults: dict[str, Any] = {
        "tool": "io500",
        "trust": Result.Trust.IMPORTED,
        "institution": institution,
        "system_name": system_name,
        "site": site,
        "system": system,
        "score": score,
        "client_nodes": 10,
        "tasks": 160,
        "filesystem_type": "Lustre 2.15",
        "filesystem_family": "Lustre",
        "storage_vendor": "Maker Inc.",
        "vendor": "Maker",
    }
    return Result.objects.create(public_id=public_id, release=release, **defaults | facts)


def described(result: Result, **parameters: str) -> Result:
    """The result with a described system, of which one parameter is known if no other is named."""
    for name, text in (parameters or {"os.kernel": "5.14"}).items():
        parameter = {"parameter": name, "role": "client", "value": text, "text": text, "instances": 10}
        ObservedParameter.objects.create(result=result, **parameter)
    return result


def make_list(release: Release, name: str, results: list[Result], *, frozen: bool = True, **facts: Any) -> RankedList:
    """A list of these results in this order; results with equal scores share a rank."""
    title = facts.pop("title", name.capitalize())
    ranked = RankedList.objects.create(
        release=release, name=name, title=title, trust=facts.pop("trust", Result.Trust.IMPORTED), **facts
    )
    scores = [result.score for result in results]
    entries = [
        ListEntry(
            ranked_list=ranked,
            result=result,
            position=position,
            rank=scores.index(result.score) + 1,
            rank_low=scores.index(result.score) + 1,
            rank_high=scores.index(result.score) + scores.count(result.score),
            score=result.score,
            bandwidth_gib_per_s=result.bandwidth_gib_per_s,
            rate_kiops=result.rate_kiops,
            new=result.release_id == release.pk,
            institution=result.institution,
            system_name=result.system_name,
            filesystem_type=result.filesystem_type,
            client_nodes=result.client_nodes,
        )
        for position, result in enumerate(results, 1)
    ]
    ListEntry.objects.bulk_create(entries)
    if frozen:
        ranked.frozen_at, ranked.digest = timezone.now(), entries_digest(entries)
        ranked.save()
    return ranked


def make_measurement(
    result: Result, op: str = "ior-easy-write", value_gib_per_s: float = 2.0, **facts: Any
) -> Measurement:
    defaults: dict[str, Any] = {
        "quantity": "bandwidth",
        "stat": "phase",
        "value": value_gib_per_s * GIB,
        "unit": "B/s",
        "printed_value": value_gib_per_s,
        "printed_unit": "GiB/s",
        "scored": True,
    }
    return Measurement.objects.create(result=result, position=result.measurements.count(), op=op, **defaults | facts)


def make_nights(release: Release, values: list[float], first: int = 1, **facts: Any) -> list[Result]:
    """Results of one system, hw-1 on the first of March 2026 and so on, that wrote so many GiB/s in its `max`."""
    results = []
    for number, value in enumerate(values, first):
        parameters = IOR | {"started": f"2026-03-{number:02} 01:00:00"}
        results.append(make_result(release, f"hw-{number}", None, tool="ior", parameters=parameters, **facts))
        make_measurement(results[-1], "write", value, stat="max")
    return results


def make_rate(result: Result, op: str, stat: str, value: float) -> Measurement:
    """A rate in ops/s, as mdtest prints it."""
    fields = {"value": value, "unit": "ops/s", "printed_value": value, "printed_unit": "ops/s", "scored": None}
    return make_measurement(result, op, quantity="rate", stat=stat, **fields)


def make_file(result: Result, path: str) -> ResultFile:
    return ResultFile.objects.create(result=result, path=path, size=12, sha256="ab" * 32)


def make_platform(slug: str, name: str, **facts: Any) -> Platform:
    return Platform.objects.create(slug=slug, name=name, vendor="Maker", **facts)


def make_definition(name: str) -> ListDefinition:
    return ListDefinition.objects.create(name=name, version=7, body={})
