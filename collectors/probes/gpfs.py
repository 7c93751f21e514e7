"""Spectrum Scale (GPFS): tunables and geometry. Names of nodes, clusters, file systems and disks stay at the site."""

import re
from collections import Counter
from urllib.parse import unquote

from collectors.node.node_access import Input
from collectors.probe_results import Fact, Item, Missing
from collectors.probes import Probe, mounts

SOFTWARE = "/usr/lpp/mmfs/bin"
COMMANDS = {
    "mmlsconfig": ["mmlsconfig"],
    "mmlsfs": ["mmlsfs", "all", "-Y"],
    "mmlscluster": ["mmlscluster"],
    "verbs": ["mmfsadm", "test", "verbs", "status"],
}

# Tunables by name or by how their name begins; a cluster's names, addresses, ports, traces and passwords are not here.
TUNABLES = frozenset(
    """
    adminMode allToAllConnection allowFullblockRead allowSuperstrideReadFastpath autoBuildGPL autoCompactDir autoload
    avoidDirFragments cipherList disableInodeUpdateOnFdatasync dioReentryThreshold dmapiFileHandleSize
    enforceFilesetQuotaOnRoot fgdlTokenBatchAcquire fsyncIsGlobal ignorePrefetchLUNCount initPrefetchBuffers
    inodePrefetchThreshold logBufferCount logWrapAmountPct logWrapThreads metadataDiskWaitTimePct minMissedPingTimeout
    minReleaseLevel nBucketGroups numaMemoryInterleave pageCleanerThreads panicOnIOHang pitWorkerThreadsPerNode
    preferDesignatedMnode privateSubnetOverride proactiveReconnect randomReadblockThreshold release
    restripeOnDiskFailure scatterBufferSize scatterBuffers seqDiscardThreshhold seqDiscardThreshold sharedMemLimit
    syncBuffsPerIteration syncInterval syncWorkerThreads tasksPerNode tokenMemLimit tscCmdAllowRemoteConnections
    unmountOnDiskFail useNoSpaceReplication useNSDserver worker1Threads worker3Threads workerThreads
    writeAheadThreshold writebehindThreshold
    """.split()
)
TUNABLE_FAMILIES = (
    "dataShip",
    "max",
    "nsd",
    "nspd",
    "pagepool",
    "prefetch",
    "verbsRdma",
    "verbsGPUDirect",
    "verbsRecv",
    "flush",
)
NUMBER = re.compile(r"(-?\d{1,18})([kmgt]?)b?", re.IGNORECASE)
RELEASE = re.compile(r"\d{1,3}(\.\d{1,3}){1,4}")
WORDS = frozenset(
    """
    yes no enable enabled disable disabled on off all none true false default scatter cluster nfs4 posix relatime
    whenpossible always never central AUTHONLY EMPTY DEFAULT info state user nodefault automatic
    """.split()
)
DEVICE = re.compile(r"/?[A-Za-z0-9_][A-Za-z0-9_./-]{0,120}")
# These are scripts that ask the cluster, and slow.
TIMEOUT_S = 4.0
NOT_RUN = Input(None, "not_applicable", "not one file system", "command")
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}

# The names that `mmlsfs -Y` uses, by the flag of the printed table.
GEOMETRY = {
    "-B": "blockSize",
    "-D": "fileLockingType",
    "-E": "exactMtime",
    "-I": "indirectBlockSize",
    "-K": "strictReplication",
    "-L": "logfileSize",
    "-M": "maxMetadataReplicas",
    "-R": "maxDataReplicas",
    "-S": "suppressAtime",
    "-V": "filesystemVersion",
    "-f": "minFragmentSize",
    "-i": "inodeSize",
    "-j": "blockAllocationType",
    "-k": "ACLSemantics",
    "-m": "defaultMetadataReplicas",
    "-n": "numNodes",
    "-r": "defaultDataReplicas",
    "--encryption": "encryption",
    "--fastea": "fastEAenabled",
    "--flush-on-close": "flushOnClose",
    "--inode-limit": "maxNumberOfInodes",
    "--is4KAligned": "is4KAligned",
    "--log-replicas": "logReplicas",
    "--rapid-repair": "rapidRepairEnabled",
    "--subblocks-per-full-block": "subblocksPerFullBlock",
    "--write-cache-threshold": "write-cache-threshold",
}


def parse_mmlsconfig(text):
    """Counter of (tunable, value) of `mmlsconfig`, printed or with -Y. Raises ValueError for other texts.

    A section is named after nodes and node classes. Of the names only their number is kept: it is the count of a value,
    1 for what holds for the cluster.
    """
    if is_table(text):
        rows = table(text, "mmlsconfig")
        triples = [(row.get("configParameter", ""), row.get("value", ""), row.get("nodeList", "")) for row in rows]
    else:
        triples = sectioned(text)
    if not triples:
        raise ValueError("not mmlsconfig")
    counts = Counter()
    for name, value, nodes in triples:
        allowed_value = tunable_value(name, value)
        if allowed_value is not None:
            counts[name, allowed_value] += 1 if nodes in ("", "common") else len(nodes.split(","))
    return counts


def sectioned(text):
    """(name, value, section) of the printed form. Raises ValueError for other texts."""
    begin = text.find("Configuration data for cluster ")
    if begin < 0:
        raise ValueError("not mmlsconfig")
    section, triples = "common", []
    for line in text[begin:].splitlines()[2:]:
        if line.startswith("File systems in cluster"):
            break
        heading = re.fullmatch(r"\[(.*)\]\s*", line)
        name, _, value = line.partition(" ")
        if heading:
            section = heading.group(1)
        elif name:
            triples.append((name, value.strip(), section))
    return triples


def tunable_value(name, value):
    """The value of an allowed tunable as a number, boolean or known word; None for everything else."""
    if name not in TUNABLES and not name.startswith(TUNABLE_FAMILIES):
        return None
    return allowed_word(value) if re.fullmatch(r"[A-Za-z0-9]{1,60}", name) else None


def allowed_word(value):
    number = NUMBER.fullmatch(value)
    if number:
        return int(number.group(1)) * UNITS[number.group(2).lower()]
    if value in ("yes", "no"):
        return value == "yes"
    return value if value in WORDS or RELEASE.fullmatch(value) else None


def parse_mmlsfs(text):
    """[(name, value)] of `mmlsfs`, printed or with -Y, for all its file systems. Raises ValueError for other texts."""
    if is_table(text):
        pairs = [(row.get("fieldName"), row.get("data", "")) for row in table(text, "mmlsfs")]
    else:
        lines = re.findall(r"^ (--?[\w-]+)[ \t]+(.*)$", text, re.MULTILINE)
        pairs = [(GEOMETRY[flag], rest.split("  ")[0]) for flag, rest in lines if flag in GEOMETRY]
        if not text.lstrip("\n").startswith("flag "):
            raise ValueError("not mmlsfs")
    geometry = [(name, geometry_value(name, value.strip())) for name, value in pairs if name in GEOMETRY.values()]
    return [(name, value) for name, value in geometry if value is not None]


def geometry_value(name, value):
    if name == "filesystemVersion":
        return value if re.fullmatch(r"\d{1,3}\.\d{2} \([\d.]{1,20}\)", value) else None
    return allowed_word(value)


def parse_mmlscluster(text):
    """{cluster_nodes, quorum_nodes, manager_nodes} of `mmlscluster`. Raises ValueError for other texts."""
    if "GPFS cluster information" not in text:
        raise ValueError("not mmlscluster")
    roles = [match.split()[-1] for match in re.findall(r"^ +\d+ +(\S.*)$", text, re.MULTILINE)]
    counts = {role + "_nodes": sum(role in each.split("-") for each in roles) for role in ("quorum", "manager")}
    return dict({"cluster_nodes": len(roles)}, **counts)


def parse_mmlsdisk(text):
    """{data_targets, metadata_targets} of `mmlsdisk -Y`: disks by what they may hold.

    Raises ValueError for other texts.
    """
    disks = table(text, "mmlsdisk")
    if not disks:
        raise ValueError("not mmlsdisk -Y")
    return {kind + "_targets": sum(row.get(kind) == "yes" for row in disks) for kind in ("data", "metadata")}


def parse_verbs(text):
    """The state of RDMA (`started`, `disabled`, ...) of `mmfsadm test verbs status`.

    Raises ValueError for other texts.
    """
    match = re.search(r"^VERBS RDMA status: (started|stopped|disabled|initialized)\s*$", text, re.MULTILINE)
    if match is None:
        raise ValueError("not mmfsadm test verbs status")
    return match.group(1)


def is_table(text):
    return re.match(r"\s*\w+:\w*:HEADER:", text) is not None


def table(text, command):
    """Rows of the `-Y` output of a command as dicts by the names of their HEADER line.

    Raises ValueError where it has none.
    """
    headers, rows = {}, []
    for line in text.splitlines():
        fields = [unquote(field) for field in line.strip().split(":")]
        if len(fields) < 3 or fields[0] != command:
            continue
        if fields[2] == "HEADER":
            headers[fields[1]] = fields
        elif fields[1] in headers:
            rows.append(dict(zip(headers[fields[1]], fields)))
    if not headers:
        raise ValueError("no HEADER line of " + command)
    return rows


def is_gpfs(mount):
    return mount.type == "gpfs"


class GpfsProbe(Probe):
    id = "gpfs"
    provides = ("gpfs.mmlsconfig", "gpfs.mmlsfs")
    privilege = "root"
    cost = "moderate"
    reads = tuple(" ".join(argv) for argv in COMMANDS.values()) + ("mmlsdisk DEVICE -Y", mounts.MOUNTS)

    def applies(self, door):
        return door.exists(SOFTWARE) or mounts.has_mount(door, is_gpfs)

    def read(self, door):
        raw = {name: door.command(argv, timeout_s=TIMEOUT_S) for name, argv in COMMANDS.items()}
        tested_mounts = mounts.under_test(mounts.mounts_in(mounts.read_mounts(door)), door.test_directory)
        devices = [mount.source for mount in tested_mounts if is_gpfs(mount) and DEVICE.fullmatch(mount.source)]
        raw["mmlsdisk"] = door.command(["mmlsdisk", devices[0], "-Y"]) if len(devices) == 1 else NOT_RUN
        return raw

    def parse(self, raw):
        yield from self.configuration(raw)
        if raw["mmlsfs"].text is None:
            yield Missing("gpfs.mmlsfs", raw["mmlsfs"].reason, raw["mmlsfs"].detail)
        else:
            for name, value in parse_mmlsfs(raw["mmlsfs"].text):
                yield Fact("gpfs.mmlsfs", value, "command", name)
        yield from self.system(raw)

    @staticmethod
    def configuration(raw):
        if raw["mmlsconfig"].text is None:
            yield Missing("gpfs.mmlsconfig", raw["mmlsconfig"].reason, raw["mmlsconfig"].detail)
            return
        for (name, value), instances in sorted(parse_mmlsconfig(raw["mmlsconfig"].text).items(), key=str):
            yield Fact("gpfs.mmlsconfig", value, "command", name, instances)
        if raw["mmlscluster"].text:
            for name, count in sorted(parse_mmlscluster(raw["mmlscluster"].text).items()):
                yield Fact("gpfs.mmlsconfig", count, "command", name)
        if raw["verbs"].text:
            yield Fact("gpfs.mmlsconfig", parse_verbs(raw["verbs"].text), "command", "verbs_rdma_status")

    @staticmethod
    def system(raw):
        system = {"name": "gpfs", "type": "gpfs"}
        if raw["mmlsconfig"].text:
            releases = [value for name, value in parse_mmlsconfig(raw["mmlsconfig"].text) if name == "minReleaseLevel"]
            system.update({"version": releases[0]} if releases else {})
        if raw["mmlsdisk"].text:
            system.update(parse_mmlsdisk(raw["mmlsdisk"].text))
        if len(system) > 2:
            yield Item("storage_systems", system)


PROBES = (GpfsProbe(),)
