"""Results that were published as a table without ranks: imported, ranked here by workload and accelerator."""

from __future__ import annotations

import csv
import importlib.util
import json
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from registry.lists.listing import check_list
from registry.lists.ranking import Differences
from registry.loading import catalogue_loader
from registry.models import RankedList, Release, Result
from tests.html import page_source

ROOT = Path(__file__).resolve().parents[3]
SLUG = "MLPerf-Storage-v1.0"
TOO_SMALL = "mlperf-storage.dataset-too-small"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_mlperf", ROOT / "tools" / "make_mlperf.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def published(shared: Path) -> list[dict[str, str]]:
    with (shared / "data" / "mlperf_storage_v1.0.csv").open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


@pytest.mark.real_data
def test_the_file_is_what_the_script_makes(shared: Path, script: ModuleType) -> None:
    generated = script.make_table(shared / "data" / "mlperf_storage_v1.0.csv")
    assert generated == (catalogue_loader.TABLES / "mlperf-storage-v1.0.json").read_text(encoding="utf-8")


@pytest.mark.real_data
def test_every_published_row_is_a_result_with_its_numbers(published: list[dict[str, str]]) -> None:
    results = {
        result.source.removeprefix("MLPerf Storage v1.0, "): result
        for result in Result.objects.filter(release__slug=SLUG)
    }
    assert len(results) == len(published) == 132
    for row in published:
        result = results[row["report"]]
        assert (result.trust, result.tool, result.client_nodes) == ("imported", "mlperf-storage", int(row["num_hosts"]))
        printed_values = {
            (measurement.quantity, measurement.stat): measurement.printed_value
            for measurement in result.measurements.all()
        }
        assert printed_values["bandwidth", "mean"] == float(row["MiB_per_s_mean"])
        assert printed_values["samples_rate", "mean"] == float(row["samples_per_s_mean"])
        assert printed_values["au", "min_run"] == float(row["au_min_run"])


@pytest.mark.real_data
def test_each_list_is_the_table_in_the_order_of_throughput(published: list[dict[str, str]]) -> None:
    lists = RankedList.objects.filter(release__slug=SLUG)
    assert sum(ranked_list.entries.count() for ranked_list in lists) == 132
    for ranked_list in lists:
        division = "Open" if ranked_list.name.endswith("-open") else "Closed"
        _, workload, accelerator = ranked_list.name.removesuffix("-open").split("-")
        rows = [
            float(row["MiB_per_s_mean"])
            for row in published
            if (row["division"], row["workload"], row["accelerator"]) == (division, workload, accelerator)
        ]
        assert list(ranked_list.entries.values_list("score", flat=True)) == pytest.approx(sorted(rows, reverse=True))


def test_findings_are_those_of_the_rules_of_the_benchmark() -> None:
    finding_counts = Counter(
        (finding["code"], finding["level"])
        for result in Result.objects.filter(release__slug=SLUG)
        for finding in result.snapshot["findings"]
    )
    assert finding_counts == {
        (TOO_SMALL, "error"): 6,
        ("mlperf-storage.dataset-barely-5x", "info"): 23,
        ("mlperf-storage.potential-caching", "warning"): 11,
        ("mlperf-storage.report-disagrees-with-runs", "warning"): 1,
    }


def test_every_result_was_busy_enough_for_its_workload() -> None:
    for result in Result.objects.filter(release__slug=SLUG):
        assert result.parameters["au_threshold"] == (70 if result.parameters["model"] == "cosmoflow" else 90)
        outcomes = {rule["code"]: rule["outcome"] for rule in result.snapshot["rules"]}
        assert outcomes["mlperf-storage.utilisation"] == "satisfied"


def test_open_and_closed_results_share_no_list() -> None:
    for ranked_list in RankedList.objects.filter(release__slug=SLUG):
        divisions = set(ranked_list.entries.values_list("result__parameters__division", flat=True))
        assert divisions == {"open" if ranked_list.name.endswith("-open") else "closed"}


def test_errors_of_a_result_are_shown_beside_it(client) -> None:
    entry = next(
        candidate
        for candidate in RankedList.objects.get(release__slug=SLUG, name="mlperf-cosmoflow-h100").entries.all()
        if "error:" in candidate.note
    )
    assert "0.646 times the memory" in entry.note
    list_page = page_source(client.get(f"/lists/{SLUG}/mlperf-cosmoflow-h100/"))
    assert "0.646 times the memory" in list_page
    page = page_source(client.get(f"/results/{entry.result.public_id}/"))
    assert TOO_SMALL in page
    assert "imported" in page


def test_the_page_names_what_is_ranked_with_its_unit_and_the_parameters_of_each_run(client) -> None:
    page = page_source(client.get(f"/lists/{SLUG}/mlperf-unet3d-h100/"))
    assert 'Throughput</a><br><span class="unit">MiB/s</span>' in page
    assert 'data-l="Accelerators"' in page
    assert "kIOPS" not in page
    assert "MLCommons publishes no ranking" in page
    assert "Ranks, scores and membership are as published" not in page


def test_the_api_names_the_ranked_metric(client) -> None:
    answer = client.get(f"/api/v1/lists/{SLUG}/mlperf-unet3d-h100/").json()
    assert answer["ranks"] == {
        "tool": "mlperf-storage",
        "op": "unet3d",
        "quantity": "bandwidth",
        "stat": "mean",
        "unit": "MiB/s",
        "title": "Throughput",
        "better": "higher",
    }
    assert (answer["trust"], answer["length"]) == ("imported", 34)
    assert client.get("/api/v1/lists/SC19/ten/").json()["ranks"]["unit"] is None


def test_a_list_ranked_here_can_be_checked_against_its_definition() -> None:
    for ranked_list in RankedList.objects.filter(release__slug=SLUG):
        assert check_list(ranked_list) == Differences()


def test_the_first_page_shows_io500_only(client) -> None:
    assert "mlperf" not in page_source(client.get("/")).lower().replace("mlperf storage", "")


def test_the_data_file_is_marked_as_a_copy() -> None:
    table = json.loads((catalogue_loader.TABLES / "mlperf-storage-v1.0.json").read_text(encoding="utf-8"))
    assert "not an MLCommons publication" in table["release"]["source"]
    assert Release.objects.get(slug=SLUG).imported
