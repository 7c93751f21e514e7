"""A Lustre server: its targets, their backend, caches and service threads. Who is connected is never looked at."""

import re
from collections import Counter

from collectors.node.node_access import KIB
from collectors.probe_results import Fact, Item, Missing
from collectors.probes import Probe
from collectors.probes.input_parsing import gap, read_as
from collectors.probes.lustre_client import lustre_mounts
from collectors.probes.lustre_parameters import (
    ROOTS,
    TARGET,
    devices,
    fact_of_input,
    flag,
    histogram,
    number,
    parameter,
    parameter_facts,
    places,
    read_all,
)

SERVER = "lustre.server."
MOUNTS = "/proc/mounts"
MOUNTS_LIMIT_BYTES = 2 * KIB * KIB
BACKENDS = ("osd-ldiskfs", "osd-zfs")
SERVICES = (
    "ost/OSS/ost",
    "ost/OSS/ost_io",
    "ost/OSS/ost_create",
    "mds/MDS/mdt",
    "mds/MDS/mdt_readpage",
    "mds/MDS/mdt_io",
)
THREAD_OPTIONS = ("/sys/module/ost/parameters/oss_num_threads", "/sys/module/mdt/parameters/mds_num_threads")
THREAD_FILES = ("threads_min", "threads_max", "threads_started")
# ll_ost_io03_001, mdt00_002: the service, its CPU partition, the number of the thread.
SERVICE_THREAD = re.compile(r"^(?:ll_)?((?:ost|mdt)(?:_[a-z]+)?)\d{2,3}_\d{3,4}$")


def backend(text):
    """ldiskfs or zfs, with or without osd- before it. Raises ValueError for other texts."""
    matched = re.match(r"^\s*(?:osd-)?(ldiskfs|zfs|wbcfs)\s*$", text)
    if not matched:
        raise ValueError("no backend")
    return matched.group(1)


def disk_sizes(text):
    """How many disk I/Os had which size."""
    return histogram(text, "disk I/O size", "bytes")


def of_backends(name, file, value, **how):
    """A parameter of whichever backend a server has: the parameters of both, under one id."""
    return tuple(parameter(SERVER + name, kind + "/" + file, value, **how) for kind in BACKENDS)


def of_targets(name, file, value):
    """A parameter that object and metadata targets have alike."""
    return tuple(parameter(SERVER + name, kind + "/" + file, value) for kind in ("obdfilter", "mdt"))


PARAMETERS = (
    (parameter(SERVER + "obdfilter.brw_size", "obdfilter/brw_size", number),)
    + (parameter(SERVER + "sync_journal", "obdfilter/sync_journal", flag),)
    + (parameter(SERVER + "degraded", "obdfilter/degraded", flag),)
    + of_backends("backend", "fstype", backend)
    + of_backends("read_cache", "read_cache_enable", flag)
    + of_backends("writethrough_cache", "writethrough_cache_enable", flag)
    + of_backends("readcache_max_filesize", "readcache_max_filesize", number, hidden=True)
    + of_backends("brw_stats", "brw_stats", disk_sizes, adds=True, hidden=True)
    + of_targets("num_exports", "num_exports", number)
    + of_targets("checksum_t10pi", "checksum_t10pi_enforce", flag)
    + of_targets("grant_compat", "grant_compat_disable", flag)
)
OF_OBJECT_TARGETS = parameter(SERVER + "backend", "obdfilter/fstype", backend)
EVERYWHERE = PARAMETERS + (OF_OBJECT_TARGETS,)


class LustreServer(Probe):
    """The tunables below `lustre.server`. Job statistics and exports name users and clients: they are not read."""

    id = "lustre.server"
    provides = tuple(sorted({parameter.id for parameter in PARAMETERS})) + (SERVER + "job_stats", SERVER + "exports")
    privilege = "root"
    cost = "moderate"
    reads = places(EVERYWHERE)

    def applies(self, door):
        return is_server(door)

    def read(self, door):
        return read_all(door, EVERYWHERE, TARGET)

    def parse(self, raw):
        pieces = parameter_facts(PARAMETERS, raw, TARGET)
        # The backend names itself; where it does not, what its object targets say of it counts.
        if not any(isinstance(piece, Fact) and piece.id == OF_OBJECT_TARGETS.id for piece in pieces):
            pieces += parameter_facts((OF_OBJECT_TARGETS,), raw, TARGET)
        return pieces + [Missing(SERVER + name, "disabled", "never read") for name in ("job_stats", "exports")]


def is_server(door):
    if any(devices(door, kind, TARGET) for kind in ("obdfilter", "mdt")):
        return True
    return bool(target_mounts(door.file(MOUNTS, MOUNTS_LIMIT_BYTES).text or ""))


def target_mounts(text):
    """The targets that a server has mounted, by their service names: fs-OST0000."""
    options = [option for _source, _place, mount_options in lustre_mounts(text) for option in mount_options]
    names = [option[len("svname=") :] for option in options if option.startswith("svname=")]
    return sorted({name for name in names if TARGET.search(name)})


class LustreTargets(Probe):
    """How many targets this server holds, on which backend, and with how many threads it serves them."""

    id = "lustre.targets"
    provides = (SERVER + "targets_per_server", SERVER + "threads")
    reads = (
        MOUNTS,
        "/{sys,proc}/fs/lustre/{obdfilter,mdt}",
        "/{sys,proc}/fs/lustre/{%s}/{%s}" % (",".join(SERVICES), ",".join(THREAD_FILES)),
        *THREAD_OPTIONS,
        "/proc/*/comm",
    )
    cost = "moderate"

    def applies(self, door):
        return is_server(door)

    def read(self, door):
        raw = {"mounts": door.file(MOUNTS, MOUNTS_LIMIT_BYTES)}
        raw["targets"] = devices(door, "obdfilter", TARGET) + devices(door, "mdt", TARGET)
        raw["backends"] = {kind: devices(door, kind, TARGET) for kind in BACKENDS}
        raw["asked"] = {path.rsplit("/", 1)[1]: door.file(path) for path in THREAD_OPTIONS}
        raw["threads"] = thread_files(door)
        if not raw["threads"]:
            raw["comm"] = door.files("/proc/*/comm", limit=64)
        return raw

    def parse(self, raw):
        held = target_mounts(raw["mounts"].text or "") or raw["targets"]
        kinds = Counter("ost" if "-OST" in name else "mdt" for name in held)
        if not held:
            yield Missing(SERVER + "targets_per_server", "not_applicable", "no target is mounted")
        else:
            yield Fact(SERVER + "targets_per_server", len(held), "derived")
            yield Item(
                "storage_systems", {"name": "lustre", "type": "lustre", "targets": targets_of(kinds, raw["backends"])}
            )
        yield from threads(raw)


def thread_files(door):
    """{"ost_io.threads_max": Input} of the services of this server."""
    inputs_by_name = {}
    for root in ROOTS[:2]:
        for service in SERVICES:
            for name in THREAD_FILES:
                file_input = door.file("/".join((root, service, name)))
                if file_input.text is not None:
                    inputs_by_name.setdefault(service.rpartition("/")[2] + "." + name, file_input)
    return inputs_by_name


def threads(raw):
    """Threads of each service, `key` ost_io.threads_started: from the services' files, else counted by their names."""
    inputs_by_name = dict(raw["asked"], **raw["threads"])
    readings = {key: read_as(number, inputs_by_name[key]) for key in sorted(inputs_by_name)}
    facts = [
        Fact(SERVER + "threads", reading.value, reading.source, key)
        for key, reading in readings.items()
        if reading.reason is None
    ]
    for service, count in sorted(counted_threads(raw.get("comm", {})).items()):
        facts.append(Fact(SERVER + "threads", count, "procfs", service + ".threads_started"))
    return facts or [gap(SERVER + "threads", *readings.values())]


def counted_threads(comm):
    names = [SERVICE_THREAD.match((comm_input.text or "").strip()) for comm_input in comm.values()]
    return Counter(name.group(1) for name in names if name)


def targets_of(kinds, backends):
    """The targets of this server as the document's storage systems have them."""
    targets = []
    for kind, word in (("ost", "data"), ("mdt", "metadata")):
        if kinds[kind]:
            entry = {"kind": word, "count": kinds[kind]}
            used = [name for name in BACKENDS if any("-" + kind.upper() in target for target in backends[name])]
            if len(used) == 1:
                entry["backend"] = used[0][len("osd-") :]
            targets.append(entry)
    return targets


class LustreFailover(Probe):
    """Whether targets run where they should: `crm_mon` shows a node that is away or a resource that has stopped."""

    id = "lustre.failover"
    provides = (SERVER + "ha_state",)
    privilege = "root"
    reads = ("crm_mon -1",)

    def applies(self, door):
        return is_server(door)

    def read(self, door):
        return {"cluster": door.command(["crm_mon", "-1"])}

    def parse(self, raw):
        return [fact_of_input(self.provides[0], raw["cluster"], is_at_home)]


def is_at_home(text):
    """Whether all nodes are there and hold some of the Lustre resources, all of which are started.

    Raises ValueError where that cannot be said: a node without any may be a spare, or its targets have not come back.
    """
    online = re.search(r"^\W*Online:\s*\[([^\]\n]*)\]", text, re.MULTILINE)
    if not online:
        raise ValueError("no list of nodes")
    if re.search(r"^\W*(?:OFFLINE:|Node \S+.*: (?:standby|UNCLEAN|OFFLINE|maintenance))", text, re.MULTILINE):
        return False
    resources = re.findall(r"^.*\(ocf:+\w+:(?:Lustre|ZFS|Filesystem)\):\s*(.+)$", text, re.MULTILINE)
    if not resources:
        raise ValueError("no Lustre resource")
    started = [re.match(r"^Started\s+(\S+)", state) for state in resources]
    if not all(started):
        return False
    if not set(online.group(1).split()) <= {match.group(1) for match in started}:
        raise ValueError("a node without targets")
    return True


PROBES = (LustreServer(), LustreTargets(), LustreFailover())
