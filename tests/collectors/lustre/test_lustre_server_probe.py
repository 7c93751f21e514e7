"""A Lustre server: targets of both kinds and backends, threads, failover; never who is connected."""

import pytest

from collectors.probes import lustre_server
from tests.collectors.lustre.conftest import gaps

PROBES = lustre_server.PROBES
SYS = "/sys/fs/lustre/"
SERVER = "lustre.server."
BRW_STATS = (
    "snapshot_time: 1.0 secs.nsecs\n"
    "disk I/O size          ios   % cum % |  ios         % cum %\n"
    "4K:\t\t 10 100 100   |    0   0   0\n1M:\t\t 0 0 100   |  698 100 100\n"
)


@pytest.fixture
def metadata_and_object_server(lustre):
    return lustre.put(
        {
            SYS + "mdt/fs-MDT0000/num_exports": "12",
            SYS + "obdfilter/fs-OST0000/num_exports": "130",
            SYS + "obdfilter/fs-OST0001/num_exports": "130",
            SYS + "obdfilter/fs-OST0001/degraded": "1",
            SYS + "obdfilter/fs-OST0000/degraded": "0",
            SYS + "osd-ldiskfs/fs-MDT0000/fstype": "ldiskfs",
            SYS + "osd-ldiskfs/MGS/fstype": "ldiskfs",
            SYS + "osd-zfs/fs-OST0000/fstype": "zfs",
            SYS + "osd-zfs/fs-OST0001/fstype": "zfs",
            "/sys/kernel/debug/lustre/osd-zfs/fs-OST0000/brw_stats": BRW_STATS,
            "/sys/kernel/debug/lustre/osd-zfs/fs-OST0001/brw_stats": BRW_STATS,
            SYS + "osd-zfs/fs-OST0000/readcache_max_filesize": "18446744073709551615",
            SYS + "ost/OSS/ost_io/threads_max": "512",
            SYS + "ost/OSS/ost_io/threads_started": "96",
            SYS + "mds/MDS/mdt/threads_started": "64",
            "/sys/module/ost/parameters/oss_num_threads": "0",
            "/proc/mounts": "/dev/md0 /o lustre rw,svname=fs-OST0000,mgsnode=10.1.2.3@kfi 0 0\n"
            "/dev/md1 /p lustre rw,svname=fs-OST0001 0 0\n/dev/md2 /m lustre rw,svname=fs-MDT0000 0 0\n"
            "/dev/md3 /g lustre rw,svname=MGS 0 0\n",
        }
    )


def test_targets_of_both_kinds_and_both_backends(metadata_and_object_server):
    output = metadata_and_object_server.said_of(PROBES)
    assert output.values(SERVER + "backend") == {"zfs": 2, "ldiskfs": 1}
    assert output.values(SERVER + "num_exports") == {130: 2, 12: 1}
    assert output.values(SERVER + "degraded") == {False: 1, True: 1}
    assert output.value(SERVER + "readcache_max_filesize") == 2**63 - 1
    assert output.value(SERVER + "targets_per_server") == 3
    (system,) = output.items("storage_systems")
    assert system["targets"] == [
        {"kind": "data", "count": 2, "backend": "zfs"},
        {"kind": "metadata", "count": 1, "backend": "ldiskfs"},
    ]


def test_sizes_of_disk_io_are_summed_over_the_targets(metadata_and_object_server):
    output = metadata_and_object_server.said_of(PROBES)
    assert output.value(SERVER + "brw_stats", "write_1M_bytes") == 1396
    assert output.value(SERVER + "brw_stats", "read_total") == 20
    assert output.values(SERVER + "brw_stats", "read_1M_bytes") == {}


def test_threads_are_those_of_the_services_and_not_their_names(metadata_and_object_server):
    output = metadata_and_object_server.put({"/proc/100/comm": "ll_ost_io00_000\n"}).said_of(PROBES)
    assert output.value(SERVER + "threads", "ost_io.threads_max") == 512
    assert output.value(SERVER + "threads", "ost_io.threads_started") == 96
    assert output.value(SERVER + "threads", "mdt.threads_started") == 64
    assert output.value(SERVER + "threads", "oss_num_threads") == 0


def test_threads_are_counted_by_name_where_the_services_cannot_be_seen(lustre):
    names = ["ll_ost_io00_000", "ll_ost_io01_001", "ll_ost00_002", "mdt_rdpg00_000", "mdt00_000", "ll_ost", "bash"]
    lustre.put({SYS + "obdfilter/fs-OST0000/degraded": "0"})
    lustre.put({f"/proc/{index + 100}/comm": name + "\n" for index, name in enumerate(names)})
    output = lustre.said_of(PROBES)
    counted = {name: output.values(SERVER + "threads", name + ".threads_started") for name in ("ost_io", "ost", "mdt")}
    assert counted == {"ost_io": {2: 1}, "ost": {1: 1}, "mdt": {1: 1}}
    assert output.value(SERVER + "threads", "mdt_rdpg.threads_started") == 1


def test_the_object_targets_reveal_a_hidden_backend(lustre):
    lustre.put({SYS + "obdfilter/fs-OST0000/fstype": "osd-zfs   \n", SYS + "obdfilter/fs-OST0001/fstype": "btrfs"})
    assert lustre.said_of(PROBES).values(SERVER + "backend") == {"zfs": 1}


def test_values_of_the_text_of_lctl(lustre):
    lustre.put({"/proc/mounts": "/dev/md0 /o lustre rw,svname=fs-OST0000 0 0\n"})
    lustre.command(
        "lctl get_param",
        "osd-ldiskfs.MGS.fstype=ldiskfs\nosd-ldiskfs.fs-OST0000.fstype=ldiskfs\n"
        "obdfilter.fs-OST0000.num_exports=4\nobdfilter.fs-OST0001.num_exports=4\n"
        "mdt.fs-MDT0000.exports.10.0.0.9@tcp.uuid=fs-MDT0000-lwp-OST0003_UUID\n"
        f"osd-ldiskfs.fs-OST0000.brw_stats=\n{BRW_STATS}",
    )
    output = lustre.said_of(PROBES)
    assert output.values(SERVER + "backend") == {"ldiskfs": 1}
    assert output.values(SERVER + "num_exports") == {4: 2}
    assert output.value(SERVER + "brw_stats", "write_total") == 698
    assert "10.0.0.9" not in repr(output.pieces)


def test_statistics_of_users_jobs_and_clients_are_never_read(metadata_and_object_server):
    node = metadata_and_object_server.put(
        {
            SYS + "obdfilter/fs-OST0000/job_stats": "job_stats:\n- job_id: CANARY.1000\n",
            SYS + "obdfilter/fs-OST0000/exports/10.1.2.3@o2ib/uuid": "CANARY",
        }
    )
    opened = []
    door = node.door()
    file = door.file
    door.file = lambda path, *limit: opened.append(path) or file(path, *limit)
    output = node.said_of(PROBES, door)
    assert output.reason(SERVER + "job_stats") == "disabled"
    assert output.reason(SERVER + "exports") == "disabled"
    assert len(opened) > 20
    assert not [path for path in opened if "job_stats" in path or "exports/" in path]
    assert not [probe.reads for probe in PROBES if "job_stats" in repr(probe.reads)]
    assert "CANARY" not in repr(output.pieces)
    assert "10.1.2.3" not in repr(output.pieces)


def test_failover_is_read_from_the_cluster_software_or_missing(metadata_and_object_server):
    node = metadata_and_object_server
    assert gaps(node.said_of(PROBES))[SERVER + "ha_state"] == "not_installed"
    node.command("crm_mon -1", "Online: [ a ]\nOFFLINE: [ b ]\nost0 (ocf::lustre:Lustre): Started a\n")
    assert node.said_of(PROBES).value(SERVER + "ha_state") is False


def test_a_client_has_no_server_facts(lustre):
    lustre.put(
        {"/proc/mounts": "10.0.0.1@tcp:/fs /lustre lustre rw,svname=x 0 0\n", SYS + "osc/fs-OST0000-osc-ffff1/x": ""}
    )
    assert not any(probe.applies(lustre.door()) for probe in PROBES)


@pytest.mark.parametrize("junk", ["", "\0\xff junk", "9" * 300, "1\n2\n3", "[" * 5000])
def test_junk_in_every_file_is_missing_and_no_error(metadata_and_object_server, junk):
    for place in metadata_and_object_server.root.rglob("*"):
        if place.is_file() and "mounts" not in place.name:
            place.write_text(junk)
    node = metadata_and_object_server.command("crm_mon -1", "Online: [ a ]\nx (ocf::lustre:Lustre): Started a\n")
    output = node.said_of(PROBES)
    assert gaps(output)[SERVER + "degraded"] == "parse_error"
    assert gaps(output)[SERVER + "brw_stats"] == "parse_error"
