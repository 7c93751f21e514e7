"""What the document says of a wrapped command: typed words, libraries, modules, source and size; never a secret."""

import os
import shutil
import subprocess
import sys
from argparse import Namespace

import pytest

from collectors.capture import run_record, typed_words, written_files
from collectors.node import checkout
from collectors.node.node_access import NodeAccess
from collectors.privacy import leak_filter
from collectors.probes import command_line, job
from tests.collectors.bundle.test_seal import wrap  # noqa: F401

SECRETS = ("hunter2secret", "AKIAIOSFODNN7EXAMPLE", "kovacs", "oss17.site.no", "10.1.2.3", "s3cr3t")


def typed(line, *programs, directory=None):
    words = typed_words.Words(directory).type_all(line.split(), lambda word: word in programs)
    return " ".join(word["text"] for word in words)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "mpirun -np 640 --map-by ppr:64:node ior -a MPIIO -t 1m -b4g -wrF -o /lustre/kovacs/f -i 3",
            "mpirun -np 640 --map-by ppr:64:node ior -a MPIIO -t 1m -b 4g -wrF -o $PATH1 -i 3",
        ),
        (
            "srun -N 10 -n 640 -A prj0042 -p debug -w nid[001-010] ./io500 config.ini --mode=extended",
            "srun -N 10 -n 640 -A $TEXT -p $TEXT -w $HOSTS io500 $PATH1 --mode= extended",
        ),
        (
            "fio --name=kovacs --rw=randread --bs=4k,8k --filename=/a --filename=/b --filename=/a",
            "fio --name= $TEXT --rw= randread --bs= 4k,8k --filename= $PATH1 --filename= $PATH2 --filename= $PATH1",
        ),
        ("mdtest -n 1000 -F -C -d /test/dir/x", "mdtest -n 1000 -F -C -d $TESTDIR"),
        ("env PASSWORD=x FI_PROVIDER=cxi ior -t 1m", "env $VARIABLE FI_PROVIDER ior -t 1m"),
        ("ior --password 12345678 -t s3cr3t -a NOSUCH", "ior $WORD $WORD -t $TEXT -a $TEXT"),
        ("mytool --token=abc 42 /x", "mytool $WORD $WORD $PATH1"),
        ("sh -c cat", "sh $WORD cat"),
        (
            "srun --mpi=pmix -n4 apptainer exec --bind /lustre/kovacs x.sif ior -a POSIX -t 1m",
            "srun --mpi= pmix -n 4 apptainer $WORD $WORD $PATH1 $WORD ior -a POSIX -t 1m",
        ),
        ("apptainer exec ior.sif ./run", "apptainer $WORD $WORD $PATH1"),
        ("sudo -E mpirun -np 4 ior -w", "sudo $WORD mpirun -np 4 ior -w"),
        ("prun -n 4 ior -w", "prun -n 4 ior -w"),
    ],
)
def test_command_lines_become_types_and_known_words(line, words):
    programs = ("ior", "./io500", "fio", "mdtest", "mytool", "cat", "mpirun", "srun", "apptainer")
    assert typed(line, *programs, directory="/test/dir") == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ior -t 1m -o /lustre/kovacs/f", "bash ior -t 1m -o $PATH1"),
        ("mpirun -np 4 ior", "bash mpirun -np 4 ior"),
        ("module load ior; ior -t 1m", "bash $WORD $WORD"),
        ("ior -t $SIZE", "bash $WORD $WORD"),
        ("PASSWORD=s3cr3t ior -t 1m", "bash $WORD $VARIABLE"),
        ("ior 'unbalanced", "bash $WORD $WORD"),
    ],
)
def test_only_a_simple_command_of_a_shell_is_parsed(text, words):
    record = typed_words.Words().type_all(["bash", "-c", text], lambda word: word in ("ior", "mpirun", "bash"))
    assert " ".join(word["text"] for word in record) == words


def test_no_secret_of_a_command_line_is_recorded():
    line = (
        "mpirun -x AWS_SECRET_ACCESS_KEY=hunter2secret -host oss17.site.no,10.1.2.3 elbencho"
        " --s3key AKIAIOSFODNN7EXAMPLE --s3secret=hunter2secret --hosts oss17.site.no"
        " -t 4 -phunter2secret /home/kovacs/x kovacs@10.1.2.3 -- s3cr3t"
    )
    text = typed(line, "elbencho", "mpirun")
    assert [secret for secret in SECRETS if secret in text] == []
    assert "-t 4" in text


def test_every_known_word_passes_the_leak_filter():
    table = typed_words.TABLE
    for options in [*table["launchers"].values(), *table["programs"].values()]:
        for name, kind in options.items():
            assert not leak_filter.is_identifying(name)
            kinds = [kind] if isinstance(kind, list) else kind.split(" ")
            allowed = {"flag", "number", "size", "text", "path", "hosts", "binding", "variable", "value"}
            assert all(isinstance(one_kind, list) or one_kind in allowed for one_kind in kinds)
    assert set(table["launchers"]) | set(table["launcher_aliases"]) == set(command_line.LAUNCHERS)


def test_a_huge_command_line_and_environment_are_bounded():
    options = Namespace(directory=None, profile="default")
    environment = {"LOADEDMODULES": "gcc/12.1:" * 100000}
    record = run_record.before_run(["true"] + ["x" * 10] * 50000, options, environment)
    assert len(record["arguments"]) == typed_words.MAX_WORDS
    assert record["modules"] == ["gcc/12.1"]


@pytest.mark.parametrize(
    ("text", "modules", "others"),
    [
        ("gcc/12.2.0:openmpi/4.1.5-gcc-12.2:kovacs/hunter2:hdf5", ["gcc/12.2.0", "openmpi/4.1.5-gcc-12.2", "hdf5"], 1),
        ("gcc/kovacs", ["gcc"], 0),
    ],
)
def test_known_modules_are_recorded_and_others_counted(text, modules, others):
    assert run_record.loaded_modules(text) == {"modules": modules, "modules_not_listed": others}


def extent(line, environment, *, is_binary=True):
    argv = line.split()
    programs = ("ior", "fio", "./io500", "elbencho", "script.sh", "mpirun", "srun", "numactl")
    launch = command_line.unwrap_command(argv, lambda word: word in programs)
    words = typed_words.Words().type_all(argv, lambda word: word in programs)
    launcher = next((word["text"] for word in words if word["kind"] == "launcher"), None)
    return run_record.extent(environment, launch, launcher, words, is_binary)


SLURM = {"SLURM_JOB_NUM_NODES": "10", "SLURM_NTASKS": "640"}


@pytest.mark.parametrize(
    ("line", "environment", "record"),
    [
        ("fio job.fio", SLURM, {"nodes": 1, "nodes_from": "no launcher"}),
        ("ior -t 1m", {}, {"nodes": 1, "nodes_from": "no launcher", "tasks": 1, "tasks_from": "no launcher"}),
        ("fio --client=node2 job.fio", {}, {}),
        (
            "srun -N 4 -n 64 ior",
            SLURM,
            {"nodes": 4, "nodes_from": "command line", "tasks": 64, "tasks_from": "command line"},
        ),
        ("srun ./io500 x.ini", SLURM, {"nodes": 10, "nodes_from": "job", "tasks": 640, "tasks_from": "job"}),
        ("mpirun -np 2 ior", SLURM, {"tasks": 2, "tasks_from": "command line"}),
        ("mpirun -np 2 ior", {}, {"tasks": 2, "tasks_from": "command line"}),
        ("sudo -E mpirun -np 64 ior", {}, {"tasks": 64, "tasks_from": "command line"}),
        ("stdbuf -oL mpirun -np 64 ior", {}, {"tasks": 64, "tasks_from": "command line"}),
        ("time -v numactl -l mpirun -np 64 ior", {}, {"tasks": 64, "tasks_from": "command line"}),
        ("prun -n 64 ior", {}, {"tasks": 64, "tasks_from": "command line"}),
        ("yod -np 64 ior", {}, {}),
        (
            "mpirun -np 8 -ppn 4 ior",
            SLURM,
            {"nodes": 2, "nodes_from": "command line", "tasks": 8, "tasks_from": "command line"},
        ),
    ],
)
def test_nodes_and_tasks_are_those_of_the_launch(line, environment, record):
    assert extent(line, environment) == record


def test_a_script_has_the_size_of_its_job():
    assert extent("script.sh", SLURM, is_binary=False)["nodes_from"] == "job"


def git(folder, *arguments):
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a"}
    environment = {**os.environ, **names, "GIT_CONFIG_GLOBAL": "/dev/null"}
    return subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed here")
@pytest.mark.parametrize("packed", [False, True])
def test_commit_and_tree_of_the_checkout_beside_the_program(tmp_path, packed):
    (tmp_path / "src").mkdir()
    program = tmp_path / "src" / "ior"
    program.write_text("x")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"], *([["gc", "-q"]] if packed else [])):
        git(tmp_path, *arguments)
    assert checkout.source_of_program(NodeAccess("/"), str(program), "/nowhere") == {
        "commit": git(tmp_path, "rev-parse", "HEAD"),
        "tree": git(tmp_path, "rev-parse", "HEAD^{tree}"),
    }
    assert checkout.source_of_program(NodeAccess("/"), str(program), str(tmp_path)) == {}


@pytest.mark.parametrize("head", ["", "ref: refs/../../etc/passwd", "ref: refs/heads/none", "x" * 100000, "\0"])
def test_a_broken_checkout_gives_no_commit(tmp_path, head):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(head)
    assert checkout.source_of_program(NodeAccess("/"), str(tmp_path / "ior"), None) == {}


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no compiler is installed here")
def test_libraries_are_those_that_the_program_is_linked_with(tmp_path, wrap):  # noqa: F811
    """A made-up libfabric in the folder of a module, needed by a made-up libmpi; nothing that is installed counts."""
    folder = tmp_path / "libfabric" / "1.20.1" / "lib64"
    folder.mkdir(parents=True)
    source = tmp_path / "x.c"
    source.write_text('const char *text = "Open MPI v4.1.6, package: x"; int x(void) { return 0; }')
    (tmp_path / "main.c").write_text("int x(void); int main(void) { return x(); }")
    fabric, mpi = folder / "libfabric.so.1", tmp_path / "libmpi.so.40"
    shared = ["gcc", "-shared", "-fPIC", "-Wl,--no-as-needed", source, "-o"]
    subprocess.run([*shared, fabric, "-Wl,-soname,libfabric.so.1"], check=True)
    subprocess.run([*shared, mpi, "-Wl,-soname,libmpi.so.40", fabric, f"-Wl,-rpath,{folder}"], check=True)
    program = tmp_path / "ior"
    subprocess.run(
        ["gcc", tmp_path / "main.c", mpi, f"-Wl,-rpath,{tmp_path}", "-Wl,-rpath-link," + str(folder), "-o", program],
        check=True,
    )
    record = wrap(program, "-t", "1m")["run"]
    assert record["libraries"] == [
        {"name": "MPI", "file": "libmpi.so.40", "version": "4.1.6", "version_from": "library"},
        {"name": "libfabric", "file": "libfabric.so.1", "version": "1.20.1", "version_from": "folder"},
    ]


def test_a_script_has_no_libraries(tmp_path, wrap):  # noqa: F811
    script = tmp_path / "script.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    assert "libraries" not in wrap(script)["run"]


def test_only_environment_variables_that_influence_io_are_recorded(collector, wrap):  # noqa: F811
    collector.environ.update(
        IOR_HINT__MPI__romio_cb_write="enable",
        IOR_HINT__MPI__secret_hint="hunter2",
        FI_CXI_RDZV_THRESHOLD="16384",
        FI_CXI_NOT_KNOWN="hunter2",
        MPICH_MPIIO_AGGREGATOR_PLACEMENT_STRIDE="-1",
        UCX_NET_DEVICES="mlx5_0:1",
        DARSHAN_LOGPATH="/home/kovacs/logs",
        MY_PASSWORD="hunter2",
        BULK="x" * 100000,
    )
    document = wrap("true", python=sys.executable)
    assert document["job"]["environment"] == {
        "DARSHAN_LOGPATH": "set",
        "FI_CXI_RDZV_THRESHOLD": "16384",
        "IOR_HINT__MPI__romio_cb_write": "enable",
        "MPICH_MPIIO_AGGREGATOR_PLACEMENT_STRIDE": "-1",
        "UCX_NET_DEVICES": "mlx5_0:1",
    }
    assert "hunter2" not in str(document)


def test_a_value_that_may_be_a_path_is_recorded_as_set():
    assert job.publishable_environment({"FI_CXI_RDZV_THRESHOLD": "/home/x", "HDF5_USE_FILE_LOCKING": "FALSE"}) == {
        "FI_CXI_RDZV_THRESHOLD": "set",
        "HDF5_USE_FILE_LOCKING": "FALSE",
    }


def test_files_in_hidden_folders_are_not_those_of_the_command(tmp_path):
    """Programs that run beside it write there: a service with its state in .local/, an editor, git."""
    watched = written_files.Folder(str(tmp_path))
    for name in (".local/base", ".git", "out/.cache", "out"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / name / "file").write_text("x")
    (tmp_path / ".result").write_text("x")
    entries, left_over = watched.sealed()
    assert (sorted(entry["path"] for entry in entries), left_over) == (["_", "out/file"], 0)
    hidden = written_files.Folder(str(tmp_path / ".local" / "base"))
    (tmp_path / ".local" / "base" / "new").write_text("x")
    assert [entry["path"] for entry in hidden.sealed()[0]] == ["new"], "the folder that is named is looked at"
