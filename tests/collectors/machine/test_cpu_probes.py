"""Processors, NUMA nodes and frequency on constructed nodes: each source of a value, each way to be missing."""

import json

import pytest

from collectors.probes.cpu import PROBES as CPU_PROBES
from collectors.probes.cpu import agesa_version, nodes_per_socket
from collectors.probes.frequency import PROBES as FREQUENCY_PROBES
from collectors.probes.limits import PROBES as LIMITS_PROBES

(CPU,) = CPU_PROBES
(FREQUENCY,) = FREQUENCY_PROBES
(LIMITS,) = LIMITS_PROBES
SYSFS = "/sys/devices/system/"
AMD = "vendor_id : AuthenticAMD\nmodel name : Example EPYC\nflags : fpu lm\nmicrocode : 0xa0011d1\n"
INTEL = "vendor_id : GenuineIntel\nmodel name : Example Xeon\nflags : fpu lm\n"


def cpuinfo(cpus, fields=AMD):
    return {"/proc/cpuinfo": "".join(f"processor : {number}\n{fields}\n" for number in range(cpus))}


def topology(sockets, cores_per_socket, cores_per_l3, nodes):
    """The files of a node without SMT: processors are numbered through, all groups are neighbours."""
    cpus = sockets * cores_per_socket
    files = {}
    for number in range(cpus):
        folder = f"{SYSFS}cpu/cpu{number}/"
        files[folder + "topology/core_siblings_list"] = neighbours(number, cores_per_socket)
        files[folder + "topology/thread_siblings_list"] = f"{number}\n"
        files[folder + "cache/index3/shared_cpu_list"] = neighbours(number, cores_per_l3)
    for node in range(nodes):
        files[f"{SYSFS}node/node{node}/cpulist"] = neighbours(node * cpus // nodes, cpus // nodes)
    return files


def neighbours(number, size):
    first = number // size * size
    return f"{first}-{first + size - 1}\n" if size > 1 else f"{first}\n"


def test_one_numa_node_per_l3_cache_beyond_nps4_hides_nps(node):
    node.put(cpuinfo(16)).put(topology(sockets=1, cores_per_socket=16, cores_per_l3=2, nodes=8))
    output = node.said(CPU)
    assert output.value("bios.ccx_as_numa") is True
    assert output.reason("bios.nps") == "permission_denied"
    assert output.section("hardware/cpu")["numa_nodes_per_socket"] == 8
    assert output.section("hardware/cpu")["l3_domains"] == 8


def test_equal_numbers_of_numa_nodes_and_l3_caches_leave_nps_unknown(node):
    node.put(cpuinfo(16)).put(topology(sockets=1, cores_per_socket=16, cores_per_l3=4, nodes=4))
    output = node.said(CPU)
    assert output.value("bios.nps") == 4
    assert output.reason("bios.ccx_as_numa") == "permission_denied"


def test_one_node_and_one_cache_per_socket_is_plain_nps1(node):
    node.put(cpuinfo(16)).put(topology(sockets=2, cores_per_socket=8, cores_per_l3=8, nodes=2))
    output = node.said(CPU)
    assert output.value("bios.nps") == 1
    assert output.value("bios.ccx_as_numa") is False


@pytest.mark.parametrize(("nodes", "setting"), [(2, "Disabled"), (4, "SNC2"), (8, "SNC4")])
def test_nodes_of_an_intel_socket_are_sub_numa_clusters(node, nodes, setting):
    node.put(cpuinfo(16, INTEL)).put(topology(sockets=2, cores_per_socket=8, cores_per_l3=8, nodes=nodes))
    output = node.said(CPU)
    assert output.value("bios.snc") == setting
    assert output.value("bios.nps") == nodes // 2
    assert output.reason("bios.ccx_as_numa") == "not_applicable"


@pytest.mark.parametrize(("sockets", "nodes"), [(8, 1), (2, 4), (1, 1)])
def test_the_nodes_of_a_virtual_machine_are_counted_and_no_setting_of_a_bios(node, sockets, nodes):
    node.put(cpuinfo(8, INTEL.replace("fpu lm", "fpu lm hypervisor")))
    node.put(topology(sockets=sockets, cores_per_socket=8 // sockets, cores_per_l3=1, nodes=nodes))
    output = node.said(CPU)
    assert output.section("hardware/cpu")["numa_nodes"] == nodes
    assert {output.reason(name) for name in ("bios.nps", "bios.snc", "bios.ccx_as_numa")} == {"not_applicable"}


def test_one_node_over_two_intel_sockets_leaves_the_division_unknown(node):
    node.put(cpuinfo(16, INTEL)).put(topology(sockets=2, cores_per_socket=8, cores_per_l3=8, nodes=1))
    output = node.said(CPU)
    assert (output.values("bios.nps"), output.values("bios.snc")) == ({}, {})
    assert output.reason("bios.nps") == "parse_error"
    assert output.section("hardware/cpu")["numa_nodes_per_socket"] is None


def test_an_arm_processor_has_no_settings_of_amd_or_intel(node):
    processor = "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd4f\n\n"
    node.put({"/proc/cpuinfo": processor}).put(topology(sockets=1, cores_per_socket=8, cores_per_l3=8, nodes=1))
    output = node.said(CPU)
    assert output.value("bios.nps") == 1
    assert (output.reason("bios.ccx_as_numa"), output.reason("bios.snc")) == ("not_applicable", "not_applicable")


def test_settings_of_one_vendor_are_missing_without_cpuinfo(node):
    output = node.put(topology(sockets=1, cores_per_socket=8, cores_per_l3=8, nodes=1)).said(CPU)
    assert (output.values("bios.ccx_as_numa"), output.values("bios.snc")) == ({}, {})


def test_a_node_of_memory_without_processors_does_not_count_for_nps(node):
    node.put(cpuinfo(8, INTEL)).put(topology(sockets=1, cores_per_socket=8, cores_per_l3=8, nodes=1))
    node.put({SYSFS + "node/node1/cpulist": "\n"})
    output = node.said(CPU)
    assert output.value("bios.nps") == 1
    assert [item["cpus"] for item in output.items("hardware/numa")] == ["0-7", ""]


def test_a_virtual_machine_of_many_sockets_has_no_setting_of_its_bios(node):
    files = topology(sockets=4, cores_per_socket=1, cores_per_l3=1, nodes=1)
    output = node.put(cpuinfo(4, AMD.replace("fpu", "fpu hypervisor"))).put(files).said(CPU)
    assert output.reason("bios.nps") == "not_applicable"
    assert output.reason("bios.ccx_as_numa") == "not_applicable"


@pytest.mark.parametrize(
    ("nodes", "sockets", "vendor", "expected"),
    [
        (8, 2, "AuthenticAMD", 4),
        (1, 2, "AuthenticAMD", 0),
        (1, 2, "GenuineIntel", None),
        (3, 2, "GenuineIntel", None),
        (0, 2, "GenuineIntel", None),
        (2, None, "AuthenticAMD", None),
    ],
)
def test_nodes_per_socket(nodes, sockets, vendor, expected):
    assert nodes_per_socket(nodes, sockets, vendor) == expected


def test_cpuinfo_gives_sockets_and_cores_without_sysfs(node):
    blocks = [f"processor : {n}\nphysical id : {n // 4}\ncore id : {n % 2}\n{AMD}" for n in range(8)]
    output = node.put({"/proc/cpuinfo": "\n".join(blocks)}).said(CPU)
    assert output.value("cpu.sockets_cores", "sockets") == 2
    assert output.value("cpu.sockets_cores", "cores_per_socket") == 2
    assert output.value("cpu.sockets_cores", "threads_per_core") == 2
    assert output.value("cpu.smt") is True
    assert output.reason("bios.nps") == "not_applicable"


def test_lscpu_and_numactl_replace_missing_files(node, tmp_path):
    recording = tmp_path / "commands.json"
    recording.write_text(
        '{"commands": [{"argv": ["lscpu", "-J"], "stdout": "CPU(s): 8\\nModel name: Example\\nSocket(s): 2\\n'
        'Core(s) per socket: 4\\nL3: 8 MiB (2 instances)\\nArchitecture: aarch64\\n"},'
        ' {"argv": ["numactl", "-H"], "stdout": "available: 2 nodes (0-1)\\nnode 0 cpus: 0 1 2 3\\n'
        'node 1 cpus: 4 5 6 7\\nnode 1 size: 10 MB\\n"}]}'
    )
    node.recording = recording
    output = node.said(CPU)
    assert output.value("cpu.model") == "Example"
    assert output.value("cpu.sockets_cores", "cores_per_socket") == 4
    assert output.values("cpu.cores_per_l3") == {4: 2}
    assert output.value("bios.nps") == 1
    assert output.section("hardware/cpu")["architecture"] == "aarch64"
    assert output.items("hardware/numa")[1] == {
        "node": "node1",
        "cpus": "4-7",
        "distance": None,
        "total_bytes": 10 * 1024**2,
    }


def test_lscpu_gives_the_name_of_an_arm_processor(node, tmp_path):
    node.put({"/proc/cpuinfo": "processor : 0\nCPU implementer : 0x41\nCPU architecture: 8\nCPU part : 0xd0c\n"})
    node.put(topology(sockets=1, cores_per_socket=2, cores_per_l3=2, nodes=1))
    node.recording = tmp_path / "commands.json"
    output = "CPU(s): 2\nVendor ID: ARM\nModel name: Neoverse-N1\n"
    node.recording.write_text(json.dumps({"commands": [{"argv": ["lscpu", "-J"], "stdout": output}]}))
    probe_output = node.said(CPU)
    assert probe_output.value("cpu.model") == "Neoverse-N1"
    assert probe_output.section("hardware/cpu")["architecture"] == "aarch64"
    assert probe_output.value("bios.nps") == 1
    assert probe_output.reason("bios.ccx_as_numa") == "not_applicable"


def test_an_empty_node_gives_reasons_and_no_facts(node):
    output = node.said(CPU)
    assert {output.reason(parameter) for parameter in CPU.provides} == {"not_applicable"}


def test_the_agesa_version_is_taken_out_of_the_firmwares_strings():
    table = (
        "Handle 0x0001, DMI type 11, 5 bytes\nOEM Strings\n\tString 1: AGESA!V9 GenoaPI-SP5 1.0.0.B\n\tString 2: TAG\n"
    )
    assert agesa_version(table) == "GenoaPI-SP5 1.0.0.B"
    assert agesa_version(table.replace("AGESA!V9 ", "")) is None


def test_governors_are_counted_and_a_stray_one_shows(node):
    files = {f"{SYSFS}cpu/cpu{n}/cpufreq/scaling_governor": "performance\n" for n in range(7)}
    files[SYSFS + "cpu/cpu7/cpufreq/scaling_governor"] = "powersave\n"
    files[SYSFS + "cpu/cpu0/cpufreq/scaling_driver"] = "amd-pstate-epp\n"
    files[SYSFS + "cpu/cpu0/cpufreq/cpuinfo_max_freq"] = "3710000\n"
    files[SYSFS + "cpu/cpu0/cpufreq/base_frequency"] = "2400000\n"
    output = node.put(files).said(FREQUENCY)
    assert output.values("cpu.governor", "governor") == {"performance": 7, "powersave": 1}
    assert output.value("cpu.governor", "driver") == "amd-pstate-epp"
    assert output.value("cpu.max_freq", "max") == 3710000
    assert output.section("hardware/cpu")["max_hz"] == 3710000000
    assert output.section("hardware/cpu")["base_hz"] == 2400000000


@pytest.mark.parametrize(
    ("path", "text", "boost"), [("cpufreq/boost", "1", True), ("intel_pstate/no_turbo", "1", False)]
)
def test_boost_is_read_from_either_of_two_opposite_switches(node, path, text, boost):
    assert node.put({SYSFS + "cpu/" + path: text + "\n"}).said(FREQUENCY).value("cpu.boost") is boost


@pytest.mark.parametrize("text", ["9" * 60, "-1", "fast", "", "0"])
def test_an_impossible_frequency_is_a_parse_error(node, text):
    output = node.put({SYSFS + "cpu/cpu0/cpufreq/cpuinfo_max_freq": text}).said(FREQUENCY)
    assert output.reason("cpu.max_freq") == "parse_error"
    assert output.section("hardware/cpu")["max_hz"] is None


def test_cpupower_gives_facts_missing_in_sysfs(node, tmp_path):
    recording = tmp_path / "commands.json"
    recording.write_text(
        '{"commands": [{"argv": ["cpupower", "-c", "all", "frequency-info"],'
        ' "stdout": "analyzing CPU 0:\\n  driver: x\\n'
        "  hardware limits: 1.00 GHz - 2.00 GHz\\n"
        '  The governor \\"performance\\" may decide\\n"}]}'
    )
    node.recording = recording
    output = node.said(FREQUENCY)
    assert output.values("cpu.governor", "governor") == {"performance": 1}
    assert output.value("cpu.max_freq", "max") == 2000000


def test_limits_of_the_job_are_the_smallest_of_its_parent_groups(node):
    node.put(
        {
            "/proc/self/status": "Name:\tx\nCpus_allowed_list:\t0-3,8\n",
            "/proc/self/cgroup": "0::/system.slice/job_42/step_0\n",
            "/sys/fs/cgroup/system.slice/job_42/step_0/memory.max": "max\n",
            "/sys/fs/cgroup/system.slice/job_42/memory.max": "1073741824\n",
            "/sys/fs/cgroup/system.slice/memory.max": "2147483648\n",
        }
    )
    output = node.said(LIMITS)
    assert output.value("cpu.cgroup_limits", "cpus_allowed") == "0-3,8"
    assert output.value("cpu.cgroup_limits", "cpus_allowed_count") == 5
    assert output.value("cpu.cgroup_limits", "memory_max_bytes") == 1073741824
    assert "job_42" not in repr(output.pieces)


def test_limits_of_the_first_version_of_control_groups(node):
    node.put(
        {
            "/proc/self/status": "Cpus_allowed_list:\t0\n",
            "/proc/self/cgroup": "5:cpuset:/slurm\n4:cpu,memory:/slurm/uid_1/job_2\n",
            "/sys/fs/cgroup/memory/slurm/uid_1/job_2/memory.limit_in_bytes": "4096\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        }
    )
    assert node.said(LIMITS).value("cpu.cgroup_limits", "memory_max_bytes") == 4096


def test_no_limit_is_no_fact(node):
    node.put({"/proc/self/status": "Cpus_allowed_list:\t0\n", "/proc/self/cgroup": "0::/../../etc\n"})
    assert node.said(LIMITS).values("cpu.cgroup_limits", "memory_max_bytes") == {}


def test_lscpu_alone_gives_the_numa_nodes_of_a_two_socket_epyc(node, shared, tmp_path):
    sample = shared / "data/collector/samples/lscpu/epyc_7451-2s-8numa.txt"
    node.recording = tmp_path / "commands.json"
    entry = {"argv": ["lscpu", "-J"], "stdout": sample.read_text()}
    node.recording.write_text(json.dumps({"commands": [entry]}))
    output = node.said(CPU)
    assert output.value("bios.nps") == 4
    assert output.value("bios.ccx_as_numa") is False
    assert output.values("cpu.cores_per_l3") == {3: 16}
    assert output.value("bios.agesa", "microcode") == "0x8001227"
    assert output.items("hardware/numa")[7]["cpus"] == "42-47,90-95"
