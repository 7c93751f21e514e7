"""The files that a command wrote: a folder is looked at before and after it, and what is new or changed is hashed.

The folder is where the command runs, or what --results names. Standard output and error count where they go to a file,
from where they began to where they ended. A time of a file is only held against itself: clocks of file servers differ.
"""

import hashlib
import os
import re
import stat
import sys
import time

from collectors.privacy import leak_filter

MAX_ENTRIES = 20000
MAX_DEPTH = 8
MAX_SECONDS = 10.0
# What one bundle can hold: validators/bundle.
MAX_FILES = 2000
MAX_FILE_BYTES = 64 * 1024 * 1024
MAX_TOTAL_BYTES = 1024 * 1024 * 1024
BLOCK_BYTES = 1024 * 1024
MAX_WORDS = 1000
# A file that was not seen before, since there were too many, is new where it was written since; file systems round.
CLOCK_SECONDS = 2.0
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.,:=+@%-]{0,120}")
STREAMS = (1, 2)


class Folder:
    """What lay in a folder when a command began, and where its arguments lead: files that it names lie anywhere.

    `test_directory` is left out: it holds the benchmark's data. So are hidden folders below: programs that run beside
    the command write there.
    """

    def __init__(self, folder, argv=(), test_directory=None):
        self.folder = os.path.realpath(folder)
        self.test_directory = os.path.realpath(test_directory) if test_directory else None
        self.started_s = time.time()
        self.named = sorted({os.path.realpath(path) for path in paths_of(argv)})
        self.before, self.is_whole = self.states()
        self.before.update(self.states_of_named())
        self.streams = {number: stream_state(number) for number in STREAMS}

    def states(self):
        """({path: (device, inode, size, time)} of the regular files, whether that is all of them)."""
        states, ends, entries = {}, time.monotonic() + MAX_SECONDS, 0
        waiting = [(self.folder, 0)]
        while waiting:
            folder, depth = waiting.pop()
            try:
                listing = os.scandir(folder)
            except OSError:
                continue
            for entry in listing:
                entries += 1
                if entries > MAX_ENTRIES or time.monotonic() > ends:
                    return states, False
                try:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.path != self.test_directory and not entry.name.startswith(".") and depth < MAX_DEPTH:
                            waiting.append((entry.path, depth + 1))
                    elif entry.is_file(follow_symlinks=False):
                        states[entry.path] = state_of(entry.stat(follow_symlinks=False))
                except OSError:
                    continue
        return states, True

    def states_of_named(self):
        """The states of the files that the arguments name; of one that is not there yet, None."""
        states = {}
        for path in self.named:
            if self.test_directory and path.startswith(self.test_directory + "/"):
                continue
            try:
                status = os.lstat(path)
            except OSError:
                states[path] = None
            else:
                if stat.S_ISREG(status.st_mode):
                    states[path] = state_of(status)
        return states

    def sealed(self, leave_out=()):
        """(what was written, as the document's `run.files` has it; how many files more were written)."""
        after, _is_whole = self.states()
        after.update((path, state) for path, state in self.states_of_named().items() if state is not None)
        streams = {}
        for number in STREAMS:
            now = stream_state(number)
            if (
                now
                and self.streams[number]
                and now[:2] == self.streams[number][:2]
                and now[2] > self.streams[number][2]
            ):
                streams.setdefault(now[:2], (self.streams[number][2], now[2], "/proc/self/fd/%d" % number))
        skipped = {os.path.realpath(path) for path in leave_out}
        written = [
            path
            for path in sorted(after)
            if path not in skipped and after[path][:2] not in streams and self.is_written(path, after[path])
        ]
        entries, total, left_over = [], 0, 0
        for first, end, place in streams.values():
            entry = sealed_file(place, self.shown_path(os.path.realpath(place)), first, end)
            left_over += entry is None
            entries += [entry] if entry else []
        for path in written:
            entry = None
            if len(entries) < MAX_FILES and total + after[path][2] <= MAX_TOTAL_BYTES:
                entry = sealed_file(path, self.shown_path(path))
            left_over += entry is None
            if entry:
                entries.append(entry)
                total += entry["bytes"]
        return entries, left_over

    def is_written(self, path, state):
        if path in self.before:
            return self.before[path] != state
        return self.is_whole or state[3] >= (self.started_s - CLOCK_SECONDS) * 1e9

    def shown_path(self, path):
        """A path below the folder, without names that could tell who; of another place only the file's name."""
        is_below = path.startswith(self.folder.rstrip("/") + "/")
        parts = os.path.relpath(path, self.folder).split("/") if is_below else [os.path.basename(path)]
        return "/".join(part if is_plain(part) else "_" for part in parts)[-400:]


def paths_of(argv):
    """Words of a command line that may be paths, and what stands behind an = in them."""
    words = [part for word in argv[:MAX_WORDS] for part in (word, word.partition("=")[2])]
    return [word for word in words if "/" in word and "\0" not in word and len(word) < 4096]


def is_plain(name):
    return bool(NAME.fullmatch(name)) and not leak_filter.is_identifying(name)


def state_of(status):
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def stream_state(number):
    """The state of the file that one of our streams goes to; None where it goes to none."""
    try:
        (sys.stdout if number == 1 else sys.stderr).flush()
        status = os.fstat(number)
    except (OSError, ValueError, AttributeError):
        return None
    return state_of(status) if stat.S_ISREG(status.st_mode) else None


def sealed_file(place, path, first=0, end=None):
    """{path, bytes, sha256} of a file, or of its bytes from `first` to `end`; None where it is too large or gone."""
    digest, size = hashlib.sha256(), 0
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(descriptor, "rb") as stream:
        stream.seek(first)
        for block in iter(lambda: stream.read(BLOCK_BYTES), b""):
            block = block if end is None else block[: end - first - size]
            digest.update(block)
            size += len(block)
            if size > MAX_FILE_BYTES:
                return None
            if end is not None and size >= end - first:
                break
    entry = {"path": path, "bytes": size, "sha256": digest.hexdigest()}
    return dict(entry, from_byte=first) if first else entry
