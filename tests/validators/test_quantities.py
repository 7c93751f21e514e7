"""The table of quantities: what reported names are, which direction is better, and what people call them."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from validators import catalogue, quantities, schema
from validators.quantities import HIGHER, LOWER, NONE
from validators.units import UNITS

ROW = {"op": "write", "stat": "mean", "unit": "ops/s", "printed_unit": "ops/s", "context": {}}


def row_of(quantity: str, **fields: object) -> dict[str, object]:
    return ROW | {"quantity": quantity, **fields}


def test_the_table_follows_its_schema() -> None:
    assert schema.errors(quantities.load_table(), "quantities.1") == []


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "quantities.2"},
        {"quantities": []},
        {"contexts": {"test": {}}},
        {"statistics": [{"function": "mode", "name": "mode", "over": "runs", "label": "mode"}]},
        {"statistics": [{"function": "mean", "over": "runs", "label": "mean"}]},
        {"statistics": [{"function": "mean", "name": "mean", "pattern": "m", "over": "runs", "label": "mean"}]},
    ],
)
def test_incomplete_or_contradictory_tables_are_refused(change: dict[str, object]) -> None:
    assert schema.errors(quantities.load_table() | change, "quantities.1")


def test_units_of_quantities_are_canonical() -> None:
    units = {row.unit for row in quantities.canonical_quantities().values()}
    assert units <= {unit.canonical for unit in UNITS.values()}


def test_every_tool_of_the_table_is_a_benchmark() -> None:
    tools = {tool for places in quantities.places_by_name().values() for place in places for tool in place.tools}
    tools |= {tool for statistic in quantities.list_statistics() for tool in statistic.tools}
    assert tools <= {benchmark.tool for benchmark in catalogue.benchmarks()}


@pytest.mark.parametrize("benchmark", catalogue.benchmarks(), ids=lambda benchmark: benchmark.slug)
def test_every_quantity_of_a_descriptor_has_a_place(benchmark: catalogue.Benchmark) -> None:
    rows = [
        {"op": row["op"].replace("*", "x"), "quantity": row["quantity"], "printed_unit": row["unit"]}
        for row in benchmark.descriptor["operations"]
    ]
    named = [
        (row["op"], row["quantity"])
        for row in rows
        if not any(
            quantities.canonical_name(benchmark.tool, row | {"stat": stat}) for stat in ("", "total", "stripe_size")
        )
    ]
    assert named == []


def test_no_descriptor_states_the_better_direction() -> None:
    paths = sorted(catalogue.FOLDER.glob("*/benchmark.json"))
    assert [path.parent.name for path in paths if '"better"' in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize(
    ("tool", "row", "canonical"),
    [
        ("fio", row_of("iops"), "io_rate"),
        ("ior", row_of("ops_rate"), "io_rate"),
        ("iozone", row_of("rate"), "io_rate"),
        ("mdtest", row_of("rate"), "metadata_rate"),
        ("io500", row_of("rate", stat="phase", printed_unit="kIOPS"), "metadata_rate"),
        ("lst", row_of("rate", printed_unit="RPC/s"), "message_rate"),
        ("iozone", row_of("time", unit="s", printed_unit="us/op"), "latency"),
        ("mdtest", row_of("time", unit="s", printed_unit="ms/op"), "metadata_latency"),
        ("mdtest", row_of("time", unit="s", printed_unit="s"), "duration"),
        ("darshan", row_of("count", unit="B", printed_unit="B"), "volume"),
        ("darshan", row_of("count", unit="count", printed_unit="ops"), "request_count"),
        ("cray-mpich", row_of("count", unit="count", printed_unit="ranks"), "participant_count"),
        ("cray-mpich", row_of("volume", stat="stripe_size", unit="B", printed_unit="B"), "size"),
        ("cray-mpich", row_of("volume", stat="total", unit="B", printed_unit="B"), "volume"),
        ("mlperf-storage", row_of("latency", op="kv-option-1-read"), "latency"),
        ("mlperf-storage", row_of("latency", op="kv-option-1"), "query_latency"),
        ("mlperf-storage", row_of("latency", op="search"), "query_latency"),
        ("elbencho", row_of("ops", unit="count", printed_unit="ops"), "entry_count"),
        ("a-tool-of-tomorrow", row_of("power", unit="W", printed_unit="W"), "power"),
        ("a-tool-of-tomorrow", row_of("bandwidth", unit="B/s", printed_unit="B/s"), "bandwidth"),
        ("a-tool-of-tomorrow", row_of("rate"), ""),
        ("fio", row_of("entropy"), ""),
    ],
)
def test_reported_names_map_to_canonical_names(tool: str, row: dict[str, object], canonical: str) -> None:
    assert quantities.canonical_name(tool, row) == canonical


def test_all_places_of_a_name_agree_on_the_better_direction() -> None:
    """So that a number needs no tool to tell better from worse."""
    directions = {
        name: {place.better or place.quantity.better for place in places}
        for name, places in quantities.places_by_name().items()
    }
    assert {name: better for name, better in directions.items() if len(better) > 1} == {}


@pytest.mark.parametrize(
    ("name", "unit", "better"),
    [
        ("bandwidth", "B/s", HIGHER),
        ("latency", "s", LOWER),
        ("time_share", "%", LOWER),
        ("au", "%", HIGHER),
        ("volume", "B", NONE),
        ("count", "count", NONE),
        ("stonewall_time", "s", NONE),
        ("", "", HIGHER),
        ("", "s", LOWER),
        ("", "J", LOWER),
        ("", "%", HIGHER),
        ("not-in-the-table", "s", LOWER),
    ],
)
def test_which_direction_is_better(name: str, unit: str, better: str) -> None:
    assert quantities.better_of(name, unit) == better
    assert quantities.lower_is_better(name, unit) == (better == LOWER)


@pytest.mark.parametrize(
    ("reported", "canonical"),
    [
        ("iops", {"io_rate": {"elbencho", "fio", "ior"}}),
        (
            "rate",
            {"io_rate": {"iozone"}, "metadata_rate": {"elbencho", "io500", "mdtest"}, "message_rate": {"lst"}},
        ),
        ("bandwidth", {}),
        ("stonewall_rate", {}),
        ("open_time", {}),
        ("power", {"power": set()}),
        ("entropy", {}),
    ],
)
def test_which_canonical_names_find_a_reported_one(reported: str, canonical: dict[str, set[str]]) -> None:
    assert quantities.tools_by_canonical(reported) == canonical


@pytest.mark.parametrize(
    ("row", "tool", "label"),
    [
        (row_of("iops"), "", "I/O rate"),
        (row_of("rate"), "mdtest", "metadata rate"),
        (row_of("rate"), "", "rate"),
        (row_of("au"), "mlperf-storage", "accelerator utilisation"),
        (row_of("stonewall_bandwidth"), "", "bandwidth until the stonewall"),
        (row_of("not_in_the_table"), "fio", "not in the table"),
    ],
)
def test_labels_of_quantities(row: dict[str, object], tool: str, label: str) -> None:
    assert quantities.label_of(row, tool) == label


@pytest.mark.parametrize(
    ("name", "tool", "function", "label"),
    [
        ("max", "", "max", "max"),
        ("p99", "fio", "percentile", "percentile 99"),
        ("p99.95", "", "percentile", "percentile 99.95"),
        ("F_READ_TIME", "darshan", "value", "F READ TIME"),
        ("wait_for_coll", "cray-mpich", "value", "wait for coll"),
        ("data_send", "cray-mpich", "value", "sending to aggregators"),
    ],
)
def test_statistics(name: str, tool: str, function: str, label: str) -> None:
    statistic = quantities.find_statistic(name, tool)
    assert statistic is not None
    assert statistic.function == function
    assert quantities.label_statistic(name) == label


@pytest.mark.parametrize(
    ("name", "tool"), [("F_READ_TIME", "fio"), ("wait_for_coll", ""), ("p", ""), ("p100000", ""), ("usual", "")]
)
def test_statistics_that_the_table_does_not_have(name: str, tool: str) -> None:
    assert quantities.find_statistic(name, tool) is None


def test_a_statistic_without_a_label_is_called_by_its_name() -> None:
    assert quantities.label_statistic("usual_value") == "usual value"


def test_operations_have_the_labels_of_their_descriptors() -> None:
    assert catalogue.label_operation("mlperf-storage", "unet3d") == "3D U-Net"
    assert catalogue.label_operation("mlperf-storage", "search") == ""
    assert catalogue.label_operation("not-a-benchmark", "unet3d") == ""


def test_names_of_statistics_are_different() -> None:
    names = [statistic.name for statistic in quantities.list_statistics() if statistic.name]
    assert [pair for pair in combinations(names, 2) if pair[0] == pair[1]] == []


def test_names_missing_in_the_table_are_listed() -> None:
    rows = [
        row_of("entropy"),
        row_of("bandwidth", unit="s", printed_unit="s"),
        row_of("iops", stat="usual"),
        row_of("iops", context={"weather": "fine"}),
    ]
    assert quantities.without_place("fio", rows) == [
        "quantity entropy (write, mean, ops/s)",
        "unit s of bandwidth",
        "statistic usual",
        "context weather",
    ]
    assert quantities.without_place("fio", [row_of("iops", context={"job": 0})]) == []


def test_published_documents_use_only_names_of_the_table() -> None:
    data = catalogue.FOLDER.parents[1] / "registry" / "loading" / "data" / "reported"
    rows = [
        (result["tool"], row | {"unit": UNITS[row["unit"]].canonical, "printed_unit": row["unit"]})
        for path in sorted(data.glob("*.json"))
        for result in json.loads(path.read_text(encoding="utf-8"))["results"]
        for row in result["measurements"]
    ]
    assert len(rows) > 300
    missing = {text for tool, row in rows for text in quantities.without_place(tool, [{"context": {}} | row])}
    assert missing == set()
