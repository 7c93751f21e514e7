"""Mounts: what shapes speed is kept; servers, paths, users and secrets are not."""

import pytest

from collectors.probes import fuse, mounts, nfs
from tests.collectors.storage.conftest import facts, gaps

(MOUNTS,) = mounts.PROBES
(NFS,) = nfs.PROBES
(FUSE,) = fuse.PROBES

NAS = "nas7.example.org:/export/p0042 /data nfs4 "
OPTIONS = "rw,relatime,vers=4.1,rsize=65536,wsize=131072,hard,proto=rdma,nconnect=8,sec=krb5p"
ADDRESSES = "clientaddr=192.0.2.7,addr=192.0.2.1,mountaddr=192.0.2.1,local_lock=none"


def test_the_recorded_lustre_client_has_three_mounts_without_their_servers(recorded_node):
    output = recorded_node("lustre-client-rhel8").said(MOUNTS)
    assert [(item["type"], " ".join(item["options"])) for item in output.items("mounts")] == [
        ("xfs", "rw seclabel relatime attr2 inode64 logbufs=8 logbsize=32k noquota"),
        ("lustre", "rw flock user_xattr lazystatfs nosuid"),
        (
            "nfs4",
            "rw relatime vers=4.2 rsize=1048576 wsize=1048576 namlen=255 hard proto=tcp timeo=600 retrans=2 sec=sys "
            "local_lock=none",
        ),
    ]


def test_the_recorded_nfs_client_has_four_connections_of_1_mib(recorded_node):
    output = recorded_node("plain-debian-nfs").said(NFS)
    assert [output.value("nfs.mount", key) for key in ("vers", "nconnect", "rsize", "hard")] == [
        "4.2",
        4,
        1048576,
        True,
    ]


def test_a_table_of_one_megabyte_is_over_the_limit(recorded_node):
    output = recorded_node("hostile").said(NFS)
    assert gaps(output) == {"nfs.mount": "output_limit"}
    assert recorded_node("hostile").said(MOUNTS).items("mounts") == []


def test_servers_addresses_and_unknown_options_are_dropped(client):
    client.mounted(NAS + OPTIONS + "," + ADDRESSES + ",secret=hunter2,context=system_u")
    text = repr(client.said(MOUNTS).pieces) + repr(client.said(NFS).pieces)
    for word in ("nas7", "p0042", "/data", "192.0.2", "hunter2", "system_u", "addr"):
        assert word not in text
    assert facts(client.said(NFS), "nfs.mount") == {
        "vers": "4.1",
        "rsize": 65536,
        "wsize": 131072,
        "hard": True,
        "proto": "rdma",
        "nconnect": 8,
        "sec": "krb5p",
        "local_lock": "none",
    }


@pytest.mark.parametrize(
    "option", ["vers=nas7", "rsize=10.1.2.3.4", "sec=hunter2", "proto=", "nconnect=4;id", "hard=yes"]
)
def test_an_allowed_option_with_a_value_of_another_form_is_dropped(client, option):
    client.mounted(NAS + "rw," + option)
    (mount,) = client.said(MOUNTS).items("mounts")
    assert mount["options"] == ["rw"]


def test_a_soft_mount_without_attribute_cache_is_recorded(client):
    client.mounted(NAS + "rw,soft,noac,nolock")
    assert facts(client.said(NFS), "nfs.mount") == {"hard": False, "ac": False, "lock": False}


def test_mountstats_add_transport_connections_and_pnfs(client):
    client.mounted(NAS + "rw,vers=4.1")
    client.put(
        {
            "/proc/self/mountstats": "device proc mounted on /proc with fstype proc\n"
            "device nas7:/export mounted on /data with fstype nfs4 statvers=1.1\n"
            "\tnfsv4:\tbm0=0xfdffafff,bm1=0x40f9be3e,pnfs=LAYOUT_NFSV4_1_FILES\n"
            "\txprt:\trdma 0 0 2 0 0\n\txprt:\trdma 0 0 2 0 0\n"
        }
    )
    output = client.said(NFS)
    assert [output.value("nfs.mount", key) for key in ("transport", "connections", "pnfs")] == ["rdma", 2, "files"]


def test_nfs_does_not_apply_to_a_node_without_it(client):
    assert not NFS.applies(client.mounted("/dev/vda / ext4 rw").door())


def test_an_unknown_fuse_file_system_loses_its_name(client):
    client.mounted("bucket-of-jdoe /s3 fuse.jdoe-private rw,max_read=131072,user_id=1042", "x /d fuse.dfuse rw")
    output = client.said(FUSE)
    assert output.values("fuse.mount", "type") == {"fuse.other": 1, "fuse.dfuse": 1}
    assert output.value("fuse.mount", "max_read") == 131072
    assert "jdoe" not in repr(output.pieces) and "1042" not in repr(output.pieces)


def test_a_mount_point_with_a_space_and_a_newline_is_read(client):
    client.mounted(r"x@tcp:/fs /mnt/with\040space\012newline nfs rw,vers=3")
    (mount,) = mounts.parse_mounts((client.root / "proc/mounts").read_text())
    assert mount.point == "/mnt/with space\nnewline"


def test_the_innermost_mount_above_the_test_folder_is_under_test(client):
    client.mounted("/dev/vda / ext4 rw", "a:/ /data nfs rw", "b:/ /data/fast nfs4 rw", "c:/ /data/fastest nfs rw")
    client.test_directory = "/data/fast/io500"
    client.command(
        "df -k -P /data/fast",
        "Filesystem 1024-blocks Used Available Capacity Mounted on\nb:/ 4000 1000 3000 25% /data/fast\n",
    )
    assert client.said(MOUNTS).items("storage_systems") == [
        {"name": "nfs", "type": "nfs", "access": "kernel_mount", "usable_bytes": 4096000, "fill_ratio": 0.25}
    ]


def test_a_test_on_a_local_disk_has_a_local_storage_system(client):
    client.mounted("/dev/vda / ext4 rw").test_directory = "/scratch"
    assert client.said(MOUNTS).items("storage_systems") == [
        {"name": "local", "type": "local", "access": "kernel_mount"}
    ]


def test_lustre_targets_of_a_server_are_no_storage_system_of_a_client(recorded_node):
    assert recorded_node("lustre-oss-e1000").said(MOUNTS).items("storage_systems") == []


def test_df_of_two_real_machines(sample):
    assert mounts.parse_df(sample("df/centos-7.7__df.out"))[4] == (17811456 * 1024, 0.101)
    assert mounts.parse_df(sample("df/generic__df-long-filesystem.out"))[0] == (6030784 * 1024, 0.19)


def test_options_of_real_clients(sample):
    for name, connections in (("nconnect4.txt", 4), ("v4.2-root.txt", None)):
        flags = sample("nfsstat-m/" + name).partition("Flags:")[2].strip()
        settings = nfs.settings(mounts.options_of(flags))
        assert (settings["vers"], settings["rsize"], settings.get("nconnect")) == ("4.2", 1048576, connections)


def test_mountstats_of_a_real_client(sample):
    assert nfs.parse_mountstats(sample("proc-mountstats/nfs4.txt")) == [
        {"pnfs": "none", "connections": 1, "transport": "tcp"}
    ]


@pytest.mark.parametrize("text", ["", "nonsense", "a b c d e f", "a b c d 0 x", "\x00\x01", "a b nfs rw 0 0 0"])
def test_an_invalid_table_of_mounts_is_refused(text):
    if text:
        with pytest.raises(ValueError):
            mounts.parse_mounts(text)
    for parse in (mounts.parse_df, nfs.parse_mountstats):
        with pytest.raises(ValueError):
            parse(text)
