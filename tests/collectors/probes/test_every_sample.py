"""Every real output of the shared data against every reader of the collector: read, or refused with a reason."""

import importlib
import inspect
import pkgutil

import pytest

import collectors.outputs
import collectors.probes
from tests.collectors.devices import test_device_samples as devices
from tests.collectors.lustre import test_lustre_recorded_nodes as lustre
from tests.collectors.machine import test_output_samples as machine
from tests.collectors.storage import test_samples_and_junk as storage

# Samples of what the collector never starts, and where it reads the same instead.
NOT_STARTED = {
    "env-slurm": "the environment",
    "facter-json": "/proc and /sys",
    "findmnt": "/proc/mounts",
    "hponcfg": "none: settings of a management controller come by `import`",
    "io500-system-information": "none: descriptions that people wrote",
    "lshw-json": "/proc and /sys",
    "lsmod": "/sys/module",
    "lstopo-xml": "/sys/devices/system",
    "mlperf-storage-system": "none: descriptions that people wrote",
    "mlx4_port": "/sys/class/infiniband",
    "mmlspool": "mmlsfs",
    "mmpmon": "none: counters of use, with the names of nodes",
    "mount": "/proc/mounts",
    "nfsstat-m": "/proc/mounts",
    "systool": "/sys/class/scsi_host",
}
# Files, not commands: by `import`, and by probes that read the file.
IMPORTED = ("redfish-bios-attributes", "proc")


def readers():
    """{name: function} of everything in the collector that makes something of one text."""
    readers_by_name = {}
    for package in (collectors.outputs, collectors.probes):
        for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
            for name, reader in vars(importlib.import_module(module.name)).items():
                if inspect.isfunction(reader) and reader.__module__ == module.name and takes_one_text(reader):
                    readers_by_name[module.name.removeprefix("collectors.") + "." + name] = reader
    return readers_by_name


def takes_one_text(function):
    parameters = list(inspect.signature(function).parameters.values())
    required = [parameter for parameter in parameters if parameter.default is parameter.empty]
    return [parameter.name for parameter in required] == ["text"]


@pytest.fixture(scope="module")
def samples(shared):
    folder = shared / "data" / "collector" / "samples"
    lines = (folder / "INDEX.tsv").read_text().splitlines()[1:]
    names = ["/".join(line.split("\t")[:2]) for line in lines]
    return {name: (folder / name).read_text(errors="replace") for name in names}


def test_no_sample_makes_any_reader_fail(samples, every_nth):
    """In other runs than deep ones each sample goes to every fifth reader, the next to those that follow them."""
    failures, refusals, pairs = [], 0, list(readers().items())
    for number, (name, text) in enumerate(samples.items()):
        for reader_name, reader in every_nth(pairs[number % 5 :] + pairs[: number % 5], 5):
            try:
                reader(text)
            except ValueError as refusal:
                refusals += 1
                if not str(refusal):
                    failures.append((name, reader_name, "no reason"))
            except Exception as error:
                failures.append((name, reader_name, repr(error)))
    assert failures == []
    assert refusals > len(samples)
    assert len(samples) == 201 and len(pairs) > 100


def test_every_command_with_samples_has_a_reader_or_is_never_started(samples):
    tables = (machine.READERS, devices.READERS, lustre.READERS, storage.READERS, storage.ANSWERS, NOT_STARTED, IMPORTED)
    assert {name.partition("/")[0] for name in samples} <= set().union(*tables)


def test_no_probe_starts_a_command_whose_output_has_no_reader():
    started = {place.split()[0] for probe in collectors.probes.all_probes() for place in probe.reads}
    assert {name.partition("-")[0] for name in NOT_STARTED} & started == set()
