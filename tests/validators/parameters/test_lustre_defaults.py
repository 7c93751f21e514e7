"""Defaults by release: what the source code of eleven releases says, and when an observed value differs from it."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import pytest

from validators import schema
from validators.parameters import parameters
from validators.parameters.defaults import by_release, default, differs, release_of, releases_with, table

GIB = 2**30
RIF = "lustre.client.osc.max_rpcs_in_flight"
DIRTY = "lustre.client.osc.max_dirty_mb"
PAGES = "lustre.client.osc.max_pages_per_rpc"
READ_AHEAD = "lustre.client.llite.max_read_ahead_mb"
PER_FILE = "lustre.client.llite.max_read_ahead_per_file_mb"
WHOLE = "lustre.client.llite.max_read_ahead_whole_mb"
STATAHEAD = "lustre.client.llite.statahead_max"


def value(id: str, release: str, ram_bytes: int | None = None) -> object:
    default_value = default(id, release, ram_bytes)
    return None if default_value is None else default_value.value


def test_the_table_is_valid_by_its_schema() -> None:
    assert [(error.json_path, error.message) for error in schema.errors(table(), "lustre-defaults.1")] == []


def test_every_id_is_a_registered_parameter() -> None:
    assert set(table()["parameters"]) <= set(parameters())


def test_entries_of_a_parameter_follow_each_other_without_overlap() -> None:
    for id, entry in table()["parameters"].items():
        ends = [
            (release_of(release_default["first"]), release_of(release_default.get("last", "2.99")))
            for release_default in entry["defaults"]
        ]
        assert ends == sorted(ends), id
        for (first, last), (following, _) in itertools.pairwise(ends):
            assert first <= last < following, id


def test_a_value_has_the_type_of_its_parameter() -> None:
    types = {"boolean": bool, "integer": int, "string": str}
    for id, entry in table()["parameters"].items():
        for release_default in entry["defaults"]:
            if "value" in release_default:
                assert type(release_default["value"]) is types[parameters()[id].value_type], id


@pytest.mark.parametrize("release", ["2.5", "2.8.0", "2.10.8", "2.12.9_12.llnl", "2.14.0_ddn145", "2.15.0.3", "2.17"])
def test_eight_requests_are_in_flight_by_default_in_every_release(release: str) -> None:
    assert value(RIF, release) == 8


@pytest.mark.parametrize(
    ("id", "release", "ram_gib", "wanted"),
    [
        (DIRTY, "2.11", 384, 32),
        (DIRTY, "2.12", 384, 2000),
        (DIRTY, "2.15", 8, 1024),
        (PAGES, "2.9", None, 256),
        (PAGES, "2.10", None, 1024),
        (READ_AHEAD, "2.8", 256, 40),
        (READ_AHEAD, "2.9", 256, 64),
        (READ_AHEAD, "2.13", 256, 64),
        (READ_AHEAD, "2.14", 256, 1024),
        (READ_AHEAD, "2.14", 16, 512),
        (READ_AHEAD, "2.15", 4, 128),
        (READ_AHEAD, "2.16", 4, 256),
        (PER_FILE, "2.8", None, 40),
        (PER_FILE, "2.13", None, 64),
        (PER_FILE, "2.15", 256, 256),
        (PER_FILE, "2.15", 16, 128),
        (WHOLE, "2.16", None, 2),
        (WHOLE, "2.17", None, 4),
        (STATAHEAD, "2.15", None, 32),
        (STATAHEAD, "2.16", None, 128),
        ("lustre.client.llite.statahead_batch_max", "2.16", None, 64),
        ("lustre.client.llite.parallel_dio", "2.15", None, True),
        ("lustre.client.llite.max_cached_mb", "2.15", 256, 196608),
        ("lustre.server.obdfilter.brw_size", "2.9", None, 1),
        ("lustre.server.obdfilter.brw_size", "2.10", None, 4),
    ],
)
def test_the_default_is_that_of_the_release_and_the_memory(
    id: str, release: str, ram_gib: int | None, wanted: object
) -> None:
    assert value(id, release, ram_gib and ram_gib * GIB) == wanted


@pytest.mark.parametrize(
    ("id", "release"),
    [
        (RIF, "2.4"),
        (RIF, "2.18"),
        (RIF, "3.0"),
        (RIF, ""),
        (RIF, "two"),
        (RIF, "9" * 5000),
        ("lustre.client.llite.parallel_dio", "2.14"),
        ("lustre.client.llite.statahead_batch_max", "2.15.4"),
        ("kernel.version", "2.15"),
        ("no.such.parameter", "2.15"),
    ],
)
def test_unknown_defaults_give_no_comparison(id: str, release: str) -> None:
    assert default(id, release) is None
    assert differs(id, 8, release) is None


def test_a_share_of_unknown_memory_has_text_but_no_value() -> None:
    read_ahead = default(READ_AHEAD, "2.15")
    assert read_ahead is not None
    assert (read_ahead.value, read_ahead.words) == (None, "1/32 of the memory, at most 1024 MiB")
    assert differs(READ_AHEAD, 512, "2.15") is None


def test_flock_is_a_default_mount_option_from_2_12() -> None:
    assert [default("lustre.client.mount_options", release).words for release in ("2.11", "2.12")] == [
        "without flock",
        "with flock",
    ]
    assert differs("lustre.client.mount_options", "flock", "2.12") is None


@pytest.mark.parametrize(
    ("id", "observed", "release", "ram_gib", "wanted"),
    [
        (RIF, 8, "2.15", None, False),
        (RIF, 64, "2.15", None, True),
        (RIF, "8", "2.15", None, True),
        (RIF, None, "2.15", None, None),
        (PAGES, 1024, "2.12", None, False),
        (PAGES, 64, "2.12", None, False),
        (PAGES, 256, "2.12", None, True),
        (PAGES, 256, "2.9", None, False),
        (DIRTY, 2000, "2.12.9_12.llnl", 256, False),
        (DIRTY, 32, "2.12.9_12.llnl", 256, True),
        (READ_AHEAD, 64, "2.15", 256, True),
        (READ_AHEAD, 1024, "2.15", 256, False),
        (READ_AHEAD, 503, "2.15", 16, False),
        (READ_AHEAD, 480, "2.15", 16, True),
        (WHOLE, 2, "2.15", None, False),
        (WHOLE, 64, "2.15", None, None),
        (WHOLE, 1, "2.15", None, True),
        ("lustre.client.osc.checksums", True, "2.15", None, False),
        ("lustre.client.osc.checksums", 1, "2.15", None, False),
        ("lustre.client.osc.checksums", False, "2.15", None, True),
        ("lustre.client.jobid_var", "disable", "2.15", None, False),
        ("lustre.client.jobid_var", "SLURM_JOB_ID", "2.15", None, True),
        (RIF, float("nan"), "2.15", None, True),
        ("ko2iblnd.conns_per_peer", 4, "2.15", None, False),
    ],
)
def test_an_observed_value_differs_from_the_default_of_its_release(
    id: str, observed: float | str | None, release: str, ram_gib: int | None, wanted: bool | None
) -> None:
    assert differs(id, observed, release, ram_gib and ram_gib * GIB) is wanted


def test_defaults_are_written_by_release() -> None:
    assert by_release(READ_AHEAD) == [
        ("2.5 to 2.8", "40 MiB"),
        ("2.9 to 2.13", "64 MiB"),
        ("2.14 to 2.15", "1/32 of the memory, at most 1024 MiB"),
        ("2.16 to 2.17", "1/32 of the memory, at least 256 and at most 1024 MiB"),
    ]
    assert by_release(WHOLE)[1][0] == "2.17"
    assert by_release("lustre.server.degraded") == [("2.5 to 2.17", "off")]
    assert by_release("lustre.client.osc.idle_timeout") == [("2.12 to 2.17", "20 s")]
    assert by_release("kernel.version") == by_release("no.such.parameter") == []


@pytest.mark.parametrize(
    ("id", "observed", "wanted"),
    [
        (READ_AHEAD, 64, "2.9 to 2.13"),
        (READ_AHEAD, 1024, ""),
        (RIF, 8, "2.5 to 2.17"),
        (PAGES, 64, "2.10 to 2.17"),
        ("lustre.client.osc.checksums", True, "2.5 to 2.17"),
        ("lustre.client.osc.checksums", False, ""),
        (RIF, None, ""),
        ("no.such.parameter", 8, ""),
    ],
)
def test_a_value_is_the_default_of_releases(id: str, observed: int | None, wanted: str) -> None:
    assert releases_with(id, observed) == wanted


@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        ("2.12.9_12.llnl", (2, 12)),
        ("2.15.0.3", (2, 15)),
        ("2.14.0_ddn145", (2, 14)),
        ("2.15.49", (2, 15)),
        ("2.15.52", (2, 16)),
        ("2.10", (2, 10)),
        ("v2.15", None),
        ("", None),
        ("2", None),
    ],
)
def test_a_version_belongs_to_a_release(version: str, wanted: tuple[int, int] | None) -> None:
    assert release_of(version) == wanted


def test_the_table_has_defaults_read_in_the_source_code(shared: Path) -> None:
    """Every plain number of the list by version, for the parameters that are registered."""
    names = {
        "osc.*.max_rpcs_in_flight": RIF,
        "osc.*.max_dirty_mb": DIRTY,
        "llite.*.max_read_ahead_mb": READ_AHEAD,
        "llite.*.max_read_ahead_whole_mb": WHOLE,
        "llite.*.statahead_max": STATAHEAD,
        "llite.*.statahead_batch_max": "lustre.client.llite.statahead_batch_max",
        "llite.*.parallel_dio": "lustre.client.llite.parallel_dio",
    }
    with (shared / "reference" / "lustre-defaults-by-version.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["parameter"] in names]
    compared = 0
    for row in rows:
        for release in table()["releases"]:
            if row[release].isdigit():
                assert value(names[row["parameter"]], release) == int(row[release]), (row["parameter"], release)
                compared += 1
            elif row[release] == "-":
                assert default(names[row["parameter"]], release) is None
    assert (len(rows), compared) == (7, 50)
