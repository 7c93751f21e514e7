"""`agree`: repeats beside the original that `reproduce` kept; what nobody knows is neither equal nor different."""

import json
import re
import shutil
from pathlib import Path

import pytest

from collectors.reproduction.agreement import (
    Fact,
    divide_facts,
    format_ratio,
    known_fact,
    list_machine_facts,
    list_options,
)
from tests.make_system import make_class, make_parameter, make_system

SAMPLES = Path(__file__).resolve().parents[3] / "validators" / "benchmarks" / "fio" / "samples"
SAMPLE = (SAMPLES / "json-fsync" / "stdout.txt").read_text()
BANDWIDTH = {"op": "write", "quantity": "bandwidth", "stat": "mean", "unit": "B/s", "context": {"job": 0}}
ORIGINAL = {
    "schema": "original.1",
    "result": "hw-1",
    "recipe": {"arguments": None, "files": []},
    "record": {
        "tool": "fio",
        "tool_version": "3.33",
        "client_nodes": None,
        "tasks": None,
        "parameters": {},
        "measurements": [{**BANDWIDTH, "value": 1e9}],
        "repeats": [],
    },
    "distributions": [],
    "system": None,
}


@pytest.fixture
def folder(tmp_path):
    """A folder of `reproduce` after its job: three repeats with the same figures at other times."""
    again = tmp_path / "again"
    for repeat in (1, 2, 3):
        (again / "results" / f"run-{repeat}").mkdir(parents=True)
        output = re.sub('("timestamp(?:_ms)?" : 1795387)[0-9]', rf"\g<1>{repeat}", SAMPLE)
        (again / "results" / f"run-{repeat}" / "output-1.txt").write_text(output)
    write_original(again, ORIGINAL)
    return again


def write_original(folder, document):
    (folder / "original.json").write_text(json.dumps(document))


def test_an_original_of_one_run_has_a_ratio_and_no_interval(collector, folder):
    done = collector("agree", folder)
    assert " x (one run: no interval); " in done.stdout, done.stderr
    assert "it takes 3 runs on both sides" in done.stdout and done.stdout.endswith("outcome  cannot tell\n")
    assert "the machine of one side is not described" in done.stdout
    assert done.returncode == 5


def test_repeats_of_the_original_give_an_interval(collector, folder):
    record = dict(ORIGINAL["record"], repeats=[{**BANDWIDTH, "values": [1e9, 1.001e9, 0.999e9]}])
    write_original(folder, dict(ORIGINAL, record=record))
    document = json.loads(collector("agree", folder, "--json").stdout)
    (row,) = [row for row in document["metrics"] if row["quantity"] == "bandwidth"]
    assert row["low"] < row["ratio"] < row["high"] and row["original"] == [1e9, 1.001e9, 0.999e9]
    assert document["outcome"] == "not reproduced"


def test_a_withdrawn_original_agrees_with_nothing(collector, folder):
    write_original(folder, dict(ORIGINAL, record=dict(ORIGINAL["record"], withdrawn_at="2026-01-01T00:00:00Z")))
    done = collector("agree", folder)
    assert "note: hw-1: it is withdrawn\n" in done.stdout and done.returncode == 5


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"schema": "original.2", "record": {}}',
        '{"schema": "original.1", "record": []}',
        "[" * 99999,
    ],
)
def test_a_damaged_original_is_refused(collector, folder, text):
    (folder / "original.json").write_text(text)
    done = collector("agree", folder)
    assert done.returncode == 2 and "collector.agree.original" in done.stderr


def test_a_folder_without_original_is_refused(collector, tmp_path):
    done = collector("agree", tmp_path)
    assert done.returncode == 2 and "collector.agree.original" in done.stderr


def test_repeats_of_another_benchmark_are_refused(collector, folder):
    write_original(folder, dict(ORIGINAL, record=dict(ORIGINAL["record"], tool="ior")))
    done = collector("agree", folder)
    assert done.returncode == 2 and "collector.agree.tool" in done.stderr


def test_a_job_that_did_not_run_is_no_agreement(collector, folder):
    shutil.rmtree(folder / "results")
    done = collector("agree", folder)
    assert done.returncode not in (0, 1) and "outcome" not in done.stdout


def test_facts_of_one_side_alone_are_not_different():
    facts = [Fact("a", 1, 2), Fact("b", None, 2), Fact("c", 1, None), Fact("d", None, None), Fact("e", 1, 1)]
    assert divide_facts(facts) == ([facts[0]], [facts[1], facts[2]])


@pytest.mark.parametrize(
    ("original", "here", "fact"),
    [
        ("${RW}", "randwrite", (None, "randwrite")),
        ("4k", "$BS_2", ("4k", None)),
        ("$DFS_POOL", "$DFS_POOL", ("$DFS_POOL", "$DFS_POOL")),
        ("${TESTDIR}/data", "/lake", ("${TESTDIR}/data", "/lake")),
        ("", "1", ("", "1")),
    ],
)
def test_a_variable_in_the_place_of_a_value_is_not_known(original, here, fact):
    assert known_fact("rw", original, here) == Fact("rw", *fact)


def test_machines_differ_by_what_both_describe():
    def described(*parameters):
        return make_system(node_classes=[make_class(parameters=list(parameters))])

    there = described(make_parameter("vm.sysctl", 20, key="vm.dirty_ratio"), make_parameter("lustre.version", "2.15.4"))
    here = described(make_parameter("vm.sysctl", 40, key="vm.dirty_ratio"))
    differing, one_sided = list_machine_facts(there, here)
    assert Fact("/parameters/vm.sysctl/vm.dirty_ratio", 20, 40) in differing
    assert [fact.name for fact in one_sided if "lustre.version" in fact.name]
    assert list_machine_facts(there, there) == ([], []) == list_machine_facts(None, here)


def test_options_are_those_of_command_lines_and_files():
    recipe = {
        "arguments": ["ior", "-a", "POSIX", "-F", "-t", "1m", "--posix.odirect"],
        "commands": [{"step": "find", "arguments": ["mdtest", "-n", "5"]}],
        "files": [{"path": "job.fio", "text": "[global]\n; rw=read\nrw=write\n\n[job1]\nbs = 4k\n"}],
    }
    assert list_options(recipe) == {
        "-a": "POSIX",
        "-F": "",
        "-t": "1m",
        "--posix.odirect": "",
        "find -n": "5",
        "[global] rw": "write",
        "[job1] bs": "4k",
    }


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"ratio": 0.931, "low": 0.889, "high": 0.974}, "0.93 x (0.89 to 0.97)"),
        ({"ratio": 0.931, "low": None, "high": None}, "0.93 x (one run: no interval)"),
        ({"ratio": None, "low": None, "high": None}, "no ratio"),
    ],
)
def test_a_ratio_is_shown_with_what_is_known_of_it(row, text):
    assert format_ratio(row) == text
