"""The probes of a Lustre client: many devices in one line, gaps with their reason, nothing asked for in vain."""

import pytest

from collectors.probes import lustre_client, lustre_filesystem
from tests.collectors.lustre.conftest import MOUNT, gaps, osc
from tests.file_modes import bound_by_modes

PROBES = lustre_client.PROBES + lustre_filesystem.PROBES
OSC = "/sys/fs/lustre/osc/"
CLIENT_MOUNT = "10.0.0.1@o2ib:10.0.0.2@o2ib:/fs /lustre lustre rw,flock 0 0\n"


def test_many_devices_are_one_line_for_each_value(lustre):
    lustre.put({f"{OSC}{osc(target)}/max_rpcs_in_flight": "64" if target < 2 else "8" for target in range(40)})
    output = lustre.said_of(PROBES)
    assert output.values("lustre.client.osc.max_rpcs_in_flight") == {8: 38, 64: 2}
    assert output.value("lustre.fs.ost_count", "visible") == 40


def test_counters_are_summed_over_devices_that_counted_alike_and_otherwise(lustre):
    row = "pages per rpc         rpcs   % cum % |       rpcs   % cum %\n256:  {} 100 100 | 2 100 100\n"
    lustre.put({f"{OSC}{osc(target)}/rpc_stats": row.format(5 if target else 1) for target in range(4)})
    output = lustre.said_of(PROBES)
    assert output.value("lustre.client.osc.rpc_stats", "read_256_pages") == 16
    assert output.value("lustre.client.osc.rpc_stats", "write_total") == 8


def test_many_different_values_become_their_range(lustre):
    lustre.put({f"{OSC}{osc(target)}/cur_grant_bytes": str(1000 + target) for target in range(101)})
    output = lustre.said_of(PROBES)
    grant_range = {key: output.value("lustre.client.osc.grant", key) for key in ("minimum", "median", "maximum")}
    assert grant_range == {"minimum": 1000, "median": 1050, "maximum": 1100}
    assert output.values("lustre.client.osc.grant") == {}


def test_an_unreadable_device_among_others_leaves_the_others(lustre):
    lustre.put({f"{OSC}{osc(target)}/active": "junk" if target == 1 else "1" for target in range(4)})
    assert lustre.said_of(PROBES).values("lustre.client.osc.active") == {True: 3}


def test_parameters_missing_in_the_release_are_unsupported_version(lustre):
    lustre.put({f"{OSC}{osc(0)}/active": "1", f"/sys/fs/lustre/llite/fs-{MOUNT}/xattr_cache": "1"})
    reasons = gaps(lustre.said_of(PROBES))
    assert reasons["lustre.client.llite.hybrid_io"] == "unsupported_version"
    assert reasons["lustre.client.osc.idle_timeout"] == "unsupported_version"
    assert reasons["lustre.client.mdc.max_rpcs_in_flight"] == "not_applicable"


def test_hybrid_io_is_a_map_of_three_files(lustre):
    llite = f"/sys/fs/lustre/llite/fs-{MOUNT}/hybrid_io"
    lustre.put({llite: "1", llite + "_read_threshold_bytes": "8388608", llite + "_write_threshold_bytes": "2097152"})
    output = lustre.said_of(PROBES)
    settings = {key: output.value("lustre.client.llite.hybrid_io", key) for key in ("enabled", "write_threshold_bytes")}
    assert settings == {"enabled": True, "write_threshold_bytes": 2097152}


def test_unknown_file_formats_are_parse_errors(lustre):
    lustre.put({f"{OSC}{osc(0)}/max_dirty_mb": "lots", f"{OSC}{osc(0)}/checksums": ""})
    reasons = gaps(lustre.said_of(PROBES))
    assert reasons["lustre.client.osc.max_dirty_mb"] == "parse_error"
    assert reasons["lustre.client.osc.checksums"] == "parse_error"


def test_lctl_replaces_hidden_device_files(lustre):
    lustre.put({"/proc/mounts": CLIENT_MOUNT})
    lctl_input = lustre_client.LustreClient().read(lustre.door())["lctl"]
    assert lctl_input.reason == "not_installed"
    lustre.command(
        "lctl get_param",
        f"osc.{osc(0)}.max_dirty_mb=2000\nosc.{osc(1)}.max_dirty_mb=2000\n"
        f"llite.fs-{MOUNT}.max_cached_mb=\nusers: 9\nmax_cached_mb: 512\n"
        "osc.fs-OST0000-osc-MDT0000.max_dirty_mb=1\n",
    )
    output = lustre.said_of(PROBES)
    assert output.values("lustre.client.osc.max_dirty_mb") == {2000: 2}
    assert output.value("lustre.client.llite.max_cached_mb") == 512


@pytest.mark.parametrize(
    ("output", "status", "error", "reason"),
    [
        ("", 2, "error: get_param: Permission denied", "permission_denied"),
        ("junk\n", 0, "", "parse_error"),
        ("", 2, "error: get_param: no such path", "not_applicable"),
    ],
)
def test_empty_output_of_lctl_is_the_reason(lustre, output, status, error, reason):
    lustre.put({"/proc/mounts": CLIENT_MOUNT}).command("lctl get_param", output, status, error)
    assert gaps(lustre.said_of(PROBES))["lustre.client.osc.max_dirty_mb"] == reason


def test_lctl_is_called_with_named_parameters_only(lustre):
    lustre.put({"/proc/mounts": CLIENT_MOUNT})
    commands = []
    door = lustre.door()
    door.command = lambda argv: commands.append(argv) or lustre.door().command(argv)
    lustre_client.LustreClient().read(door)
    (argv,) = [argv for argv in commands if argv[0] == "lctl"]
    assert argv[:2] == ["lctl", "get_param"]
    assert "osc.*.checksums" in argv
    assert not any(pattern.endswith("*") or "exports" in pattern or "job_stats" in pattern for pattern in argv)


def test_lctl_gives_the_release_without_a_file(lustre):
    lustre.put({f"{OSC}{osc(0)}/active": "1"}).command("lctl get_param -n version", "2.15.4\n")
    fact = next(piece for piece in lustre.said_of(PROBES).pieces if piece.id == "lustre.version")
    assert (fact.value, fact.source) == ("2.15.4", "command")


def test_a_node_without_lustre_has_no_lustre_facts(lustre):
    lustre.put({"/proc/mounts": "/dev/md0 /ost lustre rw,svname=fs-OST0000 0 0\nnfs:/x /y nfs rw 0 0\n"})
    assert not any(probe.applies(lustre.door()) for probe in PROBES)


def test_connections_of_a_metadata_server_are_not_client_facts(lustre):
    lustre.put({"/proc/fs/lustre/osc/fs-OST0000-osc-MDT0000/max_rpcs_in_flight": "8"})
    assert not lustre_client.is_client(lustre.door())


def test_two_file_systems_are_recorded_separately(lustre):
    for name, mount, kib in (("fast", "ffff1111", "1000"), ("slow-1", "ffff2222", "9000")):
        lustre.put(
            {
                f"/sys/fs/lustre/llite/{name}-{mount}/kbytestotal": kib,
                f"/sys/fs/lustre/llite/{name}-{mount}/kbytesavail": "500",
                f"/sys/fs/lustre/lov/{name}-clilov-{mount}/numobd": "4",
                f"/sys/fs/lustre/lmv/{name}-clilmv-{mount}/numobd": "1",
            }
        )
    output = lustre.said_of(PROBES)
    assert output.values("lustre.fs.capacity", "total_kib") == {1000: 1, 9000: 1}
    assert output.values("lustre.fs.capacity", "used_percent") == {50: 1, 94: 1}
    assert output.values("lustre.fs.ost_count", "visible") == {4: 2}
    assert output.value("lustre.dne") == "none"
    assert [(item["usable_bytes"], item["data_targets"]) for item in output.items("storage_systems")] == [
        (1024000, 4),
        (9216000, 4),
    ]
    assert {item["name"] for item in output.items("storage_systems")} == {"lustre"}


def test_sizes_come_from_lfs_where_no_file_has_them(lustre):
    lustre.put({"/proc/mounts": CLIENT_MOUNT.replace("/lustre ", "/my\\040fs ")})
    lustre.commands = [
        {
            "argv": ["lfs", "df", "/my fs"],
            "stdout": "UUID 1K-blocks Used Available Use% Mounted on\n"
            "fs-MDT0000_UUID 9 1 8 2% /my fs[MDT:0]\nfs-MDT0001_UUID 9 1 8 2% /my fs[MDT:1]\n"
            "fs-OST0000_UUID 100 10 80 2% /my fs[OST:0]\nfilesystem_summary: 100 10 80 2% /my fs\n",
        }
    ]
    lustre.command("lfs pool_list", "Pools from fs:\nfs.flash\nfs.disk\n")
    lustre.command("lfs getdirstripe", "lmv_stripe_count: 2 lmv_stripe_offset: 0 lmv_hash_type: crush\n")
    output = lustre.said_of(PROBES, lustre.door_at("/my fs/test"))
    assert output.value("lustre.fs.capacity", "total_kib") == 100
    assert output.value("lustre.fs.capacity", "used_percent") == 20
    assert output.value("lustre.fs.ost_count", "visible") == 1
    assert output.value("lustre.fs.mdt_count", "visible") == 2
    assert output.value("lustre.fs.ost_pools") == "disk,flash"
    assert output.value("lustre.dne") == "dne2"


def test_targets_are_counted_by_lctl_where_no_device_can_be_seen(lustre):
    lustre.put({"/proc/mounts": CLIENT_MOUNT})
    lustre.command(
        "lctl dl", f"  0 UP osc {osc(0)} u 5\n  1 UP osc {osc(1)} u 5\n  2 UP mdc fs-MDT0000-mdc-{MOUNT} u 5\n"
    )
    output = lustre.said_of(PROBES)
    assert output.value("lustre.fs.ost_count", "visible") == 2
    assert output.value("lustre.fs.mdt_count", "visible") == 1
    assert output.value("lustre.dne") == "none"


def test_the_fill_of_each_target_is_asked_of_a_moderate_number(lustre):
    def filled(targets):
        for target in range(targets):
            files = {"kbytestotal": "100", "kbytesfree": "90" if target else "40", "active": "1"}
            lustre.put({f"{OSC}{osc(target)}/{name}": text for name, text in files.items()})
        lustre.put({f"/sys/fs/lustre/llite/fs-{MOUNT}/kbytestotal": str(100 * targets)})
        return lustre.said_of(PROBES)

    output = filled(5)
    assert output.value("lustre.fs.capacity", "ost_used_percent_minimum") == 10
    assert output.value("lustre.fs.capacity", "ost_used_percent_maximum") == 60
    assert filled(600).values("lustre.fs.capacity", "ost_used_percent_maximum") == {}


def test_no_file_system_name_is_recorded(lustre):
    secret = "CANARY-7f3a"
    lustre.put(
        {
            "/proc/mounts": f"10.9.8.7@o2ib:/{secret} /lustre/{secret} lustre rw,flock,skpath=/{secret} 0 0\n",
            f"{OSC}{osc(0)}/import": f"import:\n name: {secret}\n target_version: 2.15\n nids: [ 10.9.8.7@o2ib ]\n",
            f"/sys/fs/lustre/llite/{secret}-{MOUNT}/kbytestotal": "1000",
            f"/sys/fs/lustre/llite/{secret}-{MOUNT}/pcc": f"pccpath: /mnt/{secret}\n",
            f"/sys/kernel/debug/lustre/llite/{secret}-{MOUNT}/pcc": f"pccpath: /mnt/{secret}\n",
        }
    )
    text = repr(lustre.said_of(PROBES).pieces)
    assert "lustre.client.mgs_nids" in text
    assert secret not in text
    assert "10.9.8.7" not in text


def test_a_file_of_root_is_permission_denied_and_not_absent(lustre):
    place = f"/sys/kernel/debug/lustre/llite/fs-{MOUNT}/max_cached_mb"
    lustre.put({f"/sys/fs/lustre/llite/fs-{MOUNT}/xattr_cache": "1", place: "1"})
    (lustre.root / place.lstrip("/")).chmod(0)
    with bound_by_modes():
        missing = gaps(lustre.said_of(PROBES))
    assert missing["lustre.client.llite.max_cached_mb"] == "permission_denied"


def test_every_parameter_is_recorded_or_missing_with_a_reason(lustre):
    lustre.put({f"{OSC}{osc(0)}/active": "1"})
    for probe in PROBES:
        assert {piece.id for piece in lustre.said(probe).pieces} == set(probe.provides)
