"""What `list-probes` shows of each probe is what it opens, starts and looks up."""

import contextlib
import fnmatch
import itertools

import pytest

from collectors.node.node_access import NodeAccess
from collectors.probes import beegfs, benchmark, ceph, daos, fuse, gpfs, gpu, job, load, mounts, mpi, nfs, weka

MODULES = (beegfs, benchmark, ceph, daos, fuse, gpfs, gpu, job, load, mounts, mpi, nfs, weka)
PROBES = [probe for module in MODULES for probe in module.PROBES]
TYPES = ("beegfs", "ceph", "gpfs", "nfs4", "wekafs", "fuse.dfuse")


class Overheard(dict):
    """An environment that remembers which names were looked up."""

    def __init__(self, values):
        super().__init__(values)
        self.names = set()

    def get(self, name, default=None):
        self.names.add(name)
        return super().get(name, default)

    def __contains__(self, name):
        self.names.add(name)
        return super().__contains__(name)

    def __getitem__(self, name):
        self.names.add(name)
        return super().__getitem__(name)


class Watched(NodeAccess):
    """A door that remembers what was asked of it."""

    def __init__(self, root):
        super().__init__(root, environment={})
        self.environment = Overheard({"DAOS_POOL": "p", "DAOS_CONT": "c", "SLURM_NTASKS": "4"})
        self.test_directory = "/mnt/beegfs/x"
        self.asked = set()

    def file(self, path, *limits, **named):
        self.asked.add(path)
        return super().file(path, *limits, **named)

    def command(self, argv, *limits, **named):
        self.asked.add(" ".join(argv))
        return super().command(argv, *limits, **named)


@pytest.fixture
def watched(client):
    client.mounted(*(f"x /mnt/{kind} {kind} rw" for kind in TYPES))
    present = ("/etc/daos/daos_control.yml", "/proc/fs/beegfs/1/config", "/proc/fs/beegfs/1/storage_nodes")
    gpus = ("/proc/driver/nvidia/gpus/0/information", "/sys/class/drm/card0/device/vendor")
    client.put(dict.fromkeys(present + gpus, "x\n"))
    return Watched(str(client.root))


def is_listed(place_name, reads):
    """Whether a path, or a command up to its first placeholder in capitals, stands in what a probe reads."""
    beginnings = [list(itertools.takewhile(lambda word: not word.isupper(), place.split())) for place in reads]
    starts = any(place_name.split()[: len(beginning)] == beginning for beginning in beginnings)
    return starts or any(fnmatch.fnmatchcase(place_name, place) for place in reads)


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.id)
def test_every_place_that_is_opened_is_listed(probe, watched):
    assert probe.applies(watched)
    probe.read(watched)
    assert {place_name for place_name in watched.asked if not is_listed(place_name, probe.reads)} == set()


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.id)
def test_every_variable_that_is_looked_up_is_listed(probe, watched):
    with contextlib.suppress(ValueError):
        list(probe.parse(probe.read(watched)))
    assert {name for name in watched.environment.names if "$" + name not in probe.reads} == set()
