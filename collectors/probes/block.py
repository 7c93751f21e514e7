"""Block devices: their queue settings, and the drives among them with model, firmware, size and PCIe link."""

import re

from collectors.node.node_access import Input
from collectors.outputs import multipath
from collectors.probe_results import Fact, Item
from collectors.probes import Probe, command_answers, drives, sysfs

# Neither drives nor arrays of drives. Partitions are not listed in /sys/block at all.
NOT_STORAGE = re.compile(r"(loop|ram|zram|sr|fd|nbd|zd|mtdblock|rbd|drbd)\d+|.*[^\w.-].*|nvme\d+c\d+n\d+|.{41,}")
STACKED = re.compile(r"(md|dm-)")
CONTROLLER = re.compile(r"nvme\d+")
MAX_DEVICES = 2048

QUEUE_FILES = (
    "scheduler max_sectors_kb max_hw_sectors_kb nr_requests read_ahead_kb write_cache rotational logical_block_size "
    "physical_block_size nomerges rq_affinity wbt_lat_usec discard_max_bytes io_poll max_segments"
).split()
SCSI_FILES = ("vendor", "model", "rev", "queue_depth")
NVME_FILES = ("model", "firmware_rev", "transport", "device/numa_node") + tuple(
    "device/" + name for name in sysfs.PCIE_FILES
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
        "/sys/block/*/device/{%s}" % ",".join(NVME_FILES),
        "/sys/block/*/device/nvme*/{%s}" % ",".join(NVME_FILES),
        "/sys/class/nvme/*/{%s}" % ",".join(NVME_FILES),
        "nvme list -o json (where a drive does not tell its model)",
        "lsblk -J -O -b (where a drive does not tell its model)",
        "multipath -ll (where devices have several paths)",
    )

    def applies(self, door):
        return bool(device_names(door))

    def read(self, door):
        raw = {name: read_device(door, name) for name in device_names(door)}
        nameless = [name for name, inputs in raw.items() if sysfs.text(inputs, "drive/model") is None]
        if any(drives.NVME.fullmatch(name) for name in nameless):
            raw["nvme list"] = door.command(["nvme", "list", "-o", "json"])
        if any(name.startswith("sd") for name in nameless):
            raw["lsblk"] = door.command(["lsblk", "-J", "-O", "-b"])
        if door.exists("/sys/module/dm_multipath"):
            raw["multipath"] = door.command(["multipath", "-ll"])
        return raw

    def parse(self, raw):
        listed = drives.listed_drives(raw)
        devices = {name: inputs for name, inputs in raw.items() if isinstance(inputs, dict)}
        sound = {name: inputs for name, inputs in devices.items() if drives.size_bytes(inputs)}
        if not sound:
            for name in self.provides:
                yield sysfs.missing(name, [inputs["size"] for inputs in devices.values()], "not_applicable")
            return
        paths = paths_by_map(sound)
        distinct_devices = without_paths(sound, paths)
        for name, inputs in distinct_devices.items():
            yield Item("block", group_of(name, inputs, listed))
        base_devices = {name: inputs for name, inputs in distinct_devices.items() if not STACKED.match(name)}
        drive_entries = [drives.drive_of(name, inputs, listed) for name, inputs in base_devices.items()]
        pieces = (
            settings(list(distinct_devices.values()))
            + path_facts(paths, raw)
            + drives.facts_of_drives(drive_entries, list(base_devices.values()))
        )
        for piece in pieces:
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
        files = NVME_FILES if drives.NVME.fullmatch(name) else SCSI_FILES
        for file, file_input in sysfs.attributes(door, behind(door, name), files).items():
            inputs["drive/" + file] = file_input
    return inputs


def behind(door, name):
    """The folder of the drive behind a block device. NVMe multipathing puts a subsystem before the controllers."""
    folder = "/sys/block/%s/device" % name
    nvme_number = drives.NVME.fullmatch(name)
    if not nvme_number:
        return folder
    inside = door.names(folder)
    controllers = [entry for entry in inside if CONTROLLER.fullmatch(entry)]
    if controllers:
        return folder + "/" + controllers[0]
    return folder if inside else "/sys/class/nvme/nvme" + nvme_number.group(1)


def paths_by_map(devices):
    """{device mapper's device: its paths}. A map is as large as each of its paths; a logical volume never is."""
    paths_by_device = {}
    for name, inputs in devices.items():
        slaves = inputs["slaves"].text.split() if name.startswith("dm-") else []
        sizes = {drives.size_bytes(devices[slave]) if slave in devices else 0 for slave in slaves}
        if sizes == {drives.size_bytes(inputs)} and not any(STACKED.match(slave) for slave in slaves):
            paths_by_device[name] = slaves
    return paths_by_device


def without_paths(devices, paths):
    """The devices with each drive once, however many paths lead to it, and without logical volumes."""
    other_paths = {path for slaves in paths.values() for path in slaves[1:]}
    volumes = {name for name in devices if name.startswith("dm-") and name not in paths}
    return {name: inputs for name, inputs in devices.items() if name not in other_paths | volumes}


def path_facts(paths, raw):
    """Paths to each device; which of them have failed only root may ask."""
    facts = [Fact("block.other", len(slaves), "sysfs", "multipath_paths") for slaves in paths.values()]
    maps = command_answers.read(raw.get("multipath"), multipath.maps, ())
    return facts + [
        Fact("block.other", multipath_map.failed, "command", "multipath_paths_failed") for multipath_map in maps
    ]


def group_of(name, inputs, listed):
    """The document's object of one device; document.py counts equal ones."""
    drive = drives.drive_of(name, inputs, listed)
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
    fact_ids = {fact.id for fact in facts}
    gaps = {}
    for name, _key, file, _reader in SETTINGS:
        if name not in fact_ids:
            gaps.setdefault(name, []).extend(inputs[file] for inputs in devices if file in inputs)
    return facts + [sysfs.missing(name, unread_inputs) for name, unread_inputs in gaps.items()]


PROBES = (Block(),)
