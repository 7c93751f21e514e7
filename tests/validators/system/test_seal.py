"""A seal held against the files of a bundle: agreement, difference, absence; and seals that are hostile."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

import pytest

from tests.make_fio import make_output
from tests.make_io500 import make_run
from tests.make_system import make_bag, make_system
from tests.validators.runs.test_extent import lay_out
from validators import schema
from validators.checks import check
from validators.system import public_view, seal, sections

OUTPUT = make_output(2)


def entry(content: bytes = OUTPUT, path: str = "results/fio.json", **changes: object) -> dict:
    return {"path": path, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()} | changes


def sealed(*files: dict, **changes: object) -> dict:
    run = {
        "command": "fio", "exit_status": 0, "started": "2025-10-01T08:59:00Z", "ended": "2025-10-01T09:00:00Z",
        "duration_s": 60.5, "files": list(files), **changes,
    }  # fmt: skip
    document = make_system(run=run | {"seal": _independent_hash(run)})
    assert schema.errors(document, "system.1") == []
    return document


def _independent_hash(run: dict) -> str:
    """As schema system.1 and docs/collect.md describe it, written down a second time."""
    names = ("ended", "exit_status", "duration_s", "nodes", "sha256", "signal", "started", "tasks")
    facts = {name: run[name] for name in names if name in run}
    of_file = ("added_bytes", "bytes", "from_byte", "sha256")
    files = [{name: file[name] for name in of_file if name in file} for file in run["files"]]
    facts["files"] = sorted(files, key=lambda file: (file["sha256"], file["bytes"]))
    return hashlib.sha256(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def outcome(tmp_path: Path, system: dict, files: dict[str, bytes] | None = None) -> tuple[str, str]:
    report = check(lay_out(tmp_path, make_bag(files or {"fio.json": OUTPUT}, system)))
    assert report.system is not None, report.findings
    (rule,) = [rule for rule in report.runs[0].rules if rule.code == "system.seal"]
    meaning = {"satisfied": "agrees", "violated": "differs", "not_evaluated": "absent"}
    assert report.system.as_json()["seal"]["outcome"] in seal.OUTCOMES
    return meaning[rule.outcome], rule.why


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ([entry()], "1 file is as the command left it."),
        ([entry(path="elsewhere.bin")], "1 file is as"),
        ([entry(), entry(b"x", "notes.txt")], "1 file is as"),
        ([entry(OUTPUT[10:90], from_byte=10)], "What was added since is not sealed"),
        ([entry(scrubbed=True)], "as compared at the site before names were taken out"),
        ([entry(scrubbed=True, added_bytes=7)], "What was added since is not sealed"),
    ],
)
def test_unchanged_results_agree_with_the_seal(tmp_path: Path, files: list[dict], sentence: str) -> None:
    verdict = outcome(tmp_path, sealed(*files))
    assert verdict[0] == "agrees"
    assert sentence in verdict[1]


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ([entry(b"x" * len(OUTPUT))], "Not as the command left it: "),
        (
            [entry(b"x", "other.txt")],
            "The output of this run (data/results/fio.json) is not one that the described command wrote",
        ),
        ([entry(OUTPUT[10:90], from_byte=11)], "Not as the command left it"),
        ([entry(from_byte=10**18)], "Not as the command left it"),
    ],
)
def test_changed_results_differ_from_the_seal(tmp_path: Path, files: list[dict], sentence: str) -> None:
    verdict = outcome(tmp_path, sealed(*files))
    assert verdict[0] == "differs"
    assert sentence in verdict[1]


@pytest.mark.parametrize("name", ["exit_status", "started", "ended", "duration_s", "nodes", "tasks", "files"])
def test_a_record_that_was_edited_differs(tmp_path: Path, name: str) -> None:
    document = sealed(entry(), nodes=2, tasks=4)
    other = {
        "exit_status": 1,
        "started": "2026-11-20T18:40:01Z",
        "ended": "2026-11-20T18:41:01Z",
        "files": [entry(b"x")],
    }
    document["run"][name] = other.get(name, 3)
    assert outcome(tmp_path, document)[1].startswith("Times, exit status, counts or files of the command are not")


@pytest.mark.parametrize("document", [make_system(), sealed()])
def test_a_missing_seal_has_no_finding(tmp_path: Path, document: dict) -> None:
    assert outcome(tmp_path, document)[0] == "absent"


@pytest.mark.parametrize(
    ("capture", "time"), [("pre", "2025-10-01T10:30:00Z"), ("post", "2025-10-01T08:10:00Z")], ids=["before", "after"]
)
def test_a_run_with_the_machines_of_another_differs(tmp_path: Path, capture: str, time: str) -> None:
    document = sealed(entry())
    for row in document["captures"]:
        row["started"] = time if row["phase"] == capture else row["started"]
    assert outcome(tmp_path, document) == (
        "differs", "The machines were not looked at right before and after the command: two records were mixed.",
    )  # fmt: skip


def test_missing_and_added_files_are_reported(tmp_path: Path) -> None:
    run_files = {f"run/{path.rpartition('/')[2]}": content for path, content in make_run(folder="r").items()}
    entries = [entry(content, path) for path, content in run_files.items() if not path.endswith(("find.csv", ".sh"))]
    document = sealed(*entries, entry(b"lost", "run/mdtest.err"), files_not_packed=2)
    verdict = outcome(tmp_path, document, run_files)
    assert verdict[0] == "agrees"
    assert "The command did not write: " in verdict[1] and "run/find.csv" in verdict[1]
    assert verdict[1].endswith("Of the files that the command wrote, 3 are not here.")


def test_a_description_with_a_removed_command_is_reported(tmp_path: Path) -> None:
    document = {name: value for name, value in make_system().items() if name != "run"}
    report = check(lay_out(tmp_path, make_bag({"fio.json": OUTPUT}, document)))
    assert report.system is not None
    assert report.system.as_json()["seal"]["outcome"] == "absent"
    assert "system.seal-absent" in [finding.code for finding in report.runs[0].findings]


def test_a_description_without_a_command_has_none(tmp_path: Path) -> None:
    document = {name: value for name, value in make_system().items() if name != "run"}
    document["captures"] = [document["captures"][0] | {"phase": "static"}]
    report = check(lay_out(tmp_path, make_bag({"fio.json": OUTPUT}, document)))
    assert report.system is not None
    assert "seal" not in report.system.as_json()


def test_a_difference_is_a_warning_and_a_missing_seal_is_reported(tmp_path: Path) -> None:
    for number, (document, code, level) in enumerate(
        [(sealed(entry(b"x")), "system.seal", "warning"), (sealed(), "system.seal-absent", "info")]
    ):
        run = check(lay_out(tmp_path / str(number), make_bag({"fio.json": OUTPUT}, document))).runs[0]
        assert [
            (one_finding.code, one_finding.level) for one_finding in run.findings if "seal" in one_finding.code
        ] == [(code, level)]


def test_a_seal_that_names_one_file_many_thousand_times_is_bounded(tmp_path: Path) -> None:
    large = OUTPUT + b"\n" * (8 * 1024 * 1024)
    entries = [entry(b"x", "fio.json", from_byte=number, bytes=len(large) - 10_000) for number in range(1, 9000)]
    begun = time.monotonic()
    assert outcome(tmp_path, sealed(*entries), {"fio.json": large})[0] == "differs"
    assert time.monotonic() - begun < 40


def test_hashes_of_files_are_not_published() -> None:
    public = public_view.public(sealed(entry(), launcher="mpirun"))
    assert not {"files", "seal"} & public["run"].keys()
    assert public["run"]["launcher"] == "mpirun"


def test_the_command_is_a_section_of_the_description() -> None:
    words = [
        ("launcher", "mpirun"),
        ("option", "-np"),
        ("value", "4"),
        ("program", "fio"),
        ("option", "--bs="),
        ("value", "4k"),
    ]
    document = sealed(
        entry(),
        arguments=[{"kind": kind, "text": text} for kind, text in words],
        nodes=1, nodes_from="no launcher",
        libraries=[{"name": "HDF5", "file": "libhdf5.so.200", "version": "1.12.2", "version_from": "library"}],
        modules=["gcc/12.2.0"], modules_not_listed=2, source={"commit": "0" * 40},
    )  # fmt: skip
    (section,) = [one_section for one_section in sections.of_the_run(document) if one_section.title == "Command"]
    assert {row.name: row.seen[0].text for row in section.rows} == {
        "command line": "mpirun -np 4 fio --bs=4k",
        "nodes": "1 (no launcher)",
        "HDF5 libhdf5.so.200": "1.12.2",
        "modules": "gcc/12.2.0 and 2 others",
        "source commit": "0" * 40,
    }
