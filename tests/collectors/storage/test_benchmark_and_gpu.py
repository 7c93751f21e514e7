"""The benchmark's program, GPUs, and how busy and clean the node is."""

import hashlib
import shutil

import pytest

from collectors.document import drift, parameters
from collectors.node.node_access import NodeAccess
from collectors.probes import benchmark, gpu, load
from tests.collectors.storage.conftest import facts, gaps

(BENCHMARK,) = benchmark.PROBES
(GPU,) = gpu.PROBES
(LOAD,) = load.PROBES

IOR = b"\x7fELF\0\1\2\0IOR-4.0.0: MPI Coordinated Test of Parallel I/O\n\0/home/jdoe/src/ior\0"


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A folder on the PATH with an ior that leaves a trace if it is ever started."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "ior").write_bytes(b"#!/bin/sh\ntouch %s/started\n" % bytes(tmp_path) + IOR)
    (folder / "mpirun").write_text("#!/bin/sh\ntouch started\n")
    for program in folder.iterdir():
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_name_version_and_hash_of_the_launched_program_are_recorded(programs):
    door = NodeAccess("/", environment={}, benchmark_argv=["mpirun", "-n", "4", "ior", "-a", "POSIX"])
    (program, fact, *missing) = BENCHMARK.parse(BENCHMARK.read(door))
    digest = hashlib.sha256((programs / "ior").read_bytes()).hexdigest()
    assert fact.value == f"ior 4.0.0 sha256:{digest}"
    assert (program.id, fact.id, program.value) == ("bench.program", "ior.version", fact.value)
    assert str(programs) not in repr(fact)
    assert {gap.id for gap in missing} == set(BENCHMARK.provides) - {"bench.program", "ior.version"}


def test_the_program_is_read_and_never_started(programs, tmp_path):
    BENCHMARK.read(NodeAccess("/", environment={}, benchmark_argv=["ior"]))
    assert not (tmp_path / "started").exists()


def test_without_a_command_there_is_no_program(client):
    assert gaps(client.said(BENCHMARK))["ior.version"] == "not_applicable"


def test_a_missing_program_is_not_installed(programs):
    door = NodeAccess("/", environment={}, benchmark_argv=["mdtest"])
    gaps_told = [(gap.id, gap.reason) for gap in BENCHMARK.parse(BENCHMARK.read(door))][:2]
    assert gaps_told == [("bench.program", "not_installed"), ("ior.version", "not_installed")]


@pytest.mark.parametrize(
    ("content", "version"),
    [
        (b"..IOR-4.1.0+dev: MPI Coordinated Test of Parallel I/O..", "4.1.0+dev"),
        (b"\0fio-3.33\0", "3.33"),
        (b"\0io500-isc23_v2\0", "isc23_v2"),
        (b"no version", None),
        (b"", None),
    ],
)
def test_the_version_is_read_from_the_texts_of_a_program(content, version):
    assert benchmark.version_in(content) == version


def test_the_version_of_a_real_program_is_recorded():
    place = shutil.which("fio")
    if place is None:
        pytest.skip("fio is not installed here")
    (fact, *_) = BENCHMARK.parse(BENCHMARK.read(NodeAccess("/", environment={}, benchmark_argv=["fio"])))
    assert fact.value.startswith("fio 3.")


def test_a_program_that_is_no_ior_has_no_version_of_ior(programs):
    (programs / "fio").write_bytes(b"#!/bin/sh\n\0fio-3.33\0")
    (programs / "fio").chmod(0o755)
    (fact, gap, *_) = BENCHMARK.parse(BENCHMARK.read(NodeAccess("/", environment={}, benchmark_argv=["fio"])))
    assert (fact.id, fact.value.split()[:2]) == ("bench.program", ["fio", "3.33"])
    assert (gap.id, gap.reason, gap.detail) == ("ior.version", "not_applicable", "another program was started")


def test_an_unknown_program_name_is_not_recorded():
    assert benchmark.identity("/x/run for jdoe\n", b"", "ab") == "program sha256:ab"


INFORMATION = """Model: 		 NVIDIA A100-SXM4-40GB
IRQ:   		 225
GPU UUID: 	 GPU-CANARY-uuid
Video BIOS: 	 92.00.45.00.05
Bus Location: 	 0000:07:00.0
"""


@pytest.fixture
def gpus(client):
    for place in ("0000:07:00.0", "0000:0a:00.0"):
        client.put({f"/proc/driver/nvidia/gpus/{place}/information": INFORMATION})
    return client


def test_gpus_are_counted_by_model_and_memory(gpus):
    gpus.command(
        "nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits",
        "NVIDIA A100-SXM4-40GB, 40960\n" * 2,
    )
    output = gpus.said(GPU)
    assert output.values("gpu.model") == {"NVIDIA A100-SXM4-40GB": 2}
    assert output.items("hardware/accelerators") == [
        {"model": "NVIDIA A100-SXM4-40GB", "count": 2, "memory_bytes": 40 << 30}
    ]
    assert output.reason("bench.gpudirect") == "not_installed"
    assert "CANARY" not in repr(output.pieces)


def test_the_driver_gives_gpu_models_without_nvidia_smi(gpus):
    (item,) = gpus.said(GPU).items("hardware/accelerators")
    assert item == {"model": "NVIDIA A100-SXM4-40GB", "count": 2, "memory_bytes": None}


def test_gpudirect_is_recorded_with_its_fallback(gpus):
    gpus.put(
        {
            "/proc/driver/nvidia-fs/version": "GDS Version: 1.7.0.149\nNVFS driver version: 2.17.5\n",
            "/etc/cufile.json": '{\n  // a comment\n  "properties": {"allow_compat_mode": false}, "x": "/home/jdoe"}\n',
        }
    )
    assert gpus.said(GPU).value("bench.gpudirect") == "nvidia_fs 1.7.0.149 without fallback"


def card(client, name, **fields):
    return client.put({f"/sys/class/drm/{name}/device/{field}": value + "\n" for field, value in fields.items()})


def test_an_accelerator_of_amd_is_read_from_sysfs(client):
    card(client, "card0", vendor="0x1a03", device="0x2000")
    card(client, "card1", vendor="0x1002", device="0x740c", product_name="AMD Instinct MI250X")
    card(client, "card2", vendor="0x1002", device="0x740c", mem_info_vram_total="68702699520")
    assert client.said(GPU).values("gpu.model") == {"AMD Instinct MI250X": 1, "AMD 0x740c": 1}


def test_the_graphics_of_a_processor_or_a_board_are_no_gpu(client):
    card(client, "card0", vendor="0x8086", device="0x3e98", **{"class": "0x030000"})
    card(client, "card1", vendor="0x102b", device="0x0538")
    assert gaps(client.said(GPU)) == {"gpu.model": "not_applicable", "bench.gpudirect": "not_applicable"}


def test_a_node_without_a_gpu_has_no_gpu_facts(recorded_node):
    assert not GPU.applies(recorded_node("lustre-client-rhel8").door())


VMSTAT = "nr_free_pages 6\ndrop_pagecache 3\ndrop_slab 2\n"
MEMINFO = "MemTotal:  1000 kB\nMemFree:   100 kB\nDirty:      4 kB\n"


def test_drops_of_the_caches_are_counted_without_root(client):
    client.put({"/proc/vmstat": VMSTAT})
    assert facts(client.said(LOAD), "bench.cache_drop") == {"drop_pagecache": 3, "drop_slab": 2}


def test_cache_drops_are_missing_without_a_kernel_counter(client):
    client.put({"/proc/vmstat": "nr_free_pages 6\n"})
    assert client.said(LOAD).reason("bench.cache_drop") == "parse_error"


def test_load_and_memory_before_the_run(client):
    client.put({"/proc/loadavg": "1.88 2.49 2.63 1/133 13605\n", "/proc/meminfo": MEMINFO})
    assert facts(client.said(LOAD), "node.load_before") == {
        "load_1min": 1.88,
        "load_5min": 2.49,
        "load_15min": 2.63,
        "running": 1,
        "processes": 133,
        "free_bytes": 102400,
        "dirty_bytes": 4096,
    }


def test_exclusive_use_is_never_claimed_by_a_probe(client):
    assert client.said(LOAD).reason("bench.exclusive") == "not_applicable"


def test_processes_of_others_are_a_number(tmp_path):
    door = NodeAccess("/", environment={})
    others = load.processes_of_others(door)
    assert others >= 0
    assert load.processes_of_others(NodeAccess(str(tmp_path), environment={})) is None


def drops_of(*counts):
    """A document whose classes have these (nodes, drops of the page cache)."""
    values = [{"value": drops, "instances": 1} for _, drops in counts]
    return {
        "node_classes": [
            {
                "class_id": f"{place:016x}",
                "role": ["client"],
                "count": counts[place][0],
                "hardware": {},
                "os": {},
                "parameters": [
                    {"id": "bench.cache_drop", "key": "drop_pagecache", "values": [value], "source": "procfs"}
                ],
            }
            for place, value in enumerate(values)
        ]
    }


def test_caches_dropped_during_a_run_are_recorded_as_info():
    (change,) = drift.drift(drops_of((1, 3)), drops_of((1, 9)), parameters.registry())
    assert (change["pre"], change["post"], change["severity"]) == (3, 9, "info")
    assert "bench.cache_drop" in change["pointer"]


def test_the_drop_counter_of_one_of_many_nodes_is_no_evidence():
    assert drift.drift(drops_of((10, 3)), drops_of((10, 9)), parameters.registry()) == []
