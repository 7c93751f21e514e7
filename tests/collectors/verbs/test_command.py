"""The command as a whole: help, version, status; on any Python from 3.6, with nothing installed."""

import ast
import json
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from launcher.collector_file import build
from tests.collectors.conftest import CHECKOUT

SOURCES = sorted((CHECKOUT / "collectors").glob("**/*.py"))
VERBS = [
    "login",
    "whoami",
    "list",
    "group",
    "show",
    "answer",
    "submit",
    "withdraw",
    "search",
    "compare",
    "open",
    "completion",
    "run",
    "diff",
    "fold",
    "import",
    "explain",
    "questionnaire",
    "upload",
    "validate",
    "pack",
    "sign",
    "status",
    "receipt",
]


def test_the_version_is_printed(every_python, collector):
    done = collector("--version", python=every_python)
    assert done.returncode == 0
    assert done.stdout.startswith("highwater collector ")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(oldest_and_this_python, collector, verb):
    done = collector(verb, "--help", python=oldest_and_this_python)
    assert done.returncode == 0
    assert f"examples:\n  python -m collectors {verb}" in done.stdout


@pytest.mark.parametrize("arguments", [[], ["guess"], ["upload"], ["upload", ".", "--timeout", "0"], ["pack"]])
def test_wrong_arguments_are_exit_status_2(oldest_and_this_python, collector, arguments):
    done = collector(*arguments, python=oldest_and_this_python)
    assert done.returncode == 2
    assert "usage:" in done.stderr
    assert done.stdout == ""


def test_status_reads_all_pages_of_its_server_only(every_python, alice):
    done = alice("status", python=every_python)
    assert done.returncode == 0, done.stderr
    assert [line.split() for line in done.stdout.splitlines()] == [["2", "checked"], ["1", "published"]]


def test_status_lists_as_json(alice):
    assert [item["id"] for item in json.loads(alice("status", "--json").stdout)["submissions"]] == [2, 1]


def test_status_shows_one_submission(alice, peer):
    peer.submissions["some-sha256"] = 7
    done = alice("status", "7")
    assert done.returncode == 0
    assert "state   checked  (submission 7)" in done.stdout


def test_status_of_an_invisible_submission_is_reported(alice):
    done = alice("status", "99")
    assert done.returncode == 2
    assert "404: No such submission." in done.stderr


@pytest.mark.parametrize("word", ["../accounts", "1?x=y", "a b", ""])
def test_an_invalid_id_is_not_sent(alice, peer, word):
    assert alice("status", word).returncode == 2
    assert peer.received == []


def test_a_closed_output_pipe_is_no_error(alice):
    process = alice.start("status", "--json")
    process.stdout.close()
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait()


def test_help_of_the_single_file_shows_its_name(every_python, tmp_path):
    (tmp_path / "highwater.pyz").write_bytes(build())
    done = subprocess.run(
        [every_python, tmp_path / "highwater.pyz", "pack", "--help"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "highwater.pyz pack --results" in done.stdout
    assert "python -m" not in done.stdout


def test_python_2_gets_a_sentence(collector, collectors_alone):
    python2 = next(iter(sorted((Path.home() / ".pyenv" / "versions").glob("2.7.*/bin/python2.7"))), None)
    python2 = python2 or shutil.which("python2.7")
    if python2 is None:
        pytest.skip("Python 2.7 is not installed here")
    done = subprocess.run(
        [python2, "-B", "-m", "collectors", "--version"], cwd=collectors_alone, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.startswith("The Highwater collector needs Python 3.6 or later")


def test_every_file_compiles(every_python, collectors_alone, tmp_path):
    # The rules are data to an older Python than 3.9, which says that it cannot run them.
    shutil.copytree(collectors_alone, tmp_path / "copy", ignore=shutil.ignore_patterns("rules"))
    done = subprocess.run([every_python, "-m", "compileall", "-q", tmp_path / "copy"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_collector_uses_no_feature_newer_than_python_3_6():
    script = Path(sysconfig.get_path("scripts")) / "vermin"
    vermin = str(script) if script.exists() else shutil.which("vermin")
    if vermin is None:
        pytest.skip("vermin is not installed here")
    done = subprocess.run(
        [vermin, "-t=3.6-", "--violations", "--eval-annotations", "--no-tips", CHECKOUT / "collectors"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_only_the_standard_library_is_imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level <= 1, f"{path}:{node.lineno} leaves its folder"
            names = [] if node.level else [node.module]
        for name in names:
            top = name.split(".")[0]
            assert top == "collectors" or top in sys.stdlib_module_names, f"{path}:{node.lineno} imports {name}"


def test_every_code_is_documented_and_no_other():
    used = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                used |= set(re.findall(r"\A(?:bundle|collector)\.[a-z0-9.-]+\Z", node.value))
    page = (CHECKOUT / "docs" / "collector.md").read_text(encoding="utf-8")
    assert used == set(re.findall(r"^\| `((?:bundle|collector)\.[a-z0-9.-]+)` \|", page, re.MULTILINE))


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_in_the_walkthrough(verb):
    walks = [(CHECKOUT / "docs" / name).read_text(encoding="utf-8") for name in ("upload.md", "collect.md")]
    assert any(f"python3 highwater.pyz {verb}" in walk for walk in walks)
