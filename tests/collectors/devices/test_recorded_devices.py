"""The probes of devices on whole recorded nodes; the figures are read off the nodes' files by hand."""

import pytest

from collectors.probes import block, drive_health, interrupts, net_sysctl, network, nvme, raid, sas

PROBES = [
    probe
    for module in (block, drive_health, interrupts, net_sysctl, network, nvme, raid, sas)
    for probe in module.PROBES
]
(BLOCK,), (NETWORK,), (RAID,), (SAS,) = block.PROBES, network.PROBES, raid.PROBES, sas.PROBES
(SYSCTL,), (HEALTH,) = net_sysctl.PROBES, drive_health.PROBES
CLIENT, SERVER, VIRTUAL, HOSTILE = "lustre-client-rhel8", "lustre-oss-e1000", "plain-debian-nfs", "hostile"


def test_twenty_three_drives_and_one_with_another_firmware(recorded_node):
    output = recorded_node(SERVER).said(BLOCK)
    assert output.values("drive.firmware") == {"EPK9CB5Q": 23, "EPK98B5Q": 1}
    assert output.values("drive.model") == {"SAMSUNG MZWLJ15THALA-00007": 24}
    assert output.value("drive.count") == 24
    assert output.values("drive.capacity") == {15362991415296: 24}
    assert output.values("drive.numa_node") == {0: 12, 1: 12}
    assert output.values("drive.pcie_link", "current_lanes") == {2: 24}
    assert output.values("drive.pcie_link", "max_lanes") == {4: 24}
    classes = {item["firmware"] for item in output.items("block")}
    assert classes == {"EPK9CB5Q", "EPK98B5Q"}
    assert [item["firmware"] for item in output.items("block")].count("EPK98B5Q") == 1


def test_the_queues_of_the_server(recorded_node):
    output = recorded_node(SERVER).said(BLOCK)
    assert output.values("block.scheduler") == {"none": 24}
    assert output.values("block.max_sectors_kb", "max_sectors_kb") == {128: 24}
    assert output.values("block.nr_requests") == {1023: 24}
    assert output.values("block.write_cache") == {"write through": 24}
    assert output.values("drive.format", "logical_block_size") == {4096: 24}
    assert output.items("block")[0]["transport"] == "nvme"


def test_the_array_of_the_server_with_its_vendors_personality(recorded_node):
    output = recorded_node(SERVER).said(RAID)
    assert output.value("raid.layout", "level") == "gridraid"
    assert output.value("raid.layout", "algorithm") == 1003
    assert output.value("raid.drives_per_target") == 12
    assert output.value("raid.chunk") == 128 * 1024
    assert output.value("raid.state") == "clean"


def test_the_two_slingshot_adapters_of_the_server(recorded_node):
    output = recorded_node(SERVER).said(NETWORK)
    items = output.items("network")
    assert [(item["kind"], item["numa_node"], item["mtu"]) for item in items] == [
        ("slingshot", 0, 9000),
        ("slingshot", 1, 9000),
    ]
    assert {item["firmware"] for item in items} == {"1.6.0.326"}
    assert output.values("nic.rate") == {200: 2}
    assert output.value("nic.injection") == 2
    assert output.values("nic.pcie_link", "current_lanes") == {16: 2}
    assert output.values("nic.cxi", "link_layer_retry") == {"on": 2}


def test_without_commands_the_rate_of_slingshot_is_that_of_its_interface(recorded_node):
    output = recorded_node(SERVER, commands=False).said(NETWORK)
    assert output.values("nic.rate") == {200: 2}
    assert output.reason("nic.cxi") == "not_installed"


def test_the_driver_of_the_servers_sas_adapter(recorded_node):
    output = recorded_node(SERVER).said(SAS)
    assert output.value("sas.max_sgl_entries") == 128
    assert output.reason("sas.driver") == "not_installed"
    assert output.reason("sas.link_rate") == "not_applicable"


def test_wear_is_missing_without_a_tool_that_reads_it(recorded_node):
    assert recorded_node(SERVER).said(HEALTH).reason("drive.wear") == "not_installed"


def test_the_adapter_of_the_client_runs_below_its_maximum(recorded_node):
    output = recorded_node(CLIENT).said(NETWORK)
    (infiniband,) = [item for item in output.items("network") if item["kind"] == "infiniband"]
    assert infiniband == {
        "kind": "infiniband",
        "model": "MT4123",
        "firmware": "20.35.2000",
        "rate_bit_s": 100 * 10**9,
        "state": "active",
        "ports_active": 1,
        "mtu": 2044,
        "numa_node": 1,
        "pcie": {
            "current_speed": "8.0 GT/s PCIe",
            "current_width": 16,
            "max_speed": "16.0 GT/s PCIe",
            "max_width": 16,
        },
    }
    assert output.value("nic.model", "board") == "MT_0000000224"
    assert output.value("nic.pcie_link", "current_speed_gt_s") < output.value("nic.pcie_link", "max_speed_gt_s")
    assert output.values("nic.rate") == {100: 1, 10: 1}
    assert output.value("nic.injection") == 1
    assert output.values("nic.link_errors", "port_xmit_wait") == {0: 1}


def test_the_clients_drives(recorded_node):
    output = recorded_node(CLIENT).said(BLOCK)
    assert output.values("drive.capacity") == {960197124096: 1, 480103981056: 1}
    assert output.values("block.scheduler") == {"none": 1, "bfq": 1}
    assert output.values("drive.media_type") == {"nvme": 1, "hdd": 1}
    assert output.reason("drive.pcie_link") == "not_applicable"


def test_the_clients_tcp_tunables(recorded_node):
    output = recorded_node(CLIENT).said(SYSCTL)
    assert output.value("net.sysctl", "net.core.rmem_max") == 212992
    assert output.value("net.sysctl", "net.ipv4.tcp_rmem") == "4096 87380 6291456"


def test_the_virtual_machines_drive(recorded_node):
    output = recorded_node(VIRTUAL).said(BLOCK)
    assert output.values("drive.capacity") == {536870912 * 512: 1}
    assert output.value("block.scheduler") == "mq-deadline"
    assert output.value("block.read_ahead_kb") == 8192
    assert output.reason("drive.media_type") == "not_applicable"


def test_the_ip_command_gives_interfaces_missing_in_sysfs(recorded_node):
    output = recorded_node(VIRTUAL).said(NETWORK)
    assert output.items("network") == [{"kind": "ethernet", "state": "up", "ports_active": 1, "mtu": 1400}]
    assert output.reason("nic.rate") == "not_applicable"
    silent = recorded_node(VIRTUAL, commands=False).said(NETWORK)
    assert {silent.reason(name) for name in NETWORK.provides} == {"not_installed"}


def test_missing_facts_of_the_hostile_node_have_reasons(recorded_node):
    node = recorded_node(HOSTILE)
    drives = node.said(BLOCK)
    assert {drives.reason(name) for name in BLOCK.provides} == {"parse_error"}
    network = node.said(NETWORK)
    assert network.items("network") == [{"kind": "infiniband"}]
    assert (network.reason("nic.rate"), network.reason("nic.injection")) == (
        "parse_error",
        "parse_error",
    )


@pytest.mark.parametrize("name", [CLIENT, SERVER, VIRTUAL, HOSTILE])
@pytest.mark.parametrize("commands", [True, False])
def test_no_serial_number_and_no_address_is_recorded(recorded_node, name, commands):
    node = recorded_node(name, commands)
    text = repr([node.said(probe).pieces for probe in PROBES if probe.applies(node.door())])
    serials = [path.read_text().strip() for path in node.root.glob("sys/class/nvme/*/serial")]
    addresses = [path.read_text().strip() for path in node.root.glob("sys/class/net/*/address")]
    guids = [path.read_text().strip() for path in node.root.glob("sys/class/infiniband/*/node_guid")]
    for secret in [*serials, *addresses, *guids, "CANARY", "HJ20110019", "85c5b164", "192246"]:
        assert secret not in text


@pytest.mark.parametrize("name", [CLIENT, SERVER, VIRTUAL, HOSTILE])
def test_every_parameter_of_a_probe_is_recorded_or_missing(recorded_node, name):
    node = recorded_node(name)
    for probe in PROBES:
        if probe.applies(node.door()):
            ids = {piece.id for piece in node.said(probe).pieces if hasattr(piece, "id")}
            assert ids == set(probe.provides)
