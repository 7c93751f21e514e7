"""The example: a made-up run that says so, written beside nothing of the user's."""

import json
import subprocess

from tools import example_run


def test_the_example_equals_the_run_of_the_test_helper():
    """Else: ./dev.py exec python -m tools.example_run"""
    assert example_run.FILE.read_text(encoding="utf-8") == example_run.document()


def test_every_python_writes_the_same_files(every_python, collector):
    done = collector("example", "--out", "results", python=every_python)
    assert done.returncode == 0, done.stderr
    folder = collector.cwd / "results"
    written = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert written == json.loads(example_run.document())["files"]
    assert "Nothing was measured" in written["EXAMPLE.txt"]


def test_the_example_is_valid_and_marked_as_an_example(collector):
    collector("example", "--out", "results")
    done = collector("validate", "results", "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["status"]) == (0, "valid")
    assert [finding["code"] for finding in document["findings"]] == ["bundle.example"]
    assert document["runs"][0]["findings"] == []


def test_the_packed_example_is_marked_as_an_example(collector):
    collector("example", "--out", "results")
    collector("pack", "--results", "results", "--out", "run.tar.gz")
    document = json.loads(collector("validate", "run.tar.gz", "--json").stdout)
    assert "bundle.example" in [finding["code"] for finding in document["findings"]]


def test_the_example_is_not_written_into_a_folder_with_files(collector):
    (collector.cwd / "results").mkdir()
    (collector.cwd / "results" / "result.txt").write_text("mine")
    done = collector("example", "--out", "results")
    assert (done.returncode, "is there already" in done.stderr) == (2, True)
    assert [path.name for path in (collector.cwd / "results").iterdir()] == ["result.txt"]
    (collector.cwd / "file").write_text("mine")
    assert collector("example", "--out", "file").returncode == 2
    (collector.cwd / "link").symlink_to("nowhere")
    assert collector("example", "--out", "link").returncode == 2


def test_the_example_is_written_into_an_empty_folder(collector):
    (collector.cwd / "results").mkdir()
    assert collector("example", "--out", "results").returncode == 0


def test_half_an_example_is_not_left_behind(collector):
    """A file of it is larger than may be written, as on a full disk."""
    command = ["bash", "-c", "ulimit -f 1; exec python3 -B -m collectors example --out run"]
    done = subprocess.run(command, cwd=collector.cwd, env=collector.environ, capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert not (collector.cwd / "run").exists()
