"""Load the catalogue: list definitions, platforms, the imported history and what documents report, from data files.

Idempotent. The sha256 of the files and of this loader is remembered, so a second load reads nothing else and changes
nothing; changed files bring the imported and reported part of the record to what they say and touch nothing that was
verified here.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.models import Model
from django.utils import timezone
from django.utils.text import slugify

from registry.comparison import uncertainty
from registry.lists import definitions, rank_ranges
from registry.lists.listing import arrange_imported, entries_digest
from registry.loading import (
    derived_results,
    erasing,
    merged_names,
    mlperf_copies,
    mlperf_rows,
    recorded_archives,
    reported_results,
)
from registry.log import recording
from registry.models import (
    CatalogueLoad,
    ListDefinition,
    ListEntry,
    Measurement,
    Override,
    Platform,
    RankedList,
    Release,
    Result,
    Site,
    System,
)
from registry.query.differences import configuration_diff
from registry.query.facts import axes, fact_index
from registry.query.names import canonical_names
from registry.query.names.text_folding import fold_text
from registry.query.responses import declared_limits
from registry.timeseries import detected_steps
from validators.measurements import Measurement as Measured

FOLDERS = ("lists/data", "query/data/aliases", "loading/data")
LOADERS = (
    "loading/catalogue_loader",
    "loading/merged_names",
    "loading/erasing",
    "loading/reported_results",
    "identity/merging",
    "loading/derived_results",
    "loading/mlperf_copies",
    "loading/mlperf_rows",
    "query/names/canonical_names",
    "query/facts/fact_index",
    "query/differences/alike",
    "query/differences/configuration_diff",
    "lists/conditions",
    "lists/definitions",
    "lists/listing",
    "lists/ranking",
    "lists/rank_ranges",
    "timeseries/series",
    "timeseries/run_alarm",
    "timeseries/run_verdicts",
    "comparison/uncertainty",
    "comparison/spreads",
)
DATA = Path(__file__).parent / "data"
HISTORY = DATA / "history"
TABLES = DATA / "tables"
COMMITTEE = "IO500 committee"
UNNAMED_SITE = "Institution not named"
LOCK = 0x68777463  # "hwtc": two loaders at once take turns

Row = dict[str, Any]


class CatalogueError(Exception):
    """A data file contradicts what the record already holds."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load left in the record; `changed` is False when the files were loaded before."""

    changed: bool
    results: int = 0
    reported: int = 0
    lists: int = 0
    entries: int = 0
    overrides: int = 0
    derived: int = 0


@dataclass(frozen=True, slots=True)
class ArchiveOutcome:
    """What became of one archive: `trust` of its result (empty: it has none), and `reason` where it is not derived."""

    public_id: str
    trust: str
    is_new: bool
    reason: str
    differences: int


def load_catalogue() -> Loaded:
    """Bring the record to the data files. Raises CatalogueError when a used list definition was edited."""
    digest = files_digest()
    if _last_digest() == digest:
        return Loaded(changed=False)
    with transaction.atomic():
        lock_catalogue()
        if _last_digest() == digest:
            return Loaded(changed=False)
        loaded = write_copies()
        fact_index.rebuild_facts(Result.objects.order_by().values_list("id", flat=True))
        rank_ranges.index_ranges(RankedList.objects.select_related("definition"))
        detected_steps.mark_all_due()
        CatalogueLoad.objects.create(digest=digest)
        recording.note_unrecorded()
    return loaded


def write_copies() -> Loaded:
    """Write what the data files have, in the transaction of the caller; facts that filters read are not made again."""
    loaded = _load_catalogue()
    erasing.keep_erased()
    return loaded


def import_archives(rows: list[Row], *, dry_run: bool = False) -> list[ArchiveOutcome]:
    """Bring what archives say into the record, as the shipped ones are: rows as `archive_row` makes them.

    `dry_run`: everything is decided and nothing kept. Raises CatalogueError where the catalogue was not loaded yet.
    """
    with transaction.atomic():
        lock_catalogue()
        if not _last_digest():
            raise CatalogueError("the catalogue is not loaded yet: run load_catalogue first")
        releases = {release.slug: release for release in Release.objects.filter(imported=True)}
        rows, same_results = recorded_archives.match_recorded(rows)
        outcomes = _load_derived(rows, _listed_results(rows), releases, canonical_names.read_names(), {})
        results = Result.objects.filter(public_id__in=[outcome.public_id for outcome in outcomes])
        fact_index.rebuild_facts(results.order_by().values_list("id", flat=True))
        erasing.keep_erased()
        detected_steps.mark_due(results.order_by().values_list("system_id", flat=True))
        recording.note_unrecorded()
        if dry_run:
            transaction.set_rollback(True)
    derived = Result.Trust.DERIVED
    return outcomes + [
        ArchiveOutcome(each.public_id, derived, False, each.reason, each.differences) for each in same_results
    ]


def import_rows(outcomes: list[mlperf_copies.RowOutcome], *, dry_run: bool = False) -> None:
    """Bring rows of a table that a copy adds figures to into the record, and what a copy gives otherwise beside it.

    `dry_run`: nothing is kept. Raises CatalogueError where the catalogue, or the release of a row, was not loaded yet.
    """
    rows = [outcome.row for outcome in outcomes if outcome.row is not None]
    with transaction.atomic():
        lock_catalogue()
        releases = {release.slug: release for release in Release.objects.filter(imported=True)}
        if not _last_digest() or not {row["release"] for row in rows} <= releases.keys():
            raise CatalogueError("the catalogue is not loaded yet: run load_catalogue first")
        if rows:
            names = canonical_names.read_names()
            systems = _load_systems(rows, [], names, {})
            results = _load_results(rows, releases, systems, names)
            _load_measurements(rows, results, _read_measurements)
            fact_index.rebuild_facts([result.pk for result in results.values()])
            erasing.keep_erased()
            standing = Result.objects.filter(pk__in=[result.pk for result in results.values()])
            detected_steps.mark_due(standing.order_by().values_list("system_id", flat=True))
        mlperf_copies.store_differences(outcomes)
        recording.note_unrecorded()
        if dry_run:
            transaction.set_rollback(True)


def load_definitions() -> None:
    """Bring definitions of lists, platforms and ranges of ranks to the files, no history. Raises CatalogueError."""
    with transaction.atomic():
        lock_catalogue()
        _load_definitions(definitions.read_definitions())
        _load_platforms(_read_json(canonical_names.ALIASES / "platforms.json"))
        results = Result.objects.order_by()
        fact_index.rebuild_facts(results.filter(facts=None).values_list("id", flat=True))
        fact_index.rebuild_facts(
            results.filter(facts__name=fact_index.CONFIGURATION, observed_parameters=None).values_list("id", flat=True)
        )
        rank_ranges.index_ranges(RankedList.objects.filter(release__imported=False).select_related("definition"))
        recording.note_unrecorded()


def files_digest() -> str:
    """sha256 over every data file and the modules that interpret them, with their names."""
    digest = hashlib.sha256()
    folder = Path(__file__).parent.parent
    data = sorted(path for name in FOLDERS for path in (folder / name).rglob("*.json"))
    for path in [
        *data,
        axes.VOCABULARY,
        configuration_diff.FILE,
        uncertainty.FILE,
        *(folder / f"{name}.py" for name in LOADERS),
    ]:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder)} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def _last_digest() -> str:
    return CatalogueLoad.objects.order_by("-id").values_list("digest", flat=True).first() or ""


def lock_catalogue() -> None:
    """Held to the end of the transaction: one load at a time, and none while names are merged."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])


def _load_catalogue() -> Loaded:
    bodies = definitions.read_definitions()
    _load_definitions(bodies)
    platforms = _load_platforms(_read_json(canonical_names.ALIASES / "platforms.json"))
    tables = [_read_json(path) for path in sorted(TABLES.glob("*.json"))]
    releases = _load_releases([*_read_json(HISTORY / "releases.json"), *(table["release"] for table in tables)])
    of_tables = mlperf_copies.keep_copies([row for table in tables for row in table["results"]])
    rows = [*_read_json(HISTORY / "results.json"), *of_tables]
    published = [_read_json(path) for path in sorted((HISTORY / "lists").glob("*.json"))]
    names = canonical_names.read_names()
    reported_rows = reported_results.read_reported()
    platforms |= _reported_platforms(reported_rows, names)
    systems = _load_systems([*reported_rows, *rows], published, names, platforms)
    _load_reported(reported_rows, systems, names)
    results = _load_results(rows, releases, systems, names)
    reported_results.link_printed_again(reported_rows)
    _load_measurements(rows, results, _read_measurements)
    _load_lists(published, bodies, releases, results)
    archives = derived_results.read_derived()
    listed = {row["id"]: row for row in rows}
    outcomes = _load_derived(archives, listed, releases, names, platforms)
    merged_names.merge_listed()
    _rank_tables(tables, bodies, releases)
    overrides = _load_overrides(_read_json(HISTORY / "overrides.json"), releases, results)
    imported = RankedList.objects.filter(release__in=releases.values())
    entries = ListEntry.objects.filter(ranked_list__in=imported).count()
    derived = sum(outcome.trust == Result.Trust.DERIVED for outcome in outcomes)
    derived += sum(result.trust == Result.Trust.DERIVED for result in results.values())
    return Loaded(True, len(results), len(reported_rows), imported.count(), entries, overrides, derived)


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _load_definitions(bodies: Iterable[Row]) -> None:
    stored = {(definition.name, definition.version): definition for definition in ListDefinition.objects.all()}
    used = set(RankedList.objects.filter(trust=Result.Trust.VERIFIED).values_list("definition_id", flat=True))
    for body in bodies:
        name, version = body["name"], body["version"]
        definition = stored.get((name, version))
        if definition is None:
            ListDefinition.objects.create(name=name, version=version, body=body)
        elif definition.body != body:
            if definition.id in used:
                raise CatalogueError(
                    f"{name} {version} has made lists and may not be edited; add version {version + 1}"
                )
            definition.body = body
            definition.save()


def _load_platforms(rows: Iterable[Row]) -> dict[tuple[str, str], Platform]:
    """Platforms by (institution, system) of the systems that a source says are built on them, names folded."""
    platform_rows = list(rows)
    platforms = Platform.objects.bulk_create(
        [Platform(**{name: row[name] for name in ("slug", "name", "vendor", "source")}) for row in platform_rows],
        update_conflicts=True,
        unique_fields=["slug"],
        update_fields=["name", "vendor", "source"],
    )
    merged = Platform.objects.exclude(merged_into=None).select_related("merged_into")
    by_slug = {platform.slug: platform for platform in platforms} | {
        row.slug: row.merged_into for row in merged if row.merged_into
    }
    pairs = [(by_slug[row["slug"]], by_slug.get(row["predecessor"])) for row in platform_rows]
    before_by_pk = {platform.pk: before for platform, before in pairs if before not in (None, platform)}
    for platform, row in zip(platforms, platform_rows, strict=True):
        own = by_slug.get(row["predecessor"])
        platform.predecessor = own if own not in (None, platform) else before_by_pk.get(platform.pk)
    Platform.objects.bulk_update(platforms, ["predecessor"])
    return {
        (fold_text(system["institution"]), fold_text(system["system"])): by_slug[row["slug"]]
        for row in platform_rows
        for system in row["systems"]
    }


def _reported_platforms(rows: Iterable[Row], names: canonical_names.Names) -> dict[tuple[str, str], Platform]:
    """Platforms of the systems that documents name, by (institution, system) folded. Raises CatalogueError."""
    rows_of_platforms = Platform.objects.select_related("merged_into")
    platforms_by_slug = {platform.slug: platform.merged_into or platform for platform in rows_of_platforms}
    built_on = {_system_key(row, names): row["platform"] for row in rows if "platform" in row}
    if unknown := set(built_on.values()) - platforms_by_slug.keys():
        raise CatalogueError(f"no platform is called {min(unknown)}")
    return {(fold_text(site), system): platforms_by_slug[slug] for (site, system), slug in built_on.items()}


def _load_releases(rows: Iterable[Row]) -> dict[str, Release]:
    releases = [
        {
            "slug": row["slug"],
            "name": row["name"],
            "imported": True,
            "held_on": date.fromisoformat(f"{row['month']}-01"),
            "completeness": row["completeness"],
            "note": row["note"],
            "source": row.get("source", "Copy of published IO500 lists; not an IO500 publication."),
            "list_names": row["lists"],
            "unknown_lists": row["unknown_lists"],
        }
        for row in rows
    ]
    _upsert_rows(Release, "slug", releases)
    return {release.slug: release for release in Release.objects.filter(imported=True)}


def _upsert_rows(model: type[Model], key: str, rows: list[Row]) -> None:
    """Insert rows, or bring those whose `key` is there to what they say; columns they don't name stay as they are."""
    fields = [field for field in rows[0] if field != key]
    model._default_manager.bulk_create(
        [model(**row) for row in rows], update_conflicts=True, unique_fields=[key], update_fields=fields, batch_size=500
    )


def _load_systems(
    rows: list[Row], published: list[Row], names: canonical_names.Names, platforms: dict[tuple[str, str], Platform]
) -> dict[tuple[str, str], System]:
    """Sites and systems of the results, found or made; by (site name as printed, folded system name).

    A former name leads to what it is now. A system that has no platform gets the one that a source names.
    """
    sites = _load_sites(rows, published, names)
    spellings: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    split_off = merged_names.split_off_systems()
    for row in (row for row in rows if row["id"] not in split_off):
        spellings[_system_key(row, names)][" ".join(_system_name(row).split())] += 1
    stored = System.objects.select_related("site", "platform", "merged_into__platform", "merged_into__site")
    systems_by_place = {(system.site_id, fold_text(system.name)): system.merged_into or system for system in stored}
    taken = set(System.objects.values_list("slug", flat=True))
    systems, new_systems, placed = dict[tuple[str, str], System](), list[System](), list[System]()
    for key, counted in spellings.items():
        site = sites[key[0]].merged_into or sites[key[0]]
        platform = platforms.get((fold_text(sites[key[0]].name), key[1]))
        system = systems_by_place.get((sites[key[0]].pk, key[1])) or systems_by_place.get((site.pk, key[1]))
        if system is None:
            name = min(counted, key=lambda spelling: (-counted[spelling], spelling))
            slug = canonical_names.system_slug(sites[key[0]].slug, name, taken)
            system = systems_by_place[site.pk, key[1]] = System(slug=slug, site=site, name=name, platform=platform)
            new_systems.append(system)
        elif platform and not system.platform:
            system.platform = platform
            placed.append(system)
        systems[key] = system
    System.objects.bulk_create(new_systems)
    System.objects.bulk_update([system for system in placed if system not in new_systems], ["platform"])
    return systems


def _load_sites(rows: list[Row], published: list[Row], names: canonical_names.Names) -> dict[str, Site]:
    spellings_by_site: dict[str, set[str]] = defaultdict(set)
    for institution in _printed_institutions(rows, published):
        spellings_by_site[_site_name(institution, names)].add(institution)
    sites = {site.name: site for site in Site.objects.select_related("merged_into")}
    taken = set(Site.objects.values_list("slug", flat=True))
    for name, spellings in sorted(spellings_by_site.items()):
        if name not in sites:
            sites[name] = Site(slug=canonical_names.free_slug(slugify(name)[:90], taken), name=name)
        other_spellings = {*sites[name].also_printed_as, *spellings} - {name, ""}
        sites[name].also_printed_as = sorted(other_spellings)
    Site.objects.bulk_create([site for site in sites.values() if site.pk is None])
    Site.objects.bulk_update([sites[name] for name in spellings_by_site], ["also_printed_as"])
    return sites


def _printed_institutions(rows: list[Row], published: list[Row]) -> Iterator[str]:
    yield from (row.get("institution", "") for row in rows)
    for release in published:
        for ranked_list in release["lists"].values():
            yield from (
                entry[5]["institution"] for entry in ranked_list["entries"] if "institution" in _printed_names(entry)
            )


def _printed_names(entry: list[Any]) -> Row:
    """What a list prints otherwise than the result does."""
    return entry[5] if len(entry) > 5 else {}


def _site_name(institution: str, names: canonical_names.Names) -> str:
    return names.site(institution) or UNNAMED_SITE


def _system_key(row: Row, names: canonical_names.Names) -> tuple[str, str]:
    return _site_name(row.get("institution", ""), names), fold_text(_system_name(row))


def _system_name(row: Row) -> str:
    """What the system is called here; `system_called` tells it from another one whose printed name is the same."""
    return str(row.get("system_called") or row.get("system") or "")


def _load_reported(rows: list[Row], systems: dict[tuple[str, str], System], names: canonical_names.Names) -> None:
    """Before what is imported: tables of results are read by id, newest first."""
    split_off = merged_names.split_off_systems()
    reported = [_reported_row(row, split_off.get(row["id"]) or systems[_system_key(row, names)], names) for row in rows]
    _upsert_rows(Result, "public_id", reported)
    results = Result.objects.in_bulk([row["id"] for row in rows], field_name="public_id")
    _load_measurements(rows, results, reported_results.read_measurements)


def _reported_row(row: Row, system: System, names: canonical_names.Names) -> Row:
    facts = reported_results.result_columns(row)
    return facts | {
        "site": system.site,
        "system": system,
        "platform": system.platform,
        "filesystem_family": names.family(facts["filesystem_type"], facts["storage_vendor"]),
        "vendor": names.vendor(facts["storage_vendor"]),
    }


def _load_results(
    rows: list[Row], releases: dict[str, Release], systems: dict[tuple[str, str], System], names: canonical_names.Names
) -> dict[str, Result]:
    """Oldest release first: tables of results are read by id, newest first."""
    ordered = sorted(rows, key=lambda row: releases[row["release"]].held_on)
    split_off = merged_names.split_off_systems()
    results = [
        _result_row(row, releases[row["release"]], split_off.get(row["id"]) or systems[_system_key(row, names)], names)
        for row in ordered
    ]
    _upsert_rows(Result, "public_id", results)
    return Result.objects.in_bulk([row["id"] for row in rows], field_name="public_id")


def _listed_results(rows: list[Row]) -> dict[str, Row]:
    """What the shipped lists say of these archives, by public id."""
    ids = {row["id"] for row in rows}
    return {row["id"]: row for row in _read_json(HISTORY / "results.json") if row["id"] in ids}


def _load_derived(
    rows: list[Row],
    listed: dict[str, Row],
    releases: dict[str, Release],
    names: canonical_names.Names,
    platforms: dict[tuple[str, str], Platform],
) -> list[ArchiveOutcome]:
    """After the lists, whose entries keep what was printed. New results come in the order of their releases."""
    base = {row["id"]: listed.get(row["id"]) or derived_results.unlisted_result(row) for row in rows}
    systems = _load_systems(list(base.values()), [], names, platforms)
    ordered = sorted(rows, key=lambda row: _order_of_archive(row, releases))
    split_off = merged_names.split_off_systems()
    columns = []
    for row in ordered:
        named = base[row["id"]]
        release = releases.get(named.get("release", ""))
        system = split_off.get(row["id"]) or systems[_system_key(named, names)]
        plain = _result_row(named, release, system, names)
        columns.append(derived_results.derived_columns(plain, row, listed.get(row["id"])))
    recorded = set(Result.objects.filter(public_id__in=base).values_list("public_id", flat=True))
    derived = {row["public_id"] for row in columns if row["trust"] == Result.Trust.DERIVED}
    if changed := [row for row in columns if row["public_id"] in derived or row["public_id"] in listed]:
        _upsert_rows(Result, "public_id", changed)
    results = Result.objects.in_bulk([row["public_id"] for row in changed], field_name="public_id")
    for ids, sources, measured_of in (
        (derived, rows, derived_results.read_measurements),
        (results.keys() - derived, list(base.values()), _read_measurements),
    ):
        own = {public_id: results[public_id] for public_id in ids}
        _load_measurements([row for row in sources if row["id"] in own], own, measured_of)
    return [_archive_outcome(row, row["public_id"] not in recorded, row["public_id"] in results) for row in columns]


def _order_of_archive(row: Row, releases: dict[str, Release]) -> tuple[date, int]:
    release = releases.get(row.get("release", ""))
    return release.held_on if release else date(int(row["year"]), 1, 1), int(row["submission"])


def _archive_outcome(columns: Row, is_new: bool, is_kept: bool) -> ArchiveOutcome:
    archive = columns["snapshot"]["archive"]
    trust = columns["trust"] if is_kept else ""
    return ArchiveOutcome(columns["public_id"], trust, is_new, archive.get("reason", ""), len(archive["differences"]))


def _result_row(row: Row, release: Release | None, system: System, names: canonical_names.Names) -> Row:
    vendor, filesystem_name = row.get("storage_vendor", ""), row.get("filesystem_name", "")
    return {
        "public_id": row["id"],
        "origin_id": row.get("submission", ""),
        "tool": row.get("tool", "io500"),
        "tool_version": row.get("benchmark_version", ""),
        "mode": row.get("mode", ""),
        "trust": row.get("trust", Result.Trust.IMPORTED),
        "source": row["source"],
        "release": release,
        "site": system.site,
        "system": system,
        "platform": system.platform,
        "institution": row.get("institution", ""),
        "system_name": row.get("system", ""),
        "filesystem_type": row.get("filesystem_type", ""),
        "filesystem_family": names.family(row.get("filesystem_type", ""), vendor, filesystem_name),
        "filesystem_name": filesystem_name,
        "filesystem_version": row.get("filesystem_version", ""),
        "storage_vendor": vendor,
        "vendor": names.vendor(vendor),
        "client_nodes": row.get("client_nodes"),
        "tasks": row.get("tasks"),
        "ten_node": row.get("ten_node"),
        "opted_in": row.get("opted_in", True),
        "score": row.get("score"),
        "bandwidth_gib_per_s": row.get("bandwidth_gib_per_s"),
        "rate_kiops": row.get("rate_kiops"),
        "submitted_on": date.fromisoformat(row["submitted_on"]) if "submitted_on" in row else None,
        "parameters": {name: row[name] for name in _PARAMETERS if name in row} | row.get("parameters", {}),
        "snapshot": {name: row[name] for name in _SNAPSHOT if name in row},
    }


_PARAMETERS = ("client_nodes", "tasks", "procs_per_node", "metadata_servers", "data_servers")
_SNAPSHOT = (
    *("status", "note", "archive_url", "measured_client_nodes", "measured_tasks", "findings", "rules"),
    *(mlperf_rows.ROW, declared_limits.FIELD),
)


def _load_measurements(
    rows: list[Row], results: dict[str, Result], measured_of: Callable[[Row], Iterable[Measured]]
) -> None:
    Measurement.objects.filter(result__in=results.values()).delete()
    _copy_rows(
        Measurement(result=results[row["id"]], position=position, **measurement.as_json())
        for row in rows
        for position, measurement in enumerate(measured_of(row), 1)
    )


def _copy_rows(rows: Iterable[Measurement]) -> None:
    """Insert new rows by COPY, which takes a fraction of the time of INSERT: there are more than ten thousand."""
    fields = [field for field in Measurement._meta.concrete_fields if not field.primary_key]
    columns = ", ".join(connection.ops.quote_name(field.attname) for field in fields)
    statement = f"COPY {connection.ops.quote_name(Measurement._meta.db_table)} ({columns}) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as table:
        for row in rows:
            table.write_row([field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields])


def _read_measurements(row: Row) -> Iterator[Measured]:
    """As the source prints them: of IO500 the ior phases in GiB/s and the others in kIOPS; else with their unit.

    A phase printed as 0 beside a score was not measured: the score is a geometric mean, which one measured 0 makes 0.
    """
    for phase, value in row.get("phases", {}).items():
        if not value and row.get("score"):
            continue
        quantity, unit = ("bandwidth", "GiB/s") if phase.startswith("ior-") else ("rate", "kIOPS")
        yield Measured.printed(phase, quantity, "phase", value, unit, scored=True)
    if "measurements" in row:
        yield from reported_results.read_measurements(row)


def _load_lists(
    published: list[Row], bodies: list[Row], releases: dict[str, Release], results: dict[str, Result]
) -> None:
    """Replace the imported lists by those that were published, as they were."""
    RankedList.objects.filter(release__in=releases.values(), trust=Result.Trust.IMPORTED).delete()
    for_list = _definition_finder(bodies, releases)
    lists, entries = [], []
    for document in published:
        for name, row in document["lists"].items():
            ranked_list = _ranked_list(releases[document["release"]], for_list(document["release"], name), row)
            rows = [
                _make_list_entry(ranked_list, position, entry, results)
                for position, entry in enumerate(row["entries"], 1)
            ]
            ranked_list.digest = entries_digest(rows)
            lists.append(ranked_list)
            entries += rows
    RankedList.objects.bulk_create(lists)
    ListEntry.objects.bulk_create(entries, batch_size=1000)


def _definition_finder(bodies: list[Row], releases: dict[str, Release]) -> Callable[[str, str], ListDefinition]:
    """The definition of a list of an imported release, by slug and name. It raises CatalogueError where none is."""
    used = {(definition.name, definition.version): definition for definition in ListDefinition.objects.all()}
    order = [release.slug for release in sorted(releases.values(), key=lambda release: (release.held_on, release.id))]

    def for_list(slug: str, name: str) -> ListDefinition:
        body = definitions.imported_definition(bodies, name, slug, order)
        if body is None:
            raise CatalogueError(f"no definition of {name} covers {slug}")
        return used[name, body["version"]]

    return for_list


def _rank_tables(tables: list[Row], bodies: list[Row], releases: dict[str, Release]) -> None:
    """The lists of what was published as a table without ranks: ranked here, all of it imported."""
    for_list = _definition_finder(bodies, releases)
    for table in tables:
        release = releases[table["release"]["slug"]]
        for name in release.list_names:
            definition = for_list(release.slug, name)
            body = definition.body
            ranked_list = RankedList(
                release=release,
                name=name,
                title=body["title"],
                position=body["position"],
                definition=definition,
                trust=Result.Trust.IMPORTED,
                source=release.source[:300],
                note=body["description"],
                frozen_at=timezone.now(),
            )
            entries = arrange_imported(ranked_list)
            ranked_list.digest = entries_digest(entries)
            ranked_list.save()
            ListEntry.objects.bulk_create(entries)


def _ranked_list(release: Release, definition: ListDefinition, row: Row) -> RankedList:
    note = f"A copy of the {release.name} list of IO500, not an IO500 publication."
    return RankedList(
        release=release,
        name=definition.name,
        title=definition.body["title"],
        position=definition.body["position"],
        definition=definition,
        trust=Result.Trust.IMPORTED,
        complete=row["complete"],
        source=row["source"],
        note=note if row["complete"] else note + " Only the first ten ranks are known.",
        frozen_at=timezone.now(),
    )


def _make_list_entry(ranked_list: RankedList, position: int, entry: list[Any], results: dict[str, Result]) -> ListEntry:
    """One row with rank and score as published; ties of a published list keep the ranks it gave them."""
    place, identifier, score, bandwidth, rate = entry[:5]
    printed_names, result = _printed_names(entry), results[identifier]
    return ListEntry(
        ranked_list=ranked_list,
        result=result,
        position=position,
        rank=place,
        rank_low=place,
        rank_high=place,
        score=score,
        bandwidth_gib_per_s=bandwidth,
        rate_kiops=rate,
        new=result.release_id == ranked_list.release_id,
        institution=printed_names.get("institution", result.institution),
        system_name=printed_names.get("system", result.system_name),
        filesystem_type=printed_names.get("filesystem_type", result.filesystem_type),
        client_nodes=result.client_nodes,
        note=printed_names.get("note", ""),
    )


def _load_overrides(rows: list[Row], releases: dict[str, Release], results: dict[str, Result]) -> int:
    Override.objects.filter(release__in=releases.values(), decided_by=COMMITTEE).delete()
    overrides = [
        Override(
            release=releases[row["release"]],
            list_name=row["list"],
            result=results[row["result"]],
            action=row["action"],
            reason=row["reason"],
            decided_by=row["decided_by"],
        )
        for row in rows
    ]
    return len(Override.objects.bulk_create(overrides))
