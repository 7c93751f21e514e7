"""Validating: with the rules installed here, with those of the registry, or with none and saying so."""

import json
import os
import sys
import tarfile
import zipfile

import pytest

from tests.collectors.conftest import CHECKOUT

RUN = {
    "tool": "io500",
    "version": "io500-sc25",
    "path": "results/r",
    "scores": {"SCORE": {"value": 12.345678912345}},
    "findings": [
        {"code": "io500.stonewall.short", "level": "error", "message": "Too short.", "where": "r/result.txt:1"}
    ],
}


def test_without_the_rules_it_says_that_none_was_run(every_python, collector, results):
    done = collector("validate", results, python=every_python)
    assert done.returncode == 0
    assert "No rule on the results was run" in done.stdout
    assert "No module named 'validators'" in done.stdout
    assert "--server" in done.stdout
    assert done.stdout.splitlines()[-1] == "status  not_evaluated"


def test_without_the_rules_the_json_has_the_shape_of_a_check(collector, results):
    document = json.loads(collector("validate", results, "--json").stdout)
    assert (document["status"], document["primary"], document["runs"]) == ("not_evaluated", None, [])
    assert [finding["code"] for finding in document["findings"]] == ["collector.rules.not-run"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../outside.txt", "bundle.path-traversal"),
        ("a/../../b", "bundle.path-traversal"),
        ("..\\b", "bundle.path-traversal"),
        ("/etc/absolute.txt", "bundle.absolute-path"),
        ("C:\\b", "bundle.absolute-path"),
    ],
)
def test_names_that_lead_out_of_an_archive_are_errors(collector, tmp_path, name, code):
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
        archive.writestr(name, b"x")
    done = collector("validate", tmp_path / "run.zip")
    assert done.returncode == 1
    assert code in done.stdout


@pytest.mark.parametrize("name", ["run.tar", "run.tar.gz", "run.tgz", "run.zip"])
def test_an_archive_that_does_not_open_is_an_error(collector, tmp_path, name):
    (tmp_path / name).write_bytes(b"\x1f\x8bneither tar nor zip" * 100)
    done = collector("validate", tmp_path / name)
    assert done.returncode == 1
    assert "bundle.corrupt" in done.stdout


def test_a_truncated_archive_is_an_error(every_python, collector, tmp_path):
    (tmp_path / "noise").write_bytes(os.urandom(100_000))
    with tarfile.open(tmp_path / "whole.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "noise", "noise")
    (tmp_path / "half.tar.gz").write_bytes((tmp_path / "whole.tar.gz").read_bytes()[:50_000])
    done = collector("validate", tmp_path / "half.tar.gz", python=every_python)
    assert done.returncode == 1
    assert "bundle.corrupt" in done.stdout


def test_a_link_in_a_folder_is_an_error(collector, results):
    (results / "latest").symlink_to(results / "result.txt")
    done = collector("validate", results, "--json")
    assert done.returncode == 1
    assert "bundle.not-regular" in [finding["code"] for finding in json.loads(done.stdout)["findings"]]


def test_an_archive_without_files_is_nothing(collector, tmp_path):
    with tarfile.open(tmp_path / "run.tar", "w"):
        pass
    assert collector("validate", tmp_path / "run.tar").returncode == 3


def test_a_path_that_is_not_there_is_a_usage_error(collector, tmp_path):
    assert collector("validate", tmp_path / "missing").returncode == 2


def test_the_server_checks_a_folder(every_python, alice, peer, results):
    peer.check_answer = {"status": "invalid", "primary": 0, "findings": [], "runs": [RUN]}
    done = alice("validate", results, "--server", python=every_python)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "error   io500.stonewall.short  r/result.txt:1",
        "        Too short.",
        "run     io500 io500-sc25 results/r",
        "score   SCORE 12.3456789",
        "status  invalid",
    ]
    assert peer.received[0].path == "/api/v1/check/"


def test_the_servers_json_is_passed_on(alice, peer, results):
    peer.check_answer = {"status": "invalid", "primary": 0, "findings": [], "runs": [RUN]}
    assert json.loads(alice("validate", results, "--server", "--json").stdout) == peer.check_answer


def test_what_the_server_cannot_read_is_exit_status_3(alice, peer, results):
    peer.check_answer = {"status": "unreadable", "primary": None, "findings": [], "runs": []}
    assert alice("validate", results, "--server").returncode == 3


def test_an_answer_that_is_no_check_is_told(alice, peer, results):
    peer.check_answer = ["something else"]
    done = alice("validate", results, "--server")
    assert done.returncode == 4
    assert "is no check" in done.stderr


def test_with_the_rules_installed_they_are_run(collector, results):
    pytest.importorskip("jsonschema", reason="the rules need jsonschema")
    collector.environ["PYTHONPATH"] = str(CHECKOUT)
    done = collector("validate", results, "--json", python=sys.executable)
    document = json.loads(done.stdout)
    assert "rules" in done.stderr
    assert document["status"] in ("valid", "invalid", "unreadable")
    assert "collector.rules.not-run" not in done.stdout


def test_rules_that_fail_are_told_without_a_traceback(collector, results, tmp_path):
    """An installation that imports but does not answer: another project's package of that name, or a broken one."""
    package = tmp_path / "broken" / "validators"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("VERSION = '0'\n")
    (package / "checks.py").write_text("")
    (package / "__main__.py").write_text("if __name__ == '__main__':\n    raise SystemExit('broken here')\n")
    collector.environ["PYTHONPATH"] += os.pathsep + str(package.parent)
    done = collector("validate", results)
    assert done.returncode == 2
    assert "gave no answer: broken here" in done.stderr


def test_release_and_list_reach_the_rules(collector, results, tmp_path):
    """Another package under the rules' name answers with its arguments."""
    package = tmp_path / "echo" / "validators"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("VERSION = '0'\n")
    (package / "checks.py").write_text("")
    (package / "__main__.py").write_text(
        "import json, sys\n"
        "if __name__ == '__main__':\n    print(json.dumps({'status': 'valid', 'arguments': sys.argv[1:]}))\n"
    )
    (tmp_path / "site.json").write_text("{}")
    collector.environ["PYTHONPATH"] += os.pathsep + str(package.parent)
    context = ["--release", "next", "--list", "ten", "--metadata", tmp_path / "site.json"]
    done = collector("validate", results, "--json", *context)
    assert json.loads(done.stdout)["arguments"] == ["check", str(results), "--json", *map(str, context)]
    assert collector("validate", results, "--list", "ten,io500").returncode == 2
