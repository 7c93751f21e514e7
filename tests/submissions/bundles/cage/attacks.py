"""Readers that were taken over: jobs for the cage that try what hostile bytes would. Loaded by its warm process."""

# ruff: noqa: PTH102, PTH108, PTH123, PTH208
from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from submissions.bundles.cage.jobs import warm_up as warm_up
from validators.bundle import sources


def _error(attempt) -> str:
    """The name of the error that an attempt ends with, or what it gave."""
    try:
        return f"worked: {attempt()!r}"
    except OSError as error:
        return type(error).__name__
    except RuntimeError as error:
        return str(error)


def connect(paths, arguments):
    """By each family, also to a socket file of the host, which no network namespace hides."""
    tried = []
    for family, address in (
        (socket.AF_INET, tuple(arguments["tcp"])),
        (socket.AF_UNIX, arguments["unix"]),
        (socket.AF_UNIX, arguments["abstract"]),
    ):
        tried.append(_error(lambda family=family, address=address: socket.socket(family).connect(address)))
    return [*tried, _error(lambda: socket.socketpair())]


def open_files(paths, arguments):
    """To read what lies on the host or in another process, to write, and to list."""
    return [
        *(_error(lambda name=name: open(name).read()) for name in arguments["names"]),
        _error(lambda: open("/tmp/made-by-a-reader", "w")),
        _error(lambda: os.listdir("/")),
        _error(lambda: os.mkdir("/tmp/made-by-a-reader")),
        _error(lambda: os.unlink(arguments["names"][0])),
        _error(lambda: tempfile.mkstemp()),
    ]


def environment(paths, arguments):
    """What the process was given, and the descriptors that are open in it beside those of the job."""
    opened = [number for number in range(256) if _is_open(number)]
    return {"variables": dict(os.environ), "opened": len(opened), "modules": sorted(sys.modules)}


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def make_processes(paths, arguments):
    return [
        _error(os.fork),
        _error(lambda: subprocess.run(["/bin/true"])),
        _error(lambda: os.execv("/bin/true", ["true"])),
        _error(threading.Thread(target=int).start),
    ]


def reach_processes(paths, arguments):
    """To stop or to trace others: the server, and whoever asked."""
    libc = ctypes.CDLL(None, use_errno=True)
    tried = [_error(lambda pid=pid: os.kill(pid, signal.SIGKILL)) for pid in (os.getpid(), arguments["asking"])]
    return [*tried, libc.ptrace(16, arguments["asking"], 0, 0)]


def take_memory(paths, arguments):
    return len(bytearray(arguments["bytes"]))


def take_memory_slowly(paths, arguments):
    taken = []
    while True:
        taken.append("x" * 1_000_000 + str(len(taken)))


def loop(paths, arguments):
    while True:
        pass


def wait(paths, arguments):
    """Takes no processor time."""
    time.sleep(600)


def ignore_signals(paths, arguments):
    for number in range(1, 32):
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_IGN)
    while True:
        pass


def say_much(paths, arguments):
    """More than anybody reads, and never an end, past the way that answers take."""
    while True:
        os.write(_answer(), b"x" * 1_000_000)


def die(paths, arguments):
    os._exit(arguments["status"])


def crash(paths, arguments):
    ctypes.string_at(0)


def die_in_the_middle(paths, arguments):
    os.write(_answer(), b'{"log": [], "result": {"report": ')
    os._exit(0)


def forge(paths, arguments):
    """An answer that was written elsewhere."""
    os.write(_answer(), arguments["text"].encode("utf-8", "surrogatepass"))
    os._exit(0)


def _answer() -> int:
    """The pipe that the answer goes into: the first descriptor that is one and can be written."""
    for number in range(3, 64):
        try:
            os.write(number, b"")
        except OSError:
            continue
        if os.fstat(number).st_mode & 0o170000 == 0o010000:
            return number
    raise RuntimeError("no pipe")


def fill_scratch(paths, arguments):
    with tempfile.TemporaryFile() as file:
        for _ in range(arguments["mebibytes"]):
            file.write(bytes(1024 * 1024))
            file.flush()
    return "worked"


def leave_behind(paths, arguments):
    """What a scratch file holds at first, and then something in it."""
    with tempfile.TemporaryFile() as file:
        before = file.read().decode()
        file.write(b"of another account")
        file.flush()
        file.seek(0)
        return [before, file.read().decode()]


def leave_and_die(paths, arguments):
    """Ends with something in a scratch file, which nobody closes."""
    for _ in range(3):
        file = tempfile.TemporaryFile()  # noqa: SIM115
        file.write(b"of another account")
        file.flush()
    os._exit(1)


def write_input(paths, arguments):
    descriptor = sources._handed[paths[0]]
    return [_error(lambda: os.write(descriptor, b"x")), _error(lambda: os.ftruncate(descriptor, 0))]


def read(paths, arguments):
    with sources.open_regular(paths[0]) as file:
        file.seek(-3, os.SEEK_END)
        last = file.read()
        return [file.tell(), last.decode(), Path(paths[0]).name, sources.file_status(paths[0]).st_size]


def fail(paths, arguments):
    raise ValueError("x" * 100_000)
