"""Take rights away from this process, for good: network, files, new processes, time and memory.

The main bar is a seccomp filter that permits only what reading open files and reckoning need (seccomp(2)). Where the
kernel or the processor has none, an empty network namespace is left (unshare(2)). What holds is said, never assumed.
Numbers of calls and constants: asm/unistd.h of x86-64 and arm64, linux/seccomp.h, linux/filter.h, linux/prctl.h.
"""

from __future__ import annotations

import ctypes
import errno
import math
import os
import platform
import resource
import signal
import struct
from contextlib import suppress
from functools import cache
from pathlib import Path

_LIBC = ctypes.PyDLL(None, use_errno=True)
_LIBC.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
_MACHINE = platform.machine()
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_SECCOMP_MODE_FILTER = 2
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
_LOAD_WORD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_INSTRUCTION = struct.Struct("HBBI")
_OFFSET_OF_CALL, _OFFSET_OF_ARCHITECTURE = 0, 4
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_NOBODY = 65534

_NAMES = """read write close fstat lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn pread64
pwrite64 readv writev sched_yield mremap madvise getpid exit ftruncate getrusage gettimeofday sigaltstack gettid
restart_syscall futex clock_gettime clock_nanosleep exit_group newfstatat preadv pwritev getrandom membarrier preadv2
statx rseq"""
_NUMBERS = {
    "x86_64": (
        0xC000003E,
        """0 1 3 5 8 9 10 11 12 13 14 15 17 18 19 20 24 25 28 39 60 77 98 96 131 186 219 202 228 230 231 262 295 296 318
        324 327 332 334""",
    ),
    "aarch64": (
        0xC00000B7,
        """63 64 57 80 62 222 226 215 214 134 135 139 67 68 65 66 124 216 233 172 93 46 165 169 132 178 128 98 113 115
        94 79 69 70 278 283 286 291 293""",
    ),
}
"""Of each processor: how the kernel calls it, and the numbers of the permitted calls in the order of _NAMES."""
PERMITTED = tuple(_NAMES.split())
"""Names of the calls that stay. None of them opens a path, makes a socket or a process, or reaches another process."""


class Refused(OSError):
    """The kernel does not do what was asked for."""


def leave_network() -> bool:
    """Move this process, with all that it forks, into a network namespace without any interface; whether that worked.

    Root, or who has CAP_SYS_ADMIN, needs no more; others need a user namespace, which many containers refuse.
    """
    if _LIBC.unshare(_CLONE_NEWNET) == 0:
        return True
    user, group = os.geteuid(), os.getegid()
    if _LIBC.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return False
    # Without these, files that it makes would belong to nobody, and the kernel refuses to make them.
    for name, text in (("uid_map", f"{user} {user} 1"), ("setgroups", "deny"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", name).write_text(text)
    return True


def become_nobody() -> None:
    """Leave root, with every group and capability; nothing happens to an ordinary user."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)


def fork_child() -> int:
    """As os.fork, without what modules registered for one: they renew locks of threads and seeds, 1 ms for each job.

    For a process of one thread, and a child that needs no random number of its own. Raises OSError as os.fork does.
    """
    child: int = _LIBC.fork()
    if child < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return child


def gain_nothing() -> None:
    """No program that is run from now on gets more rights than this process has."""
    _call_prctl(_PR_SET_NO_NEW_PRIVS, 1)


def die_with(parent: int) -> None:
    """Have the kernel kill this process when `parent` ends; also if it has ended already."""
    _call_prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def limit_resources(seconds: float, memory_bytes: int, file_bytes: int, open_files: int) -> None:
    """Bound processor time, address space, the size of each written file, and descriptors; no core, no process."""
    cpu_s = max(math.ceil(seconds), 1)
    for what, soft, hard in (
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 1),
        (resource.RLIMIT_AS, memory_bytes, memory_bytes),
        (resource.RLIMIT_FSIZE, file_bytes, file_bytes),
        (resource.RLIMIT_NOFILE, open_files, open_files),
        (resource.RLIMIT_NPROC, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        _, most = resource.getrlimit(what)
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(what, (soft, hard))


def refuse_calls() -> None:
    """Permit the calls PERMITTED and answer every other one with EPERM, until this process ends.

    Raises Refused where the processor is not known here, or the kernel has no seccomp.
    """
    head, _ = _filter_in_memory(_MACHINE)
    _call_prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(head))


@cache
def _filter_in_memory(machine: str) -> tuple[ctypes.Array[ctypes.c_char], ctypes.Array[ctypes.c_char]]:
    """The filter as the kernel reads it, `struct sock_fprog`, and the instructions that it points to."""
    code = filter_code(machine)
    instructions = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("HxxxxxxP", len(code) // _INSTRUCTION.size, ctypes.addressof(instructions))
    return ctypes.create_string_buffer(head), instructions


def filter_code(machine: str) -> bytes:
    """The instructions that permit the calls PERMITTED on a processor. Raises Refused for one that is not known."""
    if machine not in _NUMBERS:
        raise Refused(errno.ENOSYS, f"no list of calls for {machine}")
    architecture, numbers = _NUMBERS[machine]
    rows = [*map(int, numbers.split())]
    program = [
        (_LOAD_WORD, 0, 0, _OFFSET_OF_ARCHITECTURE),
        (_JUMP_IF_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD_WORD, 0, 0, _OFFSET_OF_CALL),
        # Each jumps over the others, and over the refusal behind them.
        *((_JUMP_IF_EQUAL, len(rows) - place, 0, number) for place, number in enumerate(rows)),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(_INSTRUCTION.pack(*instruction) for instruction in program)


def can_refuse_calls() -> bool:
    """Try it in a child, for it can't be taken back."""
    with suppress(Refused):
        _filter_in_memory(_MACHINE)  # once, for all children
    child = os.fork()
    if child == 0:
        try:
            gain_nothing()
            refuse_calls()
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def _call_prctl(option: int, *arguments: int) -> None:
    if _LIBC.prctl(option, *(*arguments, 0, 0, 0, 0)[:4]) != 0:
        number = ctypes.get_errno()
        raise Refused(number, os.strerror(number))
