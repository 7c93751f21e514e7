"""BeeGFS, Spectrum Scale, DAOS, WekaFS and CephFS: counts, versions and tunables; never a name."""

import json
import re

import pytest

from collectors.node.node_access import Input
from collectors.probes import beegfs, ceph, daos, gpfs, weka
from tests.collectors.storage.conftest import Said, facts, gaps

(BEEGFS,) = beegfs.PROBES
(GPFS,) = gpfs.PROBES
(DAOS,) = daos.PROBES
(WEKA,) = weka.PROBES
(CEPH,) = ceph.PROBES

CLIENT_CONF = """cfgFile = /etc/beegfs/secret-site.conf
sysMgmtdHost = mgmt01.example.org
connAuthFile = /etc/beegfs/conn.auth
connInterfacesFile =
connRDMABufNum = 70
connRDMABufSize = 8192
connUseRDMA = true
tuneFileCacheType = buffered
tuneRemoteFSync = false
tuneFileCacheBufSize = 512k
"""
NODES = """oss-a [ID: 1]
   Connections: RDMA: 3 (192.0.2.1:8003); TCP: 1 (192.0.2.1:8003);
oss-b [ID: 2]
   Connections: TCP: 4 (192.0.2.2:8003 [fallback route]);
oss-c [ID: 3]
   Connections: <none>
"""


@pytest.fixture
def beegfs_client(client):
    client.mounted("beegfs_nodev /bee beegfs rw,cfgFile=/etc/beegfs/secret-site.conf,_netdev")
    return client.put(
        {
            "/sys/module/beegfs/version": "7.4.2\n",
            "/proc/fs/beegfs/1A2B-CANARY-node7/config": CLIENT_CONF,
            "/proc/fs/beegfs/1A2B-CANARY-node7/storage_nodes": NODES,
        }
    )


def test_a_beegfs_client_that_fell_back_to_tcp_shows_it(beegfs_client):
    assert facts(beegfs_client.said(BEEGFS), "beegfs.connections") == {
        "storage_servers": 3,
        "rdma": 3,
        "tcp": 5,
        "none": 1,
    }


def test_tunables_of_beegfs_without_hosts_and_files(beegfs_client):
    output = beegfs_client.said(BEEGFS)
    assert facts(output, "beegfs.client_conf") == {
        "connRDMABufNum": 70,
        "connRDMABufSize": 8192,
        "connUseRDMA": True,
        "tuneFileCacheType": "buffered",
        "tuneRemoteFSync": False,
        "tuneFileCacheBufSize": "512k",
    }
    assert output.items("storage_systems") == [{"name": "beegfs", "type": "beegfs", "version": "7.4.2"}]
    for word in ("secret-site", "mgmt01", "CANARY", "192.0.2", "oss-a", "conn.auth"):
        assert word not in repr(output.pieces)


def test_the_stripe_of_the_test_folder_is_queried(beegfs_client):
    beegfs_client.test_directory = "/bee/--help"
    beegfs_client.command(
        "beegfs-ctl --getentryinfo -- /bee/--help",
        "Stripe pattern details:\n+ Type: RAID0\n+ Chunksize: 1M\n"
        "+ Number of storage targets: desired: 8; actual: 3\n+ Storage targets:\n  + 11 @ oss-a [ID: 1]\n",
    )
    output = beegfs_client.said(BEEGFS)
    assert facts(output, "beegfs.stripe") == {
        "pattern": "RAID0",
        "chunk_size_bytes": 1048576,
        "targets_desired": 8,
        "targets_actual": 3,
    }
    assert "oss-a" not in repr(output.pieces)


def test_files_of_beegfs_that_only_root_reads_are_missing_for_that_reason(beegfs_client):
    raw = BEEGFS.read(beegfs_client.door())
    raw[beegfs.NODES] = dict.fromkeys(raw[beegfs.NODES], Input(None, "permission_denied", "Permission denied"))
    assert gaps(Said(BEEGFS.parse(raw))) == {"beegfs.connections": "permission_denied"}


def test_real_samples_of_beegfs(sample):
    assert beegfs.parse_nodes(sample("beegfs-net/rdma-3storage.txt")) == (3, {"rdma": 6})
    assert beegfs.parse_nodes(sample("beegfs-net/rdma-1.txt")) == (1, {"rdma": 1})
    assert beegfs.parse_entry(sample("beegfs-ctl-getentryinfo/file-desired4-actual1.txt")) == {
        "pattern": "RAID0",
        "chunk_size_bytes": 524288,
        "targets_desired": 4,
        "targets_actual": 1,
    }
    assert beegfs.parse_entry(sample("beegfs-ctl-getentryinfo/usc-8M.txt"))["chunk_size_bytes"] == 8388608


# --- Spectrum Scale -------------------------------------------------------------------------------------------------

CONFIG = """Configuration data for cluster secret.cluster:
-----------------------------------------------
clusterName secret.cluster
clusterId 123456789012345
minReleaseLevel 5.1.9.0
pagepool 1G
subnets 192.0.2.0/24
[clients,node17]
pagepool 48g
verbsRdma enable
[node17]
verbsPorts mlx5_0/1
workerThreads 1024
maxMBpS node17

File systems in cluster secret.cluster:
---------------------------------------
/dev/secretfs
"""


def test_sections_of_mmlsconfig_are_numbered_without_names():
    assert gpfs.parse_mmlsconfig(CONFIG) == {
        ("minReleaseLevel", "5.1.9.0"): 1,
        ("pagepool", 1 << 30): 1,
        ("pagepool", 48 << 30): 2,
        ("verbsRdma", "enable"): 2,
        ("workerThreads", 1024): 1,
    }


def test_mmlsconfig_in_columns_gives_the_same_settings():
    table = (
        "mmlsconfig::HEADER:version:reserved:reserved:configParameter:value:nodeList:\n"
        "mmlsconfig::0:1:::clusterName:secret.cluster::\n"
        "mmlsconfig::0:1:::pagepool:48g:clients,node17:\n"
        "mmlsconfig::0:1:::maxblocksize:16M::\n"
    )
    assert gpfs.parse_mmlsconfig(table) == {("pagepool", 48 << 30): 2, ("maxblocksize", 16 << 20): 1}


NAMES_OF_A_SITE = re.compile(
    r"arches|saguaro|e35\d|s6k2|ess3|ess35|osi\d|osa\d|fscc|gnr|slurm-master|io500|test01|strgscale|mlx5|bb\d|sss6|nc_?\d"
    r"|\d+\.\d+\.\d+\.\d+|clients?\b|amd|intel",
    re.IGNORECASE,
)


@pytest.mark.parametrize("number", [651, 679, 690, 722, 731])
def test_no_name_or_address_of_a_real_cluster_is_recorded(sample, client, number):
    client.mounted("fs /gpfs/secret gpfs rw")
    client.command("mmlsconfig", sample(f"mmlsconfig/io500-{number}.txt"))
    output = client.said(GPFS)
    pieces = [piece for piece in output.pieces if getattr(piece, "key", None) != "minReleaseLevel"]
    pieces = [piece for piece in pieces if not hasattr(piece, "path")]
    assert len(pieces) > 40
    for piece in pieces:
        assert not NAMES_OF_A_SITE.search(str(piece[1:])), piece


def test_settings_of_a_real_cluster_with_their_number_of_sections(sample):
    settings = gpfs.parse_mmlsconfig(sample("mmlsconfig/io500-722.txt"))
    assert settings["pagepool", 1 << 30] == 1
    assert settings["pagepool", 48 << 30] == 1
    assert settings["pagepool", 973405011148] == 1
    # Ten nodes by name, and the class `client` in a section of its own.
    assert settings["dataShipClientBuffersPerServer", 50] == 11
    assert settings["verbsRdma", "enable"] == 2


def test_geometry_of_a_real_file_system(sample):
    geometry = dict(gpfs.parse_mmlsfs(sample("mmlsfs/io500-731.txt")))
    assert geometry["blockSize"] == 16 << 20
    assert geometry["subblocksPerFullBlock"] == 1024
    assert geometry["defaultDataReplicas"] == 1
    assert geometry["maxMetadataReplicas"] == 2
    assert geometry["filesystemVersion"] == "31.00 (5.1.7.0)"
    assert not NAMES_OF_A_SITE.search(
        str({name: value for name, value in geometry.items() if name != "filesystemVersion"})
    )


@pytest.mark.parametrize(
    ("number", "nodes", "quorum", "managers"),
    [(651, 15, 5, 14), (687, 202, 3, 199), (690, 37, 3, 25), (722, 12, 5, 12), (731, 22, 1, 20)],
)
def test_a_real_cluster_is_counted(sample, number, nodes, quorum, managers):
    counts = {"cluster_nodes": nodes, "quorum_nodes": quorum, "manager_nodes": managers}
    assert gpfs.parse_mmlscluster(sample(f"mmlscluster/io500-{number}.txt")) == counts


def test_disks_are_counted_by_their_usage(sample):
    assert gpfs.parse_mmlsdisk(sample("mmlsdisk/gpfs_exporter-0.txt")) == {"data_targets": 8, "metadata_targets": 2}


def test_spectrum_scale_as_a_user_is_missing_for_that_reason(client):
    client.mounted("fs /gpfs gpfs rw").command("mmlsconfig", status=1, error="mmlsconfig: Permission denied")
    reasons = gaps(client.said(GPFS))
    assert reasons == {"gpfs.mmlsconfig": "permission_denied", "gpfs.mmlsfs": "not_installed"}


def test_the_state_of_rdma_is_recorded_with_the_settings(client):
    client.mounted("fs /gpfs gpfs rw").command("mmlsconfig", CONFIG)
    client.command("mmfsadm test verbs status", "VERBS RDMA status: disabled\n")
    assert client.said(GPFS).value("gpfs.mmlsconfig", "verbs_rdma_status") == "disabled"


def test_a_device_name_that_looks_like_an_option_is_not_passed_to_a_command(client):
    client.mounted("--help /gpfs gpfs rw").command("mmlsconfig", CONFIG)
    client.command("mmlsdisk --help -Y", "mmlsdisk::HEADER:nsdName:\nmmlsdisk::0:x:\n")
    assert client.said(GPFS).items("storage_systems") == [{"name": "gpfs", "type": "gpfs", "version": "5.1.9.0"}]


def daos_answer(response):
    return json.dumps({"response": response, "error": None, "status": 0})


POOL = {
    "uuid": "517217db-47c4-4bb9-aae5-e38ca7b3dafc",
    "label": "jdoe-pool",
    "total_targets": 32,
    "active_targets": 31,
    "disabled_targets": 1,
    "total_engines": 4,
    "pool_layout_ver": 4,
    "md_on_ssd_active": True,
    "rebuild": {"state": "busy", "objects": 5},
    "tier_stats": [{"media_type": "scm", "total": 1 << 40}, {"media_type": "nvme", "total": 10 << 40}],
}
PROPERTIES = [
    {"name": "label", "value": "jdoe-cont", "description": "Label"},
    {"name": "owner", "value": "jdoe@", "description": "Owner"},
    {"name": "rd_fac", "value": "rd_fac1", "description": "Redundancy Factor"},
    {"name": "cksum", "value": "crc32", "description": "Checksum"},
    {"name": "ec_cell_sz", "value": 65536, "description": "EC Cell Size"},
    {"name": "acl", "value": ["A::jdoe@:rw"], "description": "Access Control List"},
]


def test_pool_and_container_of_the_job_without_their_labels(client):
    client.put({"/etc/daos/daos_agent.yml": ""})
    client.environment = {"DAOS_POOL": "jdoe-pool", "DAOS_CONT": "jdoe-cont"}
    client.command("daos -j pool query jdoe-pool", daos_answer(POOL))
    client.command("daos -j container get-prop jdoe-pool jdoe-cont", daos_answer(PROPERTIES))
    client.command("daos -j fs get-attr jdoe-pool jdoe-cont", daos_answer({"oclass": "SX", "chunk_size": 1048576}))
    output = client.said(DAOS)
    assert facts(output, "daos.pool") == {
        "total_targets": 32,
        "active_targets": 31,
        "disabled_targets": 1,
        "total_engines": 4,
        "pool_layout_ver": 4,
        "md_on_ssd": True,
        "rebuild": "busy",
        "scm_bytes": 1 << 40,
        "nvme_bytes": 10 << 40,
    }
    assert facts(output, "daos.container") == {
        "rd_fac": "rd_fac1",
        "cksum": "crc32",
        "ec_cell_sz": 65536,
        "oclass": "SX",
        "chunk_size": 1048576,
    }
    assert output.items("storage_systems") == [{"name": "daos", "type": "daos", "data_targets": 32}]
    assert "jdoe" not in repr(output.pieces) and "517217db" not in repr(output.pieces)


@pytest.mark.parametrize("label", ["--sys-name=x", "a b", "", "x" * 200, "../x"])
def test_an_invalid_label_is_not_passed_to_a_command(client, label):
    client.put({"/etc/daos/daos_agent.yml": ""}).environment = {"DAOS_POOL": label}
    client.command("daos -j pool list", daos_answer({"pools": [{"total_targets": 8}]}))
    assert client.said(DAOS).value("daos.pool", "total_targets") == 8


def test_an_administrator_sees_the_engines(client, sample):
    client.put({"/etc/daos/daos_control.yml": ""})
    client.command("dmg -j network scan", sample("dmg-json/network_scan-00.json"))
    client.command("dmg -j storage scan", sample("dmg-json/storage_scan-01.json"))
    client.command("dmg -j system query", sample("dmg-json/system_query-08.json"))
    output = client.said(DAOS)
    assert facts(output, "daos.engine") == {
        "providers": "ofi+verbs;ofi_rxm ofi+verbs ofi+tcp ofi+sockets",
        "fabric_interfaces": 2,
        "numa_nodes": 2,
        "cores_per_numa_node": 24,
        "nvme_drives": 2,
        "nvme_bytes": 2 * 750156374016,
        "scm_namespaces": 2,
        "scm_bytes": 2 * 3183575302144,
        "engines": 2,
        "engines_joined": 1,
        "engines_excluded": 1,
    }
    for word in ("wolf", "10.8.1", "192.168", "PHKS", "localhost", "2270f4a6", "ib0"):
        assert word not in repr(output.pieces)


def test_every_pool_of_a_list_is_recorded_by_its_size(sample):
    assert daos.parse_pool_list(sample("dmg-json/pool_list-05.json")) == [
        {"total_targets": 8, "disabled_targets": 0, "scm_bytes": 3000000000, "nvme_bytes": 47000000000}
    ]


@pytest.mark.parametrize("status", [-1001, 1, None])
def test_an_answer_of_daos_that_failed_is_refused(status):
    text = json.dumps({"response": POOL, "error": "DER_NO_PERM", "status": status})
    with pytest.raises(ValueError):
        daos.parse_pool_query(text)


def test_a_real_weka_cluster(client, sample):
    client.mounted("weka-infra/default /mnt/weka wekafs rw,relatime,readcache,num_cores=2,inode_bits=auto")
    client.command("weka status -J", sample("weka-status-json/demo-cluster.json"))
    output = client.said(WEKA)
    assert facts(output, "weka.status") == {
        "release": "4.4.2.157-k8s.2",
        "stripe_data_drives": 3,
        "stripe_protection_drives": 2,
        "hot_spare": 0,
        "drives_active": 36,
        "drives_total": 36,
        "servers_active": 6,
        "servers_total": 7,
        "clients_active": 4,
        "io_processes_active": 24,
        "io_processes_total": 26,
        "total_bytes": 176253136637952,
        "link_layer": "ETH",
        "status": "OK",
        "io_status": "STARTED",
    }
    assert output.items("storage_systems") == [
        {
            "name": "weka",
            "type": "weka",
            "version": "4.4.2.157-k8s.2",
            "usable_bytes": 176253136637952,
            "data_targets": 36,
        }
    ]
    assert "weka-infra" not in repr(output.pieces) and "550c68b6" not in repr(output.pieces)


def test_unknown_words_of_weka_are_dropped():
    status = {"release": "node17", "drives": {"active": -1, "total": "36"}, "io_status": "CANARY", "status": ["OK"]}
    assert weka.parse_status(json.dumps(status)) == {}


def test_a_ceph_client_with_its_pools(client, sample):
    client.mounted("jdoe@fsid.cephfs=/ /ceph ceph rw,name=jdoe,secret=<hidden>,rasize=8388608,wsync,ms_mode=crc")
    client.command("ceph fs status -f json", sample("ceph/fs-status.json"))
    client.command("ceph osd pool ls detail -f json", sample("ceph/insights-ceph_osd_dump_info.txt"))
    client.command("ceph df -f json", sample("ceph/insights-ceph_df_detail_info.txt"))
    output = client.said(CEPH)
    assert facts(output, "ceph.fs") == {
        "rw": True,
        "rasize": 8388608,
        "wsync": True,
        "ms_mode": "crc",
        "mds_active": 1,
        "mds_standby": 1,
        "mds_standby_replay": 0,
        "data_pools": 1,
        "metadata_pools": 1,
        "clients": 12,
        "version": "17.2.7",
        "pool_size": 3,
        "pool_min_size": 2,
        "pool_pg_num": 256,
        "pool_type": "replicated",
    }
    # 203,120,640 of 17,113,243,648 bytes.
    assert output.items("storage_systems") == [
        {"name": "ceph", "type": "ceph", "version": "17.2.7", "raw_bytes": 17113243648, "fill_ratio": 0.012}
    ]
    assert "jdoe" not in repr(output.pieces) and "cephfs_data" not in repr(output.pieces)


def test_a_ceph_client_without_a_key_has_reasons_and_mount_options(client):
    client.mounted("jdoe@fsid.cephfs=/ /ceph ceph rw,noacl")
    output = client.said(CEPH)
    assert facts(output, "ceph.fs") == {"rw": True, "noacl": True}
    assert output.reason("ceph.fs", "mds_active") == "not_installed"
    assert output.reason("ceph.fs", "pool_type") == "not_installed"
