"""Outputs about drives and network adapters, constructed: what is kept, what is left out, what is refused."""

import json

import pytest

from collectors.outputs import cxi_stat, ethtool, ibstat, jsontext, lspci, mdadm, mdstat, modinfo, nvme, smartctl, zpool


def test_an_array_rebuilding_onto_a_spare_is_read():
    text = (
        "Personalities : [raid6] [raid5] [raid4]\n"
        "md7 : active raid6 sdc[11] sdb[1](F) sda[0] sdd[12](S)\n"
        "      9766436864 blocks super 1.2 level 6, 512k chunk, algorithm 2 [10/9] [U_UUUUUUUU]\n"
        "      [==>..................]  recovery = 12.6% (37043392/292945152) finish=127.5min speed=33440K/sec\n"
        "      bitmap: 0/9 pages [0KB], 65536KB chunk\n\n"
        "unused devices: <none>\n"
    )
    assert mdstat.arrays(text) == (
        mdstat.Array(
            "md7", True, False, "raid6", 6, 2, drives=10, working=9, spares=1, chunk_bytes=524288, activity="recovery"
        ),
    )


def test_an_array_without_redundancy_has_the_drives_that_are_listed():
    text = "md8 : active raid0 sdc[2] sdb[1] sda[0]\n      314159265 blocks super 1.2 512k chunks\n"
    (array,) = mdstat.arrays(text)
    assert (array.drives, array.working, array.chunk_bytes) == (3, None, 524288)


def test_the_chunk_of_a_bitmap_is_not_the_chunk_of_the_array():
    text = (
        "md1 : active raid1 sdb[1] sda[0]\n      100 blocks [2/2] [UU]\n      bitmap: 0/1 pages [0KB], 65536KB chunk\n"
    )
    assert mdstat.arrays(text)[0].chunk_bytes is None


def test_pending_and_read_only_arrays_are_read():
    text = (
        "md3 : active (auto-read-only) raid10 sdd[3] sdc[2] sdb[1] sda[0]\n"
        "      976508928 blocks super 1.2 512K chunks 2 near-copies [4/4] [UUUU]\n"
        "      \tresync=PENDING\n"
    )
    (array,) = mdstat.arrays(text)
    assert (array.personality, array.chunk_bytes, array.activity) == ("raid10", 524288, "resync")


@pytest.mark.parametrize("text", ["", "\n\n", "no such file\n", "md0 active raid1\n", "<html></html>"])
def test_text_of_another_program_is_no_mdstat(text):
    with pytest.raises(ValueError, match="array"):
        mdstat.arrays(text)


def test_detail_of_an_array_without_its_name():
    text = (
        "/dev/md127:\n           Version : 1.2\n        Raid Level : raid6\n      Raid Devices : 10\n"
        "     Spare Devices : 1\n             State : active, degraded, recovering \n        Chunk Size : 128K\n"
        "              Name : oss17:secretname\n              UUID : 4d798d62:adfb6a9f:cbe9a393:b79cd3f4\n"
    )
    assert mdadm.detail(text) == mdadm.Detail("raid6", 10, 1, 131072, "active, degraded, recovering")


@pytest.mark.parametrize("text", ["", "mdadm: cannot open /dev/md9: No such file or directory\n", "Chunk Size : 1K\n"])
def test_detail_of_no_array_is_refused(text):
    with pytest.raises(ValueError, match="RAID level"):
        mdadm.detail(text)


POOL = """  pool: ost0001-secret
 state: {state}
  scan: {scan}
config:

\tNAME                       STATE     READ WRITE CKSUM
\tost0001-secret             ONLINE       0     0     0
{rows}

errors: No known data errors
"""


def pool(*rows, state="ONLINE", scan="none requested"):
    table = "\n".join(f"\t{row:<26} ONLINE       0     0     0" for row in rows)
    (parsed_pool,) = zpool.pools(POOL.format(state=state, scan=scan, rows=table))
    return parsed_pool


def test_groups_of_drives_by_their_role():
    parsed_pool = pool(
        *("  raidz2-0", *(f"    d{number}" for number in range(10))),
        *("  raidz2-1", *(f"    e{number}" for number in range(10))),
        *("special", "  mirror-2", "    n0", "    n1", "logs", "  n2", "cache", "  n3", "spares", "  s0", "  s1"),
    )
    assert parsed_pool.groups == (
        ("data", "raidz2", 10),
        ("data", "raidz2", 10),
        ("special", "mirror", 2),
        ("log", "stripe", 1),
        ("cache", "stripe", 1),
        ("spare", "stripe", 1),
        ("spare", "stripe", 1),
    )


def test_a_distributed_spare_is_no_group_of_drives():
    drives = [f"    d{number}" for number in range(12)]
    parsed_pool = pool("  draid2:9d:12c:1s-0", *drives, "spares", "  draid2-0-0")
    assert parsed_pool.groups == (("data", "draid2:9d:12c:1s", 12), ("spare", "stripe", 1))


def test_a_drive_that_is_being_replaced_counts_once():
    parsed_pool = pool(
        "  raidz1-0", "    d0", "    replacing-1", "      d1", "      d9", "    d2", scan="resilver in progress since"
    )
    assert (parsed_pool.groups, parsed_pool.scan) == ((("data", "raidz1", 3),), "recover")


def test_a_drive_beside_a_group_is_not_in_it():
    parsed_pool = pool("  mirror-0", "    a", "    b", "  c")
    assert parsed_pool.groups == (("data", "mirror", 2), ("data", "stripe", 1))


def test_a_removed_group_is_left_out():
    assert pool("  mirror-0", "    a", "    b", "  indirect-1").groups == (("data", "mirror", 2),)


def test_a_running_scrub_is_a_check_and_a_finished_scrub_is_not():
    assert pool("  d0", scan="scrub in progress since Sun").scan == "check"
    assert pool("  d0", scan="resilver (draid2:9d:12c:1s-0) in progress since Sun").scan == "recover"
    assert pool("  d0", scan="scrub repaired 0B in 01:00:00 with 0 errors").scan is None


def test_no_pools_is_read_and_other_text_is_refused():
    assert zpool.pools("no pools available\n") == ()
    for text in ("", "The ZFS modules cannot be auto-loaded.\n", "  pool: a\nno state\n"):
        with pytest.raises(ValueError, match="pool"):
            zpool.pools(text)


def test_facts_of_a_pool_leave_out_its_name():
    assert "secret" not in repr(pool("  mirror-0", "    a", "    b"))


CXI = """Device: cxi0
    Description: Cassini 2
    Serial Number: SECRET-SERIAL
    FW Version: 2.0.1
    MAC: 00:40:a6:00:00:01
    NID: 18 (0x00012)
        Link MTU: 9216
        Link speed: CK_400G
        Link state: up
"""


def test_facts_of_a_slingshot_card_leave_out_serial_number_and_address():
    assert cxi_stat.devices(CXI) == {
        "cxi0": {
            "description": "Cassini 2",
            "firmware": "2.0.1",
            "link_mtu": "9216",
            "speed": "CK_400G",
            "state": "up",
        }
    }


def test_text_without_a_slingshot_card_is_refused():
    for text in ("", "Cannot get the list of CXI devices\n", "    Link state: up\n"):
        with pytest.raises(ValueError, match="no device"):
            cxi_stat.devices(text)


def test_adapters_with_two_ports_and_with_no_port_are_read():
    text = (
        "CA 'mlx5_2'\n\tCA type: MT4129\n\tFirmware version: 28.43.1014\n\tNode GUID: 0x946dae030038817e\n"
        "\tPort 1:\n\t\tState: Active\n\t\tRate: 400\n\t\tLink layer: InfiniBand\n"
        "\tPort 2:\n\t\tState: Down\n\t\tRate: 10\n\t\tLink layer: Ethernet\nCA 'hfi1_0'\n\tCA type: \n"
    )
    adapters = ibstat.adapters(text)
    assert adapters["mlx5_2"].type == "MT4129"
    assert adapters["mlx5_2"].ports == {1: ("Active", "400", "InfiniBand"), 2: ("Down", "10", "Ethernet")}
    assert adapters["hfi1_0"].ports == {}
    assert "946dae" not in repr(adapters)


def test_no_adapters_is_read_and_a_crash_is_refused():
    assert ibstat.adapters("\n") == {}
    with pytest.raises(ValueError, match="no adapter"):
        ibstat.adapters("Segmentation fault\n")


def test_driver_and_pause_of_an_interface():
    text = "driver: mlx5_core\nversion: 5.15\nfirmware-version: 22.36.1010 (DEL0000000027)\nexpansion-rom-version: \n"
    assert ethtool.driver(text) == {
        "driver": "mlx5_core",
        "version": "5.15",
        "firmware-version": "22.36.1010 (DEL0000000027)",
    }
    assert ethtool.pause("Pause parameters for a:\nAutonegotiate:\toff\nRX:\t\ton\nTX:\t\toff\n".expandtabs(8)) == {
        "rx": True,
        "tx": False,
    }


@pytest.mark.parametrize("reader", [ethtool.driver, ethtool.pause])
def test_an_interface_that_is_not_there_is_refused(reader):
    with pytest.raises(ValueError, match="no "):
        reader("Cannot get driver information: No such device\n")


def test_devices_of_the_bus_with_and_without_domain():
    entry = "Slot:\t{}\nClass:\tEthernet controller [0200]\nVendor:\tAcme, Inc. [1234]\nDevice:\tFast 9000 [5678]\n"
    devices = lspci.devices(entry.format("10000:e1:00.1") + "\n" + entry.format("41:00.0"))
    assert sorted(devices) == ["0000:41:00.0", "10000:e1:00.1"]
    assert devices["0000:41:00.0"] == ("0200", "Acme, Inc.", "Fast 9000")


def test_text_without_a_device_is_refused():
    with pytest.raises(ValueError, match="no device"):
        lspci.devices("pcilib: Cannot open /proc/bus/pci\n")


def test_drives_in_the_flat_and_in_the_nested_form():
    flat = {"DevicePath": "/dev/nvme3n1", "ModelNumber": "Acme  X1 ", "Firmware": "F1", "SerialNumber": "SECRET"}
    flat.update(PhysicalSize=1000204886016, SectorSize=512)
    controller = {"ModelNumber": "Acme X2", "Firmware": "F2", "SerialNumber": "SECRET"}
    controller["Namespaces"] = [{"NameSpace": "nvme4n1", "PhysicalSize": 2048, "SectorSize": 4096}]
    nested = {"Subsystems": [{"Controllers": [controller]}]}
    drives = nvme.drives(json.dumps({"Devices": [flat, nested]}))
    assert drives == {
        "nvme3n1": ("Acme X1", "F1", 1000204886016, 512),
        "nvme4n1": ("Acme X2", "F2", 2048, 4096),
    }
    assert "SECRET" not in repr(drives)


def test_two_controllers_are_two_paths_to_one_drive():
    controllers = [{"ModelNumber": "Acme X3", "Firmware": "F3", "Namespaces": []} for _ in range(2)]
    namespaces = [{"NameSpace": "nvme9n1", "PhysicalSize": 4096, "SectorSize": 512}]
    listing = {"Devices": [{"Subsystems": [{"Controllers": controllers, "Namespaces": namespaces}]}]}
    assert nvme.drives(json.dumps(listing)) == {"nvme9n1": ("Acme X3", "F3", 4096, 512)}


def test_values_of_wrong_types_are_unknown():
    device = {"DevicePath": "/dev/nvme0n1\0", "ModelNumber": {"a": 1}, "PhysicalSize": "NaN", "SectorSize": -1}
    (drive,) = nvme.drives(json.dumps({"Devices": [device, None, 7, {"DevicePath": 3}]})).values()
    assert drive == (None, None, None, None)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"Devices": 3}', "[" * 100000, '{"Devices": ' + "9" * 10**6])
def test_a_listing_of_another_form_is_refused(text):
    with pytest.raises(ValueError):
        nvme.drives(text)


def test_wear_is_read_from_old_and_new_tools():
    assert nvme.wear('{"percent_used": 3, "data_units_written": 2000}') == (3, 1024000000)
    assert nvme.wear('{"percentage_used": 101}') == (101, None)
    for text in ("{}", "[]", '{"percent_used": "x"}'):
        with pytest.raises(ValueError):
            nvme.wear(text)


def test_health_of_hard_disks_and_flash_drives_is_read():
    report = {"smartctl": {"version": [7, 2]}, "serial_number": "SECRET"}
    assert smartctl.health(json.dumps(report | {"rotation_rate": 7200})) == (7200, None)
    assert smartctl.health(json.dumps(report | {"scsi_percentage_used_endurance_indicator": 4})) == (None, 4)
    assert smartctl.health(json.dumps(report | {"endurance_used": {"current_percent": 9}})) == (None, 9)
    log = {"nvme_smart_health_information_log": {"percentage_used": 1}}
    assert smartctl.health(json.dumps(report | log)) == (None, 1)
    for text in ("smartctl 7.2\n", "{}", "[7]"):
        with pytest.raises(ValueError):
            smartctl.health(text)


def test_version_of_a_module():
    assert modinfo.version("filename: x\nversion:        39.100.00.00\nlicense: GPL\n") == "39.100.00.00"
    with pytest.raises(ValueError, match="no version"):
        modinfo.version("modinfo: ERROR: Module mpt9sas not found.\nsrcversion: 123\n")


def test_nesting_and_digits_beyond_reason_are_refused():
    for text in ("[" * 200000 + "]" * 200000, "1" * 21, "-" + "1" * 20):
        with pytest.raises(ValueError):
            jsontext.document(text)
    assert jsontext.document("[18446744073709551615]") == [18446744073709551615]
