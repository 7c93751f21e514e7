"""A Lustre client: its release, its tunables and its mounts, without any address, name or path."""

import re

from collectors.node.node_access import KIB
from collectors.probe_results import Fact, Missing
from collectors.probes import Probe
from collectors.probes.lustre_parameters import (
    CLIENT_DEVICE,
    ROOTS,
    choice,
    devices,
    fact_of_input,
    field,
    first_readable,
    flag,
    histogram,
    number,
    parameter,
    parameter_facts,
    places,
    read_all,
)

CLIENT = "lustre.client."
MOUNTS = "/proc/mounts"
MOUNTS_LIMIT_BYTES = 2 * KIB * KIB
MAX_FLAGS_CHARACTERS = 500

MOUNT_OPTIONS = frozenset(
    """
    ro rw flock localflock noflock user_xattr nouser_xattr lazystatfs nolazystatfs checksum nochecksum encrypt
    noencrypt lruresize nolruresize user_fid2path nouser_fid2path always_ping noalways_ping statfs_project
    nostatfs_project 32bitapi 64bitapi tiny_write notiny_write verbose noverbose acl noacl nosuid nodev noexec sync
    async atime noatime relatime norelatime strictatime nodiratime lazytime
    """.split()
)

# The networks of Lustre's network drivers, as they stand behind the @ of an address.
NETWORK = re.compile(r"@(o2ib|tcp|kfi|gni|efa|ptl4|lo)\d*(?=[,:\s]|$)")


def import_summary(text):
    """What a client and a target agreed on, from the text of `osc.*.import`; addresses and identifiers stay behind.

    Raises ValueError for other texts.
    """
    if not text.lstrip().startswith("import:"):
        raise ValueError("no import")
    summary = {}
    size = re.search(r"^\s*max_brw_size:\s*(\d{1,18})\s*$", text, re.MULTILINE)
    version = re.search(r"^\s*target_version:\s*(\d[\w.-]{0,40})\s*$", text, re.MULTILINE | re.ASCII)
    flags = re.search(r"^\s*connect_flags:\s*\[([^\]\n]*)\]", text, re.MULTILINE)
    if size:
        summary["max_brw_size_bytes"] = int(size.group(1))
    if version:
        summary["target_version"] = version.group(1)
    if flags:
        summary["connect_flags"] = shortened(sorted(re.findall(r"[a-z0-9_]{1,40}", flags.group(1)))) or "none"
    if not summary:
        raise ValueError("an import that agreed on nothing")
    return summary


def shortened(words):
    """As many words as the document has room for, whole ones."""
    text = ",".join(words)
    return text if len(text) <= MAX_FLAGS_CHARACTERS else text[:MAX_FLAGS_CHARACTERS].rpartition(",")[0]


def rpc_sizes(text):
    """How many RPCs had how many pages."""
    return histogram(text, "pages per rpc", "pages")


def read_ahead(text):
    """Hits and misses of the readahead since the counters were cleared. Raises ValueError for other texts."""
    if "snapshot_time" not in text:
        raise ValueError("no counters")
    counted = dict(re.findall(r"^(hits|misses)\s+(\d{1,18}) samples", text, re.MULTILINE))
    return {name: int(counted.get(name, 0)) for name in ("hits", "misses")}


def persistent_cache(text):
    """Whether a local cache serves files of the file system: on or off."""
    return "on" if re.search(r"^\s*(?:pccpath|rwid|roid|pccid)\s*:", text, re.MULTILINE) else "off"


def entry(key, value=number):
    """A reader of one entry of a parameter that is a map of several files."""
    return lambda text: {key: value(text)}


PARAMETERS = (
    parameter(CLIENT + "osc.checksums", "osc/checksums", flag),
    parameter(CLIENT + "osc.checksum_type", "osc/checksum_type", choice),
    parameter(CLIENT + "osc.max_rpcs_in_flight", "osc/max_rpcs_in_flight", number),
    parameter(CLIENT + "osc.max_dirty_mb", "osc/max_dirty_mb", number),
    parameter(CLIENT + "osc.max_pages_per_rpc", "osc/max_pages_per_rpc", number),
    parameter(CLIENT + "osc.short_io_bytes", "osc/short_io_bytes", number),
    parameter(CLIENT + "osc.idle_timeout", "osc/idle_timeout", number),
    parameter(CLIENT + "osc.resend_count", "osc/resend_count", number),
    parameter(CLIENT + "osc.grant", "osc/cur_grant_bytes", number),
    parameter(CLIENT + "osc.active", "osc/active", flag),
    parameter(CLIENT + "osc.import", "osc/import", import_summary, hidden=True),
    parameter(CLIENT + "osc.rpc_stats", "osc/rpc_stats", rpc_sizes, adds=True, hidden=True),
    parameter(CLIENT + "mdc.max_rpcs_in_flight", "mdc/max_rpcs_in_flight", number),
    parameter(CLIENT + "mdc.max_mod_rpcs_in_flight", "mdc/max_mod_rpcs_in_flight", number),
    parameter(CLIENT + "llite.max_read_ahead_mb", "llite/max_read_ahead_mb", number),
    parameter(CLIENT + "llite.max_read_ahead_per_file_mb", "llite/max_read_ahead_per_file_mb", number),
    parameter(CLIENT + "llite.max_read_ahead_whole_mb", "llite/max_read_ahead_whole_mb", number),
    parameter(CLIENT + "llite.max_read_ahead_async_active", "llite/max_read_ahead_async_active", number),
    parameter(CLIENT + "llite.max_cached_mb", "llite/max_cached_mb", field("max_cached_mb"), hidden=True),
    parameter(CLIENT + "llite.statahead_max", "llite/statahead_max", number),
    parameter(CLIENT + "llite.statahead_batch_max", "llite/statahead_batch_max", number),
    parameter(CLIENT + "llite.statahead_running_max", "llite/statahead_running_max", number),
    parameter(CLIENT + "llite.statahead_agl", "llite/statahead_agl", flag),
    parameter(CLIENT + "llite.fast_read", "llite/fast_read", flag),
    parameter(CLIENT + "llite.parallel_dio", "llite/parallel_dio", flag),
    parameter(CLIENT + "llite.hybrid_io", "llite/hybrid_io", entry("enabled", flag)),
    parameter(CLIENT + "llite.hybrid_io", "llite/hybrid_io_read_threshold_bytes", entry("read_threshold_bytes")),
    parameter(CLIENT + "llite.hybrid_io", "llite/hybrid_io_write_threshold_bytes", entry("write_threshold_bytes")),
    parameter(CLIENT + "llite.unaligned_dio", "llite/unaligned_dio", flag),
    parameter(CLIENT + "llite.xattr_cache", "llite/xattr_cache", flag),
    parameter(CLIENT + "llite.opencache", "llite/opencache_threshold_count", number),
    parameter(CLIENT + "llite.lazystatfs", "llite/lazystatfs", flag),
    parameter(CLIENT + "llite.read_ahead_stats", "llite/read_ahead_stats", read_ahead, adds=True, hidden=True),
    parameter(CLIENT + "llite.pcc", "llite/pcc", persistent_cache, hidden=True),
    parameter(CLIENT + "ldlm.lru_size", "ldlm/namespaces/lru_size", number),
    parameter(CLIENT + "ldlm.lru_max_age", "ldlm/namespaces/lru_max_age", number),
)


class LustreVersion(Probe):
    id = "lustre.version"
    provides = ("lustre.version",)
    reads = tuple(root + "/version" for root in ROOTS[:2]) + ("/sys/module/lustre/version", "lctl get_param -n version")

    def applies(self, door):
        return any(map(door.exists, (*ROOTS[:2], "/sys/module/lustre")))

    def read(self, door):
        version_inputs = [door.file(path) for path in self.reads[:3]]
        if not any(version_input.text for version_input in version_inputs):
            version_inputs.append(door.command(["lctl", "get_param", "-n", "version"]))
        return {
            "version": next(
                (version_input for version_input in version_inputs if version_input.text), version_inputs[-1]
            )
        }

    def parse(self, raw):
        return [fact_of_input(self.id, raw["version"], release)]


def release(text):
    """The release with a vendor's suffix; 2.10 tells it behind `lustre:` among other lines.

    Raises ValueError where there is none.
    """
    matched = re.search(r"^(?:lustre:|version[=:])?\s*v?(\d+\.\d[\w.+-]{0,60})\s*$", text, re.MULTILINE | re.ASCII)
    if not matched:
        raise ValueError("no release")
    return matched.group(1)


class LustreClient(Probe):
    """The tunables below `lustre.client`."""

    id = "lustre.client"
    provides = tuple(sorted({parameter.id for parameter in PARAMETERS})) + (CLIENT + "debug", CLIENT + "jobid_var")
    privilege = "root"
    cost = "moderate"
    reads = (
        *places(PARAMETERS),
        "/sys/module/libcfs/parameters/libcfs_debug",
        "/proc/sys/lnet/debug",
        "/{sys,proc}/fs/lustre/jobid_var",
    )

    def applies(self, door):
        return is_client(door)

    def read(self, door):
        raw = read_all(door, PARAMETERS, CLIENT_DEVICE)
        raw["debug"] = first_readable(door, ("/sys/module/libcfs/parameters/libcfs_debug", "/proc/sys/lnet/debug"))
        raw["jobid_var"] = first_readable(door, [root + "/jobid_var" for root in ROOTS[:2]])
        return raw

    def parse(self, raw):
        yield from parameter_facts(PARAMETERS, raw, CLIENT_DEVICE)
        yield fact_of_input(CLIENT + "debug", raw["debug"], debug_mask)
        yield fact_of_input(CLIENT + "jobid_var", raw["jobid_var"], choice)


def debug_mask(text):
    """The mask: the number of the module's parameter, or the sorted words of lnet's own file.

    Raises ValueError for other texts.
    """
    words = text.split()
    if not words or not all(re.match(r"^-?[a-z0-9_]{1,20}$", word) for word in words):
        raise ValueError("no debug mask")
    return " ".join(sorted(words))


def is_client(door):
    if any(devices(door, kind, CLIENT_DEVICE) for kind in ("llite", "osc")):
        return True
    return bool(client_mounts(door.file(MOUNTS, MOUNTS_LIMIT_BYTES).text or ""))


def client_mounts(text):
    """(source, mount point, options) of each mounted Lustre; a server's mount of a target names a device instead."""
    return [(source, decode_octal(place), options) for source, place, options in lustre_mounts(text) if ":/" in source]


def lustre_mounts(text):
    """(source, mount point as written, options) of each line of /proc/mounts that is of Lustre, client or target."""
    lines = [line.split(" ") for line in text.splitlines() if " lustre " in line]
    return [(line[0], line[1], line[3].split(",")) for line in lines if len(line) >= 4 and line[2] == "lustre"]


def decode_octal(path):
    """A path as /proc/mounts writes it: a space is \\040."""
    return re.sub(r"\\([0-3][0-7]{2})", lambda matched: chr(int(matched.group(1), 8)), path)


class LustreMounts(Probe):
    id = "lustre.mounts"
    provides = (CLIENT + "mount_options", CLIENT + "mgs_nids")
    reads = (MOUNTS,)

    def applies(self, door):
        return is_client(door)

    def read(self, door):
        return {"mounts": door.file(MOUNTS, MOUNTS_LIMIT_BYTES)}

    def parse(self, raw):
        mount_table = raw["mounts"]
        if mount_table.text is None:
            return [Missing(name, mount_table.reason, mount_table.detail) for name in self.provides]
        facts = []
        for source, _point, options in client_mounts(mount_table.text):
            facts.append(Fact(self.provides[0], allowed_options(options), mount_table.source))
            facts += mgs_addresses(source, mount_table.source)
        return facts or [Missing(name, "not_applicable", "not mounted") for name in self.provides]


def allowed_options(options):
    """The known options, sorted; values and keys that a site may have chosen stay behind."""
    return ",".join(sorted(MOUNT_OPTIONS.intersection(options))) or "none"


def mgs_addresses(source, told_by):
    """How many addresses of the management server are of which network: `key` o2ib, value 2."""
    networks = [network for network in NETWORK.findall(source) if network != "lo"]
    return [Fact(CLIENT + "mgs_nids", networks.count(name), told_by, name) for name in sorted(set(networks))]


PROBES = (LustreVersion(), LustreClient(), LustreMounts())
