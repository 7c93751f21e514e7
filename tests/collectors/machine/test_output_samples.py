"""Real outputs: each is read, with the figures that stand in it, or refused with a reason."""

import pytest

from collectors.node.node_access import Input
from collectors.outputs import cpulist, cpupower, dmidecode, keyvalues, lscpu, numactl, sysctl, tuned, uname
from collectors.probes import cpu, firmware, frequency, kernel, limits, memory, mitigations, packages, system

PROBES = [
    probe
    for module in (cpu, firmware, frequency, kernel, limits, memory, mitigations, packages, system)
    for probe in module.PROBES
]

READERS = {
    "cpupower-frequency-info": cpupower.frequencies,
    "dmidecode": dmidecode.structures,
    "lscpu": lscpu.fields,
    "numa-cpus": cpulist.cpus,
    "numactl-H": numactl.nodes,
    "os-release": keyvalues.os_release,
    "sysctl-a": sysctl.tunables,
    "tuned-adm": tuned.active_profile,
    "uname-a": uname.kernel,
}
# Empty, damaged on purpose, or the error message of a command that could not run.
REFUSED = {
    "cpupower-frequency-info/insights-cpupower_info_empty.txt",
    "dmidecode/thisvm-debian12.txt",
    "lscpu/insights-bad_lscpu.txt",
    "lscpu/insights-blank.txt",
    "tuned-adm/insights-tuned_output4.txt",
}


@pytest.fixture
def sample(shared):
    def text(name):
        return (shared / "data" / "collector" / "samples" / name).read_text(errors="replace")

    return text


@pytest.mark.parametrize("command", READERS)
def test_every_sample_is_read_or_refused_with_a_reason(shared, command):
    folder = shared / "data" / "collector" / "samples" / command
    refused = set()
    for path in sorted(folder.iterdir()):
        if path.name == "source.txt":
            continue
        try:
            assert READERS[command](path.read_text(errors="replace"))
        except ValueError as refusal:
            assert str(refusal)
            refused.add(f"{command}/{path.name}")
    assert refused == {name for name in REFUSED if name.startswith(command + "/")}


def test_lscpu_of_a_two_socket_epyc(sample):
    fields = lscpu.fields(sample("lscpu/epyc_7451-2s-8numa.txt"))
    assert fields["Model name"] == "AMD EPYC 7451 24-Core Processor"
    assert [lscpu.number(fields, name) for name in ("Socket(s)", "Core(s) per socket", "CPU(s)")] == [2, 24, 96]
    assert lscpu.instances(fields, "L3 cache") == 16


def test_dmidecode_of_a_virtual_machine_with_128_slots_and_one_module(sample):
    tables = dmidecode.structures(sample("dmidecode/centos-7.7.txt"))
    assert len(tables) == 620
    assert sum(table.kind == 17 for table in tables) == 128
    assert dmidecode.dimms(tables) == [dmidecode.Dimm(4096 * 1024**2, "DRAM", None, None)]


def test_numactl_of_eight_nodes(sample):
    nodes = numactl.nodes(sample("numactl-H/eth-cscs-slurm.txt"))
    assert len(nodes) == 8
    assert nodes[7].cpus == (*range(112, 128), *range(240, 256))
    assert nodes[0].total_bytes == 63733 * 1024**2
    assert nodes[0].distances == (10, 12, 12, 12, 32, 32, 32, 32)


def test_cpupower_of_an_intel_node(sample):
    first = cpupower.frequencies(sample("cpupower-frequency-info/insights-cpupower_info_multi.txt"))[0]
    assert first == cpupower.Frequency(0, "intel_pstate", "performance", 800000000, 3000000000, True)


def test_sysctl_of_two_releases(sample):
    assert sysctl.tunables(sample("sysctl-a/thisvm-debian12.txt"))["vm.dirty_background_ratio"] == "10"
    assert sysctl.tunables(sample("sysctl-a/centos-7.7__sysctl-a.out"))["abi.vsyscall32"] == "1"


def test_the_active_profile_of_tuned_is_read_after_the_list(sample):
    assert tuned.active_profile(sample("tuned-adm/insights-tuned_output3.txt")) == "virtual-guest-vmware"


def test_proc_files_of_a_small_virtual_machine(sample):
    (processor,) = keyvalues.cpuinfo(sample("proc/linux-proc__cpuinfo"))
    assert processor["model name"] == "Intel(R) Core(TM) i5-7360U CPU @ 2.30GHz"
    assert keyvalues.meminfo(sample("proc/linux-proc__meminfo"))["MemTotal"] == 3997272 * 1024


def test_exchanged_outputs_give_facts_or_gaps_only(shared):
    texts = [
        path.read_text(errors="replace")
        for path in sorted((shared / "data" / "collector" / "samples").glob("*/*"))
        if path.stat().st_size < 40000
    ]
    assert len(texts) > 190
    for probe in PROBES:
        empty = probe.read(Elsewhere())
        for text in texts:
            pieces = list(probe.parse(filled(empty, Input(text, None, "", "command"))))
            assert {getattr(piece, "id", probe.provides[0]) for piece in pieces} <= set(probe.provides)


class Elsewhere:
    """A door behind which there is nothing: a probe then asks for everything that it can ask for."""

    nothing = Input(None, "not_applicable", "")

    def file(self, path, limit=0):
        return self.nothing

    def command(self, argv):
        return self.nothing

    def files(self, pattern, at_most=0):
        return {}

    def names(self, path):
        return []

    def exists(self, path):
        return False


def filled(raw, replacement):
    """What was read, with every Input replaced, and one file in each folder of files."""
    inputs = {}
    for name, value in raw.items():
        if isinstance(value, Input):
            inputs[name] = replacement
        elif isinstance(value, dict):
            inputs[name] = dict.fromkeys(value or ["/sys/devices/system/node/node0/cpulist"], replacement)
        else:
            inputs[name] = value
    return inputs
