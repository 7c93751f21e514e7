"""The job: its size, binding, MPI library and hints from the environment and the command line; never who or where."""

import json

import pytest

from collectors.node import commands
from collectors.probes import command_line, job, mpi
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
def test_the_size_of_a_job_as_each_scheduler_tells_it(environment, size):
    found = job.counts(environment, {})
    assert tuple(found.get(name) for name in ("nodes", "ranks", "ranks_per_node")) == size


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
    ],
)
def test_a_launcher_is_taken_off_and_heard(line, program, told):
    there = programs("ior", "./mdtest", "./io500.sh", "bash", "fio", "mpirun", "numactl")
    assert command_line.unwrapped(line.split(), there) == (program, told)


def test_the_command_line_is_nearer_to_the_run_than_the_allocation():
    allocation = {"SLURM_JOB_NUM_NODES": "10", "SLURM_NTASKS": "640", "SLURM_NTASKS_PER_NODE": "64"}
    assert job.counts(allocation, {"ranks": 80}) == {"nodes": 10, "ranks": 80, "ranks_per_node": 8}


def test_the_recorded_client_runs_64_ranks_on_each_of_ten_nodes(client, recorded_environment):
    client.environment = recorded_environment("lustre-client-rhel8")
    said = client.said(JOB)
    assert facts(said, "job.nodes_ppn") == {"nodes": 10, "ranks": 640, "ranks_per_node": 64}
    assert said.value("job.placement") == "cpu-bind=cores"
    assert said.section("job")["environment"] == {
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
    client.command("mpirun --version", "mpirun (Open MPI) 4.1.6\n\nReport bugs to http://www.open-mpi.org/\n")
    said = client.said(MPI)
    hints = {
        "cray_cb_nodes_multiplier": "8",
        "cray_cb_write_lock_mode": "2",
        "romio_cb_read": "enable",
        "romio_cb_write": "enable",
    }
    assert said.section("job") == {
        "mpi": "Open MPI 4.1.6",
        "mpiio_hints": [{"pattern": "wrfout*", "hints": hints}],
    }
    assert said.value("mpiio.lockahead") is True
    assert said.value("mpiio.hints", "ROMIO_HINTS") == "set"
    assert said.value("mpiio.hints", "OMPI_MCA_io") == "romio341"
    assert gaps(said) == {"mpiio.cb_nodes": "not_applicable", "bench.mpi_library_preload": "not_applicable"}


@pytest.mark.parametrize("name", ["lustre-client-rhel8", "lustre-oss-e1000", "hostile"])
def test_no_secret_of_a_recorded_environment_is_told(client, recorded_node, recorded_environment, name):
    client.environment = recorded_environment(name)
    canaries = json.loads((recorded_node(name).root.parent / "canaries.json").read_text())
    told = repr(client.said(JOB).pieces) + repr(client.said(MPI).pieces)
    assert canaries
    for word in [*canaries, "CANARY", "jdoe", "nid000", "prj0042", "bench'", "\x1b", "[31m"]:
        assert word not in told


def test_a_control_sequence_in_a_hint_does_not_cost_the_hint(client, recorded_environment):
    client.environment = recorded_environment("hostile")
    said = client.said(MPI)
    assert said.section("job")["mpiio_hints"] == [{"pattern": "*", "hints": {"romio_cb_write": "enable"}}]
    assert said.value("bench.mpi_library_preload") == "other"


def test_a_value_of_another_form_is_only_set(client):
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


def test_every_variable_that_is_told_may_be_read():
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
def test_hints_are_taken_apart_and_only_known_ones_kept(text, hints):
    assert mpi.parse_hints(text) == hints


@pytest.mark.parametrize(("mode", "ahead"), [("2", True), ("1", False), ("0", False)])
def test_lock_ahead_is_lock_mode_2(client, mode, ahead):
    client.environment = {"MPICH_MPIIO_HINTS": "*:cray_cb_write_lock_mode=" + mode}
    assert client.said(MPI).value("mpiio.lockahead") is ahead


def test_the_number_of_aggregators_is_that_of_the_hint(client):
    client.environment = {"MPICH_MPIIO_HINTS": "*:cb_nodes=32:romio_cb_write=enable"}
    assert client.said(MPI).value("mpiio.cb_nodes") == 32


@pytest.mark.parametrize(
    ("text", "library"),
    [
        ("mpirun (Open MPI) 5.0.3\n", "Open MPI 5.0.3"),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.11 Build 20231005 (id: 74c4a23)\n", "Intel MPI 2021.11"),
        ("HYDRA build details:\n    Version:                                 4.1.2\n", "MPICH 4.1.2"),
    ],
)
def test_mpi_libraries_name_themselves(text, library):
    assert mpi.parse_version(text) == library


def test_the_module_of_a_cray_counts_more_than_an_installed_open_mpi(client):
    client.environment = {"CRAY_MPICH_VERSION": "8.1.27"}
    client.command("mpirun --version", "mpirun (Open MPI) 4.1.6\n")
    assert client.said(MPI).value("mpi.implementation") == "Cray MPICH 8.1.27"


@pytest.mark.parametrize(
    ("preload", "names"),
    [
        ("/opt/daos/lib64/libpil4dfs.so", ["libpil4dfs.so"]),
        ("/home/jdoe/libdarshan.so.3.4:/opt/x/libgkfs_intercept.so", ["libdarshan.so.3.4", "libgkfs_intercept.so"]),
        ("/tmp/evil.so libjdoe.so", ["other", "other"]),
        ("", []),
    ],
)
def test_interception_libraries_are_told_by_name_if_they_are_known(preload, names):
    assert mpi.preloaded(preload) == names
