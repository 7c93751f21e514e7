"""The files that hold what is remembered of logs. One `verify` at a time replaces one; others wait a while for it."""

import errno
import os
import stat
import time
from contextlib import contextmanager

from collectors.errors import UsageError
from collectors.files import read_at_most, unwritable_file, write_whole
from collectors.server.log import memory

FOLDER = "~/.config/highwater/log"
LOCK = ".lock"
WAIT_S = 10.0
_EVERY_S = 0.02
_HELD = (errno.EACCES, errno.EAGAIN)
"""What POSIX says of a lock that another process has."""


class StillLocked(Exception):
    """Another process kept a lock for so long: path, seconds."""


def find_known_log(origin, log_address):
    """The Memory of a log, by its name, or by the address where another name was seen; None on first use.

    Raises UsageError for a memory that is damaged or that others may write: it is not replaced by itself.
    """
    folder, at_address = os.path.expanduser(FOLDER), None
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if not name.endswith(".json") or name.startswith("."):
            continue
        path = os.path.join(folder, name)
        remembered = read_known_log(path)
        if remembered.origin == origin:
            return remembered
        if log_address and remembered.address == log_address:
            at_address = remembered
    return at_address


def read_known_log(path):
    """The Memory in a file. Raises UsageError where it holds none, or others may write it."""
    try:
        if os.stat(path).st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise UsageError("collector.log-memory", "%s can be written by others." % path, "chmod 0600 %s" % path)
        return memory.from_text(read_at_most(path, memory.MAX_BYTES).decode("utf-8"))
    except OSError as error:
        raise UsageError("collector.log-memory", "%s cannot be read: %s" % (path, error.strerror or error))
    except (ValueError, memory.DamagedMemory):
        raise UsageError(
            "collector.log-memory",
            "%s is damaged: the checkpoint that was remembered is lost." % path,
            "Restore it from a backup. If you remove it, the log is trusted on first use again.",
        )


def replace_known_log(remembered, new, wait_s=WAIT_S):
    """Write `new`, complete, in place of `remembered`; False where other checkpoints were written meanwhile.

    Nothing is written where all of `new` is there. Raises UsageError where nothing can be written, StillLocked.
    """
    folder = os.path.expanduser(FOLDER)
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
    except OSError as error:
        raise UsageError("collector.log-memory", "%s cannot be made: %s" % (folder, error.strerror or error))
    path = os.path.join(folder, memory.file_name(new.origin))
    with hold_lock(os.path.join(folder, LOCK), wait_s):
        current = read_known_log(path) if os.path.exists(path) else None
        stored, held = set(current.held if current else ()), set(new.held)
        if current == remembered or stored <= held:
            write_whole(path, memory.as_text(new))
            return True
        return held <= stored


@contextmanager
def hold_lock(path, wait_s):
    """Hold the lock of a file, on NFS too. Raises UsageError where there are no locks, StillLocked.

    A process that ends gives it back, however it ends. So the file stays, and means nothing by itself.
    """
    import fcntl  # Windows has none

    hint = "Set HOME to a folder on a disk with locks."
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise unwritable_file("collector.log-memory", path, error, hint)
    try:
        ends = time.monotonic() + wait_s
        while True:
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if error.errno not in _HELD:
                    text = "%s cannot be locked: %s" % (path, error.strerror or error)
                    raise UsageError("collector.log-memory", text, hint)
            if time.monotonic() >= ends:
                raise StillLocked(path, wait_s)
            time.sleep(_EVERY_S)
        yield
    finally:
        os.close(descriptor)
