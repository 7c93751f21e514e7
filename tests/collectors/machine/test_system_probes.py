"""Operating system, memory, firmware and kernel tunables on constructed nodes, with refusals."""

import json

import pytest

from collectors.probes.firmware import Firmware, PowerSettings
from collectors.probes.kernel import KernelTunables
from collectors.probes.memory import Dimms, Memory
from collectors.probes.mitigations import Mitigations
from collectors.probes.packages import Appliance, Packages, RdmaStack
from collectors.probes.system import Identity, OperatingSystem, Tuned

DMI = "/sys/class/dmi/id/"
MEMORY_TABLES = """\
Handle 0x1100, DMI type 17, 92 bytes
Memory Device
\tSize: 16 GB
\tType: DDR5
\tSerial Number: PLANTED-SERIAL
\tAsset Tag: PLANTED-TAG
\tRank: 1
\tConfigured Memory Speed: 4800 MT/s

Handle 0x1101, DMI type 17, 92 bytes
Memory Device
\tSize: 16 GB
\tType: DDR5
\tRank: 1
\tConfigured Memory Speed: 4800 MT/s
"""


@pytest.fixture
def recording(node, tmp_path):
    """Give the node recorded commands: {"name argument": output}."""

    def record(commands):
        entries = [{"argv": line.split(" "), "stdout": output} for line, output in commands.items()]
        node.recording = tmp_path / "commands.json"
        node.recording.write_text(json.dumps({"commands": entries}))
        return node

    return record


def test_only_known_boot_parameters_are_recorded(node):
    line = (
        "BOOT_IMAGE=/vmlinuz root=UUID=1-2 rd.luks.key=PLANTED mitigations=off,PLANTED;x isolcpus=2-5"
        " systemd.setenv=TOKEN=PLANTED nosmt PCI=planted pci=noaer password=PLANTED iommu=pt\n"
    )
    output = node.put({"/proc/cmdline": line}).said(OperatingSystem())
    assert output.section("os")["cmdline"] == ["isolcpus=2-5", "nosmt", "pci=noaer", "iommu=pt"]
    assert set(output.values("kernel.cmdline")) == {"isolcpus=2-5", "nosmt", "pci=noaer", "iommu=pt"}
    assert "PLANTED" not in repr(output.pieces)


def test_the_os_release_of_the_vendor_replaces_a_missing_file(node):
    output = node.put({"/usr/lib/os-release": "ID=sles\nVERSION_ID=15.5\n"}).said(OperatingSystem())
    assert output.value("os.distribution", "id") == "sles"
    assert output.value("os.distribution", "version") == "15.5"


@pytest.mark.parametrize("text", ["ID=../../x\n", 'ID="<b>"\n', "", "hello", "ID=" + "x" * 200])
def test_an_invalid_distribution_name_is_a_parse_error(node, text):
    output = node.put({"/etc/os-release": text}).said(OperatingSystem())
    assert output.reason("os.distribution") == "parse_error"
    assert output.section("os")["id"] is None


def test_uname_gives_the_kernel_missing_in_proc(recording):
    output = recording({"uname -a": "Linux PLANTED 5.14.0-427.el9.x86_64 #1 SMP x86_64 GNU/Linux\n"}).said(
        OperatingSystem()
    )
    assert output.value("kernel.version") == "5.14.0-427.el9.x86_64"
    assert "PLANTED" not in repr(output.pieces)


@pytest.mark.parametrize("text", ["$(id)", "5", "", "5.14\nx", "5.1 " + "x" * 99])
def test_an_invalid_kernel_release_is_a_parse_error(node, text):
    assert (
        node.put({"/proc/sys/kernel/osrelease": text}).said(OperatingSystem()).reason("kernel.version") == "parse_error"
    )


def test_the_tuned_profile_is_read_from_its_file_or_command(node, recording):
    recording({"tuned-adm active": "Current active profile: hpc-compute\n"})
    assert node.said(Tuned()).value("tuned.profile") == "hpc-compute"
    node.put({"/etc/tuned/active_profile": "throughput-performance\n"})
    assert node.said(Tuned()).value("tuned.profile") == "throughput-performance"


def test_the_profile_of_a_node_without_tuned_is_missing_with_a_reason(node):
    assert node.said(Tuned()).reason("tuned.profile") == "not_installed"


def test_identity_parameters_are_gaps_without_reading_a_file(node):
    assert Identity().read(node.door()) == {}
    assert node.said(Identity()).reason("node.identity") == "redacted"


def test_memory_modules_are_counted_by_kind_without_serial_numbers(recording):
    output = recording({"dmidecode -t memory": MEMORY_TABLES}).said(Dimms())
    assert output.values("mem.dimms", "module") == {"16 GiB DDR5-4800, 1 rank": 2}
    assert output.section("hardware/memory") == {
        "dimms": 2,
        "type": "DDR5",
        "speed_mt_s": 4800,
        "dimm_bytes": 16 * 1024**3,
    }
    assert "PLANTED" not in repr(output.pieces)


def test_modules_that_differ_have_no_common_size(recording):
    output = recording({"dmidecode -t memory": MEMORY_TABLES.replace("Size: 16 GB", "Size: 32 GB", 1)}).said(Dimms())
    assert output.section("hardware/memory")["dimm_bytes"] is None
    assert output.values("mem.dimms", "module") == {"16 GiB DDR5-4800, 1 rank": 1, "32 GiB DDR5-4800, 1 rank": 1}


def test_memory_controllers_give_type_and_size_without_root(node):
    folder = "/sys/devices/system/edac/mc/mc0/"
    node.put({folder + "dimm0/dimm_mem_type": "Registered-DDR4\n", folder + "dimm0/size": "16384\n"})
    node.put({folder + "dimm1/dimm_mem_type": "Registered-DDR4\n", folder + "dimm1/size": "0\n"})
    node.put({folder + "dimm2/dimm_mem_type": "Unknown\n", folder + "dimm2/size": "junk\n"})
    output = node.said(Dimms())
    assert output.values("mem.dimms", "module") == {"16 GiB DDR4": 1}
    assert output.section("hardware/memory")["speed_mt_s"] is None


def test_huge_pages_are_recorded_with_their_size(node):
    node.put({"/proc/meminfo": "MemTotal: 4096 kB\nSwapTotal: 8 kB\nHugePages_Total: 12\nHugepagesize: 2048 kB\n"})
    node.put({"/sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n"})
    output = node.said(Memory())
    assert output.value("mem.hugepages", "hugepages_total") == 12
    assert output.value("mem.hugepages", "hugepage_size_bytes") == 2097152
    assert output.value("mem.hugepages", "transparent_hugepage.enabled") == "always"
    assert output.section("hardware/memory")["swap_bytes"] == 8192


def test_placeholder_fields_of_firmware_are_left_out(node):
    node.put({DMI + "bios_version": "1.0\n", DMI + "sys_vendor": "To Be Filled By O.E.M.\n"})
    node.put({DMI + "product_name": "Default string\n", DMI + "bios_vendor": "  \n"})
    output = node.said(Firmware())
    assert output.section("hardware") == {"vendor": None, "product": None}
    assert output.section("hardware/bios") == {"vendor": None, "version": "1.0", "date": None}


def test_serial_numbers_of_the_machine_are_not_even_opened(node):
    for name in ("product_serial", "product_uuid", "board_serial", "chassis_asset_tag", "chassis_serial"):
        node.put({DMI + name: "PLANTED\n"})
    assert "PLANTED" not in repr(Firmware().read(node.door()))


def test_dmidecode_gives_the_bios_missing_in_sysfs(recording):
    tables = (
        "Handle 0x0000, DMI type 0, 26 bytes\nBIOS Information\n\tVendor: Example\n\tVersion: 9.9\n\n"
        "Handle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tManufacturer: Example\n\tProduct Name: One\n"
        "\tSerial Number: PLANTED\n\tUUID: PLANTED\n"
    )
    output = recording({"dmidecode -t bios -t system": tables}).said(Firmware())
    assert output.value("bios.version", "version") == "9.9"
    assert output.section("hardware") == {"vendor": "Example", "product": "One"}
    assert "PLANTED" not in repr(output.pieces)


def test_idle_states_and_iommu_show_part_of_the_bios_profile(node):
    idle = "/sys/devices/system/cpu/"
    node.put({idle + "cpuidle/current_driver": "acpi_idle\n"})
    for number, (name, off) in enumerate([("POLL", "0"), ("C1", "0"), ("C2", "1")]):
        node.put({f"{idle}cpu0/cpuidle/state{number}/name": name, f"{idle}cpu0/cpuidle/state{number}/disable": off})
    node.put({"/sys/class/iommu/ivhd0/uevent": ""})
    output = node.said(PowerSettings())
    assert output.value("bios.profile", "cpuidle_driver") == "acpi_idle"
    assert output.value("bios.profile", "cpuidle_states") == "POLL C1"
    assert output.value("bios.profile", "iommu_present") is True


def test_mitigations_are_recorded_by_vulnerability(node):
    node.put({"/sys/devices/system/cpu/vulnerabilities/retbleed": "Vulnerable\n"})
    node.put({"/sys/devices/system/cpu/vulnerabilities/mds": "Not affected\n"})
    output = node.said(Mitigations())
    assert output.section("os")["mitigations"] == {"mds": "Not affected", "retbleed": "Vulnerable"}
    assert output.value("cpu.mitigations", "retbleed") == "Vulnerable"


def test_tunables_are_read_one_by_one_and_junk_is_left_out(node):
    node.put({"/proc/sys/vm/dirty_ratio": "40\n", "/proc/sys/vm/swappiness": "9" * 80})
    output = node.said(KernelTunables())
    assert output.values("vm.sysctl", "vm.dirty_ratio") == {40: 1}
    assert output.values("vm.sysctl", "vm.swappiness") == {}


def test_sysctl_replaces_unreadable_tunables(recording):
    output = recording({"sysctl -a": "vm.dirty_ratio = 15\nkernel.numa_balancing = 1\n"}).said(KernelTunables())
    assert output.value("vm.sysctl", "vm.dirty_ratio") == 15
    assert output.value("kernel.numa_balancing") is True


@pytest.mark.parametrize(("text", "balances"), [("0", False), ("1", True), ("2", False)])
def test_memory_tiering_alone_is_no_balancing(node, text, balances):
    node.put({"/proc/sys/kernel/numa_balancing": text})
    assert node.said(KernelTunables()).value("kernel.numa_balancing") is balances


def test_dpkg_gives_packages_of_debian(node, recording):
    node.put({"/var/lib/dpkg/status": ""})
    recording({"dpkg-query -W": "lustre-client-utils 2.15.5-1\nbeegfs-client 20:7.4.3\nnot a line\n"})
    output = node.said(Packages())
    assert output.section("os")["packages"] == {"lustre-client-utils": "2.15.5-1", "beegfs-client": "20:7.4.3"}
    assert output.values("lustre.packages", "beegfs-client") == {}


def test_loaded_modules_give_version_and_build(node):
    node.put({"/sys/module/lustre/version": "2.15.4\n", "/sys/module/lnet/srcversion": "ABCDEF0123456789\n"})
    output = node.said(Packages())
    assert output.value("lustre.packages", "module.lustre.version") == "2.15.4"
    assert output.value("lustre.packages", "module.lnet.srcversion") == "ABCDEF0123456789"


def test_the_kernels_own_rdma_drivers_are_inbox(node):
    node.put({"/sys/class/infiniband/mlx5_0/node_type": "", "/sys/module/mlx5_core/initstate": "live\n"})
    assert node.said(RdmaStack()).value("ofed.version") == "inbox"


def test_rdma_packages_are_not_queried_without_rdma_devices(node):
    assert not RdmaStack().applies(node.door())


def test_an_unknown_appliance_is_not_applicable(node):
    node.put({"/proc/sys/kernel/osrelease": "4.18.0-305.10.2.x6.1.010.19.x86_64\n", DMI + "product_name": "Other\n"})
    assert node.said(Appliance()).reason("appliance.version") == "not_applicable"
