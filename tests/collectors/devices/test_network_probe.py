"""Network adapters of constructed nodes: InfiniBand, RoCE, Slingshot, Ethernet, and what belongs to which."""

import json

import pytest

from collectors.probes.network import PROBES
from tests.collectors.devices.conftest import attributes, link

(NETWORK,) = PROBES
IB = "/sys/class/infiniband/"


def adapter(name, rate="400 Gb/sec (4X NDR)", state="4: ACTIVE", layer="InfiniBand", **values):
    port = {"ports__1__rate": rate, "ports__1__state": state, "ports__1__link_layer": layer}
    secrets = {
        "node_guid": "SECRET:GUID",
        "sys_image_guid": "SECRET",
        "ports__1__lid": "0x2f",
        "ports__1__gids__0": "SECRET",
    }
    return attributes(IB + name, hca_type="MT4129", fw_ver="28.43.1014", **(port | secrets | values))


def ethernet(name, speed="25000", state="up", **values):
    address = {"address": "SE:CR:ET:00:00:01", "type": "1", "mtu": "9000"}
    return attributes(f"/sys/class/net/{name}", speed=speed, operstate=state, **(address | values))


def recorded(node, tmp_path, *commands):
    entries = [{"argv": argv, "rc": 0, "stdout": stdout} for argv, stdout in commands]
    node.recording = tmp_path / "commands.json"
    node.recording.write_text(json.dumps({"commands": entries}))
    return node


def test_two_equal_adapters_are_one_class_without_names(node):
    output = node.put(adapter("mlx5_0") | adapter("ibp202s0")).said(NETWORK)
    first, second = output.items("network")
    assert first == second
    assert first == {
        "kind": "infiniband",
        "model": "MT4129",
        "firmware": "28.43.1014",
        "rate_bit_s": 400000000000,
        "state": "active",
        "ports_active": 1,
    }
    assert output.values("nic.rate") == {400: 2}
    assert output.value("nic.injection") == 2


def test_virtual_functions_are_no_adapters_of_their_own(node):
    node.put(ethernet("ens1f0") | adapter("mlx5_0"))
    for number in range(4):
        node.put(ethernet(f"ens1f0v{number}", device__physfn__vendor="0x15b3"))
        node.put(adapter(f"mlx5_{number + 1}", device__physfn__vendor="0x15b3"))
    output = node.said(NETWORK)
    assert [item["kind"] for item in output.items("network")] == ["infiniband", "ethernet"]
    assert output.value("nic.injection") == 1


@pytest.mark.parametrize("speed", ["-1", "65535", "4294967295", "0", "fast"])
def test_an_unknown_speed_of_a_driver_is_left_out(node, speed):
    output = node.put(ethernet("eth0", speed=speed)).said(NETWORK)
    assert output.values("nic.rate") == {}
    assert output.items("network")[0].get("rate_bit_s") is None


def test_the_rate_of_a_port_that_is_down_is_ignored(node):
    output = node.put(adapter("mlx5_0", rate="40 Gb/sec (4X QDR)", state="1: DOWN")).said(NETWORK)
    (item,) = output.items("network")
    assert (item["state"], item["ports_active"], item.get("rate_bit_s")) == ("down", 0, None)
    assert output.reason("nic.rate") == "not_applicable"
    assert output.value("nic.injection") == 0


@pytest.mark.parametrize(
    ("state", "told"), [("2: INIT", "init"), ("3: ARMED", "armed"), ("5: ACTIVE_DEFER", "active_defer")]
)
def test_an_initialising_port_is_not_active(node, state, told):
    (item,) = node.put(adapter("mlx5_0", state=state)).said(NETWORK).items("network")
    assert (item["state"], item["ports_active"]) == (told, 0)


def test_one_of_two_ports_is_active(node):
    second = {"ports__2__state": "1: DOWN", "ports__2__rate": "10 Gb/sec (4X)", "ports__2__link_layer": "InfiniBand"}
    output = node.put(adapter("mlx4_0", rate="56 Gb/sec (4X FDR)", **second)).said(NETWORK)
    (item,) = output.items("network")
    assert (item["state"], item["ports_active"], item["rate_bit_s"]) == ("active", 1, 56000000000)
    assert output.values("nic.rate") == {56: 1}


def test_a_fraction_of_a_gigabit_is_kept(node):
    assert node.put(adapter("a", rate="2.5 Gb/sec (1X SDR)")).said(NETWORK).values("nic.rate") == {2.5: 1}


def test_an_adapter_in_a_slot_of_an_older_generation_shows_both_speeds(node):
    slot = {
        "device__current_link_speed": "8.0 GT/s PCIe",
        "device__current_link_width": "16",
        "device__max_link_speed": "16.0 GT/s PCIe",
        "device__max_link_width": "16",
        "device__numa_node": "3",
    }
    output = node.put(adapter("mlx5_0", **slot)).said(NETWORK)
    pcie = output.items("network")[0]["pcie"]
    assert (pcie["current_speed"], pcie["max_speed"]) == ("8.0 GT/s PCIe", "16.0 GT/s PCIe")
    assert (output.value("nic.pcie_link", "current_speed_gt_s"), output.value("nic.pcie_link", "max_speed_gt_s")) == (
        8,
        16,
    )
    assert output.value("nic.numa_node") == 3


def test_numa_node_minus_one_is_left_out(node):
    output = node.put(adapter("mlx5_0", device__numa_node="-1")).said(NETWORK)
    assert "numa_node" not in output.items("network")[0]
    assert output.reason("nic.numa_node") == "not_applicable"


def test_error_counters_of_every_port(node):
    counters = {
        f"ports__1__counters__{name}": value for name, value in [("symbol_error", 7), ("port_xmit_data", 10**12)]
    }
    output = node.put(adapter("mlx5_0", **counters) | adapter("mlx5_1", ports__1__counters__symbol_error=0)).said(
        NETWORK
    )
    assert output.values("nic.link_errors", "symbol_error") == {7: 1, 0: 1}
    assert output.values("nic.link_errors", "port_xmit_data") == {}


def test_roce_takes_its_packet_size_and_priorities_from_its_interface(node):
    link(node, IB + "mlx5_0/device", "/sys/devices/pci0/0000:41:00.0")
    node.put(attributes("/sys/devices/pci0/0000:41:00.0/net/ens1np0", mtu="9000", ifindex="4"))
    node.put(attributes("/sys/devices/pci0/0000:41:00.0/infiniband/mlx5_0", node_guid="SECRET"))
    link(node, "/sys/class/net/ens1np0/device", "/sys/devices/pci0/0000:41:00.0")
    ecn = {"ecn__roce_np__enable__3": "1", "ecn__roce_np__enable__0": "0", "qos__trust": "dscp"}
    node.put(adapter("mlx5_0", rate="100 Gb/sec (4X EDR)", layer="Ethernet", node_type="1: CA"))
    output = node.put(ethernet("ens1np0", **ecn)).said(NETWORK)
    (item,) = output.items("network")
    assert (item["kind"], item["mtu"], item["rate_bit_s"]) == ("roce", 9000, 100000000000)
    assert output.value("nic.roce", "trust") == "dscp"
    assert output.value("nic.roce", "ecn_priorities_np") == "3"
    assert output.values("nic.mtu") == {9000: 1}


def test_pause_frames_of_roce(node, tmp_path):
    node.put(adapter("mlx5_0", layer="Ethernet") | attributes(IB + "mlx5_0/device/net/ens1", ifindex=2))
    recorded(
        node,
        tmp_path,
        (["ethtool", "-a", "ens1"], "Pause parameters for ens1:\nRX:             on\nTX:             off\n"),
    )
    output = node.said(NETWORK)
    assert (output.value("nic.roce", "pause_rx"), output.value("nic.roce", "pause_tx")) == ("on", "off")


def test_roce_settings_without_the_vendor_tool_are_missing_as_disabled(node):
    assert node.put(adapter("mlx5_0", layer="Ethernet")).said(NETWORK).reason("nic.roce") == "disabled"


def test_iwarp_omnipath_and_efa_are_distinguished(node):
    for name, driver in [("hfi1_0", "hfi1"), ("rdmap1", "efa")]:
        node.put(adapter(name))
        link(node, IB + name + "/device/driver", "/sys/bus/pci/drivers/" + driver)
    node.put(adapter("irdma0", layer="Ethernet", node_type="4: RNIC"))
    kinds = [item["kind"] for item in node.said(NETWORK).items("network")]
    assert sorted(kinds) == ["efa", "omnipath", "other"]


def test_soft_roce_is_not_a_second_adapter(node):
    node.put(ethernet("eth0") | attributes("/sys/class/net/eth0/device/infiniband/rxe0", fw_ver=""))
    node.put(adapter("rxe0", layer="Ethernet"))
    (item,) = node.said(NETWORK).items("network")
    assert item["kind"] == "ethernet"


def test_virtual_rdma_devices_are_left_out(node):
    link(node, IB + "usb_rdma", "/sys/devices/virtual/infiniband/usb_rdma")
    node.put(adapter("mlx5_0")).put(adapter("usb_rdma"))
    assert len(node.said(NETWORK).items("network")) == 1


def test_ip_over_infiniband_is_no_adapter_of_its_own(node):
    node.put(adapter("mlx5_0") | ethernet("ib0", type="32", mtu="65520") | ethernet("custom", type="32"))
    (item,) = node.said(NETWORK).items("network")
    assert (item["kind"], item["mtu"]) == ("infiniband", 65520)


def test_ibstat_gives_a_state_missing_in_sysfs(node, tmp_path):
    text = "CA 'mlx5_0'\n\tCA type: MT4123\n\tFirmware version: 20.1\n\tPort 1:\n\t\tState: Active\n\t\tRate: 200\n"
    recorded(node, tmp_path, (["ibstat"], text))
    output = node.put({IB + "mlx5_0/ports/1/state": "", IB + "mlx5_0/ports/1/lid": "1"}).said(NETWORK)
    (item,) = output.items("network")
    assert (item["model"], item["firmware"], item["state"], item["rate_bit_s"]) == (
        "MT4123",
        "20.1",
        "active",
        200 * 10**9,
    )


@pytest.mark.parametrize("junk", ["lots", "", "100", "4: <b>", "9" * 5000])
def test_junk_in_a_state_is_no_state(node, junk):
    output = node.put(adapter("mlx5_0", state=junk)).said(NETWORK)
    assert "state" not in output.items("network")[0]
    assert output.reason("nic.rate") in ("parse_error", "output_limit")
    assert output.reason("nic.injection") in ("parse_error", "output_limit")


CXI = "/sys/class/cxi/"


def slingshot(name, **values):
    return attributes(CXI + name, **values)


def test_cassini_1_and_2_have_their_files_in_different_places(node):
    first = {"device__port__speed": "BS_200G", "device__port__link": "up", "device__uc__qspi_blob_version": "1.5.0"}
    second = {"device__port__0__link__speed": "CK_400G", "device__port__0__link__state": "up"}
    secrets = {"device__fru__serial_number": "SECRET", "device__properties__nid": "SECRET"}
    node.put(slingshot("cxi0", **first, **secrets) | slingshot("cxi1", **second, **secrets))
    output = node.said(NETWORK)
    assert output.values("nic.rate") == {200: 1, 400: 1}
    assert output.values("nic.cxi", "speed") == {"BS_200G": 1, "CK_400G": 1}
    assert output.value("nic.model", "firmware") == "1.5.0"
    assert "SECRET" not in repr(NETWORK.read(node.door()))


def test_the_extended_speed_of_pcie_counts(node):
    files = {
        "device__current_link_speed": "16.0 GT/s PCIe",
        "device__current_link_width": "16",
        "device__properties__current_esm_link_speed": "25.0 GT/s",
        "device__port__link": "up",
    }
    output = node.put(slingshot("cxi0", **files)).said(NETWORK)
    assert output.value("nic.pcie_link", "current_speed_gt_s") == 25
    output = node.put({CXI + "cxi0/device/properties/current_esm_link_speed": "Disabled\n"}).said(NETWORK)
    assert output.value("nic.pcie_link", "current_speed_gt_s") == 16


def test_cxi_stat_gives_only_facts_missing_in_sysfs(node, tmp_path):
    text = "Device: cxi0\n    FW Version: 9.9\n    PCIE speed/width: 16 GT/s x16\n        Link speed: BS_200G\n"
    recorded(node, tmp_path, (["cxi_stat"], text + "        Link state: up\n        Link layer retry: on\n"))
    output = node.put(slingshot("cxi0", fw_version="1.6.0.326")).said(NETWORK)
    (item,) = output.items("network")
    assert item["firmware"] == "1.6.0.326"
    assert item["pcie"] == {"current_speed": "16 GT/s", "current_width": 16}
    assert (item["state"], item["rate_bit_s"]) == ("up", 200 * 10**9)
    assert output.value("nic.cxi", "link_layer_retry") == "on"


def test_the_interface_of_a_slingshot_adapter_is_no_ethernet_adapter(node):
    node.put(slingshot("cxi0", fw_version="1") | ethernet("hsn0", speed="200000", mtu="2112"))
    (item,) = node.said(NETWORK).items("network")
    assert (item["kind"], item["rate_bit_s"], item["mtu"]) == ("slingshot", 200 * 10**9, 2112)


def test_a_slingshot_link_that_is_down_has_no_rate(node):
    output = node.put(slingshot("cxi0", device__port__speed="BS_200G", device__port__link="down")).said(NETWORK)
    assert output.reason("nic.rate") == "not_applicable"
    assert output.items("network")[0]["ports_active"] == 0


def test_slow_ports_are_administration_ports(node):
    node.put(ethernet("eth0", speed="1000") | ethernet("eth1", speed="100000") | ethernet("eth2", speed="100000"))
    output = node.said(NETWORK)
    assert output.values("nic.rate") == {1: 1, 100: 2}
    assert output.value("nic.injection") == 2


@pytest.mark.parametrize("name", ["lo", "docker0", "veth12", "bond0", "br0", "virbr0", "tun0", "ifb1", "-i", "a b"])
def test_virtual_interfaces_are_no_adapters(node, name):
    node.put(ethernet("eth0") | ethernet(name))
    assert len(node.said(NETWORK).items("network")) == 1


def test_an_interface_among_the_virtual_devices_is_no_adapter(node):
    link(node, "/sys/class/net/storage", "/sys/devices/virtual/net/storage")
    node.put(ethernet("eth0") | attributes("/sys/devices/virtual/net/storage", speed="400000", type="1"))
    assert node.said(NETWORK).values("nic.rate") == {25: 1}


def test_an_adapter_of_a_virtual_machine_has_a_carrier_and_no_rate(node):
    output = node.put(ethernet("eth0", speed="-1", state="unknown", carrier="1")).said(NETWORK)
    (item,) = output.items("network")
    assert (item["ports_active"], item.get("rate_bit_s")) == (1, None)
    assert output.reason("nic.rate") == "not_applicable"
    assert output.value("nic.injection") == 1


def on_the_bus(node, name, address, **values):
    link(node, f"/sys/class/net/{name}/device", f"/sys/devices/pci0000:40/{address}")
    node.put(attributes(f"/sys/devices/pci0000:40/{address}", **values))
    return node.put(ethernet(name))


def test_the_model_of_an_ethernet_adapter_comes_from_the_pci_database(node, tmp_path):
    on_the_bus(node, "ens1", "0000:41:00.0", vendor="0x15b3", device="0x101d", numa_node="2")
    listing = "Slot:\t41:00.0\nClass:\tEthernet controller [0200]\nVendor:\tAcme [15b3]\nDevice:\tFast 6 [101d]\n"
    driver = "driver: mlx5_core\nfirmware-version: 22.36.1010\nbus-info: 0000:41:00.0\n"
    recorded(node, tmp_path, (["lspci", "-nnmmv"], listing), (["ethtool", "-i", "ens1"], driver))
    (item,) = node.said(NETWORK).items("network")
    assert (item["model"], item["firmware"], item["numa_node"]) == ("Acme Fast 6", "22.36.1010", 2)


def test_without_the_database_the_model_is_its_number(node):
    on_the_bus(node, "ens1", "0000:41:00.0", vendor="0x15b3", device="0x101d")
    assert node.said(NETWORK).items("network")[0]["model"] == "PCI 15b3:101d"


def test_addresses_and_names_are_not_recorded(node):
    node.put(adapter("mlx5_0") | ethernet("enx00secret0") | slingshot("cxi0", fw_version="1"))
    text = repr(node.said(NETWORK).pieces)
    for secret in ("SECRET", "SE:CR:ET", "enx00secret0", "mlx5_0", "0x2f"):
        assert secret not in text


def test_a_node_without_a_network_has_no_adapter(node):
    assert not NETWORK.applies(node.put(ethernet("lo")).door())


def test_the_ip_command_replaces_missing_sysfs(node, tmp_path):
    links = [
        {"ifname": "lo", "link_type": "loopback", "mtu": 65536, "operstate": "UNKNOWN"},
        {"ifname": "docker0", "link_type": "ether", "mtu": 1500, "operstate": "UP"},
        {"ifname": "ens1", "link_type": "ether", "mtu": 9000, "operstate": "UP", "address": "SE:CR:ET"},
        {"ifname": "ens2", "link_type": "ether", "mtu": 1500, "operstate": "DOWN"},
        {"ifname": 7},
        None,
    ]
    output = recorded(node, tmp_path, (["ip", "-j", "link"], json.dumps(links))).said(NETWORK)
    assert [(item["mtu"], item["ports_active"]) for item in output.items("network")] == [(9000, 1), (1500, 0)]
    assert "SECRET" not in repr(output.pieces).replace(":", "")


def test_the_rdma_command_gives_the_state_without_ibstat(node, tmp_path):
    links = [{"ifindex": 0, "ifname": "mlx5_0", "port": 1, "state": "ACTIVE", "netdev": "ib0"}]
    recorded(node, tmp_path, (["rdma", "-j", "link"], json.dumps(links)))
    output = node.put({IB + "mlx5_0/ports/1/state": "", IB + "mlx5_0/ports/1/rate": "100 Gb/sec (4X EDR)\n"}).said(
        NETWORK
    )
    (item,) = output.items("network")
    assert (item["state"], item["rate_bit_s"]) == ("active", 100 * 10**9)


@pytest.mark.parametrize(
    ("port_type", "kind"), [("eth", "roce"), ("auto (eth)", "roce"), ("ib", "infiniband"), ("what\never", "infiniband")]
)
def test_the_type_of_the_port_gives_the_kind_of_an_old_adapter(node, port_type, kind):
    files = {IB + "mlx4_0/ports/1/state": "4: ACTIVE\n", IB + "mlx4_0/device/mlx4_port1": port_type + "\n"}
    assert node.put(files).said(NETWORK).items("network")[0]["kind"] == kind
