"""The cage under attack: readers that were taken over try what hostile bytes would (attacks.py)."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from submissions.bundles.cage import client, confinement
from tests.submissions.bundles.cage import attacks

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def cage() -> Iterator[client.Cage]:
    os.environ["DATABASE_URL_OF_THE_TEST"] = "postgresql://secret"
    cage = client.Cage(attacks.__name__)
    yield cage
    cage._end_server()
    del os.environ["DATABASE_URL_OF_THE_TEST"]


@pytest.fixture
def attack(cage: client.Cage) -> Callable[..., Any]:
    def attack(job, *paths: Path, seconds: float = 20, **arguments: Any) -> Any:
        return cage.do_job(job, paths, arguments, seconds=seconds)

    return attack


def server_of(cage: client.Cage) -> int:
    return cage._server.pid


# What a reader reaches


def test_seccomp_is_active_in_the_reader(attack, cage) -> None:
    attack(attacks.environment)
    assert cage.holds["seccomp"] is True


def test_a_reader_has_no_network_and_no_socket_file(attack, tmp_path: Path) -> None:
    with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as unix, socket.socket(socket.AF_UNIX) as abstract:
        tcp.bind(("127.0.0.1", 0))
        unix.bind(str(tmp_path / "s"))
        abstract.bind("\0of-the-test")
        for listening in (tcp, unix, abstract):
            listening.listen()
        assert (
            attack(attacks.connect, tcp=tcp.getsockname(), unix=str(tmp_path / "s"), abstract="\0of-the-test")
            == ["PermissionError"] * 4
        )


def test_a_reader_opens_no_file(attack, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    names = [str(secret), "/etc/passwd", f"/proc/{os.getpid()}/environ", "/proc/self/environ", "/proc/self/maps"]
    assert attack(attacks.open_files, names=names) == ["PermissionError"] * (len(names) + 5)
    assert secret.exists()


def test_a_reader_has_no_secret_and_no_open_descriptor(attack, monkeypatch) -> None:
    state = attack(attacks.environment)
    assert set(state["variables"]) <= {*client._KEPT_VARIABLES, "LC_CTYPE"}
    assert not [name for name in state["modules"] if name.split(".")[0] in ("django", "registry", "psycopg", "redis")]
    # Standard input to error are /dev/null, one way for the answer, and scratch files.
    assert state["opened"] <= 3 + 1 + 7


def test_a_reader_makes_no_process_and_no_thread(attack) -> None:
    assert attack(attacks.make_processes) == ["PermissionError"] * 3 + ["can't start new thread"]


def test_a_reader_reaches_no_other_process(attack) -> None:
    assert attack(attacks.reach_processes, asking=os.getpid()) == ["PermissionError", "PermissionError", -1]


def test_a_reader_cannot_change_its_input(attack, tmp_path: Path) -> None:
    stored = tmp_path / "stored"
    stored.write_text("as received")
    assert attack(attacks.write_input, stored) == ["OSError", "OSError"]
    assert stored.read_text() == "as received"


def test_a_reader_reads_its_input_file(attack, tmp_path: Path) -> None:
    (tmp_path / "run.tgz").write_bytes(b"0123456789")
    assert attack(attacks.read, tmp_path / "run.tgz") == [10, "789", "run.tgz", 10]


def test_only_regular_files_are_passed_to_a_reader(attack, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/passwd")
    with pytest.raises(OSError):
        attack(attacks.read, tmp_path / "link")
    with pytest.raises(FileNotFoundError):
        attack(attacks.read, tmp_path / "nothing")


def test_no_state_of_a_job_reaches_the_next(attack) -> None:
    for _ in range(2):
        assert attack(attacks.leave_behind) == ["", "of another account"]


def test_scratch_files_of_a_former_job_are_gone(attack) -> None:
    with pytest.raises(client.JobFailed):
        attack(attacks.leave_and_die)
    assert attack(attacks.leave_behind) == ["", "of another account"]


# What a reader takes


@pytest.mark.parametrize("job", [attacks.loop, attacks.ignore_signals, attacks.wait])
def test_a_reader_that_does_not_end_is_stopped(attack, job) -> None:
    with pytest.raises(client.OutOfTime):
        attack(job, seconds=1)
    assert attack(attacks.leave_behind)


@pytest.mark.parametrize("job", [attacks.take_memory, attacks.take_memory_slowly])
def test_a_reader_over_its_memory_limit_is_stopped(attack, job, settings) -> None:
    settings.CHECK_MEMORY_BYTES = 256 * 1024**2
    with pytest.raises(client.TooMuch, match="memory than 268435456 bytes"):
        attack(job, bytes=1024**3)
    assert attack(attacks.leave_behind)


def test_a_reader_over_its_output_limit_is_stopped(attack, monkeypatch) -> None:
    monkeypatch.setattr(client, "ANSWER_BYTES", 3_000_000)
    with pytest.raises(client.TooMuch, match="more to say than 3000000 bytes"):
        attack(attacks.say_much)
    assert attack(attacks.leave_behind)


@pytest.mark.deep
def test_a_reader_that_fills_the_disk_is_stopped(attack) -> None:
    with pytest.raises(client.JobFailed, match="File too large"):
        attack(attacks.fill_scratch, mebibytes=1200)


# How a reader ends


@pytest.mark.parametrize("status", [0, 1, 3])
def test_a_reader_that_dies_is_noticed(attack, status) -> None:
    with pytest.raises(client.JobFailed):
        attack(attacks.die, status=status)


def test_a_reader_that_crashes_is_noticed(attack) -> None:
    with pytest.raises(client.JobFailed):
        attack(attacks.crash)


def test_a_reader_that_dies_in_the_middle_of_its_answer_is_noticed(attack) -> None:
    with pytest.raises(client.JobFailed, match="can't be read"):
        attack(attacks.die_in_the_middle)


def test_an_exception_of_a_reader_is_reported_and_logged(attack, caplog) -> None:
    with pytest.raises(client.JobFailed, match="ValueError: xxx") as failure:
        attack(attacks.fail)
    assert len(str(failure.value)) < 10_000
    (record,) = caplog.records
    assert "Traceback" in record.getMessage() and len(record.getMessage()) < 10_000


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{",
        '{"result": 1}',
        '{"log": 1, "result": 1}',
        '{"log": [{}], "result": 1}',
        "\ud800",
        "[" * 9999,
    ],
)
def test_invalid_answers_of_a_reader_are_refused(attack, text) -> None:
    with pytest.raises(client.JobFailed):
        attack(attacks.forge, text=text)


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("1e999", None),
        (f"{10**309}.0", None),
        ("NaN", None),
        ("-Infinity", None),
        ('"NaN, Infinity, 5e999"', "NaN, Infinity, 5e999"),
        ('"\\u0000"', "\ufffd"),
        ('"\\ud800"', "?"),
        ("1e300", 1e300),
    ],
)
def test_values_that_postgresql_refuses_are_removed(attack, value, stored) -> None:
    assert attack(attacks.forge, text=f'{{"log": [], "result": {value}}}') == stored


# The warm process


def test_a_killed_server_is_restarted(attack, cage) -> None:
    attack(attacks.leave_behind)
    os.kill(server_of(cage), signal.SIGKILL)
    cage._server.wait()
    assert attack(attacks.leave_behind)


def test_no_process_is_left_when_the_caller_is_killed(tmp_path: Path) -> None:
    """The worker is killed while a job runs: the server and the child end."""
    program = (
        "from django.conf import settings; settings.configure(CHECK_MEMORY_BYTES=1 << 30)\n"
        "from submissions.bundles.cage import client\n"
        f"from {attacks.__name__} import leave_behind, loop\n"
        f"cage = client.Cage('{attacks.__name__}')\n"
        "cage.do_job(leave_behind, [], {}, seconds=20); print(cage._server.pid, flush=True)\n"
        "cage.do_job(loop, [], {}, seconds=600)\n"
    )
    asking = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    server = int(asking.stdout.readline())
    watched = os.pidfd_open(server)
    asking.kill()
    asking.wait()
    asking.stdout.close()
    assert ended_within(watched, 20)


def ended_within(pidfd: int, seconds: float) -> bool:
    import select

    ready, _, _ = select.select([pidfd], [], [], seconds)
    os.close(pidfd)
    return bool(ready)


def test_an_unprivileged_user_without_namespaces_is_confined() -> None:
    """As in a container that refuses user namespaces: seccomp holds alone."""
    program = (
        "import os, sys\n"
        "from submissions.bundles.cage import confinement\n"
        "if os.geteuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "confinement._LIBC = type('Refusing', (), {'unshare': lambda *_: -1, 'prctl': confinement._LIBC.prctl})()\n"
        "assert not confinement.leave_network()\n"
        "confinement.become_nobody(); confinement.gain_nothing()\n"
        "assert confinement.can_refuse_calls()\n"
        "confinement.limit_resources(5, 1 << 30, 1 << 20, 64)\n"
        "confinement.refuse_calls()\n"
        "for attempt in (lambda: open('/etc/passwd'), lambda: os.fork(), lambda: os.kill(1, 0), lambda: os.pipe()):\n"
        "    try: attempt()\n"
        "    except PermissionError: continue\n"
        "    os._exit(1)\n"
        "os.write(1, b'confined'); os._exit(0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)}
    )
    assert done.stdout == "confined", done.stderr


def test_an_unknown_processor_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(confinement, "_MACHINE", "pdp11")
    with pytest.raises(confinement.Refused):
        confinement.refuse_calls()
    assert confinement.can_refuse_calls() is False


ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64 of linux/audit.h: the machine's number in ELF, 64 bits, little end first."""
ALLOWED, REFUSED = 0x7FFF0000, 0x00050000 | errno.EPERM
MOST_CALLS = 600


def filtered(code: bytes, architecture: int, call: int) -> int:
    """What the kernel would do: the few instructions of bpf(4) that the filter has, run over `struct seccomp_data`."""
    data, word, at = struct.pack("II", call, architecture), 0, 0
    while True:
        operation, if_equal, if_not, value = struct.unpack_from("HBBI", code, at * 8)
        at += 1
        if operation == 0x20:
            (word,) = struct.unpack_from("I", data, value)
        elif operation == 0x15:
            at += if_equal if word == value else if_not
        else:
            assert operation == 0x06
            return value


@pytest.mark.parametrize("machine", sorted(confinement._NUMBERS))
def test_a_filter_permits_only_listed_calls(machine) -> None:
    code = confinement.filter_code(machine)
    numbers = set(map(int, confinement._NUMBERS[machine][1].split()))
    assert len(numbers) == len(confinement._NUMBERS[machine][1].split()) == len(confinement.PERMITTED)
    own = ARCHITECTURES[machine]
    assert {call for call in range(MOST_CALLS) if filtered(code, own, call) == ALLOWED} == numbers
    # Calls of 32-bit and x32 programs have the numbers of others, or the same with a bit.
    for architecture, call in ((0x40000003, 0), (0x40000028, 0), (own, 0x40000000), (own, 0xFFFFFFFF)):
        assert filtered(code, architecture, call) == REFUSED
    for other in {*ARCHITECTURES.values()} - {own}:
        assert {filtered(code, other, call) for call in range(MOST_CALLS)} == {REFUSED}


HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


@pytest.mark.parametrize("machine", sorted(confinement._NUMBERS))
def test_numbers_of_calls_are_those_of_the_kernel(machine) -> None:
    if not HEADERS[machine].exists():
        pytest.skip(f"no {HEADERS[machine]} (Debian: linux-libc-dev on x86-64)")
    header_numbers = dict(
        re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", HEADERS[machine].read_text(), re.MULTILINE)
    )
    header_numbers.setdefault("newfstatat", header_numbers.get("fstatat", ""))
    numbers = dict(zip(confinement.PERMITTED, confinement._NUMBERS[machine][1].split(), strict=True))
    assert numbers == {name: header_numbers[name] for name in confinement.PERMITTED}


def test_a_kernel_without_seccomp_is_an_error(caplog, monkeypatch) -> None:
    cage = client.Cage(attacks.__name__)
    hello = json.dumps({"seccomp": False, "network_namespace": False}).encode()
    monkeypatch.setattr(client.subprocess, "Popen", lambda *_a, stdin, **_o: _SaysOnly(stdin, hello))
    cage._start_server()
    assert "NOT confined" in caplog.text and "They can reach network and files." in caplog.text
    cage._control.close()


class _SaysOnly:
    pid = 0

    def __init__(self, control: int, text: bytes) -> None:
        os.write(control, text)
