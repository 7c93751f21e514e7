"""BeeGFS clients: version, tunables, striping, and whether the servers are talked to by RDMA or, silently, by TCP."""

import re
from collections import Counter

from collectors.probe_results import Fact, Item, Missing
from collectors.probes import Probe, mounts

VERSION = "/sys/module/beegfs/version"
CLIENTS = "/proc/fs/beegfs"
CONFIG = CLIENTS + "/*/config"
NODES = CLIENTS + "/*/storage_nodes"

# Interfaces, host names, files and ports of beegfs-client.conf are not here.
TUNABLES = frozenset(
    """
    connCommRetrySecs connFallbackExpirationSecs connMaxConcurrentAttempts connMaxInternodeNum connMessagingTimeouts
    connNumCommRetries connRDMABufNum connRDMABufSize connRDMAFragmentSize connRDMAKeyType
    connRDMAMetaBufNum connRDMAMetaBufSize connRDMATypeOfService connRDMATimeouts connTCPRcvBufSize connUDPRcvBufSize
    connUnmountRetries connUseRDMA logLevel quotaEnabled remapConnectionFailureStatus sysACLsEnabled
    sysBypassFileAccessCheckOnMeta sysCacheInvalidationVersion sysCreateHardlinksAsSymlinks sysFileEventLogMask
    sysMountSanityCheckMS sysNoEnterpriseFeatureMsg sysRenameEbusyAsXdev sysSELinuxEnabled sysSELinuxRevalidate
    sysSessionChecksEnabled sysSyncOnClose sysTargetOfflineTimeoutSecs sysUpdateTargetStatesSecs
    sysXAttrsCheckCapabilities sysXAttrsEnabled sysXAttrsImplementation tuneCoherentBuffers tuneDirCacheCapacity
    tuneDirSubentryCacheValidityMS tuneENOENTCacheValidityMS tuneEarlyCloseResponse tuneEarlyStat tuneFileCacheBufNum
    tuneFileCacheBufSize tuneFileCacheType tuneFileSubentryCacheValidityMS tuneInodeBlockBits tuneInodeBlockSize
    tuneInodeCacheBufNum tuneMaxClientMirrorSize tuneMaxReadWriteNodesNum tuneMaxReadWriteNum tuneMsgBufNum
    tuneMsgBufSize tuneNumRetryWorkers tuneNumWorkers tunePageCacheValidityMS tunePathBufNum tunePathBufSize
    tuneRefreshOnGetAttr tuneRemoteFSync tuneUseBufferedAppend tuneUseGlobalAppendLocks tuneUseGlobalFileLocks
    """.split()
)
VALUE = re.compile(
    r"-?\d{1,15}[kKmMgG]?|true|false|none|buffered|native|paged|never|always|metadata|register|dma|global"
)
VERSION_TEXT = re.compile(r"[0-9][0-9A-Za-z.:+-]{0,60}")
CONNECTIONS = re.compile(r"(RDMA|TCP|SDP): (\d{1,9})\b")
STRIPE_KEYS = {"Type": "pattern", "Chunksize": "chunk_size_bytes"}
PATTERNS = ("RAID0", "RAID10", "Buddy Mirror", "Buddymirror")
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_config(text):
    """{tunable: value} of `name = value` lines, the allowed ones. Raises ValueError for a text without such lines."""
    values_by_name = dict(re.findall(r"^[ \t]*(\w+)[ \t]*=[ \t]*(.*?)[ \t]*$", text, re.MULTILINE))
    if not values_by_name:
        raise ValueError("not a BeeGFS configuration")
    return {
        name: typed(value)
        for name, value in sorted(values_by_name.items())
        if name in TUNABLES and VALUE.fullmatch(value)
    }


def typed(value):
    if value in ("true", "false"):
        return value == "true"
    return int(value) if re.fullmatch(r"-?\d+", value) else value


def parse_nodes(text):
    """(number of servers, Counter of connections by transport) of a node list with connections.

    Raises ValueError for others.

    The form of /proc/fs/beegfs/*/storage_nodes, which beegfs-net prints below headings. A server without a connection
    counts under `none`: the client has not talked to it yet, or cannot.
    """
    servers = re.findall(r"^[^\s:]+ \[ID: \d+\]\s*$", text, re.MULTILINE)
    lines = re.findall(r"^\s+Connections:(.*)$", text, re.MULTILINE)
    if not servers or len(lines) > len(servers):
        raise ValueError("not a BeeGFS node list")
    counts = Counter()
    for line in lines:
        connections = CONNECTIONS.findall(line)
        counts.update({"none": 1} if not connections else {})
        for transport, count in connections:
            counts[transport.lower()] += int(count)
    return len(servers), counts


def parse_entry(text):
    """{pattern, chunk_size_bytes, targets_desired, targets_actual} of `beegfs-ctl --getentryinfo`.

    Raises ValueError for other texts.

    `actual` below `desired` is a file on fewer targets than asked for.
    """
    fields = dict(re.findall(r"^\+ (Type|Chunksize): (\S[^\n]*?)\s*$", text, re.MULTILINE))
    if "Type" not in fields and "Chunksize" not in fields:
        raise ValueError("not beegfs-ctl --getentryinfo")
    stripe = {}
    if fields.get("Type") in PATTERNS:
        stripe["pattern"] = fields["Type"]
    size = re.fullmatch(r"(\d{1,12})([KMGT]?)", fields.get("Chunksize", ""))
    if size:
        stripe["chunk_size_bytes"] = int(size.group(1)) * UNITS[size.group(2)]
    targets = re.search(r"^\+ Number of storage targets:(.*)$", text, re.MULTILINE)
    for word, count in re.findall(r"(desired|actual): (\d{1,9})", targets.group(1) if targets else ""):
        stripe["targets_" + word] = int(count)
    return stripe


class BeegfsProbe(Probe):
    id = "beegfs"
    provides = ("beegfs.version", "beegfs.client_conf", "beegfs.connections", "beegfs.stripe")
    reads = (VERSION, CONFIG, NODES, mounts.MOUNTS, "beegfs-ctl --getentryinfo -- DIRECTORY")

    def applies(self, door):
        return door.exists(CLIENTS) or door.exists("/sys/module/beegfs")

    def read(self, door):
        raw = {VERSION: door.file(VERSION)}
        raw.update({pattern: door.files(pattern) for pattern in (CONFIG, NODES)})
        if self.is_tested(door):
            raw["stripe"] = door.command(["beegfs-ctl", "--getentryinfo", "--", door.test_directory])
        return raw

    @staticmethod
    def is_tested(door):
        tested = mounts.under_test(mounts.mounts_in(mounts.read_mounts(door)), door.test_directory)
        return bool(door.test_directory) and any(mount.type == "beegfs" for mount in tested)

    def parse(self, raw):
        version = (raw[VERSION].text or "").strip()
        if VERSION_TEXT.fullmatch(version):
            yield Fact("beegfs.version", version, raw[VERSION].source)
            yield Item("storage_systems", {"name": "beegfs", "type": "beegfs", "version": version})
        else:
            yield Missing("beegfs.version", raw[VERSION].reason or "parse_error", raw[VERSION].detail)
        yield from map_facts(raw[CONFIG], "beegfs.client_conf", parse_config)
        yield from map_facts(raw[NODES], "beegfs.connections", connection_values)
        yield from map_facts({"": raw["stripe"]} if "stripe" in raw else {}, "beegfs.stripe", parse_entry)


def connection_values(text):
    servers, counts = parse_nodes(text)
    return dict({"storage_servers": servers}, **counts)


def map_facts(inputs, parameter, parse):
    """Facts of a map parameter from several inputs of one kind, or why an input says nothing."""
    for file_input in inputs.values():
        if file_input.text is None:
            yield Missing(parameter, file_input.reason, file_input.detail)
            continue
        for key, value in parse(file_input.text).items():
            yield Fact(parameter, value, file_input.source, key)


PROBES = (BeegfsProbe(),)
