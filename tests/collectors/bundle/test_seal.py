"""What `run` seals, and what `pack` and the rules make of results that are not those: the whole way, with real fio."""

import hashlib
import json
import os
import shutil
import sys
import tarfile

import pytest

from collectors.document import schema, seal
from validators.checks import check

FIO = ("--name=s", "--rw=write", "--bs=64k", "--size=1m", "--ioengine=psync", "--output-format=json")


@pytest.fixture
def wrap(collector, tmp_path):
    """`run` a command on a node without files of its own; its document."""
    (tmp_path / "node" / "proc").mkdir(parents=True)

    def start(*command, out="out", options=(), status=0, python=sys.executable):
        done = collector("run", "--out", out, "--root", tmp_path / "node", *options, "--", *command, python=python)
        assert done.returncode == status, done.stderr
        document = json.loads((collector.cwd / out / "system.json").read_text())
        assert list(schema.errors(document)) == []
        return document

    return start


@pytest.fixture
def pack(collector):
    def start(results="results", system="out/system.json", options=()):
        (collector.cwd / "b.tar.gz").unlink(missing_ok=True)
        return collector("pack", "--results", results, "--system", system, "--out", "b.tar.gz", *options)

    return start


def write(text, path="results/out.txt"):
    return ("sh", "-c", f"mkdir -p $(dirname {path}); printf '{text}' > {path}")


def judged(path):
    """(outcome of the whole seal, outcome of the rule for the first run, its findings on the seal)."""
    report = check(path)
    (rule,) = [outcome for outcome in report.runs[0].rules if outcome.code == "system.seal"]
    codes = [finding.code for finding in report.runs[0].findings if finding.code.startswith("system.seal")]
    return report.system.seal.outcome()[0], rule.outcome, codes


needs_fio = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed here")


@needs_fio
def test_a_sealed_run_of_fio_agrees_with_its_seal_after_packing(collector, wrap, pack):
    (collector.cwd / "results").mkdir()
    document = wrap("fio", *FIO, f"--directory={collector.cwd}", "--output=results/fio.json")
    sealed = {entry["path"]: entry for entry in document["run"]["files"]}
    assert sealed["results/fio.json"]["bytes"] == (collector.cwd / "results" / "fio.json").stat().st_size
    assert (document["run"]["nodes"], document["run"]["nodes_from"]) == (1, "no launcher")
    assert pack().returncode == 0
    assert judged(collector.cwd / "b.tar.gz") == ("agrees", "satisfied", [])
    run = check(collector.cwd / "b.tar.gz").runs[0]
    outcomes = {rule.code: rule.outcome for rule in run.rules}
    assert {outcomes[f"system.{name}"] for name in ("capture-time", "run-duration", "client-nodes")} == {"satisfied"}


@needs_fio
def test_results_of_a_second_run_differ_from_the_seal(collector, wrap, pack):
    (collector.cwd / "results").mkdir()
    wrap("fio", *FIO, f"--directory={collector.cwd}", "--output=results/one.json")
    wrap("fio", *FIO, "--numjobs=2", f"--directory={collector.cwd}", "--output=results/two.json", out="second")
    done = pack()
    assert done.returncode == 0
    assert "1 files were not written by the command that out/system.json describes: results/two.json" in done.stderr
    report = check(collector.cwd / "b.tar.gz")
    assert [
        (run.path.rpartition("/")[2], rule.outcome)
        for run in report.runs
        for rule in run.rules
        if rule.code == "system.seal"
    ] == [("one.json", "satisfied"), ("two.json", "violated")]


@needs_fio
def test_a_result_changed_after_packing_is_found_by_the_rules(collector, wrap, pack):
    (collector.cwd / "results").mkdir()
    wrap("fio", *FIO, f"--directory={collector.cwd}", "--output=results/fio.json")
    folder = collector.cwd / "bundle"
    folder.mkdir()
    shutil.copy(collector.cwd / "out" / "system.json", folder)
    text = (collector.cwd / "results" / "fio.json").read_text()
    (folder / "fio.json").write_text(text)
    assert judged(folder) == ("agrees", "satisfied", [])
    (folder / "fio.json").write_text(text + "\n")
    assert judged(folder)[:2] == ("agrees", "satisfied")
    assert "added since" in check(folder).system.seal.outcome()[1]
    (folder / "fio.json").write_text(text.replace('"fio version"', '"fio version" '))
    assert judged(folder) == ("differs", "violated", ["system.seal"])


def test_files_that_existed_before_the_run_are_not_sealed(collector, wrap):
    (collector.cwd / "old.txt").write_text("of before\n")
    document = wrap(*write("of the run"))
    assert [entry["path"] for entry in document["run"]["files"]] == ["results/out.txt"]


def test_a_file_that_was_written_over_is_sealed_as_it_is_after(collector, wrap, pack):
    (collector.cwd / "results").mkdir()
    (collector.cwd / "results" / "out.txt").write_text("of the run")
    wrap(*write("of the ruN"))
    assert pack().returncode == 0
    (collector.cwd / "results" / "out.txt").write_text("of the run")
    assert pack().returncode == 1


def test_a_file_that_an_argument_names_is_sealed_wherever_it_lies(collector, wrap, tmp_path, pack):
    place = tmp_path / "elsewhere" / "out.txt"
    document = wrap("sh", "-c", 'mkdir -p "${1%/*}"; echo x > "$1"', "sh", place)
    assert [entry["path"] for entry in document["run"]["files"]] == ["out.txt"]
    assert pack(place.parent).returncode == 0


def test_output_that_goes_to_a_file_is_sealed_from_where_it_began(collector, wrap, tmp_path):
    line = f"echo before; {sys.executable} -B -m collectors run --out out --root {tmp_path / 'node'} -- echo measured"
    (collector.cwd / "results").mkdir()
    wrap("true", out="unused")
    done = collector_shell(collector, f"({line}; echo after) > results/job.out 2>&1")
    assert done == 0
    document = json.loads((collector.cwd / "out" / "system.json").read_text())
    (entry,) = [entry for entry in document["run"]["files"] if entry["path"].endswith("job.out")]
    content = (collector.cwd / "results" / "job.out").read_bytes()
    assert content[entry["from_byte"] :][: entry["bytes"]] == b"measured\n"
    packed = collector("pack", "--results", "results", "--system", "out/system.json", "--out", "b.tar.gz")
    assert packed.returncode == 0, packed.stderr


def collector_shell(collector, line):
    import subprocess

    return subprocess.run(["sh", "-c", line], cwd=collector.cwd, env=collector.environ, timeout=600).returncode


def test_pack_refuses_a_file_that_was_changed_after_the_run(collector, wrap, pack):
    wrap(*write("12.5 GiB/s"))
    (collector.cwd / "results" / "out.txt").write_text("99.5 GiB/s")
    done = pack()
    assert done.returncode == 1
    assert "out.txt in results is not as the command left it: sealed 10 bytes" in done.stderr
    assert "[seal.changed]" in done.stderr
    assert not (collector.cwd / "b.tar.gz").exists()


def test_pack_refuses_another_file_of_the_same_size_and_time(collector, wrap, pack):
    wrap(*write("12.5 GiB/s"))
    place = collector.cwd / "results" / "out.txt"
    times = place.stat().st_atime_ns, place.stat().st_mtime_ns
    place.write_text("99.5 GiB/s")
    os.utime(place, ns=times)
    assert place.stat().st_mtime_ns == times[1]
    done = pack()
    assert done.returncode == 1
    assert "[seal.changed]" in done.stderr


def test_pack_does_not_follow_a_link_in_place_of_a_sealed_file(collector, wrap, pack, tmp_path):
    """A link to the very bytes is left out like every link, so that nothing of the run is there."""
    wrap(*write("12.5 GiB/s"))
    place = collector.cwd / "results" / "out.txt"
    place.rename(tmp_path / "elsewhere.txt")
    place.symlink_to(tmp_path / "elsewhere.txt")
    (collector.cwd / "results" / "other.txt").write_text("99.5 GiB/s")
    assert pack().returncode == 1


def test_pack_refuses_two_runs_whose_files_changed_places(collector, wrap, pack):
    wrap(*write("12.5 GiB/s", "results/one.txt"))
    wrap(*write("99.5 GiB/s", "results/two.txt"), out="second")
    of_first, of_second = (collector.cwd / "results" / name for name in ("one.txt", "two.txt"))
    first, second = of_first.read_text(), of_second.read_text()
    of_first.write_text(second)
    of_second.unlink()
    done = pack()
    assert done.returncode == 1
    assert "[seal.changed]" in done.stderr
    of_second.write_text(first)
    assert pack().returncode == 0, "the bytes of the run are there, under another name"


def test_pack_accepts_a_file_that_only_grew_with_a_message(collector, wrap, pack):
    wrap(*write("12.5 GiB/s"))
    with (collector.cwd / "results" / "out.txt").open("a") as stream:
        stream.write("\nnext: highwater.pyz pack\n")
    done = pack()
    assert done.returncode == 0
    assert "out.txt: what the command wrote is in it, and 26 bytes more" in done.stderr


def test_pack_refuses_the_document_of_another_result(collector, wrap, pack):
    wrap(*write("one", "first/out.txt"))
    wrap(*write("two", "second/other.txt"), out="second-out")
    assert pack("first").returncode == 0
    done = pack("second")
    assert done.returncode == 1
    assert "out/system.json is of another result: none of the 1 files that sh wrote" in done.stderr
    assert "[seal.other-result]" in done.stderr
    assert "Give the document of this run." in done.stderr


@pytest.mark.parametrize("field", ["exit_status", "ended", "files"])
def test_pack_refuses_a_document_that_was_edited_after_the_run(collector, wrap, pack, field):
    document = wrap(*write("x"), status=0)
    run = document["run"]
    changes = {"exit_status": {"exit_status": 0, "nodes": 512}, "ended": {"ended": "2026-01-01T00:00:00Z"}}
    run.update(changes.get(field, {"files": [dict(run["files"][0], sha256="0" * 64)]}))
    (collector.cwd / "out" / "system.json").write_text(json.dumps(document))
    done = pack()
    assert done.returncode == 1
    assert "[seal.edited]" in done.stderr


@pytest.mark.parametrize(("phase", "time"), [("pre", "2199-01-01T00:00:00Z"), ("post", "2001-01-01T00:00:00Z")])
def test_pack_refuses_a_run_in_the_document_of_other_machines(collector, wrap, pack, phase, time):
    document = wrap(*write("figures"))
    for capture in document["captures"]:
        capture["started"] = time if capture["phase"] == phase else capture["started"]
    (collector.cwd / "out" / "system.json").write_text(json.dumps(document))
    done = pack()
    assert (done.returncode, "[seal.other-machines]" in done.stderr) == (1, True)


def test_pack_names_sealed_files_that_are_missing(collector, wrap, pack):
    wrap("sh", "-c", "mkdir -p results; echo 1 > results/out.txt; echo 2 > results/warnings.txt")
    (collector.cwd / "results" / "warnings.txt").unlink()
    done = pack()
    assert done.returncode == 0
    assert "1 files that the command wrote are not in results: results/warnings.txt" in done.stderr


def test_the_exit_status_of_a_failed_run_cannot_be_edited_away(collector, wrap, pack):
    document = wrap("sh", "-c", "mkdir results; echo x > results/out.txt; exit 3", status=3)
    assert pack().returncode == 1
    document["run"]["exit_status"] = 0
    (collector.cwd / "out" / "system.json").write_text(json.dumps(document))
    done = pack()
    assert done.returncode == 1
    assert "[seal.edited]" in done.stderr


def test_a_file_that_loses_names_is_sealed_as_it_leaves_and_its_own_hash_stays(
    collector, wrap, pack, oldest_and_this_python
):
    collector.environ["USER"] = "kovacs"
    document = wrap(*write("by kovacs: 12.5 GiB/s"), python=oldest_and_this_python)
    original = document["run"]["files"][0]["sha256"]
    assert pack().returncode == 0
    shutil.unpack_archive(collector.cwd / "b.tar.gz", collector.cwd / "unpacked")
    (place,) = (collector.cwd / "unpacked").rglob("system.json")
    text = place.read_text()
    (entry,) = json.loads(text)["run"]["files"]
    assert entry["scrubbed"] is True
    assert original not in text
    assert "kovacs" not in text
    assert check(collector.cwd / "b.tar.gz").findings  # no result of a benchmark
    assert not seal.is_edited(json.loads(text)["run"])


def test_the_strict_profile_leaves_out_the_command_line(collector, wrap, pack):
    collector.environ["LOADEDMODULES"] = "gcc/12.2.0"
    document = wrap(*write("x"))
    assert document["run"]["modules"] == ["gcc/12.2.0"]
    assert pack(options=["--profile", "strict"]).returncode == 0
    shutil.unpack_archive(collector.cwd / "b.tar.gz", collector.cwd / "unpacked")
    (place,) = (collector.cwd / "unpacked").rglob("system.json")
    assert not {"arguments", "modules", "source"} & json.loads(place.read_text())["run"].keys()


def test_more_files_than_a_bundle_holds_are_counted_and_do_not_stop_anything(collector, wrap):
    document = wrap("sh", "-c", "mkdir results; cd results; seq 2100 | xargs touch")
    assert len(document["run"]["files"]) == 2000
    assert document["run"]["files_not_sealed"] == 100


def test_files_in_the_test_directory_are_not_sealed(collector, wrap):
    (collector.cwd / "data").mkdir()
    document = wrap(*write("x", "data/big"), options=("--directory", collector.cwd / "data"))
    assert document["run"]["files"] == []


def test_a_sealed_file_that_was_packed_alone_leaves_unpacked_and_stays_sealed(collector, wrap, pack):
    command = "mkdir -p results; echo '1.5 GiB/s' | gzip > results/job.log.gz"
    wrap("sh", "-c", command)
    done = pack()
    assert done.returncode == 0, done.stderr
    with tarfile.open(collector.cwd / "b.tar.gz") as archive:
        document = json.load(archive.extractfile("highwater-bundle/data/system.json"))
        content = archive.extractfile("highwater-bundle/data/results/results/job.log").read()
    (sealed,) = document["run"]["files"]
    assert (sealed["path"], sealed["sha256"]) == ("results/job.log", hashlib.sha256(content).hexdigest())
    assert check(collector.cwd / "b.tar.gz").system.seal.outcome()[0] == "agrees"
