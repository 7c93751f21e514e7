"""DAOS: pool, container and engines by count, size and tunable. Labels, identifiers and owners stay at the site."""

import re

from collectors.probe_results import Fact, Item
from collectors.probes import Probe, input_parsing, mounts
from collectors.probes.json_paths import at, count_at, json_object, objects_at, without_none, word_at

AGENT = "/etc/daos/daos_agent.yml"
CONTROL = "/etc/daos/daos_control.yml"
LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}")
POOL_COUNTS = (
    "total_targets",
    "active_targets",
    "disabled_targets",
    "total_engines",
    "pool_layout_ver",
    "upgrade_layout_ver",
)
TIERS = ("scm", "nvme")
# As `daos container get-prop` names them; labels, owners and access lists are not here.
PROPERTIES = frozenset(
    """
    cksum cksum_size compression dedup dedup_threshold ec_cell ec_cell_sz ec_pda encryption global_version layout_type
    layout_version obj_version perf_domain rd_fac rd_lvl rf rf_lvl rp_pda scrubber_disabled srv_cksum
    """.split()
)
PROPERTY = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ()_.+-]{0,40}")
CLASSES = re.compile(r"[A-Z][A-Z0-9_]{0,20}")
PROVIDERS = re.compile(r"(ofi|ucx)\+[a-z0-9_;+,]{1,40}")
MEMBER_STATES = ("joined", "excluded", "stopped", "errored", "unresponsive", "adminexcluded")


def parse_answer(text, *needed):
    """The `response` of daos or dmg with -j. Raises ValueError for other texts."""
    document = json_object(text, "response", "status")
    if document["status"] != 0 or not document["response"]:
        raise ValueError("not an answer of DAOS")
    for name in needed:
        if at(document, "response", name) is None:
            raise ValueError("an answer without " + name)
    return document["response"]


def parse_pool_query(text):
    """{key: value} of `daos -j pool query POOL`. Raises ValueError for other texts."""
    pool = parse_answer(text, "total_targets")
    values = {name: count_at(pool, name) for name in POOL_COUNTS}
    values["rebuild"] = word_at(pool, ("idle", "busy", "done"), "rebuild", "state")
    mode = at(pool, "md_on_ssd_active")
    values["md_on_ssd"] = mode if isinstance(mode, bool) else None
    for tier in objects_at(pool, "tier_stats"):
        if at(tier, "media_type") in TIERS:
            values[tier["media_type"] + "_bytes"] = count_at(tier, "total")
    return without_none(values)


def parse_pool_list(text):
    """[{key: value}] per pool of `daos -j pool list` or `dmg -j pool list`. Raises ValueError for other texts."""
    parse_answer(text, "pools")
    return [listed_pool(pool) for pool in objects_at(parse_answer(text), "pools")]


def listed_pool(pool):
    values = {name: count_at(pool, name) for name in ("total_targets", "disabled_targets")}
    for tier in objects_at(pool, "usage"):
        name = str(at(tier, "tier_name")).lower()
        if name in TIERS:
            values[name + "_bytes"] = count_at(tier, "size")
    return without_none(values)


def parse_properties(text):
    """{property: value} of `daos -j container get-prop POOL CONT`. Raises ValueError for other texts."""
    listed = objects_at({"": parse_answer(text)}, "")
    if not listed:
        raise ValueError("not container get-prop")
    pairs = [(str(at(entry, "name")), at(entry, "value")) for entry in listed]
    return {name: value for name, value in pairs if name in PROPERTIES and is_harmless(value)}


def is_harmless(value):
    return isinstance(value, (bool, int)) or (isinstance(value, str) and PROPERTY.fullmatch(value) is not None)


def parse_attributes(text):
    """{oclass, dir_oclass, file_oclass, chunk_size} of `daos -j fs get-attr POOL CONT`.

    Raises ValueError for other texts.
    """
    attributes = parse_answer(text)
    names = [name for name in ("oclass", "dir_oclass", "file_oclass") if CLASSES.fullmatch(str(at(attributes, name)))]
    values = {name: attributes[name] for name in names}
    values["chunk_size"] = count_at(attributes, "chunk_size")
    if not without_none(values):
        raise ValueError("not fs get-attr")
    return without_none(values)


def parse_network_scan(text):
    """[{key: value}] per kind of host of `dmg -j network scan`. Raises ValueError for other texts."""
    hosts = parse_answer(text, "HostFabrics")["HostFabrics"]
    fabrics = [at(host, "HostFabric") for host in hosts.values()] if isinstance(hosts, dict) else []
    return [fabric_values(fabric) for fabric in fabrics]


def fabric_values(fabric):
    offered = at(fabric, "Providers")
    names = [name for name in offered if PROVIDERS.fullmatch(str(name))] if isinstance(offered, list) else []
    interfaces = {
        at(entry, "Device") for entry in objects_at(fabric, "Interfaces") if isinstance(at(entry, "Device"), str)
    }
    values = {"providers": " ".join(names) or None, "fabric_interfaces": len(interfaces)}
    values.update(numa_nodes=count_at(fabric, "NumaCount"), cores_per_numa_node=count_at(fabric, "CoresPerNuma"))
    return without_none(values)


def parse_storage_scan(text):
    """[{nvme_drives, nvme_bytes, scm_namespaces, scm_bytes}] per kind of host of `dmg -j storage scan`."""
    hosts = parse_answer(text, "HostStorage")["HostStorage"]
    stores = [at(host, "storage") for host in hosts.values()] if isinstance(hosts, dict) else []
    return [storage_values(storage) for storage in stores]


def storage_values(storage):
    drives = objects_at(storage, "nvme_devices")
    sizes = [count_at(space, "size") or 0 for drive in drives for space in objects_at(drive, "namespaces")]
    memory = [count_at(space, "size") or 0 for space in objects_at(storage, "scm_namespaces")]
    return {
        "nvme_drives": len(drives),
        "nvme_bytes": sum(sizes),
        "scm_namespaces": len(memory),
        "scm_bytes": sum(memory),
    }


def parse_system_query(text):
    """{engines, engines_STATE} of `dmg -j system query`. Raises ValueError for other texts."""
    members = objects_at(parse_answer(text, "members"), "members")
    states = [at(member, "state") for member in members]
    counts = {"engines_" + state: states.count(state) for state in MEMBER_STATES if state in states}
    return dict({"engines": len(members)}, **counts)


class DaosProbe(Probe):
    id = "daos"
    provides = ("daos.pool", "daos.container", "daos.engine")
    privilege = "root"
    cost = "moderate"
    reads = (
        "daos -j pool query POOL",
        "daos -j pool list",
        "daos -j container get-prop POOL CONTAINER",
        "daos -j fs get-attr POOL CONTAINER",
        "dmg -j network scan",
        "dmg -j storage scan",
        "dmg -j system query",
        mounts.MOUNTS,
        "$DAOS_POOL",
        "$DAOS_CONT",
    )

    def applies(self, door):
        return (
            door.exists(AGENT)
            or door.exists(CONTROL)
            or mounts.has_mount(door, lambda mount: mounts.SYSTEM_TYPES.get(mount.type) == "daos")
        )

    def read(self, door):
        """The pool and container are those of DAOS_POOL and DAOS_CONT; their names go to the commands alone."""
        pool, container = (self.label(door, name) for name in ("DAOS_POOL", "DAOS_CONT"))
        raw = {"pools": door.command(["daos", "-j", "pool", "query", pool] if pool else ["daos", "-j", "pool", "list"])}
        if pool and container:
            raw["properties"] = door.command(["daos", "-j", "container", "get-prop", pool, container])
            raw["attributes"] = door.command(["daos", "-j", "fs", "get-attr", pool, container])
        if door.exists(CONTROL):
            for name, scan in (("network", "scan"), ("storage", "scan"), ("system", "query")):
                raw[name] = door.command(["dmg", "-j", name, scan])
        return raw

    @staticmethod
    def label(door, variable):
        text = door.environment.get(variable, "")
        return text if LABEL.fullmatch(text) else None

    def parse(self, raw):
        pools = input_parsing.read_as(one_or_many_pools, raw["pools"])
        yield from map_facts("daos.pool", pools)
        yield from map_facts("daos.container", *read_all(raw, properties=parse_properties, attributes=parse_attributes))
        engines = read_all(raw, network=parse_network_scan, storage=parse_storage_scan, system=parse_system_query)
        yield from map_facts("daos.engine", *engines)
        if pools.value:
            targets = sum(pool.get("total_targets", 0) for pool in pools.value)
            yield Item("storage_systems", {"name": "daos", "type": "daos", "data_targets": targets})


def one_or_many_pools(text):
    return parse_pool_list(text) if '"pools"' in text else [parse_pool_query(text)]


def read_all(raw, **parsers):
    return [input_parsing.read_as(parse, raw[name]) for name, parse in parsers.items() if name in raw]


def map_facts(parameter, *readings):
    """Facts of a map parameter from readings of objects, or of lists of them; a gap where none has a value."""
    if not any(reading.value for reading in readings):
        yield input_parsing.gap(parameter, *readings)
    for reading in readings:
        for values in reading.value if isinstance(reading.value, list) else [reading.value or {}]:
            for key, value in sorted(values.items()):
                yield Fact(parameter, value, reading.source, key)


PROBES = (DaosProbe(),)
