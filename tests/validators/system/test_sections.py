"""A description as people read it: sections, units, instances, defaults of the release; what differs between two."""

from __future__ import annotations

import json
import sys
from collections import Counter

import pytest

from tests.make_system import make_class, make_parameter, make_system
from validators import schema
from validators.system import facts, formatting, public_view, sections
from validators.system.difference import difference

NB = "\N{NO-BREAK SPACE}"


def rows(document: dict, subject: str = "Clients") -> dict[tuple[str, str], sections.Row]:
    return {
        (section.title, row.name): row
        for candidate in sections.subjects(document)
        if candidate.name == subject
        for section in candidate.sections
        for row in section.rows
    }


def of_client(*parameters: dict, **changes) -> dict:
    return make_system(node_classes=[make_class(parameters=list(parameters), **changes)])


def texts(row: sections.Row) -> list[tuple[str, int]]:
    return [(observation.text, observation.instances) for observation in row.seen]


def test_facts_carry_their_units() -> None:
    rows_by_name = rows(make_system())
    assert texts(rows_by_name["Hardware", "memory total"]) == [(f"512{NB}GiB", 1)]
    assert texts(rows_by_name["Network", "infiniband"]) == [(f"mlx5_0, 200{NB}Gbit/s, ACTIVE, PCIe x8 of x16", 1)]
    assert texts(rows_by_name["Block devices", "Drive X"]) == [(f"960.2{NB}GB, firmware 1.0", 2)]
    assert texts(rows_by_name["Mounts", "lustre"]) == [("rw flock", 1)]


def test_values_of_a_parameter_come_with_their_instances_most_first() -> None:
    row = rows(make_system())["Lustre client", "lustre.client.osc.max_rpcs_in_flight"]
    assert texts(row) == [("64", 7), ("8", 1)]
    assert row.instances == 8


def test_an_entry_of_a_map_is_named_by_its_key() -> None:
    row = rows(make_system())["Kernel settings", "vm.sysctl vm.dirty_ratio"]
    assert (row.parameter, row.key, texts(row)) == ("vm.sysctl", "vm.dirty_ratio", [("10", 1)])


def test_parameters_of_the_site_are_listed_separately() -> None:
    row = rows(of_client(make_parameter("site.burst_buffer", "on")))["Of the site", "site.burst_buffer"]
    assert (row.parameter, row.differs) == ("", None)


@pytest.mark.parametrize(
    ("release", "id", "value", "differs"),
    [
        ("2.15.4", "lustre.client.osc.checksums", False, True),
        ("2.15.4", "lustre.client.osc.checksums", True, False),
        ("2.11.0", "lustre.client.osc.max_dirty_mb", 32, False),
        ("2.15.4", "lustre.client.osc.max_dirty_mb", 32, True),
        ("2.15.4", "lustre.client.osc.max_dirty_mb", 2000, False),
        ("", "lustre.client.osc.checksums", False, None),
        ("2.15.4", "lustre.client.osc.idle_timeout_unheard_of", 7, None),
    ],
)
def test_a_value_is_compared_with_the_default_of_its_release(
    release: str, id: str, value: object, differs: bool | None
) -> None:
    row = rows(of_client(make_parameter(id, value), *([make_parameter("lustre.version", release)] if release else [])))
    assert next(system_row for (_, name), system_row in row.items() if name == id).differs is differs


def test_one_target_that_differs_is_enough() -> None:
    mixed = make_parameter("lustre.client.osc.max_rpcs_in_flight", [(8, 2999), (16, 1)])
    row = rows(of_client(mixed, make_parameter("lustre.version", "2.15.4")))
    assert row["Lustre client", "lustre.client.osc.max_rpcs_in_flight"].differs is True


def test_classes_are_named_by_role_the_largest_first() -> None:
    odd = make_class(count=2, class_id="00112233445566bb")
    both = make_class(count=4, role=["mds", "oss"], class_id="00112233445566cc")
    subjects = sections.subjects(make_system(node_classes=[odd, both, make_class(count=8)]))
    assert [(subject.name, subject.nodes["count"]) for subject in subjects] == [
        ("Clients", 8),
        ("Clients, class 2", 2),
        ("Metadata servers and object storage servers", 4),
    ]


def test_missing_parameters_are_grouped_by_reason() -> None:
    missing = [
        {"id": "a", "reason": "timeout"},
        {"id": "b", "reason": "permission_denied"},
        {"id": "c", "key": "k", "reason": "permission_denied"},
    ]
    assert sections.missing(make_class(missing=missing)) == [
        ("only root may read it", ["b", "c k"]),
        ("took too long", ["a"]),
    ]


def test_every_reason_and_role_of_the_schema_has_its_words() -> None:
    definitions = schema.schemas()["system.1"]["$defs"]
    assert set(definitions["missing"]["properties"]["reason"]["enum"]) == set(sections.REASONS)
    assert set(definitions["node_class"]["properties"]["role"]["items"]["enum"]) == set(sections.ROLES)
    assert set(definitions["drift"]["properties"]["severity"]["enum"]) == set(facts.SEVERITIES)


def test_drift_is_sorted_by_severity() -> None:
    rows = [
        {"pointer": "/a", "severity": "info"},
        {"pointer": "/parameters/osc~1x", "pre": True, "post": "true x6, false x1", "severity": "warning"},
        {"pointer": "/network/a/rate_bit_s", "pre": 10**11, "post": 0, "severity": "invalidating"},
    ]
    drift_rows = sections.drift(make_system(drift=rows))
    assert [(row["severity"], row["what"], row["before"], row["after"]) for row in drift_rows] == [
        ("invalidating", "network a rate_bit_s", f"100{NB}Gbit/s", f"0{NB}bit/s"),
        ("warning", "osc/x", "true", "true x6, false x1"),
        ("info", "a", "\N{EM DASH}", "\N{EM DASH}"),
    ]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (True, "bool", "yes"),
        (0, "B", f"0{NB}B"),
        (1023, "B", f"1,023{NB}B"),
        (1536, "B", f"1.5{NB}KiB"),
        (2**64, "B", f"16,384{NB}PiB"),
        (2_450_000_000, "Hz", f"2.45{NB}GHz"),
        (64, "MiB", f"64{NB}MiB"),
        (12345, "count", "12,345"),
        (0.25, "", "0.25"),
        ("crc32c", "enum", "crc32c"),
        (None, "B", "\N{EM DASH}"),
    ],
)
def test_quantities_are_written_with_their_unit(value: object, unit: str, text: str) -> None:
    assert formatting.quantity(value, unit) == text


@pytest.mark.parametrize("name", ["lustre-client-rhel8", "lustre-oss-e1000", "plain-debian-nfs", "hostile"])
def test_drafted_descriptions_of_whole_nodes_are_readable(shared, name: str) -> None:
    draft = json.loads((shared / "reference" / "system-schema" / f"example-{name}.json").read_text(encoding="utf-8"))
    subjects = sections.subjects(draft)
    assert sum(len(section.rows) for subject in subjects for section in subject.sections) > 10


# What differs


def differing(*documents: dict | None) -> dict[str, list]:
    return {row["name"]: row["values"] for row in difference(documents)["differences"]}


def test_a_system_differs_in_nothing_from_itself() -> None:
    comparison = difference([make_system(), make_system()])
    assert comparison["differences"] == []
    assert (comparison["unknown"], comparison["described"]) == (0, [True, True])
    assert comparison["equal"] > 15


def test_differences_show_both_values_and_marks_of_defaults() -> None:
    version = make_parameter("lustre.version", "2.15.4")
    system = of_client(make_parameter("lustre.client.osc.checksums", True), version)
    other = of_client(make_parameter("lustre.client.osc.checksums", False), version)
    (row,) = difference([system, other])["differences"]
    assert row == {
        "subject": "Clients",
        "section": "Lustre client",
        "name": "lustre.client.osc.checksums",
        "parameter": "lustre.client.osc.checksums",
        "key": "",
        "values": [["yes"], ["no"]],
        "differs_from_default": [False, True],
        "defaults": ["yes", "yes"],
    }


def test_more_targets_of_the_same_value_are_no_difference() -> None:
    few = of_client(make_parameter("lustre.client.osc.checksums", False, instances=7))
    many = of_client(make_parameter("lustre.client.osc.checksums", False, instances=3000), count=200)
    assert differing(few, many) == {}


def test_volatile_values_are_left_out() -> None:
    names = ("lustre.client.osc.grant", "lustre.client.osc.rpc_stats")
    system, other = (of_client(*(make_parameter(name, value) for name in names)) for value in (1, 2))
    assert differing(system, other) == {}
    later = make_system(captures=[{"id": "x", "phase": "static", "started": "2026-01-01T00:00:00Z"}])
    later["collector"] = later["collector"] | {"version": "2.0.0"}
    later["run"] = later["run"] | {"duration_s": 5000, "ended": "2026-01-01T00:00:00Z"}
    assert differing(make_system(), later) == {}


def test_unknown_values_of_one_system_are_no_difference() -> None:
    comparison = difference([of_client(make_parameter("lustre.version", "2.15.4")), of_client()])
    assert (comparison["differences"], comparison["unknown"]) == ([], 1)


def test_a_device_that_only_one_has_is_a_difference() -> None:
    nics = [{"device": "cxi0", "kind": "slingshot"}]
    differences = differing(make_system(), make_system(node_classes=[make_class(network=nics)]))
    assert differences["slingshot"] == [["none"], ["cxi0"]]
    assert differences["infiniband"][1] == ["none"]


def test_nodes_that_only_one_describes_are_not_known_of_the_other() -> None:
    servers = make_class(role=["oss"], class_id="00112233445566bb")
    assert differing(make_system(), make_system(node_classes=[make_class(), servers])) == {}


def test_one_of_three_systems_may_lack_a_description() -> None:
    comparison = difference([make_system(), None, of_client(make_parameter("lustre.version", "2.12.9"))])
    assert comparison["described"] == [True, False, True]
    versions = next(row for row in comparison["differences"] if row["name"] == "lustre.version")
    assert versions["values"] == [["2.15.4"], None, ["2.12.9"]]


def test_one_description_alone_differs_from_nothing() -> None:
    assert difference([make_system(), None])["differences"] == []


# What may be published


def test_the_published_form_keeps_facts_and_drops_names() -> None:
    outlier = {"member": "login1", "pointer": "/os/kernel", "value": "a", "majority": "b"}
    document = make_system(node_classes=[make_class(outliers=[outlier, outlier | {"member": "login2"}])])
    before = json.dumps(document)
    public_document = public_view.public(document)
    assert json.dumps(document) == before
    assert schema.errors(public_document, "system.1") == []
    assert "login" not in json.dumps(public_document) and "m-0" not in json.dumps(public_document)
    assert [row["member"] for row in public_document["node_classes"][0]["outliers"]] == ["node 1", "node 2"]
    assert difference([document, public_document])["differences"] == []


def test_the_order_in_which_fields_come_back_from_a_database_changes_nothing() -> None:
    document = make_system(
        layouts=[{"phase": "ior-hard", "stripe_size_bytes": 1024, "stripe_count": -1, "pattern": "raid0"}]
    )
    turned = json.loads(json.dumps(document, sort_keys=True))
    assert difference([document, turned])["differences"] == []
    (layout,) = next(section for section in sections.of_the_run(turned) if section.title == "Layouts").rows
    assert texts(layout) == [(f"stripe count all targets, stripe size 1{NB}KiB, pattern raid0", 1)]


def test_systems_without_a_drive_in_common_are_compared_with_work_that_grows_as_they_do() -> None:
    assert calls_of_comparing(400) < 2.2 * calls_of_comparing(200)


def calls_of_comparing(drives: int) -> int:
    """How many functions are called to compare two systems with so many drives each."""
    system, other = (
        make_system(node_classes=[make_class(block=[{"count": 1, "model": f"{maker} {n}"} for n in range(drives)])])
        for maker in ("A", "B")
    )
    events: Counter[str] = Counter()
    sys.setprofile(lambda frame, event, argument: events.update([event]))
    try:
        comparison = difference([system, other])
    finally:
        sys.setprofile(None)
    assert len(comparison["differences"]) == 2 * drives
    return events["call"] + events["c_call"]
