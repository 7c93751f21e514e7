"""LNet: networks as types and counts, health, CPU partitions from the table or from the names of threads."""

import pytest

from collectors.probes import lnet
from tests.collectors.lustre.conftest import gaps

PARAMETERS = "/sys/module/lnet/parameters/"
NET_SHOW = """net:
    - net type: lo
      local NI(s):
        - nid: 0@lo
          status: up
          dev cpt: 0
    - net type: o2ib
      local NI(s):
        - nid: 172.16.0.24@o2ib
          status: down
          interfaces:
              0: ib0
          health stats:
              health value: 900
          tunables:
              peer_credits: 8
          dev cpt: 4
          CPT: "[0,1,2,3]"
        - nid: 172.16.0.28@o2ib
          status: up
          health stats:
              health value: 1000
          dev cpt: -1
    - net type: o2ib1
      local NI(s):
        - nid: 172.17.0.28@o2ib1
          status: up
    - net type: tcp
      local NI(s):
        - nid: 10.73.20.21@tcp
          status: up
"""


@pytest.fixture
def networked(lustre):
    return lustre.put(
        {
            PARAMETERS + "networks": "o2ib(ib0[0,1],ib1),o2ib1(ib2),tcp0(eth0)\n",
            PARAMETERS + "lnet_health_sensitivity": "100\n",
            PARAMETERS + "lnet_transaction_timeout": "150\n",
            PARAMETERS + "cpu_npartitions": "0\n",
            PARAMETERS + "cpu_pattern": "0[0-3,32-35] 1[4-7,36-39]\n",
            "/sys/module/ko2iblnd/parameters/peer_credits": "32\n",
            "/sys/module/ko2iblnd/parameters/nscheds": "junk",
        }
    )


def test_networks_are_counted_as_they_are_up_now(networked):
    networked.command("lnetctl net show -v 4", NET_SHOW)
    output = networked.said_of(lnet.PROBES)
    assert output.value("lnet.networks", "o2ib") == 3
    assert output.value("lnet.networks", "tcp") == 1
    assert output.values("lnet.networks", "lo") == {}
    assert output.value("lnet.multirail") == 2
    assert output.values("lnet.ni_status", "status") == {"up": 3, "down": 1}
    assert output.values("lnet.ni_status", "health") == {900: 1, 1000: 1}
    assert output.values("lnet.dev_cpt") == {4: 1, -1: 1}
    assert "172.1" not in repr(output.pieces)
    assert "ib0" not in repr(output.pieces)


@pytest.mark.parametrize(
    ("output", "status", "error", "reason"),
    [
        ("", 1, "opening /dev/lnet failed: Permission denied", "permission_denied"),
        (
            "show:\n    - net:\n          errno: -13\n          descr: cannot get networks\n",
            243,
            "",
            "permission_denied",
        ),
        ('---\nshow:\n-     net:\n      errno: -3\n      descr: ! "Network is down"\n', 234, "", "not_applicable"),
        ("net:\n    - net type: lo\n      local NI(s):\n        - nid: 0@lo\n", 0, "", "parse_error"),
        ("junk \x1b[31m", 0, "", "parse_error"),
    ],
)
def test_users_see_the_configured_networks(networked, output, status, error, reason):
    networked.command("lnetctl net show -v 4", output, status, error)
    probe_output = networked.said_of(lnet.PROBES)
    assert (probe_output.value("lnet.networks", "o2ib"), probe_output.value("lnet.networks", "tcp")) == (3, 1)
    assert probe_output.value("lnet.multirail") == 2
    assert probe_output.reason("lnet.ni_status") == reason
    assert probe_output.reason("lnet.dev_cpt") == reason


@pytest.mark.parametrize(
    ("configured", "counts", "rails"),
    [
        ("o2ib(ib0)", {"o2ib": 1}, 1),
        ("tcp", {"tcp": 1}, 1),
        ("tcp0(eth0,eth1),o2ib2", {"tcp": 2, "o2ib": 1}, 2),
        ("kfi(cxi0,cxi1,cxi2,cxi3)", {"kfi": 4}, 4),
    ],
)
def test_configured_networks_in_all_their_forms(networked, configured, counts, rails):
    output = networked.put({PARAMETERS + "networks": configured + "\n"}).said_of(lnet.PROBES)
    for kind in ("o2ib", "tcp", "kfi"):
        assert output.values("lnet.networks", kind) == ({counts[kind]: 1} if kind in counts else {})
    assert output.value("lnet.multirail") == rails


@pytest.mark.parametrize("configured", ["junk(eth0)", "10.0.0.1@tcp", "((", "o2ib(ib0", "\u0660"])
def test_invalid_configured_networks_are_left_out(networked, configured):
    output = networked.put({PARAMETERS + "networks": configured}).said_of(lnet.PROBES)
    assert output.reason("lnet.networks") == "not_installed"


def test_without_configuration_the_networks_are_missing(networked):
    networked.put({PARAMETERS + "networks": "\n"}).command("lnetctl net show -v 4", "", 1, "Permission denied")
    assert gaps(networked.said_of(lnet.PROBES))["lnet.networks"] == "permission_denied"


def test_networks_of_a_wider_indentation(networked):
    text = "net:\n-     net type: tcp\n      local NI(s):\n      -     nid: 10.244.0.10@tcp\n            status: up\n"
    output = networked.command("lnetctl net show -v 4", text).said_of(lnet.PROBES)
    assert (output.value("lnet.networks", "tcp"), output.value("lnet.ni_status", "status")) == (1, "up")


def test_drivers_and_their_parameters(networked):
    output = networked.said_of(lnet.PROBES)
    assert output.values("lnet.lnd") == {"ko2iblnd": 1}
    assert output.value("ko2iblnd.peer_credits") == 32
    assert output.reason("ko2iblnd.nscheds") == "parse_error"
    assert output.reason("ko2iblnd.ntx") == "not_applicable"
    assert not next(probe for probe in lnet.PROBES if probe.id == "ksocklnd").applies(networked.door())


def test_all_parameters_of_slingshots_driver_are_one_map(lustre):
    values = {"credits": "512\n", "traffic_class": "best_effort\n", "cksum": "N\n", "odd": "a/b c\n"}
    lustre.put({f"/sys/module/kfilnd/parameters/{name}": text for name, text in values.items()})
    lustre.put({PARAMETERS + "cpu_pattern": ""})
    output = lustre.said_of(lnet.PROBES)
    assert output.value("kfilnd.params", "credits") == 512
    assert output.value("kfilnd.params", "traffic_class") == "best_effort"
    assert output.value("kfilnd.params", "cksum") is False
    assert output.reason("kfilnd.params", "odd") == "parse_error"
    assert output.values("lnet.lnd") == {"kfilnd": 1}


def test_requested_partitions_are_read_from_either_module(networked, lustre):
    output = networked.said_of(lnet.PROBES)
    assert output.value("libcfs.cpu_npartitions") == 0
    assert output.value("libcfs.cpu_pattern") == "0[0-3,32-35] 1[4-7,36-39]"
    (networked.root / "sys/module/lnet/parameters/cpu_npartitions").unlink()
    (networked.root / "sys/module/lnet/parameters/cpu_pattern").unlink()
    networked.put(
        {"/sys/module/libcfs/parameters/cpu_npartitions": "4", "/sys/module/libcfs/parameters/cpu_pattern": ""}
    )
    output = networked.said_of(lnet.PROBES)
    assert output.value("libcfs.cpu_npartitions") == 4
    assert output.value("libcfs.cpu_pattern") == "none"


def test_an_invalid_cpu_pattern_is_a_parse_error(networked):
    networked.put({PARAMETERS + "cpu_pattern": "user@host"})
    assert gaps(networked.said_of(lnet.PROBES))["libcfs.cpu_pattern"] == "parse_error"


def test_the_self_test_is_never_run(networked):
    assert networked.said_of(lnet.PROBES).reason("lnet.selftest") == "disabled"


ROUTES = """Routing disabled
net      hops priority   state router
o2ib18     -1        0      up 172.19.1.54@o2ib100
o2ib18     -1        0      up 172.19.1.55@o2ib100
o2ib44      1        0      up 172.19.1.55@o2ib100
"""


def test_routers_are_counted_once(networked):
    networked.put({"/sys/kernel/debug/lnet/routes": ROUTES})
    assert networked.said_of(lnet.PROBES).value("lnet.routers") == 2
    networked.put({"/sys/kernel/debug/lnet/routes": ROUTES.split("o2ib18")[0]})
    assert networked.said_of(lnet.PROBES).value("lnet.routers") == 0
    networked.put({"/sys/kernel/debug/lnet/routes": "junk"})
    assert networked.said_of(lnet.PROBES).reason("lnet.routers") == "parse_error"


@pytest.mark.parametrize(
    ("output", "count"),
    [
        ("route:\n    - net: o2ib18\n      gateway: 1.2.3.4@tcp\n    - net: o2ib18\n      gateway: 1.2.3.5@tcp\n", 2),
        ("", 0),
    ],
)
def test_routers_by_lnetctl(networked, output, count):
    networked.command("lnetctl route show", output)
    assert networked.said_of(lnet.PROBES).value("lnet.routers") == count


def test_routers_are_missing_where_lnetctl_is_refused(networked):
    networked.command("lnetctl route show", "", 1, "Permission denied")
    assert networked.said_of(lnet.PROBES).reason("lnet.routers") == "permission_denied"


TABLE = "0\t: 0 1 2 3 48 49\n1\t: 4 6 8 \n2\t:\n"


@pytest.mark.parametrize("place", ["/proc/sys/lnet", "/sys/kernel/debug/lnet"])
def test_the_table_of_partitions(networked, place):
    networked.put({place + "/cpu_partition_table": TABLE.replace("2\t:\n", "")})
    output = networked.said_of(lnet.PROBES)
    assert output.value("lnet.cpu_partition_table", "partitions") == 2
    assert output.value("lnet.cpu_partition_table", "cpus_of_0") == "0-3,48-49"
    assert output.value("lnet.cpu_partition_table", "cpus_of_1") == "4,6,8"


def test_a_table_of_ranges_as_lctl_prints_it():
    assert lnet.partition_table("cpu_partition_table=\n0: 0-127\n") == {0: "0-127"}
    assert lnet.partition_table("cpu_partition_table=0\t: 0 1 2 3") == {0: "0-3"}


@pytest.mark.parametrize("text", ["", "junk", "0 : a b", "0 : 5-", "0 : 99999999", "0 : 1-99999999", "0 : 1 2\nerror"])
def test_text_without_a_table_is_refused(text):
    with pytest.raises(ValueError):
        lnet.partition_table(text)


@pytest.mark.parametrize(
    ("names", "count"),
    [
        (["ptlrpcd_00_00", "ptlrpcd_07_01", "ptlrpcd_rcv"], 8),
        (["kiblnd_sd_03_00", "kworker/3:1"], 4),
        (["socknal_sd01_00", "socknal_cd05"], 2),
        (["ll_ost_io11_004", "ll_ost02_000"], 12),
        (["mdt_rdpg01_000", "mdt05_001"], 6),
    ],
)
def test_users_see_the_number_of_partitions_by_thread_names(networked, names, count):
    networked.put({f"/proc/{index + 2}/comm": name + "\n" for index, name in enumerate(names)})
    output = networked.said_of(lnet.PROBES)
    assert output.value("lnet.cpu_partition_table", "partitions") == count


def test_lctl_gives_partitions_without_table_and_threads(networked):
    networked.put({"/proc/2/comm": "bash\n"})
    networked.command("lctl get_param -n cpu_partition_table", "0\t: 0 1\n1\t: 2 3\n")
    assert networked.said_of(lnet.PROBES).value("lnet.cpu_partition_table", "partitions") == 2
    networked.commands = []
    networked.command("lctl get_param -n cpu_partition_table", "", 2, "error: get_param: Permission denied")
    assert gaps(networked.said_of(lnet.PROBES))["lnet.cpu_partition_table"] == "permission_denied"


def test_a_node_without_lnet_has_no_lnet_facts(lustre):
    assert not any(probe.applies(lustre.door()) for probe in lnet.PROBES)
