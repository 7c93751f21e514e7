"""What `list-probes` shows of the probes of devices is what they open and start."""

import fnmatch
import itertools
import re

import pytest

from collectors.node.commands import ALLOWED
from collectors.node.node_access import NodeAccess
from tests.collectors.devices.conftest import link
from tests.collectors.devices.test_damaged_nodes import PROBES, whole_node


class Watched(NodeAccess):
    """A door that remembers which files and commands were asked for."""

    def __init__(self, root):
        super().__init__(root, environment={})
        self.files_asked, self.commands_asked = set(), set()

    def file(self, path, *limits, **named):
        self.files_asked.add(path)
        return super().file(path, *limits, **named)

    def command(self, argv, *limits, **named):
        self.commands_asked.add(" ".join(argv))
        return super().command(argv, *limits, **named)


def places(line):
    """The patterns that a line of `reads` stands for: words in braces, separated by commas, are alternatives."""
    parts = re.split(r"(\{[^}]*\})", re.sub(r" \(.*| of .*", "", line))
    choices = [part[1:-1].split(",") if part.startswith("{") else [part] for part in parts]
    return ["".join(chosen) for chosen in itertools.product(*choices)]


def is_shown(place_name, probe):
    patterns = [place for line in probe.reads for place in places(line)]
    words = {"DEVICE", "INTERFACE", "DRIVER"}
    patterns = [" ".join("*" if word in words else word for word in pattern.split(" ")) for pattern in patterns]
    return any(fnmatch.fnmatchcase(place_name, pattern) for pattern in patterns)


@pytest.fixture
def watched(node):
    node.put({path: content.strip() or "1" for path, content in whole_node().items()})
    for name in ("state", "link_layer"):
        node.put({f"/sys/class/infiniband/mlx5_0/ports/{port}/{name}": "Ethernet" for port in (1, 2)})
    node.put({"/proc/mdstat": "md9 : inactive sda[0](S)\n      1 blocks super 1.2\n", "/sys/module/zfs/version": "2"})
    node.put({"/sys/module/dm_multipath/refcnt": "1", "/sys/module/mpt2sas/refcnt": "1"})
    node.put({"/run/irqbalance/irqbalance77.sock": "", "/proc/77/comm": "irqbalance"})
    link(node, "/sys/block/nvme7n1/device", "/sys/class/nvme-subsystem/nvme-subsys7")
    node.put({"/sys/class/nvme-subsystem/nvme-subsys7/nvme1/model": "x", "/sys/block/nvme7n1/size": "9"})
    link(node, "/sys/class/net/ens5/device", "/sys/devices/pci0000:40/0000:41:00.0")
    return Watched(str(node.root))


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.id)
def test_every_file_and_command_is_shown(watched, probe):
    assert probe.applies(watched)
    probe.read(watched)
    opened = watched.files_asked | watched.commands_asked
    assert opened
    assert [place for place in sorted(opened) if not is_shown(place, probe)] == []


def test_the_replacement_command_is_listed_without_interfaces_in_sysfs(node):
    (network,) = [probe for probe in PROBES if probe.id == "network"]
    door = Watched(str(node.root))
    network.read(door)
    assert door.commands_asked == {"ip -j link"}
    assert is_shown("ip -j link", network)


def test_every_command_that_is_shown_is_one_that_a_probe_may_run():
    commands = {places(line)[0].split()[0] for probe in PROBES for line in probe.reads if not line.startswith("/")}
    assert {"nvme", "zpool", "cxi_stat"} < commands <= ALLOWED
