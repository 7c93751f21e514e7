"""MLPerf Storage v3.0 in the record: every row accounted for, figures where raw files were read, and nothing beyond.

Expected figures are those of the shared table, which was computed from the raw files apart from our reader.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from registry.loading import mlperf_rows
from registry.loading.catalogue_loader import load_catalogue
from registry.models import CatalogueLoad, Platform, RankedList, Release, Result, System
from registry.presentation.published_row import FIGURES, ID_BASES, KINDS, MODEL_BASES, build_published_row
from registry.query.responses.source_links import list_source_links
from tools.make_mlperf_3 import make_table

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]

SLUG = "MLPerf-Storage-v3.0"
API = "/api/v1/"
E2000, K3000, ONE_RUN, NONE = (
    "mlperf-3.0-hpe-training-1",
    "mlperf-3.0-hpe-training-2",
    "mlperf-3.0-nebius-training-2",
    "mlperf-3.0-nvidia-training-1",
)
FIGURES_OF_METRICS = {
    "train_samples_per_s": ("*", "samples_rate"),
    "train_MiB_per_s": ("*", "bandwidth"),
    "train_au_pct": ("*", "au"),
    "ckpt_write_GiB_per_s": ("checkpoint-write", "bandwidth"),
    "ckpt_write_s": ("checkpoint-write", "time"),
    "ckpt_read_GiB_per_s": ("checkpoint-read", "bandwidth"),
    "ckpt_read_s": ("checkpoint-read", "time"),
    **{
        f"kv_opt{number}_{name}": (f"kv-option-{number}{part}", quantity)
        for number in "123"
        for name, part, quantity in (
            ("read_GiBps", "-read", "bandwidth"),
            ("write_GiBps", "-write", "bandwidth"),
            ("tokens_per_s", "", "token_rate"),
            ("storage_tokens_per_s", "-storage", "token_rate"),
            ("p95_latency_ms", "", "latency"),
        )
    },
    "vdb_qps": ("search", "query_rate"),
    "vdb_recall": ("search", "recall"),
    **{f"vdb_{stat}_ms": ("search", "latency") for stat in ("mean", "p95", "p99", "p999")},
}
STATS = {"vdb_p95_ms": "p95", "vdb_p99_ms": "p99", "vdb_p999_ms": "p99.9"} | {
    f"kv_opt{number}_p95_latency_ms": "p95" for number in "123"
}


def rows_of_round() -> list[Result]:
    return list(Result.objects.filter(release__slug=SLUG).select_related("system__platform", "platform", "site"))


def published(result: Result) -> dict[str, Any]:
    row: dict[str, Any] = result.snapshot["published_row"]
    return row


def get(path: str) -> Any:
    response = Client().get(API + path)
    assert response.status_code == 200, response.content
    return response.json()


# Every row


def test_every_row_of_the_round_is_a_result() -> None:
    results = rows_of_round()
    assert len(results) == 150
    kinds = Counter(published(result)["kind"] for result in results)
    assert kinds == {"checkpointing": 64, "training": 59, "kv_cache": 23, "vector_database": 4}
    assert Counter(published(result)["division"] for result in results) == {"closed": 148, "open": 2}
    assert len({published(result)["submitter"] for result in results}) == 19
    names = {(published(row)["division"], published(row)["submitter"], published(row)["system"]) for row in results}
    assert len(names) == len({result.system_id for result in results}) == 99
    assert {result.mode for result in results} == set(kinds)


def test_every_public_id_is_a_row_or_retired_or_was_never_issued() -> None:
    """The review names 181 ids: 150 stand, 29 were taken back, two were never given out."""
    document = json.loads(mlperf_rows.TABLE.read_text(encoding="utf-8"))
    standing = [row["published_row"]["id"] for row in document["results"]]
    retired = [row["id"] for row in document["retired"]]
    accounted = [*standing, *retired, *document["never_issued"]]
    assert (len(standing), len(retired), len(document["never_issued"])) == (150, 29, 2)
    assert sorted(accounted) == [f"v3.0-{number:04}" for number in range(1, 182)]
    assert Counter(row["by"] for row in document["retired"]) == {"submitter": 19, "review chairs": 10}


def test_a_row_without_figures_has_no_number_and_no_higher_trust() -> None:
    figures: dict[str, list[Result]] = defaultdict(list)
    for result in rows_of_round():
        figures[published(result)["figures"]].append(result)
    assert {name: len(results) for name, results in figures.items()} == {"whole": 25, "one_run": 11, "none": 114}
    assert {result.trust for result in figures["none"]} == {"imported"}
    assert {result.trust for result in figures["whole"] + figures["one_run"]} == {"derived"}
    assert not any(result.measurements.exists() or result.client_nodes for result in figures["none"])
    assert all(result.measurements.exists() for result in figures["whole"])


def test_an_inferred_model_is_no_parameter() -> None:
    for result in rows_of_round():
        row = published(result)
        if row["model_basis"] == "listing":
            assert result.parameters["model"] == row["model"]
            assert result.source.endswith(f"/{row['kind']}/{row['model'].replace(' ', '/')}")
        else:
            assert "model" not in result.parameters
            assert result.source.endswith(f"/{row['system']}/{row['kind']}")


def test_every_code_of_a_row_has_a_text_on_its_page() -> None:
    for result in rows_of_round():
        row = published(result)
        assert row["kind"] in KINDS and row["figures"] in FIGURES
        assert row["id_basis"] in ID_BASES and row["model_basis"] in MODEL_BASES
        assert row["id_inferred"] == (row["id_basis"] != "stated")


# Public ids of MLCommons


def test_an_inferred_id_is_part_of_no_address_and_no_citation() -> None:
    for result in rows_of_round():
        number = published(result)["id"].removeprefix("v3.0-")
        assert number not in result.public_id and number not in result.source
        assert result.origin_id == ""
    answer = get(f"results/{E2000}/")
    assert answer["facts"]["published_row"]["id"] == "v3.0-0151"
    assert answer["facts"]["published_row"]["id_inferred"] is True
    for form in ("", "?format=bibtex", "?format=cff", "?format=datacite", "?format=text"):
        response = Client().get(f"{API}results/{E2000}/citation/{form}")
        assert response.status_code == 200
        assert "v3.0-0151" not in response.content.decode()


def test_the_page_marks_an_inferred_id() -> None:
    page = Client().get(f"/results/{E2000}/").content.decode()
    assert "v3.0-0151 (inferred)" in page and "may be that of the neighbour" in page
    stated = Client().get("/results/mlperf-3.0-hpe-kv-cache-1/").content.decode()
    assert "v3.0-0149 <small>named with this row" in stated


# Figures

READ_BY = re.compile(r'"read_by":"validators [0-9.]+"')


@pytest.mark.real_data
def test_the_file_is_what_the_script_makes(shared: Path) -> None:
    """Rows name the version of the rules that read them; later rules read the same."""
    new, stored = make_table(shared / "data" / "mlperf-v3"), mlperf_rows.TABLE.read_text(encoding="utf-8")
    assert READ_BY.sub("", new) == READ_BY.sub("", stored)
    assert set(READ_BY.findall(stored)) == {'"read_by":"validators 1.0.0"'}


@pytest.mark.real_data
def test_every_figure_is_that_of_the_raw_files(shared: Path) -> None:
    """218 figures of 36 rows; those of one run stand as figures of that run."""
    results = {published(result)["id"]: result for result in rows_of_round()}
    with (shared / "data" / "mlperf-v3" / "mlperf_storage_v3.0_metrics.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    assert len(rows) == 218
    for row in rows:
        result = results[row["public_id"]]
        op, quantity = FIGURES_OF_METRICS[row["metric"]]
        is_one = published(result)["figures"] == "one_run"
        stat = "run" if is_one else STATS.get(row["metric"], "mean")
        figures = result.measurements.filter(op=row["model"] if op == "*" else op, quantity=quantity, stat=stat)
        figure = figures.exclude(op="search", context__has_key="run").get()
        assert figure.printed_value == pytest.approx(float(row["value"]), rel=1e-6), row
    assert {row["public_id"] for row in rows} == {id for id, row in results.items() if row.trust == "derived"}


@pytest.mark.parametrize(("public_id", "rate", "with_warm_up"), [(E2000, 1225.05, 1224.73), (K3000, 2532.69, 2532.79)])
def test_the_warm_up_run_is_left_out(public_id: str, rate: float, with_warm_up: float) -> None:
    rates = Result.objects.get(public_id=public_id).measurements.filter(quantity="samples_rate")
    assert round(rates.get(stat="mean").value, 2) == rate != with_warm_up
    assert rates.filter(stat="run").count() == 5


def test_units_are_those_that_the_tool_means() -> None:
    """Checkpoints of the e2000 of 911.2 GiB in 18.91 s are 48.18 GiB/s; "gbps" of kv_cache are GiB/s."""
    checkpoint = Result.objects.get(public_id="mlperf-3.0-hpe-checkpointing-1").measurements
    assert checkpoint.get(op="checkpoint-write", quantity="bandwidth", stat="mean").value == pytest.approx(
        48.180245 * 2**30, rel=1e-6
    )
    cache = Result.objects.get(public_id="mlperf-3.0-hpe-kv-cache-1").measurements
    assert cache.get(op="kv-option-1-read").value == pytest.approx(151.714004 * 2**30, rel=1e-6)


def test_one_run_of_five_has_no_mean_and_is_compared_with_nothing() -> None:
    result = Result.objects.get(public_id=ONE_RUN)
    assert set(result.measurements.values_list("stat", flat=True)) == {"run"}
    assert result.parameters.keys().isdisjoint({"runs", "au_min_run"})
    (limit,) = result.snapshot["not_comparable_for"]
    assert "one of five measured runs" in limit["reason"]
    answer = get(f"compare/?results={ONE_RUN},{E2000}")
    assert not [row for row in answer["measurements"] if any(row["ratios"][1:])]


def test_a_ranking_leaves_single_runs_out_with_a_reason() -> None:
    answer = get(f"ranking/?formula=[unet3d.samples_rate.run]&tool=mlperf-storage&release={SLUG}")
    assert {row["result"] for row in answer["rows"]} == {E2000, K3000}
    forbidden = {row["result"]: row["reasons"] for row in answer["not_comparable"]}
    assert len(forbidden) == 9 and "one of five measured runs" in forbidden[ONE_RUN][0]


def test_missing_ranks_are_a_limit_and_a_finding() -> None:
    result = Result.objects.get(public_id="mlperf-3.0-farmgpu-kv-cache-5")
    limits, (finding,) = result.snapshot["not_comparable_for"], result.snapshot["findings"]
    assert finding["code"] == "mlperf-storage.ranks-missing"
    assert {limit["op"] for limit in limits} == set(result.measurements.values_list("op", flat=True))
    (reason,) = {limit["reason"] for limit in limits}
    assert "24 in option 1, 21 in option 2" in reason
    assert Client().get(f"/results/{result.public_id}/").content.decode().count(reason) == 2, "a note and a finding"


# Where the rows stand


def test_results_of_the_round_are_not_ranked() -> None:
    release = Release.objects.get(slug=SLUG)
    assert not RankedList.objects.filter(release=release).exists()
    for path in (f"/releases/{SLUG}/", f"/lists/{SLUG}/"):
        page = Client().get(path).content.decode()
        assert "MLCommons publishes no ranking" in page and "/results/?release=MLPerf-Storage-v3.0" in page
    assert get(f"releases/{SLUG}/")["completeness"] == "missing"


@pytest.mark.parametrize("name", ["io500", "ten", "full"])
def test_no_list_of_io500_is_reconstructed_for_it(name: str) -> None:
    answer = Client().get(f"{API}lists/{SLUG}/{name}/reconstructed/")
    assert answer.status_code == 404
    assert "IO500 made no list of MLPerf Storage v3.0" in answer.json()["hint"]


def test_rows_of_hpe_meet_the_e2000_of_the_paper_on_its_platform() -> None:
    platform = Platform.objects.get(slug="cray-e2000")
    on_platform = {result.public_id: result for result in platform.results.select_related("site")}
    assert {"mlperf-3.0-hpe-checkpointing-1", E2000, "cug25-mlperf-unet3d-e2000-10"} <= on_platform.keys()
    assert {result.site.slug for result in on_platform.values()} == {"hewlett-packard-enterprise"}
    of_k3000 = Result.objects.filter(platform__slug="cray-k3000").values_list("public_id", flat=True)
    assert set(of_k3000) == {"mlperf-3.0-hpe-checkpointing-2", K3000, "mlperf-3.0-hpe-kv-cache-1"}
    page = Client().get("/platforms/cray-e2000/").content.decode()
    assert E2000 in page and "mlperf-3.0-hpe-checkpointing-1" in page


def test_the_e2000_of_the_round_and_of_the_paper_are_two_systems() -> None:
    """Both are called so, and nobody says that they are one system."""
    result = Result.objects.select_related("system").get(public_id="mlperf-3.0-hpe-checkpointing-1")
    paper = Result.objects.select_related("system").get(public_id="cug25-mlperf-unet3d-e2000-10")
    assert (result.system_name, paper.system_name) == ("e2000", "E2000")
    assert result.system != paper.system
    assert System.objects.get(pk=result.system_id).name == "e2000 of MLPerf Storage v3.0"


def test_a_row_links_its_folder() -> None:
    result = Result.objects.select_related("release").get(public_id=NONE)
    (link,) = list_source_links(result, [])
    assert link.address == (
        "https://github.com/mlcommons/storage_results_v3.0/tree/main/closed/NVIDIA/results/"
        "aistore-12n-oci-bm-denseio-e5-128-20client-unet3d/training"
    )


def test_a_page_without_numbers_begins_with_the_reason() -> None:
    page = Client().get(f"/results/{NONE}/").content.decode()
    assert page.index("No numbers here.") < page.index("Client nodes")
    assert "its folder was not seen" in page and "not in the source" not in page
    assert "Figures of one run." in Client().get(f"/results/{ONE_RUN}/").content.decode()


def test_unread_files_are_the_reason_of_missing_facts() -> None:
    answer = get(f"study/?metric=unet3d.samples_rate&x=client_nodes&per=drive&release={SLUG}")
    assert {gap["reason"] for gap in answer["gaps"]} == {"not-read"}


def test_a_second_load_changes_nothing() -> None:
    before = list(Result.objects.order_by("pk").values_list("public_id", "trust", "system", "snapshot__published_row"))
    CatalogueLoad.objects.all().delete()
    assert load_catalogue().changed
    after = list(Result.objects.order_by("pk").values_list("public_id", "trust", "system", "snapshot__published_row"))
    assert after == before


def test_a_result_of_another_round_has_no_such_row() -> None:
    assert build_published_row(Result.objects.get(public_id="io500-1").snapshot) == {}
    assert build_published_row({}) == {}
