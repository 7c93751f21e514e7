"""Recipes of MLPerf Storage: the overrides that its runs recorded, and what else of a run nobody recorded."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from validators import catalogue, checks, recipes
from validators.benchmarks.mlperf_storage.recipe import find_options
from validators.recipes import Facts
from validators.recipes.of_run import write_run_recipe
from validators.recipes.script import write_script

SAMPLES = catalogue.FOLDER / "mlperf_storage" / "samples"
UNET3D = {"workload": "unet3d_h100", "workload.dataset.num_files_train": "3000"}


def recipe_of_folder(folder: Path) -> dict[str, Any]:
    (run,) = checks.check(folder).runs
    return write_run_recipe(run.as_json(), None)


def recipe_of(*runs: dict[str, str], mode: str = "training", **parameters: Any) -> dict[str, Any]:
    facts = Facts("mlperf-storage", "1.0", mode, client_nodes=2, parameters=parameters)
    return recipes.write_recipe(facts, find_options(runs))


def whats(recipe: dict[str, Any]) -> list[str]:
    return [row["what"] for row in recipe["missing"]]


def test_training_makes_its_data_and_runs_as_often_as_it_did() -> None:
    recipe = recipe_of_folder(SAMPLES / "v1.0-two-hosts")
    assert [row["step"] for row in recipe["commands"]] == ["data", "run 1", "run 2", "run 3", "run 4", "run 5"]
    start = "dlio_benchmark --config-dir=$WORKLOADS workload=unet3d_h100"
    settings = "++workload.dataset.num_files_train=3000 ++workload.reader.read_threads=8"
    output = "hydra.run.dir=$TESTDIR/results/run-2 hydra.output_subdir=configs"
    assert recipe["commands"][2]["arguments"] == f"{start} ++workload.workflow.train=True {settings} {output}".split()
    assert {"++workload.workflow.generate_data=True", "++workload.workflow.train=False"} <= set(
        recipe["commands"][0]["arguments"]
    )
    values = {row["name"]: row["value"] for row in recipe["variables"]}
    assert (values["$RANKS"], values["$NODES"]) == (4, 2)
    assert recipe["options_sha256"] and "command line of MLPerf Storage" in whats(recipe)
    assert "$WORKLOADS" not in whats(recipe) and "number of processes" not in whats(recipe)


def test_checkpoints_that_are_written_and_read_apart_are_two_runs() -> None:
    recipe = recipe_of_folder(SAMPLES / "v3.0-checkpoints")
    texts = [" ".join(row["arguments"]) for row in recipe["commands"]]
    assert [row["step"] for row in recipe["commands"]] == ["run 1", "run 2"]
    assert "num_checkpoints_read=0 ++workload.checkpoint.num_checkpoints_write=10" in texts[0]
    assert "num_checkpoints_read=10 ++workload.checkpoint.num_checkpoints_write=0" in texts[1]


def test_places_become_variables() -> None:
    folders = {"workload.dataset.data_folder": "/lake/carol", "workload.checkpoint.checkpoint_folder": "/lake/carol"}
    recipe = recipe_of(UNET3D | folders)
    text = json.dumps(recipe)
    assert "carol" not in text and "++workload.dataset.data_folder=$TESTDIR/data" in text
    assert "++workload.checkpoint.checkpoint_folder=$TESTDIR/checkpoints" in text


def test_equal_options_have_one_hash_and_others_another() -> None:
    hashes = [recipe_of(*runs)["options_sha256"] for runs in ([UNET3D] * 5, [UNET3D] * 5, [UNET3D] * 4)]
    hashes.append(recipe_of(*[UNET3D | {"workload.reader.read_threads": "8"}] * 5)["options_sha256"])
    assert hashes[0] == hashes[1] and len(set(hashes)) == 3 and None not in hashes


def test_a_run_without_its_overrides_is_missing() -> None:
    recipe = recipe_of(UNET3D, {}, UNET3D)
    assert [row["step"] for row in recipe["commands"]] == ["data", "run 1", "run 2"]
    assert recipe["options_sha256"] is None and "options of some runs" in whats(recipe)


def test_a_result_without_overrides_has_the_options_that_it_shows() -> None:
    recipe = recipe_of(model="llama3-70b", num_accelerators=64, checkpoints_written=10, mode="checkpointing")
    (command,) = recipe["commands"]
    assert command["arguments"][2:4] == ["workload=llama3_70b", "++workload.checkpoint.num_checkpoints_write=10"]
    assert recipe["options_sha256"] is None and "other options" in whats(recipe)


@pytest.mark.parametrize("mode", ["kv_cache", "vector_database", ""])
def test_other_kinds_have_no_command(mode: str) -> None:
    recipe = recipe_of(mode=mode, model="llama3.1-8b")
    assert (recipe["arguments"], recipe["commands"], recipe["options_sha256"]) == (None, [], None)
    assert "command line" in whats(recipe)


@pytest.mark.parametrize("sample", ["summary-alone", "summary-cut"])
def test_a_model_that_nobody_knows_has_no_command(sample: str) -> None:
    recipe = recipe_of_folder(SAMPLES / sample)
    assert recipe["commands"] == [] and "command line" in whats(recipe)


@pytest.mark.parametrize(
    "changes",
    [
        {"workload": "$(touch planted)"},
        {"workload": "x\ntouch planted"},
        {"workload.reader.x;touch planted": "1"},
        {"workload.reader.read_threads": "$(touch planted)"},
        {"workload.storage.storage_root": "/lake/planted"},
        {"hydra.sweeper": "planted", "workload.storage.storage_options.key": "planted"},
        {"workload.dataset.data_folder": "$(touch planted)"},
    ],
)
def test_hostile_overrides_are_in_no_command(tmp_path: Path, changes: dict[str, str]) -> None:
    given_options = find_options([UNET3D | changes])
    run = {"tool": "mlperf-storage", "version": "1.0", "mode": "training", "given_options": given_options}
    recipe = write_run_recipe(run, None)
    assert "planted" not in json.dumps([recipe["commands"], recipe["variables"]])
    script = tmp_path / "again.sh"
    script.write_text(write_script("hw-7", recipe))
    variables = {"PATH": "/usr/bin:/bin", "TESTDIR": "t", "LAUNCH": "echo", "OPTION_WORKLOADS": "w"}
    subprocess.run(["sh", str(script)], cwd=tmp_path, env=variables, capture_output=True, check=True)
    assert not (tmp_path / "planted").exists()


@pytest.mark.parametrize(
    "given_options",
    [{}, {"rows": None}, {"rows": [{}], "is_partial": 1}, {"rows": [{"workload": 1, "settings": {}, "runs": "x"}]}, []],
)
def test_options_of_another_form_give_what_the_result_shows(given_options: Any) -> None:
    facts = Facts("mlperf-storage", mode="training", parameters={"model": "unet3d"})
    recipe = recipes.write_recipe(facts, given_options)
    assert recipe["commands"][1]["arguments"][2] == "workload=unet3d" and recipe["options_sha256"] is None


def test_collected_results_of_training_have_the_overrides_of_their_runs(shared: Path) -> None:
    recipe = recipe_of_folder(shared / "data" / "bench" / "mlperf-storage" / "micron-9550-cosmoflow-h100")
    assert len(recipe["commands"]) == 6 and recipe["options_sha256"]
    assert "++workload.dataset.num_files_train=485909" in recipe["commands"][1]["arguments"]
    assert "9550" not in json.dumps(recipe["commands"])
    partial = "mlperf-v3/raw/closed/HPE/results/k3000-unet3d/training/unet3d"
    assert recipe_of_folder(shared / "data" / partial)["options_sha256"] is None
