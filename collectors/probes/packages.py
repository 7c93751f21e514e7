"""Software of the storage stack: packages and modules of the file systems, the RDMA stack, an appliance's release."""

import re

from collectors.probe_results import Fact, Missing, Section
from collectors.probes import Probe
from collectors.probes.input_parsing import gap, read_as, word

# One question for all, in a fixed order: a recording of it is found by how it begins.
PACKAGES = (
    "lustre-client kmod-lustre-client beegfs-client gpfs.base"
    " lustre-client-dkms lustre kmod-lustre lustre-osd-ldiskfs-mount kmod-lustre-osd-ldiskfs lustre-osd-zfs-mount"
    " kmod-lustre-osd-zfs lustre-ldiskfs-dkms lustre-zfs-dkms zfs kmod-zfs daos-client daos-server"
    " cray-lustre-client cray-lustre-client-devel weka-agent ceph-common"
).split()
RPM = ["rpm", "-q", "--qf", "%{NAME} %{VERSION}-%{RELEASE}\\n"] + PACKAGES
DEBIAN_PACKAGES = (
    "lustre-client-utils lustre-client-modules* lustre-source beegfs-client gpfs.base zfsutils-linux"
    " daos-client daos-server ceph-common"
).split()
DPKG = ["dpkg-query", "-W", "-f", "${Package} ${Version}\\n"] + DEBIAN_PACKAGES
DPKG_STATUS = "/var/lib/dpkg/status"
LINE = re.compile(r"([a-z0-9][a-z0-9.+_-]{1,80}) ([A-Za-z0-9][A-Za-z0-9.+:~_^-]{0,80})")

MODULES = ("lustre", "lnet", "ko2iblnd", "kfilnd", "ksocklnd")
MODULE_FIELDS = ("version", "srcversion")
MODULE = "/sys/module/"
MLX5 = MODULE + "mlx5_core"
MLX5_VERSION = MLX5 + "/version"
OFED = re.compile(r"((?:MLNX_OFED_LINUX|OFED-internal|DOCA-OFED|OFED)[A-Za-z0-9._-]{0,60}?):?")

KERNEL_RELEASE = "/proc/sys/kernel/osrelease"
PRODUCT = "/sys/class/dmi/id/product_name"
# ClusterStor builds its kernels under the release of its software: 4.18.0-305.10.2.x6.1.010.19 is NEO 6.1.010.19.
CLUSTERSTOR_KERNEL = re.compile(r".*\.x(\d{1,2}\.\d{1,2}\.\d{1,4}(?:\.\d{1,4})?)\..*")


class Packages(Probe):
    id = "os.packages"
    provides = ("lustre.packages",)
    cost = "moderate"
    reads = (
        MODULE + "{%s}/{%s}" % (",".join(MODULES), ",".join(MODULE_FIELDS)),
        "rpm -q or dpkg-query -W, of the packages of known file systems",
    )

    def read(self, door):
        paths = [MODULE + name + "/" + field for name in MODULES for field in MODULE_FIELDS]
        debian = door.exists(DPKG_STATUS)
        return {
            "modules": {path: door.file(path) for path in paths if door.exists(path)},
            "packages": door.command(DPKG if debian else RPM),
        }

    def parse(self, raw):
        installed = read_as(packages, raw["packages"])
        versions_by_package = installed.value or {}
        modules = module_fields(raw["modules"])
        for name, version in versions_by_package.items():
            if "lustre" in name:
                yield Fact("lustre.packages", version, "command", name)
        for key, value in modules.items():
            yield Fact("lustre.packages", value, "module", key)
        if not modules and not any("lustre" in name for name in versions_by_package):
            yield gap("lustre.packages", installed)
        yield Section("os", {"packages": versions_by_package})


def packages(text):
    """{package: version} of `name version` lines; rpm's lines about packages that are not installed are left out."""
    versions_by_package = {}
    for line in text.splitlines():
        match = LINE.fullmatch(line.strip())
        if match:
            versions_by_package[match.group(1)] = match.group(2)
    return versions_by_package


def module_fields(inputs_by_path):
    """{"module.lustre.version": ...} of what the loaded modules say of themselves."""
    values_by_field = {}
    for path, file_input in sorted(inputs_by_path.items()):
        value = read_as(word, file_input).value
        if value and re.fullmatch(r"[A-Za-z0-9._+~-]{1,80}", value):
            values_by_field["module." + path[len(MODULE) :].replace("/", ".")] = value
    return values_by_field


class RdmaStack(Probe):
    id = "os.rdma_stack"
    provides = ("ofed.version",)
    reads = (MLX5_VERSION, "ofed_info -s")

    def applies(self, door):
        return door.exists("/sys/class/infiniband") or door.exists("/sys/class/cxi")

    def read(self, door):
        return {
            "ofed_info": door.command(["ofed_info", "-s"]),
            "module": door.file(MLX5_VERSION),
            "loaded": door.exists(MLX5),
        }

    def parse(self, raw):
        stack = read_as(ofed_name, raw["ofed_info"])
        module = read_as(word, raw["module"])
        if stack.reason is None:
            yield Fact("ofed.version", stack.value, "command")
        elif module.reason is None and re.fullmatch(r"[0-9][A-Za-z0-9._-]{0,40}", module.value):
            stack = stack._replace(value="mlx5_core " + module.value)
            yield Fact("ofed.version", stack.value, "module")
        elif stack.reason == "not_installed" and module.reason == "not_applicable" and raw["loaded"]:
            # The kernel's own driver carries no version and comes without the command.
            stack = stack._replace(value="inbox")
            yield Fact("ofed.version", stack.value, "derived")
        else:
            yield gap("ofed.version", stack)
        yield Section("os", {"rdma_stack": stack.value})


def ofed_name(text):
    """The name that `ofed_info -s` prints. Raises ValueError for other texts."""
    match = OFED.fullmatch(text.strip())
    if not match:
        raise ValueError("not the name of an OFED")
    return match.group(1)


class Appliance(Probe):
    id = "os.appliance"
    provides = ("appliance.version",)
    roles = ("oss", "mds")
    reads = (KERNEL_RELEASE, PRODUCT)

    def read(self, door):
        return {"kernel": door.file(KERNEL_RELEASE), "product": door.file(PRODUCT)}

    def parse(self, raw):
        match = CLUSTERSTOR_KERNEL.fullmatch((raw["kernel"].text or "").strip())
        if match and "ClusterStor" in (raw["product"].text or ""):
            release = "NEO " + match.group(1)
            yield Fact("appliance.version", release, "derived")
            yield Section("os", {"appliance": release})
        else:
            yield Missing("appliance.version", "not_applicable", "not an appliance that tells its release")


PROBES = (Packages(), RdmaStack(), Appliance())
