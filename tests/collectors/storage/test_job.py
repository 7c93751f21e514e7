"""The job: its size, binding, MPI library and hints from the environment and the command line; never who or where."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.node import commands
from collectors.node.node_access import NodeAccess
from collectors.probes import command_line, job, linked_libraries, mpi
from tests.collectors.storage.conftest import facts, gaps

(JOB,) = job.PROBES
(MPI,) = mpi.PROBES


def programs(*names):
    """Which words of a command line name a program that is there."""
    return lambda word: word in names


@pytest.fixture
def recorded_environment(shared, recorded_node):
    def environment(name):
        return json.loads((recorded_node(name).root.parent / "env.json").read_text())

    return environment


@pytest.mark.parametrize(
    ("environment", "size"),
    [
        ({"SLURM_JOB_NUM_NODES": "10", "SLURM_NTASKS": "640", "SLURM_NTASKS_PER_NODE": "64"}, (10, 640, 64)),
        ({"SLURM_NNODES": "2", "SLURM_NPROCS": "64"}, (2, 64, 32)),
        ({"SLURM_JOB_NUM_NODES": "3", "SLURM_TASKS_PER_NODE": "16(x3)"}, (3, 48, 16)),
        ({"SLURM_JOB_NUM_NODES": "3", "SLURM_TASKS_PER_NODE": "16(x2),8"}, (3, None, None)),
        ({"PBS_NUM_NODES": "4", "PBS_NUM_PPN": "8"}, (4, 32, 8)),
        ({"FLUX_JOB_NNODES": "5", "FLUX_JOB_SIZE": "20"}, (5, 20, 4)),
        ({"LSB_MCPU_HOSTS": "login1 1 c01 40 c02 40", "LSB_DJOB_NUMPROC": "81"}, (3, 81, 27)),
        ({"LSB_MCPU_HOSTS": "c01 40 c02", "LSB_DJOB_NUMPROC": "80"}, (None, 80, None)),
        ({"OMPI_COMM_WORLD_SIZE": "12", "OMPI_COMM_WORLD_LOCAL_SIZE": "4"}, (3, 12, 4)),
        ({"PMI_SIZE": "12", "MPI_LOCALNRANKS": "5"}, (None, 12, 5)),
        ({"JSM_NAMESPACE_SIZE": "84", "JSM_NAMESPACE_LOCAL_SIZE": "42"}, (2, 84, 42)),
        ({"SLURM_NTASKS": "many", "SLURM_JOB_NUM_NODES": "-3"}, (None, None, None)),
        ({"SLURM_NTASKS": "9" * 40}, (None, None, None)),
        ({}, (None, None, None)),
    ],
)
def test_the_size_of_a_job_is_read_from_each_scheduler(environment, size):
    counts = job.counts(environment, {})
    assert tuple(counts.get(name) for name in ("nodes", "ranks", "ranks_per_node")) == size


@pytest.mark.parametrize(
    ("line", "program", "told"),
    [
        (
            "mpirun -np 640 --map-by ppr:64:node ior -a MPIIO",
            "ior",
            {"ranks": 640, "ranks_per_node": 64, "mapping": "ppr:64:node"},
        ),
        ("mpiexec -n 8 -ppn 4 ./mdtest -n 100", "./mdtest", {"ranks": 8, "ranks_per_node": 4}),
        ("srun -N10 --ntasks=640 --cpu-bind=cores ior", "ior", {"nodes": 10, "ranks": 640, "binding": "cores"}),
        ("srun --mpi pmix -n 4 bash ./io500.sh config.ini", "./io500.sh", {"ranks": 4}),
        ("flux run -N 2 -n 192 ior", "ior", {"nodes": 2, "ranks": 192}),
        ("env X=1 numactl --interleave=all fio --name=x job.fio", "fio", {}),
        ("time mpirun -x LD_PRELOAD=libioil.so -n 2 ior", "ior", {"ranks": 2}),
        ("mpirun -host c01,c02 -n two ior", "ior", {}),
        ("ior -N 4 -n 3", "ior", {}),
        ("mpirun", "mpirun", {}),
        ("srun -J test -p bash -n 4 ior", "ior", {"ranks": 4}),
        ("mpirun --map-by node -n 4 ./mdtest", "./mdtest", {"ranks": 4, "mapping": "node"}),
        ("mpirun -genv X test -n 4 ior", "ior", {"ranks": 4}),
        ("srun --new-option test -n 4 ior", "ior", {"ranks": 4}),
        ("srun --new-option bash ./io500.sh", "./io500.sh", {}),
        ("srun --new-flag fio", "fio", {}),
        ("sudo -u test timeout -s KILL 60 fio x", "fio", {}),
        ("perf stat -e cycles ior", "ior", {}),
        ("nsys profile -o test mpirun -n 2 ior", "ior", {"ranks": 2}),
        ("mpirun -n 2 ior : -n 4 ior", "ior", {}),
        ("sudo -E mpirun -n 2 ior", "ior", {"ranks": 2}),
        ("timeout --foreground 60 mpirun -n 2 ior", "ior", {"ranks": 2}),
        ("ccc_mprun -n 8 -N 2 ior", "ior", {"ranks": 8, "nodes": 2}),
        ("ibrun -n 8 ior", "ior", {"ranks": 8}),
        ("mpirun -n 2 singularity exec x.sif ior", "singularity", {"ranks": 2}),
    ],
)
def test_the_launcher_gives_job_size_and_is_removed_from_the_command(line, program, told):
    there = programs(
        "ior",
        "./mdtest",
        "./io500.sh",
        "bash",
        "fio",
        "mpirun",
        "numactl",
        "node",
        "test",
        "stat",
        "timeout",
        "singularity",
    )
    assert command_line.unwrap_command(line.split(), there) == (program, told)


def test_the_command_line_overrides_the_allocation():
    allocation = {"SLURM_JOB_NUM_NODES": "10", "SLURM_NTASKS": "640", "SLURM_NTASKS_PER_NODE": "64"}
    assert job.counts(allocation, {"ranks": 80}) == {"nodes": 10, "ranks": 80, "ranks_per_node": 8}


def test_the_recorded_client_runs_64_ranks_on_each_of_ten_nodes(client, recorded_environment):
    client.environment = recorded_environment("lustre-client-rhel8")
    output = client.said(JOB)
    assert facts(output, "job.nodes_ppn") == {"nodes": 10, "ranks": 640, "ranks_per_node": 64}
    assert output.value("job.placement") == "cpu-bind=cores"
    assert output.section("job")["environment"] == {
        "OMPI_MCA_io": "romio341",
        "OMP_NUM_THREADS": "1",
        "SLURM_CPU_BIND": "cores",
        "SLURM_JOB_NUM_NODES": "10",
        "SLURM_MPI_TYPE": "pmix",
        "SLURM_NTASKS": "640",
        "SLURM_NTASKS_PER_NODE": "64",
    }


def test_hints_of_the_recorded_client_by_pattern(client, recorded_environment):
    client.environment = recorded_environment("lustre-client-rhel8")
    output = client.said(MPI)
    hints = {
        "cray_cb_nodes_multiplier": "8",
        "cray_cb_write_lock_mode": "2",
        "romio_cb_read": "enable",
        "romio_cb_write": "enable",
    }
    assert output.section("job") == {
        "mpiio_hints": [{"pattern": "wrfout*", "hints": hints}],
    }
    assert output.value("mpiio.lockahead") is True
    assert output.value("mpiio.hints", "ROMIO_HINTS") == "set"
    assert output.value("mpiio.hints", "OMPI_MCA_io") == "romio341"
    assert gaps(output) == {
        "mpi.implementation": "not_applicable",
        "mpiio.cb_nodes": "not_applicable",
        "bench.mpi_library_preload": "not_applicable",
    }


@pytest.mark.parametrize("name", ["lustre-client-rhel8", "lustre-oss-e1000", "hostile"])
def test_no_secret_of_a_recorded_environment_is_recorded(client, recorded_node, recorded_environment, name):
    client.environment = recorded_environment(name)
    canaries = json.loads((recorded_node(name).root.parent / "canaries.json").read_text())
    text = repr(client.said(JOB).pieces) + repr(client.said(MPI).pieces)
    assert canaries
    for word in [*canaries, "CANARY", "jdoe", "nid000", "prj0042", "bench'", "\x1b", "[31m"]:
        assert word not in text


def test_a_hint_with_a_control_sequence_is_kept(client, recorded_environment):
    client.environment = recorded_environment("hostile")
    output = client.said(MPI)
    assert output.section("job")["mpiio_hints"] == [{"pattern": "*", "hints": {"romio_cb_write": "enable"}}]
    assert output.value("bench.mpi_library_preload") == "other"


def test_a_value_of_another_form_is_recorded_as_set(client):
    client.environment = {
        "FI_PROVIDER": "cxi;ofi_rxm",
        "UCX_TLS": "rc,ud,/home/jdoe",
        "OMP_NUM_THREADS": "hunter2",
        "OMPI_MCA_pml": "^ucx",
        "SLURM_CPU_BIND": "quiet,mask_cpu:0x0000FFFF,0xFFFF0000",
        "OMP_PROC_BIND": "TRUE",
        "MPICH_OFI_NIC_POLICY": "Hunter2",
    }
    assert client.said(JOB).section("job")["environment"] == {
        "FI_PROVIDER": "cxi;ofi_rxm",
        "MPICH_OFI_NIC_POLICY": "set",
        "OMPI_MCA_pml": "^ucx",
        "OMP_NUM_THREADS": "set",
        "OMP_PROC_BIND": "TRUE",
        "SLURM_CPU_BIND": "quiet,mask_cpu",
        "UCX_TLS": "set",
    }


def test_every_recorded_variable_is_permitted():
    used = job.COUNT_VARIABLES | job.WORD_VARIABLES | {job.TASKS_PER_NODE, job.LSF_HOSTS, mpi.HINTS, mpi.HINTS_FILE}
    assert used | {mpi.PRELOAD} | set(mpi.COMPONENTS) <= commands.ALLOWED_VARIABLES


def test_an_environment_of_a_real_job(sample):
    lines = sample("env-slurm/2nodes.env").splitlines()
    environment = commands.allowed_environment(dict(line.split("=", 1) for line in lines))
    assert job.counts(environment, {}) == {"nodes": 2, "ranks": 64, "ranks_per_node": 32}


@pytest.mark.parametrize(
    ("text", "hints"),
    [
        ("*:cb_nodes=32", [{"pattern": "*", "hints": {"cb_nodes": "32"}}]),
        (
            "a*.nc:striping_factor=8,b*.nc:striping_factor=6:romio_ds_write=disable",
            [
                {"pattern": "a*.nc", "hints": {"striping_factor": "8"}},
                {"pattern": "b*.nc", "hints": {"romio_ds_write": "disable", "striping_factor": "6"}},
            ],
        ),
        ("/scratch/jdoe/out*:cb_nodes=4", [{"pattern": "file", "hints": {"cb_nodes": "4"}}]),
        ("PRJ0042-secret:cb_nodes=4", [{"pattern": "file", "hints": {"cb_nodes": "4"}}]),
        ("*:cb_config_list=node17", []),
        ("*:secret_hint=1:cb_nodes=/home/x", []),
        ("", []),
        (",,,:::===", []),
    ],
)
def test_hints_are_split_and_only_known_ones_kept(text, hints):
    assert mpi.parse_hints(text) == hints


@pytest.mark.parametrize(("mode", "ahead"), [("2", True), ("1", False), ("0", False)])
def test_lock_ahead_is_lock_mode_2(client, mode, ahead):
    client.environment = {"MPICH_MPIIO_HINTS": "*:cray_cb_write_lock_mode=" + mode}
    assert client.said(MPI).value("mpiio.lockahead") is ahead


def test_the_number_of_aggregators_is_that_of_the_hint(client):
    client.environment = {"MPICH_MPIIO_HINTS": "*:cb_nodes=32:romio_cb_write=enable"}
    assert client.said(MPI).value("mpiio.cb_nodes") == 32


@pytest.mark.parametrize(
    ("content", "library"),
    [
        (b"\0Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4\0", "Open MPI 4.1.4"),
        (b"\0Intel(R) MPI Library 2021.11 for Linux* OS\n\0", "Intel MPI 2021.11"),
        (b"\0MPI VERSION    : CRAY MPICH version 8.1.27.26 (ANL base 3.4a2)\0MPICH Version: x", "Cray MPICH 8.1.27.26"),
        (b"\0MPICH Version:\t4.0.2\n\0", "MPICH 4.0.2"),
        (b"\0MPICH Version:      %s\n\0", "MPICH"),
        (b"\0MVAPICH2 Version      :\t2.3.7\n\0MPICH Version: 3.2", "MVAPICH 2.3.7"),
        (b"an optional MPI", None),
    ],
)
def test_mpi_libraries_name_themselves(content, library):
    assert mpi.library_in(content) == library


def test_the_loaded_mpi_module_of_a_cray_job_is_recorded(client):
    client.environment = {"CRAY_MPICH_VERSION": "8.1.27"}
    assert client.said(MPI).value("mpi.implementation") == "Cray MPICH 8.1.27"


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """`compiled(text, *link)` makes a program `bench` on the PATH with an MPI of that text, linked or inside."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed here")
    folder = tmp_path / "site"
    (folder / "lib").mkdir(parents=True)
    (folder / "main.c").write_text("int MPI_Init(void); int main(void) { return MPI_Init(); }")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)

    def build(text, *link):
        source = f'const char *mpi_text = "{text}"; int MPI_Init(void) {{ return *mpi_text == 0; }}'
        (folder / "mpi.c").write_text(source)
        library, program = folder / "lib" / "libmpi.so.40", folder / "bench"
        name = "-Wl,-soname,libmpi.so.40"
        subprocess.run(["gcc", "-shared", "-fPIC", name, "-o", library, folder / "mpi.c"], check=True)
        parts = [library, *link] if link else [folder / "mpi.c"]
        subprocess.run(["gcc", "-o", program, folder / "main.c", *parts], check=True)
        return folder

    return build


def implementation(*argv):
    pieces = list(MPI.parse(MPI.read(NodeAccess("/", environment={}, benchmark_argv=list(argv)))))
    return next(piece for piece in pieces if getattr(piece, "id", "") == "mpi.implementation")


@pytest.mark.parametrize(
    "option", ["-Wl,--disable-new-dtags,-rpath,$ORIGIN/lib", "-Wl,--enable-new-dtags,-rpath,$ORIGIN/lib"]
)
def test_the_mpi_library_of_a_linked_program_is_recorded(compiled, option):
    compiled("Open MPI v5.0.3, package: x", option)
    gap_or_fact = implementation("mpirun", "-n", "2", "bench", "-a", "POSIX")
    assert (gap_or_fact.value, gap_or_fact.source) == ("Open MPI 5.0.3", "file")


def test_the_library_is_searched_in_the_folders_of_the_loader(compiled, monkeypatch):
    folder = compiled("Intel(R) MPI Library 2021.11 for Linux* OS", "-Wl,-rpath,/nowhere")
    gap_or_fact = implementation("bench")
    assert (gap_or_fact.reason, gap_or_fact.detail.startswith("the MPI library of the program")) == (
        "parse_error",
        True,
    )
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder / "lib"))
    assert implementation("bench").value == "Intel MPI 2021.11"


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (("env", "LD_LIBRARY_PATH=/site/other", "bench"), "the command tells the loader"),
        (("mpirun", "-genv", "LD_LIBRARY_PATH", "/site/other", "bench"), "the command tells the loader"),
        (("mpirun", "-x", "LD_PRELOAD=/site/libmpi.so", "bench"), "the command tells the loader"),
        (("python3", "bench.py"), "the program is started by an interpreter"),
        (("bash", "-c", "bench -a POSIX"), "the program is started by an interpreter"),
        (("mpirun", "-n", "2", "apptainer", "exec", "x.sif", "bench"), "the program runs in a container"),
        (("mpirun", "-n2", "apptainer", "exec", "x.sif", "bench"), "the program runs in a container"),
        (("srun", "--new-option", "apptainer", "exec", "x.sif", "bench"), "the program runs in a container"),
    ],
)
def test_a_hidden_library_is_missing_with_a_reason(compiled, monkeypatch, argv, reason):
    folder = compiled("Open MPI v5.0.3, package: x", "-Wl,-rpath,$ORIGIN/lib")
    for name in ("apptainer", "python3"):
        (folder / name).write_bytes((folder / "bench").read_bytes())
        (folder / name).chmod(0o755)
    gap = implementation(*argv)
    assert (gap.reason, gap.detail[: len(reason)]) == ("parse_error", reason)


def test_a_variable_passed_to_other_nodes_does_not_hide_the_library(compiled):
    compiled("Open MPI v5.0.3, package: x", "-Wl,-rpath,$ORIGIN/lib")
    assert implementation("mpirun", "-x", "LD_LIBRARY_PATH", "bench").value == "Open MPI 5.0.3"


def test_a_program_with_mpi_inside_names_it(compiled):
    compiled("MPICH Version: 4.2.1")
    assert implementation("bench").value == "MPICH 4.2.1"


def test_a_program_without_mpi_has_none_whatever_is_installed(monkeypatch):
    """fio runs pieces "Open MPI", because that was installed."""
    gap_or_fact = implementation("ls")
    assert (gap_or_fact.reason, gap_or_fact.detail) == ("not_applicable", "the program is not linked with MPI")


def test_a_script_has_no_mpi_fact(tmp_path):
    (tmp_path / "io500.sh").write_text("#!/bin/sh\nmpirun ./io500 # Open MPI v4.1.4\n")
    (tmp_path / "io500.sh").chmod(0o755)
    gap_or_fact = implementation(str(tmp_path / "io500.sh"))
    assert (gap_or_fact.reason, gap_or_fact.detail) == (
        "not_applicable",
        "the program is a script, which does not tell its MPI",
    )


@pytest.mark.parametrize("name", ["ls", "sh", "python3"])
def test_needed_libraries_are_those_of_readelf(name):
    place = shutil.which(name)
    if shutil.which("readelf") is None or place is None:
        pytest.skip("readelf is not installed here")
    listed = subprocess.run(["readelf", "-dW", place], capture_output=True, text=True, check=True).stdout
    expected = tuple(re.findall(r"\(NEEDED\)\s+Shared library: \[(.+)\]", listed))
    assert linked_libraries.linked(Path(place).read_bytes()).needed == expected


@given(st.binary(max_size=400), st.integers(0, 300))
def test_damaged_programs_give_no_library(content, cut):
    real = Path("/bin/ls").read_bytes()
    linked_libraries.linked(b"\x7fELF\x02\x01" + content)
    linked_libraries.linked(real[:cut] + content + real[cut + len(content) : 4096])


@pytest.mark.parametrize(
    ("preload", "names"),
    [
        ("/opt/daos/lib64/libpil4dfs.so", ["libpil4dfs.so"]),
        ("/home/jdoe/libdarshan.so.3.4:/opt/x/libgkfs_intercept.so", ["libdarshan.so.3.4", "libgkfs_intercept.so"]),
        ("/tmp/evil.so libjdoe.so", ["other", "other"]),
        ("", []),
    ],
)
def test_known_interception_libraries_are_recorded_by_name(preload, names):
    assert mpi.preloaded_libraries(preload) == names
