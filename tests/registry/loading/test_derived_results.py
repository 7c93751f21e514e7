"""Derived results in the record: figures of published archives, held against values that were read by hand.

The archives lie in the shared data; the figures below were read in their result_summary.txt and mdtest texts, not with
our reader.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from registry.lists.listing import compute_list
from registry.loading import catalogue_loader, derived_results
from registry.loading.archive_folders import find_archives
from registry.loading.catalogue_loader import import_archives, load_catalogue
from registry.models import CatalogueLoad, ListEntry, Measurement, RankedList, Release, Result
from registry.query.responses.source_links import list_source_links
from tests.registry.record import make_release
from tools.make_derived import make_derived

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]

API = "/api/v1/"
OF_ARCHIVES = Result.objects.filter(trust="derived", tool="io500")

# Submission: score, GiB/s, kIOPS, ior-easy-write GiB/s, find kIOPS, processes, client nodes; as the files print them.
BY_HAND: dict[int, tuple[float, float, float, float, float, int, int]] = {
    1: (1792.98, 371.671, 8649.57, 243.638, 8838.370, 1664, 52),
    3: (938.949, 174.741, 5045.33, 298.134, 32781.350, 8625, 345),
    142: (14.6701, 4.47789, 48.061, 12.004, 431.640, 400, 10),
    545: (612.869856, 105.276201, 3567.847794, 112.999945, 5057.189716, 960, 10),
    593: (62.546239, 25.959624, 150.696792, 52.873384, 729.892591, 360, 10),
    672: (22.765737, 23.875093, 21.707927, 10.012985, 234.576426, 320, 10),
    688: (32165.926368, 10066.086553, 102785.408581, 20693.627959, 229672.102323, 62400, 300),
    710: (6.703706, 2.171468, 20.695524, 24.251707, 369.901408, 160, 10),
    715: (299.316404, 159.928345, 560.190314, 818.996567, 3001.350086, 1280, 10),
    736: (838.992571, 438.617055, 1604.836213, 811.333074, 3016.995633, 18600, 186),
    759: (125.015227, 76.640352, 203.923997, 216.079458, 2532.379306, 1280, 10),
    772: (3470.216148, 861.224294, 13982.884828, 1028.084806, 10358.107562, 21504, 192),
    785: (291.601718, 265.357020, 320.442105, 436.642877, 1922.519082, 400, 20),
}


def result_of(submission: int) -> Result:
    return Result.objects.get(public_id=f"io500-{submission}")


def archive_of(submission: int) -> dict[str, Any]:
    archive: dict[str, Any] = result_of(submission).snapshot["archive"]
    return archive


@pytest.mark.parametrize("submission", BY_HAND)
def test_figures_are_those_of_the_raw_files(submission: int) -> None:
    """Old releases print phases with three decimals, so that what is computed of 0.6 GiB/s is known to 1 in 5,000."""
    score, bandwidth, rate, easy_write, find, tasks, nodes = BY_HAND[submission]
    result = result_of(submission)
    assert result.trust == "derived"
    assert result.score == pytest.approx(score, rel=2e-4)
    assert result.bandwidth_gib_per_s == pytest.approx(bandwidth, rel=2e-4)
    assert result.rate_kiops == pytest.approx(rate, rel=2e-4)
    phases = {row.op: row for row in result.measurements.filter(quantity__in=["bandwidth", "rate"])}
    assert phases["ior-easy-write"].value == pytest.approx(easy_write * 2**30, rel=1e-12)
    assert (phases["ior-easy-write"].printed_value, phases["ior-easy-write"].printed_unit) == (easy_write, "GiB/s")
    assert phases["find"].value == pytest.approx(find * 1000, rel=1e-12)
    assert (result.tasks, result.client_nodes) == (tasks, nodes)


def test_all_334_archives_are_accounted_for() -> None:
    rows = derived_results.read_derived()
    assert len(rows) == 334
    assert Counter(row["status"] for row in rows) == {"valid": 320, "invalid": 8, "unreadable": 5, "several": 1}
    with_archive = Result.objects.filter(snapshot__has_key="archive")
    assert {row["id"] for row in rows} == set(with_archive.values_list("public_id", flat=True))
    assert with_archive.filter(trust="derived").count() == OF_ARCHIVES.count() == 291
    others = [result.snapshot["archive"] for result in with_archive.filter(trust="imported")]
    assert Counter("measurements" in archive for archive in others) == {True: 37, False: 6}
    assert all(archive["reason"] for archive in others)
    assert all(
        archive["address"].endswith(f"/{archive['year']}/" + archive["address"].rpartition("/")[2])
        for archive in others
    )


def test_archives_that_no_list_has_are_new_results_on_no_list() -> None:
    new = OF_ARCHIVES.exclude(snapshot__has_key="list")
    assert new.count() == 81
    assert not ListEntry.objects.filter(result__in=new).exists()
    assert set(new.values_list("opted_in", "bundle_sha256", "published_at")) == {(False, "", None)}
    assert list(new.filter(release=None).values_list("public_id", flat=True)) == ["io500-710"]
    assert all(result.snapshot["archive"]["release_inferred"] for result in new.exclude(release=None))
    assert new.filter(release__slug="ISC24").count() == 8


def test_scores_agree_within_the_printed_digits_or_have_an_explanation() -> None:
    """IO500 prints two decimals; the first releases six significant digits."""
    for result in Result.objects.filter(trust="derived", snapshot__has_key="list"):
        listed_score = result.snapshot["list"]["score"]
        assert result.score == pytest.approx(listed_score, abs=0.011, rel=2e-5), result.public_id
    for result in Result.objects.filter(trust="imported", snapshot__has_key="archive"):
        archive = result.snapshot["archive"]
        if "scores" in archive and abs(archive["scores"]["SCORE"]["value"] - (result.score or 0)) > 0.011:
            assert "score" in {row["what"] for row in archive["differences"]}, result.public_id


def test_differing_values_of_archive_and_list_are_both_shown() -> None:
    """IO500 corrected mdtest-hard-write of submission 18 from 24.375 to 4.68 kIOPS."""
    result = result_of(18)
    assert (result.trust, result.score, result.rate_kiops) == ("imported", 330.56, 1238.93)
    archive = archive_of(18)
    differences = {row["what"]: (row["list"], row["archive"]) for row in archive["differences"]}
    assert differences["mdtest-hard-write"] == (4.68, 24.375)
    assert differences["score"] == (330.56, pytest.approx(366.466, rel=1e-6))
    assert "corrected" in archive["reason"]
    assert result.measurements.get(op="mdtest-hard-write").printed_value == 4.68


def test_an_archive_of_another_run_is_marked() -> None:
    assert "another run" in archive_of(163)["reason"]
    assert result_of(163).trust == "imported"


def test_differing_counts_are_shown_and_kept_as_declared() -> None:
    """List: 10 client nodes. mdtest was launched with 240 tasks on 40 nodes."""
    result = result_of(75)
    assert (result.trust, result.client_nodes) == ("derived", 10)
    assert {"what": "client_nodes", "list": 10, "archive": 40} in archive_of(75)["differences"]


@pytest.mark.parametrize("submission", [177, 194, 198, 203, 551])
def test_an_unreadable_archive_adds_a_reason_and_no_number(submission: int) -> None:
    result = result_of(submission)
    assert (result.trust, result.snapshot["archive"]["status"]) == ("imported", "unreadable")
    assert "no result" in result.snapshot["archive"]["reason"].lower()
    assert not result.measurements.filter(quantity="time").exists()
    assert "scores" not in result.snapshot["archive"]


def test_an_archive_of_several_runs_has_no_primary() -> None:
    assert archive_of(109)["status"] == "several"
    assert "Several runs" in archive_of(109)["reason"]
    assert "evidence" not in result_of(109).snapshot


def test_a_run_with_errors_keeps_its_numbers_and_shows_them() -> None:
    """Submission 55: ior-hard-write wrote for 269.61 s, and the rules of today ask for 300 s."""
    errors = [row for row in result_of(55).snapshot["findings"] if row["level"] == "error"]
    assert (result_of(55).trust, archive_of(55)["status"]) == ("derived", "invalid")
    assert [row["code"] for row in errors] == ["io500.stonewall.short"]
    assert "269.61 s" in errors[0]["message"]


def test_results_known_from_slides_have_their_phases() -> None:
    slides = Result.objects.filter(snapshot__list__source__icontains="slides", snapshot__has_key="archive")
    assert slides.count() == 52
    for result in slides:
        assert result.measurements.filter(scored=True).count() >= 12, result.public_id
        assert result.client_nodes, result.public_id


def test_lists_keep_their_published_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their digests and rows are the same as without any archive."""

    def rows() -> list[Any]:
        columns = ("result__public_id", "rank", "score", "client_nodes", "bandwidth_gib_per_s", "rate_kiops")
        entries = ListEntry.objects.order_by("ranked_list__release__slug", "ranked_list__name", "position")
        digests = RankedList.objects.order_by("release__slug", "name").values_list("release__slug", "name", "digest")
        return [*digests, *entries.values_list(*columns)]

    with_archives = rows()
    monkeypatch.setattr(derived_results, "read_derived", list)
    CatalogueLoad.objects.all().delete()
    load_catalogue()
    assert not Result.objects.filter(trust="derived", snapshot__has_key="list").exists()
    assert rows() == with_archives


def test_an_older_database_gets_derived_results_with_the_next_load(monkeypatch: pytest.MonkeyPatch) -> None:
    OF_ARCHIVES.exclude(snapshot__has_key="list").delete()
    CatalogueLoad.objects.all().delete()
    with monkeypatch.context() as before:
        before.setattr(derived_results, "read_derived", list)
        load_catalogue()
    assert not OF_ARCHIVES.exists()
    assert result_of(772).client_nodes is None
    CatalogueLoad.objects.all().delete()
    assert load_catalogue().derived == 291 + 36, "with the rows of MLPerf Storage v3.0"
    assert (result_of(772).trust, result_of(772).client_nodes) == ("derived", 192)


def test_importing_the_same_rows_again_changes_nothing() -> None:
    rows = [row for row in derived_results.read_derived() if row["submission"] in {"1", "18", "194", "710", "785"}]
    ids = [row["id"] for row in rows]

    def state() -> list[Any]:
        results = Result.objects.filter(public_id__in=ids).order_by("id")
        measurements = Measurement.objects.filter(result__in=results).order_by("result", "position")
        facts = results.values_list("public_id", "facts__name", "facts__text").order_by("id", "facts__name")
        return [*results.values(), *facts, *measurements.values_list("result_id", "position", "op", "value")]

    before = state()
    outcomes = import_archives(rows)
    assert {outcome.public_id: outcome.trust for outcome in outcomes} == {
        "io500-1": "derived", "io500-18": "imported", "io500-194": "imported",
        "io500-710": "derived", "io500-785": "derived",
    }  # fmt: skip
    assert not any(outcome.is_new for outcome in outcomes)
    assert state() == before


def test_a_withdrawn_result_stays_withdrawn() -> None:
    Result.objects.filter(public_id="io500-785").update(withdrawn_at="2026-11-01T00:00:00Z", withdrawn_reason="Asked.")
    import_archives([row for row in derived_results.read_derived() if row["submission"] == "785"])
    assert result_of(785).withdrawn_reason == "Asked."


def test_the_data_files_hold_no_text_of_the_archives() -> None:
    for path in derived_results.DERIVED.glob("*.json"):
        text = path.read_text(encoding="utf-8")
        assert "@" not in text, path.name
        assert not re.search(r"/(home|users|mnt|root/[^i])", text), path.name
        for row in json.loads(text)["archives"]:
            parameters = row.get("parameters", {})
            assert not {"declared", "job_scripts", "job_outputs"} & parameters.keys()
            assert all(len(str(value)) <= 40 for value in parameters.values()), row["id"]
    assert sum(path.stat().st_size for path in derived_results.DERIVED.glob("*.json")) < 3 * 2**20


@pytest.mark.real_data
def test_the_data_files_are_what_the_script_makes(shared: Path) -> None:
    """Of every fortieth archive: its row of the files is the row that our reader makes of it now."""
    folders = (shared / "data" / "io500", shared / "data" / "io500-rest")
    places = [place for folder in folders for place in find_archives(folder)][::40]
    rows_now = [row for text in make_derived(places).values() for row in json.loads(text)["archives"]]
    stored = {row["id"]: row for row in derived_results.read_derived()}
    assert len(rows_now) == len(places) == 9
    for row in rows_now:
        assert stored[row["id"]] == row | {"read_by": stored[row["id"]]["read_by"]}


def test_derived_results_are_filtered_by_trust(client: Client) -> None:
    rows = client.get(f"{API}results/?trust=derived&tool=io500&page_size=500").json()["results"]
    assert len(rows) == 291
    assert {row["trust"] for row in rows} == {"derived"}
    assert 'value="derived"' in client.get("/results/").content.decode()


def test_a_result_links_its_sources_and_the_next_trust_level(client: Client) -> None:
    derived = client.get(f"{API}results/io500-772/").json()
    base = "https://github.com/IO500/submission-data/tree/master"
    assert [link["address"] for link in derived["source_links"]] == [
        f"{base}/LRZ/SuperMUC-NG-Phase2-EC/DAOS/2025/submission-772",
        "https://io500.org/submissions/view/772",
        "https://io500.org/list/SC25/production",
    ]
    assert derived["next_trust"]["level"] == "verified"
    assert derived["next_trust"]["needs"].endswith("a separate result with its own id.")
    differing = client.get(f"{API}results/io500-18/").json()
    assert differing["next_trust"]["level"] == "derived"
    reported = client.get(f"{API}results/cug25-table3-1/").json()
    assert [(link["address"], link["place"]) for link in reported["source_links"]] == [("", "Table 3, row 1")]
    table = client.get(f"{API}results/mlperf-1.0-ddn-cosmoflow-h100-1/").json()
    assert table["source_links"][0]["address"].startswith(
        "https://github.com/mlcommons/storage_results_v1.0/blob/main/"
    )


def test_every_number_that_was_copied_has_a_source() -> None:
    for result in Result.objects.exclude(trust="verified").select_related("release"):
        links = list_source_links(result, [])
        assert links or result.source, result.public_id
        if result.trust == "derived" and result.tool == "io500":
            assert links[0].address.startswith("https://github.com/IO500/submission-data/"), result.public_id


def test_a_citation_of_a_rank_has_the_trust_of_the_list(client: Client) -> None:
    listed = client.get(f"{API}results/io500-772/citation/").json()
    assert "rank 2 on the imported IO500 Production list of SC25 (derived: read by our readers" in listed["sentence"]
    unlisted = client.get(f"{API}results/io500-785/citation/").json()
    assert "derived: read by our readers from published raw files, not reviewed here" in unlisted["sentence"]
    assert client.get("/results/io500-785/badge.svg").status_code == 200


def test_entries_have_the_trust_of_their_list(client: Client) -> None:
    entries = client.get(f"{API}lists/SC25/production/").json()["entries"]
    assert {entry["trust"] for entry in entries} == {"imported"}
    assert {entry["client_nodes"] for entry in entries} == {None}
    page = client.get("/lists/SC25/production/").content.decode()
    assert "192<sup" in page
    assert "https://io500.org/list/SC25/production" in page


@pytest.mark.parametrize("submission", [18, 109, 194, 587, 695, 710, 772])
def test_the_page_of_a_derived_result_shows_its_sources(client: Client, submission: int) -> None:
    page = client.get(f"/results/io500-{submission}/")
    text = " ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split())
    assert page.status_code == 200
    assert "How far to trust it" in text
    assert "Its published archive" in text
    assert "the raw files" in text


def test_derived_numbers_never_mix_with_others(client: Client) -> None:
    answer = client.get(f"{API}study/?metric=score&x=release&tool=io500").json()
    places = {(row["release"], row["trust"]) for row in answer["rows"]}
    assert {("SC18", "derived"), ("SC18", "imported"), ("ISC24", "derived")} <= places
    assert ("ISC24", "imported") not in places
    ranking = client.get(f"{API}ranking/?formula=score&tool=io500").json()
    assert ranking["counts"]["derived"] == {"ranked": 291, "missing": 0}


def test_no_list_made_here_ranks_a_derived_result() -> None:
    release = make_release("Later", "2026-12-01", imported=False, deadline=timezone.now())
    for name in ("full", "historical", "io500"):
        assert not compute_list(release, name).rows


def test_the_loader_loads_every_release() -> None:
    assert Release.objects.count() == 20
    assert catalogue_loader.files_digest() == CatalogueLoad.objects.latest("id").digest
