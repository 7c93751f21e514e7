"""Tunables of the kernel's network stack, which TCP between clients and servers depends on."""

from collectors.probe_results import Fact
from collectors.probes import Probe, sysfs

FOLDER = "/proc/sys/net"
# tcp_mem stays out: the kernel derives it from the memory, so that it differs between nodes that are alike.
CORE = (
    "rmem_max wmem_max rmem_default wmem_default optmem_max netdev_max_backlog netdev_budget somaxconn busy_poll "
    "busy_read default_qdisc"
).split()
IPV4 = (
    "tcp_rmem tcp_wmem tcp_congestion_control tcp_mtu_probing tcp_timestamps tcp_sack tcp_window_scaling "
    "tcp_slow_start_after_idle tcp_no_metrics_save tcp_low_latency"
).split()
# Several adapters in one network need these to send each answer through the adapter it belongs to.
ALL_INTERFACES = ("arp_ignore", "arp_announce", "rp_filter")
FILES = (
    tuple("core/" + name for name in CORE)
    + tuple("ipv4/" + name for name in IPV4)
    + tuple("ipv4/conf/all/" + name for name in ALL_INTERFACES)
)


class NetSysctl(Probe):
    id = "net.sysctl"
    provides = ("net.sysctl",)
    reads = (
        FOLDER + "/core/{%s}" % ",".join(CORE),
        FOLDER + "/ipv4/{%s}" % ",".join(IPV4),
        FOLDER + "/ipv4/conf/all/{%s}" % ",".join(ALL_INTERFACES),
    )

    def applies(self, door):
        return door.exists(FOLDER)

    def read(self, door):
        return sysfs.attributes(door, FOLDER, FILES)

    def parse(self, raw):
        """Numbers as numbers, three of them in a row (tcp_rmem) as a text with a space between."""
        facts = [
            Fact("net.sysctl", value, "procfs", "net." + file.replace("/", "."))
            for file in raw
            for value in [sysfs.number(raw, file) if sysfs.number(raw, file) is not None else sysfs.text(raw, file)]
            if value is not None
        ]
        return facts or [sysfs.missing("net.sysctl", list(raw.values()))]


PROBES = (NetSysctl(),)
