"""Validating: with the rules installed here, with those of the registry, or with none and saying so."""

import gzip
import io
import json
import os
import sys
import tarfile
import zipfile

import pytest

from collectors import verification
from collectors.errors import CollectorError
from tests.collectors.conftest import CHECKOUT
from tests.collectors.test_collector_pack import contents
from tests.collectors.test_collector_redact import DOCUMENT

RUN = {
    "tool": "io500",
    "version": "io500-sc25",
    "path": "results/r",
    "scores": {"SCORE": {"value": 12.345678912345}},
    "findings": [
        {"code": "io500.stonewall.short", "level": "error", "message": "Too short.", "where": "r/result.txt:1"}
    ],
}


def test_without_the_rules_it_says_that_none_was_run(oldest_and_this_python, collector, results):
    done = collector("validate", results, python=oldest_and_this_python)
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


def test_a_truncated_archive_is_an_error(oldest_and_this_python, collector, tmp_path):
    (tmp_path / "noise").write_bytes(os.urandom(100_000))
    with tarfile.open(tmp_path / "whole.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "noise", "noise")
    (tmp_path / "half.tar.gz").write_bytes((tmp_path / "whole.tar.gz").read_bytes()[:50_000])
    done = collector("validate", tmp_path / "half.tar.gz", python=oldest_and_this_python)
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


def test_the_server_checks_a_folder(oldest_and_this_python, alice, peer, results):
    peer.check_answer = {"status": "invalid", "primary": 0, "findings": [], "runs": [RUN]}
    done = alice("validate", results, "--server", python=oldest_and_this_python)
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


@pytest.fixture
def bag(collector, tmp_path):
    """A small bundle with a system document, as its bytes by name."""
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "a.txt").write_text("1\n")
    system = tmp_path / "system.json"
    system.write_text(json.dumps(DOCUMENT))
    done = collector("pack", "--results", folder, "--system", system, "--out", tmp_path / "bag.tar.gz")
    assert done.returncode == 0, done.stderr
    return tmp_path / "bag.tar.gz"


def found(collector, path, python=sys.executable):
    """(exit status, codes of the errors) of validating without any rules installed."""
    done = collector("validate", path, "--json", python=python)
    document = json.loads(done.stdout)
    return done.returncode, [each["code"] for each in document["findings"] if each["level"] == "error"]


def repacked(path, files):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def test_a_bundle_just_packed_has_no_error(every_python, collector, bag):
    assert found(collector, bag, every_python) == (0, [])


def test_an_unpacked_bundle_is_verified_too(collector, bag, tmp_path):
    with tarfile.open(bag) as archive:
        archive.extractall(tmp_path / "out", filter="data")
    folder = tmp_path / "out" / "highwater-bundle"
    assert found(collector, folder) == (0, [])
    (folder / "data/results/r/a.txt").write_text("2\n")
    assert found(collector, folder) == (1, ["bundle.manifest-mismatch"])


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda files: files.pop("highwater-bundle/data/results/r/a.txt"), "bundle.manifest-missing-file"),
        (lambda files: files.update({"highwater-bundle/data/more": b""}), "bundle.manifest-extra-file"),
        (lambda files: files.update({"highwater-bundle/note.txt": b""}), "bundle.manifest-extra-file"),
        (lambda files: files.pop("highwater-bundle/manifest-sha256.txt"), "bundle.manifest-missing"),
        (lambda files: files.pop("highwater-bundle/tagmanifest-sha256.txt"), "bundle.manifest-missing"),
        (lambda files: files.update({"highwater-bundle/data/system.json": b"{}"}), "system.schema"),
        (lambda files: files.update({"highwater-bundle/data/system.json": b"{"}), "system.unreadable"),
    ],
)
def test_what_became_of_a_bundle_is_told(collector, bag, tmp_path, change, code):
    files = contents(bag)
    change(files)
    status, codes = found(collector, repacked(tmp_path / "b.tgz", files))
    assert status == 1
    assert code in codes


def test_a_bit_that_flips_in_the_compressed_bytes_is_an_error_for_the_user_too(
    oldest_and_this_python, collector, bag, tmp_path
):
    flipped = bytearray(bag.read_bytes())
    flipped[len(flipped) // 2] ^= 4
    (tmp_path / "b.tgz").write_bytes(flipped)
    done = collector("validate", tmp_path / "b.tgz", python=oldest_and_this_python)
    assert (done.returncode, done.stdout.count("bundle.corrupt")) == (1, 1)


def test_any_single_bit_that_flips_in_any_file_or_in_the_archive_is_found(bag, tmp_path, monkeypatch):
    """In process, as there are thousands: some of each file, and every seventh of the .tar.gz itself."""
    monkeypatch.chdir(tmp_path)
    files = contents(bag)
    unseen = []
    for name, content in files.items():
        for position in range(0, len(content) * 8, 1 + len(content) // 40):
            flipped = bytearray(content)
            flipped[position // 8] ^= 1 << position % 8
            path = repacked(tmp_path / "b.tgz", {**files, name: bytes(flipped)})
            unseen += [] if verification.findings(str(path)) else [(name, position)]
    packed = bag.read_bytes()
    content_of_gzip = gzip.decompress(packed)
    for position in range(0, len(packed) * 8, 7):
        flipped = bytearray(packed)
        flipped[position // 8] ^= 1 << position % 8
        (tmp_path / "b.tgz").write_bytes(flipped)
        try:
            seen = verification.findings(str(tmp_path / "b.tgz"))
        except CollectorError:
            continue
        # Some bits of a deflate stream mean nothing: what comes out is the same.
        if not seen and (seen is None or flipped[10:] == packed[10:] or gzip.decompress(flipped) != content_of_gzip):
            unseen.append(("archive", position))
    assert unseen == []


def test_a_system_document_is_checked_by_itself(oldest_and_this_python, collector, tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(DOCUMENT))
    bad.write_text(json.dumps(dict(DOCUMENT, captures=[], hostname="cn0417")))
    assert found(collector, good, oldest_and_this_python) == (0, [])
    assert found(collector, bad, oldest_and_this_python) == (1, ["system.schema", "system.schema"])


def described(cpu=None, dram=None):
    """A description as MLPerf Storage asks for."""
    node = {
        "node_type_name": "client",
        "CPU": {"socket_count": 2, "base_frequency": 2.1, "boost_frequency": 4, **(cpu or {})},
        "DRAM": {"capacity_MiB": 257411, "frequency": 5600, **(dram or {})},
        "drives": [{"capacity_GiB": 7000}],
    }
    return {"nodes": [node], "networks": [{"bitrate": 400}]}


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (json.dumps(described()), []),
        (json.dumps({"system": described()}), []),
        (json.dumps(described(cpu={"base_frequency": "2.4 GHz"})), []),
        (json.dumps(described(cpu={"boost_frequency": 2500})), ["system.impossible"]),
        (json.dumps(described(cpu={"boost_frequency": "3700 MHz"})), ["system.impossible"]),
        (json.dumps(described(dram={"capacity_MiB": 768})), ["system.impossible"]),
        (json.dumps(described(dram={"capacity_MiB": 128, "frequency": 4.8})), ["system.impossible"] * 2),
        (json.dumps(described(cpu={"socket_count": "two"})), ["system.number"]),
        (json.dumps(described(cpu={"socket_count": None})), ["system.number"]),
        (json.dumps(described())[:-1] + ",]}", ["system.unreadable"]),
        ("[" * 100_000, ["system.unreadable"]),
        ("", ["system.unreadable"]),
    ],
)
def test_impossible_numbers_of_a_description_are_found(collector, tmp_path, text, codes):
    path = tmp_path / "system.json"
    path.write_text(text)
    assert found(collector, path) == (1 if codes else 0, codes)


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("F9000X_10x7000GiB_nvme_2xNDR400_Nclients1.json", ["system.unreadable"]),  # commas before brackets
        ("Micron_9550_Gen5_Performance_NVMe.json", ["system.impossible"]),  # 768 MiB of memory beside 96 cores
    ],
)
def test_what_is_wrong_with_historic_descriptions_is_found(collector, shared, name, codes):
    folder = shared / "data" / "collector" / "samples" / "mlperf-storage-system"
    assert found(collector, folder / name) == (1, codes)
