"""Nodes whose files hold anything at all: no probe of devices raises, and what it says is fit for a document."""

import random

import pytest

from collectors.probe_results import REASONS, Fact, Item, Missing
from collectors.probes import block, drive_health, interrupts, net_sysctl, network, nvme, raid, sas
from tests.collectors.devices.conftest import attributes

PROBES = [
    probe
    for module in (block, drive_health, interrupts, net_sysctl, network, nvme, raid, sas)
    for probe in module.PROBES
]
JUNK = [
    "",
    "\n",
    "-1",
    "9" * 19,
    "9" * 400,
    "0x7f",
    "1e400",
    "NaN",
    "\x1b[2J\x07",
    "\u202e4: ACTIVE",
    "4: ACTIVE\n4: ACTIVE",
    "٣",
    "²",
    "[[[none]]]",
    "[" * 3000,
    "<script>alert(1)</script>",
    "$(reboot)",
    "md0 : active raid6 sda[0]\n x [0/0]",
    "md0 : active raid6 sda[0]\n x 0k chunk [7/9]",
    "16.0 GT/s PCIe",
    "999.9 GT/s",
    "400 Gb/sec (4X NDR)",
    "12.0 Gbit",
    "0",
    "1",
]


def whole_node():
    pcie = {"device__current_link_speed": "", "device__current_link_width": "", "device__max_link_speed": ""}
    queue = {f"queue__{name}": "" for name in block.QUEUE_FILES}
    scsi = {f"device__{name}": "" for name in block.SCSI_FILES}
    ports = {f"ports__{number}__{name}": "" for number in (1, 2) for name in ("state", "rate", "link_layer")}
    files = attributes("/sys/block/sda", size="", **queue, **scsi)
    files |= attributes("/sys/block/nvme0n1", size="", **queue)
    files |= attributes(
        "/sys/block/md0", size="", **{f"md__{name}": "" for name in ("level", "raid_disks", "degraded")}
    )
    files |= attributes("/sys/block/md0", md__array_state="", md__chunk_size="", md__sync_action="")
    files |= attributes("/sys/block/dm-0", size="", slaves__sda="")
    files |= attributes("/sys/class/nvme/nvme0", model="", firmware_rev="", transport="", device__numa_node="", **pcie)
    files |= attributes("/sys/class/infiniband/mlx5_0", hca_type="", fw_ver="", node_type="", **ports, **pcie)
    files |= attributes("/sys/class/infiniband/mlx5_0", ports__1__counters__symbol_error="", device__net__ens1__x="")
    files |= attributes("/sys/class/infiniband/mlx5_0", device__msi_irqs__7="")
    files |= attributes("/sys/class/cxi/cxi0", fw_version="", device__port__speed="", device__port__link="", **pcie)
    files |= attributes("/sys/class/net/ens1", mtu="", ecn__roce_np__enable__1="", qos__trust="")
    files |= attributes("/sys/class/net/eth0", operstate="", speed="", mtu="", device__vendor="", **pcie)
    files |= attributes("/sys/class/scsi_host/host0", board_name="", version_fw="")
    files |= attributes("/sys/class/sas_phy/phy-0:0", negotiated_linkrate="")
    files |= attributes("/sys/class/enclosure/0:0", components="", device__vendor="", device__model="")
    files |= attributes("/sys/module/mpt3sas", version="", parameters__max_sgl_entries="")
    files |= attributes("/sys/module/nvme_core/parameters", io_timeout="")
    files |= attributes("/proc/sys/net/ipv4", tcp_rmem="", tcp_congestion_control="")
    files |= {"/proc/irq/7/smp_affinity_list": "", "/proc/mdstat": "", "/proc/spl/kstat/zfs/tank/state": ""}
    return files


@pytest.mark.parametrize("seed", range(20))
def test_every_parameter_is_a_fact_or_missing_for_damaged_files(node, seed):
    chance = random.Random(seed)
    node.put({path: chance.choice(JUNK) for path in sorted(whole_node())})
    for probe in PROBES:
        if not probe.applies(node.door()):
            continue
        pieces = node.said(probe).pieces
        assert {piece.id for piece in pieces if not isinstance(piece, Item)} == set(probe.provides)
        for piece in pieces:
            if isinstance(piece, Fact):
                assert sound(piece.value), piece
            elif isinstance(piece, Missing):
                assert piece.reason in REASONS
            else:
                assert all(sound(value) for value in leaves(piece.value)), piece


def sound(value):
    if isinstance(value, bool):
        return True
    if isinstance(value, str):
        return 0 < len(value) <= 120 and value.isprintable()
    return isinstance(value, int | float) and abs(value) < 2**63


def leaves(value):
    return [leaf for child in value.values() for leaf in leaves(child)] if isinstance(value, dict) else [value]
