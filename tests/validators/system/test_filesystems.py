"""Names of file systems: those that are known, what is a slip of filesystem, and what may be new."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from validators import schema
from validators.checks import check
from validators.system import filesystems

HISTORY = Path(__file__).resolve().parents[3] / "registry" / "loading" / "data" / "history" / "results.json"
ALIASES = Path(__file__).resolve().parents[3] / "registry" / "query" / "data" / "aliases" / "filesystem_types.json"
NO_NAMES = {
    "Scale-out NAS", "Parallel Filesystem", "Local file system", "local file system", "/dev/md0", "SSD",
    "Distributed File System", "nrsv", "kapok", "mustang", "ext", "",
}  # fmt: skip
"""What published results call their file system, and what names none."""


def codes(declared: object) -> list[tuple[str, str]]:
    return [(finding.code, finding.level) for finding in filesystems.findings({"filesystem_type": declared})]


@pytest.mark.parametrize(
    ("declared", "name"),
    [
        ("Lustre", "Lustre"),
        ("lustre 2.15.4", "Lustre"),
        ("DDN  EXAScaler 6.3", "Lustre"),
        ("IBM Spectrum Scale", "IBM Storage Scale"),
        ("Scale out NFS", "NFS"),
        ("HPE XFS", "XFS"),
        ("IME", "IME"),
        ("FINCHFS", "FinchFS"),
        ("CHFS/zpoline", "CHFS"),
    ],
)
def test_products_and_releases_name_their_file_system(declared: str, name: str) -> None:
    result = filesystems.named_by(declared)
    assert result is not None
    assert result.name == name
    assert codes(declared) == []


@pytest.mark.parametrize("declared", ["Timeless", "sublime", "informs", "SomethingFS", "Scale-out NAS"])
def test_an_unknown_name_is_only_reported(declared: str) -> None:
    assert filesystems.named_by(declared) is None
    assert codes(declared) == [("metadata.filesystem-type", "info")]


@pytest.mark.parametrize(("declared", "name"), [("lustr", "Lustre"), ("BeeFGS", "BeeGFS"), ("Lusttre", "Lustre")])
def test_a_misspelt_name_is_a_warning_with_the_nearest_name(declared: str, name: str) -> None:
    (result,) = filesystems.findings({"filesystem_type": declared})
    assert (result.code, result.level, result.expected, result.actual) == (filesystems.CODE, "warning", name, declared)


@pytest.mark.parametrize("declared", [None, "", "  ", 7])
def test_a_missing_declaration_has_no_finding(declared: object) -> None:
    assert codes(declared) == []


def test_a_long_name_costs_no_time_and_is_not_repeated() -> None:
    (result,) = filesystems.findings({"filesystem_type": "lustr" * 100_000})
    assert len(result.message) < 200


def test_the_check_of_an_upload_reports_a_misspelt_file_system(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("nothing\n")
    result = {finding.code for finding in check(tmp_path / "x.txt", metadata={"filesystem_type": "lustr"}).findings}
    assert filesystems.CODE in result


def test_every_published_name_is_known_but_those_that_name_nothing() -> None:
    names = {row.get("filesystem_type", "") for row in json.loads(HISTORY.read_text(encoding="utf-8"))}
    assert len(names) > 50
    assert {name for name in names if filesystems.named_by(name) is None} == NO_NAMES & names


def test_registry_and_rules_use_the_same_file_system_names() -> None:
    for row in json.loads(ALIASES.read_text(encoding="utf-8")):
        result = filesystems.named_by(row["canonical"])
        assert result is not None, row
        assert result.name == row["canonical"]


def test_types_are_those_of_the_system_document() -> None:
    types = set(schema.schemas()["system.1"]["$defs"]["storage_system"]["properties"]["type"]["enum"])
    assert {filesystem.type for filesystem in filesystems.filesystems()} - {None} <= types
    words = [word for filesystem in filesystems.filesystems() for word in filesystem.words]
    assert len(words) == len(set(words))
    assert all(word == word.lower() for word in words)
