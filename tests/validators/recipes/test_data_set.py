"""How large a data set is: what options do not tell is not known."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.make_system import make_class, make_system
from validators import checks, recipes
from validators.recipes import Facts, conditions
from validators.recipes.data_set import data_set_words, parse_size, sum_client_memory

GIB = 1024**3
SAMPLES = Path(__file__).resolve().parents[3] / "validators" / "benchmarks" / "fio" / "samples"


def size_of(tool: str, given_options: dict[str, Any], tasks: int | None = 4) -> int | None:
    data_set = recipes.write_recipe(Facts(tool, tasks=tasks), {**given_options, "left_out": []})["data_set"]
    assert data_set["how"]
    return data_set["bytes"]


def fio_options(*jobs: dict[str, Any]) -> dict[str, Any]:
    return {"global": {}, "jobs": [{"group": 0, "options": {"rw": "write", **job}} for job in jobs]}


@pytest.mark.parametrize(
    ("text", "size"),
    [("4096", 4096), ("4k", 4096), ("4m", 4 * 1024**2), ("1G", GIB), ("1gb", GIB)],
)
def test_sizes_are_powers_of_1024(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["4MiB", "10%", "", "-1", "1.5g", None, 4096, "$T", "9" * 16])
def test_other_texts_are_no_size(text: Any) -> None:
    assert parse_size(text) is None


@pytest.mark.parametrize(
    ("options", "tasks", "size"),
    [
        ([["b", "1g"], ["s", "16"]], 4, 64 * GIB),
        ([], 4, 4 * 1024**2),
        ([["b", "1g"], ["D", "60"]], 4, 4 * GIB),
        ([["b", "1g"]], None, None),
        ([["b", "$B"]], 4, None),
        ([["b", "1g"], ["f", None]], 4, None),
    ],
)
def test_ior_writes_blocks_in_segments(options: list[Any], tasks: int | None, size: int | None) -> None:
    assert size_of("ior", {"options": options}, tasks) == size


@pytest.mark.parametrize(
    ("options", "size"),
    [([["n", "100"], ["w", "3901"]], 4 * 100 * 3901), ([["n", "100"]], 0), ([["I", "5"], ["w", "1"]], None)],
)
def test_mdtest_writes_files(options: list[Any], size: int | None) -> None:
    assert size_of("mdtest", {"options": options}) == size


@pytest.mark.parametrize(
    ("jobs", "size"),
    [
        ([{"size": "1g", "numjobs": "4"}], 4 * GIB),
        ([{"size": "1g", "filename": 1}, {"size": "2g", "filename": 1}], 2 * GIB),
        ([{"size": "1g", "filename": 1}, {"size": "2g"}], 3 * GIB),
        ([{"size": "1g"}, {}], None),
        ([{"size": "50%"}], None),
        ([{"size": "1g", "kb_base": "1000"}], None),
        ([], None),
    ],
)
def test_fio_writes_the_size_of_each_process(jobs: list[dict[str, Any]], size: int | None) -> None:
    assert size_of("fio", fio_options(*jobs)) == size


def test_io500_writes_by_time() -> None:
    assert size_of("io500", {"settings": {"ior-easy": {"blockSize": "9920000m"}}}) is None


def test_the_share_of_memory_needs_all_client_classes() -> None:
    recipe = recipes.write_recipe(Facts("ior", tasks=4), {"options": [["b", "10g"]], "left_out": []})
    memory = {"hardware": {"cpu": {}, "memory": {"total_bytes": 4 * GIB}}}
    clients, servers = make_class(count=5, **memory), make_class(role=["oss"], count=9, **memory)
    data_set = conditions.add_conditions(recipe, make_system(node_classes=[clients, servers]))["data_set"]
    assert (data_set["client_memory_bytes"], data_set["times_client_memory"]) == (20 * GIB, 2.0)
    assert "2 x the memory of the clients" in data_set_words(data_set)
    unknown = make_class(count=1, hardware={"cpu": {}, "memory": {}})
    assert sum_client_memory(make_system(node_classes=[clients, unknown])) is None
    assert sum_client_memory({"node_classes": []}) is None
    assert "not recorded" in data_set_words(recipe["data_set"])


def test_an_unknown_command_has_no_data_set() -> None:
    assert recipes.write_recipe(Facts("ior"))["data_set"] is None


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed here")
def test_block_sizes_of_text_are_those_that_fio_takes(tmp_path: Path) -> None:
    (run,) = checks.check(SAMPLES / "text-normal" / "stdout.txt").runs
    facts = Facts(run.tool, run.version, run.mode, run.client_nodes, run.tasks, run.parameters, run.tests)
    recipe = recipes.write_recipe(facts, run.given_options)
    assert run.tests[0]["bs"] == "1024KiB" and "bs=1048576\n" in recipe["files"][0]["text"]
    assert {"size", "options of the jobs"} <= {row["what"] for row in recipe["missing"]}
    line = ["fio", "--name=a", "--rw=write", "--ioengine=null", "--size=2m", "--bs=1048576"]
    output = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path).stdout
    assert "(W) 1024KiB-1024KiB" in output
