"""The operating system: distribution, kernel, boot parameters, tuned; who the node is stays at the site."""

import re

from collectors.outputs import keyvalues, tuned, uname
from collectors.probe_results import Fact, Missing, Section
from collectors.probes import Probe
from collectors.probes.input_parsing import first_read, gap, read_as

OS_RELEASE = "/etc/os-release"
OS_RELEASE_OF_VENDOR = "/usr/lib/os-release"
KERNEL_RELEASE = "/proc/sys/kernel/osrelease"
CMDLINE = "/proc/cmdline"
TUNED = "/etc/tuned/active_profile"

# Boot parameters that change speed. Everything else of the line, keys and passwords among it, is left unread.
BOOT_PARAMETERS = frozenset(
    """
    mitigations spectre_v2 spec_store_bypass_disable l1tf mds nopti pti tsx nosmt maxcpus nr_cpus
    iommu iommu.passthrough iommu.strict amd_iommu intel_iommu
    hugepages hugepagesz default_hugepagesz transparent_hugepage numa numa_balancing
    isolcpus nohz_full rcu_nocbs irqaffinity
    intel_pstate amd_pstate cpufreq.default_governor processor.max_cstate intel_idle.max_cstate idle cpuidle.off
    pci pcie_aspm pcie_bus_perf nvme_core.io_timeout nvme.io_timeout nvme.poll_queues nvme_core.multipath
    scsi_mod.use_blk_mq elevator tsc clocksource skew_tick nowatchdog nmi_watchdog audit selinux
    cgroup_disable systemd.unified_cgroup_hierarchy
    """.split()
)
# Words, numbers, sizes and ranges; anything longer or in capitals is none of them.
BOOT_WORD = r"(?:[a-z][a-z_-]{0,19}[0-9]{0,2}|[YN]|0x[0-9A-Fa-f]{1,8}|\d{1,9}[KMGTkmgt]?(?:-\d{1,6})?)"
BOOT_VALUE = re.compile("(?:%s(?:[,:=/+.]%s){0,40})?" % (BOOT_WORD, BOOT_WORD))


class OperatingSystem(Probe):
    id = "os"
    provides = ("os.distribution", "kernel.version", "kernel.cmdline")
    reads = (OS_RELEASE, OS_RELEASE_OF_VENDOR, KERNEL_RELEASE, CMDLINE, "uname -a (where /proc is not readable)")

    def read(self, door):
        raw = {"os_release": door.file(OS_RELEASE), "kernel": door.file(KERNEL_RELEASE), "cmdline": door.file(CMDLINE)}
        if raw["os_release"].text is None:
            raw["os_release"] = door.file(OS_RELEASE_OF_VENDOR)
        if raw["kernel"].text is None:
            raw["uname"] = door.command(["uname", "-a"])
        return raw

    def parse(self, raw):
        distribution = read_as(distribution_of, raw["os_release"])
        for key, value in (distribution.value or {}).items():
            yield Fact("os.distribution", value, "file", key)
        if distribution.reason is not None:
            yield gap("os.distribution", distribution)
        kernel = read_as(kernel_release, raw["kernel"])
        if "uname" in raw:
            kernel = first_read(kernel, read_as(lambda text: kernel_release(uname.kernel(text).release), raw["uname"]))
        yield (
            Fact("kernel.version", kernel.value, kernel.source)
            if kernel.reason is None
            else gap("kernel.version", kernel)
        )
        parameters = read_as(boot_parameters, raw["cmdline"])
        for parameter in parameters.value or ():
            yield Fact("kernel.cmdline", parameter, "procfs")
        if parameters.reason is not None:
            yield gap("kernel.cmdline", parameters)
        elif not parameters.value:
            yield Missing("kernel.cmdline", "not_applicable", "no boot parameter that changes speed is set")
        distribution_fields = distribution.value or {}
        yield Section(
            "os",
            {
                "id": distribution_fields.get("id"),
                "version": distribution_fields.get("version"),
                "kernel": kernel.value,
                "cmdline": parameters.value or [],
            },
        )


def distribution_of(text):
    """{"id", "version"} as far as an os-release file tells them soundly. Raises ValueError where it has neither."""
    fields = keyvalues.os_release(text)
    values_by_key = {}
    for key, name, form in (
        ("id", "ID", r"[a-z0-9][a-z0-9._-]{0,40}"),
        ("version", "VERSION_ID", r"[A-Za-z0-9._-]{1,40}"),
    ):
        if re.fullmatch(form, fields.get(name, "")):
            values_by_key[key] = fields[name]
    if not values_by_key:
        raise ValueError("neither ID nor VERSION_ID is sound")
    return values_by_key


def kernel_release(text):
    """A release such as 4.18.0-553.el8.x86_64. Raises ValueError for other texts."""
    release = text.strip()
    if not re.fullmatch(r"[0-9]{1,3}\.[0-9]{1,4}[A-Za-z0-9._+~-]{0,100}", release):
        raise ValueError("not the release of a kernel")
    return release


def boot_parameters(text):
    """The allow-listed parameters of a kernel command line, in its order."""
    arguments = []
    for argument in text.split():
        name, _, value = argument.partition("=")
        if name.replace("-", "_") in BOOT_PARAMETERS and BOOT_VALUE.fullmatch(value):
            arguments.append(argument)
    return arguments


class Tuned(Probe):
    id = "os.tuned"
    provides = ("tuned.profile",)
    reads = (TUNED, "tuned-adm active (where there is no such file)")

    def read(self, door):
        raw = {"file": door.file(TUNED)}
        if raw["file"].text is None:
            raw["command"] = door.command(["tuned-adm", "active"])
        return raw

    def parse(self, raw):
        if "command" in raw:
            profile = read_as(tuned.active_profile, raw["command"])
        else:
            profile = read_as(profile_name, raw["file"])
        yield (
            Fact("tuned.profile", profile.value, profile.source)
            if profile.reason is None
            else gap("tuned.profile", profile)
        )


def profile_name(text):
    """The name in tuned's file, or names with a space between. Raises ValueError for other texts."""
    name = text.strip()
    if not re.fullmatch(r"[A-Za-z0-9_. -]{1,120}", name):
        raise ValueError("not the name of a profile")
    return name


class Identity(Probe):
    """The node's names and numbers are never facts; in the document a keyed pseudonym of its name stands for it."""

    id = "node.identity"
    provides = ("node.identity",)
    reads = ("nothing",)

    def read(self, door):
        return {}

    def parse(self, raw):
        yield Missing("node.identity", "redacted", "a pseudonym stands for it")


PROBES = (OperatingSystem(), Tuned(), Identity())
