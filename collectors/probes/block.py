"""Block devices: their queue settings, and the drives among them with model, firmware, size and PCIe link."""

import re

from collectors.door import Input
from collectors.facts import Fact, Item
from collectors.outputs import nvme
from collectors.probes import Probe, sysfs

# Neither drives nor arrays of drives. Partitions are not listed in /sys/block at all.
NOT_STORAGE = re.compile(r"(loop|ram|zram|sr|fd|nbd|zd|mtdblock|rbd|drbd)\d+|.*[^\w.-].*|nvme\d+c\d+n\d+|.{41,}")
STACKED = re.compile(r"(md|dm-)")
NVME = re.compile(r"nvme(\d+)n\d+")
CONTROLLER = re.compile(r"nvme\d+")
MAX_DEVICES = 2048
SECTOR_BYTES = 512

QUEUE_FILES = (
    "scheduler max_sectors_kb max_hw_sectors_kb nr_requests read_ahead_kb write_cache rotational logical_block_size "
    "physical_block_size nomerges rq_affinity wbt_lat_usec discard_max_bytes io_poll max_segments"
).split()
SCSI_FILES = ("vendor", "model", "rev", "queue_depth")
NVME_FILES = ("model", "firmware_rev", "transport", "device/numa_node") + tuple(
    "device/" + name for name in sysfs.PCIE_FILES
)
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


def scheduler(inputs, name):
    """The one in use of `mq-deadline [none] kyber`; a device that cannot choose says `none` without brackets."""
    line = sysfs.text(inputs, name) or ""
    chosen = re.search(r"\[([A-Za-z0-9_-]{1,40})\]", line)
    return chosen.group(1) if chosen else line if re.fullmatch(r"[A-Za-z0-9_-]{1,40}", line) else None


def write_cache(inputs, name):
    line = sysfs.text(inputs, name)
    return line if line in ("write back", "write through") else None


# (id, key of a map, file, its reader)
SETTINGS = (
    ("block.scheduler", None, "queue/scheduler", scheduler),
    ("block.max_sectors_kb", "max_sectors_kb", "queue/max_sectors_kb", sysfs.count),
    ("block.max_sectors_kb", "max_hw_sectors_kb", "queue/max_hw_sectors_kb", sysfs.count),
    ("block.nr_requests", None, "queue/nr_requests", sysfs.count),
    ("block.read_ahead_kb", None, "queue/read_ahead_kb", sysfs.count),
    ("block.write_cache", None, "queue/write_cache", write_cache),
    ("block.other", "nomerges", "queue/nomerges", sysfs.count),
    ("block.other", "rq_affinity", "queue/rq_affinity", sysfs.count),
    ("block.other", "wbt_lat_usec", "queue/wbt_lat_usec", sysfs.number),
    ("block.other", "discard_max_bytes", "queue/discard_max_bytes", sysfs.count),
    ("block.other", "io_poll", "queue/io_poll", sysfs.count),
    ("block.other", "max_segments", "queue/max_segments", sysfs.count),
    ("block.other", "queue_depth", "drive/queue_depth", sysfs.count),
)
IN_GROUP = ("scheduler", "max_sectors_kb", "nr_requests", "read_ahead_kb", "write_cache", "logical_block_size")


class Block(Probe):
    """Drives, software RAID arrays and multipath devices; everything that is stacked in other ways stays out."""

    id = "block"
    provides = tuple(sorted({setting[0] for setting in SETTINGS})) + (
        "drive.model",
        "drive.firmware",
        "drive.count",
        "drive.capacity",
        "drive.pcie_link",
        "drive.numa_node",
        "drive.format",
        "drive.media_type",
    )
    reads = (
        "/sys/block/*/size",
        "/sys/block/*/slaves",
        "/sys/block/*/queue/{%s}" % ",".join(QUEUE_FILES),
        "/sys/block/*/device/{%s}" % ",".join(SCSI_FILES),
        "/sys/block/md*/md/level",
        "/sys/class/nvme/*/{%s}" % ",".join(NVME_FILES),
        "nvme list -o json (where a drive does not tell its model)",
    )

    def applies(self, door):
        return bool(device_names(door))

    def read(self, door):
        raw = {name: read_device(door, name) for name in device_names(door)}
        if any(NVME.fullmatch(name) and sysfs.text(inputs, "drive/model") is None for name, inputs in raw.items()):
            raw["nvme list"] = door.command(["nvme", "list", "-o", "json"])
        return raw

    def parse(self, raw):
        listed = listed_drives(raw.get("nvme list"))
        devices = {name: inputs for name, inputs in raw.items() if name != "nvme list" and size_bytes(inputs)}
        if not devices:
            sizes = [inputs["size"] for name, inputs in raw.items() if name != "nvme list"]
            for name in self.provides:
                yield sysfs.missing(name, sizes, "not_applicable")
            return
        paths = multipath(devices)
        hidden = {path for slaves in paths.values() for path in slaves[1:]}
        hidden |= {name for name in devices if name.startswith("dm-") and name not in paths}
        shown = {name: inputs for name, inputs in devices.items() if name not in hidden}
        drives = [drive_of(name, inputs, listed) for name, inputs in shown.items() if not STACKED.match(name)]
        for name, inputs in shown.items():
            yield Item("block", group_of(name, inputs, listed))
        for piece in settings(list(shown.values())):
            yield piece
        for slaves in paths.values():
            yield Fact("block.other", len(slaves), "sysfs", "multipath_paths")
        for piece in drive_facts(drives, [shown[name] for name in shown if not STACKED.match(name)]):
            yield piece


def device_names(door):
    return [name for name in door.names("/sys/block") if not NOT_STORAGE.fullmatch(name)][:MAX_DEVICES]


def read_device(door, name):
    """{attribute: Input} of one device: `queue/...`, `drive/...` of what is behind it, size, and where it hangs."""
    folder = "/sys/block/" + name
    inputs = sysfs.attributes(door, folder, ["size"] + ["queue/" + file for file in QUEUE_FILES])
    inputs["link"] = Input(door.link(folder) or "", None, "", "sysfs")
    if name.startswith("md"):
        inputs["md/level"] = door.file(folder + "/md/level")
    elif name.startswith("dm-"):
        inputs["slaves"] = Input("\n".join(door.names(folder + "/slaves")), None, "", "sysfs")
    else:
        files = NVME_FILES if NVME.fullmatch(name) else SCSI_FILES
        for file, found in sysfs.attributes(door, behind(door, name), files).items():
            inputs["drive/" + file] = found
    return inputs


def behind(door, name):
    """The folder of the drive behind a block device. NVMe multipathing puts a subsystem before the controllers."""
    folder = "/sys/block/%s/device" % name
    nvme_number = NVME.fullmatch(name)
    if not nvme_number:
        return folder
    inside = door.names(folder)
    controllers = [entry for entry in inside if CONTROLLER.fullmatch(entry)]
    if controllers:
        return folder + "/" + controllers[0]
    return folder if inside else "/sys/class/nvme/nvme" + nvme_number.group(1)


def listed_drives(listing):
    try:
        return nvme.drives(listing.text) if listing is not None and listing.text is not None else {}
    except ValueError:
        return {}


def size_bytes(inputs):
    return (sysfs.count(inputs, "size") or 0) * SECTOR_BYTES


def multipath(devices):
    """{device mapper's device: its paths}. A map is as large as each of its paths; a logical volume never is."""
    found = {}
    for name, inputs in devices.items():
        slaves = inputs["slaves"].text.split() if name.startswith("dm-") else []
        sizes = {size_bytes(devices[slave]) if slave in devices else 0 for slave in slaves}
        if sizes == {size_bytes(inputs)} and not any(STACKED.match(slave) for slave in slaves):
            found[name] = slaves
    return found


def drive_of(name, inputs, listed):
    """What the document says of a drive, None where not known."""
    known = listed.get(name)
    model = sysfs.text(inputs, "drive/model") or (known and known.model)
    vendor = sysfs.text(inputs, "drive/vendor")
    firmware = sysfs.text(inputs, "drive/firmware_rev") or sysfs.text(inputs, "drive/rev") or (known and known.firmware)
    return {
        "model": vendor + " " + model if vendor and model and vendor != "ATA" else model,
        "firmware": firmware,
        "bytes": size_bytes(inputs),
        "rotational": rotational(inputs),
        "transport": transport(name, inputs),
        "pcie": sysfs.pcie(inputs, "drive/device/"),
        "numa_node": sysfs.count(inputs, "drive/device/numa_node"),
        "logical_block_size": sysfs.count(inputs, "queue/logical_block_size") or (known and known.sector_bytes),
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
    """Virtual drives say of themselves what their host was told to say: not a fact."""
    if drive["transport"] in ("virtio", "xen"):
        return None
    if (drive["transport"] or "").startswith("nvme"):
        return "nvme"
    return {True: "hdd", False: "ssd"}.get(drive["rotational"])


def group_of(name, inputs, listed):
    """The document's object of one device; document.py counts equal ones."""
    drive = drive_of(name, inputs, listed)
    group = {key: drive[key] for key in ("model", "firmware", "bytes", "rotational", "transport", "pcie")}
    group["md_level"] = sysfs.text(inputs, "md/level")
    queue = {file: sysfs.text(inputs, "queue/" + file) for file in IN_GROUP}
    queue["scheduler"] = scheduler(inputs, "queue/scheduler")
    group["queue"] = {file: value for file, value in queue.items() if value is not None}
    return {key: value for key, value in group.items() if value is not None}


def settings(devices):
    """Facts of SETTINGS over all devices, and for each id that has none the reason."""
    facts = [
        Fact(name, reader(inputs, file), "sysfs", key)
        for name, key, file, reader in SETTINGS
        for inputs in devices
        if reader(inputs, file) is not None
    ]
    told = {fact.id for fact in facts}
    gaps = {}
    for name, _key, file, _reader in SETTINGS:
        if name not in told:
            gaps.setdefault(name, []).extend(inputs[file] for inputs in devices if file in inputs)
    return facts + [sysfs.missing(name, found) for name, found in gaps.items()]


def drive_facts(drives, inputs):
    """What each drive tells, and the reason of what none tells."""
    said = [
        Fact(name, value, "sysfs", key) for drive in drives for name, key, value in told(drive) if value is not None
    ]
    said.append(Fact("drive.count", len(drives), "sysfs"))
    found = {fact.id for fact in said}
    for name, file in FILES:
        if name not in found:
            said.append(sysfs.missing(name, [one[file] for one in inputs if file in one], "not_applicable"))
    return said


def told(drive):
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


PROBES = (Block(),)
