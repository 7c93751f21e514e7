"""`collect`: whatever the node, one valid document in which every parameter is there or has its reason."""

import json
import os
import subprocess
import sys

import jsonschema
import pytest

from tests.collectors.conftest import CHECKOUT

SCHEMA = json.loads((CHECKOUT / "validators" / "schemas" / "system.1.json").read_text())
REGISTERED = {
    row["id"] for row in json.loads((CHECKOUT / "validators/parameters/parameters.1.json").read_text())["parameters"]
}
NODES = ("lustre-client-rhel8", "lustre-oss-e1000", "plain-debian-nfs", "hostile")


@pytest.fixture
def collect(collector):
    """Collect from a recorded node as its owner would: its files, its commands, its environment."""

    def run(node, *arguments, status=0):
        recording = ["--commands", node.recording] if node.recording else []
        variables = node.root.parent / "env.json"
        own = dict(collector.environ)
        if variables.exists():
            # A library that is not there makes the loader of our own Python complain, and is no matter of collect.
            set_there = {**json.loads(variables.read_text()), "LD_PRELOAD": ""}
            collector.environ.update({**set_there, **own})
        done = collector("collect", "--root", node.root, *recording, "--out", "system.json", *arguments)
        collector.environ = own
        assert done.returncode == status, done.stderr
        return Collected(collector.cwd / "system.json", done)

    return run


class Collected:
    def __init__(self, path, done):
        self.text = path.read_text()
        self.document = json.loads(self.text)
        self.node = self.document["node_classes"][0]
        self.said = self.text + done.stdout + done.stderr

    def reasons(self):
        return {gap["id"]: gap["reason"] for gap in self.node["missing"] if "key" not in gap}

    def found(self):
        return {entry["id"] for entry in self.node["parameters"]}

    def values(self, parameter, key=None):
        (entry,) = [entry for entry in self.node["parameters"] if (entry["id"], entry.get("key")) == (parameter, key)]
        return {item["value"]: item["instances"] for item in entry["values"]}


@pytest.mark.parametrize("name", NODES)
def test_every_parameter_is_in_the_document_or_missing_with_a_reason(recorded_node, collect, name):
    collected = collect(recorded_node(name))
    jsonschema.Draft202012Validator(SCHEMA).validate(collected.document)
    ids = collected.found() | {gap["id"] for gap in collected.node["missing"]}
    assert ids == REGISTERED
    assert not collected.found() & set(collected.reasons())


@pytest.mark.parametrize("name", NODES)
@pytest.mark.parametrize("profile", ["default", "strict", "full-consent"])
def test_no_profile_records_a_canary(recorded_node, collect, name, profile):
    node = recorded_node(name)
    planted = node.root.parent / "canaries.json"
    canaries = json.loads(planted.read_text()) if planted.exists() else []
    collected = collect(node, "--profile", profile)
    # Full consent is consent to names of nodes.
    own_name = "".join(collected.node["members"]) if profile == "full-consent" else ""
    assert [canary for canary in canaries if canary in collected.said and canary not in own_name] == []


def test_the_document_of_a_recorded_client_has_the_values_of_its_files(recorded_node, collect):
    collected = collect(recorded_node("lustre-client-rhel8"))
    hardware = collected.node["hardware"]
    assert (hardware["vendor"], hardware["product"]) == ("Dell Inc.", "PowerEdge R7425")
    assert hardware["cpu"]["numa_nodes_per_socket"] == 4
    assert collected.values("lustre.client.osc.max_rpcs_in_flight") == {8: 7}
    assert collected.values("lustre.client.osc.checksum_type") == {"crc32c": 7}
    assert collected.values("lustre.version") == {"2.15.4": 1}


def test_a_hostile_node_with_thousands_of_targets_is_recorded(recorded_node, collect):
    collected = collect(recorded_node("hostile"))
    assert collected.values("lustre.client.osc.max_rpcs_in_flight") == {8: 3000}
    assert len(collected.text) < 64 * 1024
    assert "timeout" in collected.reasons().values()
    assert all(character.isprintable() or character == "\n" for character in collected.text)


def test_pseudonyms_stay_the_same_at_one_site_and_differ_between_sites(node, collect, collector):
    node.put({"/proc/sys/kernel/hostname": "nid000417\n"})
    first = collect(node).node["members"]
    assert collect(node).node["members"] == first
    assert "nid000417" not in collect(node).said
    (collector.home / ".config" / "highwater" / "pseudonyms.key").unlink()
    assert collect(node).node["members"] != first


def test_only_full_consent_records_names_of_nodes(node, collect):
    node.put({"/proc/sys/kernel/hostname": "nid000417\n"})
    assert "members" not in collect(node, "--profile", "strict").node
    assert collect(node, "--profile", "full-consent").node["members"] == ["nid000417"]


def test_emit_prints_one_line_and_writes_no_file(node, collector):
    done = collector("collect", "--root", node.root, "--emit")
    assert done.returncode == 0
    assert done.stdout.count("\n") == 1
    assert json.loads(done.stdout)["schema_version"] == "1"
    assert list(collector.cwd.iterdir()) == []


def test_an_empty_node_is_a_document_too(node, collect):
    collected = collect(node)
    assert set(collected.reasons()) == REGISTERED - collected.found()
    jsonschema.Draft202012Validator(SCHEMA).validate(collected.document)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--root", "nowhere", "--out", "x"], "collector.root"),
        (["--commands", "nowhere", "--out", "x"], "collector.commands"),
        (["--out", "no/such/folder/x"], "collector.out"),
        ([], "collector.out"),
        (["--out", "x", "--emit"], "collector.out"),
    ],
)
def test_invalid_arguments_of_collect_are_refused(node, collector, arguments, code):
    options = arguments if "--root" in arguments else ["--root", node.root, *arguments]
    done = collector("collect", *options)
    assert done.returncode == 2
    assert code in done.stderr
    assert list(collector.cwd.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_user_without_rights_gets_facts_or_reasons(recorded_node, tmp_path):
    node = recorded_node("lustre-client-rhel8", commands=False)
    document = collected_as_nobody(node, tmp_path)
    reasons = {gap["id"]: gap["reason"] for gap in document["node_classes"][0]["missing"]}
    parameter_ids = {entry["id"] for entry in document["node_classes"][0]["parameters"]}
    denied = {name for name, reason in reasons.items() if reason == "permission_denied"}
    assert denied
    assert len(parameter_ids) >= 0.85 * len(parameter_ids | denied)
    assert "lnet.cpu_partition_table" in parameter_ids


AS_NOBODY = """
import os, sys
from collectors import cli, probes
from collectors.document import parameters
from collectors.verbs import collect
probes.all_probes(), parameters.registry(), parameters.document_schema()  # read while it may be read
os.setgroups([]), os.setgid(65534), os.setuid(65534)
sys.exit(cli.main(sys.argv[1:]))
"""


def collected_as_nobody(node, tmp_path):
    """Collect as uid 65534 from a copy of the node on which root's files are root's."""
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-a", str(node.root), str(copy)], check=True)
    subprocess.run(["chmod", "-R", "a+rX", str(copy)], check=True)
    for path, mode in json.loads((node.root.parent / "modes.json").read_text())["root_only_mode"].items():
        (copy / path.lstrip("/")).chmod(int(mode, 8))
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and not folder.stat().st_mode & 0o001:
            folder.chmod(0o711)
    done = subprocess.run(
        [sys.executable, "-B", "-c", AS_NOBODY, "collect", "--root", str(copy), "--emit"],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("form", ["text", "json", "missing"])
def test_show_prints_the_facts_of_a_document(recorded_node, collect, collector, form):
    collect(recorded_node("lustre-client-rhel8"))
    options = {"text": [], "json": ["--json"], "missing": ["--missing"]}[form]
    done = collector("show", "system.json", *options)
    assert done.returncode == 0
    if form == "json":
        assert json.loads(done.stdout) == json.loads((collector.cwd / "system.json").read_text())
    else:
        assert "lustre.client.osc.max_rpcs_in_flight" in done.stdout
        assert ("missing lustre.server.backend: not applicable" in done.stdout) == (form == "missing")


@pytest.mark.parametrize("content", ["", "{}", "[" * 5000, '{"schema_version": "1"}', "\0\1\2"])
def test_show_refuses_other_files(collector, content):
    (collector.cwd / "x.json").write_text(content)
    done = collector("show", "x.json")
    assert done.returncode == 1
    assert "[system." in done.stderr


def test_list_probes_names_files_and_commands_without_reading_them(node, collector):
    done = collector("list-probes", "--root", node.root, "--json")
    probes = json.loads(done.stdout)["probes"]
    assert {name for probe in probes for name in probe["provides"]} <= REGISTERED
    assert all(probe["reads"] for probe in probes)
    assert "more with: root" in collector("list-probes").stdout
