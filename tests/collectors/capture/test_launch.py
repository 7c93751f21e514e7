"""`collect --launcher`: many nodes at once, and those that hang, die or say something else."""

import contextlib
import json
import os
import sys
from collections import Counter
from pathlib import Path

import pytest

from collectors.document import schema
from tests.collectors.conftest import CHECKOUT, wait_until

SHIM = CHECKOUT / "tests" / "collectors" / "launcher_shim.py"
LAUNCHERS = ["srun", "mpirun", "pdsh", "clush", "ssh"]


@pytest.fixture
def launch(collector, tmp_path):
    """Collect on nodes by a launcher that stands for the real one; the finished process and the document."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in LAUNCHERS:
        (folder / name).write_text(f"#!{sys.executable}\n" + SHIM.read_text())
        (folder / name).chmod(0o755)
    collector.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
    root = tmp_path / "node"
    (root / "proc/sys/kernel").mkdir(parents=True)
    (root / "proc/sys/kernel/hostname").write_text("localhost\n")
    (root / "proc/sys/kernel/osrelease").write_text("4.18.0\n")

    def run(launcher, nodes, *options, status=0):
        done = collector(
            "collect", "--launcher", launcher, "--nodes", nodes, "--root", root, "--out", "system.json", *options
        )
        assert done.returncode == status, done.stderr
        written = collector.cwd / "system.json"
        if not written.exists():
            return done, None
        document = json.loads(written.read_text())
        assert list(schema.errors(document)) == []
        return done, document

    run.root = root
    run.folder = folder
    return run


def failed(document):
    return dict(Counter(entry["reason"] for entry in document["captures"][0]["nodes_failed"]))


def left_over(folder):
    """The processes that a hanging node of this test started; its launchers' folder is in their environment."""
    processes = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (place / "cmdline").read_bytes() == b"sleep\x001000\0":
                processes += [place] if os.fsencode(folder) in (place / "environ").read_bytes() else []
    return processes


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_every_launcher_brings_one_document_per_node(launch, launcher):
    _done, document = launch(launcher, "n[1-3]")
    look = document["captures"][0]
    assert (look["launcher"], look["nodes_expected"], look["nodes_reported"]) == (launcher, 3, 3)
    (only,) = document["node_classes"]
    assert (only["count"], len(set(only["members"]))) == (3, 3)
    assert failed(document) == {}


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_failed_nodes_are_reported_and_the_others_are_kept(launch, launcher):
    done, document = launch(launcher, "n[1-4],die1,junk1,nopython1")
    assert document["node_classes"][0]["count"] == 4
    failures = failed(document)
    assert sum(failures.values()) == 3
    if launcher != "mpirun":  # It was the stderr of the nodes that said why.
        assert failures["python_missing"] == 1
    assert "4 nodes in 1 class, 0 outliers; 3 failed" in done.stderr


def test_good_nodes_are_folded_and_failed_nodes_named_with_reasons(launch):
    """Two more than are asked at once."""
    nodes = "n[01-20],hang[1-4],die[1-2],junk[1-2],nopython[1-2],half[1-2],refuse[1-2]"
    _done, document = launch("ssh", nodes, "--node-timeout", "30")
    look = document["captures"][0]
    assert (look["nodes_expected"], look["nodes_reported"]) == (34, 20)
    assert failed(document) == {
        "timeout": 4,
        "crashed": 2,
        "invalid_output": 2,
        "python_missing": 2,
        "truncated": 2,
        "unreachable": 2,
    }
    assert len({entry["member"] for entry in look["nodes_failed"]}) == 14
    wait_until(lambda: not left_over(launch.folder))
    assert "hang" not in json.dumps(document)


@pytest.mark.parametrize("launcher", ["srun", "pdsh"])
def test_a_launcher_that_never_ends_is_ended(launch, launcher):
    _done, document = launch(launcher, "n[1-2],hang1", "--node-timeout", "12")
    assert document["node_classes"][0]["count"] == 2
    assert failed(document) == {"timeout": 1}
    wait_until(lambda: not left_over(launch.folder))


def test_endless_output_of_a_node_costs_bounded_memory_and_time(launch):
    _done, document = launch("ssh", "n[1-2],flood1", "--node-timeout", "30")
    assert document["node_classes"][0]["count"] == 2
    # Not "timeout": it was stopped by how much it said.
    assert failed(document) == {"invalid_output": 1}


def test_less_than_half_of_the_nodes_is_exit_status_1(launch):
    _done, document = launch("ssh", "n1,refuse[1-2]", status=1)
    assert document["captures"][0]["nodes_reported"] == 1


def test_no_node_at_all_is_exit_status_3(launch):
    done, document = launch("ssh", "refuse[1-2]", status=3)
    assert document is None
    assert "[collector.no-nodes]" in done.stderr
    assert "2 unreachable" in done.stderr


def test_a_launcher_that_is_not_installed_is_reported(launch, collector):
    collector.environ["PATH"] = "/nonexistent"
    done, _document = launch("srun", "n1", status=2)
    assert "[collector.launcher]" in done.stderr


@pytest.mark.parametrize("timeout", ["0", "-1", "nan", "inf", "x"])
def test_an_invalid_time_limit_is_a_usage_error(launch, timeout):
    done, _document = launch("ssh", "n1", "--node-timeout", timeout, status=2)
    assert "--node-timeout" in done.stderr


@pytest.mark.parametrize("options", [["--launcher", "ssh"], ["--nodes", "n1"]])
def test_launcher_and_nodes_go_together(collector, options):
    done = collector("collect", "--out", "system.json", *options)
    assert done.returncode == 2
    assert "[collector.nodes]" in done.stderr


def test_names_that_are_options_never_reach_a_launcher(launch):
    done, _document = launch("ssh", "-oProxyCommand=touch owned", status=2)
    assert "usage:" in done.stderr or "[collector.nodes]" in done.stderr


def test_the_strict_profile_gives_only_numbers_of_nodes(launch):
    _done, document = launch("ssh", "n[1-2],refuse1", "--profile", "strict")
    assert "members" not in document["node_classes"][0]
    assert [entry["reason"] for entry in document["captures"][0]["nodes_failed"]] == ["unreachable"]
    assert "refuse1" not in json.dumps(document)


@pytest.mark.parametrize("variable", ["SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"])
def test_only_the_first_rank_of_a_node_reports(collector, launch, variable):
    for rank, speaks in (("0", True), ("1", False)):
        collector.environ[variable] = rank
        done = collector("collect", "--emit", "--root", launch.root)
        assert done.returncode == 0
        assert bool(done.stdout) is speaks


def test_run_looks_at_all_nodes_before_and_after(launch, collector):
    options = ["--launcher", "ssh", "--nodes", "n[1-3]", "--root", launch.root]
    kernel = launch.root / "proc/sys/kernel/osrelease"
    done = collector("run", "--out", "out", *options, "--", "sh", "-c", 'echo 5.14.0 > "$1"', "sh", kernel)
    assert done.returncode == 0, done.stderr
    document = json.loads((collector.cwd / "out" / "system.json").read_text())
    assert [(look["phase"], look["nodes_reported"]) for look in document["captures"]] == [("pre", 3), ("post", 3)]
    (change,) = document["drift"]
    assert (change["pointer"], change["members"], change["severity"]) == ("/os/kernel", 3, "invalidating")


def test_job_facts_of_the_starting_node_are_recorded_for_the_clients(launch, collector):
    mpiexec = collector.cwd / "mpiexec"
    mpiexec.write_text("#!/bin/sh\nexit 0\n")
    mpiexec.chmod(0o755)
    options = ["--launcher", "ssh", "--nodes", "n[1-2]", "--root", launch.root]
    done = collector("run", "--out", "out", *options, "--", mpiexec, "-n", "640", "--bind-to", "core", "true")
    assert done.returncode == 0, done.stderr
    document = json.loads((collector.cwd / "out" / "system.json").read_text())
    assert list(schema.errors(document)) == []
    (only,) = document["node_classes"]
    assert only["count"] == 2
    assert "job.placement" in {entry["id"] for entry in only["parameters"]}
    assert "job.placement" not in {entry["id"] for entry in only["missing"]}
    assert document["job"]["ranks"] == 640
    assert document["drift"] == []


HYDRA = """#!/bin/sh
[ "$1" = --version ] && echo "HYDRA build details:" && exit 0
case "$*" in "-np 2 -hosts n1,n2 -ppn 1 -prepend-rank "*) ;; *) echo "unrecognized argument" >&2; exit 255;; esac
shift 7
"$@" | sed 's/^/[0] /; s/"schema_version"/"sche[0] ma_version"/'
echo "ssh: connect to host n2 port 22: Connection refused" >&2
exit 1
"""


def test_hydra_is_distinguished_from_open_mpi_and_gets_its_own_options(launch, collector):
    mpirun = Path(collector.environ["PATH"].split(os.pathsep)[0]) / "mpirun"
    mpirun.write_text(HYDRA)
    mpirun.chmod(0o755)
    _done, document = launch("mpirun", "n1,n2", status=1)
    assert document["captures"][0]["nodes_reported"] == 1
    assert failed(document) == {"unreachable": 1}


def test_messages_of_the_launcher_are_printed(launch, collector):
    mpirun = Path(collector.environ["PATH"].split(os.pathsep)[0]) / "mpirun"
    mpirun.write_text("#!/bin/sh\necho ------- >&2\necho 'it is unwise to be root here' >&2\nexit 1\n")
    done, document = launch("mpirun", "n1,n2", status=3)
    assert document is None
    assert "mpirun says: it is unwise to be root here" in done.stderr
    assert "says: ---" not in done.stderr


def test_pdsh_uses_ssh_unless_the_site_sets_another_module(launch, collector):
    pdsh = Path(collector.environ["PATH"].split(os.pathsep)[0]) / "pdsh"
    pdsh.write_text('#!/bin/sh\necho "asked by $1 $2" >&2\nexit 1\n')
    collector.environ.pop("PDSH_RCMD_TYPE", None)
    done, _document = launch("pdsh", "n1", status=3)
    assert "asked by -R ssh" in done.stderr
    collector.environ["PDSH_RCMD_TYPE"] = "exec"
    done, _document = launch("pdsh", "n1", status=3)
    assert "asked by -f 32" in done.stderr
