"""Settings of the NVMe driver. The drives themselves are told by block.py."""

from collectors.probe_results import Fact
from collectors.probes import Probe, sysfs

# (key, folder, file); the time is in seconds.
SETTINGS = (
    ("io_timeout_s", "/sys/module/nvme_core/parameters", "io_timeout"),
    ("poll_queues", "/sys/module/nvme/parameters", "poll_queues"),
    ("write_queues", "/sys/module/nvme/parameters", "write_queues"),
)


class Nvme(Probe):
    id = "nvme"
    provides = ("nvme.io_timeout",)
    reads = tuple(folder + "/" + file for _key, folder, file in SETTINGS)

    def applies(self, door):
        return bool(door.names("/sys/class/nvme")) or door.exists("/sys/module/nvme_core")

    def read(self, door):
        return {file: door.file(folder + "/" + file, sysfs.ATTRIBUTE_LIMIT_BYTES) for _key, folder, file in SETTINGS}

    def parse(self, raw):
        timeouts = [(key, sysfs.count(raw, file)) for key, _folder, file in SETTINGS]
        for key, value in timeouts:
            if value is not None:
                yield Fact("nvme.io_timeout", value, "module", key)
        if not any(value is not None for _key, value in timeouts):
            yield sysfs.missing("nvme.io_timeout", list(raw.values()))


PROBES = (Nvme(),)
