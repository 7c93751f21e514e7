"""Recorded nodes and real outputs; the figures are read off the files by hand."""

import json
import os
import random
import shutil
import tarfile
import tempfile
from pathlib import Path

import pytest

from collectors.node.node_access import Input, NodeAccess
from collectors.probe_results import REASONS, Fact, Missing
from collectors.probes import layout, lnet, lustre_client, lustre_filesystem, lustre_server
from collectors.probes.lustre_parameters import CLIENT_DEVICE, TARGET, get_param_values, parameter_facts, pattern_of
from tests.collectors.lustre.conftest import everything, gaps
from tests.collectors.machine.conftest import Node, Said
from tests.unpacking import extract

MODULES = (lustre_client, lustre_filesystem, lustre_server, lnet, layout)
PROBES = [probe for module in MODULES for probe in module.PROBES]
CLIENT, SERVER, HOSTILE, OTHER = "lustre-client-rhel8", "lustre-oss-e1000", "hostile", "plain-debian-nfs"


def said_of(node):
    door = node.door()
    door.test_directory = "/lustre/scratch/io500"
    return Said(piece for probe in PROBES for piece in probe.complete_output(door))


def test_the_tunables_of_the_client(recorded_node):
    output = said_of(recorded_node(CLIENT))
    client = "lustre.client."
    for name, value, instances in (
        ("osc.checksums", True, 7),
        ("osc.checksum_type", "crc32c", 7),
        ("osc.max_rpcs_in_flight", 8, 7),
        ("osc.max_dirty_mb", 2000, 7),
        ("osc.max_pages_per_rpc", 1024, 7),
        ("osc.short_io_bytes", 16384, 7),
        ("osc.idle_timeout", 20, 7),
        ("osc.resend_count", 10, 7),
        ("osc.active", True, 7),
        ("mdc.max_rpcs_in_flight", 8, 1),
        ("mdc.max_mod_rpcs_in_flight", 7, 1),
        ("llite.max_read_ahead_mb", 1024, 1),
        ("llite.max_read_ahead_per_file_mb", 256, 1),
        ("llite.max_read_ahead_whole_mb", 64, 1),
        ("llite.max_cached_mb", 32064, 1),
        ("llite.statahead_max", 32, 1),
        ("llite.parallel_dio", True, 1),
        ("llite.opencache", 5, 1),
        ("debug", "0", 1),
        ("mount_options", "flock,lazystatfs,nosuid,rw,user_xattr", 1),
    ):
        assert output.values(client + name) == {value: instances}, name
    assert output.values(client + "osc.grant") == {9699328: 6, 262144: 1}
    assert output.values(client + "osc.import", "max_brw_size_bytes") == {4194304: 7}
    assert output.values(client + "osc.import", "target_version") == {"2.10.1.0": 7}
    # One OSC has all of them: 16,389,010 writes of 1,024 pages.
    assert output.value(client + "osc.rpc_stats", "write_1024_pages") == 16389010
    assert output.value(client + "osc.rpc_stats", "read_total") == 0
    assert output.value(client + "mgs_nids", "o2ib") == 2
    assert output.value("lustre.version") == "2.15.4"
    assert output.reason(client + "llite.hybrid_io") == "unsupported_version"


def test_the_file_system_and_layout_of_the_client(recorded_node):
    output = said_of(recorded_node(CLIENT))
    assert (output.value("lustre.fs.ost_count", "visible"), output.value("lustre.fs.ost_count", "active")) == (7, 7)
    assert (output.value("lustre.fs.mdt_count", "visible"), output.value("lustre.dne")) == (1, "none")
    assert output.value("lustre.fs.capacity", "total_kib") == 283010362368
    assert output.value("lustre.fs.capacity", "used_percent") == 0
    (system,) = output.items("storage_systems")
    assert (system["usable_bytes"], system["data_targets"]) == (283010362368 * 1024, 7)
    assert output.value("lustre.layout.dom") == 1048576
    assert output.value("lustre.layout.stripe_count") == -1
    assert output.value("lustre.layout.pfl", "components") == 2
    assert output.value("lustre.layout.pfl", "component_1") == "0-1048576 mdt"
    assert output.value("lustre.layout.pfl", "component_2") == "1048576-EOF -1x4194304 raid0"


def test_lnet_of_the_client(recorded_node):
    output = said_of(recorded_node(CLIENT))
    assert output.values("lnet.lnd") == {"ko2iblnd": 1}
    # The recorded lnetctl is of another node, with two TCP interfaces.
    assert output.value("lnet.networks", "tcp") == 2
    assert output.values("lnet.ni_status", "health") == {1000: 2}
    assert output.value("ko2iblnd.peer_credits") == 8
    assert (output.value("libcfs.cpu_npartitions"), output.value("libcfs.cpu_pattern")) == (0, "N")
    assert output.value("lnet.cpu_partition_table", "partitions") == 8
    assert output.value("lnet.cpu_partition_table", "cpus_of_7") == "42-47,90-95"
    alone = said_of(recorded_node(CLIENT, commands=False))
    assert alone.value("lnet.networks", "o2ib") == 1
    assert alone.reason("lnet.ni_status") == "not_installed"


def test_the_object_storage_server(recorded_node):
    output = said_of(recorded_node(SERVER))
    server = "lustre.server."
    for name, value in (
        ("backend", "ldiskfs"),
        ("obdfilter.brw_size", 16),
        ("read_cache", False),
        ("writethrough_cache", False),
        ("sync_journal", False),
        ("degraded", False),
        ("num_exports", 129),
        ("checksum_t10pi", False),
        ("grant_compat", False),
    ):
        assert output.values(server + name) == {value: 2}, name
    assert output.value(server + "targets_per_server") == 2
    assert output.value(server + "threads", "ost_io.threads_started") == 8
    assert output.value("lustre.version") == "2.15.0.3"
    assert output.values("lnet.lnd") == {"kfilnd": 1}
    assert (output.value("lnet.networks", "kfi"), output.value("lnet.multirail")) == (2, 2)
    assert output.values("lnet.dev_cpt") == {0: 1, 4: 1}
    assert output.value("lnet.routers") == 6
    assert output.value("lnet.cpu_partition_table", "partitions") == 8
    assert output.value("kfilnd.params", "rx_cq_scale_factor") == 10
    assert output.value("libcfs.cpu_pattern") == "none"
    (system,) = output.items("storage_systems")
    assert system["targets"] == [{"kind": "data", "count": 2, "backend": "ldiskfs"}]
    assert gaps(output)["lustre.client.osc.checksums"] == "not_applicable"


def test_three_thousand_targets_and_commands_that_hang(recorded_node):
    output = said_of(recorded_node(HOSTILE))
    assert output.values("lustre.client.osc.max_rpcs_in_flight") == {8: 3000}
    assert output.value("lustre.fs.ost_count", "visible") == 3000
    assert output.values("lustre.client.mount_options") == {"rw": 1}
    assert len(json.dumps([list(map(str, piece)) for piece in output.pieces])) < 64 * 1024


def test_changes_during_a_run_are_recorded(recorded_node, shared, tmp_path):
    node = recorded_node(CLIENT, commands=False)
    changed = Node(tmp_path / "sysroot")
    shutil.copytree(node.root, changed.root, symlinks=True)
    with tarfile.open(shared / "data" / "collector" / "fakeroots" / (CLIENT + "-overlays.tar.gz")) as archive:
        extract(archive, tmp_path, filter="tar")
    (overlay,) = tmp_path.rglob("after-run-drift")
    shutil.copytree(overlay, changed.root, symlinks=True, dirs_exist_ok=True)
    before, after = everything(said_of(node)), everything(said_of(changed))
    assert set(before.items() ^ after.items()) == {
        (("lustre.client.osc.active", None, "bool", True), 7),
        (("lustre.client.osc.active", None, "bool", True), 6),
        (("lustre.client.osc.active", None, "bool", False), 1),
        (("lustre.client.osc.max_rpcs_in_flight", None, "int", 8), 7),
        (("lustre.client.osc.max_rpcs_in_flight", None, "int", 8), 6),
        (("lustre.client.osc.max_rpcs_in_flight", None, "int", 256), 1),
    }


def test_facts_of_a_node_without_lustre_have_a_reason(recorded_node):
    output = said_of(recorded_node(OTHER))
    assert output.pieces
    assert set(gaps(output).values()) == {"not_applicable"}
    assert not everything(output)


@pytest.mark.parametrize("name", [CLIENT, SERVER, HOSTILE])
def test_no_canary_address_or_name_is_recorded(recorded_node, name):
    node = recorded_node(name)
    text = repr(said_of(node).pieces)
    canaries = json.loads((node.root.parent / "canaries.json").read_text())
    leaked_words = [word for word in canaries if word in text]
    names = (
        "172.",
        "10.99",
        "@",
        "lustrefs",
        "lflood",
        "/lustre/scratch",
        "ffff88105db50000",
        "_UUID",
        "e874d9be",
        "hsn0",
    )
    assert not leaked_words + [word for word in names if word in text]


def as_nobody(root):
    """What the probes say to a user who is not root, as {"facts": [...], "gaps": {...}}."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            door = NodeAccess(str(root), None, environment={})
            output = Said(piece for probe in PROBES for piece in probe.complete_output(door))
            facts = [[*piece[:2], piece.key] for piece in output.pieces if isinstance(piece, Fact)]
            os.write(writer, json.dumps({"facts": facts, "gaps": gaps(output)}).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        data = stream.read()
    os.waitpid(child, 0)
    return json.loads(data)


@pytest.fixture
def open_folder():
    """A folder that every user can reach, which pytest's own is not."""
    folder = Path(tempfile.mkdtemp(prefix="lustre-probes-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_user_reads_most_facts_and_the_others_need_root(recorded_node, open_folder):
    node = recorded_node(CLIENT, commands=False)
    for part in ("proc", "sys/fs", "sys/module", "sys/kernel"):
        shutil.copytree(node.root / part, open_folder / part, symlinks=True)
    for path in json.loads((node.root.parent / "modes.json").read_text())["root_only_mode"]:
        place = open_folder / path.lstrip("/")
        if place.exists():
            place.chmod(0o400 if os.geteuid() == 0 else 0)
    told_to_user = as_nobody(open_folder)
    facts = {(name, key): value for name, value, key in told_to_user["facts"]}
    present = {name for name, _key in facts}
    of_root = {name for name, _key, _type, _value in everything(said_of(node))}
    assert len(present & of_root) / len(of_root) >= 0.85
    assert of_root - present == {"lustre.client.llite.max_cached_mb", "lustre.client.llite.read_ahead_stats"}
    assert {told_to_user["gaps"][name] for name in of_root - present} == {"permission_denied"}
    assert facts["lnet.cpu_partition_table", "partitions"] == 8
    assert ("lnet.cpu_partition_table", "cpus_of_0") not in facts


def test_a_closed_debugfs_denies_only_its_own_parameters(recorded_node, open_folder):
    node = recorded_node(CLIENT, commands=False)
    for part in ("proc", "sys/fs", "sys/module", "sys/kernel"):
        shutil.copytree(node.root / part, open_folder / part, symlinks=True)
    (open_folder / "sys/kernel/debug").chmod(0o700 if os.geteuid() == 0 else 0)
    try:
        missing = as_nobody(open_folder)["gaps"]
    finally:
        (open_folder / "sys/kernel/debug").chmod(0o755)
    denied = {name for name, reason in missing.items() if reason == "permission_denied"}
    client = "lustre.client.llite."
    assert denied == {client + "max_cached_mb", client + "read_ahead_stats", client + "pcc", "lnet.routers"}
    assert missing[client + "hybrid_io"] == "unsupported_version"


READERS = {
    "lctl-get_param": get_param_values,
    "lfs-getstripe": layout.stripes,
    "lfs-df": lustre_filesystem.df_table,
    "lnetctl-net-show": lnet.net_show,
    "lnetctl-export": lnet.net_show,
    "lnetctl-stats-show": lnet.net_show,
    "lctl-dl": lustre_filesystem.device_list,
}
# Sizes rounded for people, an example in comments, and counters without networks.
REFUSED = {"lfs-df/manual-h.txt", "lnetctl-export/lnet.conf-example.yaml", "lnetctl-stats-show/stats.yaml"}


def samples(shared, command):
    folder = shared / "data" / "collector" / "samples" / command
    return [path for path in sorted(folder.iterdir()) if path.name != "source.txt"]


@pytest.mark.parametrize("command", READERS)
def test_every_sample_is_read_or_refused_with_a_reason(shared, command):
    refused = set()
    for path in samples(shared, command):
        try:
            assert READERS[command](path.read_text())
        except ValueError as error:
            assert str(error)
            refused.add(f"{command}/{path.name}")
    assert refused == {name for name in REFUSED if name.startswith(command + "/")}


def test_values_of_the_samples_are_read(shared):
    def sample(name):
        return (shared / "data" / "collector" / "samples" / name).read_text()

    table = lustre_filesystem.df_table(sample("lfs-df/manual.txt"))
    assert (table["kbytestotal"], table["osts"], table["mdts"]) == (282544104, 3, 1)
    plain = layout.stripes(sample("lfs-getstripe/abci-file.txt"))
    assert (plain["stripe_count"], plain["stripe_size_bytes"], plain["components"]) == (4, 1048576, [])
    assert layout.stripes(sample("lfs-getstripe/csdc-compressed.txt"))["compression"] == "zstd:3"
    assert layout.stripes(sample("lfs-getstripe/ec-components-verbose.txt"))["mirror_count"] == 2
    assert len(layout.stripes(sample("lfs-getstripe/pfl-create_comp.txt"))["components"]) == 3
    assert lustre_filesystem.device_list(sample("lctl-dl/manual-2.txt")) == {"osc": 2, "mdc": 1}
    down = lnet.net_show(sample("lnetctl-net-show/o2ib-one-NI-down.yaml"))
    assert [interface["status"] for interface in down] == ["up", "down", "up"]
    for name in ("1cpt", "degenerate-1cpt-128c"):
        assert len(lnet.partition_table(sample(f"lctl-get_param/cpu_partition_table-{name}.txt"))) == 1


def of_lctl(parameters, device_pattern, text):
    """What the parameters say where only lctl told something."""
    raw = {pattern_of(parameter): Input(None, "not_applicable", "") for parameter in parameters}
    raw["lctl"] = Input(text, source="command")
    return Said(parameter_facts(parameters, raw, device_pattern))


@pytest.mark.parametrize(
    ("name", "exports", "writes_of_1_mib"),
    [
        ("oss+mds-es-2.14-valid_mds.txt", {4: 2, 15: 1}, {}),
        # One 1M row of each OST: 44,979,089 and 51,895,762.
        ("server-2.14.0_ddn133_quota.txt", {12: 2, 31: 1}, {96874851: 1}),
    ],
)
def test_servers_of_other_vendors_by_the_text_of_lctl(shared, name, exports, writes_of_1_mib):
    text = (shared / "data" / "collector" / "samples" / "lctl-get_param" / name).read_text()
    output = of_lctl(lustre_server.PARAMETERS, TARGET, text)
    assert output.values("lustre.server.backend") == {"ldiskfs": 3}
    assert output.values("lustre.server.num_exports") == exports
    assert output.values("lustre.server.brw_stats", "write_1M_bytes") == writes_of_1_mib
    assert "@" not in repr(output.pieces)


def test_an_older_client_by_the_text_of_lctl(shared):
    path = shared / "data" / "collector" / "samples" / "lctl-get_param" / "client-2.10-tunables.rendered.txt"
    output = of_lctl(lustre_client.PARAMETERS, CLIENT_DEVICE, path.read_text())
    assert output.values("lustre.client.osc.max_dirty_mb") == {32: 7}
    assert output.values("lustre.client.osc.checksum_type") == {"crc32c": 7}
    assert output.value("lustre.client.llite.max_cached_mb") == 32064
    assert output.value("lustre.client.llite.max_read_ahead_mb") == 64


def mutated(random_source, data):
    """One of the ways in which an output may be damaged."""
    place, width = random_source.randrange(len(data)), random_source.randrange(1, 80)
    return random_source.choice(
        (
            data[:place],
            data[:place] + data[place + width :],
            data[:place] + random_source.choice(["\0", "\ufffd" * 9, "9" * 60, "[", "-", "\n\n", ": "]) + data[place:],
            data.replace("0", random_source.choice(["x", "-1", "9" * 30, ""]), width),
            data[place:] + data[:place],
        )
    )


@pytest.mark.parametrize("command", READERS)
def test_damaged_samples_are_read_or_refused_and_nothing_else(shared, command):
    random_source = random.Random(command)
    readers = (*READERS.values(), lustre_client.import_summary, lustre_client.rpc_sizes, lustre_server.disk_sizes)
    readers += (lnet.partition_table, lnet.routers, lnet.gateways, lustre_client.client_mounts, layout.dir_stripe)
    for path in samples(shared, command):
        text = path.read_text()[:6000]
        for _ in range(60):
            damaged = mutated(random_source, text)
            for reader in readers:
                try:
                    reader(damaged)
                except ValueError as error:
                    assert str(error)


def test_every_gap_has_a_reason_of_the_list(recorded_node):
    for name in (CLIENT, SERVER, HOSTILE):
        for piece in said_of(recorded_node(name)).pieces:
            assert not isinstance(piece, Missing) or piece.reason in REASONS
