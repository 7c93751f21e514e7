"""Arrays, pools, SAS, driver settings and health of drives on constructed nodes."""

import json

import pytest

from collectors.probes.drive_health import PROBES as HEALTH_PROBES
from collectors.probes.interrupts import PROBES as INTERRUPT_PROBES
from collectors.probes.net_sysctl import PROBES as SYSCTL_PROBES
from collectors.probes.nvme import PROBES as NVME_PROBES
from collectors.probes.raid import PROBES as RAID_PROBES
from collectors.probes.sas import PROBES as SAS_PROBES
from tests.collectors.devices.conftest import attributes, link

(HEALTH,), (INTERRUPTS,), (SYSCTL,) = HEALTH_PROBES, INTERRUPT_PROBES, SYSCTL_PROBES
(NVME,), (RAID,), (SAS,) = NVME_PROBES, RAID_PROBES, SAS_PROBES

NO_ARRAYS = {"/proc/mdstat": "Personalities : [raid6]\nunused devices: <none>\n"}


def recorded(node, tmp_path, *commands):
    entries = [dict(zip(("argv", "rc", "stdout", "stderr"), command, strict=False)) for command in commands]
    node.recording = tmp_path / "commands.json"
    node.recording.write_text(json.dumps({"commands": entries}))
    return node


def md(name="md0", **values):
    sound = {"level": "raid6", "raid_disks": "10", "chunk_size": "131072", "array_state": "clean", "degraded": "0"}
    return NO_ARRAYS | attributes(f"/sys/block/{name}/md", **(sound | {"sync_action": "idle"} | values))


def test_eight_data_drives_and_two_for_parity(node):
    output = node.put(md("md0") | md("md1")).said(RAID)
    assert output.values("raid.layout", "level") == {"raid6": 2}
    assert output.values("raid.layout", "data") == {8: 2}
    assert output.values("raid.layout", "parity") == {2: 2}
    assert output.values("raid.drives_per_target") == {10: 2}
    assert output.values("raid.chunk") == {131072: 2}
    assert output.values("raid.state") == {"clean": 2}


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ({"array_state": "active"}, "clean"),
        ({"array_state": "active-idle"}, "clean"),
        ({"array_state": "write-pending"}, "clean"),
        ({"sync_action": "check"}, "check"),
        ({"sync_action": "resync"}, "resync"),
        ({"degraded": "1", "sync_action": "recover"}, "degraded"),
        ({"array_state": "inactive"}, "inactive"),
        ({"array_state": "readonly"}, "readonly"),
        ({"sync_action": "frozen"}, "clean"),
    ],
)
def test_the_state_of_an_array_does_not_change_as_writes_come_and_go(node, state, told):
    assert node.put(md(**state)).said(RAID).value("raid.state") == told


def test_an_unknown_personality_of_a_vendor_keeps_its_name(node):
    text = (
        "Personalities : [gridraid]\nmd3 : active gridraid sdb[1] sda[0] sdc[2](S)\n"
        "      100 blocks super 1.2 level 6, 64k chunk, algorithm 1004 [53/53] [UU]\n"
    )
    output = node.put({"/proc/mdstat": text}).said(RAID)
    assert output.value("raid.layout", "level") == "gridraid"
    assert output.value("raid.layout", "algorithm") == 1004
    assert output.value("raid.layout", "parity") == 2
    assert output.value("raid.layout", "spares") == 1
    assert output.values("raid.layout", "data") == {}
    assert (output.value("raid.drives_per_target"), output.value("raid.chunk")) == (53, 65536)


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("[10/9] [U_UUUUUUUU]", "degraded"),
        ("[10/10] [U]\n      [>....]  check =  1.0% (1/2)", "check"),
        ("[10/10] [U]", "clean"),
    ],
)
def test_states_are_read_from_the_listing_alone(node, detail, told):
    text = f"md3 : active raid6 sda[0]\n      100 blocks level 6, 64k chunk, algorithm 2 {detail}\n"
    assert node.put({"/proc/mdstat": text}).said(RAID).value("raid.state") == told


def test_mirrors_have_no_parity_and_no_chunk(node):
    output = node.put(md(level="raid1", raid_disks="2", chunk_size="0")).said(RAID)
    assert output.values("raid.layout", "parity") == {}
    assert output.reason("raid.chunk") == "not_applicable"


INACTIVE = "Personalities :\nmd9 : inactive sdb[1](S) sda[0](S)\n      6306 blocks super 1.2\n"


def test_mdadm_describes_an_inactive_array(node, tmp_path):
    text = "/dev/md9:\n        Raid Level : raid5\n      Raid Devices : 5\n             State : clean, degraded \n"
    recorded(node, tmp_path, (["mdadm", "--detail", "/dev/md9"], 0, text))
    output = node.put({"/proc/mdstat": INACTIVE}).said(RAID)
    assert output.value("raid.layout", "data") == 4
    assert output.value("raid.state") == "inactive"


def test_a_stopped_array_is_recorded_without_its_kind(node):
    output = node.put({"/proc/mdstat": INACTIVE}).said(RAID)
    assert output.value("raid.state") == "inactive"
    assert output.reason("raid.layout") == "not_applicable"


def test_the_container_of_a_firmwares_arrays_is_no_array(node):
    container = INACTIVE.replace("super 1.2", "super external:imsm")
    assert node.put({"/proc/mdstat": container}).said(RAID).reason("raid.state") == "not_applicable"
    assert node.put(md(level="container", array_state="inactive")).said(RAID).values("raid.state") == {}


def test_arrays_of_a_node_without_arrays_are_missing_with_a_reason(node):
    output = node.put(NO_ARRAYS).said(RAID)
    assert {output.reason(name) for name in RAID.provides} == {"not_applicable"}
    assert not RAID.applies(node.__class__(node.root / "nothing").door())


@pytest.mark.parametrize("junk", ["\0\0\0", "<html>", "md0: what"])
def test_junk_in_mdstat_is_a_parse_error(node, junk):
    output = node.put({"/proc/mdstat": junk}).said(RAID)
    assert {output.reason(name) for name in RAID.provides} == {"parse_error"}


def test_junk_in_mdstat_removes_no_fact_of_sysfs(node):
    output = node.put(md() | {"/proc/mdstat": "<html>"}).said(RAID)
    assert output.value("raid.drives_per_target") == 10


@pytest.mark.parametrize("junk", ["$(id)", "a b", "x" * 200, "<script>"])
def test_junk_in_a_level_is_no_level(node, junk):
    output = node.put(md(level=junk)).said(RAID)
    assert output.values("raid.layout", "level") == {}


POOL = (
    "  pool: secret\n state: {state}\n  scan: {scan}\nconfig:\n\n"
    "\tNAME  STATE READ WRITE CKSUM\n\tsecret ONLINE 0 0 0\n{rows}\n"
)


def pools(node, tmp_path, *texts):
    node.put({"/sys/module/zfs/version": "2.2.4\n"})
    return recorded(node, tmp_path, (["zpool", "status"], 0, "\n".join(texts)))


def rows(group, drives):
    return "\n".join([f"\t  {group} ONLINE 0 0 0"] + [f"\t    drive{number} ONLINE 0 0 0" for number in range(drives)])


def test_pools_of_raidz_and_draid(node, tmp_path):
    raidz = POOL.format(state="ONLINE", scan="none", rows=rows("raidz2-0", 10) + "\n" + rows("raidz2-1", 10))
    draid = POOL.format(state="DEGRADED", scan="none", rows=rows("draid2:9d:12c:1s-0", 12))
    output = pools(node, tmp_path, raidz, draid).said(RAID)
    assert output.values("raid.layout", "level") == {"raidz2": 1, "draid2:9d:12c:1s": 1}
    assert output.values("raid.layout", "data") == {8: 1, 9: 1}
    assert output.values("raid.layout", "groups") == {2: 1, 1: 1}
    assert output.values("raid.drives_per_target") == {20: 1, 12: 1}
    assert output.values("raid.state") == {"clean": 1, "degraded": 1}
    assert "secret" not in repr(output.pieces)


def test_a_pool_that_is_scrubbed_is_being_checked(node, tmp_path):
    text = POOL.format(state="ONLINE", scan="scrub in progress since", rows=rows("mirror-0", 2))
    output = pools(node, tmp_path, text).said(RAID)
    assert output.value("raid.state") == "check"
    assert output.values("raid.layout", "parity") == {}


def test_groups_that_differ_are_listed(node, tmp_path):
    text = POOL.format(state="ONLINE", scan="none", rows=rows("raidz2-0", 10) + "\n" + rows("raidz2-1", 8))
    assert pools(node, tmp_path, text).said(RAID).value("raid.layout", "level") == "raidz2 of 8, raidz2 of 10"


def test_the_kernel_gives_the_state_of_pools_without_the_command(node):
    output = node.put({"/proc/spl/kstat/zfs/secret/state": "SUSPENDED\n"}).said(RAID)
    assert output.value("raid.state") == "suspended"
    assert output.reason("raid.layout") == "not_applicable"
    assert "secret" not in repr(output.pieces)


def test_pools_that_only_root_may_read_are_missing_for_that_reason(node, tmp_path):
    node.put({"/sys/module/zfs/version": "2.2.4\n"})
    recorded(node, tmp_path, (["zpool", "status"], 1, "", "Permission denied the ZFS utilities must be run as root.\n"))
    assert node.said(RAID).reason("raid.state") == "permission_denied"


def test_settings_of_the_nvme_driver(node):
    node.put({"/sys/module/nvme_core/parameters/io_timeout": "60\n", "/sys/module/nvme/parameters/poll_queues": "4\n"})
    output = node.said(NVME)
    assert output.value("nvme.io_timeout", "io_timeout_s") == 60
    assert output.value("nvme.io_timeout", "poll_queues") == 4
    assert output.values("nvme.io_timeout", "write_queues") == {}
    assert not NVME.applies(node.__class__(node.root / "nothing").door())


def test_a_sas_host_adapter_with_its_links_and_enclosures(node):
    node.put(
        attributes("/sys/class/scsi_host/host0", board_name="LSI9300-8e", version_fw="16.00.12.00", proc_name="mpt3sas")
    )
    node.put(attributes("/sys/class/scsi_host/host1", proc_name="ahci", board_name=""))
    node.put(attributes("/sys/class/sas_host/host0", x=""))
    for number, rate in enumerate(["12.0 Gbit", "12.0 Gbit", "6.0 Gbit", "Unknown", "Link rate failed"]):
        node.put(attributes(f"/sys/class/sas_phy/phy-0:{number}", negotiated_linkrate=rate, sas_address="0xSECRET"))
    node.put(attributes("/sys/module/mpt3sas", version="43.100.00.00", parameters__max_sgl_entries="128"))
    shelf = {
        "device__vendor": "ACME    ",
        "device__model": "D3710           ",
        "device__rev": "2.40",
        "components": "25",
    }
    node.put(attributes("/sys/class/enclosure/5:0:30:0", id="0xSECRET", **shelf))
    output = node.said(SAS)
    assert output.value("sas.hba", "board") == "LSI9300-8e"
    assert output.value("sas.hba", "firmware") == "16.00.12.00"
    assert output.values("sas.link_rate") == {12: 2, 6: 1}
    assert output.value("sas.driver") == "mpt3sas 43.100.00.00"
    assert output.value("sas.max_sgl_entries") == 128
    assert output.value("enclosure.config") == "ACME D3710 2.40, 25 slots"
    assert "SECRET" not in repr(SAS.read(node.door()))


def test_the_version_of_the_driver_from_its_file(node, tmp_path):
    recorded(node, tmp_path, (["modinfo", "mpt3sas"], 0, "version:        39.100.00.00\n"))
    output = node.put({"/sys/module/mpt3sas/parameters/max_sgl_entries": "256\n"}).said(SAS)
    assert output.value("sas.driver") == "mpt3sas 39.100.00.00"
    assert output.reason("sas.hba") == "not_applicable"


def test_a_node_without_sas_has_none(node):
    assert not SAS.applies(node.put(attributes("/sys/class/scsi_host/host0", proc_name="ata_piix")).door())


def test_tcp_tunables(node):
    files = {
        "/proc/sys/net/core/rmem_max": "212992\n",
        "/proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456\n",
        "/proc/sys/net/ipv4/tcp_congestion_control": "cubic\n",
        "/proc/sys/net/ipv4/tcp_mem": "12\t13\t14\n",
        "/proc/sys/net/ipv4/conf/all/rp_filter": "2\n",
    }
    output = node.put(files).said(SYSCTL)
    assert output.value("net.sysctl", "net.core.rmem_max") == 212992
    assert output.value("net.sysctl", "net.ipv4.tcp_rmem") == "4096 131072 6291456"
    assert output.value("net.sysctl", "net.ipv4.tcp_congestion_control") == "cubic"
    assert output.value("net.sysctl", "net.ipv4.conf.all.rp_filter") == 2
    assert output.values("net.sysctl", "net.ipv4.tcp_mem") == {}


def test_missing_tcp_tunables_have_a_reason(node):
    assert node.put({"/proc/sys/net/unix/x": "1"}).said(SYSCTL).reason("net.sysctl") == "not_applicable"
    assert not SYSCTL.applies(node.__class__(node.root / "nothing").door())


def interrupts(node, lists):
    node.put(attributes("/sys/class/infiniband/mlx5_0", hca_type="MT4129", ports__1__state="4: ACTIVE"))
    link(node, "/sys/class/infiniband/mlx5_0/device", "/sys/devices/pci0/0000:41:00.0")
    for number, cpus in enumerate(lists, 100):
        node.put({f"/sys/devices/pci0/0000:41:00.0/msi_irqs/{number}": "msix\n"})
        node.put({f"/proc/irq/{number}/smp_affinity_list": cpus + "\n"})
    return node


def test_interrupts_that_are_pinned(node):
    output = interrupts(node, ["0", "1", "2-3", "3"]).said(INTERRUPTS)
    keys = ("irqbalance", "vectors", "cpus", "cpus_per_vector")
    assert [output.value("nic.irq_affinity", key) for key in keys] == [False, 4, 4, 2]


def test_interrupts_that_irqbalance_moves_are_counted_only(node):
    interrupts(node, ["0", "1"]).put({"/run/irqbalance/irqbalance4711.sock": "", "/proc/4711/comm": "irqbalance\n"})
    output = node.said(INTERRUPTS)
    assert output.value("nic.irq_affinity", "irqbalance") is True
    assert output.values("nic.irq_affinity", "cpus") == {}


def test_a_stale_socket_of_irqbalance_is_ignored(node):
    interrupts(node, ["0"]).put({"/run/irqbalance/irqbalance4711.sock": "", "/proc/4711/comm": "sshd\n"})
    assert node.said(INTERRUPTS).value("nic.irq_affinity", "irqbalance") is False


def test_junk_in_a_list_of_processors_is_a_parse_error(node):
    assert interrupts(node, ["0-99999999"]).said(INTERRUPTS).reason("nic.irq_affinity", "cpus") == "parse_error"


def drives(node, *names):
    for name in names:
        node.put(attributes(f"/sys/block/{name}", size="1000"))
    return node


def test_wear_and_rotation_as_root(node, tmp_path):
    smart = json.dumps({"smartctl": {}, "rotation_rate": 7200, "serial_number": "SECRET"})
    recorded(
        node,
        tmp_path,
        (["nvme", "smart-log", "-o", "json", "/dev/nvme0n1"], 0, '{"percent_used": 2, "data_units_written": 1000}'),
        (["nvme", "smart-log", "-o", "json", "/dev/nvme1n1"], 0, '{"percent_used": 7, "data_units_written": 1000}'),
        (["smartctl", "-i", "-A", "-j", "/dev/sda"], 4, smart),
    )
    output = drives(node, "nvme0n1", "nvme1n1", "sda").said(HEALTH)
    assert output.values("drive.wear", "percentage_used") == {2: 1, 7: 1}
    assert output.values("drive.wear", "written_bytes") == {512000000: 2}
    assert output.values("drive.rpm") == {7200: 1}
    assert "SECRET" not in repr(output.pieces)


def test_drives_are_not_queried_after_the_first_refusal(node, tmp_path):
    denied = (1, "", "Permission denied\n")
    recorded(
        node,
        tmp_path,
        (["nvme", "smart-log", "-o", "json", "/dev/nvme0n1"], *denied),
        (["nvme", "smart-log", "-o", "json", "/dev/nvme1n1"], 0, '{"percent_used": 7}'),
    )
    output = drives(node, "nvme0n1", "nvme1n1").said(HEALTH)
    assert output.reason("drive.wear") == "permission_denied"
    assert output.reason("drive.rpm") == "not_applicable"


@pytest.mark.parametrize(
    ("name", "argv", "answer"),
    [
        ("nvme0n1", ["nvme", "smart-log", "-o", "json"], '{"error": "Failed to open: Permission denied"}'),
        (
            "sda",
            ["smartctl", "-i", "-A", "-j"],
            '{"smartctl": {"messages": [{"string": "open failed: Permission denied"}]}}',
        ),
    ],
)
def test_a_refusal_in_json_is_a_refusal(node, tmp_path, name, argv, answer):
    recorded(node, tmp_path, ([*argv, "/dev/" + name], 2, answer))
    assert drives(node, name).said(HEALTH).reason("drive.wear") == "permission_denied"


def test_health_is_not_queried_on_a_node_without_drives(node):
    assert not HEALTH.applies(drives(node, "vda", "loop0").door())
