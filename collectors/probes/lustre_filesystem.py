"""The Lustre file systems that a client has mounted: targets, capacity, fill, pools, and whether metadata is spread."""

import re

from collectors.node.node_access import KIB
from collectors.probe_results import Fact, Item, Missing
from collectors.probes import Probe
from collectors.probes.input_parsing import gap, read_as
from collectors.probes.layout import dir_stripe
from collectors.probes.lustre_client import MOUNTS, MOUNTS_LIMIT_BYTES, client_mounts, is_client
from collectors.probes.lustre_parameters import CLIENT_DEVICE, ROOTS, devices, number

# Asking a target for its size may ask its server: the fill of each is told of so many.
MAX_TARGETS_READ = 512
MAX_MOUNTS_READ = 4
MAX_POOLS = 64

OF_MOUNT = ("kbytestotal", "kbytesavail", "filestotal", "filesfree")
OF_TARGET = ("kbytestotal", "kbytesfree")


class LustreFileSystem(Probe):
    id = "lustre.fs"
    provides = (
        "lustre.fs.ost_count",
        "lustre.fs.mdt_count",
        "lustre.fs.capacity",
        "lustre.fs.ost_pools",
        "lustre.dne",
    )
    cost = "moderate"
    reads = (
        "/{sys,proc}/fs/lustre/{lov,lmv}/*/{numobd,activeobd}",
        "/{sys,proc}/fs/lustre/llite/*/{%s}" % ",".join(OF_MOUNT),
        "/{sys,proc}/fs/lustre/osc/*/{%s}" % ",".join(OF_TARGET),
        "/{sys/fs,proc/fs,sys/kernel/debug}/lustre/lov/*/pools",
        "lctl dl",
        "lfs df MOUNT_POINT",
        "lfs pool_list MOUNT_POINT",
        "lfs getdirstripe DIRECTORY",
    )

    def applies(self, door):
        return is_client(door)

    def read(self, door):
        targets = devices(door, "osc", CLIENT_DEVICE)
        raw = {
            "lov": figures(door, "lov", ("numobd", "activeobd")),
            "lmv": figures(door, "lmv", ("numobd", "activeobd")),
            "llite": figures(door, "llite", OF_MOUNT),
            "osc": figures(door, "osc", OF_TARGET) if len(targets) <= MAX_TARGETS_READ else {},
            "targets": {"osc": len(targets), "mdc": len(devices(door, "mdc", CLIENT_DEVICE))},
            "pools": pool_folders(door),
        }
        mounts = client_mounts(door.file(MOUNTS, MOUNTS_LIMIT_BYTES).text or "")
        points = sorted({point for _source, point, _options in mounts})[:MAX_MOUNTS_READ]
        if not raw["llite"]:
            raw["df"] = [door.command(["lfs", "df", point]) for point in points]
        if not targets:
            raw["devices"] = door.command(["lctl", "dl"])
        if not raw["pools"]:
            raw["pool_list"] = [door.command(["lfs", "pool_list", point]) for point in points]
        if door.test_directory:
            raw["directory"] = door.command(["lfs", "getdirstripe", door.test_directory])
        return raw

    def parse(self, raw):
        filesystem_rows, missing = filesystems(raw)
        listed = read_as(device_list, raw["devices"]).value if "devices" in raw else None
        listed = listed or raw["targets"]
        yield from counts("lustre.fs.ost_count", raw["lov"], listed["osc"], [row["osts"] for row in filesystem_rows])
        yield from counts("lustre.fs.mdt_count", raw["lmv"], listed["mdc"], [row["mdts"] for row in filesystem_rows])
        yield from capacity(filesystem_rows, fills(raw, filesystem_rows), missing)
        yield from pools(raw)
        yield spread(raw, filesystem_rows, listed["mdc"])
        yield from (Item("storage_systems", system_of(row)) for row in filesystem_rows)


def figures(door, kind, names):
    """{device: {name: Input}} of some files of each client device of a kind, from the root that has them; else {}."""
    present = devices(door, kind, CLIENT_DEVICE)
    for root in ROOTS[:2]:
        if present and door.file("/".join((root, kind, present[0], names[0]))).text is not None:
            return {
                device: {name: door.file("/".join((root, kind, device, name))) for name in names} for device in present
            }
    return {}


def pool_folders(door):
    """What each file system's folder of pools holds, as lists of names."""
    folders = [
        "/".join((root, "lov", device, "pools")) for root in ROOTS for device in devices(door, "lov", CLIENT_DEVICE)
    ]
    return [door.names(folder) for folder in folders if door.exists(folder)]


def mount_of(device):
    """File system and mount that a device belongs to: fs-ffff1 and fs-clilov-ffff1 are of the same."""
    name, _, mount = device.rpartition("-")
    return re.sub(r"-cli(?:lov|lmv)$", "", name), mount


def read_number(file_input):
    """The number of a file that could be read, or None."""
    return read_as(number, file_input).value


def filesystems(raw):
    """What is known of each mounted file system, from the files or from `lfs df`; and why there is none."""
    of_mount = {
        kind: {mount_of(device): read_number(files["numobd"]) for device, files in raw[kind].items()}
        for kind in ("lov", "lmv")
    }
    filesystem_rows = []
    for device, files in sorted(raw["llite"].items()):
        size = {name: read_number(files[name]) for name in OF_MOUNT}
        if size["kbytestotal"]:
            mount = mount_of(device)
            filesystem_rows.append(
                dict(size, osts=of_mount["lov"].get(mount), mdts=of_mount["lmv"].get(mount), fills=[])
            )
    readings = [read_as(df_table, df_input) for df_input in raw.get("df", ())]
    filesystem_rows += [reading.value for reading in readings if reading.reason is None]
    return filesystem_rows, gap("lustre.fs.capacity", *readings)


def df_table(text):
    """The first table of `lfs df`, sizes in KiB. Raises ValueError for rounded sizes, inodes, or no table."""
    targets, summary = {"OST": [], "MDT": []}, None
    for line in text.splitlines():
        if re.match(r"^filesystem[ _]summary:", line.strip()):
            summary = [number(word) for word in line.partition("summary:")[2].split()[:3]]
            break
        kind = re.search(r"\[(OST|MDT):\d+\]", line)
        # A target that does not answer has a message where its sizes would be.
        if kind and re.match(r"^\s*\S+\s+\d", line):
            targets[kind.group(1)].append([number(word) for word in line.split()[1:4]])
        if "Inodes" in line:
            raise ValueError("inodes, not sizes")
    if not summary or len(summary) != 3 or not targets["OST"]:
        raise ValueError("no table of sizes")
    return {
        "kbytestotal": summary[0],
        "kbytesavail": summary[2],
        "filestotal": None,
        "filesfree": None,
        "osts": len(targets["OST"]),
        "mdts": len(targets["MDT"]),
        "fills": [percent(size[0] - size[2], size[0]) for size in targets["OST"] if len(size) == 3 and size[0]],
    }


def device_list(text):
    """How many OSTs (`osc`) and MDTs (`mdc`) a client has by `lctl dl`. Raises ValueError if no device is listed."""
    lines = re.findall(r"^\s*\d+ [A-Z]{2} (\w+) (\S+) \S+", text, re.MULTILINE)
    if not lines:
        raise ValueError("no list of devices")
    return {
        kind: sum(1 for device_kind, name in lines if device_kind == kind and CLIENT_DEVICE.search(name))
        for kind in ("osc", "mdc")
    }


def percent(part, total):
    """Whole percent: a capture before and one after a run differ only if the fill differs."""
    return max(0, min(100, int(round(100.0 * part / total))))


def fills(raw, filesystem_rows):
    """Used percent of each target that was asked."""
    percents = [used for row in filesystem_rows for used in row["fills"]]
    for files in raw["osc"].values():
        total, free = read_number(files["kbytestotal"]), read_number(files["kbytesfree"])
        if total and free is not None:
            percents.append(percent(total - free, total))
    return percents


def counts(parameter_id, devices_read, listed, of_df):
    """Targets of each file system, the `visible` and the `active` ones; else as many as devices or lfs show."""
    facts = []
    for files in devices_read.values():
        for key, name in (("visible", "numobd"), ("active", "activeobd")):
            count = read_number(files[name])
            if count is not None:
                facts.append(Fact(parameter_id, count, files[name].source, key))
    if facts:
        return facts
    if listed:
        return [Fact(parameter_id, listed, "derived", "visible")]
    of_df = [count for count in of_df if count]
    return [Fact(parameter_id, count, "command", "visible") for count in of_df] or [
        Missing(parameter_id, "not_applicable", "no target is listed")
    ]


def capacity(filesystem_rows, target_fills, missing):
    """Yield size in KiB and use in percent of each file system, and the least and most filled target's."""
    if not filesystem_rows:
        yield missing
    for row in filesystem_rows:
        yield Fact("lustre.fs.capacity", row["kbytestotal"], "derived", "total_kib")
        if row["kbytesavail"] is not None:
            used = percent(row["kbytestotal"] - row["kbytesavail"], row["kbytestotal"])
            yield Fact("lustre.fs.capacity", used, "derived", "used_percent")
        if row["filestotal"] and row["filesfree"] is not None:
            used = percent(row["filestotal"] - row["filesfree"], row["filestotal"])
            yield Fact("lustre.fs.capacity", used, "derived", "inodes_used_percent")
    if target_fills:
        yield Fact("lustre.fs.capacity", min(target_fills), "derived", "ost_used_percent_minimum")
        yield Fact("lustre.fs.capacity", max(target_fills), "derived", "ost_used_percent_maximum")


def pools(raw):
    """The names of the OST pools of each file system, sorted, or none."""
    readings = [read_as(pool_list, pool_list_input) for pool_list_input in raw.get("pool_list", ())]
    listed = [reading.value for reading in readings if reading.reason is None]
    for names in raw["pools"] + listed:
        pool_names = sorted(name for name in names if re.match(r"^[A-Za-z0-9_-]{1,15}$", name))[:MAX_POOLS]
        yield Fact("lustre.fs.ost_pools", ",".join(pool_names) or "none", "command" if listed else "procfs")
    if not raw["pools"] and not listed:
        yield gap("lustre.fs.ost_pools", *readings)


def pool_list(text):
    """Pool names from `lfs pool_list`: `Pools from fs:` and a line fs.pool for each, or nothing.

    Raises ValueError for other texts.
    """
    if text.strip() and not text.startswith("Pools from "):
        raise ValueError("no list of pools")
    return re.findall(r"^[\w-]+\.([\w-]+)$", text, re.MULTILINE)


def spread(raw, filesystem_rows, listed):
    """How metadata is spread: none (one MDT), dne1 (a directory lies on one MDT), dne2 (the directory is striped)."""
    mdt_counts = [read_number(files["numobd"]) for files in raw["lmv"].values()] + [
        row["mdts"] for row in filesystem_rows
    ]
    mdts = max([count for count in mdt_counts if count] or [listed])
    if not mdts:
        return Missing("lustre.dne", "not_applicable", "no MDT is listed")
    if mdts == 1:
        return Fact("lustre.dne", "none", "derived")
    stripe = read_as(dir_stripe, raw["directory"]).value if "directory" in raw else None
    return Fact("lustre.dne", "dne2" if stripe and stripe["count"] > 1 else "dne1", "derived")


def system_of(filesystem_row):
    """The entry of the document's storage systems; the name of a file system is the site's to tell."""
    system = {
        "name": "lustre",
        "type": "lustre",
        "access": "kernel_mount",
        "usable_bytes": filesystem_row["kbytestotal"] * KIB,
    }
    if filesystem_row["osts"]:
        system["data_targets"] = filesystem_row["osts"]
    if filesystem_row["mdts"]:
        system["metadata_targets"] = filesystem_row["mdts"]
    return system


PROBES = (LustreFileSystem(),)
