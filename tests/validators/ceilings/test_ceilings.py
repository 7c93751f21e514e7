"""Ceilings by layer, with figures that two documents print; and the rule that nothing is above them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.make_system import make_class, make_parameter, make_system
from validators import catalogue, hardware, schema
from validators.bundle import Bundle
from validators.ceilings import LAYERS, Ceiling, Parts, ceilings, lowest, pcie_lane, percent, raid_of
from validators.ceilings.ceiling_fraction import direction_of, efficiencies
from validators.hardware import KINDS, Figure
from validators.measurements import Measurement, Run
from validators.rules import Context, system_rules
from validators.system.document import System
from validators.system.parts import of_document, rates_of, slot_of
from validators.units import UNITS

GB, GIB, MIB = 1e9, 2**30, 2**20


def count(value: float) -> Figure:
    return Figure(value, "count", "test")


PERLMUTTER = Parts(
    drives=count(12),
    rates=rates_of(hardware.entries("drives")["samsung-pm1733"], (4, 2)),
    slot=slot_of(4, 2, "test"),
    paths=count(1),
    raid=raid_of("GridRAID 8+2", "test"),
    servers=count(1),
    ports=Figure(50 * GB, "B/s", "test"),
)
E2000 = Parts(
    drives=count(32),
    rates=rates_of(hardware.entries("drives")["samsung-pm1743"]),
    slot=slot_of(5, 2, "test"),
    slot_observed=Figure(7 * GIB, "B/s", "test"),
    paths=count(2),
    raid=raid_of("8+2", "test"),
    servers=count(2),
    ports=Figure(100 * GB, "B/s", "test"),
)


def by_layer(parts: Parts, direction: str, kind: str = "bandwidth") -> dict[str, Ceiling]:
    return {ceiling.layer: ceiling for ceiling in ceilings(parts, direction, kind)}


def test_the_peaks_of_a_perlmutter_ost_are_those_of_the_paper() -> None:
    read, write = by_layer(PERLMUTTER, "read"), by_layer(PERLMUTTER, "write")
    assert read["drives"].value == pytest.approx(42 * GB)
    assert write["parity"].value == pytest.approx(30.72 * GB)
    assert percent(40.8 * GB, read["parity"]) == pytest.approx(97.14, abs=0.005)
    assert percent(27.1 * GB, write["parity"]) == pytest.approx(88.22, abs=0.005)
    assert {lowest(list(read.values())).layer, lowest(list(write.values())).words} == {
        "drives",
        "drives, less parity",
    }


def test_small_operations_of_a_perlmutter_ost_rest_on_two_stated_assumptions() -> None:
    read, write = by_layer(PERLMUTTER, "read", "iops"), by_layer(PERLMUTTER, "write", "iops")
    assert percent(1452_100, read["drives"]) == pytest.approx(15.13, abs=0.005)
    assert percent(28_800, write["parity"]) == pytest.approx(5.33, abs=0.005)
    assert read["drives"].estimated
    assert write["parity"].estimated
    assert "Gen3" in dict(read["drives"].factors)["rate of each drive"].source
    assert "RAID 6 takes three" in dict(write["parity"].factors)["share for data"].source


def test_two_lanes_of_generation_5_hold_the_reads_of_a_drive_at_7_3_gib_of_which_7_were_observed() -> None:
    ceiling = by_layer(replace(E2000, paths=count(1)).of_one_drive(), "read")["slots"]
    assert ceiling.value / GIB == pytest.approx(7.34, abs=0.005)
    assert ceiling.observed == pytest.approx(7 * GIB)
    assert 6961 * MIB < ceiling.observed < ceiling.value


@pytest.mark.parametrize(
    ("paths", "read_mib", "layer", "share"),
    [(1, 222759, "slots", 92.7), (1, 224137, "slots", 93.2), (2, 328355, "drives", 76.9)],
)
def test_slots_limit_reads_of_an_e2000_until_both_controllers_serve_all_drives(paths, read_mib, layer, share) -> None:
    local = ceilings(replace(E2000, paths=count(paths)), "read", "bandwidth", ("drives", "slots", "parity"))
    assert lowest(local).layer == layer
    assert percent(read_mib * MIB, lowest(local)) == pytest.approx(share, abs=0.05)


def test_clients_of_an_e2000_write_at_the_drives_and_read_at_the_network() -> None:
    write, read = (lowest(ceilings(E2000, direction, "bandwidth")) for direction in ("write", "read"))
    assert (write.layer, write.of, write.value) == ("parity", "drives", pytest.approx(153.6 * GB))
    assert (read.layer, read.value) == ("network", pytest.approx(200 * GB))


def test_a_drive_above_its_datasheet_is_marked() -> None:
    row = Measurement.printed("write", "bandwidth", "per_drive", 5815, "MiB/s").as_json()
    (efficiency,) = efficiencies(catalogue.crossings()["obdfilter-survey"], [row], {}, E2000)
    assert (efficiency.over, [ceiling.layer for ceiling in efficiency.above]) == ("drive", ["drives"])
    assert efficiency.percent(efficiency.limit) == pytest.approx(101.6, abs=0.05)
    exact = Measurement.printed("write", "bandwidth", "per_drive", 6000, "MB/s").as_json()
    (efficiency,) = efficiencies(catalogue.crossings()["obdfilter-survey"], [exact], {}, E2000)
    assert efficiency.above == []


@pytest.mark.parametrize("lacking", ["drives", "rates", "slot", "paths", "raid", "servers", "ports"])
def test_a_layer_with_an_unknown_part_has_no_ceiling(lacking: str) -> None:
    parts = replace(E2000, **{lacking: getattr(Parts(), lacking)})
    lost = set(by_layer(E2000, "write")) - set(by_layer(parts, "write"))
    of = {"drives": {"drives", "slots", "parity"}, "rates": {"drives"}, "slot": {"slots"}, "paths": {"slots"}}
    assert lost == of.get(lacking, {"raid": {"parity"}, "servers": {"network"}, "ports": {"network"}}.get(lacking))
    assert ceilings(Parts(), "read", "bandwidth") == []


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("GridRAID 8+2", (8, 2)),
        ("2x GridRAID 12 [(8+2)+1]", (8, 2)),
        ("draid2:9d:12c:1s", (9, 2)),
        ("RAID-10", (1, 1)),
        ("RAID 6 8 + 2", (8, 2)),
        ("RAID 0", (1, 0)),
        ("GridRAID", None),
        ("0+2", None),
        ("", None),
    ],
)
def test_a_layout_is_read_from_its_name(text: str, blocks: tuple[int, int] | None) -> None:
    layout = raid_of(text, "test")
    assert (None if layout is None else (layout.data, layout.parity)) == blocks


def test_the_rate_of_a_lane_follows_from_its_generation() -> None:
    assert [round(pcie_lane(generation) / 1e6) for generation in range(1, 6)] == [250, 500, 985, 1969, 3938]


@pytest.mark.parametrize(
    ("op", "direction"),
    [("ior-easy-write", "write"), ("random_read", "read"), ("receive", "write"), ("send", "read"), ("stat", "")],
)
def test_operations_read_or_write(op: str, direction: str) -> None:
    assert direction_of(op) == direction


@pytest.mark.parametrize(
    ("quantity", "unit", "told"),
    [("ops_rate", "ops/s", {}), ("ops_rate", "ops/s", {"transfer_size_bytes": 2**20}), ("time", "s", {})],
)
def test_quantities_without_a_ceiling_are_left_out(quantity: str, unit: str, told: dict) -> None:
    row = Measurement.printed("write", quantity, "max", 10, unit).as_json()
    assert efficiencies(catalogue.crossings()["ior"], [row], told, E2000) == []
    assert efficiencies(None, [row], told, E2000) == []


# The catalogue


def test_the_catalogue_is_of_its_form_and_every_number_has_a_unit_and_a_source_that_is_listed() -> None:
    document = hardware.load_catalogue()
    assert schema.errors(document, "hardware.1") == []
    figures = [
        part[name]
        for kind in KINDS
        for entry in document[kind]
        for part in entry.get("rates", [entry])
        for name in part
        if isinstance(part[name], dict)
    ]
    assert len(figures) > 30
    assert {figure["unit"] for figure in figures} <= set(UNITS)
    cited = {entry["source"] for entry in (*figures, *document["assumptions"])}
    assert cited == set(document["sources"])
    for entry in document["enclosures"]:
        assert {entry.get("drive"), entry.get("cpu"), entry.get("nic")} <= {
            None, *(slug for kind in KINDS for slug in hardware.entries(kind))
        }  # fmt: skip


def test_a_catalogue_without_a_source_would_be_refused() -> None:
    drive = dict(hardware.load_catalogue()["drives"][0], rates=[{"read": {"value": 1, "unit": "GB/s"}}])
    (error,) = schema.errors({**hardware.load_catalogue(), "drives": [drive]}, "hardware.1")
    assert "source" in error.message


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Samsung PM1733", "samsung-pm1733"),
        ("SAMSUNG 1733a", "samsung-pm1733a"),
        ("SAMSUNG PM1733a 15.36TB", "samsung-pm1733a"),
        ("MZWLO15THBLA-00A07", "samsung-pm1743"),
        ("Drive X", None),
        ("", None),
    ],
)
def test_drives_are_found_by_names_that_nodes_report(text: str, slug: str | None) -> None:
    drive = hardware.named("drives", text)
    assert (drive["slug"] if drive else None) == slug


# A described system, and the rule

SERVERS = make_class(
    role=["oss"],
    count=2,
    class_id="00112233445566bb",
    network=[{"count": 2, "kind": "infiniband", "model": "MT4129 ConnectX-7"}],
    block=[
        {"count": 32, "model": "SAMSUNG MZWLO15THBLA", "pcie": {"current_speed": "32.0 GT/s PCIe", "current_width": 2}},
        {"count": 2, "model": "Boot"},
    ],
    mounts=[],
)
TARGETS = [{"kind": "data", "count": 2, "drives_per_target": 16, "raid": "8+2", "drive_model": "Samsung PM1743"}]
DESCRIBED = make_system(
    node_classes=[make_class(), SERVERS], storage_systems=[{"name": "s", "type": "lustre", "targets": TARGETS}]
)


def judged(document: dict, value_gib: float, op: str = "ior-easy-read") -> tuple[str, str]:
    assert schema.errors(document, "system.1") == []
    run = Run("io500", "", measurements=[Measurement.printed(op, "bandwidth", "phase", value_gib, "GiB/s")])
    system = System("data/system.json", "0" * 64, document)
    rule = next(rule for rule in system_rules.RULES if rule.code == "system.ceiling")
    result = rule.evaluate(run, Context(Bundle(), system=system, crossings=catalogue.crossings()))
    return result.outcome, result.why


def test_parts_are_read_from_a_description() -> None:
    parts = of_document(DESCRIBED)
    read, write = by_layer(parts, "read"), by_layer(parts, "write")
    assert read["drives"].value == pytest.approx(448 * GB)
    assert read["slots"].value == pytest.approx(2 * 32 * 2 * 32e9 * 128 / 130 / 8)
    assert write["parity"].value == pytest.approx(153.6 * GB)
    assert read["network"].value == pytest.approx(2 * 2 * 50 * GB)
    assert read["clients"].value == pytest.approx(10 * 25 * GB)
    assert set(read) == set(LAYERS) - {"controllers"}, "no processor of that name is in the catalogue"


def test_facts_missing_for_targets_come_from_their_servers() -> None:
    parameters = [make_parameter("raid.drives_per_target", 16), make_parameter("drive.model", "SAMSUNG MZWLO15THBLA")]
    bare = {"name": "s", "type": "lustre", "targets": [{"kind": "data", "count": 2}]}
    drives = by_layer(
        of_document(make_system(node_classes=[SERVERS | {"parameters": parameters}], storage_systems=[bare])), "read"
    )
    assert drives["drives"].value == pytest.approx(448 * GB)
    unlike = [*parameters, make_parameter("raid.drives_per_target", 10, key="boot")]
    assert (
        of_document(make_system(node_classes=[SERVERS | {"parameters": unlike}], storage_systems=[bare])).drives is None
    )


@pytest.mark.parametrize(
    ("value_gib", "op", "outcome", "said"),
    [
        (180, "ior-easy-read", "satisfied", "96.6 %"),
        (190, "ior-easy-read", "violated", "network"),
        (150, "ior-easy-write", "violated", "drives, less parity"),
        (150, "find", "not_evaluated", "not tell enough"),
    ],
)
def test_a_rate_above_its_ceiling_is_a_finding(value_gib, op, outcome, said) -> None:
    judged_outcome, why = judged(DESCRIBED, value_gib, op)
    assert (judged_outcome, said in why) == (outcome, True), why


def test_described_clients_alone_bound_the_run() -> None:
    assert judged(make_system(), 300)[0] == "violated"
    assert judged(make_system(), 200)[0] == "satisfied"
    assert judged(make_system(node_classes=[make_class(network=[])]), 300)[0] == "not_evaluated"
    unknown = [{"count": 1, "kind": "ethernet", "model": "Adapter of no known rate"}]
    assert judged(make_system(node_classes=[make_class(network=unknown)]), 300)[0] == "not_evaluated"
    two_kinds = make_system(storage_systems=[{"name": "s", "type": "lustre", "targets": [*TARGETS, *TARGETS]}])
    assert of_document(two_kinds).drives is None
