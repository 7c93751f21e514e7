"""Recipes: what they give is what the run was given, and nothing private is in them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.make_system import make_class, make_parameter, make_system
from validators import checks, recipes
from validators.measurements import Run
from validators.recipes import Facts, conditions
from validators.recipes.script import write_script
from validators.system.public_view import public

COVERED = ("io500", "ior", "mdtest", "fio")


def check_text(tmp_path: Path, text: str) -> Run:
    path = tmp_path / "out.txt"
    path.write_text(text)
    (run,) = checks.check(path).runs
    return run


def recipe_of(run: Run) -> dict[str, Any]:
    facts = Facts(run.tool, run.version, run.mode, run.client_nodes, run.tasks, run.parameters, run.tests)
    return recipes.write_recipe(facts, run.given_options)


def make_fio(jobs: list[dict[str, Any]], shared: dict[str, Any] | None = None) -> str:
    side = {"io_bytes": 2**30, "bw_bytes": 2**20, "bw": 1024, "iops": 1.0, "runtime": 1024_000, "total_ios": 1024}
    rows = [{"jobname": "j", "groupid": 0, "error": 0, "job options": job, "write": side} for job in jobs]
    document = {"fio version": "fio-3.33", "timestamp": 1795201249, "jobs": rows}
    return json.dumps(document | ({"global options": shared} if shared else {}), indent=1)


def test_a_job_file_has_the_options_of_global_section_and_jobs(tmp_path: Path) -> None:
    run = check_text(tmp_path, make_fio([{"rw": "write", "bs": "1M"}], {"directory": "/secret/path", "size": "16m"}))
    recipe = recipe_of(run)
    assert recipe["arguments"] == ["fio", "--output-format=json", "job.fio"]
    assert recipe["files"] == [
        {"path": "job.fio", "text": "[global]\ndirectory=${TESTDIR}\nsize=16m\n\n[job1]\nrw=write\nbs=1M\n"}
    ]
    assert recipe["options_sha256"] == recipes.options_digest(run.given_options)


def test_processes_of_one_job_are_one_section(tmp_path: Path) -> None:
    options = {"rw": "write", "bs": "1M", "numjobs": "3"}
    (file,) = recipe_of(check_text(tmp_path, make_fio([options] * 3)))["files"]
    assert file["text"].count("rw=write") == 1 and "numjobs=3" in file["text"]


@pytest.mark.parametrize(
    ("options", "private"),
    [
        ({"rw": "write", "filename": "/home/carol/x"}, "carol"),
        ({"rw": "write", "directory": "/home/carol"}, "carol"),
        ({"rw": "write", "hostname": "node17.site"}, "node17"),
        ({"rw": "write", "exec_prerun": "echo carol"}, "carol"),
        ({"rw": "write", "pool": "carolpool", "ioengine": "rbd"}, "carolpool"),
        ({"rw": "write", "description": "of carol"}, "carol"),
        ({"rw": "write", "bs": "1M\n[job9]\nexec_prerun=rm carol"}, "carol"),
        ({"rw": "write", "bad name\nexec_prerun": "1 carol"}, "exec_prerun"),
    ],
)
def test_a_job_file_has_no_private_value(tmp_path: Path, options: dict[str, str], private: str) -> None:
    run = check_text(tmp_path, make_fio([options]))
    recipe = recipe_of(run)
    assert private not in json.dumps(run.given_options) and private not in json.dumps(recipe["files"])
    assert "rw=write" in recipe["files"][0]["text"]


def test_a_device_becomes_a_file_and_is_missing(tmp_path: Path) -> None:
    recipe = recipe_of(check_text(tmp_path, make_fio([{"rw": "write", "filename": "/dev/nvme0n1"}])))
    assert "filename=${TESTDIR}/file1" in recipe["files"][0]["text"] and "nvme0n1" not in json.dumps(recipe)
    assert "block device" in [row["what"] for row in recipe["missing"]]


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_fio_accepts_the_job_file(tmp_path: Path) -> None:
    options = {"rw": "randrw", "bs": "4k", "filename": "/data/a", "size": "1m", "rwmixread": "70", "runtime": "2s"}
    recipe = recipe_of(check_text(tmp_path, make_fio([options, {**options, "bs": "8k"}], {"ioengine": "psync"})))
    assert is_accepted(recipe, tmp_path)


def is_accepted(recipe: dict[str, Any], folder: Path) -> bool:
    """Whether fio itself reads the job file."""
    path = folder / "job.fio"
    path.write_text(recipe["files"][0]["text"])
    variables = {**os.environ, "TESTDIR": str(folder)}
    return subprocess.run(["fio", "--parse-only", str(path)], env=variables, capture_output=True).returncode == 0


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (
            "ior -a POSIX -t 1m -b 8m -F -o /scratch/carol/f",
            ["ior", "-a", "POSIX", "-t", "1m", "-b", "8m", "-F", "-o", "$TESTDIR/ior"],
        ),
        (
            "ior -a DFS --dfs.pool=lake --dfs.oclass=SX -O stoneWallingWearOut=1,summaryFile=/x/y",
            ["ior", "-a", "DFS", "--dfs.pool=$DFS_POOL", "--dfs.oclass=SX", "-O", "stoneWallingWearOut=1"],
        ),
        ("ior -a $(rm) -t `id`", ["ior", "-a", "$A", "-t", "$T"]),
    ],
)
def test_a_command_line_keeps_options_and_no_places(command: str, arguments: list[str]) -> None:
    from validators.benchmarks.ior.recipe import find_options

    facts = Facts("ior", "4.0.0", client_nodes=2, tasks=8)
    assert recipes.write_recipe(facts, find_options(command))["arguments"] == arguments


def test_a_hidden_value_is_a_variable_and_missing() -> None:
    from validators.benchmarks.ior.recipe import find_options

    recipe = recipes.write_recipe(Facts("ior", "4.0.0"), find_options("ior -a DFS --dfs.pool=lake"))
    assert "$DFS_POOL" in [row["name"] for row in recipe["variables"]]
    assert {"$DFS_POOL", "number of client nodes", "number of processes", "launch line"} <= {
        row["what"] for row in recipe["missing"]
    }


def test_known_counts_are_values_of_variables() -> None:
    recipe = recipes.write_recipe(Facts("ior", "4.0.0", client_nodes=2, tasks=8))
    assert {row["name"]: row["value"] for row in recipe["variables"]} == {
        "$TESTDIR": None, "$RANKS": 8, "$NODES": 2, "$HOSTS": None,
    }  # fmt: skip
    assert recipe["arguments"] is None and "command line" in [row["what"] for row in recipe["missing"]]


def test_an_older_result_has_the_options_that_it_shows() -> None:
    parameters = {"api": "MPIIO", "command_line": "-a ... -t 1m -o ..."}
    recipe = recipes.write_recipe(Facts("ior", "4.0.0", parameters=parameters))
    assert recipe["arguments"] == ["ior", "-a", "MPIIO", "-t", "1m", "-o", "$TESTDIR/ior"]
    recipe = recipes.write_recipe(Facts("io500", "io500-sc23", parameters={"ior_easy_transfersize": "4m"}))
    assert recipe["files"][0]["text"] == "[ior-easy]\ntransferSize = 4m\n"
    assert "other options" in [row["what"] for row in recipe["missing"]]


def test_an_unknown_benchmark_has_a_recipe_of_what_is_missing() -> None:
    recipe = recipes.write_recipe(Facts("nosuchtool"))
    assert (recipe["arguments"], recipe["files"], recipe["options_sha256"]) == (None, [], None)


def test_withheld_texts_stand_in_no_command() -> None:
    given_options = {"options": [["a", "withheld"], ["t", "1m"]], "left_out": []}
    assert recipes.write_recipe(Facts("ior"), given_options)["arguments"] == ["ior", "-t", "1m"]


def test_conditions_come_from_the_described_system() -> None:
    client = make_class(
        parameters=[
            make_parameter("lustre.version", "2.15.4"),
            make_parameter("lustre.client.osc.max_rpcs_in_flight", 64),
            make_parameter("lustre.client.osc.idle_timeout", 20),
        ]
    )
    document = make_system(
        node_classes=[client],
        layouts=[{"phase": "ior-easy", "stripe_count": 4, "stripe_size_bytes": 1048576}],
        job={"environment": {"MPICH_MPIIO_STATS": "1", "UCX_TLS": "set"}},
    )
    recipe = conditions.add_conditions(recipes.write_recipe(Facts("ior", "4.0.0")), public(document))
    assert [(row["parameter"], row["value"], row["set"]) for row in recipe["tunables"]] == [
        ("lustre.client.osc.max_rpcs_in_flight", "64", "lctl set_param osc.*.max_rpcs_in_flight=64")
    ]
    assert [row["command"] for row in recipe["layout"]] == ["lfs setstripe -c 4 -S 1048576 $TESTDIR"]
    assert recipe["environment"] == [
        {"variable": "MPICH_MPIIO_STATS", "value": "1"},
        {"variable": "UCX_TLS", "value": None},
    ]
    assert not {"layout", "environment", "described system"} & {row["what"] for row in recipe["missing"]}


@pytest.mark.parametrize(
    ("name", "value", "is_shown"),
    [
        ("MPICH_MPIIO_HINTS", "*:romio_cb_write=enable", True),
        ("UCX_NET_DEVICES", "mlx5_0:1", True),
        ("LFS_KEYRING", "1", True),
        ("AWS_SECRET_ACCESS_KEY", "abc", False),
        ("SITE_TOKEN", "hw_abc", False),
        ("db_password", "abc", False),
        ("DARSHAN_LOGPATH", "/home/carol/logs", False),
        ("ROMIO_HINTS", "~/hints", False),
        ("PROXY", "http://carol:pw@proxy", False),
        ("LD_PRELOAD", "a.so:/home/carol/b.so", False),
        ("OWNER", "carol@site.example", False),
    ],
)
def test_a_variable_that_may_be_private_is_named_without_its_value(name: str, value: str, is_shown: bool) -> None:
    document = make_system(node_classes=[make_class()], job={"environment": {name: value}})
    recipe = conditions.add_conditions(recipes.write_recipe(Facts("ior", "4.0.0")), document)
    assert recipe["environment"] == [{"variable": name, "value": value if is_shown else None}]
    assert (value in write_script("hw-7", recipe)) == is_shown


@pytest.mark.parametrize("value", ["$(touch planted)", "`touch planted`", "x'; touch planted; '", "a\ntouch planted"])
def test_a_hostile_variable_starts_nothing(tmp_path: Path, value: str) -> None:
    document = make_system(node_classes=[make_class()], job={"environment": {"MPICH_X": value}})
    recipe = conditions.add_conditions(recipes.write_recipe(Facts("ior", "4.0.0")), document)
    script = tmp_path / "again.sh"
    script.write_text(write_script("hw-7", recipe))
    variables = {"PATH": "/usr/bin:/bin", "TESTDIR": "t", "LAUNCH": "echo"}
    subprocess.run(["sh", str(script)], cwd=tmp_path, env=variables, capture_output=True, check=True)
    assert not (tmp_path / "planted").exists()


def test_without_a_described_system_its_parts_are_missing() -> None:
    recipe = conditions.add_conditions(recipes.write_recipe(Facts("ior", "4.0.0")), None)
    assert recipe["tunables"] == [] and "described system" in [row["what"] for row in recipe["missing"]]


def test_a_script_runs_what_the_recipe_says(tmp_path: Path) -> None:
    run = check_text(tmp_path, make_fio([{"rw": "write", "bs": "1M", "directory": "/x"}]))
    script = tmp_path / "again.sh"
    script.write_text(write_script("result hw-7", conditions.add_conditions(recipe_of(run), None)))
    (tmp_path / "fio").write_text('#!/bin/sh\necho "$@"; cat job.fio\n')
    (tmp_path / "fio").chmod(0o755)
    variables = {"PATH": f"{tmp_path}:/usr/bin:/bin", "TESTDIR": "/lake/test"}
    done = subprocess.run(["sh", str(script)], cwd=tmp_path, env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("--output-format=json job.fio\n") and "directory=/lake/test" in done.stdout
    without = subprocess.run(["sh", str(script)], cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}, capture_output=True)
    assert without.returncode == 2


@pytest.mark.parametrize(
    ("tool", "given_options"),
    [
        ("ior", {"options": [["x", "$(touch planted)"], ["y", "`touch planted`"], ["z", "a;touch planted"]]}),
        ("ior", {"options": [["t", "1m\ntouch planted"]], "left_out": ["x\ntouch planted"]}),
        ("fio", {"global": {"bs": "1m\nexec_prerun=touch planted"}, "jobs": []}),
        ("fio", {"global": {}, "jobs": [{"group": 0, "options": {"bs": "1m\nEND_OF_FILE\ntouch planted"}}]}),
        ("io500", {"settings": {"global": {"api": "POSIX\nEND_OF_FILE\ntouch planted"}}}),
        ("io500", {"commands": {"ior-easy-write": [["t", "1m; touch planted"]]}}),
    ],
)
def test_hostile_texts_start_nothing(tmp_path: Path, tool: str, given_options: dict[str, Any]) -> None:
    facts = Facts(tool, "4.0\ntouch planted", client_nodes=1, tasks=1)
    recipe = conditions.add_conditions(recipes.write_recipe(facts, given_options), None)
    script = tmp_path / "again.sh"
    script.write_text(write_script("x\ntouch planted", recipe))
    assert "exec_prerun" not in script.read_text()
    (tmp_path / "fio").write_text("#!/bin/sh\n")
    (tmp_path / "fio").chmod(0o755)
    needed = {f"OPTION_{row['name'][1:]}": "1" for row in recipe["variables"]}
    variables = needed | {"PATH": f"{tmp_path}:/usr/bin:/bin", "TESTDIR": "t", "LAUNCH": "echo"}
    subprocess.run(["sh", str(script)], cwd=tmp_path, env=variables, capture_output=True, check=True)
    assert not (tmp_path / "planted").exists()


@pytest.mark.parametrize("tool", COVERED)
@pytest.mark.parametrize(
    "given_options",
    [{}, {"options": None}, {"options": [["t"]]}, {"jobs": 1, "global": []}, {"settings": []}, {"commands": {"x": 1}},
     {"options": [[1, {}]], "left_out": [1]}, {"settings": {"a": {"b": {}}}}, {"jobs": [{}], "global": {}}],
)  # fmt: skip
def test_options_of_another_form_are_unknown(tool: str, given_options: dict[str, Any]) -> None:
    recipe = recipes.write_recipe(Facts(tool), given_options)
    assert recipe["missing"] and recipe["schema"] == "recipe.1"
