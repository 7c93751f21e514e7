"""Recipes of elbencho, gdsio and obdfilter-survey: what their outputs say, nothing private, and what is missing."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from validators import checks, recipes
from validators.benchmarks.elbencho.recipe import find_options
from validators.recipes import Facts, conditions
from validators.recipes.script import write_script

SAMPLES = Path(__file__).resolve().parents[3] / "validators" / "benchmarks"


def recipe_of(sample: str) -> dict[str, Any]:
    run = checks.check(SAMPLES / sample).runs[0]
    facts = Facts(run.tool, run.version, run.mode, run.client_nodes, run.tasks, run.parameters, run.tests)
    recipe = recipes.write_recipe(facts, run.given_options)
    assert recipe["options_sha256"] == recipes.options_digest(run.given_options)
    return recipe


def write_command(*words: str) -> str:
    return " ".join(f'"{word}"' for word in ("/opt/elbencho", *words)) + " "


def arguments_of(*words: str, path_type: str = "dir") -> list[str]:
    facts = Facts("elbencho", "3.1-10", parameters={"path_type": path_type})
    recipe = recipes.write_recipe(facts, find_options(write_command(*words)))
    arguments: list[str] = recipe["arguments"]
    return arguments


def test_elbencho_has_the_command_of_its_json() -> None:
    recipe = recipe_of("elbencho/samples/large-file-write-read/results.json")
    command = "elbencho --write --read --threads 2 --block 1m --size 64m --direct $TESTDIR/file1"
    assert recipe["arguments"] == command.split()
    assert recipe["data_set"]["bytes"] == 67108864 and recipe["options_sha256"]


def test_elbencho_has_the_command_of_its_table() -> None:
    recipe = recipe_of("elbencho/samples/csv-many-small-files/results.csv")
    command = "elbencho --mkdirs --write --read --stat --delfiles --deldirs --threads 2 --dirs 2 --files 100"
    assert recipe["arguments"] == [*command.split(), "--size", "4k", "--block", "4k", "$TESTDIR"]
    assert recipe["data_set"]["bytes"] == 4096 * 100 * 2 * 2


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["-dw", "-t4", "--size=1g", "/x"], ["--mkdirs", "--write", "--threads", "4", "--size", "1g", "$TESTDIR"]),
        (["-w", "--hosts", "node1,node2", "/x"], ["--write", "--hosts", "$HOSTS", "$TESTDIR"]),
        (["-r", "/x", "/y"], ["--read", "$TESTDIR/dir1", "$TESTDIR/dir2"]),
        (["-w", "-t", "$(touch planted)", "/x"], ["--write", "$TESTDIR"]),
        (["-w", "--unheardof", "carol", "/x"], ["--write", "$TESTDIR"]),
        (["-w", "--unheardof", "/x"], ["--write", "$TESTDIR"]),
        (["-w", "--unheardof=carol", "/x"], ["--write", "$TESTDIR"]),
        (["-w", "--s3key", "AKIAIOSFODNN", "--s3secret", "wJalr/XUtn+carol", "b"], ["--write", "$TESTDIR"]),
        (["-w", "--label", "run of carol", "--csvfile", "/home/carol/x", "/x"], ["--write", "$TESTDIR"]),
        (["-c", "/home/carol/config", "/x"], ["$TESTDIR"]),
    ],
)  # fmt: skip
def test_elbencho_shows_known_options_and_nothing_private(words: list[str], arguments: list[str]) -> None:
    assert arguments_of(*words) == ["elbencho", *arguments]
    options_text = json.dumps(find_options(write_command(*words)))
    assert not [text for text in ("carol", "AKIA", "wJalr", "node1", "planted", "/x") if text in options_text]


@pytest.mark.parametrize("command", ["", "   ", '"/opt/elbencho" "-w" "/mn', '"a" ' * 3000, "no quotes at all"])
def test_a_command_of_elbencho_that_is_cut_or_absent_is_unknown(command: str) -> None:
    assert find_options(command) is None
    recipe = recipes.write_recipe(Facts("elbencho"), find_options(command))
    assert recipe["arguments"] is None and "command line" in [row["what"] for row in recipe["missing"]]


def test_a_device_and_buckets_are_not_named() -> None:
    facts = Facts("elbencho", parameters={"path_type": "blockdev"})
    recipe = recipes.write_recipe(facts, find_options(write_command("-w", "/dev/nvme0n1")))
    assert recipe["arguments"] == ["elbencho", "--write", "$TESTDIR/file1"]
    assert "block device" in [row["what"] for row in recipe["missing"]]
    assert arguments_of("-w", "--s3endpoints", "http://x", "bucket", path_type="object")[-1] == "$BUCKET_1"


def test_gdsio_has_a_command_for_each_line_and_no_digest() -> None:
    recipe = recipe_of("gdsio/samples/sweep/stdout.txt")
    assert [row["arguments"] for row in recipe["commands"]] == [
        f"gdsio -D $TESTDIR -I {op} -x {transfer} -w {threads} -i {size}K".split()
        for op, transfer, threads, size in ((0, 0, 8, 1024), (0, 1, 8, 1024), (1, 2, 4, 4096), (2, 5, 16, 64))
    ]
    assert recipe["options_sha256"] is None and "other options" in [row["what"] for row in recipe["missing"]]


@pytest.mark.parametrize(
    "change", [{"op": "x; rm"}, {"xfer_type": "GPU_NEW"}, {"io_size_KiB": "4:8:1"}, {"threads": "1;"}]
)
def test_a_line_of_gdsio_with_unknown_words_has_no_command(change: dict[str, str]) -> None:
    test = {"op": "read", "xfer_type": "GPUD", "threads": 8, "io_size_KiB": "64"} | change
    assert recipes.write_recipe(Facts("gdsio", tests=[test]))["commands"] == []


def test_obdfilter_survey_has_a_command_for_each_row() -> None:
    recipe = recipe_of("obdfilter_survey/samples/sweep-write-rewrite-read/stdout.txt")
    assert len(recipe["commands"]) == 5
    assert recipe["commands"][1]["arguments"] == [
        "env", "nobjlo=1", "nobjhi=1", "thrlo=2", "thrhi=2", "size=1024", "rszlo=1024", "rszhi=1024", "case=disk",
        "tests_str=write rewrite read", "obdfilter-survey",
    ]  # fmt: skip
    assert {"targets", "server"} <= {row["what"] for row in recipe["missing"]}


@pytest.mark.parametrize(
    "change", [{"osts": 0}, {"osts": 3}, {"threads": True}, {"total_KiB": "1;x"}, {"objects": None}]
)
def test_a_row_without_whole_numbers_for_each_target_has_no_command(change: dict[str, Any]) -> None:
    row = {"osts": 2, "total_KiB": 2097152, "record_KiB": 1024, "objects": 2, "threads": 2} | change
    assert recipes.write_recipe(Facts("obdfilter-survey", tests=[row]))["commands"] == []


@pytest.mark.parametrize(
    "sample",
    [
        "elbencho/samples/large-file-write-read/results.json", "gdsio/samples/sweep/stdout.txt",
        "obdfilter_survey/samples/sweep-write-rewrite-read/stdout.txt",
    ],
)  # fmt: skip
def test_their_scripts_start_the_tool_without_a_launcher(tmp_path: Path, sample: str) -> None:
    script = tmp_path / "again.sh"
    script.write_text(write_script("hw-7", conditions.add_conditions(recipe_of(sample), None)))
    for tool in ("elbencho", "gdsio", "obdfilter-survey"):
        (tmp_path / tool).write_text('#!/bin/sh\necho "started $0 $@"\n')
        (tmp_path / tool).chmod(0o755)
    variables = {"PATH": f"{tmp_path}:/usr/bin:/bin", "TESTDIR": "/lake/a test"}
    done = subprocess.run(["sh", str(script)], cwd=tmp_path, env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.count("started ") >= 1 and done.stdout.count("/lake/a test") >= ("obdfilter" not in sample)
