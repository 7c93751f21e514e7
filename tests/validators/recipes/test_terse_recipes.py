"""Terse lines of fio tell no option: their recipe has variables for what each job needs, and says what may change."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from validators import checks, recipes
from validators.recipes import Facts, conditions
from validators.recipes.of_run import write_run_recipe
from validators.recipes.script import write_script

SAMPLES = Path(__file__).resolve().parents[3] / "validators" / "benchmarks" / "fio" / "samples"
JOB = {"name": "w", "group": 0, "error": 0}
ONE_WRITES = {"sums": [{"group": 0, "op": "write", "bandwidth": 1e9, "jobs": 1}]}


def recipe_of(*tests: dict[str, Any], parameters: dict[str, Any]) -> dict[str, Any]:
    return recipes.write_recipe(Facts("fio", "3.33", tests=list(tests), parameters=parameters))


def meanings(recipe: dict[str, Any]) -> dict[str, str]:
    return {row["name"]: row["meaning"] for row in recipe["variables"][4:]}


def test_a_terse_line_gives_a_job_file_with_what_is_not_known_left_open() -> None:
    (run,) = checks.check(SAMPLES / "terse-v3" / "stdout.txt").runs
    recipe = write_run_recipe(run.as_json(), None)
    assert recipe["files"] == [
        {
            "path": "job.fio",
            "text": "[global]\n; the output does not tell the folder\n; directory=${TESTDIR}\n\n"
            "[job1]\nrw=${RW}\nbs=${BS}\nsize=${SIZE}\n",
        }
    ]
    assert meanings(recipe)["$RW"] == "Access (rw): its group moved data by writing; the order is not known."
    whats = [row["what"] for row in recipe["missing"]]
    assert {"access", "block size", "size", "engine and depth", "processes of a job", "order of the jobs"} <= set(whats)
    assert all(row["why"] and row["may_change"] for row in recipe["missing"])
    assert not [what for what in whats if what.startswith("$")], "it is told why each variable has no value"


def test_options_of_terse_lines_have_no_hash() -> None:
    recipe = recipe_of(JOB, parameters=ONE_WRITES)
    assert recipe["options_sha256"] is None and recipe["data_set"]["bytes"] is None


def test_each_job_has_variables_of_its_own_and_groups_stay_apart() -> None:
    sums = [{"group": 0, "op": "read"}, {"group": 0, "op": "trim"}, {"group": 1, "op": "mixed"}]
    recipe = recipe_of(JOB, JOB, {**JOB, "group": 1}, parameters={"sums": sums})
    text = recipe["files"][0]["text"]
    assert "[job2]\nrw=${RW_2}\nbs=${BS_2}\n" in text and text.count("new_group") == 2  # a comment, and the option
    words = meanings(recipe)
    assert "job 1 (rw): its group moved data by reading and trimming;" in words["$RW_1"]
    assert "by reading or writing;" in words["$RW_3"] and len(words) == 9


@pytest.mark.parametrize(
    ("tests", "parameters"),
    [
        ([], ONE_WRITES),
        ([JOB, JOB], {}),  # jobs of one run, or runs: nobody knows
        ([JOB] * 21, ONE_WRITES),
        ([{"name": "w", "group": 0, "error": 0, "group_reporting": True}], ONE_WRITES),
        ([JOB], {"sums": "write"}),
    ],
)
def test_unknown_jobs_have_no_job_file(tests: list[Any], parameters: dict[str, Any]) -> None:
    recipe = recipe_of(*tests, parameters=parameters)
    assert (recipe["arguments"], recipe["files"]) == (None, [])
    assert "command line" in [row["what"] for row in recipe["missing"]]


@pytest.mark.parametrize("sums", [[None], ["x"], [{"op": ["x"], "group": 0}], [{"op": "$(touch planted)", "group": 0}]])
def test_sums_of_another_form_tell_nothing(sums: list[Any]) -> None:
    recipe = recipe_of(JOB, parameters={"sums": sums})
    assert "moved data by what is not known;" in meanings(recipe)["$RW"]
    assert "planted" not in str(recipe)


def test_a_name_of_a_job_is_in_no_recipe() -> None:
    recipe = recipe_of({**JOB, "name": "x]\nexec_prerun=touch planted"}, parameters=ONE_WRITES)
    assert "planted" not in str(recipe)


def start(tmp_path: Path, recipe: dict[str, Any], **values: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "again.sh"
    script.write_text(write_script("result hw-7", conditions.add_conditions(recipe, None)))
    (tmp_path / "fio").write_text("#!/bin/sh\ncat job.fio\n")
    (tmp_path / "fio").chmod(0o755)
    variables = {"PATH": f"{tmp_path}:/usr/bin:/bin", "TESTDIR": str(tmp_path), **values}
    return subprocess.run(["sh", str(script)], cwd=tmp_path, env=variables, capture_output=True, text=True)


def test_the_script_asks_for_each_value_that_is_not_known(tmp_path: Path) -> None:
    recipe = recipe_of(JOB, parameters=ONE_WRITES)
    without = start(tmp_path, recipe, OPTION_RW="write", OPTION_BS="4k")
    assert (without.returncode, without.stdout, without.stderr) == (2, "", "set OPTION_SIZE: see above\n")
    done = start(tmp_path, recipe, OPTION_RW="write", OPTION_BS="4k", OPTION_SIZE="1m")
    assert done.returncode == 0 and "rw=write\nbs=4k\nsize=1m\n" in done.stdout


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed here")
@pytest.mark.parametrize("sample", ["terse-2", "terse-3.1", "terse-5", "terse-clients", "terse-v3"])
def test_fio_takes_the_job_file_with_values_in_it(tmp_path: Path, sample: str) -> None:
    (run,) = checks.check(SAMPLES / sample / "stdout.txt").runs
    recipe = write_run_recipe(run.as_json(), None)
    (tmp_path / "job.fio").write_text(recipe["files"][0]["text"])
    examples = {"$RW": "randwrite", "$BS": "4k", "$SIZE": "1m"}
    values = {row["name"][1:]: examples.get(row["name"].partition("_")[0], "") for row in recipe["variables"]}
    line = ["fio", "--parse-only", "job.fio"]
    done = subprocess.run(line, cwd=tmp_path, env=os.environ | values, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_text_of_some_options_has_no_hash_and_no_folder() -> None:
    (run,) = checks.check(SAMPLES / "text-normal" / "stdout.txt").runs
    recipe = write_run_recipe(run.as_json(), None)
    assert recipe["options_sha256"] is None
    assert "; the output does not tell the folder\n" in recipe["files"][0]["text"]
