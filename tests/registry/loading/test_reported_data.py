"""Reported results, as files: numbers that documents print, with their units, and nothing else."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from registry.loading.reported_results import REPORTED, ReportedError, read_measurements, read_reported, source_text
from registry.query.names.canonical_names import ALIASES
from validators.units import UNITS

SCRIPT = Path(__file__).resolve().parents[3] / "tools" / "make_reported.py"
ROWS = {row["id"]: row for row in read_reported()}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_reported", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.real_data
def test_the_files_are_what_the_script_makes(shared: Path, script: ModuleType) -> None:
    generated = script.make_reported(shared / "data" / "seed-tables")
    assert generated == {path.name: path.read_text(encoding="utf-8") for path in REPORTED.glob("*.json")}


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ({"reason": "Other nodes.", "with": ["nowhere"]}, "a may not be compared with nowhere"),
        ({"reason": "Other nodes.", "with": ["a"]}, "a may not be compared with a"),
        ({"quantity": "time"}, "reason"),
        ({"reason": ""}, "reason"),
        ({"reason": "Other nodes.", "with": []}, "with"),
        ({"reason": "Other nodes.", "than": "b"}, "than"),
    ],
)
def test_an_unusable_limit_of_comparison_is_refused(tmp_path: Path, limit: Any, words: str) -> None:
    number = {"op": "run", "quantity": "time", "stat": "wall", "value": 1, "unit": "s"}
    result = {"id": "a", "tool": "wrf", "institution": "I", "system": "S", "place": "p", "label": "l", "parameters": {}}
    content = {
        "document": {"slug": "paper", "title": "A paper", "publisher": "P"},
        "results": [result | {"measurements": [number], "not_comparable_for": [limit]}],
    }
    (tmp_path / "paper.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ReportedError, match=words):
        read_reported(tmp_path)


# (result, op, quantity, stat, context that tells it apart) -> printed value, unit, and by hand the canonical value.
PRINTED: list[tuple[str, str, str, str, dict[str, Any], float, str, float]] = [
    ("cug25-table3-1", "read", "bandwidth", "per_drive", {}, 6971, "MiB/s", 7_309_623_296),
    ("cug25-table3-3", "read", "bandwidth", "aggregate", {}, 328355, "MiB/s", 344_305_172_480),
    ("cug25-table3-2", "write", "bandwidth", "aggregate", {}, 150128, "MiB/s", 157_420_617_728),
    ("cug25-table4-1", "receive", "bandwidth", "mean_node", {"mode": "write"}, 99034, "MB/s", 99_034_000_000),
    ("cug25-table4-1", "send", "rate", "mean_node", {"mode": "read", "size": "4k"}, 414891, "RPC/s", 414_891),
    ("cug25-table4-3", "send", "bandwidth", "mean_node", {"mode": "read"}, 99031, "MB/s", 99_031_000_000),
    ("cug25-mlperf-unet3d-e2000-10", "unet3d", "samples_rate", "mean", {}, 567, "samples/s", 567),
    ("cug25-mlperf-unet3d-e2000-20", "unet3d", "samples_rate", "mean", {}, 725, "samples/s", 725),
    ("cug25-mlperf-resnet50-e2000-1", "resnet50", "accelerators", "max", {}, 62, "count", 62),
    ("cug25-wrf-e1000", "run", "time", "wall", {}, 2900, "s", 2900),
    ("cug25-wrf-e2000", "io", "share", "wall", {}, 12.4, "%", 12.4),
    ("cug25-wrf-e2000", "write", "bandwidth", "max", {}, 12, "GB/s", 12_000_000_000),
    ("benchmarking-lustre-flash-dio-ib", "read", "bandwidth", "max", {}, 85.3, "GB/s", 85_300_000_000),
    ("benchmarking-lustre-flash-bio-tcp", "write", "bandwidth", "max", {}, 36.5, "GB/s", 36_500_000_000),
    ("benchmarking-lustre-flash-4k-kfi", "read", "ops_rate", "max", {}, 735866, "ops/s", 735_866),
    ("benchmarking-lustre-flash-4k-roce", "rewrite", "ops_rate", "max", {}, 53903, "ops/s", 53_903),
    ("benchmarking-lustre-hdd-1jbod-bio-kfi", "read", "bandwidth", "max", {}, 17.9, "GB/s", 17_900_000_000),
    ("benchmarking-lustre-hdd-2jbod-dio-ib", "write", "bandwidth", "max", {}, 35.9, "GB/s", 35_900_000_000),
    ("benchmarking-lustre-mdtest-files-kfi", "file_create", "rate", "mean", {}, 100699, "ops/s", 100_699),
    ("benchmarking-lustre-mdtest-both-roce", "file_read", "rate", "mean", {}, 255884, "ops/s", 255_884),
    ("benchmarking-lustre-mdtest-32k-ksocklnd", "dir_remove", "rate", "mean", {}, 139571, "ops/s", 139_571),
    ("benchmarking-lustre-mdtest-32k-ko2iblnd", "dir_remove", "rate", "mean", {}, 193565, "ops/s", 193_565),
    ("perlmutter-table1", "write", "bandwidth", "max", {}, 27.1, "GB/s", 27_100_000_000),
    ("perlmutter-table1", "read", "ops_rate", "max", {}, 1452.1, "kIOPS", 1_452_100),
    ("perlmutter-table1", "write", "efficiency", "max", {"of": "bandwidth"}, 88.4, "%", 88.4),
    ("perlmutter-table1", "read", "efficiency", "max", {"of": "ops_rate"}, 15.1, "%", 15.1),
    ("perlmutter-obdfilter", "write", "efficiency", "median_ost", {}, 92.6, "%", 92.6),
    ("perlmutter-lst", "receive", "efficiency", "median_node", {"mode": "write"}, 84.8, "%", 84.8),
    ("sc23-bof-es400-isc23", "ior-hard-read", "bandwidth", "phase", {}, 50.77, "GiB/s", 54_513_872_404.48),
    ("sc23-bof-es400-sc19", "find", "rate", "phase", {}, 810, "kIOPS", 810_000),
    ("sc23-bof-gpudirect-2-gpud", "mdtest-easy-stat", "rate", "phase", {}, 207.8, "kIOPS", 207_800),
    ("dell-lustre-iozone-one-client", "write", "bandwidth", "children_sum", {}, 1090, "MB/s", 1_090_000_000),
    ("dell-lustre-iozone-random", "random_write", "rate", "children_sum", {}, 12600, "ops/s", 12_600),
    ("dell-lustre-mdtest-1", "file_create", "rate", "mean", {"qualifier": "below"}, 547, "ops/s", 547),
    ("dell-lustre-mdtest-216", "file_stat", "rate", "mean", {"qualifier": "above"}, 500000, "ops/s", 500_000),
]


@pytest.mark.parametrize(("result", "op", "quantity", "stat", "context", "value", "unit", "canonical"), PRINTED)
def test_a_number_is_as_its_document_prints_it(
    result: str, op: str, quantity: str, stat: str, context: dict[str, Any], value: float, unit: str, canonical: float
) -> None:
    matching = [
        measurement
        for measurement in read_measurements(ROWS[result])
        if (measurement.op, measurement.quantity, measurement.stat) == (op, quantity, stat)
        and context.items() <= measurement.context.items()
    ]
    assert [(measurement.printed_value, measurement.printed_unit) for measurement in matching] == [(value, unit)]
    assert matching[0].value == pytest.approx(canonical, rel=1e-12)


def test_every_table_of_results_is_there() -> None:
    counts: dict[str, int] = {}
    for row in ROWS.values():
        slug = row["document"]["slug"]
        counts[slug] = counts.get(slug, 0) + 1
    assert counts == {"cug25": 16, "benchmarking-lustre": 31, "perlmutter": 3, "sc23-bof": 11, "dell-lustre": 8}


def test_a_column_that_the_slide_leaves_empty_is_no_zero() -> None:
    measurements = ROWS["benchmarking-lustre-flash-4k-tcp"]["measurements"]
    assert [measurement["op"] for measurement in measurements] == ["write", "read"]


def test_a_misprint_is_kept_and_noted_at_its_row() -> None:
    assert "printed as 6971 and should be 6961" in " ".join(ROWS["cug25-table3-1"]["notes"])
    assert "should be" not in " ".join(ROWS["cug25-table3-2"]["notes"] + ROWS["cug25-table3-3"]["notes"])


def test_printed_aggregates_are_kept_beside_computed_ones() -> None:
    row = ROWS["sc23-bof-es400-pre-sc19"]
    assert (row["score"], row["bandwidth_gib_per_s"], row["rate_kiops"]) == (34.05, 12.68, 91.41)
    assert "From the printed phases the score is 33.85." in row["notes"]
    assert ROWS["sc23-bof-gpudirect-0"]["scores"] == {"SCOREX": {"bandwidth_gib_per_s": 2.4, "rate_kiops": 47.6}}


def test_differences_between_rows_are_parameters() -> None:
    assert ROWS["cug25-table4-2"]["parameters"] | {"nps": 1, "cpt": 8} == ROWS["cug25-table4-2"]["parameters"]
    lnds = {row["parameters"]["lnd"] for row in ROWS.values() if "lnd" in row["parameters"]}
    assert lnds == {"ko2iblnd", "ksocklnd", "kfilnd"}
    assert ROWS["benchmarking-lustre-flash-dio-tcp"]["parameters"]["lnd"] == "ksocklnd"
    assert ROWS["benchmarking-lustre-hdd-2jbod-dio-kfi"]["parameters"]["osts"] == 4


def test_printed_conditions_of_runs_are_loaded() -> None:
    """Section III of Perlmutter, sections 3.2.1 and 4.1 of the E2000, sections 3.2 and 4 of Dell."""
    perlmutter = ROWS["perlmutter-table1"]
    stripes = {name: perlmutter["parameters"][name] for name in ("stripe_count", "stripe_size_bytes", "access")}
    assert stripes == {"stripe_count": 1, "stripe_size_bytes": 1_048_576, "access": "file-per-process"}
    seconds = {
        (row["op"], row["quantity"]): (row["context"]["transfer_size_bytes"], row["context"]["stonewall_s"])
        for row in perlmutter["measurements"]
        if row["quantity"] != "efficiency"
    }
    assert seconds == {
        ("write", "bandwidth"): (67_108_864, 45),
        ("read", "bandwidth"): (1_048_576, 45),
        ("write", "ops_rate"): (4096, 45),
        ("read", "ops_rate"): (4096, 300),
    }
    for name in ("cug25-wrf-e1000", "cug25-wrf-e2000"):
        assert ROWS[name]["parameters"]["stripe_count"] == "4; 32"
        assert ROWS[name]["parameters"]["stripe_size_bytes"] == 1_048_576
    assert "A file per process, a fixed time" in ROWS["cug25-ior-e2000"]["notes"][0]
    dell = ROWS["dell-lustre-iozone-sequential"]["parameters"]
    assert (dell["total_TB"], dell["direct_io"], dell["access"]) == (2, True, "file-per-process")
    assert ROWS["dell-lustre-mdtest-1"]["parameters"]["drives_per_mdt"] == 22


def test_a_minimum_of_clients_is_not_a_number_of_clients() -> None:
    units = ("benchmarking-lustre-flash", "benchmarking-lustre-hdd")
    fabrics = [row for name, row in ROWS.items() if name.startswith(units)]
    assert {row["parameters"]["client_nodes_at_least"] for row in fabrics} == {20}
    assert not any("client_nodes" in row for row in fabrics)
    sequential = [row["parameters"] for row in fabrics if "-4k-" not in row["id"]]
    assert not any({"transfer_size_bytes", "access"} & parameters.keys() for parameters in sequential)


def test_facts_missing_in_a_document_are_not_invented() -> None:
    assert "fabric" in ROWS["cug25-wrf-e1000"]["parameters"]
    assert "fabric" not in ROWS["cug25-wrf-e2000"]["parameters"]
    assert "client_nodes" not in ROWS["benchmarking-lustre-flash-dio-ib"]


@pytest.mark.parametrize("identifier", ROWS)
def test_a_result_has_its_printed_place_units_and_platform(identifier: str) -> None:
    row = ROWS[identifier]
    assert row["document"]["title"] in source_text(row)
    assert len(source_text(row)) <= 300
    assert {measurement["unit"] for measurement in row["measurements"]} <= UNITS.keys()
    platforms = json.loads((ALIASES / "platforms.json").read_text(encoding="utf-8"))
    assert row.get("platform") in {None, *(platform["slug"] for platform in platforms)}


def written(folder: Path, name: str, *ids: str, **facts: Any) -> Path:
    result = {
        "tool": "ior", "institution": "Site", "system": "S", "place": "Table 1", "label": "one", "parameters": {},
        "measurements": [{"op": "read", "quantity": "bandwidth", "stat": "max", "value": 1, "unit": "GB/s"}],
    }  # fmt: skip
    document = {"slug": "paper", "title": "A paper", "publisher": "Somebody"}
    rows = [result | {"id": identifier} | facts for identifier in ids]
    (folder / name).write_text(json.dumps({"document": document, "results": rows}), encoding="utf-8")
    return folder


def test_a_sound_file_is_read(tmp_path: Path) -> None:
    assert [row["id"] for row in read_reported(written(tmp_path, "paper.json", "a", "b"))] == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "ids", "facts", "why"),
    [
        ("paper.json", ("a", "a"), {}, "a is there twice"),
        ("other.json", ("a",), {}, "holds the document paper"),
        ("paper.json", ("a",), {"measurements": []}, "measurements"),
        ("paper.json", ("a",), {"rank": 1}, "rank"),
        ("paper.json", ("A B",), {}, "A B"),
        ("paper.json", ("a",), {"notes": ["n" * 301]}, "notes"),
    ],
)
def test_a_file_that_is_not_sound_is_refused_with_the_reason(
    tmp_path: Path, name: str, ids: tuple[str, ...], facts: dict[str, Any], why: str
) -> None:
    with pytest.raises(ReportedError, match=why):
        read_reported(written(tmp_path, name, *ids, **facts))
