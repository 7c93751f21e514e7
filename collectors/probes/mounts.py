"""What is mounted: file systems that a benchmark may meet, with the options that shape their speed.

Sources, mount points and every option outside the lists stay at the site: they name hosts, paths, users and secrets.
"""

import re
from collections import namedtuple

from collectors.probe_results import Item
from collectors.probes import Probe

MOUNTS = "/proc/mounts"
MOUNTS_LIMIT_BYTES = 512 * 1024
MOST_STORAGE_SYSTEMS = 8

NETWORK_TYPES = frozenset(
    """
    9p afs beegfs ceph cifs dvs fhgfs glusterfs gpfs lustre lustre_tgt nfs nfs4 ocfs2 gfs2 orangefs panfs pvfs2
    quobyte smb3 smbfs virtiofs wekafs
    """.split()
)
LOCAL_TYPES = frozenset("bcachefs btrfs ext2 ext3 ext4 f2fs jfs ldiskfs reiserfs xfs zfs".split())
# A FUSE file system names itself as it likes; only well-known names are kept.
FUSE_TYPES = frozenset(
    """
    alluxio-fuse beegfs blobfuse blobfuse2 ceph ceph-fuse cvmfs2 daos dfuse eos gcsfuse gekkofs geesefs
    glusterfs goofys juicefs lizardfs mfs moosefs mount-s3 orangefs quobyte rclone
    s3backer s3fs seaweedfs sshfs unifyfs unionfs wekafs zfs-fuse
    """.split()
)

FLAGS = frozenset(
    """
    32bitapi 64bitapi _netdev ac acl allow_other always_ping async attr2 auto_cache autodefrag barrier big_writes
    coherent cto data_flush dcache default_permissions delalloc delaylog dioread_lock dioread_nolock direct_io dirsync
    discard encrypt extent_cache flock forcedirect fsc grpjquota hard inode64 inode32 intr
    iversion journal_checksum kernel_cache largeio lazystatfs lazytime localflock lock mfsymlinks
    noac noacl noattr2 noatime noasyncreaddir noauto_da_alloc nobarrier noblock_validity nocrc nocto nodatacow nodatasum
    nodcache nodelalloc nodev nodiratime nodiscard noencrypt noexec noflock nofsc nointr nojournal_checksum
    nolazystatfs nolock nologreplay norbytes nordirplus norecovery noresvport norelatime nosharecache
    nosuid notreelog nouser_xattr noquota nowsync obs_direct orlov pnfs prjquota posix posixacl pquota quota
    rbytes rdirplus readcache relatime resvport ro rw seclabel soft softerr softreval ssd ssd_spread space_cache
    statfs_project strictatime swalloc sync sync_on_close treelog user_xattr usrquota verify writecache wsync
    writeback_cache xattr zeroout
    """.split()
)
NUMBERS = frozenset(
    """
    acdirmax acdirmin acregmax acregmin actimeo allocsize attr_timeout bsize caps_max
    caps_wanted_delay_max caps_wanted_delay_min closetimeo commit congestion_threshold dentry_max_age_negative
    dentry_max_age_positive echo_interval entry_timeout inode_readahead_blks jqfmt logbsize logbufs max_background
    max_batch_time max_channels max_connect max_credits max_read max_write min_batch_time minorversion mount_timeout
    msize namlen nconnect negative_timeout num_cores rasize readahead_kb readdir_max_bytes
    readdir_max_entries retrans rsize stripe sunit swidth timeo vers nfsvers write_congestion_kb wsize
    """.split()
)
WORDS = {
    "cache": "none strict loose fscache mmap readahead writeback always auto never metadata",
    "compress": "zlib lzo zstd no none",
    "data": "journal ordered writeback",
    "dax": "always never inode",
    "errors": "continue panic remount-ro shutdown",
    "local_lock": "all flock none posix",
    "lookupcache": "all none pos positive",
    "ms_mode": "legacy crc secure prefer-crc prefer-secure",
    "osd": "osd-ldiskfs osd-zfs osd-wbcfs",
    "proto": "tcp tcp6 udp udp6 rdma rdma6",
    "recover_session": "no clean",
    "sec": "sys none null krb5 krb5i krb5p ntlm ntlmssp ntlmv2",
    "space_cache": "v1 v2",
    "trans": "tcp fd virtio rdma xen",
    "write": "lazy eager wait",
    "xprtsec": "none tls mtls",
}
SYSTEM_TYPES = {
    "beegfs": "beegfs",
    "ceph": "ceph",
    "fhgfs": "beegfs",
    "fuse.ceph": "ceph",
    "fuse.ceph-fuse": "ceph",
    "fuse.daos": "daos",
    "fuse.dfuse": "daos",
    "fuse.gekkofs": "gekkofs",
    "gpfs": "gpfs",
    "lustre": "lustre",
    "nfs": "nfs",
    "nfs4": "nfs",
    "wekafs": "weka",
}
NUMBER = re.compile(r"\d{1,15}(\.\d{1,3})?[kKmMgGtT]?")

Mount = namedtuple("Mount", "type options point source")
Mount.__doc__ = """A mounted file system: `options` is {name: value or True}, unfiltered.

Options that are not allowed, `point` and `source` never leave this process.
"""


def parse_mounts(text):
    """The Mounts of a text like /proc/mounts. Raises ValueError where it is no such text.

    >>> parse_mounts("nas:/x /data nfs4 rw,vers=4.2 0 0")[0].options["vers"]
    '4.2'
    """
    mounts = []
    for line in text.splitlines():
        fields = line.split(" ")
        if len(fields) != 6 or not fields[4].isdigit() or not fields[5].isdigit():
            raise ValueError("not a line of /proc/mounts")
        mounts.append(Mount(fields[2], options_of(fields[3]), unescaped(fields[1]), unescaped(fields[0])))
    return mounts


def options_of(text):
    pairs = [option.partition("=") for option in text.split(",") if option]
    return {name: value if sign else True for name, sign, value in pairs}


def unescaped(field):
    """The kernel writes space, tab, newline and backslash as \\ooo."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match.group(1), 8)), field)


def is_network(mount):
    return mount.type in NETWORK_TYPES or is_fuse(mount)


def is_storage(mount, is_told):
    """Whether a mount stands for a storage system: of Lustre its own probe tells, of a disk where the test is on it."""
    if mount.type.startswith("lustre"):
        return False
    return is_network(mount) or (is_told and mount.type in LOCAL_TYPES)


def is_fuse(mount):
    return mount.type == "fuse" or mount.type.startswith("fuse.")


def publishable_type(mount):
    """The type as it may be told; an unknown FUSE file system is `fuse.other`."""
    if mount.type.startswith("fuse.") and mount.type[len("fuse.") :] not in FUSE_TYPES:
        return "fuse.other"
    return mount.type


def option_values(mount):
    """The allowed options in the order of the mount, as pairs of name and value: a number, a word, or True for none."""
    allowed = [(name, value) for name, value in mount.options.items() if is_allowed(name, value)]
    return [(name, int(value) if value is not True and value.isdigit() else value) for name, value in allowed]


def publishable_options(mount):
    """The allowed options in the order of the mount, as texts."""
    return [name if value is True else "{}={}".format(name, value) for name, value in option_values(mount)]


def is_allowed(name, value):
    if value is True:
        return name in FLAGS
    if name in NUMBERS:
        return bool(NUMBER.fullmatch(value))
    return value in WORDS.get(name, "").split()


def read_mounts(door):
    return door.file(MOUNTS, limit=MOUNTS_LIMIT_BYTES)


def mounts_in(mount_table):
    """The Mounts of an Input; none where it has no text or is no table of mounts."""
    try:
        return parse_mounts(mount_table.text or "")
    except ValueError:
        return []


def has_mount(door, is_wanted):
    """Whether something of a kind is mounted; also where the table cannot be read, so that this is told."""
    mount_table = read_mounts(door)
    if mount_table.text is None:
        return mount_table.reason != "not_applicable"
    return any(map(is_wanted, mounts_in(mount_table)))


def under_test(mounts, test_directory):
    """The mount that a benchmark in `test_directory` uses: the innermost above it; all of them where it is not told."""
    if not test_directory:
        return mounts
    folder = test_directory.rstrip("/") + "/"
    above = [mount for mount in mounts if folder.startswith(mount.point.rstrip("/") + "/")]
    return sorted(above, key=lambda mount: len(mount.point))[-1:]


def parse_df(text):
    """[(size_bytes, fill_ratio)] of the output of `df -P` or `df -k`, in 1 KiB blocks.

    Raises ValueError for other texts.
    """
    lines = text.splitlines()
    if not lines or not re.match(r"Filesystem .*(1K|1024)-blocks", lines[0]):
        raise ValueError("not df with blocks of 1 KiB")
    return [space_of(line) for line in lines[1:]]


def space_of(line):
    """(size_bytes, fill_ratio or None) of one line; a source or mount point with spaces does not matter.

    Raises ValueError for other lines.
    """
    match = re.search(r"\s(\d{1,18})\s+(\d{1,18})\s+\d{1,18}\s+(?:\d{1,4}%|-)\s", line)
    if match is None:
        raise ValueError("not a line of df")
    size, used = int(match.group(1)), int(match.group(2))
    return size * 1024, round(used / size, 3) if 0 < size >= used else None


def capacity_of(df_input):
    """{usable_bytes, fill_ratio} of an Input of df for one mount; empty where it does not say."""
    try:
        ((size_bytes, fill_ratio),) = parse_df(df_input.text or "")
    except ValueError:
        return {}
    space = {"usable_bytes": size_bytes or None, "fill_ratio": fill_ratio}
    return {name: value for name, value in space.items() if value is not None}


def storage_system(mount, df):
    """What a client can tell of the storage system behind a mount; its type is its name until the site gives one."""
    kind = SYSTEM_TYPES.get(mount.type, "local" if mount.type in LOCAL_TYPES else "other")
    system = {"name": publishable_type(mount) if kind == "other" else kind, "type": kind}
    system["access"] = "fuse" if is_fuse(mount) else "kernel_mount"
    system.update(capacity_of(df))
    return system


class MountsProbe(Probe):
    id = "mounts"
    reads = (MOUNTS, "df -k -P DIRECTORY")

    def read(self, door):
        mount_table = read_mounts(door)
        return {MOUNTS: mount_table, "tested": door.test_directory, "df": self.capacities(mounts_in(mount_table), door)}

    @staticmethod
    def capacities(mounts, door):
        """What df says of the storage under test. A command, because asking a dead server directly never returns."""
        has_test_directory = bool(door.test_directory)
        tested = [mount for mount in under_test(mounts, door.test_directory) if is_storage(mount, has_test_directory)]
        return {mount.point: door.command(["df", "-k", "-P", mount.point]) for mount in tested[:MOST_STORAGE_SYSTEMS]}

    def parse(self, raw):
        mounts = parse_mounts(raw[MOUNTS].text or "")
        for mount in mounts:
            if is_network(mount) or mount.type in LOCAL_TYPES:
                yield Item("mounts", {"type": publishable_type(mount), "options": publishable_options(mount)})
        for mount in under_test(mounts, raw["tested"]):
            if mount.point in raw["df"]:
                yield Item("storage_systems", storage_system(mount, raw["df"][mount.point]))


PROBES = (MountsProbe(),)
