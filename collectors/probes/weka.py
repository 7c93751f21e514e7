"""WekaFS: release, protection and size of the cluster. Names, identifiers and addresses stay at the site."""

import re

from collectors.probe_results import Fact, Item
from collectors.probes import Probe, input_parsing, mounts
from collectors.probes.json_paths import count_at, json_object, without_none, word_at

STATUS = ["weka", "status", "-J"]
MODULE = "/sys/module/wekafsio"
RELEASE = re.compile(r"\d{1,3}(\.\d{1,6}){1,4}(-[0-9a-z.]{1,20})?")
# key of the parameter: the way to it in the output
COUNTS = {
    "stripe_data_drives": ("stripe_data_drives",),
    "stripe_protection_drives": ("stripe_protection_drives",),
    "hot_spare": ("hot_spare",),
    "drives_active": ("drives", "active"),
    "drives_total": ("drives", "total"),
    "servers_active": ("servers", "backends", "active"),
    "servers_total": ("servers", "backends", "total"),
    "clients_active": ("servers", "clients", "active"),
    "io_processes_active": ("io_nodes", "active"),
    "io_processes_total": ("io_nodes", "total"),
}
LINK_LAYERS = ("ETH", "IB", "MIXED")
STATES = ("OK", "DEGRADED", "PARTIALLY_PROTECTED", "UNAVAILABLE", "REBUILDING", "REDISTRIBUTING")
IO_STATES = ("STARTED", "STARTING", "STOPPED", "STOPPING")


def parse_status(text):
    """{key: value} of `weka status -J`, with `release` and `total_bytes`. Raises ValueError for other texts."""
    status = json_object(text, "release", "drives", "io_status")
    values = {key: count_at(status, *way) for key, way in COUNTS.items()}
    values["total_bytes"] = count_at(status, "capacity", "total_bytes")
    values["link_layer"] = word_at(status, LINK_LAYERS, "net", "link_layer")
    values["status"] = word_at(status, STATES, "status")
    values["io_status"] = word_at(status, IO_STATES, "io_status")
    values["release"] = status["release"] if RELEASE.fullmatch(str(status["release"])) else None
    return without_none(values)


def storage_system(values):
    """The storage system that these values tell of."""
    system = {"version": values.get("release"), "usable_bytes": values.get("total_bytes")}
    system["data_targets"] = values.get("drives_total")
    return dict({"name": "weka", "type": "weka"}, **without_none(system))


class WekaProbe(Probe):
    id = "weka"
    provides = ("weka.status",)
    cost = "moderate"
    reads = (mounts.MOUNTS, " ".join(STATUS))

    def applies(self, door):
        return door.exists(MODULE) or mounts.has_mount(door, lambda mount: mount.type == "wekafs")

    def read(self, door):
        return {"status": door.command(STATUS)}

    def parse(self, raw):
        status = input_parsing.read_as(parse_status, raw["status"])
        if status.value is None:
            yield input_parsing.gap("weka.status", status)
            return
        for key, value in sorted(status.value.items()):
            yield Fact("weka.status", value, status.source, key)
        yield Item("storage_systems", storage_system(status.value))


PROBES = (WekaProbe(),)
