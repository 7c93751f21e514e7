"""The catalogue in the database: loaded once, loaded again without a change, every list as it was published."""

from __future__ import annotations

import csv
import json
import math
from collections import defaultdict
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from registry.lists import definitions
from registry.lists.listing import entries_digest
from registry.loading import catalogue_loader
from registry.loading.catalogue_loader import load_catalogue
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
from registry.studies import curated
from registry.studies.index import cards
from tests.registry.record import empty

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]

TABLED = "MLPerf-Storage-v1.0"
"""The release whose lists are ranked here, not copied."""

MODELS = (ListDefinition, ListEntry, Measurement, Override, Platform, RankedList, Release, Result, Site, System)


def counts() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in MODELS}


def entry_rows() -> list[tuple[Any, ...]]:
    columns = ("ranked_list__release__slug", "ranked_list__name", "position", "rank", "result__public_id", "score")
    return list(ListEntry.objects.order_by(*columns[:3]).values_list(*columns))


@pytest.mark.real_data
def test_every_published_list_is_loaded_as_published(shared: Path) -> None:
    expected: dict[tuple[str, str], list[tuple[Any, ...]]] = defaultdict(list)
    with (shared / "data" / "io500" / "official_lists.csv").open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            names = (row["institution"], row["system"], row["filesystem_type"])
            numbers = (float(row["score"]), float(row["bw_gib_s"]), float(row["md_kiops"]))
            release = row["release"].replace("SC18*", "SC18-recomputed")
            expected[release, row["list"]].append((int(row["rank"]), row["submission_id"], *numbers, *names))
    assert RankedList.objects.exclude(release__slug=TABLED).count() == len(expected)
    columns = ("rank", "result__origin_id", "score", "bandwidth_gib_per_s", "rate_kiops")
    for (release, name), rows in expected.items():
        ranked_list = RankedList.objects.get(release__slug=release, name=name)
        stored = ranked_list.entries.values_list(*columns, "institution", "system_name", "filesystem_type")
        assert list(stored) == sorted(rows), (release, name)


def test_loading_again_changes_nothing_and_costs_one_query(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    before = counts(), entry_rows()
    with django_assert_num_queries(1):
        assert load_catalogue() == catalogue_loader.Loaded(changed=False)
    assert (counts(), entry_rows()) == before


def test_loading_changed_files_keeps_identities_and_adds_no_doubles() -> None:
    before = counts(), entry_rows(), dict(Result.objects.values_list("public_id", "id"))
    CatalogueLoad.objects.all().delete()
    assert load_catalogue().changed
    assert (counts(), entry_rows(), dict(Result.objects.values_list("public_id", "id"))) == before


def test_a_reload_repairs_an_imported_list_and_leaves_people_s_decisions() -> None:
    ListEntry.objects.filter(ranked_list__release__slug="SC19", rank=1).update(score=1.0)
    removed = Result.objects.get(public_id="io500-3")
    removed.withdrawn_at, removed.withdrawn_reason = timezone.now(), "The site asked for it."
    removed.save()
    CatalogueLoad.objects.all().delete()
    load_catalogue()
    assert ListEntry.objects.get(ranked_list__release__slug="SC19", ranked_list__name="io500", rank=1).score == 938.95
    removed.refresh_from_db()
    assert removed.withdrawn_reason == "The site asked for it."


def test_a_fresh_load_takes_few_queries(django_assert_max_num_queries: Any) -> None:
    CatalogueLoad.objects.all().delete()
    with django_assert_max_num_queries(141):
        load_catalogue()


def test_no_imported_result_is_verified() -> None:
    assert set(Result.objects.values_list("trust", flat=True)) == {"derived", "imported", "reported"}
    assert set(RankedList.objects.values_list("trust", flat=True)) == {"imported"}
    copies = RankedList.objects.exclude(release__slug=TABLED)
    assert all("not an IO500 publication" in note for note in copies.values_list("note", flat=True))


def test_a_release_without_data_is_loaded_with_its_reason() -> None:
    release = Release.objects.get(slug="ISC24")
    assert release.completeness == Release.Completeness.MISSING
    assert not release.ranked_lists.exists()
    assert "not available" in release.note


def test_a_list_of_the_first_ten_is_marked_incomplete() -> None:
    assert "first ten ranks" in RankedList.objects.get(release__slug="SC25", name="io500").note
    assert RankedList.objects.get(release__slug="SC19", name="io500").complete


def test_phases_are_measurements_with_their_units() -> None:
    phase = Measurement.objects.get(result__public_id="io500-65", op="ior-easy-write")
    assert (phase.printed_value, phase.printed_unit) == (969.45, "GiB/s")
    assert (phase.value, phase.unit) == (pytest.approx(969.45 * 2**30), "B/s")
    find = Measurement.objects.get(result__public_id="io500-91", op="find")
    assert (find.quantity, find.unit) == ("rate", "ops/s")
    assert find.value == pytest.approx(find.printed_value * 1000)


def test_a_phase_printed_as_zero_is_not_a_measurement() -> None:
    """Four runs of 2017 and 2018 print 0 for mdtest-hard-read; their rate is the geometric mean of the seven others."""
    result = Result.objects.get(public_id="io500-65")
    rates = [value / 1000 for value in result.measurements.filter(quantity="rate").values_list("value", flat=True)]
    assert len(rates) == 7
    assert math.prod(rates) ** (1 / 7) == pytest.approx(result.rate_kiops, rel=2e-3)
    assert not Measurement.objects.filter(result__trust="imported", value=0).exists()


def test_spellings_of_one_site_lead_to_one_page() -> None:
    site = Site.objects.get(name="King Abdullah University of Science and Technology")
    assert site.also_printed_as == ["KAUST"]
    assert set(site.results.values_list("institution", flat=True)) == {"KAUST", site.name}
    mskcc = Site.objects.get(name="Memorial Sloan Kettering Cancer Center")
    assert mskcc.systems.get(name="IRIS").results.count() == 2


def test_spellings_of_one_system_lead_to_one_page() -> None:
    janelia = Site.objects.get(name="Howard Hughes Medical Institute Janelia Research Campus")
    spellings = janelia.systems.get(name="SharedScratch").results.values_list("system_name", flat=True)
    assert set(spellings) == {"SharedScratch", "sharedscratch"}


def test_results_without_an_institution_keep_their_blank_text() -> None:
    site = Site.objects.get(name=catalogue_loader.UNNAMED_SITE)
    assert set(site.results.values_list("institution", flat=True)) == {""}


def test_a_platform_is_named_only_where_a_source_names_it() -> None:
    on_platform = Result.objects.filter(trust__in=["derived", "imported"]).exclude(platform=None)
    assert dict(on_platform.values_list("system__name", "platform__slug")) == {
        "Cheeloo-1 with OceanStor Pacific": "huawei-oceanstor-pacific",
        "Cray_ClusterStor_E1000_10xHDR200_1host": "clusterstor-e1000",
        "Cray_ClusterStor_E1000_6xSlingShot200_5hosts": "clusterstor-e1000",
        "Cray_C500_4xHDR200_1host": "cray-c500",
        "Cray_C500_4xHDR200_3hosts": "cray-c500",
        "e2000 of MLPerf Storage v3.0": "cray-e2000",
        "e2000-unet3d": "cray-e2000",
        "k3000": "cray-k3000",
        "k3000-unet3d": "cray-k3000",
        "K3000-kvcache": "cray-k3000",
    }
    assert on_platform.filter(public_id__startswith="mlperf-1.0-hpe-").count() == 8
    assert Platform.objects.get(slug="cray-e2000").predecessor.slug == "clusterstor-e1000"  # type: ignore[union-attr]


def test_every_imported_list_knows_the_definition_of_its_time() -> None:
    assert not RankedList.objects.filter(definition=None).exists()
    versions = RankedList.objects.filter(name="io500", release__slug__in=["SC19", "SC20"])
    assert list(versions.order_by("release__held_on").values_list("definition__version", flat=True)) == [1, 2]


def test_a_list_s_digest_covers_what_it_shows() -> None:
    ranked_list = RankedList.objects.get(release__slug="SC19", name="ten")
    entries = list(ranked_list.entries.select_related("result"))
    assert entries_digest(entries) == ranked_list.digest
    entries[3].score += 0.01
    assert entries_digest(entries) != ranked_list.digest


def test_an_edited_definition_that_made_lists_here_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    definition = ListDefinition.objects.get(name="ten", version=2)
    release = Release.objects.create(slug="next", name="next", held_on="2026-12-01", deadline=timezone.now())
    RankedList.objects.create(release=release, name="ten", title="10-node", definition=definition, trust="verified")
    edited = [
        {**body, "title": "Eleven"} if (body["name"], body["version"]) == ("ten", 2) else body
        for body in definitions.read_definitions()
    ]
    monkeypatch.setattr(definitions, "LISTS", write_definitions(tmp_path, edited))
    monkeypatch.setattr(definitions.read_definitions, "__defaults__", (tmp_path,))
    CatalogueLoad.objects.all().delete()
    with pytest.raises(CommandError, match="add version 3"):
        call_command("load_catalogue")


def write_definitions(folder: Path, bodies: list[dict[str, Any]]) -> Path:
    for body in bodies:
        path = folder / f"{body['name']}.{body['version']}.json"
        path.write_text(json.dumps(body), encoding="utf-8")
    return folder


def test_definitions_and_platforms_can_be_loaded_alone() -> None:
    empty()
    call_command("load_catalogue", "--without-history")
    call_command("load_catalogue", "--without-history")
    assert ListDefinition.objects.filter(name="io500").exists()
    assert Platform.objects.exists()
    assert not (Result.objects.exists() or Release.objects.exists() or CatalogueLoad.objects.exists())
    assert load_catalogue().results > 100


def test_the_command_prints_its_changes() -> None:
    assert said("load_catalogue") == "catalogue: unchanged"


def test_the_command_prepares_the_index_of_studies() -> None:
    """The first reader after a first start would wait seconds for it."""
    cache.delete(cards.LATEST)
    call_command("load_catalogue")
    assert {card["slug"] for card in cards.kept_cards()} == curated.load_studies().keys()


@pytest.mark.parametrize("name", ["io500", "ten"])
@pytest.mark.parametrize("release", ["isc19", "SC19", "ISC20", "SC20", "Isc21"])
def test_a_published_list_is_its_definition_plus_its_overrides(release: str, name: str) -> None:
    assert "as defined" in said("rebuild_list", release, name, "--check")


def test_the_ten_node_lists_of_sc19_and_sc20_need_no_override() -> None:
    assert said("rebuild_list", "SC19", "ten", "--check") == "SC19 ten: as defined, 25 entries, 0 overrides"
    assert said("rebuild_list", "SC20", "ten", "--check") == "SC20 ten: as defined, 45 entries, 0 overrides"


@pytest.mark.parametrize(("release", "name"), [("SC17", "io500"), ("SC25", "production"), ("ISC21", "full")])
def test_a_list_without_a_known_pool_is_not_evaluated(release: str, name: str) -> None:
    assert "not evaluated" in said("rebuild_list", release, name, "--check")


def test_a_changed_list_is_reported() -> None:
    rows = ListEntry.objects.filter(ranked_list__release__slug="SC19", ranked_list__name="ten")
    rows.filter(rank=25).delete()
    rows.filter(rank=1).update(score=1.0)
    with pytest.raises(CommandError, match="SC19 ten differs: by definition but not listed io500-"):
        call_command("rebuild_list", "SC19", "ten", "--check")


def test_a_lost_override_is_reported() -> None:
    Override.objects.filter(release__slug="ISC20", list_name="io500", action="include").first().delete()  # type: ignore[union-attr]
    with pytest.raises(CommandError, match="listed but not by definition"):
        call_command("rebuild_list", "ISC20", "io500", "--check")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("SC99", "ten"), "there is no release SC99"),
        (("SC17", "production", "--check"), "SC17 has no list production"),
        (("SC19", "ten"), "stay as published"),
    ],
)
def test_lists_that_cannot_be_rebuilt_have_a_reason(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("rebuild_list", *arguments)


def said(command: str, *arguments: str) -> str:
    out = StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue().strip()


def test_the_newest_results_are_those_of_the_newest_release(db) -> None:
    load_catalogue()
    newest = Result.objects.order_by("-id").values_list("release__slug", flat=True)
    assert set(newest[:5]) == {"SC25"}
