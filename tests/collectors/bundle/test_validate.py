"""Validating: with the rules that come along, with those of the registry, or with none and saying so."""

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from collectors.bundle import verification
from collectors.errors import CollectorError
from launcher import collector_file
from tests.collectors.bundle.test_pack import contents
from tests.collectors.bundle.test_redaction import DOCUMENT
from tests.collectors.conftest import CHECKOUT, find_python
from tests.make_fio import make_output
from tests.make_io500 import make_run
from tests.unpacking import extract
from validators import catalogue
from validators.checks import check

RUN = {
    "tool": "io500",
    "version": "io500-sc25",
    "path": "results/r",
    "scores": {"SCORE": {"value": 12.345678912345}},
    "findings": [
        {"code": "io500.stonewall.short", "level": "error", "message": "Too short.", "where": "r/result.txt:1"}
    ],
}


RULES = ("collectors", "data", "rules", "validators")


@pytest.fixture
def without_rules(collector, collectors_alone, tmp_path):
    """The collector as an installation that lost the rules."""
    copy = tmp_path / "lost" / "collectors"
    shutil.copytree(collectors_alone / "collectors", copy, ignore=shutil.ignore_patterns("rules", "__pycache__"))
    collector.environ["PYTHONPATH"] = str(copy.parent)
    return collector


@pytest.fixture
def put_rules(collector, collectors_alone, tmp_path):
    """put_rules({file: text}) gives the collector another package in the place of the rules."""

    def put(files):
        copy = tmp_path / "other"
        shutil.copytree(collectors_alone, copy)
        package = copy.joinpath(*RULES)
        shutil.rmtree(package)
        package.mkdir()
        for name, text in files.items():
            (package / name).write_text(text)
        collector.environ["PYTHONPATH"] = str(copy)
        return collector

    return put


@pytest.fixture
def run_folder(tmp_path):
    """make_run(...) as a folder."""

    def make(**changes):
        folder = tmp_path / "run1"
        for name, content in make_run(folder="2025.10.01-09.00.00", **changes).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        return folder

    return make


@pytest.fixture(params=[6, 7, 8], ids=lambda minor: f"3.{minor}")
def too_old_python(request):
    python = find_python(request.param)
    if python is None:
        pytest.skip(f"Python 3.{request.param} is not installed here")
    return python, f"Python 3.{request.param}"


@pytest.fixture(params=range(9, 14), ids=lambda minor: f"3.{minor}")
def new_enough_python(request):
    python = find_python(request.param)
    if python is None:
        pytest.skip(f"Python 3.{request.param} is not installed here")
    return python


@pytest.fixture
def no_other_python(collector, tmp_path):
    """The collector where no newer Python is found: the folders that are searched hold none."""
    (tmp_path / "no-python").mkdir()
    collector.environ["PATH"] = str(tmp_path / "no-python")
    source = Path(collector.environ["PYTHONPATH"])
    copy = tmp_path / "here-only"
    shutil.copytree(source, copy)
    path = copy / "collectors" / "bundle" / "python_search.py"
    text = path.read_text()
    assert '("/usr/bin", "/usr/local/bin", "/opt/bin")' in text
    path.write_text(text.replace('("/usr/bin", "/usr/local/bin", "/opt/bin")', "()"))
    collector.environ["PYTHONPATH"] = str(copy)
    return collector


def test_an_older_python_reports_that_no_rule_ran_and_ends_with_3(too_old_python, no_other_python, results):
    python, version = too_old_python
    done = no_other_python("validate", results, python=python)
    assert done.returncode == 3
    assert "No rule on the results was run" in done.stdout
    assert f"this is {version}, they need 3.9 or later, and none was found" in done.stdout
    assert "--server" in done.stdout
    assert done.stdout.splitlines()[-1] == "status  not_evaluated"
    line = next(line for line in done.stdout.splitlines() if line.startswith("not run io500: "))
    assert "stonewall" in line
    document = json.loads(no_other_python("validate", results, "--json", python=python).stdout)
    assert sorted(rule["code"] for rule in document["rules_not_run"]) == sorted(rule.code for rule in catalogue.rules())
    assert all(rule["text"] for rule in document["rules_not_run"])


def test_an_older_python_takes_the_newest_that_starts(too_old_python, no_other_python, run_folder, tmp_path):
    """A launcher that does not start, one that is older, and one that lies in a relative folder are passed over."""
    folder = tmp_path / "pythons"
    folder.mkdir()
    broken, newer = folder / "python3.77", folder / "python3.12"
    broken.write_text("#!/bin/sh\nexit 127\n")
    newer.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    for path in (broken, newer):
        path.chmod(0o755)
    (folder / "python3.78").write_text("not to be executed")
    (folder / "python3.8").symlink_to("/bin/true")
    planted = no_other_python.cwd / "bin"
    planted.mkdir()
    (planted / "python3.79").symlink_to("/bin/false")
    no_other_python.environ["PATH"] = f"bin:{folder}::"
    done = no_other_python("validate", run_folder(short="ior-hard-write"), python=too_old_python[0])
    assert (done.returncode, f"on this machine by {newer}" in done.stderr) == (1, True)
    assert "io500.stonewall.short" in done.stdout and "not run" not in done.stdout


def test_the_python_that_is_named_goes_first(too_old_python, no_other_python, run_folder):
    no_other_python.environ["HIGHWATER_PYTHON"] = sys.executable
    assert no_other_python("validate", run_folder(), python=too_old_python[0]).returncode == 0
    no_other_python.environ["HIGHWATER_PYTHON"] = "/nonexistent/python3"
    assert no_other_python("validate", run_folder(), python=too_old_python[0]).returncode == 3


def test_an_installation_without_the_rules_reports_it_and_ends_with_3(without_rules, results):
    done = without_rules("validate", results, "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["status"], document["primary"], document["runs"]) == (
        3,
        "not_evaluated",
        None,
        [],
    )
    assert [finding["code"] for finding in document["findings"]] == ["collector.rules.not-run"]
    assert "this installation of the collector has none" in document["findings"][0]["message"]


def test_errors_found_without_rules_are_reported_as_well(too_old_python, no_other_python, results):
    (results / "latest").symlink_to(results / "result.txt")
    assert found(no_other_python, results, too_old_python[0]) == (1, ["bundle.not-regular"])


def test_the_rules_give_the_findings_of_the_registry(new_enough_python, collector, run_folder):
    folder = run_folder(short="ior-hard-write")
    done = collector("validate", folder, "--json", python=new_enough_python)
    here = json.loads(done.stdout)
    report = json.loads(json.dumps(check(folder).as_json()))
    assert done.returncode == 1
    assert [run["findings"] for run in here["runs"]] == [run["findings"] for run in report["runs"]]
    assert [run["rules"] for run in here["runs"]] == [run["rules"] for run in report["runs"]]
    assert "io500.stonewall.short" in [finding["code"] for finding in here["runs"][0]["findings"]]


@pytest.mark.parametrize(
    ("changes", "status"),
    [({}, 0), ({"short": "ior-easy-write"}, 1), ({"truncated": True}, 1), ({"edited_hash": True}, 0)],
)
def test_the_exit_status_is_that_of_the_check(collector, run_folder, changes, status):
    assert collector("validate", run_folder(**changes)).returncode == status


def test_results_of_unknown_tools_end_with_exit_status_3(collector, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("nothing of a benchmark\n")
    (tmp_path / "notes" / "b.txt").write_text("nothing of a benchmark\n")
    done = collector("validate", tmp_path / "notes")
    assert done.returncode == 3
    assert "bundle.no-result" in done.stdout


@pytest.fixture
def single_file(collector, tmp_path):
    """Runs highwater.pyz alone in a folder, as it was downloaded."""
    path = tmp_path / "alone" / "highwater.pyz"
    path.parent.mkdir()
    path.write_bytes(collector_file.build())

    def run(*arguments, python=sys.executable, cwd=path.parent, **environ):
        ran = subprocess.run(
            [python, path, *map(str, arguments)],
            env={**collector.environ, "PYTHONPATH": "", **environ},
            cwd=cwd,
            capture_output=True,
            text=True,
        )
        assert list(collector.scratch.iterdir()) == []
        return ran

    return run


def test_the_single_file_runs_the_rules_and_leaves_nothing(new_enough_python, single_file, run_folder):
    done = single_file("validate", run_folder(short="ior-hard-write"), python=new_enough_python)
    assert (done.returncode, done.stderr) == (1, "checking with the registry's rules 1.1.0, on this machine\n")
    assert "io500.stonewall.short" in done.stdout
    assert done.stdout.splitlines()[-1] == "status  invalid"


def test_modules_in_the_working_folder_are_not_imported_as_rules(single_file, run_folder, tmp_path):
    """Neither a package of that name, which PyPI has, nor anything in the folder of the run or in PYTHONPATH."""
    planted = tmp_path / "planted"
    (planted / "validators").mkdir(parents=True)
    (planted / "validators" / "__init__.py").write_text("raise SystemExit('another package')\n")
    (planted / "json.py").write_text("raise SystemExit('another module')\n")
    done = single_file("validate", run_folder(), cwd=planted, PYTHONPATH=str(planted))
    if "another module" in done.stderr:  # `python3 FILE` reads PYTHONPATH itself, before anything of ours
        done = single_file("validate", run_folder(), cwd=planted)
    assert done.returncode == 0, done.stderr


def test_a_full_temporary_folder_is_reported(single_file, run_folder):
    done = single_file("validate", run_folder(), TMPDIR="/nonexistent", HOME="/nonexistent")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_names_beyond_ascii_pass_through_the_rules(collector, tmp_path, locale):
    folder = tmp_path / "r\u00fcn"
    folder.mkdir()
    (folder / "fio-\u00e9.json").write_text("{}")
    (folder / os.fsdecode(b"caf\xe9.txt")).write_text("latin")
    collector.environ["LC_ALL"] = locale
    done = collector("validate", folder, "--json")
    assert done.returncode in (1, 3), done.stderr
    assert json.loads(done.stdout)["status"] in ("unreadable", "invalid")


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
def test_names_that_lead_out_of_an_archive_are_errors(without_rules, tmp_path, name, code):
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
        archive.writestr(name, b"x")
    done = without_rules("validate", tmp_path / "run.zip")
    assert done.returncode == 1
    assert code in done.stdout


@pytest.mark.parametrize("name", ["run.tar", "run.tar.gz", "run.tgz", "run.zip"])
def test_an_archive_that_does_not_open_is_an_error(without_rules, tmp_path, name):
    (tmp_path / name).write_bytes(b"\x1f\x8bneither tar nor zip" * 100)
    done = without_rules("validate", tmp_path / name)
    assert done.returncode == 1
    assert "bundle.corrupt" in done.stdout


def test_a_truncated_archive_is_an_error(oldest_and_this_python, without_rules, tmp_path):
    (tmp_path / "noise").write_bytes(os.urandom(100_000))
    with tarfile.open(tmp_path / "whole.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "noise", "noise")
    (tmp_path / "half.tar.gz").write_bytes((tmp_path / "whole.tar.gz").read_bytes()[:50_000])
    done = without_rules("validate", tmp_path / "half.tar.gz", python=oldest_and_this_python)
    assert done.returncode == 1
    assert "bundle.corrupt" in done.stdout


def test_a_link_in_a_folder_is_an_error(without_rules, results):
    (results / "latest").symlink_to(results / "result.txt")
    done = without_rules("validate", results, "--json")
    assert done.returncode == 1
    assert "bundle.not-regular" in [finding["code"] for finding in json.loads(done.stdout)["findings"]]


def test_an_archive_without_files_ends_with_exit_status_3(without_rules, tmp_path):
    with tarfile.open(tmp_path / "run.tar", "w"):
        pass
    assert without_rules("validate", tmp_path / "run.tar").returncode == 3


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


def test_lines_of_runs_and_unread_files_are_listed(alice, peer, results):
    unread = [{"path": f"{number}.txt", "lines": None, "looks_like": None, "reason": "empty"} for number in range(11)]
    unread[0] |= {"lines": {"first": 3, "last": 9}, "looks_like": "ior"}
    run = {"tool": "ior", "version": "3.2.0", "path": "job.out", "lines": {"first": 21, "last": 67}, "findings": []}
    peer.check_answer = {"status": "valid", "primary": 0, "findings": [], "runs": [run], "not_read": unread}
    assert alice("validate", results, "--server").stdout.splitlines() == [
        "run     ior 3.2.0 job.out, lines 21 to 67",
        "unread  0.txt, lines 3 to 9: looks like ior; empty",
        *(f"unread  {number}.txt: empty" for number in range(1, 10)),
        "        and 1 more that were not read",
        "status  valid",
    ]


def test_the_servers_json_is_passed_on(alice, peer, results):
    peer.check_answer = {"status": "invalid", "primary": 0, "findings": [], "runs": [RUN]}
    assert json.loads(alice("validate", results, "--server", "--json").stdout) == peer.check_answer


def test_an_unreadable_verdict_of_the_server_ends_with_exit_status_3(alice, peer, results):
    peer.check_answer = {"status": "unreadable", "primary": None, "findings": [], "runs": []}
    assert alice("validate", results, "--server").returncode == 3


def test_an_answer_that_is_no_check_is_reported(alice, peer, results):
    peer.check_answer = ["something else"]
    done = alice("validate", results, "--server")
    assert done.returncode == 4
    assert "is no check" in done.stderr


def test_the_rules_of_the_same_checkout_are_used(collector, run_folder):
    collector.environ["PYTHONPATH"] = str(CHECKOUT)
    done = collector("validate", run_folder(), "--json")
    assert (done.returncode, json.loads(done.stdout)["status"]) == (0, "valid")


def test_rules_that_fail_are_reported_without_a_traceback(put_rules, results):
    broken = "def main():\n    raise SystemExit('broken here')\n"
    done = put_rules({"__init__.py": 'VERSION = "0"\n', "__main__.py": broken})("validate", results)
    assert done.returncode == 2
    assert "gave no answer: broken here" in done.stderr


def test_rules_that_do_not_end_are_ended(put_rules, results):
    endless = "import time\ndef main():\n    time.sleep(3600)\n"
    done = put_rules({"__init__.py": 'VERSION = "0"\n', "__main__.py": endless})("validate", results, "--timeout", 0.5)
    assert done.returncode == 4
    assert "collector.timeout" in done.stderr


def test_release_and_list_reach_the_rules(put_rules, results, tmp_path):
    """Another package in the place of the rules answers with its arguments."""
    echo = "import json, sys\ndef main():\n    print(json.dumps({'status': 'valid', 'arguments': sys.argv[1:]}))\n"
    (tmp_path / "site.json").write_text("{}")
    collector = put_rules({"__init__.py": 'VERSION = "0"\n', "__main__.py": echo})
    context = ["--release", "next", "--list", "ten", "--metadata", tmp_path / "site.json"]
    done = collector("validate", results, "--json", *context)
    assert json.loads(done.stdout)["arguments"] == ["check", str(results), "--json", *map(str, context)]
    assert collector("validate", results, "--list", "ten,io500").returncode == 2


@pytest.fixture
def bag(collector, tmp_path):
    """A small bundle with a system document, without the result of any benchmark."""
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "a.txt").write_text("1\n")
    system = tmp_path / "system.json"
    system.write_text(json.dumps(DOCUMENT))
    done = collector("pack", "--results", folder, "--system", system, "--out", tmp_path / "bag.tar.gz")
    assert done.returncode == 0, done.stderr
    return tmp_path / "bag.tar.gz"


def found(collector, path, python=sys.executable):
    """(exit status, codes of the errors) of validating."""
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


def test_a_bundle_just_packed_has_no_error(new_enough_python, collector, run_folder, tmp_path):
    completed = collector("pack", "--results", run_folder(), "--out", tmp_path / "run.tar.gz")
    assert completed.returncode == 0, completed.stderr
    assert found(collector, tmp_path / "run.tar.gz", new_enough_python) == (0, [])


def test_the_rules_find_a_changed_bundle_too(collector, run_folder, tmp_path):
    collector("pack", "--results", run_folder(), "--out", tmp_path / "run.tar.gz")
    files = contents(tmp_path / "run.tar.gz")
    (name,) = [name for name in files if name.endswith("/result.txt")]
    files[name] += b" "
    assert found(collector, repacked(tmp_path / "b.tgz", files))[0] == 1
    assert "bundle.manifest-mismatch" in found(collector, tmp_path / "b.tgz")[1]


def test_rules_call_an_archive_that_does_not_open_unreadable(collector, tmp_path):
    """As `python -m validators check` ends."""
    (tmp_path / "run.tar.gz").write_bytes(b"\x1f\x8bneither tar nor zip" * 100)
    assert found(collector, tmp_path / "run.tar.gz") == (3, ["bundle.corrupt"])


def test_without_rules_a_bundle_just_packed_is_not_evaluated(too_old_python, no_other_python, bag):
    assert found(no_other_python, bag, too_old_python[0]) == (3, [])


def test_an_unpacked_bundle_is_verified_too(without_rules, bag, tmp_path):
    with tarfile.open(bag) as archive:
        extract(archive, tmp_path / "out", filter="data")
    folder = tmp_path / "out" / "highwater-bundle"
    assert found(without_rules, folder) == (3, [])
    (folder / "data/results/r/a.txt").write_text("2\n")
    assert found(without_rules, folder) == (1, ["bundle.manifest-mismatch"])


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
def test_changes_of_a_packed_bundle_are_errors(without_rules, bag, tmp_path, change, code):
    files = contents(bag)
    change(files)
    status, codes = found(without_rules, repacked(tmp_path / "b.tgz", files))
    assert status == 1
    assert code in codes


def test_a_bit_that_flips_in_the_compressed_bytes_is_an_error_for_the_user_too(
    oldest_and_this_python, without_rules, bag, tmp_path
):
    flipped = bytearray(bag.read_bytes())
    flipped[len(flipped) // 2] ^= 4
    (tmp_path / "b.tgz").write_bytes(flipped)
    done = without_rules("validate", tmp_path / "b.tgz", python=oldest_and_this_python)
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
            findings = verification.findings(str(tmp_path / "b.tgz"))
        except CollectorError:
            continue
        # Some bits of a deflate stream mean nothing: what comes out is the same.
        if not findings and (
            findings is None or flipped[10:] == packed[10:] or gzip.decompress(flipped) != content_of_gzip
        ):
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
    ("output", "status"),
    [
        (b"fio: native_fallocate call failed: Operation not supported\n" + make_output(2), 0),
        (make_output(2) + b" " * (4 << 20), 0),
        (make_output(2)[:-20], 1),
    ],
    ids=["warning", "large", "cut"],
)
def test_output_of_a_benchmark_is_no_broken_description(collector, tmp_path, output, status):
    """fio prints warnings before its JSON, and files are large or cut: the rules read such output."""
    path = tmp_path / "fio.json"
    path.write_bytes(output)
    done = collector("validate", path, "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, [run["tool"] for run in document["runs"]]) == (status, ["fio"])


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("F9000X_10x7000GiB_nvme_2xNDR400_Nclients1.json", ["system.unreadable"]),  # commas before brackets
        ("Micron_9550_Gen5_Performance_NVMe.json", ["system.impossible"]),  # 768 MiB of memory beside 96 cores
    ],
)
def test_errors_of_published_descriptions_are_found(collector, shared, name, codes):
    folder = shared / "data" / "collector" / "samples" / "mlperf-storage-system"
    assert found(collector, folder / name) == (1, codes)
