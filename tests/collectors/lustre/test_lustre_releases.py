"""The same values where each release of Lustre keeps them: what is told is the same, only its source differs."""

import csv

import pytest

from collectors.probes import lnet, lustre_client, lustre_filesystem, lustre_server
from tests.collectors.lustre.conftest import MOUNT, LustreNode, everything, gaps, osc

RELEASES = ("2.10", "2.12", "2.14", "2.15", "2.17")
ROOTS = {"P": "/proc/fs/lustre", "S": "/sys/fs/lustre", "D": "/sys/kernel/debug/lustre"}
MDC, LLITE = f"fs-MDT0000-mdc-{MOUNT}", f"fs-{MOUNT}"
RPCS = "pages per rpc         rpcs   % cum % |       rpcs   % cum %\n4:  1 100 100 | 2 100 100\n"
AHEAD = "snapshot_time 1.0 secs.nsecs\nhits 7 samples [pages]\nmisses 1 samples [pages]\n"
CACHED = "users: 9\nmax_cached_mb: 32064\nused_mb: 5116\n"
IMPORT = "import:\n    connect_flags: [ version ]\n    connect_data:\n       max_brw_size: 4194304\n"

# Where each parameter lies in the five releases (procfs, sysfs, debugfs), what the file holds, what is to be told.
CLIENT = {
    "osc.active": ("PSSSS", f"osc/{osc(0)}/active", "1\n", True),
    "osc.checksum_type": ("PPPPS", f"osc/{osc(0)}/checksum_type", "crc32 adler [crc32c] \n", "crc32c"),
    "osc.checksums": ("PSSSS", f"osc/{osc(0)}/checksums", "1\n", True),
    "osc.grant": ("PPPPS", f"osc/{osc(0)}/cur_grant_bytes", "9699328\n", 9699328),
    "osc.import": (
        "PPPPD",
        f"osc/{osc(0)}/import",
        IMPORT,
        {"connect_flags": "version", "max_brw_size_bytes": 4194304},
    ),
    "osc.max_dirty_mb": ("PSSSS", f"osc/{osc(0)}/max_dirty_mb", "32\n", 32),
    "osc.max_pages_per_rpc": ("PPPPS", f"osc/{osc(0)}/max_pages_per_rpc", "1024\n", 1024),
    "osc.max_rpcs_in_flight": ("PSSSS", f"osc/{osc(0)}/max_rpcs_in_flight", "8\n", 8),
    "osc.resend_count": ("PSSSS", f"osc/{osc(0)}/resend_count", "10\n", 10),
    "osc.rpc_stats": (
        "PPPPD",
        f"osc/{osc(0)}/rpc_stats",
        RPCS,
        {"read_total": 1, "write_total": 2, "read_4_pages": 1, "write_4_pages": 2},
    ),
    "mdc.max_mod_rpcs_in_flight": ("PSSSS", f"mdc/{MDC}/max_mod_rpcs_in_flight", "7\n", 7),
    "mdc.max_rpcs_in_flight": ("PSSSS", f"mdc/{MDC}/max_rpcs_in_flight", "8\n", 8),
    "llite.fast_read": ("PSSSS", f"llite/{LLITE}/fast_read", "1\n", True),
    "llite.lazystatfs": ("PSSSS", f"llite/{LLITE}/lazystatfs", "1\n", True),
    "llite.max_cached_mb": ("PPDDD", f"llite/{LLITE}/max_cached_mb", CACHED, 32064),
    "llite.max_read_ahead_mb": ("PPSSS", f"llite/{LLITE}/max_read_ahead_mb", "64\n", 64),
    "llite.max_read_ahead_per_file_mb": ("PPSSS", f"llite/{LLITE}/max_read_ahead_per_file_mb", "64\n", 64),
    "llite.max_read_ahead_whole_mb": ("PPSSS", f"llite/{LLITE}/max_read_ahead_whole_mb", "2\n", 2),
    "llite.read_ahead_stats": ("PPDDD", f"llite/{LLITE}/read_ahead_stats", AHEAD, {"hits": 7, "misses": 1}),
    "llite.statahead_agl": ("PSSSS", f"llite/{LLITE}/statahead_agl", "0\n", False),
    "llite.statahead_max": ("PSSSS", f"llite/{LLITE}/statahead_max", "32\n", 32),
    "llite.statahead_running_max": ("PSSSS", f"llite/{LLITE}/statahead_running_max", "16\n", 16),
    "llite.xattr_cache": ("PSSSS", f"llite/{LLITE}/xattr_cache", "1\n", True),
    "ldlm.lru_max_age": ("PSSSS", f"ldlm/namespaces/{osc(0)}/lru_max_age", "3900000\n", 3900000),
    "ldlm.lru_size": ("PSSSS", f"ldlm/namespaces/{osc(0)}/lru_size", "9600\n", 9600),
    "jobid_var": ("PSSSS", "jobid_var", "disable\n", "disable"),
}
SERVER = {
    "backend": ("PPSSS", "osd-ldiskfs/fs-OST0000/fstype", "ldiskfs\n", "ldiskfs"),
    "obdfilter.brw_size": ("PPPPS", "obdfilter/fs-OST0000/brw_size", "16\n", 16),
    "degraded": ("PSSSS", "obdfilter/fs-OST0000/degraded", "0\n", False),
    "sync_journal": ("PSSSS", "obdfilter/fs-OST0000/sync_journal", "0\n", False),
    "num_exports": ("PPSSS", "obdfilter/fs-OST0000/num_exports", "129\n", 129),
    "grant_compat": ("PPSSS", "obdfilter/fs-OST0000/grant_compat_disable", "0\n", False),
    "read_cache": ("PPSSS", "osd-ldiskfs/fs-OST0000/read_cache_enable", "0\n", False),
    "writethrough_cache": ("PPSSS", "osd-ldiskfs/fs-OST0000/writethrough_cache_enable", "1\n", True),
    "readcache_max_filesize": ("PPDDS", "osd-ldiskfs/fs-OST0000/readcache_max_filesize", "1048576\n", 1048576),
}
COUNTS = {
    f"lov/fs-clilov-{MOUNT}/numobd": "1\n",
    f"lov/fs-clilov-{MOUNT}/activeobd": "1\n",
    f"lmv/fs-clilmv-{MOUNT}/numobd": "2\n",
    f"lmv/fs-clilmv-{MOUNT}/activeobd": "2\n",
    f"llite/{LLITE}/kbytestotal": "1000\n",
    f"llite/{LLITE}/kbytesavail": "750\n",
    f"llite/{LLITE}/filestotal": "100\n",
    f"llite/{LLITE}/filesfree": "90\n",
}
PROBES = lustre_client.PROBES + lustre_filesystem.PROBES + lustre_server.PROBES + lnet.PROBES


def placed(tmp_path, release):
    """A node that is client and server at once, with its files where one release keeps them."""
    column = RELEASES.index(release)
    (tmp_path / release).mkdir()
    node = LustreNode(tmp_path / release)
    for places, name, text, _value in [*CLIENT.values(), *SERVER.values()]:
        node.put({ROOTS[places[column]] + "/" + name: text})
    node.put({ROOTS["PSSSS"[column]] + "/" + name: text for name, text in COUNTS.items()})
    node.put({f"{ROOTS['PPPPD'[column]]}/lov/fs-clilov-{MOUNT}/pools/flash": "fs-OST0000_UUID\n"})
    module = "lnet" if release in ("2.15", "2.17") else "libcfs"
    node.put(
        {
            f"/sys/module/{module}/parameters/cpu_npartitions": "8\n",
            f"/sys/module/{module}/parameters/cpu_pattern": "N\n",
            "/sys/module/lnet/parameters/networks": "o2ib(ib0,ib1)\n",
            "/sys/module/libcfs/parameters/libcfs_debug": "0\n",
            "/proc/sys/lnet/cpu_partition_table"
            if release == "2.10"
            else "/sys/kernel/debug/lnet/cpu_partition_table": "0\t: 0 1 4 5\n1\t: 2 3 6 7\n",
            "/proc/fs/lustre/version" if release == "2.10" else "/sys/fs/lustre/version": "lustre: 2.10.8\n",
        }
    )
    return node


def expected():
    facts = {}
    for start, table in (("lustre.client.", CLIENT), ("lustre.server.", SERVER)):
        for name, (_places, _file, _text, value) in table.items():
            for key, scalar in value.items() if isinstance(value, dict) else [(None, value)]:
                facts[start + name, key, type(scalar).__name__, scalar] = 1
    others = [
        ("lustre.version", None, "2.10.8"),
        ("lustre.client.debug", None, "0"),
        ("lustre.fs.ost_count", "visible", 1),
        ("lustre.fs.ost_count", "active", 1),
        ("lustre.fs.mdt_count", "visible", 2),
        ("lustre.fs.mdt_count", "active", 2),
        ("lustre.fs.capacity", "total_kib", 1000),
        ("lustre.fs.capacity", "used_percent", 25),
        ("lustre.fs.capacity", "inodes_used_percent", 10),
        ("lustre.fs.ost_pools", None, "flash"),
        ("lustre.dne", None, "dne1"),
        ("lustre.server.targets_per_server", None, 1),
        ("libcfs.cpu_npartitions", None, 8),
        ("libcfs.cpu_pattern", None, "N"),
        ("lnet.networks", "o2ib", 2),
        ("lnet.multirail", None, 2),
        ("lnet.cpu_partition_table", "partitions", 2),
        ("lnet.cpu_partition_table", "cpus_of_0", "0-1,4-5"),
        ("lnet.cpu_partition_table", "cpus_of_1", "2-3,6-7"),
    ]
    facts.update({(name, key, type(value).__name__, value): 1 for name, key, value in others})
    return facts


@pytest.mark.parametrize("release", RELEASES)
def test_equal_values_of_every_release_give_equal_facts(tmp_path, release):
    node = placed(tmp_path, release)
    assert everything(node.said_of(PROBES)) == expected()


JUNK = (
    "",
    "\0\1\2\xff",
    "9" * 400,
    "a\nb\nc",
    "[[[[" * 2000,
    "import:\n" * 50,
    "pages per rpc\n1: x\n",
    "٣",
    "-" * 70000,
)


@pytest.mark.parametrize("junk", JUNK, ids=range(len(JUNK)))
def test_junk_in_every_file_makes_gaps_and_no_error(tmp_path, junk):
    node = placed(tmp_path, "2.15")
    for place in node.root.rglob("*"):
        if place.is_file():
            place.write_text(junk)
    door = node.door()
    for probe in PROBES:
        if probe.applies(door):
            output = node.said(probe)
            assert {piece.id for piece in output.pieces if hasattr(piece, "id")} == set(probe.provides)
    assert gaps(node.said_of(PROBES))["lustre.client.osc.max_dirty_mb"] in ("parse_error", "output_limit")


def test_each_parameter_is_read_from_the_places_of_all_releases(shared):
    with (shared / "reference" / "lustre-param-location.csv").open() as stream:
        rows = {row["device"] + "/" + row["parameter"]: set(row.values()) for row in csv.DictReader(stream)}
    parameters = [
        parameter
        for parameter in lustre_client.PARAMETERS + lustre_server.EVERYWHERE
        if parameter.device + "/" + parameter.name in rows
    ]
    assert len(parameters) > 40
    for parameter in parameters:
        kept_in_debugfs = "debugfs" in rows[parameter.device + "/" + parameter.name]
        assert parameter.hidden or not kept_in_debugfs, parameter.name
