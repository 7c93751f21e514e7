"""manage.py import_mlperf: a copy of the tree, made of our own samples, adds figures to rows and takes none away."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

import validators
from registry.loading import mlperf_copies, mlperf_descriptions, mlperf_folders
from registry.loading.catalogue_loader import import_rows, load_catalogue
from registry.loading.mlperf_folders import FolderError, find_workloads
from registry.models import CatalogueLoad, Result

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]

SAMPLES = Path(validators.__file__).parent / "benchmarks" / "mlperf_storage" / "samples"
TRAINING, CACHE = (
    "v3.0-training/result/closed/Example/results/box/training/unet3d",
    ("v3.0-kv-cache/result/closed/Example/results/box/kv_cache/llama3.1-8b"),
)
AZURE = "AMLFS-Durable-Premium-125-160TiB-3-Standard_D192ds_v6"
OF_AZURE = f"closed/Azure/results/{AZURE}/training/unet3d"
DESCRIPTION = """
system_under_test:
  solution:
    usable_capacity_tib: !!int "12"
    availability: preview
    architecture: {storage_location: remote}
  deployment: n/a
  total_rack_units: 4
  product_nodes: &nodes
  - quantity: 2
    chassis:
      power:
        psus_configured:
        - {nameplate_power_watts: 1000, unit_count: 2}
    drives:
    - {unit_count: 10}
    - {unit_count: 2}
  clients: *nodes
  environment: {SECRET_KEY: kept-where-it-is}
"""


def place_sample(copy: Path, sample: str, folder: str) -> Path:
    target = copy / folder
    shutil.copytree(SAMPLES / sample, target)
    return target


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A tree with one whole training row of the closed division that has no figures in the record."""
    folder = tmp_path / "copy"
    place_sample(folder, TRAINING, OF_AZURE)
    return folder


def row_of(folder: str) -> Result:
    return Result.objects.get(source=f"MLPerf Storage v3.0, {folder}")


def run(*arguments: Any, **options: Any) -> str:
    out = io.StringIO()
    call_command("import_mlperf", *map(str, arguments), stdout=out, **options)
    return out.getvalue()


def line_of(report: str, folder: str) -> str:
    (line,) = [line for line in report.splitlines() if f"({folder})" in line]
    return line.partition(": ")[2]


def test_a_complete_training_row_gets_its_values(copy: Path) -> None:
    """The sample has six runs; the mean of the five that count is 102.125 samples/s by construction."""
    assert not row_of(OF_AZURE).measurements.exists()
    report = run(copy)
    assert report.splitlines()[-1] == ("150 rows of the round: 1 with figures, new, 149 without a folder in the copy")
    assert len(report.splitlines()) == 151
    result = row_of(OF_AZURE)
    assert (result.trust, result.client_nodes) == ("derived", 2)
    assert result.measurements.get(quantity="samples_rate", stat="mean").value == 102.125
    row = result.snapshot["published_row"]
    assert (row["figures"], row["runs_read"], row["runs_counted"], row["from_copy"]) == ("whole", 6, 5, True)
    assert "Computed here" in Client().get(f"/results/{result.public_id}/").content.decode()


def test_a_second_import_changes_nothing(copy: Path) -> None:
    run(copy)
    before = list(Result.objects.order_by("pk").values_list("pk", "trust", "snapshot", "parameters"))
    assert line_of(run(copy), OF_AZURE) == "as the record has them"
    assert list(Result.objects.order_by("pk").values_list("pk", "trust", "snapshot", "parameters")) == before


def test_a_dry_run_stores_nothing(copy: Path) -> None:
    assert run(copy, "--dry-run").splitlines()[-1].startswith("would be: 150 rows of the round: 1 with figures, new")
    assert not row_of(OF_AZURE).measurements.exists()


def test_loading_the_catalogue_again_keeps_what_a_copy_added(copy: Path) -> None:
    run(copy)
    CatalogueLoad.objects.all().delete()
    assert load_catalogue().changed
    result = row_of(OF_AZURE)
    assert result.trust == "derived"
    assert result.measurements.get(quantity="samples_rate", stat="mean").value == 102.125


def test_differing_values_of_a_copy_change_no_stored_value(tmp_path: Path) -> None:
    folder = "closed/HPE/results/e2000-unet3d/training/unet3d"
    place_sample(tmp_path, TRAINING, folder)
    before = list(row_of(folder).measurements.values_list("op", "stat", "value"))
    assert line_of(run(tmp_path), folder).startswith("other than the record, which keeps its own: ")
    result = row_of(folder)
    assert list(result.measurements.values_list("op", "stat", "value")) == before
    by_name = {row["what"]: row for row in result.snapshot["published_row"]["copy"]}
    assert by_name["unet3d samples_rate mean"]["copy"] == 102.125
    assert by_name["unet3d samples_rate mean"]["record"] == pytest.approx(1225.05, abs=0.01)
    page = Client().get(f"/results/{result.public_id}/").content.decode()
    assert "A copy of the files gives other figures" in page and "102.125" in page
    CatalogueLoad.objects.all().delete()
    load_catalogue()
    assert "copy" in row_of(folder).snapshot["published_row"]


def test_a_single_run_is_replaced_only_by_a_copy_with_the_same_run(tmp_path: Path) -> None:
    folder = "closed/Nebius/results/nebius-s3-unet3d-21n/training/unet3d"
    place_sample(tmp_path, TRAINING, folder)
    assert line_of(run(tmp_path), folder) == "with figures, new"
    result = row_of(folder)
    assert "not_comparable_for" not in result.snapshot
    assert set(result.measurements.values_list("stat", flat=True)) == {"mean", "stdev", "min_run", "run"}


def test_a_run_with_other_values_in_the_copy_keeps_its_values(tmp_path: Path) -> None:
    """The copy's second run has the time stamp of the run in the record, and another rate."""
    folder = "closed/Nebius/results/nebius-s3-unet3d-21n/training/unet3d"
    target = place_sample(tmp_path, TRAINING, folder) / "run"
    stamps = sorted(path.name for path in target.iterdir())
    for place, stamp in enumerate(stamps):
        (target / stamp).rename(target / f"20260714_{16 + place}5943")
    assert "figures differ" in line_of(run(tmp_path), folder)
    assert set(row_of(folder).measurements.values_list("stat", flat=True)) == {"run"}


def test_a_model_that_was_inferred_is_taken_from_the_only_folder(tmp_path: Path) -> None:
    result = Result.objects.get(public_id="mlperf-3.0-nebius-kv-cache-1")
    folder = "closed/Nebius/results/nebius-kvcache-b300/kv_cache/llama3.1-8b"
    place_sample(tmp_path, CACHE, folder)
    assert line_of(run(tmp_path), folder) == "with figures, new"
    result.refresh_from_db()
    assert result.parameters["model"] == "llama3.1-8b"
    assert result.source == f"MLPerf Storage v3.0, {folder}"
    assert result.snapshot["published_row"]["model_basis"] == "listing"


def test_the_latest_run_of_kv_cache_is_imported(tmp_path: Path) -> None:
    """The earlier one is cut off and does not matter."""
    folder = "closed/Nebius/results/nebius-kvcache-b300/kv_cache/llama3.1-8b"
    runs = place_sample(tmp_path, CACHE, folder) / "run"
    (latest,) = runs.iterdir()
    shutil.copytree(latest, runs / "20260601_100000")
    path = runs / "20260601_100000" / "summary.json"
    path.write_text(path.read_text()[:50])
    assert line_of(run(tmp_path), folder) == "with figures, new"
    assert row_of(folder).snapshot["published_row"]["runs_read"] == 1


def remove_run(folder: Path) -> None:
    shutil.rmtree(sorted((folder / "run").iterdir())[0])


def remove_summary(folder: Path) -> None:
    """Of a run that counts; its folder and its other files stay, so that six folders are there."""
    (sorted((folder / "run").iterdir())[3] / "summary.json").unlink()


def link_summary(folder: Path) -> None:
    path = sorted((folder / "run").iterdir())[3] / "summary.json"
    path.symlink_to(path.rename(folder.parent / "elsewhere.json"))


def cut_summary(folder: Path) -> None:
    path = next(folder.rglob("summary.json"))
    path.write_text(path.read_text()[:100])


def write_nan(folder: Path) -> None:
    for path in folder.rglob("summary.json"):
        document = json.loads(path.read_text())
        document["metric"]["train_throughput_mean_samples_per_second"] = float("nan")
        path.write_text(json.dumps(document))


def fill_file(folder: Path) -> None:
    with next(folder.rglob("summary.json")).open("ab") as file:
        file.truncate(mlperf_folders.MOST_FILE_BYTES + 1)


def replace_by_links(folder: Path) -> None:
    for path in folder.rglob("summary.json"):
        real = path.rename(folder.parent / f"{path.parent.name}.json")
        path.symlink_to(real)


def write_lists(folder: Path) -> None:
    for path in folder.rglob("summary.json"):
        path.write_text("[" * 100_000)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (remove_run, "summaries of 5 of 6 run folders: which of them is the warm-up is not known"),
        (remove_summary, "summaries of 5 of 6 run folders"),
        (link_summary, "summaries of 5 of 6 run folders"),
        (cut_summary, ""),
        (write_nan, ""),
        (fill_file, "is larger than a result"),
        (replace_by_links, ""),
        (write_lists, ""),
    ],
)
def test_a_damaged_copy_adds_no_number_and_gives_the_reason(
    copy: Path, damage: Callable[[Path], None], reason: str
) -> None:
    damage(copy / OF_AZURE)
    line = line_of(run(copy), OF_AZURE)
    assert line.startswith("not read: ") and reason in line and len(line) > len("not read: ")
    assert not row_of(OF_AZURE).measurements.exists()
    assert row_of(OF_AZURE).trust == "imported"


def test_control_characters_of_run_names_are_not_printed(copy: Path) -> None:
    folder = copy / OF_AZURE / "run" / os.fsdecode(b"2026\x1b[2J\xff")
    folder.mkdir()
    with (folder / "summary.json").open("wb") as file:
        file.truncate(mlperf_folders.MOST_FILE_BYTES + 1)
    assert line_of(run(copy), OF_AZURE) == "not read: run/2026?[2J?/summary.json is larger than a result"


def test_folders_without_a_row_are_named(copy: Path) -> None:
    other = "closed/Example/results/box/training/unet3d"
    place_sample(copy, TRAINING, other)
    place_sample(copy, TRAINING, f"closed/Azure/results/{AZURE}/inference/unet3d")
    report = run(copy)
    assert line_of(report, other) == "folders of no row: no row of the round has this folder"
    assert "no kind of benchmark" in line_of(report, f"closed/Azure/results/{AZURE}/inference")
    assert "2 folders of no row" in report
    assert not Result.objects.filter(institution="Example").exists()


def test_names_with_invisible_characters_are_skipped(copy: Path) -> None:
    place_sample(copy, TRAINING, "closed/Az\x1b[2Jure/results/box/training/unet3d")
    report = run(copy)
    assert "\x1b" not in report
    assert "a name is too long or not printable" in report


@pytest.mark.parametrize("model", ["a b c", "Δ", "x" * 60, "<script>"])
def test_a_model_with_an_unusual_name_is_skipped(copy: Path, model: str) -> None:
    place_sample(copy, CACHE, f"closed/Nebius/results/nebius-kvcache-b300/kv_cache/{model}")
    assert "1 folders of no row" in run(copy)


def test_a_folder_behind_a_link_is_not_followed(copy: Path, tmp_path: Path) -> None:
    elsewhere = place_sample(tmp_path / "elsewhere", TRAINING, "unet3d")
    shutil.rmtree(copy / OF_AZURE)
    (copy / OF_AZURE).symlink_to(elsewhere)
    assert line_of(run(copy), OF_AZURE) == "without a folder in the copy: no such folder in the copy"


@pytest.mark.parametrize("kind", ["file", "empty", "absent", "link"])
def test_other_folders_are_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "copy"
    if kind == "file":
        path.write_text("closed")
    elif kind == "empty":
        path.mkdir()
    elif kind == "link":
        (tmp_path / "real" / "closed").mkdir(parents=True)
        path.symlink_to(tmp_path / "real")
    with pytest.raises(CommandError, match=r"is not a folder|neither closed/ nor open/"):
        run(path)


def test_the_same_row_in_two_copies_is_refused(copy: Path, tmp_path: Path) -> None:
    shutil.copytree(copy, tmp_path / "again")
    with pytest.raises(CommandError, match="is there twice"):
        run(copy, tmp_path / "again")


def test_too_many_folders_are_refused(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mlperf_folders, "MOST_FOLDERS", 5)
    with pytest.raises(FolderError, match="more folders than a copy"):
        find_workloads([copy])


def test_without_a_catalogue_nothing_is_imported(copy: Path) -> None:
    CatalogueLoad.objects.all().delete()
    with pytest.raises(CommandError, match="run load_catalogue first"):
        run(copy)


@pytest.mark.real_data
def test_the_available_copy_agrees_with_the_stored_values(shared: Path) -> None:
    """67 files: 25 rows are whole and as the record has them, of 11 only one run lies there."""
    data = shared / "data" / "mlperf-v3"
    outcomes = list(mlperf_copies.read_copy(find_workloads([data / "raw", data / "systems"])))
    import_rows(outcomes, dry_run=True)
    counts = {what: sum(outcome.what == what for outcome in outcomes) for what in ("same", "unreadable", "absent")}
    assert counts == {"same": 25, "unreadable": 11, "absent": 114} and len(outcomes) == 150
    assert {outcome.reason.partition(":")[0] for outcome in outcomes if outcome.what == "unreadable"} == {
        "summaries of 1 of 6 run folders"
    }


# Descriptions of systems


def test_a_description_adds_numbers_and_no_text(copy: Path) -> None:
    place = copy / "closed" / "Azure" / "systems" / f"{AZURE}.yaml"
    place.parent.mkdir()
    place.write_text(DESCRIPTION)
    run(copy)
    described = row_of(OF_AZURE).snapshot["published_row"]["described"]
    assert described == {
        **{"usable_capacity_TiB": 160, "availability": "available", "deployment": "cloud", "client_hosts": 3},
        **{"rack_units": 4, "provisioned_power_W": 4000, "power_basis": "description"},
        **{"storage_nodes": 2, "storage_drives": 24},
    }
    assert "kept-where-it-is" not in json.dumps(row_of(OF_AZURE).snapshot)


def test_a_description_is_read(tmp_path: Path) -> None:
    path = tmp_path / "box.yaml"
    path.write_text(DESCRIPTION)
    assert mlperf_descriptions.read_description(path) == {
        **{"usable_capacity_TiB": 12, "rack_units": 4, "provisioned_power_W": 4000, "storage_nodes": 2},
        **{"storage_drives": 24, "client_hosts": 2, "availability": "preview"},
    }
    path.write_text(DESCRIPTION.replace("remote", "local"))
    assert "provisioned_power_W" not in mlperf_descriptions.read_description(path)


BOMB = "a: &a {x: 1}\n" + "".join(f"b{number}: &b{number} {{<<: [*a, *a]}}\n" for number in range(20))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[1, 2]",
        b"system_under_test: 7",
        b"\xff\xfe",
        b"a: [" * 5000,
        b"a: !!python/object/apply:os.system [date]",
        BOMB.encode(),
        b"a: &a [1]\nb: [" + b"*a, " * 600 + b"*a]",
        b"x: " + b"y" * mlperf_descriptions.MOST_BYTES,
    ],
    ids=["empty", "null", "list", "number", "no-utf8", "nested", "object", "merges", "aliases", "huge"],
)
def test_a_hostile_description_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "box.yaml"
    path.write_bytes(content)
    with pytest.raises(mlperf_descriptions.DescriptionError):
        mlperf_descriptions.read_description(path)


@pytest.mark.parametrize("value", ["!!int ''", "!!bool x", "!!float ''", "!!timestamp x", "1:" * 300 + "1.0"])
def test_a_value_of_a_wrong_type_hides_no_other(tmp_path: Path, value: str) -> None:
    path = tmp_path / "box.yaml"
    path.write_text(f"system_under_test: {{note: {value}, total_rack_units: 4, product_nodes: {value}}}\n")
    assert mlperf_descriptions.read_description(path) == {"rack_units": 4}


@pytest.mark.parametrize(
    "value",
    ["-3", "0", ".nan", ".inf", "nan", "true", "'1e400'", "[1]", "1e12", "'nine'", "{a: 1}", "9" * 5000, "٣", "5e-324"],
)
def test_an_impossible_number_is_left_out(tmp_path: Path, value: str) -> None:
    path = tmp_path / "box.yaml"
    path.write_text(f"system_under_test:\n  total_rack_units: {value}\n  product_nodes: {value}\n")
    assert mlperf_descriptions.read_description(path) == {}
