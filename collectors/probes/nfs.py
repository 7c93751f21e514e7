"""NFS clients: version, transport, sizes, connections. The server's name and address stay at the site."""

import re

from collectors.probe_results import Fact, Missing
from collectors.probes import Probe, mounts

MOUNTSTATS = "/proc/self/mountstats"
TYPES = ("nfs", "nfs4")
TEXTS = ("vers", "proto", "sec", "local_lock", "lookupcache", "write", "xprtsec")
COUNTS = (
    "rsize",
    "wsize",
    "nconnect",
    "max_connect",
    "timeo",
    "retrans",
    "acregmin",
    "acregmax",
    "acdirmin",
    "acdirmax",
)
# On where the option is there, off where its opposite is.
SWITCHES = (
    ("hard", "soft"),
    ("hard", "softerr"),
    ("ac", "noac"),
    ("cto", "nocto"),
    ("lock", "nolock"),
    ("sync", "async"),
)
LAYOUTS = {
    "not configured": "none",
    "LAYOUT_NFSV4_1_FILES": "files",
    "LAYOUT_OSD2_OBJECTS": "objects",
    "LAYOUT_BLOCK_VOLUME": "block",
    "LAYOUT_FLEX_FILES": "flexfiles",
    "LAYOUT_SCSI": "scsi",
}
TRANSPORTS = ("tcp", "udp", "rdma", "local")


def is_nfs(mount):
    return mount.type in TYPES


def settings(options):
    """{key: value} of the allowed options of one mount; sizes in bytes, timeo in tenths of a second as NFS has it."""
    allowed = {name: value for name, value in options.items() if mounts.is_allowed(name, value)}
    values_by_key = {name: allowed[name] for name in TEXTS if name in allowed}
    values_by_key.update({name: int(allowed[name]) for name in COUNTS if allowed.get(name, "").isdigit()})
    for name, opposite in SWITCHES:
        if name in allowed or opposite in allowed:
            values_by_key[name] = name in allowed
    return values_by_key


def parse_mountstats(text):
    """What /proc/self/mountstats adds to the options, one dict per NFS mount: `pnfs`, `connections`, `transport`.

    Raises ValueError for other texts.
    """
    mount_stats, current = [], None
    for line in text.splitlines():
        if line.startswith("device "):
            is_ours = re.search(r" with fstype nfs4? statvers=[\d.]+$", line) is not None
            current = {} if is_ours else None
            if is_ours:
                mount_stats.append(current)
        elif current is not None:
            add_line(current, line.strip())
    if not mount_stats and not text.startswith("device "):
        raise ValueError("not /proc/self/mountstats")
    return mount_stats


def add_line(mount, line):
    if line.startswith("nfsv4:"):
        layout = LAYOUTS.get(line.rpartition("pnfs=")[2])
        mount.update({"pnfs": layout} if layout else {})
    elif line.startswith("xprt:"):
        transport = line.split()[1:2]
        mount["connections"] = mount.get("connections", 0) + 1
        if transport and transport[0] in TRANSPORTS:
            mount["transport"] = transport[0]


class NfsProbe(Probe):
    id = "nfs"
    provides = ("nfs.mount",)
    reads = (mounts.MOUNTS, MOUNTSTATS)

    def applies(self, door):
        return mounts.has_mount(door, is_nfs)

    def read(self, door):
        mountstats = door.file(MOUNTSTATS, limit=mounts.MOUNTS_LIMIT_BYTES)
        return {mounts.MOUNTS: mounts.read_mounts(door), MOUNTSTATS: mountstats}

    def parse(self, raw):
        mount_table = raw[mounts.MOUNTS]
        if mount_table.text is None:
            yield Missing("nfs.mount", mount_table.reason, mount_table.detail)
            return
        mount_settings = [settings(mount.options) for mount in mounts.parse_mounts(mount_table.text) if is_nfs(mount)]
        if raw[MOUNTSTATS].text:
            mount_settings += parse_mountstats(raw[MOUNTSTATS].text)
        for mount in mount_settings:
            for key, value in sorted(mount.items()):
                yield Fact("nfs.mount", value, mount_table.source, key)


PROBES = (NfsProbe(),)
