"""Canonical names come from sourced data, and where the data says nothing nothing is invented."""

from __future__ import annotations

import json

import pytest

from registry.query.names.canonical_names import ALIASES, AliasTable, read_names
from registry.query.names.text_folding import fold_text

TABLES = ("filesystem_types", "vendors", "sites")


@pytest.mark.parametrize(
    ("printed", "family"),
    [
        ("Lustre", "Lustre"),
        ("Lustre1", "Lustre"),
        ("EXAScaler", "Lustre"),
        ("GPFS", "IBM Storage Scale"),
        ("Spectrum scale", "IBM Storage Scale"),
        ("GRIDScaler", "IBM Storage Scale"),
        ("WekaIO Matrix", "WekaFS"),
        ("wekafs", "WekaFS"),
        ("beegfs", "BeeGFS"),
        ("DAOS", "DAOS"),
        (" Ceph  FS ", "Ceph FS"),
        ("/dev/md0", "/dev/md0"),
        ("", ""),
    ],
)
def test_spellings_map_to_families(printed: str, family: str) -> None:
    assert read_names().family(printed) == family


def test_a_vague_type_gets_a_family_only_by_its_entry() -> None:
    names = read_names()
    assert names.family("Parallel Filesystem", "WekaIO", "wekafs") == "WekaFS"
    assert names.family("Parallel Filesystem") == "Parallel Filesystem"
    assert names.family("Scale-out NAS", "Vast Data", "Vast") == "VAST"
    assert names.family("Scale-out NAS", "Qumulo", "Qumulo FS") == "Qumulo Core"
    assert names.family("Scale-out NAS") == "Scale-out NAS"


def test_no_vendor_is_invented() -> None:
    assert read_names().vendor("") == ""
    assert read_names().vendor("#N/A") == ""


def test_spellings_of_one_vendor_and_site_have_one_name() -> None:
    names = read_names()
    assert {names.vendor(text) for text in ("Vast", "Vast Data", "VAST Data")} == {"VAST Data"}
    assert {names.site(text) for text in ("KAUST", "King Abdullah University of Science and Technology")} == {
        "King Abdullah University of Science and Technology"
    }
    assert names.site("DDN Japan") == "DDN Japan"


@pytest.mark.parametrize("table", TABLES)
def test_every_alias_has_reason_and_source(table: str) -> None:
    for row in json.loads((ALIASES / f"{table}.json").read_text(encoding="utf-8")):
        assert set(row) - {"when"} == {"printed", "canonical", "why", "source"}
        assert row["why"] and row["source"].startswith("printed "), row


@pytest.mark.parametrize("table", TABLES)
def test_no_two_rows_disagree_and_no_canonical_name_is_renamed_again(table: str) -> None:
    rows = json.loads((ALIASES / f"{table}.json").read_text(encoding="utf-8"))
    plain: dict[str, str] = {}
    for row in rows:
        key = fold_text(row["printed"]) + json.dumps(row.get("when", {}), sort_keys=True)
        assert plain.setdefault(key, row["canonical"]) == row["canonical"], row
    names = AliasTable(tuple(rows))
    for row in rows:
        assert names.canonical(row["canonical"]) == row["canonical"], row


def test_platforms_name_their_source_and_earlier_predecessors() -> None:
    earlier_slugs: set[str] = set()
    for platform in json.loads((ALIASES / "platforms.json").read_text(encoding="utf-8")):
        assert platform["source"]
        assert platform["predecessor"] is None or platform["predecessor"] in earlier_slugs
        earlier_slugs.add(platform["slug"])
