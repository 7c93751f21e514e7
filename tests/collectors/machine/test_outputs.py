"""Readers of what commands print: the forms they know, and everything else refused with a ValueError."""

import json
import random

import pytest

from collectors.outputs import cpulist, cpupower, dmidecode, keyvalues, lscpu, numactl, quantity, sysctl, tuned, uname

LSCPU = """\
Architecture:            aarch64
CPU(s):                  8
Vendor ID:               ARM
  Model name:            Example-N1
    Thread(s) per core:  2
    Core(s) per socket:  2
    Socket(s):           2
    Flags:               fp asimd
                         evtstrm
Caches (sum of all):
  L3:                    64 MiB (2 instances)
# CPU,Core,Socket
0,0,0
"""
LSCPU_JSON = json.dumps(
    {
        "lscpu": [
            {"field": "CPU(s):", "data": "8", "children": [{"field": "On-line CPU(s) list:", "data": "0-7"}]},
            {"field": "Model name:", "data": "Example-N1", "children": [{"field": "Socket(s):", "data": "2"}]},
        ]
    }
)
DMIDECODE = """\
# dmidecode 3.3
Getting SMBIOS data from sysfs.

Handle 0x0000, DMI type 0, 26 bytes
BIOS Information
\tVendor: Example Firmware
\tVersion: 1.2.3
\tRelease Date: 02/03/2024
\tCharacteristics:
\t\tPCI is supported

Handle 0x1100, DMI type 17, 92 bytes
Memory Device
\tSize: 32 GB
\tType: DDR4
\tSpeed: 3200 MT/s
\tSerial Number: 01234567
\tRank: 2
\tConfigured Memory Speed: 2933 MT/s

Handle 0x1101, DMI type 17, 92 bytes
Memory Device
\tSize: No Module Installed
\tType: Unknown
"""
NUMACTL = """\
available: 2 nodes (0-1)
node 0 cpus: 0 1
node 0 size: 1024 MB
node 0 free: 1 MB
node 1 cpus:
node 1 size: 2048 MB
node 1 free: 1 MB
node distances:
node   0   1
  0:  10  17
  1:  17  10
"""
CPUPOWER = """\
analyzing CPU 0:
  driver: acpi-cpufreq
  hardware limits: 1.50 GHz - 2.50 GHz
  current policy: frequency should be within 1.50 GHz and 2.50 GHz.
                  The governor "performance" may decide which speed to use
  boost state support:
    Supported: yes
    Active: no
analyzing CPU 1:
  no or unknown cpufreq driver is active on this CPU
"""
SYSCTL = "vm.swappiness = 10\nkernel.core_pattern = |/usr/lib/x\nnet.ipv4.conf.eth0/1.mtu = 1\nnot a line\n"
TUNED = "Available profiles:\n- balanced\nCurrent active profile: hpc-compute\n"
UNAME = "Linux somehost 5.14.0-427.el9.x86_64 #1 SMP PREEMPT_DYNAMIC Fri Jan 1 x86_64 x86_64 x86_64 GNU/Linux\n"
OS_RELEASE = "NAME=\"Example Linux\"\nID=example\nVERSION_ID='9.4'\nBAD LINE\n"
MEMINFO = "MemTotal:       1024 kB\nHugePages_Total:       3\n"
CPUINFO = "processor\t: 0\nmodel name\t: Example\n\nprocessor\t: 1\nmodel name\t: Example\n"

READERS = {
    "cpulist": (cpulist.cpus, "0-2,48-50\n"),
    "cpupower": (cpupower.frequencies, CPUPOWER),
    "cpuinfo": (keyvalues.cpuinfo, CPUINFO),
    "dmidecode": (dmidecode.structures, DMIDECODE),
    "dimms": (lambda text: dmidecode.dimms(dmidecode.structures(text)), DMIDECODE),
    "lscpu": (lscpu.fields, LSCPU),
    "lscpu -J": (lscpu.fields, LSCPU_JSON),
    "meminfo": (keyvalues.meminfo, MEMINFO),
    "numactl": (numactl.nodes, NUMACTL),
    "os-release": (keyvalues.os_release, OS_RELEASE),
    "sysctl": (sysctl.tunables, SYSCTL),
    "tuned": (tuned.active_profile, TUNED),
    "uname": (uname.kernel, UNAME),
}


def test_a_list_of_processors_is_its_numbers():
    assert cpulist.cpus("0-2,48\n") == (0, 1, 2, 48)
    assert cpulist.cpus("\n") == ()


def test_numbers_are_written_as_the_shortest_list():
    assert cpulist.text([3, 1, 2, 7]) == "1-3,7"
    assert cpulist.text([]) == ""


@pytest.mark.parametrize("text", ["3-1", "0-99999", "a", "1,,2", "-1", "0-3-5", "1\n2", "123456789012345678901234"])
def test_invalid_lists_of_processors_are_refused(text):
    with pytest.raises(ValueError):
        cpulist.cpus(text)


@pytest.mark.parametrize(
    ("text", "size"),
    [("16384 MB", 16 * 1024**3), ("32 GB", 32 * 1024**3), ("4 MiB", 4 * 1024**2), ("1.5 GiB", 1610612736), ("7", 7)],
)
def test_a_size_is_read_in_bytes(text, size):
    assert quantity.size_bytes(text) == size


@pytest.mark.parametrize("text", ["", "many", "-1 GB", "999999999999999 PB", "1 XB", "0x10 MB"])
def test_an_impossible_size_is_refused(text):
    with pytest.raises(ValueError):
        quantity.size_bytes(text)


def test_a_frequency_is_read_in_hertz():
    assert quantity.hertz("2.20 GHz") == 2200000000
    assert quantity.hertz("800 MHz") == 800000000
    with pytest.raises(ValueError):
        quantity.hertz("2.20")


def test_lscpu_gives_its_fields_without_indentation_and_without_the_table():
    fields = lscpu.fields(LSCPU)
    assert fields["Model name"] == "Example-N1"
    assert lscpu.number(fields, "Socket(s)") == 2
    assert lscpu.instances(fields, "L3", "L3 cache") == 2
    assert not any(name.startswith("0,0") for name in fields)


def test_the_json_form_of_lscpu_is_read_with_its_children():
    assert lscpu.fields(LSCPU_JSON) == {
        "CPU(s)": "8",
        "On-line CPU(s) list": "0-7",
        "Model name": "Example-N1",
        "Socket(s)": "2",
    }


@pytest.mark.parametrize(
    "text", ["{", '{"lscpu": 3}', '{"lscpu": [3]}', '{"lscpu": []}', "[" * 100000, '{"lscpu":[{}]}']
)
def test_json_that_is_not_of_lscpu_is_refused(text):
    with pytest.raises(ValueError):
        lscpu.fields(text)


def test_lscpu_numbers_that_are_words_are_none():
    assert lscpu.number({"Socket(s)": "-"}, "Socket(s)") is None
    assert lscpu.number({}, "Socket(s)") is None
    assert lscpu.instances({"L3": "64 MiB"}, "L3") is None


def test_dmidecode_gives_tables_with_the_fields_of_their_first_level():
    bios = dmidecode.structures(DMIDECODE)[0]
    assert (bios.kind, bios.title) == (0, "BIOS Information")
    assert bios.fields["Version"] == "1.2.3"
    assert bios.strings == ["PCI is supported"]


def test_only_populated_slots_are_modules_and_none_has_a_serial_number():
    assert dmidecode.dimms(dmidecode.structures(DMIDECODE)) == [dmidecode.Dimm(32 * 1024**3, "DDR4", 2933, 2)]
    assert "01234567" not in repr(dmidecode.dimms(dmidecode.structures(DMIDECODE)))


@pytest.mark.parametrize("value", [None, "", "Unknown", "Not Specified", "None", "No Module Installed"])
def test_placeholders_of_firmware_are_read_as_no_value(value):
    assert dmidecode.stated_value(value) is None


def test_numactl_gives_nodes_with_and_without_processors():
    first, second = numactl.nodes(NUMACTL)
    assert first == numactl.Node(0, (0, 1), 1024**3, (10, 17))
    assert second == numactl.Node(1, (), 2 * 1024**3, (17, 10))


def test_cpupower_is_read_for_each_processor():
    assert cpupower.frequencies(CPUPOWER) == [
        cpupower.Frequency(0, "acpi-cpufreq", "performance", 1500000000, 2500000000, False),
        cpupower.Frequency(1, None, None, None, None, None),
    ]


def test_sysctl_gives_what_has_the_form_of_a_tunable():
    assert sysctl.tunables(SYSCTL) == {
        "vm.swappiness": "10",
        "kernel.core_pattern": "|/usr/lib/x",
        "net.ipv4.conf.eth0/1.mtu": "1",
    }


def test_the_active_profile_of_tuned_is_read():
    assert tuned.active_profile(TUNED) == "hpc-compute"


def test_uname_keeps_no_host_name():
    assert uname.kernel(UNAME) == uname.Kernel("Linux", "5.14.0-427.el9.x86_64", "x86_64")
    assert "somehost" not in repr(uname.kernel(UNAME))


def test_an_os_release_file_is_its_assignments():
    assert keyvalues.os_release(OS_RELEASE) == {"NAME": "Example Linux", "ID": "example", "VERSION_ID": "9.4"}


def test_meminfo_gives_bytes_and_counts():
    assert keyvalues.meminfo(MEMINFO) == {"MemTotal": 1024**2, "HugePages_Total": 3}
    assert keyvalues.meminfo("Node 3 MemTotal:  2 kB\n") == {"MemTotal": 2048}


@pytest.mark.parametrize(
    "text", ["MemTotal: 99999999999999999999 kB", "MemTotal: 0 kB", "MemTotal: -5 kB", "MemFree: 1 kB"]
)
def test_impossible_memory_is_refused(text):
    with pytest.raises(ValueError):
        keyvalues.meminfo(text)


def test_cpuinfo_is_one_group_of_fields_per_processor():
    assert [fields["processor"] for fields in keyvalues.cpuinfo(CPUINFO)] == ["0", "1"]


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "junk", ["", "\n\n\n", "x" * 70000, "\x00\ufffd\u202e", "-1", "1e999", "{}", "[]", "null", ":" * 5000]
)
def test_junk_is_refused_or_read_but_never_raises_anything_else(name, junk):
    reader, _ = READERS[name]
    read_or_refused(reader, junk)


@pytest.mark.parametrize("name", READERS)
def test_mutations_of_a_good_text_are_refused_or_read_but_never_raise_anything_else(name):
    reader, good = READERS[name]
    reader(good)
    chance = random.Random(name)
    for text in mutations(good, chance, count=300):
        read_or_refused(reader, text)


def mutations(good, chance, count):
    """Truncated, cut, doubled and overwritten texts, the same ones every time."""
    strange = ["\x00", "\ufffd", "9" * 400, "-", "::", "\t\t", "\n", "{", '"', "é", "0x", " GB"]
    for _ in range(count):
        first, last = sorted(chance.randrange(len(good) + 1) for _ in range(2))
        middle = chance.choice(["", good[first:last] * 2, chance.choice(strange), good[last:first:-1]])
        yield good[:first] + middle + good[last:]
        yield good[:first]


def read_or_refused(reader, text):
    try:
        reader(text)
    except ValueError as refusal:
        assert str(refusal)
