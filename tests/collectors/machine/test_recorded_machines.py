"""The probes of machine and system on whole recorded nodes; the figures are read off the nodes' files by hand."""

import pytest

from collectors.probes import cpu, firmware, frequency, kernel, limits, memory, mitigations, packages, system

PROBES = [
    probe
    for module in (system, packages, cpu, frequency, mitigations, limits, memory, firmware, kernel)
    for probe in module.PROBES
]
CLIENT, SERVER, VIRTUAL, HOSTILE = "lustre-client-rhel8", "lustre-oss-e1000", "plain-debian-nfs", "hostile"


def probe_of(identifier):
    (probe,) = [probe for probe in PROBES if probe.id == identifier]
    return probe


@pytest.mark.parametrize(
    ("name", "sockets", "cores", "threads", "l3_domains", "nodes", "per_socket"),
    [(CLIENT, 2, 48, 96, 16, 8, 4), (SERVER, 1, 32, 32, 8, 2, 2), (VIRTUAL, 1, 2, 2, 1, 1, 1)],
)
def test_topology_and_numa_nodes(recorded_node, name, sockets, cores, threads, l3_domains, nodes, per_socket):
    output = recorded_node(name).said(probe_of("cpu"))
    cpu = output.section("hardware/cpu")
    assert (cpu["sockets"], cpu["cores"], cpu["threads"]) == (sockets, cores, threads)
    assert (cpu["l3_domains"], cpu["numa_nodes"], cpu["numa_nodes_per_socket"]) == (l3_domains, nodes, per_socket)
    assert output.values("bios.nps") == ({} if name == VIRTUAL else {per_socket: 1})
    assert len(output.items("hardware/numa")) == nodes


def test_the_two_socket_client(recorded_node):
    output = recorded_node(CLIENT).said(probe_of("cpu"))
    assert output.value("cpu.model") == "AMD EPYC 7451 24-Core Processor"
    assert output.value("cpu.sockets_cores", "cores_per_socket") == 24
    assert output.value("cpu.sockets_cores", "threads_per_core") == 2
    assert output.values("cpu.cores_per_l3") == {3: 16}
    assert output.value("cpu.smt") is True
    assert output.value("bios.ccx_as_numa") is False
    assert output.reason("bios.snc") == "not_applicable"
    assert output.value("bios.agesa", "microcode") == "0x8001227"
    first = output.items("hardware/numa")[0]
    assert (first["cpus"], first["distance"]) == ("0-5,48-53", "10 16 16 16 32 32 32 32")


def test_the_server_runs_one_thread_per_core_at_full_speed(recorded_node):
    node = recorded_node(SERVER)
    assert node.said(probe_of("cpu")).value("cpu.smt") is False
    output = node.said(probe_of("cpu.frequency"))
    assert output.values("cpu.governor", "governor") == {"performance": 32}
    assert output.value("cpu.governor", "driver") == "acpi-cpufreq"
    assert output.section("hardware/cpu")["governor"] == {"performance": 32}


def test_bios_settings_are_not_derived_from_the_topology_of_a_virtual_machine(recorded_node):
    output = recorded_node(VIRTUAL).said(probe_of("cpu"))
    reasons = [output.reason(name) for name in ("bios.nps", "bios.ccx_as_numa", "bios.snc")]
    assert reasons == ["not_applicable"] * 3


def test_operating_systems(recorded_node):
    client = recorded_node(CLIENT).said(probe_of("os")).section("os")
    assert (client["id"], client["version"], client["kernel"]) == ("rhel", "8.10", "4.18.0-553.16.1.el8_10.x86_64")
    assert client["cmdline"] == ["mitigations=off", "numa_balancing=disable", "transparent_hugepage=madvise"]
    server = recorded_node(SERVER).said(probe_of("os")).section("os")
    assert (server["id"], server["version"]) == ("rocky", "8.4")
    assert server["cmdline"] == ["iommu=pt", "amd_iommu=on", "nvme.io_timeout=60"]
    assert recorded_node(VIRTUAL).said(probe_of("os")).reason("kernel.cmdline") == "not_applicable"


def test_software_of_client_and_server(recorded_node):
    output = recorded_node(CLIENT).said(probe_of("os.packages"))
    assert output.section("os")["packages"] == {"lustre-client": "2.15.4-1.el8", "kmod-lustre-client": "2.15.4-1.el8"}
    assert output.value("lustre.packages", "lustre-client") == "2.15.4-1.el8"
    rdma = probe_of("os.rdma_stack")
    assert recorded_node(CLIENT).said(rdma).value("ofed.version") == "MLNX_OFED_LINUX-5.8-2.0.3.0"
    assert recorded_node(CLIENT, commands=False).said(rdma).value("ofed.version") == "mlx5_core 5.8-2.0.3"
    assert recorded_node(SERVER).said(probe_of("os.appliance")).value("appliance.version") == "NEO 6.1.010.19"


def test_memory(recorded_node):
    client = recorded_node(CLIENT).said(probe_of("memory"))
    assert client.value("mem.total") == 263088928
    assert client.section("hardware/memory") == {"total_bytes": 263088928 * 1024, "swap_bytes": 0}
    assert client.value("mem.hugepages", "transparent_hugepage.enabled") == "madvise"
    assert recorded_node(SERVER).said(probe_of("memory")).value("mem.total") == 196321536


def test_memory_modules_are_missing_without_root(recorded_node):
    assert recorded_node(CLIENT).said(probe_of("memory.dimms")).reason("mem.dimms") == "permission_denied"


def test_vendor_and_bios(recorded_node):
    output = recorded_node(CLIENT).said(probe_of("firmware"))
    assert output.section("hardware") == {"vendor": "Dell Inc.", "product": "PowerEdge R7425"}
    assert output.section("hardware/bios") == {"vendor": "Dell Inc.", "version": "2.2.4", "date": "04/12/2021"}
    server = recorded_node(SERVER).said(probe_of("firmware"))
    assert server.section("hardware") == {"vendor": "Cray Inc", "product": "ClusterStor E1000"}
    assert server.value("bios.version", "version") == "CS.1.4.7"


def test_kernel_tunables(recorded_node):
    output = recorded_node(CLIENT).said(probe_of("kernel.tunables"))
    assert output.value("vm.sysctl", "vm.dirty_ratio") == 20
    assert output.value("vm.sysctl", "vm.min_free_kbytes") == 90112
    assert output.value("kernel.numa_balancing") is False


@pytest.mark.parametrize("name", [CLIENT, SERVER, VIRTUAL, HOSTILE])
@pytest.mark.parametrize("commands", [True, False])
def test_no_secret_and_no_node_name_is_recorded(recorded_node, name, commands):
    node = recorded_node(name, commands)
    text = repr([node.said(probe).pieces for probe in PROBES if probe.applies(node.door())])
    hostname = (node.root / "proc/sys/kernel/hostname").read_text().strip()
    for secret in [
        "CANARY",
        "ghp_",
        "7N62AI2",
        "4c4c4544",
        "E1K0001234",
        "03000200-",
        "UUID",
        "jdoe42",
        "<script",
        hostname,
    ]:
        assert secret not in text


@pytest.mark.parametrize("name", [CLIENT, SERVER, VIRTUAL, HOSTILE])
def test_every_parameter_of_a_probe_is_a_fact_or_a_gap(recorded_node, name):
    node = recorded_node(name)
    for probe in PROBES:
        if probe.applies(node.door()):
            ids = {getattr(piece, "id", None) for piece in node.said(probe).pieces} - {None}
            assert ids == set(probe.provides), probe.id


def test_the_hostile_node_gives_gaps_with_reasons(recorded_node):
    node = recorded_node(HOSTILE)
    output = node.said(probe_of("cpu"))
    assert output.reason("cpu.model") == "parse_error"
    assert output.reason("cpu.sockets_cores") == "parse_error"
    assert node.said(probe_of("memory")).reason("mem.total") == "parse_error"
    assert node.said(probe_of("memory.dimms")).reason("mem.dimms") == "output_limit"
    assert node.said(probe_of("os")).reason("os.distribution") == "parse_error"
