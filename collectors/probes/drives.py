"""Drives among the block devices: model, firmware, size, format, PCIe link, and how they are attached; pure."""

import re
from collections import namedtuple

from collectors.outputs import lsblk, nvme
from collectors.probe_results import Fact
from collectors.probes import command_answers, sysfs

NVME = re.compile(r"nvme(\d+)n\d+")
SECTOR_BYTES = 512

Listed = namedtuple("Listed", "vendor model firmware sector_bytes transport")
Listed.__doc__ = "What a command says of a drive, for where sysfs does not; None where it does not either."
UNLISTED = Listed(None, None, None, None, None)

# The file that would have told.
FILES = (
    ("drive.model", "drive/model"),
    ("drive.firmware", "drive/firmware_rev"),
    ("drive.capacity", "size"),
    ("drive.media_type", "queue/rotational"),
    ("drive.numa_node", "drive/device/numa_node"),
    ("drive.format", "queue/logical_block_size"),
    ("drive.pcie_link", "drive/device/current_link_speed"),
)

# How a drive is attached, by a folder on the way to it.
ATTACHED = (
    (re.compile(r"/nvme"), "nvme"),
    (re.compile(r"/(end_device|sas_)"), "sas"),
    (re.compile(r"/ata\d+/"), "sata"),
    (re.compile(r"/rport-"), "fc"),
    (re.compile(r"/session\d+/"), "iscsi"),
    (re.compile(r"/usb\d+/"), "usb"),
    (re.compile(r"/virtio\d+/|/vd[a-z]+$"), "virtio"),
    (re.compile(r"/xvd[a-z]+$"), "xen"),
)


def size_bytes(inputs):
    return (sysfs.count(inputs, "size") or 0) * SECTOR_BYTES


def listed_drives(raw):
    """{device: Listed} of what commands say, where they were asked and gave a listing."""
    drives_by_name = {}
    for name, drive in command_answers.read(raw.get("lsblk"), lsblk.devices, {}).items():
        drives_by_name[name] = Listed(drive.vendor, drive.model, drive.firmware, None, drive.transport)
    for name, drive in command_answers.read(raw.get("nvme list"), nvme.drives, {}).items():
        drives_by_name[name] = Listed(None, drive.model, drive.firmware, drive.sector_bytes, None)
    return drives_by_name


def drive_of(name, inputs, listed):
    """What the document says of a drive, None where not known."""
    listed_drive = listed.get(name, UNLISTED)
    model = sysfs.text(inputs, "drive/model") or listed_drive.model
    vendor = sysfs.text(inputs, "drive/vendor") or listed_drive.vendor
    firmware = sysfs.text(inputs, "drive/firmware_rev") or sysfs.text(inputs, "drive/rev") or listed_drive.firmware
    return {
        "model": vendor + " " + model if vendor and model and vendor != "ATA" else model,
        "firmware": firmware,
        "bytes": size_bytes(inputs),
        "rotational": rotational(inputs),
        "transport": transport(name, inputs) or listed_drive.transport,
        "pcie": sysfs.pcie(inputs, "drive/device/"),
        "numa_node": sysfs.count(inputs, "drive/device/numa_node"),
        "logical_block_size": sysfs.count(inputs, "queue/logical_block_size") or listed_drive.sector_bytes,
        "physical_block_size": sysfs.count(inputs, "queue/physical_block_size"),
    }


def rotational(inputs):
    return {"0": False, "1": True}.get(sysfs.text(inputs, "queue/rotational"))


def transport(name, inputs):
    """nvme, nvme-tcp, sas, sata, ...; None where neither the name nor the way to the device tells."""
    if NVME.fullmatch(name):
        over = sysfs.text(inputs, "drive/transport")
        return "nvme-" + over if over in ("tcp", "rdma", "fc", "loop") else "nvme"
    if name.startswith("dm-"):
        return "multipath"
    way = inputs["link"].text
    return next((word for pattern, word in ATTACHED if pattern.search(way)), None)


def media_type(drive):
    """Virtual drives, and those that another node hands out, say what they were told to say: not a fact."""
    if drive["transport"] in ("virtio", "xen", "iscsi") or (drive["transport"] or "").startswith("nvme-"):
        return None
    if drive["transport"] == "nvme":
        return "nvme"
    return {True: "hdd", False: "ssd"}.get(drive["rotational"])


def facts_of_drives(drives, inputs):
    """What each drive tells, and the reason of what none tells."""
    drive_facts = [
        Fact(name, value, "sysfs", key)
        for drive in drives
        for name, key, value in drive_values(drive)
        if value is not None
    ]
    drive_facts.append(Fact("drive.count", len(drives), "sysfs"))
    fact_ids = {fact.id for fact in drive_facts}
    for name, file in FILES:
        if name not in fact_ids:
            drive_facts.append(
                sysfs.missing(
                    name, [drive_inputs[file] for drive_inputs in inputs if file in drive_inputs], "not_applicable"
                )
            )
    return drive_facts


def drive_values(drive):
    """(id, key of a map, value) of one drive."""
    yield "drive.model", None, drive["model"]
    yield "drive.firmware", None, drive["firmware"]
    yield "drive.capacity", None, drive["bytes"]
    yield "drive.media_type", None, media_type(drive)
    yield "drive.numa_node", None, drive["numa_node"]
    yield "drive.format", "logical_block_size", drive["logical_block_size"]
    yield "drive.format", "physical_block_size", drive["physical_block_size"]
    for key, value in sysfs.link_values(drive["pcie"]):
        yield "drive.pcie_link", key, value
