"""`run -- CMD`: the command is what it would be without us, and what changed meanwhile is told."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from collectors.document import schema
from collectors.node import command_runner
from tests.collectors.conftest import wait_until

COUNTS_INTERRUPTS = """
import os, select, signal
signal.signal(signal.SIGINT, lambda number, frame: None)
read, write = os.pipe()
os.set_blocking(write, False)
signal.set_wakeup_fd(write)
print("ready", flush=True)
seen, patience_s = b"", 30
while select.select([read], [], [], patience_s)[0]:
    seen, patience_s = seen + os.read(read, 100), 0.3
print("interrupts", len(seen), flush=True)
"""
ENDS_ON = """
import signal, sys
number = int(sys.argv[1])
signal.pthread_sigmask(signal.SIG_BLOCK, [number])
print("ready", flush=True)
sys.exit(40 + signal.sigwait([number]))
"""
"""Blocked, a signal that comes before somebody waits for it is not lost."""
LOOKS_AT_ITS_PARENT = """
import json, os
parent = "/proc/%d/" % os.getppid()
fds = [os.readlink(parent + "fd/" + fd) for fd in os.listdir(parent + "fd") if int(fd) > 2]
tasks = os.listdir(parent + "task")
children = open(parent + "task/%s/children" % tasks[0]).read().split()
print(json.dumps({"cwd": os.readlink(parent + "cwd"), "fds": fds, "tasks": len(tasks), "children": children,
                  "me": str(os.getpid()), "group": os.getpgid(os.getppid()) == os.getpgrp(), "here": os.getcwd()}))
"""


@pytest.fixture
def machine(tmp_path):
    """A node's files, small enough to change while a command runs."""
    root = tmp_path / "node"
    for path, text in {
        "proc/sys/kernel/hostname": "node1\n",
        "proc/sys/kernel/osrelease": "4.18.0\n",
        "proc/sys/vm/swappiness": "60\n",
        "proc/loadavg": "0.00 0.01 0.05 1/100 1000\n",
        "sys/fs/lustre/version": "2.15.4\n",
        "sys/fs/lustre/osc/fs-OST0000-osc-ffff0001/active": "1\n",
        "sys/fs/lustre/osc/fs-OST0001-osc-ffff0001/active": "1\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def run(collector, machine):
    """Run a command on that node; the whole answer of a finished process."""

    def start(*command, options=(), **started):
        arguments = ["run", "--out", "out", "--root", str(machine), *options, "--", *command]
        return subprocess.Popen(
            [started.pop("python", sys.executable), "-B", "-m", "collectors", *map(str, arguments)],
            cwd=collector.cwd,
            env=collector.environ,
            **{
                "stdout": subprocess.PIPE,
                "stderr": subprocess.PIPE,
                "stdin": subprocess.DEVNULL,
                "text": True,
                **started,
            },
        )

    def finish(*command, input=None, **started):
        if input is not None:
            started["stdin"] = subprocess.PIPE
        process = start(*command, **started)
        stdout, stderr = process.communicate(input, timeout=600)
        assert "Traceback" not in stderr, stderr
        return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)

    finish.start = start
    finish.out = collector.cwd / "out" / "system.json"
    return finish


def document(run):
    description = json.loads(run.out.read_text())
    assert list(schema.errors(description)) == []
    return description


def test_the_exit_status_is_the_commands(oldest_and_this_python, run):
    done = run("sh", "-c", "echo to stdout; echo to stderr >&2; exit 7", python=oldest_and_this_python)
    assert (done.returncode, done.stdout) == (7, "to stdout\n")
    assert "to stderr\n" in done.stderr
    description = document(run)
    assert description["run"]["exit_status"] == 7
    assert "signal" not in description["run"]
    assert description["run"]["command"] == "sh"
    assert [look["phase"] for look in description["captures"]] == ["pre", "post"]
    assert description["drift"] == []
    assert "this describes a run that failed: sh ended with status 7" in done.stderr
    assert "pack --results" not in done.stderr


def test_a_successful_run_prints_the_next_command(run):
    assert "next: highwater.pyz pack --results DIR --system out/system.json" in run("true").stderr


@pytest.mark.parametrize(("command", "status"), [("true", 0), ("false", 1)])
def test_pack_warns_of_the_document_of_a_failed_run(run, collector, command, status):
    run(command)
    (collector.cwd / "results").mkdir()
    (collector.cwd / "results" / "output.txt").write_text("of another run\n")
    done = collector("pack", "--results", "results", "--system", "out/system.json", "--out", "run.tar.gz")
    assert done.returncode == status, done.stderr
    assert (collector.cwd / "run.tar.gz").exists() == (status == 0)
    message = "out/system.json: this describes a run that failed: false ended with status 1. [seal.failed-run]"
    assert (message in done.stderr) == (status == 1)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_signal_gives_the_exit_status_of_a_shell(run, number):
    assert run("sh", "-c", f"kill -{int(number)} $$").returncode == 128 + number
    assert document(run)["run"]["signal"] == number
    assert document(run)["run"]["exit_status"] == 128 + number


@pytest.mark.parametrize("closed", ["stdin", "stdout", "stderr"])
def test_the_exit_status_is_kept_without_a_standard_stream(oldest_and_this_python, run, closed):
    number = ["stdin", "stdout", "stderr"].index(closed)
    process = run.start("sh", "-c", "exit 7", python=oldest_and_this_python, preexec_fn=lambda: os.close(number))
    assert process.wait(timeout=600) == 7
    assert document(run)["run"]["exit_status"] == 7


def test_the_exit_status_is_kept_with_a_closed_stderr(run):
    with Path("/dev/full").open("w", encoding="ascii") as full:
        assert run.start("sh", "-c", "exit 7", stderr=full).wait(timeout=600) == 7
    assert document(run)["run"]["exit_status"] == 7


def test_messages_give_the_name_of_the_command_without_folder_or_arguments(run, collector):
    run("sh", "-c", "cd /home/kovacs/secret; exit 0")
    assert document(run)["run"]["command"] == "sh"
    (collector.cwd / "kovacs").mkdir()
    run("env", "-C", "./kovacs", sys.executable, "-c", "", options=("--out", "second"))
    assert json.loads((collector.cwd / "second" / "system.json").read_text())["run"]["command"].startswith("python")


def test_the_command_gets_arguments_environment_input_and_folder_unchanged(run, collector):
    collector.environ["OF_MINE"] = "x y"
    done = run("sh", "-c", 'cat; echo "$1|$OF_MINE|$PWD"', "sh", "a  b -- --out", input="typed\n")
    assert done.stdout == f"typed\na  b -- --out|x y|{collector.cwd}\n"


def test_the_command_needs_no_dashes_before_it(run, collector, machine):
    done = collector("run", "--out", "out", "--root", machine, "sh", "-c", "exit 3")
    assert done.returncode == 3


def test_a_command_that_is_not_there_is_127(run):
    done = run("no-such-benchmark")
    assert done.returncode == 127
    assert "no-such-benchmark: command not found" in done.stderr


def test_a_command_that_cannot_be_executed_is_126(run, collector):
    (collector.cwd / "plain.txt").write_text("text")
    done = run("./plain.txt")
    assert done.returncode == 126
    assert "Permission denied" in done.stderr


def test_no_command_is_wrong_usage(run, collector):
    done = collector("run", "--out", "out", "--")
    assert done.returncode == 2
    assert "[collector.command]" in done.stderr
    assert not (collector.cwd / "out").exists()


def test_one_thread_waits_during_the_run_without_open_files(run):
    parent_state = json.loads(run(sys.executable, "-c", LOOKS_AT_ITS_PARENT).stdout)
    assert parent_state["tasks"] == 1
    assert parent_state["children"] == [parent_state["me"]]
    assert parent_state["cwd"] == "/"
    assert parent_state["group"]
    assert [place for place in parent_state["fds"] if place.startswith(parent_state["here"])] == []


def ready(process):
    assert process.stdout.readline() == "ready\n"


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP", "QUIT", "USR1", "USR2"])
def test_a_signal_sent_to_us_reaches_the_command(run, name):
    number = getattr(signal, "SIG" + name)
    process = run.start(sys.executable, "-c", ENDS_ON, str(int(number)))
    ready(process)
    process.send_signal(number)
    _stdout, stderr = process.communicate(timeout=600)
    assert process.returncode == 40 + number
    assert "Traceback" not in stderr
    assert document(run)["run"]["exit_status"] == 40 + number
    assert [look["phase"] for look in document(run)["captures"]] == ["pre", "post"]


def test_ctrl_c_reaches_the_command_once(collector, machine):
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(collector.cwd)
        arguments = ["run", "--out", "out", "--root", str(machine), "--", sys.executable, "-c", COUNTS_INTERRUPTS]
        os.execve(sys.executable, [sys.executable, "-B", "-m", "collectors", *arguments], collector.environ)
    terminal_output = b""
    while b"ready" not in terminal_output:
        terminal_output += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    while b"next:" not in terminal_output:
        terminal_output += os.read(terminal, 1000)
    assert b"interrupts 1" in terminal_output
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(terminal)


def test_signals_of_the_kernel_to_the_process_group_are_not_forwarded():
    """Said without a terminal, where two signals so close together may become one."""
    signal_info = namedtuple("signal_info", "si_signo si_code")
    child = subprocess.Popen(["sleep", "60"])
    by_the_kernel, by_a_process = 128, 0
    command_runner.forward_signal(signal_info(signal.SIGUSR1, by_the_kernel), child.pid)
    command_runner.forward_signal(signal_info(signal.SIGTERM, by_a_process), child.pid)
    assert child.wait() == -signal.SIGTERM


def state_of(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_stop_and_continue_reach_the_command(run):
    """In a group of its own, as a shell with job control starts it: an orphaned group is never stopped so."""
    process = run.start("sh", "-c", "echo ready; read line; echo went on", stdin=subprocess.PIPE, preexec_fn=os.setpgrp)
    ready(process)
    (child,) = map(int, Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())
    process.send_signal(signal.SIGTSTP)
    _pid, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    wait_until(lambda: state_of(child) == "T")
    process.send_signal(signal.SIGCONT)
    wait_until(lambda: state_of(child) != "T")
    stdout, _stderr = process.communicate("\n", timeout=600)
    assert (process.returncode, stdout) == (0, "went on\n")


def test_changes_during_the_run_are_drift(run, machine):
    osc = machine / "sys/fs/lustre/osc/fs-OST0001-osc-ffff0001/active"
    done = run("sh", "-c", 'echo 0 > "$1"; echo 10 > "$2"; echo "64 64 64 9/9 9" > "$3"', "sh",
               osc, machine / "proc/sys/vm/swappiness", machine / "proc/loadavg")  # fmt: skip
    assert done.returncode == 0
    changes = [
        (drift_entry["severity"], drift_entry["pointer"], drift_entry["pre"], drift_entry["post"])
        for drift_entry in document(run)["drift"]
    ]
    assert changes == [
        ("invalidating", "/parameters/lustre.client.osc.active", True, "false x1, true x1"),
        ("warning", "/parameters/vm.sysctl/vm.swappiness", 60, 10),
    ]
    assert "invalidating /parameters/lustre.client.osc.active: true before, false x1, true x1 after" in done.stderr
    assert "2 changes during the run" in done.stderr


def test_a_machine_that_cannot_be_recorded_does_not_stop_the_benchmark(run, collector):
    (collector.cwd / "broken.json").write_text("{")
    done = run("sh", "-c", "echo ran; exit 5", options=["--commands", "broken.json"])
    assert (done.returncode, done.stdout) == (5, "ran\n")
    assert "the benchmark is not affected" in done.stderr
    assert not run.out.exists()


def test_a_folder_that_cannot_be_made_does_not_stop_the_benchmark(collector, machine):
    (collector.cwd / "file").write_text("")
    done = collector("run", "--out", "file/out", "--root", machine, "--", "sh", "-c", "echo ran; exit 5")
    assert (done.returncode, done.stdout) == (5, "ran\n")
    assert "will not be recorded" in done.stderr


def test_a_machine_lost_during_the_run_keeps_the_first_record(run, machine):
    done = run("rm", "-r", machine)
    assert done.returncode == 0
    assert [look["phase"] for look in document(run)["captures"]] == ["pre"]
    assert document(run)["run"]["command"] == "rm"


def test_a_removed_output_folder_does_not_change_the_status(run, collector):
    done = run("sh", "-c", "rm -r out; exit 6")
    assert done.returncode == 6
    assert "[collector.out]" in done.stderr


def test_the_record_of_an_earlier_run_is_kept(run):
    run("true")
    first = run.out.read_bytes()
    done = run("false")
    assert done.returncode == 1
    assert run.out.read_bytes() == first
    assert len(list(run.out.parent.iterdir())) == 2


def test_without_a_name_the_folder_is_called_by_the_time(collector, machine):
    assert collector("run", "--root", machine, "--", "true").returncode == 0
    (folder,) = collector.cwd.iterdir()
    assert re.match(r"highwater-\d{8}T\d{6}Z$", folder.name)
    assert [path.name for path in folder.iterdir()] == ["system.json"]


def test_a_run_opens_no_connection_and_writes_only_its_folder(collector, tmp_path):
    """On the real node, with its real commands, so that what the probes start is watched too."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed here")
    trace = tmp_path / "trace.txt"
    watched = [
        "strace",
        "-f",
        "-qq",
        "-s",
        "4096",
        "-o",
        trace,
        "-e",
        "trace=network,openat,open,creat,mkdir,rename,execve",
    ]
    command = [sys.executable, "-B", "-m", "collectors", "run", "--out", "out", "--", "true"]
    done = subprocess.run(
        [*watched, *command], cwd=collector.cwd, env=collector.environ, capture_output=True, text=True
    )
    if "ptrace" in done.stderr and done.returncode:
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr
    calls = trace.read_text()
    assert "openat(" in calls
    assert re.findall(r"(?:connect|bind|sendto)\(\d+, \{sa_family=AF_INET.*", calls) == []
    written = re.findall(r'openat\(AT_FDCWD, "([^"]+)", [^)]*O_(?:WRONLY|RDWR|CREAT)', calls)
    allowed = (str(collector.cwd / "out"), str(collector.home / ".config" / "highwater"), "/dev/null", "/dev/tty")
    assert [path for path in written if not path.startswith(allowed)] == []
    shells = [name for name in re.findall(r'execve\("([^"]+)".* = 0$', calls, re.M) if name.endswith(("/sh", "/bash"))]
    assert shells == []
