"""The only way in: files below a root, commands and variables of a list; all of it bounded, nothing raised.

A node may be dying, hostile or recorded. Whatever is asked for comes back as an Input that has a text, or a reason
and no text.
"""

import errno
import fnmatch
import hashlib
import os
import re
import stat
import time
import unicodedata
from collections import namedtuple

from collectors.node import commands

KIB = 1024
FILE_LIMIT_BYTES = 64 * KIB
COMMAND_LIMIT_BYTES = 1024 * KIB
COMMAND_TIMEOUT_S = 2.0
# Everything a capture may take: a node that answers slowly gives what it gave until then.
CAPTURE_TIMEOUT_S = 12.0
MAX_LINKS = 40
MAX_ENTRIES = 100000
MAX_HASHED_BYTES = 512 * KIB * KIB

# First match wins.
SOURCES = (
    ("/sys/module/", "module"),
    ("/sys/kernel/debug/", "debugfs"),
    ("/sys/", "sysfs"),
    ("/proc/", "procfs"),
)

Input = namedtuple("Input", "text reason detail source status")
Input.__new__.__defaults__ = (None, "", "file", 0)
Input.__doc__ = """What one file or command gave: `text`, or `reason` (one of facts.REASONS) and `detail`.

`source` is a word of the document's `source`; `status` a command's exit status (minus the signal that ended it).
"""

REASON_BY_ERRNO = {
    errno.ENOENT: "not_applicable",
    errno.ENOTDIR: "not_applicable",
    # A driver says so where the device has no such value: the speed of a port that is down, for one.
    errno.EINVAL: "not_applicable",
    errno.ENODEV: "not_applicable",
    errno.EOPNOTSUPP: "not_applicable",
    errno.ENXIO: "not_applicable",
    errno.EACCES: "permission_denied",
    errno.EPERM: "permission_denied",
}

# Control sequences of a terminal first, or their printable ends would stay.
UNWANTED = re.compile("\x1b\\[[0-?]*[ -/]*[@-~]|[^\n\t\x20-\x7e\xa0-\U0010ffff]")
INVISIBLE = ("Cf", "Co", "Cs", "Zl", "Zp")


class NotAvailable(Exception):
    """A path leads nowhere below the root: `reason` and `detail` of the Input."""

    def __init__(self, reason, detail):
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class NodeAccess:
    """The node as the probes see it.

    `root` is read instead of /; `recorded` are commands to play (commands.Recorded) instead of running any. Another
    root without recorded commands runs none: the commands of this machine would tell of this machine.
    `test_directory` is where the benchmark writes, `benchmark_argv` its command line; None where not told.
    """

    def __init__(self, root="/", recorded=None, environment=None, test_directory=None, benchmark_argv=None):
        self.root = os.path.realpath(root)
        self.live = self.root == "/"
        self.user = os.getuid()
        self.recorded = recorded
        self.environment = commands.allowed_environment(os.environ if environment is None else environment)
        self.test_directory = test_directory
        self.benchmark_argv = benchmark_argv
        self.ends = time.monotonic() + CAPTURE_TIMEOUT_S
        self.folders = {"/": self.root}

    def seconds_left(self):
        return self.ends - time.monotonic()

    def file(self, path, limit=FILE_LIMIT_BYTES):
        """The Input of one regular file; `path` as on the node, `limit` in bytes."""
        source = source_of(path)
        if self.seconds_left() <= 0:
            return Input(None, "timeout", "the capture's time was over", source)
        try:
            data = self.content(path, limit + 1)
        except NotAvailable as gap:
            return Input(None, gap.reason, gap.detail, source)
        if len(data) > limit:
            return Input(None, "output_limit", "more than %d bytes" % limit, source)
        return Input(clean_text(data), None, "", source)

    def files(self, pattern, limit=FILE_LIMIT_BYTES, at_most=20000):
        """The Inputs of the files that match a pattern (* and ? within a name), by path, sorted."""
        inputs_by_path = {}
        for path in self.matching(pattern):
            if len(inputs_by_path) >= at_most:
                break
            inputs_by_path[path] = self.file(path, limit)
        return inputs_by_path

    def matching(self, pattern):
        """The paths that match a pattern, sorted within each folder."""
        paths = [""]
        for part in pattern.strip("/").split("/"):
            if is_pattern(part):
                paths = [path + "/" + name for path in paths for name in self.names(path) if matches(name, part)]
            else:
                paths = [path + "/" + part for path in paths]
        return [path for path in paths if self.exists(path)]

    def names(self, path):
        """What a folder holds, sorted; nothing where it is no folder or cannot be listed."""
        if self.seconds_left() <= 0:
            return []
        try:
            with os.scandir(self.resolved(path or "/")) as entries:
                names = [entry.name for entry, _ in zip(entries, range(MAX_ENTRIES))]
        except (NotAvailable, OSError):
            return []
        return sorted(names)

    def exists(self, path):
        try:
            return os.path.lexists(self.resolved(path))
        except NotAvailable:
            return False

    def link(self, path):
        """Where a path really lies, as a path on the node: /sys/class/net/ib0 is /sys/devices/.../net/ib0. Or None."""
        try:
            place = self.resolved(path)
        except NotAvailable:
            return None
        if not os.path.lexists(place):
            return None
        return "/" + os.path.relpath(place, self.root) if place != self.root else "/"

    def command(self, argv, limit=COMMAND_LIMIT_BYTES, timeout_s=COMMAND_TIMEOUT_S):
        """The Input of a command's standard output; `argv` a list whose first word is of commands.ALLOWED.

        Raises ValueError for any other command.
        """
        if argv[0] not in commands.ALLOWED:
            raise ValueError("not a command that a probe may run: " + argv[0])
        timeout_s = min(timeout_s, self.seconds_left())
        if timeout_s <= 0:
            return Input(None, "timeout", "the capture's time was over", "command")
        if self.recorded is not None:
            outcome = self.recorded.play(argv, limit, timeout_s)
        elif self.live:
            outcome = commands.run(argv, limit, timeout_s)
        else:
            outcome = commands.Outcome(b"", "", 127, "not_installed")
        return input_of(outcome)

    def space(self, path):
        """Size and free space of a file system as os.statvfs gives them; None where no live node is asked."""
        if not self.live:
            return None
        try:
            return os.statvfs(path)
        except OSError:
            return None

    def owner(self, path):
        """The number of the user to whom a file belongs; None where there is none or no live node is asked."""
        try:
            return os.stat(self.resolved(path)).st_uid if self.live else None
        except (NotAvailable, OSError):
            return None

    def modified(self, path):
        """When a file was last written, in seconds since 1970; None where there is none or no live node is asked."""
        try:
            return os.stat(self.resolved(path)).st_mtime if self.live else None
        except (NotAvailable, OSError):
            return None

    def program(self, name):
        """Where the user's PATH has a program, or None; a name with a slash is looked for where it says.

        A folder, or a line of a script with a slash in it, is no program.
        """
        folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
        places = [os.path.join(folder, name) for folder in folders if os.path.isabs(folder)]
        for place in [os.path.abspath(name)] if "/" in name else places:
            if os.path.isfile(place) and os.access(place, os.X_OK):
                return place
        return None

    def sha256(self, path, limit=MAX_HASHED_BYTES):
        """The hexadecimal sha256 of a file on the node as an Input."""
        try:
            descriptor = self.opened(path)
        except NotAvailable as gap:
            return Input(None, gap.reason, gap.detail)
        digest, size = hashlib.sha256(), 0
        with open(descriptor, "rb") as stream:
            for block in iter(lambda: stream.read(KIB * KIB), b""):
                digest.update(block)
                size += len(block)
                if size > limit or self.seconds_left() <= 0:
                    return Input(None, "output_limit", "more than %d bytes" % limit)
        return Input(digest.hexdigest())

    def content(self, path, limit):
        """Up to `limit` bytes of a regular file. Raises NotAvailable where there is none, or it cannot be read."""
        descriptor = self.opened(path)
        try:
            blocks, remaining_bytes = [], limit
            while remaining_bytes > 0:
                block = os.read(descriptor, remaining_bytes)
                if not block:
                    break
                blocks.append(block)
                remaining_bytes -= len(block)
            return b"".join(blocks)
        except OSError as error:
            raise gap_of(error)
        finally:
            os.close(descriptor)

    def first_bytes(self, path, limit):
        """As content; no bytes where there is no such file, or it cannot be read."""
        try:
            return self.content(path, limit)
        except NotAvailable:
            return b""

    def opened(self, path):
        """A descriptor of a regular file; opening waits for nobody, so a FIFO does not hold us.

        Raises NotAvailable where there is none or it cannot be opened.
        """
        try:
            descriptor = os.open(self.resolved(path), os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError as error:
            raise gap_of(error)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise NotAvailable("parse_error", "not a regular file")
        return descriptor

    def resolved(self, path):
        """Where a node's path lies on this machine, every link on the way followed below the root.

        Raises NotAvailable where that takes more than MAX_LINKS links.
        """
        folder, _, name = ("/" + path.strip("/")).rpartition("/")
        place = self.folders.get(folder or "/")
        if place is None:
            place = self.followed(folder)
            self.folders[folder] = place
        if not name:
            return place
        final = os.path.join(place, name)
        return self.followed("/" + os.path.relpath(final, self.root)) if os.path.islink(final) else final

    def followed(self, path):
        """The real place of a path below the root. Absolute links start at the root, `..` stops there.

        Raises NotAvailable for more than MAX_LINKS links.
        """
        pending, place, links = path.strip("/").split("/"), self.root, 0
        while pending:
            name = pending.pop(0)
            if name in ("", "."):
                continue
            if name == "..":
                place = os.path.dirname(place) if place != self.root else place
                continue
            step = os.path.join(place, name)
            if not os.path.islink(step):
                place = step
                continue
            links += 1
            if links > MAX_LINKS:
                raise NotAvailable("parse_error", "too many links")
            target = os.readlink(step)
            place = self.root if target.startswith("/") else place
            pending = target.strip("/").split("/") + pending
        return place


def source_of(path):
    return next((source for start, source in SOURCES if path.startswith(start)), "file")


def is_pattern(part):
    return "*" in part or "?" in part


def matches(name, part):
    return fnmatch.fnmatchcase(name, part.replace("[", "[[]"))


def gap_of(error):
    reason = REASON_BY_ERRNO.get(error.errno, "parse_error")
    return NotAvailable(reason, error.strerror or "cannot be read")


def input_of(outcome):
    """A command's Outcome as an Input. Output counts even if the exit status is not 0: many tools warn that way."""
    if outcome.reason:
        return Input(None, outcome.reason, outcome.message, "command", outcome.status)
    if outcome.status and not outcome.output.strip():
        denied = any(
            words in outcome.message.lower() for words in ("permission denied", "not permitted", "must be root")
        )
        ended = "exit status %d" % outcome.status if outcome.status > 0 else "ended by signal %d" % -outcome.status
        failed = "parse_error" if outcome.status < 0 else "not_applicable"
        return Input(None, "permission_denied" if denied else failed, ended, "command", outcome.status)
    return Input(clean_text(outcome.output), None, "", "command", outcome.status)


def clean_text(data):
    """Bytes as text without what misleads a terminal, a page or a reader: control sequences, invisible characters."""
    try:
        return UNWANTED.sub("", data.decode("ascii"))
    except UnicodeDecodeError:
        text = UNWANTED.sub("", data.decode("utf-8", "replace"))
        return "".join(character for character in text if unicodedata.category(character) not in INVISIBLE)
