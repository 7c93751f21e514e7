"""What stands in Lustre's files and in the outputs of its commands, as values; what is none is refused."""

import pytest

from collectors.probes import lustre_client, lustre_filesystem, lustre_server
from collectors.probes.lustre_parameters import choice, field, flag, get_param_values, histogram, number

RPC_STATS = """snapshot_time:         1510950459.787901292 (secs.nsecs)
read RPCs in flight:  0
pending write pages:  1244

			read			write
pages per rpc         rpcs   % cum % |       rpcs   % cum %
1:		         3   1   1   |       1537   0   0
256:		       217  99 100   |          0   0   0
1024:		         0   0 100   |   16389010 100 100

			read			write
rpcs in flight        rpcs   % cum % |       rpcs   % cum %
1:		         9   9 100   |          9   9 100
"""

IMPORT = """import:
    name: fs-OST0000-osc-ffff88105db50000
    target: fs-OST0000_UUID
    state: FULL
    connect_flags: [ write_grant, server_lock, short_io ]
    connect_data:
       flags: 0x20405af0e3440478
       target_version: 2.15.4.0
       max_brw_size: 4194304
    connection:
       failover_nids: [ 172.20.20.5@o2ib, 172.20.20.6@o2ib ]
       current_connection: 172.20.20.5@o2ib
"""


@pytest.mark.parametrize(
    ("text", "value"),
    [("8\n", 8), (" 32.00 ", 32), ("0.50", 0.5), ("-1", -1), ("18446744073709551615", 2**63 - 1), ("007", 7)],
)
def test_numbers_are_whole_where_they_can_be_and_no_limit_is_the_largest(text, value):
    assert number(text) == value
    assert type(number(text)) is type(value)


@pytest.mark.parametrize("text", ["", "8 MB", "0x10", "1e9", "9" * 20, "9" * 400, "nan", "८", "8\n9", "--1", "1."])
def test_values_that_are_no_numbers_are_refused(text):
    with pytest.raises(ValueError):
        number(text)


def test_switches_and_choices():
    assert [flag(text) for text in ("1\n", "0", "on", "off", "Y", "N")] == [True, False] * 3
    assert choice("crc32 adler [crc32c] \n") == "crc32c"
    assert choice("disable\n") == "disable"
    for wrong in ("2", "", "yes please", "1\n0"):
        with pytest.raises(ValueError):
            flag(wrong)
    for wrong in ("", "crc32 adler", "[]", "a/b", "x" * 65):
        with pytest.raises(ValueError):
            choice(wrong)


def test_a_field_of_several_lines_or_the_number_alone():
    cached = field("max_cached_mb")
    assert cached("users: 9\nmax_cached_mb: 32064\nused_mb: 5116\n") == 32064
    assert cached("32064\n") == 32064
    with pytest.raises(ValueError):
        cached("users: 9\nused_mb: 5116\n")


def test_a_histogram_is_what_was_counted_in_one_table():
    assert histogram(RPC_STATS, "pages per rpc", "pages") == {
        "read_total": 220,
        "write_total": 16390547,
        "read_1_pages": 3,
        "write_1_pages": 1537,
        "read_256_pages": 217,
        "write_1024_pages": 16389010,
    }
    sizes = "                 read      |     write\ndisk I/O size          ios   % cum % |  ios         % cum %\n"
    assert lustre_server.disk_sizes(
        sizes + "4K:\t\t 5 100 100   |    0   0   0\n1M:\t\t 0 0 100   |  698 100 100\n"
    ) == {
        "read_total": 5,
        "write_total": 698,
        "read_4K_bytes": 5,
        "write_1M_bytes": 698,
    }
    with pytest.raises(ValueError):
        histogram("snapshot_time: 1\n", "pages per rpc", "pages")


def test_an_import_keeps_what_was_agreed_and_no_address():
    summary = lustre_client.import_summary(IMPORT)
    assert summary == {
        "connect_flags": "server_lock,short_io,write_grant",
        "max_brw_size_bytes": 4194304,
        "target_version": "2.15.4.0",
    }
    assert lustre_client.import_summary("import:\n connect_flags: [ ]\n") == {"connect_flags": "none"}
    for wrong in ("172.20.20.5@o2ib", "import:\n    state: DISCONN\n"):
        with pytest.raises(ValueError):
            lustre_client.import_summary(wrong)


def test_many_connect_flags_are_cut_between_two_words():
    flags = [f"flag_number_{index:03}" for index in range(100)]
    connect_flags = lustre_client.import_summary("import:\n connect_flags: [ " + ", ".join(flags) + " ]\n")[
        "connect_flags"
    ]
    assert len(connect_flags) <= 500
    assert connect_flags.split(",") == flags[: connect_flags.count(",") + 1]


def test_readahead_counters_count_from_nothing():
    header = "snapshot_time             1510950459.776359249 secs.nsecs\n"
    assert lustre_client.read_ahead(header) == {"hits": 0, "misses": 0}
    counted = header + "hits                      4711 samples [pages]\nmisses                    5 samples [pages]\n"
    assert lustre_client.read_ahead(counted) == {"hits": 4711, "misses": 5}
    with pytest.raises(ValueError):
        lustre_client.read_ahead("hits 1 samples")


def test_a_persistent_cache_is_on_or_off_and_its_path_stays():
    assert lustre_client.persistent_cache("") == "off"
    assert lustre_client.persistent_cache("pcc:\n- pccpath: /mnt/pcc\n  rwid: 2\n") == "on"


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("2.15.4\n", "2.15.4"),
        ("lustre: 2.10.1_35_gc73f0d2\nkernel: patchless_client\nbuild: 2.10.1\n", "2.10.1_35_gc73f0d2"),
        ("2.12.9_12.llnl", "2.12.9_12.llnl"),
        ("2.14.0_ddn145", "2.14.0_ddn145"),
    ],
)
def test_a_release_keeps_the_vendors_suffix(text, release):
    assert lustre_client.release(text) == release


@pytest.mark.parametrize("text", ["", "two", "2", "/usr/lib/2.15", "2.15 at node17.example.org", "2." + "1" * 99])
def test_texts_that_are_no_releases_are_refused(text):
    with pytest.raises(ValueError):
        lustre_client.release(text)


def test_the_debug_mask_is_a_number_or_words():
    assert lustre_client.debug_mask("0\n") == "0"
    assert lustre_client.debug_mask("warning ioctl neterror\n") == "ioctl neterror warning"
    for wrong in ("", "a/b", "WARNING"):
        with pytest.raises(ValueError):
            lustre_client.debug_mask(wrong)


def test_client_mounts_are_not_the_targets_of_a_server():
    mounts = (
        "172.20.20.1@o2ib:172.20.20.2@o2ib:/fs /lustre/my\\040scratch lustre rw,flock,lazystatfs 0 0\n"
        "/dev/md0 /data/ost0 lustre rw,svname=fs-OST0000,mgsnode=172.16.0.2@kfi,osd=osd-ldiskfs 0 0\n"
        "host@site:/x /mnt nfs4 rw 0 0\nlustre short\n"
    )
    assert lustre_client.client_mounts(mounts) == [
        ("172.20.20.1@o2ib:172.20.20.2@o2ib:/fs", "/lustre/my scratch", ["rw", "flock", "lazystatfs"])
    ]
    assert lustre_server.target_mounts(mounts) == ["fs-OST0000"]


@pytest.mark.parametrize(
    ("source", "networks"),
    [
        ("10.0.0.1@o2ib,10.1.0.1@tcp:10.0.0.2@o2ib:/fs", {"o2ib": 2, "tcp": 1}),
        ("10.0.0.1@o2ib12:/fs", {"o2ib": 1}),
        ("192246@kfi:18@kfi:/fs", {"kfi": 2}),
        ("fe80::1@tcp1:/fs", {"tcp": 1}),
        ("0@lo:/fs", {}),
        ("a@secret-net:/fs", {}),
    ],
)
def test_addresses_of_the_management_server_become_counts_by_network(source, networks):
    facts = lustre_client.mgs_addresses(source, "procfs")
    assert {fact.key: fact.value for fact in facts} == networks


def test_mount_options_are_those_of_a_list():
    options = ["rw", "nosuid", "skpath=/etc/lustre/key", "user_xattr", "exclude=fs-OST0001", "flock"]
    assert lustre_client.allowed_options(options) == "flock,nosuid,rw,user_xattr"
    assert lustre_client.allowed_options(["secret=1"]) == "none"


def test_get_param_values_may_have_several_lines():
    text = (
        "osc.fs-OST0000-osc-ffff1.max_dirty_mb=2000\n"
        "llite.fs-ffff1.max_cached_mb=\nusers: 9\nmax_cached_mb: 32064\n"
        "mgc.MGC10.0.0.1@tcp.uuid=x\nversion=2.15.4"
    )
    assert get_param_values(text) == {
        "osc.fs-OST0000-osc-ffff1.max_dirty_mb": "2000",
        "llite.fs-ffff1.max_cached_mb": "users: 9\nmax_cached_mb: 32064",
        "mgc.MGC10.0.0.1@tcp.uuid": "x",
        "version": "2.15.4",
    }
    for nothing in ("", "error: get_param: no such file", "\n\n"):
        with pytest.raises(ValueError):
            get_param_values(nothing)


DF = """UUID                   1K-blocks        Used   Available Use% Mounted on
fs-MDT0000_UUID            90000        1000       81000   2% /lustre[MDT:0]
fs-OST0000_UUID           100000       10000       85000  11% /lustre[OST:0]
fs-OST0001_UUID           100000       60000       40000  60% /lustre[OST:1]
OST0002             : inactive device
fs-OST0003_UUID     : Resource temporarily unavailable /lustre[OST:3]

filesystem_summary:       200000       70000      125000  36% /lustre
"""


def test_the_table_of_lfs_df():
    table = lustre_filesystem.df_table(DF)
    assert (table["kbytestotal"], table["kbytesavail"]) == (200000, 125000)
    assert (table["osts"], table["mdts"], table["fills"]) == (2, 1, [15, 60])


@pytest.mark.parametrize(
    "text",
    [
        "",
        DF.replace("100000", "97.7M"),
        DF.replace("1K-blocks", "Inodes"),
        DF.split("filesystem")[0],
        "\n".join(DF.split()),
    ],
)
def test_rounded_sizes_inodes_and_broken_tables_are_refused(text):
    with pytest.raises(ValueError):
        lustre_filesystem.df_table(text)


def test_pools_are_named_without_their_file_system():
    assert lustre_filesystem.pool_list("Pools from fs:\nfs.flash\nfs.disk\n") == ["flash", "disk"]
    assert lustre_filesystem.pool_list("Pools from fs:\n") == []
    assert lustre_filesystem.pool_list("\n") == []
    with pytest.raises(ValueError):
        lustre_filesystem.pool_list("error: not a file system\n")


def test_devices_of_a_client_and_no_others_are_its_targets():
    text = (
        "  0 UP mgc MGC10.0.0.1@tcp bfbb24e3 5\n  1 UP lov fs-clilov-ce63ca00 08ac 4\n"
        "  2 UP osc fs-OST0000-osc-ce63ca00 08ac 5\n  3 IN osc fs-OST0001-osc-ce63ca00 08ac 5\n"
        "  4 UP mdc fs-MDT0000-mdc-ce63ca00 08ac 5\n  5 UP osc fs-OST0000-osc-MDT0000 fs-MDT0000 5\n"
    )
    assert lustre_filesystem.device_list(text) == {"osc": 2, "mdc": 1}
    for nothing in ("", "error: dl: Permission denied\n", "0 up osc a b\n"):
        with pytest.raises(ValueError):
            lustre_filesystem.device_list(nothing)


CLUSTER = """Cluster Summary:
Node List:
  * Online: [ oss1 oss2 ]

Active Resources:
  * ost0\t(ocf::lustre:Lustre):\t Started oss1
  * ost1\t(ocf::lustre:Lustre):\t Started oss2
"""


def test_targets_are_at_home_with_each_node_serving_some_of_them():
    assert lustre_server.is_at_home(CLUSTER) is True
    assert lustre_server.is_at_home(CLUSTER.replace("Started oss2", "Stopped")) is False
    away = CLUSTER.replace("[ oss1 oss2 ]", "[ oss1 ]\n  * OFFLINE: [ oss2 ]").replace("Started oss2", "Started oss1")
    assert lustre_server.is_at_home(away) is False
    assert lustre_server.is_at_home("  * Node oss2: standby\n" + CLUSTER) is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Connection to cluster failed",
        CLUSTER.split("Active")[0],
        # A spare, or targets that have not come back from their other node.
        CLUSTER.replace("Started oss2", "Started oss1"),
    ],
)
def test_a_cluster_with_an_unclear_state_is_refused(text):
    with pytest.raises(ValueError):
        lustre_server.is_at_home(text)
