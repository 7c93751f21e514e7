"""Block devices of constructed nodes: which count, which do not, and how drives fall into classes."""

import json

import pytest

from collectors.probes.block import PROBES
from tests.collectors.devices.conftest import attributes, link

(BLOCK,) = PROBES
TERABYTE_SECTORS = 1953525168


def drive(name, size=TERABYTE_SECTORS, **values):
    queue = {"queue__scheduler": "[mq-deadline] none", "queue__rotational": "0", "queue__read_ahead_kb": "4096"}
    return attributes(f"/sys/block/{name}", size=size, **queue, **values)


def nvme(number, firmware="F1", **values):
    controller = {"model": "Acme X1  ", "firmware_rev": firmware, "transport": "pcie", "device__numa_node": "1"}
    files = attributes(f"/sys/class/nvme/nvme{number}", **controller, **values)
    return files | drive(f"nvme{number}n1")


def test_one_drive_with_another_firmware_is_a_class_of_its_own(node):
    for number in range(5):
        node.put(nvme(number, "F2" if number == 3 else "F1"))
    output = node.said(BLOCK)
    assert sorted(item["firmware"] for item in output.items("block")) == ["F1", "F1", "F1", "F1", "F2"]
    assert output.values("drive.firmware") == {"F1": 4, "F2": 1}
    assert output.values("drive.model") == {"Acme X1": 5}
    assert output.value("drive.count") == 5


def test_a_link_below_what_the_drive_can_shows_both(node):
    link_files = {
        "device__current_link_speed": "8.0 GT/s PCIe",
        "device__current_link_width": "2",
        "device__max_link_speed": "16.0 GT/s PCIe",
        "device__max_link_width": "4",
    }
    output = node.put(nvme(0, **link_files)).said(BLOCK)
    assert output.items("block")[0]["pcie"] == {
        "current_speed": "8.0 GT/s PCIe",
        "current_width": 2,
        "max_speed": "16.0 GT/s PCIe",
        "max_width": 4,
    }
    keys = ("current_speed_gt_s", "current_lanes", "max_speed_gt_s", "max_lanes")
    assert [output.value("drive.pcie_link", key) for key in keys] == [8, 2, 16, 4]


@pytest.mark.parametrize(("speed", "width"), [("Unknown", "255"), ("Unknown speed", "0"), ("", ""), ("fast", "x")])
def test_a_link_that_is_gone_is_no_link(node, speed, width):
    files = {"device__current_link_speed": speed, "device__current_link_width": width}
    output = node.put(nvme(0, **files)).said(BLOCK)
    assert "pcie" not in output.items("block")[0]
    assert output.reason("drive.pcie_link") == "not_applicable"


@pytest.mark.parametrize(
    "name",
    [
        "loop0",
        "ram3",
        "zram0",
        "sr0",
        "fd0",
        "nbd1",
        "zd16",
        "nvme0c0n1",
        "dm-0",
        "rbd0",
        "a" * 41,
        "sd\u202ea",
        "sd a",
    ],
)
def test_devices_that_are_no_drives_are_left_out(node, name):
    output = node.put(drive("sda") | drive(name)).said(BLOCK)
    assert len(output.items("block")) == 1
    assert output.value("drive.count") == 1


def test_a_drive_without_a_medium_stays_out(node):
    assert node.put(drive("sda") | drive("sdb", size=0)).said(BLOCK).value("drive.count") == 1


def test_partitions_are_not_counted(node):
    files = drive("sda") | attributes("/sys/block/sda/sda1", size=1000, partition=1)
    assert node.put(files).said(BLOCK).values("drive.capacity") == {TERABYTE_SECTORS * 512: 1}


def test_sizes_are_in_sectors_of_512_bytes_whatever_the_drives_own(node):
    files = drive("sda", size=8, queue__logical_block_size="4096", queue__physical_block_size="4096")
    output = node.put(files).said(BLOCK)
    assert output.value("drive.capacity") == 4096
    assert output.value("drive.format", "logical_block_size") == 4096


def test_two_paths_to_one_drive_are_one_drive(node):
    for name in ("sda", "sdb", "sdc", "sdd"):
        node.put(drive(name, device__vendor="ACME    ", device__model="RAID LUN        ", device__rev="0430"))
    for number, paths in enumerate([("sda", "sdb"), ("sdc", "sdd")]):
        node.put(drive(f"dm-{number}", queue__nr_requests="256"))
        for path in paths:
            node.put({f"/sys/block/dm-{number}/slaves/{path}/size": ""})
    output = node.said(BLOCK)
    assert output.value("drive.count") == 2
    assert output.values("drive.model") == {"ACME RAID LUN": 2}
    assert output.values("block.other", "multipath_paths") == {2: 2}
    assert [item.get("transport") for item in output.items("block")].count("multipath") == 2


def test_a_drive_on_a_machine_without_numa_has_no_node(node):
    output = node.put(nvme(0) | attributes("/sys/class/nvme/nvme0", device__numa_node="-1")).said(BLOCK)
    assert output.reason("drive.numa_node") == "not_applicable"


def test_a_logical_volume_is_no_multipath(node):
    node.put(drive("sda") | drive("sdb") | drive("dm-0", size=2 * TERABYTE_SECTORS - 16384))
    node.put({"/sys/block/dm-0/slaves/sda/size": "", "/sys/block/dm-0/slaves/sdb/size": ""})
    output = node.said(BLOCK)
    assert output.value("drive.count") == 2
    assert output.values("block.other", "multipath_paths") == {}


def test_an_array_is_a_class_with_its_level_and_no_drive(node):
    node.put(drive("sda") | drive("md0", size=4 * TERABYTE_SECTORS, md__level="raid6"))
    output = node.said(BLOCK)
    assert output.value("drive.count") == 1
    assert [item.get("md_level") for item in output.items("block")] == ["raid6", None]
    assert output.values("block.scheduler") == {"mq-deadline": 2}


def test_settings_of_the_queue(node):
    queue = {
        "queue__max_sectors_kb": "1024",
        "queue__max_hw_sectors_kb": "32767",
        "queue__nr_requests": "256",
        "queue__write_cache": "write back",
        "queue__nomerges": "2",
        "queue__wbt_lat_usec": "-1",
        "device__queue_depth": "64",
    }
    output = node.put(drive("sda", **queue)).said(BLOCK)
    assert output.value("block.max_sectors_kb", "max_sectors_kb") == 1024
    assert output.value("block.max_sectors_kb", "max_hw_sectors_kb") == 32767
    assert output.value("block.nr_requests") == 256
    assert output.value("block.read_ahead_kb") == 4096
    assert output.value("block.write_cache") == "write back"
    assert output.value("block.other", "nomerges") == 2
    assert output.value("block.other", "wbt_lat_usec") == -1
    assert output.value("block.other", "queue_depth") == 64
    assert output.items("block")[0]["queue"]["scheduler"] == "mq-deadline"


@pytest.mark.parametrize(
    ("line", "chosen"),
    [("none", "none"), ("noop [deadline] cfq", "deadline"), ("[none] mq-deadline", "none"), ("<b>", None), ("", None)],
)
def test_the_scheduler_in_use(node, line, chosen):
    output = node.put(drive("sda") | {"/sys/block/sda/queue/scheduler": line}).said(BLOCK)
    assert output.values("block.scheduler") == ({chosen: 1} if chosen else {})
    if chosen is None:
        assert output.reason("block.scheduler") == "parse_error"


@pytest.mark.parametrize("junk", ["9" * 30, "lots", "-5", "1 2", "0x10", "\0\1\2", "ä"])
def test_junk_in_a_number_is_no_number(node, junk):
    output = node.put(drive("sda") | {"/sys/block/sda/queue/nr_requests": junk}).said(BLOCK)
    assert output.reason("block.nr_requests") == "parse_error"


def test_the_transport_of_a_drive_is_read(node):
    ways = {
        "sda": "/sys/devices/pci0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0/block/sda",
        "sdb": "/sys/devices/pci0/ata3/host2/target2:0:0/2:0:0:0/block/sdb",
        "sdc": "/sys/devices/pci0/host5/rport-5:0-1/target5:0:0/5:0:0:0/block/sdc",
        "vda": "/sys/devices/pci0/virtio1/block/vda",
    }
    for name, place in ways.items():
        link(node, f"/sys/block/{name}", place)
        node.put(drive(name))
    output = node.said(BLOCK)
    assert [item["transport"] for item in output.items("block")] == ["sas", "sata", "fc", "virtio"]


def test_a_virtual_drive_has_no_rotation_fact(node):
    assert node.put(drive("vda")).said(BLOCK).reason("drive.media_type") == "not_applicable"
    output = node.put(drive("sdb") | nvme(0)).said(BLOCK)
    assert output.values("drive.media_type") == {"ssd": 1, "nvme": 1}


def test_a_remote_drive_over_tcp_is_not_taken_for_a_local_one(node):
    output = node.put(nvme(0) | {"/sys/class/nvme/nvme0/transport": "tcp\n"}).said(BLOCK)
    assert output.items("block")[0]["transport"] == "nvme-tcp"
    assert output.reason("drive.media_type") == "not_applicable"


def test_with_multipathing_of_nvme_the_model_is_the_controllers(node):
    # The namespace hangs below a subsystem that has links to its controllers; their numbers need not be the same.
    link(node, "/sys/block/nvme7n1/device", "/sys/class/nvme-subsystem/nvme-subsys7")
    link(node, "/sys/class/nvme-subsystem/nvme-subsys7/nvme2", "/sys/devices/pci0/nvme/nvme2")
    node.put(attributes("/sys/devices/pci0/nvme/nvme2", model="Acme X3", firmware_rev="F3", device__numa_node="0"))
    node.put(attributes("/sys/class/nvme/nvme7", model="Another", firmware_rev="F9"))
    output = node.put(drive("nvme7n1")).said(BLOCK)
    assert (output.value("drive.model"), output.value("drive.firmware"), output.value("drive.numa_node")) == (
        "Acme X3",
        "F3",
        0,
    )


def test_without_multipathing_the_namespaces_are_beside_the_model(node):
    link(node, "/sys/block/nvme0n1", "/sys/devices/pci0/nvme/nvme0/nvme0n1")
    link(node, "/sys/devices/pci0/nvme/nvme0/nvme0n1/device", "/sys/devices/pci0/nvme/nvme0")
    node.put(attributes("/sys/devices/pci0/nvme/nvme0", model="Acme X4", firmware_rev="F4", transport="pcie"))
    output = node.put(drive("nvme0n1")).said(BLOCK)
    assert (output.value("drive.model"), output.value("drive.firmware")) == ("Acme X4", "F4")


def recorded(node, tmp_path, argv, stdout):
    node.recording = tmp_path / "commands.json"
    node.recording.write_text(json.dumps({"commands": [{"argv": argv, "rc": 0, "stdout": stdout}]}))
    return node


def test_the_nvme_command_gives_a_model_missing_in_sysfs(node, tmp_path):
    listing = {
        "Devices": [{"DevicePath": "/dev/nvme0n1", "ModelNumber": "Acme X1", "Firmware": "F1", "SerialNumber": "S"}]
    }
    recorded(node, tmp_path, ["nvme", "list", "-o", "json"], json.dumps(listing))
    output = node.put(drive("nvme0n1")).said(BLOCK)
    assert (output.value("drive.model"), output.value("drive.firmware")) == ("Acme X1", "F1")


def test_lsblk_gives_a_scsi_model_missing_in_sysfs(node, tmp_path):
    devices = [
        {"name": "sda", "vendor": "ACME    ", "model": "H1", "rev": "A0", "tran": "sas", "serial": "SECRET"},
        3,
        {},
    ]
    recorded(node, tmp_path, ["lsblk", "-J", "-O", "-b"], json.dumps({"blockdevices": devices}))
    output = node.put(drive("sda")).said(BLOCK)
    assert (output.value("drive.model"), output.value("drive.firmware")) == ("ACME H1", "A0")
    assert output.items("block")[0]["transport"] == "sas"
    assert "SECRET" not in repr(output.pieces)


def test_root_sees_failed_paths(node, tmp_path):
    text = (
        "mpatha (360000000000000000e00000000010001) dm-0 ACME,LUN\nsize=1T features='0' hwhandler='0' wp=rw\n"
        "|-+- policy='service-time 0' prio=1 status=active\n| `- 3:0:0:0 sda 8:0  active ready running\n"
        "`-+- policy='service-time 0' prio=1 status=enabled\n  `- 4:0:0:0 sdb 8:16 failed faulty running\n"
    )
    recorded(node, tmp_path, ["multipath", "-ll"], text)
    node.put(drive("sda") | drive("sdb") | drive("dm-0") | {"/sys/module/dm_multipath/refcnt": "1"})
    node.put({"/sys/block/dm-0/slaves/sda/size": "", "/sys/block/dm-0/slaves/sdb/size": ""})
    output = node.said(BLOCK)
    assert output.values("block.other", "multipath_paths") == {2: 1}
    assert output.values("block.other", "multipath_paths_failed") == {1: 1}


def test_an_invalid_listing_removes_no_fact(node, tmp_path):
    recorded(node, tmp_path, ["nvme", "list", "-o", "json"], "{")
    output = node.put(drive("nvme0n1")).said(BLOCK)
    assert output.value("drive.count") == 1
    assert output.reason("drive.model") == "not_applicable"


def test_serial_numbers_and_names_are_never_read(node):
    node.put(nvme(0, serial="SECRET1", wwid="eui.SECRET2", nguid="SECRET3"))
    node.put(attributes("/sys/block/nvme0n1", wwid="SECRET4", uuid="SECRET5", nguid="SECRET6"))
    node.put(drive("sda", device__vpd_pg80="SECRET7", device__wwid="SECRET8", serial="SECRET9"))
    node.put({"/sys/block/dm-0/dm/uuid": "mpath-SECRET", "/sys/block/dm-0/dm/name": "SECRET"})
    door = node.door()
    raw = BLOCK.read(door)
    assert "SECRET" not in repr(raw)
    assert "nvme0n1" not in repr(node.said(BLOCK).pieces)


def test_a_node_without_block_devices_has_none(node):
    assert not BLOCK.applies(node.door())
    assert not BLOCK.applies(node.put(drive("loop0")).door())


def test_an_unreadable_size_is_missing_with_a_reason(node):
    (node.root / "sys/block").mkdir(parents=True)
    (node.root / "sys/block/sda").symlink_to("sda")
    output = node.said(BLOCK)
    assert {output.reason(name) for name in BLOCK.provides} == {"parse_error"}
    assert output.items("block") == []
