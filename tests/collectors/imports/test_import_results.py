"""`import tree|reframe|jube`: what is found, doubled, left out, sent, and sent again."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from collectors.bundle.archive_limits import ArchiveMember
from collectors.imports import units
from tests.collectors.conftest import wait_until
from tests.collectors.registry_peer import hang_up_after_storing, refuse
from tests.make_fio import make_output
from tests.make_io500 import make_run

CHECKED = {"findings": [], "scores": {}, "not_read": [], "runs": [{"tool": "fio", "errors": 0, "path": "a"}]}


@pytest.fixture
def tree(tmp_path) -> Path:
    """Two days of fio, one output twice, an IO500 run, and what is no output."""
    folder = tmp_path / "outputs"
    for number in range(3):
        day = folder / f"day{number % 2}"
        day.mkdir(parents=True, exist_ok=True)
        (day / f"fio-{number}.json").write_bytes(make_output(1 + number))
    (folder / "day1" / "copy.json").write_bytes(make_output(1))
    (folder / "day0" / "stream.fio").write_text("[stream]\nrw=write\n")
    (folder / "day0" / "packed.json.gz").write_bytes(gzip.compress(make_output(7), mtime=0))
    (folder / "notes.md").write_text("nothing of a benchmark\n")
    (folder / "empty.out").write_bytes(b"")
    (folder / "latest").symlink_to(folder / "day1")
    for name, content in make_run(folder="io500/2025.10.01-09.00.00").items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def names_sent(peer: Any) -> list[list[str]]:
    """The names in each archive that arrived."""
    bundles = [received.part("bundle") for received in peer.received if received.method == "POST"]
    sent = []
    for bundle in bundles:
        with tarfile.open(fileobj=io.BytesIO(bundle)) as archive:
            sent.append(archive.getnames())
    return sent


def report_of(done: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_a_tree_is_sent_as_one_bundle_and_every_file_is_accounted_for(
    oldest_and_this_python, alice, peer, tree
) -> None:
    peer.facts = CHECKED
    done = alice("import", "tree", tree, "--json", python=oldest_and_this_python)
    assert done.returncode == 0, done.stderr
    document = report_of(done)
    assert (document["outputs"], document["by_tool"]) == (6, {"fio": 5, "io500": 1})
    assert (document["sent"], document["sent_before"], document["not_sent"]) == (5, 0, 0)
    assert document["doubled"] == [{"path": "outputs/day1/copy.json", "same_as": "outputs/day0/fio-0.json"}]
    reasons = {row["path"]: row["reason"] for row in document["not_read"]}
    assert reasons == {
        **dict.fromkeys(
            ("outputs/notes.md", "outputs/job.out", "outputs/job.sh"), "no benchmark is known to write this"
        ),
        "outputs/empty.out": "empty",
        "outputs/latest": "symbolic link",
    }
    (names,) = names_sent(peer)
    assert "outputs/day0/stream.fio" in names and "outputs/day0/packed.json.gz" in names
    assert sum(name.startswith("outputs/io500/") for name in names) == len(
        [name for name in make_run() if not name.startswith("job.")]
    )
    assert not set(names) & set(reasons)
    assert document["submissions"][0]["by_tool"] == {"fio": 1}


def test_the_same_command_again_sends_nothing_and_what_is_new_is_sent_alone(alice, peer, tree) -> None:
    peer.facts = CHECKED
    alice("import", "tree", tree)
    again = report_of(alice("import", "tree", tree, "--json"))
    assert (again["sent"], again["sent_before"], len(peer.submissions)) == (0, 5, 1)
    (tree / "day1" / "fio-9.json").write_bytes(make_output(9))
    more = report_of(alice("import", "tree", tree, "--json"))
    assert (more["sent"], more["sent_before"], len(peer.submissions)) == (1, 5, 2)
    assert names_sent(peer)[-1] == ["outputs/day1/fio-9.json"]


def test_an_interrupted_import_continues_and_stores_nothing_twice(alice, peer, tree, monkeypatch) -> None:
    """The acknowledgement is lost, and then the account has used up its day."""
    peer.facts = CHECKED
    peer.misbehaviours.append(hang_up_after_storing)
    assert alice("import", "tree", tree).returncode == 0
    assert len(peer.submissions) == 1
    (tree / "day1" / "fio-9.json").write_bytes(make_output(9))
    peer.misbehaviours.append(refuse(409, code="quota.bytes", detail="The day is used up.", hint="Tomorrow."))
    done = alice("import", "tree", tree, "--json")
    document = report_of(done)
    assert (done.returncode, document["not_sent"], document["stopped"]["code"]) == (1, 1, "quota.bytes")
    assert "Run the same command again" in done.stderr
    assert report_of(alice("import", "tree", tree, "--json"))["sent"] == 1


def test_an_invalid_run_ends_with_1(alice, peer, tree) -> None:
    peer.facts = dict(CHECKED, runs=[{"tool": "fio", "errors": 2}])
    done = alice("import", "tree", tree)
    assert done.returncode == 1
    assert "1 run, 1 with errors" in done.stdout
    peer.facts, peer.states = CHECKED, ["invalid"]
    (tree / "new.json").write_bytes(make_output(8))
    assert alice("import", "tree", tree).returncode == 1


@pytest.mark.parametrize(
    ("changes", "has_shelf"),
    [
        ({}, True),
        ({"institution": None}, False),
        ({"test": True}, False),
        ({"runs": [{"tool": "fio", "errors": 2}]}, False),
        ({"runs": []}, False),
    ],
)
def test_an_import_says_where_its_runs_are_on_the_shelf(alice, peer, tree, changes, has_shelf) -> None:
    peer.facts = CHECKED | {"institution": "fjord"} | changes
    done = alice("import", "tree", tree)
    [submission] = peer.submissions.values()
    address = f"{peer.url}/shelf/?submission={submission}"
    assert (f"shelf    {address}\n" in done.stdout) == has_shelf
    assert ("list --scope own" in done.stdout) == has_shelf
    (tree / "new.json").write_bytes(make_output(8))
    [row] = report_of(alice("import", "tree", tree, "--json"))["submissions"]
    assert row["shelf"] == (f"{peer.url}/shelf/?submission={row['id']}" if has_shelf else None)


@pytest.mark.parametrize(("runs", "has_shelf"), [(5, True), (0, False)])
def test_an_import_that_sends_nothing_says_where_the_earlier_runs_are(alice, peer, tree, runs, has_shelf) -> None:
    peer.facts = CHECKED | {"institution": "fjord", "shelf_runs": runs}
    alice("import", "tree", tree)
    done = alice("import", "tree", tree)
    assert (done.returncode, len(peer.submissions)) == (0, 1), done.stderr
    assert "before   5 outputs\n" in done.stdout and "before   1  checked, 5 outputs\n" in done.stdout
    address = f"{peer.url}/shelf/?submission=1"
    assert (f"shelf    {address}\n" in done.stdout) == has_shelf
    (row,) = report_of(alice("import", "tree", tree, "--json"))["submissions_before"]
    assert row == {"id": "1", "outputs": 5, "state": "checked", "shelf": address if has_shelf else None}


def test_an_import_does_not_depend_on_its_earlier_submissions(alice, peer, tree) -> None:
    """The registry has them no more, or the record names what is no id."""
    peer.facts = CHECKED
    alice("import", "tree", tree)
    (path,) = (alice.home / ".local" / "state" / "highwater").iterdir()
    digests = json.loads(path.read_text())["sent"]
    for id in ("7", "../../tokens", ""):
        path.write_text(json.dumps({"sent": dict.fromkeys(digests, id)}))
        done = alice("import", "tree", tree, "--json")
        assert (done.returncode, report_of(done)["submissions_before"]) == (0, []), done.stderr


@pytest.mark.parametrize(("state", "words"), [(None, "is not there any more"), ("withdrawn", "was withdrawn")])
def test_closed_submissions_are_reported_and_sent_again_on_request(alice, peer, tree, state, words) -> None:
    peer.facts = CHECKED
    alice("import", "tree", tree)
    (tree / "new.json").write_bytes(make_output(8))
    alice("import", "tree", tree)
    if state is None:
        [erased, *_] = peer.submissions
        del peer.submissions[erased]
        peer.submissions["of others"] = 99
        gone_ids, outputs = ["1"], 5
    else:
        peer.states = [state]
        gone_ids, outputs = ["1", "2"], 6
    done = alice("import", "tree", tree)
    assert (done.returncode, len(names_sent(peer))) == (0, 2), done.stderr
    assert f"gone     1  {words}, 5 outputs\n" in done.stdout and "--again" in done.stdout
    document = report_of(alice("import", "tree", tree, "--json"))
    assert sorted(row["id"] for row in document["gone"]) == gone_ids
    assert {row["state"] for row in document["gone"]} == {state}
    again = report_of(alice("import", "tree", tree, "--again", "--no-wait", "--json"))
    assert (again["sent"], again["sent_before"], len(names_sent(peer))) == (outputs, 6 - outputs, 3)


def test_an_import_again_sends_nothing_while_all_is_there_or_nobody_answers(alice, peer, tree) -> None:
    peer.facts = CHECKED
    alice("import", "tree", tree)
    assert report_of(alice("import", "tree", tree, "--again", "--json"))["sent"] == 0
    peer.misbehaviours.append(refuse(500, code="internal", detail="Broken.", hint=""))
    done = alice("import", "tree", tree, "--again")
    assert (done.returncode, len(names_sent(peer))) == (4, 1), done.stderr


def test_a_tree_of_odd_entries_is_read_to_its_end(alice, peer, tmp_path) -> None:
    """Devices, pipes, links without end, names that are no names, thousands of empty files, and a path too long."""
    peer.facts = CHECKED
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "good.json").write_bytes(make_output(1))
    odd_names = [b"new\nline.json", b"tab\t.json", b"caf\xe9.json", b"esc\x1b[31m.json", "turn\u202e.json".encode()]
    for number, name in enumerate(odd_names):
        (folder / os.fsdecode(name)).write_bytes(make_output(2 + number))
    os.mkfifo(folder / "pipe.json")
    (folder / "loop").symlink_to(".")
    (folder / "elsewhere").symlink_to("/etc")
    (folder / "dangling.json").symlink_to("nowhere")
    for number in range(2000):
        (folder / f"empty-{number}").touch()
    here, deepest = os.open(folder, os.O_RDONLY), os.open(folder, os.O_RDONLY)
    try:
        for _ in range(25):
            os.mkdir("d" * 200, dir_fd=deepest)
            below = os.open("d" * 200, os.O_RDONLY, dir_fd=deepest)
            os.close(deepest)
            deepest = below
        done = alice("import", "tree", folder, "--json")
        assert done.returncode == 0, done.stderr
        document = report_of(done)
        assert (document["outputs"], document["sent"], names_sent(peer)) == (1, 1, [["odd/good.json"]])
        reasons = [row["reason"] for row in document["not_read"] if row["reason"] != "empty"]
        assert sorted(reasons) == [
            "cannot be read: File name too long",
            *["name has control characters"] * 4,
            "name is not UTF-8",
            "neither file nor folder",
            *["symbolic link"] * 3,
        ]
        assert len(document["not_read"]) == 2000 + len(reasons)
        lines = alice("import", "tree", folder).stdout
        assert lines.isascii() and "\x1b" not in lines
    finally:
        os.close(deepest)
        os.close(here)


def test_a_killed_import_continues_and_stores_nothing_twice(alice, peer, tree, tmp_path) -> None:
    """Killed between the answer and its record, the worst moment: nothing of it is noted."""
    peer.facts = CHECKED
    hook = tmp_path / "sitecustomize.py"
    hook.write_text("import os\nos.replace = os.rename = lambda *paths, **more: os.kill(os.getpid(), 9)\n")
    modules = alice.environ["PYTHONPATH"]
    alice.environ["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{modules}"
    assert alice("import", "tree", tree).returncode == -9
    alice.environ["PYTHONPATH"] = modules
    done = alice("import", "tree", tree, "--json")
    assert (done.returncode, report_of(done)["sent"], len(peer.submissions)) == (0, 5, 1), done.stderr
    assert report_of(alice("import", "tree", tree, "--json"))["sent_before"] == 5


def test_a_file_with_a_token_stays_and_does_not_spoil_the_others(alice, peer, tree) -> None:
    peer.facts = CHECKED
    secret = make_output(3, bs="2M") + b"\nexport AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY1\n"
    (tree / "day1" / "leaky.json").write_bytes(secret)
    (tree / "day1" / "packed.json.gz").write_bytes(gzip.compress(secret))
    document = report_of(alice("import", "tree", tree, "--json"))
    assert {
        "path": "outputs/day1/leaky.json",
        "reason": "holds what looks like a key, a token or a password",
    } in document["not_read"]
    assert not {"outputs/day1/leaky.json", "outputs/day1/packed.json.gz"} & set(names_sent(peer)[0])
    assert document["sent"] == 5


def test_a_dry_run_needs_no_registry(collector, tree) -> None:
    done = collector("import", "tree", tree, "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    assert report_of(done)["not_sent"] == 5
    assert not (collector.home / ".local").exists()
    as_text = collector("import", "tree", tree, "--dry-run").stdout
    assert "to send  5 outputs\n" in as_text and "sent     0" not in as_text, as_text


@pytest.mark.parametrize(
    ("make", "status", "code"),
    [
        (lambda folder: None, 3, "bundle.empty"),
        (lambda folder: (folder / "a.txt").write_text("nothing"), 3, ""),
        (lambda folder: folder.rmdir(), 2, "collector.path"),
    ],
)
def test_a_tree_without_outputs_ends_with_3(alice, peer, tmp_path, make, status, code) -> None:
    folder = tmp_path / "nothing"
    folder.mkdir()
    make(folder)
    done = alice("import", "tree", folder)
    assert (done.returncode, peer.received) == (status, [])
    assert code in done.stderr


def test_a_damaged_record_of_an_import_is_reported(alice, peer, tree) -> None:
    peer.facts = CHECKED
    alice("import", "tree", tree)
    (path,) = (alice.home / ".local" / "state" / "highwater").iterdir()
    assert path.stat().st_mode & 0o077 == 0
    for content in ("", "[]", "{", '{"sent": 7}', "[" * 100000):
        path.write_text(content)
        done = alice("import", "tree", tree)
        assert done.returncode == 2
        assert "collector.import.journal" in done.stderr


def test_options_of_settings_are_refused_for_results(alice, peer, tree) -> None:
    done = alice("import", "tree", tree, "--into", "system.json")
    assert (done.returncode, peer.received) == (2, [])


def make_units(sizes: list[int], files: int = 1, suffix: str = ".txt") -> list[units.Unit]:
    return [
        units.Unit(
            f"u{place}",
            "fio",
            [ArchiveMember(f"u{place}/{number}{suffix}", "/nonexistent", size) for number in range(files)],
            str(place),
        )
        for place, size in enumerate(sizes)
    ]


@pytest.mark.parametrize(
    ("outputs", "counts"),
    [
        (make_units([1] * 1001), [500, 500, 1]),
        (make_units([1] * 500), [500]),
        (make_units([1] * 3, files=1000), [1, 1, 1]),
        (make_units([100 * units.LARGEST_FILE // 32] * 6), [2, 2, 2]),
        (make_units([units.LARGEST_FILE] * 3, suffix=".tar.gz"), [1, 1, 1]),
        ([], []),
    ],
)
def test_bundles_keep_within_what_the_registry_takes(outputs: list[units.Unit], counts: list[int]) -> None:
    bundles = list(units.split_into_bundles(outputs))
    assert [len(bundle) for bundle in bundles] == counts
    assert [unit for bundle in bundles for unit in bundle] == outputs


@pytest.fixture
def reframe_report(tmp_path) -> Path:
    """A report of three cases: one passed, one failed, one whose folder is gone."""
    output_folder = tmp_path / "output" / "FioTest_6de1892c"
    output_folder.mkdir(parents=True)
    (output_folder / "rfm_job.out").write_bytes(make_output(2))
    (output_folder / "rfm_job.sh").write_text("#!/bin/bash\nfio stream.fio\n")
    failed = tmp_path / "output" / "BadTest"
    failed.mkdir()
    (failed / "rfm_job.out").write_bytes(make_output(4))
    cases = [
        {"unique_name": "FioTest_0", "result": "pass", "outputdir": str(output_folder)},
        {"unique_name": "BadTest", "result": "fail", "outputdir": str(failed)},
        {"unique_name": "Gone", "result": "pass", "outputdir": str(tmp_path / "gone")},
        {"unique_name": "Relative", "result": "pass", "outputdir": "output"},
        {"unique_name": "Odd", "result": "pass", "outputdir": None},
        None,
    ]
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"session_info": {"data_version": "4.2"}, "runs": [{"testcases": cases}]}))
    return path


def test_reframe_outputs_of_cases_that_passed_are_sent_as_they_are(alice, peer, reframe_report) -> None:
    peer.facts = CHECKED
    done = alice("import", "reframe", reframe_report, "--json")
    assert done.returncode == 0, done.stderr
    assert names_sent(peer) == [["FioTest_6de1892c/rfm_job.out"]]
    reasons = {row["path"]: row["reason"] for row in report_of(done)["not_read"]}
    assert reasons["BadTest"] == "did not pass: fail"
    assert reasons["Gone"] == reasons["Relative"] == reasons["Odd"] == "its output folder is not there"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"runs": 7}', '{"runs": [7]}', '{"runs": [{"testcases": 7}]}', "[" * 90000]
)
def test_invalid_reports_are_refused(alice, peer, tmp_path, text) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    done = alice("import", "reframe", path)
    assert (done.returncode, peer.received) == (2, [])
    assert "collector.import" in done.stderr


@pytest.fixture
def jube_run(tmp_path) -> Path:
    """A benchmark of JUBE with a step that is done and one that is not; a link leads to the step before."""
    run = tmp_path / "bench_run" / "000000"
    for name, done in (("000000_measure", True), ("000001_measure", False)):
        work = run / name / "work"
        work.mkdir(parents=True)
        (work / "stdout").write_bytes(make_output(2 if done else 3))
        (work / "before").symlink_to("../../000000_measure/work")
        if done:
            (run / name / "done").write_text("")
    (run / "workpackages.xml").write_text("<workpackages/>")
    (run / "configuration.xml").write_text("<jube/>")
    return run


@pytest.mark.parametrize("outpath", [True, False])
def test_jube_outputs_of_steps_that_are_done_are_sent_as_they_are(alice, peer, jube_run, outpath) -> None:
    peer.facts = CHECKED
    done = alice("import", "jube", jube_run.parent if outpath else jube_run, "--json")
    assert done.returncode == 0, done.stderr
    assert names_sent(peer) == [["000000/000000_measure/stdout"]]
    reasons = {row["path"]: row["reason"] for row in report_of(done)["not_read"]}
    assert reasons == {
        "000000/000000_measure/before": "symbolic link",
        "000000/000001_measure": "this step is not done",
    }


def test_a_folder_of_something_else_is_no_run_of_jube(alice, peer, tree) -> None:
    done = alice("import", "jube", tree)
    assert (done.returncode, peer.received) == (2, [])
    assert "workpackages.xml" in done.stderr


def test_a_file_that_nobody_may_read_is_left_out(alice, peer, tree, tmp_path) -> None:
    peer.facts = CHECKED
    (tree / "day0" / "fio-0.json").chmod(0)
    done = alice("import", "tree", tree, python=python_without_roots_rights(tmp_path))
    assert "cannot be read" in done.stdout


def python_without_roots_rights(folder: Path) -> str:
    """A Python that may not read what its user may not, which root otherwise may."""
    if os.geteuid() != 0:
        return sys.executable
    rights = "--inh-caps=-all --bounding-set=-dac_override,-dac_read_search"
    program = folder / "python"
    program.write_text(f'#!/bin/sh\nexec setpriv {rights} "{sys.executable}" "$@"\n')
    program.chmod(0o700)
    return str(program)


@pytest.mark.parametrize("place", ["/proc/none", "/dev/null/state"])
def test_an_import_that_cannot_note_what_it_sends_sends_nothing(alice, peer, tree, place) -> None:
    """A home that is read only, or none."""
    alice.environ["XDG_STATE_HOME"] = place
    done = alice("import", "tree", tree)
    assert (done.returncode, peer.received) == (2, [])
    assert "collector.import.journal" in done.stderr and "XDG_STATE_HOME" in done.stderr


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_import_reports_what_was_sent(alice, peer, tree, number, status) -> None:
    peer.facts, peer.states = CHECKED, ["processing"]
    process = alice.start("import", "tree", tree, "--json")
    wait_until(lambda: any(received.method == "GET" for received in peer.received))
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=600)
    assert process.returncode == status, stderr
    document = json.loads(stdout)
    assert (document["sent"], document["stopped"]["code"]) == (5, "collector.interrupted")
    assert [row["id"] for row in document["submissions"]] == [1]
    assert "Run the same command again" in stderr and "Traceback" not in stderr
    peer.states = ["checked"]
    assert report_of(alice("import", "tree", tree, "--json"))["sent_before"] == 5


def test_an_import_again_looks_up_each_earlier_submission_once(alice, peer, tree) -> None:
    peer.facts = CHECKED
    alice("import", "tree", tree)
    peer.received.clear()
    assert report_of(alice("import", "tree", tree, "--again", "--json"))["sent_before"] == 5
    assert [received.path for received in peer.received] == ["/api/v1/submissions/1/"]
