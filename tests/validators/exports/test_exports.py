"""Descriptions for IO500 and MLPerf Storage: what is known has their form, what is not is named and never guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.make_system import TIB, make_class, make_parameter, make_system
from validators import exports
from validators.exports import Supplement

TOLD = Supplement(institution="North Lab", tool_version="io500-sc25", client_nodes=10, procs_per_node=16)
GBIT = 10**9


def server(role: list[str], count: int, **changes: Any) -> dict[str, Any]:
    drives = [
        {
            "count": 24,
            "model": "MZ-7/X (15 TB)",
            "bytes": 15_360_950_534_144,
            "rotational": False,
            "transport": "nvme",
        }
    ]
    parameters = [make_parameter("lustre.server.backend", "ldiskfs", instances=2)]
    facts = {"name": "/".join(role), "role": role, "count": count, "class_id": "00112233445566bb"}
    return make_class(**facts | {"block": drives, "parameters": parameters, "mounts": []} | changes)


def client(**changes: Any) -> dict[str, Any]:
    cpu = {
        "model": "AMD EPYC 7763 64-Core Processor",
        "architecture": "x86_64",
        "sockets": 2,
        "cores": 128,
        "threads": 256,
        "base_hz": 2_450_000_000,
        "max_hz": 3_500_000_000,
    }
    hardware = {
        "vendor": "Maker Inc.",
        "product": "Node 7 (rev. A)",
        "cpu": cpu,
        "memory": {"total_bytes": 512 * 2**30, "type": "DDR4"},
        "accelerators": [{"model": "Accelerator X", "count": 4}],
    }
    return make_class(hardware=hardware, **changes)


def whole(**changes: Any) -> dict[str, Any]:
    """A document that tells all that it can: 4 OSTs on 2 servers, 2 MDTs on 1."""
    storage = {
        "name": "scratch",
        "type": "lustre",
        "vendor": "Maker Inc.",
        "model": "Store 9",
        "software": "Store OS",
        "version": "2.15.4",
        "access": "kernel_mount",
        "usable_bytes": 100 * TIB,
        "raw_bytes": 150 * TIB,
        "data_targets": 4,
        "metadata_targets": 2,
    }
    return make_system(
        site={"abbreviation": "NL-1", "institution": "North Lab", "country": "DEU"},
        system={"name": "Testbed", "usage": "production", "exclusive_during_run": True},
        node_classes=[client(), server(["oss"], 2), server(["mds"], 1, class_id="00112233445566cc")],
        storage_systems=[storage],
        **changes,
    )


def every(node: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    nodes = [node] if node["type"] == kind else []
    return nodes + [descendant for child in node["childs"] for descendant in every(child, kind)]


def cdcl(document: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return every(exports.export("io500", document, TOLD).document["DATA"], kind)


# IO500


def test_servers_are_counted_and_not_their_targets() -> None:
    """2 MDTs and 4 OSTs on 1 and 2 servers: published tools store the last index, 1 and 3."""
    document = whole()
    assert [node["att"]["count"] for node in cdcl(document, "OSS")] == ["2"]
    assert [node["att"]["count"] for node in cdcl(document, "MDS")] == ["1"]
    assert cdcl(document, "StorageSystem")[0]["att"]["Servers"] == "3"
    assert cdcl(document, "IO500")[0]["att"]["number_serverNodes"] == "3"
    assert cdcl(document, "IO500")[0]["att"]["note"] == "2 metadata targets, 4 data targets"


def test_a_server_of_two_roles_is_one_server() -> None:
    document = whole() | {"node_classes": [client(), server(["mds", "oss"], 4)]}
    assert (len(cdcl(document, "OSS")), len(cdcl(document, "MDS"))) == (1, 1)
    assert cdcl(document, "StorageSystem")[0]["att"]["Servers"] == "4"
    assert cdcl(document, "StorageSystem")[0]["att"]["overlapping_metadata_dataServers"] == "yes"


def test_without_described_servers_none_is_counted() -> None:
    export = exports.export("io500", whole() | {"node_classes": [client()]}, TOLD)
    assert every(export.document["DATA"], "OSS") == []
    assert "Servers" not in every(export.document["DATA"], "StorageSystem")[0]["att"]
    assert {"Site/StorageSystem/Servers", "Site/IO500/number_serverNodes"} <= set(export.missing)


def test_facts_have_words_and_units_of_the_export_form() -> None:
    document = whole()
    (nodes,) = cdcl(document, "Nodes")
    assert nodes["att"] == {
        "name": "client",
        "model": "Node 7 rev A",
        "vendor": "Maker Inc.",
        "count": "10",
        "distribution": "RedHat",
        "distribution version": "9.4",
        "kernel version": "5.14.0-427.el9.x86_64",
    }
    (processor,) = every(nodes, "Processor")
    assert processor["att"] == {
        "sockets": "2",
        "model": "AMD EPYC 7763 64-Core Processor",
        "architecture": "x86_64",
        "vendor": "AMD",
        "microarchitecture": "Zen3",
        "cores per socket": "64",
        "threads per core": "2",
        "frequency": ["2.45", "GHz"],
    }
    assert every(nodes, "Memory")[0]["att"] == {"type": "DDR4", "net capacity": ["512", "GiB"]}
    assert every(nodes, "Interconnect")[0]["att"] == {
        "type": "Infiniband",
        "speed": "200 Gbit",
        "features": "RDMA",
        "links": "1",
    }
    (run,) = cdcl(document, "IO500")
    assert run["att"]["clients network bandwidth"] == ["250", "GB/s"]
    assert (run["att"]["number_clientNodes"], run["att"]["procsPerNode"]) == ("10", "16")
    assert (run["att"]["storage net capacity"], run["att"]["storage type"]) == (["100", "TiB"], "SSD")
    assert cdcl(document, "Supercomputer")[0]["att"]["total cores"] == "1280"


def allowed_children(definition: dict[str, Any]) -> dict[str, str]:
    """Name of a child -> name of its scheme; children that are defined in place have no scheme."""
    listed = [entry.split(":") for entry in definition.get("SCHEMES", []) + definition.get("SCHEMES_multi", [])]
    return {parts[0]: parts[1] if len(parts) > 1 else parts[0] for parts in listed}


def against_form(
    schema: dict[str, Any], node: dict[str, Any], definition: dict[str, Any], path: str = ""
) -> Iterator[tuple[str, str]]:
    """(place, what is wrong) by the attributes, choices, patterns, units and children of the published form."""
    here = f"{path}/{node['type']}".lstrip("/")
    inner = {name: rule for name, rule in definition.items() if isinstance(rule, dict)}
    attributes = {name: rule for name, rule in inner.items() if "dtype" in rule}
    for name, rule in attributes.items():
        if name not in node["att"] and rule.get("required", False) is not False:
            yield f"{here}/{name}", "missing"
    for name, value in node["att"].items():
        yield from ((f"{here}/{name}", wrong) for wrong in against_rule(schema, attributes.get(name), value))
    listed = allowed_children(definition).items()  # one, IME, is listed and defined nowhere
    schemes = {name: schema["SCHEMES"][scheme] for name, scheme in listed if scheme in schema["SCHEMES"]}
    children = {name: rule for name, rule in inner.items() if name not in attributes} | schemes
    for child in node["childs"]:
        if child["type"] not in children:
            yield f"{here}/{child['type']}", "no such child"
        else:
            yield from against_form(schema, child, children[child["type"]], here)


def against_site(schema: dict[str, Any], document: dict[str, Any]) -> list[tuple[str, str]]:
    return list(against_form(schema, document["DATA"], schema["SYSTEM"]["Site"]))


def against_rule(schema: dict[str, Any], rule: dict[str, Any] | None, value: Any) -> Iterator[str]:
    if rule is None:
        yield "unknown attribute"
        return
    number, unit = value if isinstance(value, list) else (value, None)
    if unit is not None and unit not in [name for name, _ in schema["UNITS"][rule["unit"]]]:
        yield f"unit {unit}"
    if unit is None and rule.get("unit"):
        yield "no unit"
    if "choice" in rule and number not in rule["choice"]:
        yield f"no choice: {number}"
    if "pattern" in rule and not re.fullmatch(rule["pattern"], number):
        yield f"pattern: {number}"
    if rule["dtype"] in ("integer", "number"):
        try:
            float(number)
        except ValueError:
            yield f"no number: {number}"


@pytest.fixture(scope="module")
def form(request) -> dict[str, Any]:
    shared: Path = request.getfixturevalue("shared")
    folder = shared / "data" / "collector" / "samples" / "io500-system-information"
    return json.loads((folder / "schema-io500.json").read_text(encoding="utf-8"))


def bare() -> dict[str, Any]:
    return {
        "schema_version": "1",
        "collector": {"name": "x", "version": "1", "redaction_profile": "strict"},
        "captures": [{"id": "a", "phase": "imported", "started": "2025-10-01T08:58:00Z"}],
        "node_classes": [],
    }


def odd() -> dict[str, Any]:
    """Values that the form has no word for."""
    os = {"id": "debian", "version": "12", "kernel": "6.1.0"}
    hardware = {"vendor": None, "product": "<x>", "cpu": {"architecture": "s390x", "model": "?"}, "memory": {}}
    nics = [{"device": "efa0", "kind": "efa", "rate_bit_s": 56 * GBIT}, {"device": "eth0", "kind": "ethernet"}]
    node_class = make_class(
        name="1", os=os, hardware=hardware, network=nics, block=[{"count": 1}], role=["client", "oss"]
    )
    systems = [
        {"name": "7", "type": kind}
        for kind in ("other", "local", "gpfs", "beegfs", "nfs", "ceph", "gekkofs", "daos", "weka")
    ]
    return make_system(node_classes=[node_class], storage_systems=systems)


@pytest.mark.parametrize("document", [whole(), bare(), odd(), make_system()], ids=["whole", "bare", "odd", "usual"])
def test_the_export_fits_the_published_form_but_for_what_it_names_as_missing(form, document: dict[str, Any]) -> None:
    export = exports.export("io500", document, TOLD)
    wrong = against_site(form, export.document)
    assert [place for place, why in wrong if why != "missing"] == []
    assert {place for place, _ in wrong} == set(export.missing)


@pytest.mark.parametrize("name", ["lustre-client-rhel8", "lustre-oss-e1000"])
def test_drafted_descriptions_of_whole_nodes_fit_the_published_form(form, shared: Path, name: str) -> None:
    draft = json.loads((shared / "reference" / "system-schema" / f"example-{name}.json").read_text(encoding="utf-8"))
    export = exports.export("io500", draft, Supplement())
    wrong = against_site(form, export.document)
    assert [place for place, why in wrong if why != "missing"] == []


# MLPerf Storage


@pytest.fixture(scope="module")
def published(request) -> Draft202012Validator:
    shared: Path = request.getfixturevalue("shared")
    folder = shared / "data" / "collector" / "samples" / "mlperf-storage-system"
    return Draft202012Validator(json.loads((folder / "Schema.json").read_text(encoding="utf-8")))


def mlperf(document: dict[str, Any]) -> dict[str, Any]:
    return exports.export("mlperf-storage", document, TOLD).document


def test_a_whole_description_passes_the_published_schema_once_one_question_is_answered(published) -> None:
    export = exports.export("mlperf-storage", whole(), TOLD)
    assert export.missing == ["storage_system/software_defined"]
    export.document["storage_system"]["software_defined"] = "no"
    assert [error.message for error in published.iter_errors(export.document)] == []


@pytest.mark.parametrize("document", [whole(), bare(), odd(), make_system()], ids=["whole", "bare", "odd", "usual"])
def test_the_export_names_what_the_published_schema_requires_and_lacks(published, document: dict[str, Any]) -> None:
    export = exports.export("mlperf-storage", document, TOLD)
    errors = list(published.iter_errors(export.document))
    assert {error.validator for error in errors} <= {"required"}
    places = {"/".join([*map(str, error.absolute_path), re.match(r"'(\w+)'", error.message)[1]]) for error in errors}
    assert places == set(export.missing)


def test_units_are_those_of_the_names() -> None:
    nodes = {node["node_type_name"]: node for node in mlperf(whole())["nodes"]}
    clients = nodes["Clients"]
    assert clients["DRAM"] == {"capacity_MiB": 524288, "class": "DDR4"}
    assert (clients["CPU"]["base_frequency"], clients["CPU"]["boost_frequency"]) == (2.45, 3.5)
    assert (clients["CPU"]["cores_per_socket"], clients["CPU"]["threads_per_socket"]) == (64, 128)
    assert clients["nic_ports"][0]["bitrate"] == 200
    drive = nodes["Object storage servers"]["drives"][0]
    assert (drive["count_of_this_type"], drive["interface"], drive["drive_type"]) == (24, "NVMe", "SSD")
    assert drive["capacity_GiB"] == pytest.approx(14306, abs=1)


def test_a_type_of_node_is_described_once_and_each_client_is_a_host() -> None:
    document = mlperf(whole())
    assert [node["node_type_name"] for node in document["nodes"]] == [
        "Clients",
        "Metadata servers",
        "Object storage servers",
    ]
    assert [host["node_name"] for host in document["benchmark_hosts"]] == [
        f"client {number}" for number in range(1, 11)
    ]


def test_options_are_explicitly_set_parameters() -> None:
    (options,) = (node["config_options"] for node in mlperf(make_system())["nodes"])
    assert options == ["lustre.client.osc.checksums = no", "lustre.client.osc.max_rpcs_in_flight = 64"]


def test_a_million_clients_make_no_endless_list() -> None:
    assert len(mlperf(make_system(node_classes=[client(count=10**9, members=[])]))["benchmark_hosts"]) == 20_000


# Both


@pytest.mark.parametrize("name", exports.names())
def test_no_export_names_a_node(name: str) -> None:
    document = whole() | {"node_classes": [client(members=["login1.north.example"])]}
    assert "login1" not in json.dumps(exports.export(name, document, TOLD).document)


def test_an_unknown_form_is_refused_with_the_known_forms() -> None:
    with pytest.raises(LookupError, match="io500, mlperf-storage"):
        exports.export("yaml", whole(), TOLD)
