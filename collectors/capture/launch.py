"""The same capture on many nodes: the site's own launcher starts it, what the nodes print is folded.

Nodes that hang, die or print something else are counted with the reason; nothing that was started outlives us.
"""

import os
import re
import selectors
import shlex
import signal
import subprocess
import sys
import time
from collections import OrderedDict, deque

from collectors.capture.launcher_output import LauncherOutput
from collectors.document.fold import CRASHED, PYTHON_MISSING, TIMEOUT, UNREACHABLE
from collectors.errors import UsageError
from collectors.node import commands

LAUNCHERS = ("srun", "mpirun", "pdsh", "clush", "ssh")
# What stands before a line of theirs is a rank; the others tell the node.
RANK_LAUNCHERS = ("srun", "mpirun")
NODE_TIMEOUT_S = 60.0
# Connections that are open at once: sshd refuses more than a few that begin together, login nodes limit processes.
AT_ONCE = 32
CONNECT_TIMEOUT_S = 10
MAX_BYTES_PER_NODE = 1024 * 1024
# Several documents may share a line where mpirun tags the pieces of each.
MAX_LINE_BYTES = 4 * 1024 * 1024
# MPICH, MVAPICH and Intel MPI start by Hydra, which refuses Open MPI's options.
HYDRA = re.compile(rb"^(?:HYDRA|Intel\(R\) MPI|MVAPICH)", re.MULTILINE)
VERSION_TIMEOUT_S = 10.0
# How much of a launcher's own words is passed on where it brought less than was asked of it.
MAX_LAUNCHER_LINES = 10
# ssh's own word for a connection that failed.
SSH_FAILED = 255

# The rank within its node, as launchers tell it. A batch step's own 0 may stand beside an inner launcher's number.
LOCAL_RANKS = (
    "SLURM_LOCALID",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "MPI_LOCALRANKID",
    "PMI_LOCAL_RANK",
    "PALS_LOCAL_RANKID",
    "FLUX_TASK_LOCAL_ID",
    "JSM_NAMESPACE_LOCAL_RANK",
)


def is_first_on_node(environ):
    """Whether this process speaks for its node: no launcher says that another rank was started before it."""
    return all(environ.get(name, "0") == "0" for name in LOCAL_RANKS)


def this_collector():
    """The command that runs this very collector on a node: the single file, or the package where it lies here."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    container = os.path.dirname(package)
    if os.path.isfile(container):
        return [sys.executable, "-I", "-S", container]
    return ["env", "PYTHONPATH=" + container, sys.executable, "-m", "collectors"]


def command_lines(launcher, nodes, command):
    """{label: argv}: what to start here so that `command` runs once on each node.

    Labels are node names for ssh, which is started once for each node; the others are started once, labelled None.
    ssh, pdsh and clush hand one text to a shell of the node, so every word is quoted; srun and mpirun hand on a list.
    """
    count = str(len(nodes))
    listed = ",".join(nodes)
    text = " ".join(shlex.quote(word) for word in command)
    if launcher == "ssh":
        options = ["-n", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=%d" % CONNECT_TIMEOUT_S]
        return OrderedDict((node, ["ssh"] + options + [node, text]) for node in nodes)
    if launcher == "srun":
        tasks = ["--nodes=" + count, "--ntasks=" + count, "--ntasks-per-node=1", "--nodelist=" + listed]
        return {None: ["srun"] + tasks + ["--label"] + command}
    if launcher == "mpirun":
        if is_hydra():
            return {None: ["mpirun", "-np", count, "-hosts", listed, "-ppn", "1", "-prepend-rank"] + command}
        return {None: ["mpirun", "-np", count, "--host", listed, "--map-by", "ppr:1:node", "--tag-output"] + command}
    if launcher == "pdsh":
        # pdsh is mostly built to use rsh, which nobody answers any more.
        by = [] if os.environ.get("PDSH_RCMD_TYPE") else ["-R", "ssh"]
        return {None: ["pdsh"] + by + ["-f", str(AT_ONCE), "-t", str(CONNECT_TIMEOUT_S), "-w", listed, text]}
    return {None: ["clush", "-f", str(AT_ONCE), "-t", str(CONNECT_TIMEOUT_S), "-w", listed, text]}


def is_hydra():
    """Whether the mpirun of this PATH is Hydra, as its version text tells. Raises UsageError where there is none."""
    child = start_process(["mpirun", "--version"])
    try:
        output, _message, _reason = commands.listen(child, commands.PIPE_BYTES, VERSION_TIMEOUT_S)
    finally:
        commands.stop(child)
    return bool(HYDRA.search(output))


def start_process(argv):
    """A process in a session of its own. Raises UsageError `collector.launcher` where it cannot be started."""
    try:
        return subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
    except OSError as error:
        raise UsageError(
            "collector.launcher",
            "%s cannot be started: %s" % (argv[0], error.strerror),
            "Load its module, or choose another --launcher.",
        )


def gather(launcher, nodes, command, fold, pseudonym, progress, node_timeout_s=NODE_TIMEOUT_S):
    """Run `command` on every node and give what they print to `fold`, failures included.

    `pseudonym` is what a node's name becomes in the document. Raises UsageError where the launcher is not installed.
    """
    launched = LaunchPool(launcher, fold, pseudonym, progress, len(nodes))
    waiting = deque(command_lines(launcher, nodes, command).items())
    # pdsh and clush work through their nodes in rounds.
    rounds = 1 if launcher == "ssh" else -(-len(nodes) // AT_ONCE)
    try:
        while waiting or launched.running:
            while waiting and len(launched.running) < AT_ONCE:
                label, argv = waiting.popleft()
                share = len(nodes) if label is None else 1
                launched.start(label, argv, node_timeout_s * rounds, share * MAX_BYTES_PER_NODE)
            launched.look()
    finally:
        launched.end_all()
    launched.finish(nodes)


class LaunchedProcess:
    """One started process, until when it may run, and what it has said so far."""

    def __init__(self, label, process, deadline, bytes_left):
        self.label = label
        self.process = process
        self.deadline = deadline
        self.bytes_left = bytes_left
        self.pending = {process.stdout: b"", process.stderr: b""}


class LaunchPool:
    """The processes under way, and what came of those that ended."""

    def __init__(self, launcher, fold, pseudonym, progress, expected):
        self.launcher = launcher
        self.fold = fold
        self.pseudonym = pseudonym
        self.progress = progress
        self.expected = expected
        self.selector = selectors.DefaultSelector()
        self.running = []
        self.answered = set()
        self.reasons = {}
        self.emitted = LauncherOutput(self.take)

    def start(self, label, argv, timeout_s, max_bytes):
        process = start_process(argv)
        job = LaunchedProcess(label, process, time.monotonic() + timeout_s, max_bytes)
        for stream in (process.stdout, process.stderr):
            os.set_blocking(stream.fileno(), False)
            self.selector.register(stream, selectors.EVENT_READ, job)
        self.running.append(job)

    def look(self):
        """Read what there is to read, end what is late, and put away what has ended."""
        now = time.monotonic()
        wait_s = max(0.0, min([0.2] + [job.deadline - now for job in self.running]))
        for key, _events in self.selector.select(wait_s):
            self.read(key.data, key.fileobj)
        for job in list(self.running):
            if time.monotonic() >= job.deadline:
                self.end(job, TIMEOUT)
            elif has_ended(job.process):
                self.drain(job)
                self.end(job, None)
        self.progress.update("%d of %d nodes reported" % (self.fold.reported, self.expected))

    def read(self, job, stream):
        """Take one piece of output. Returns whether there may be more."""
        try:
            data = os.read(stream.fileno(), 65536)
        except BlockingIOError:
            return False
        job.bytes_left -= len(data)
        if not data or job.bytes_left < 0:
            self.selector.unregister(stream)
            self.feed(job, stream, b"\n")
            stream.close()
            return False
        self.feed(job, stream, data)
        return True

    def feed(self, job, stream, data):
        *complete_lines, rest = (job.pending[stream] + data).split(b"\n")
        if len(rest) > MAX_LINE_BYTES:
            complete_lines, rest = complete_lines + [rest], b""
        job.pending[stream] = rest
        for line in complete_lines:
            text = line.decode("utf-8", "replace")
            if job.label is None:
                self.emitted.feed(text)
            else:
                self.emitted.piece(job.label, text)

    def drain(self, job):
        """Read what an ended process left in its pipes; a grandchild that holds them open is not waited for."""
        for stream in (job.process.stdout, job.process.stderr):
            while not stream.closed and self.read(job, stream):
                pass

    def end(self, job, reason):
        """Put a process away, with everything that it started here."""
        self.running.remove(job)
        for stream in (job.process.stdout, job.process.stderr):
            if not stream.closed:
                self.selector.unregister(stream)
                self.feed(job, stream, b"\n")
                stream.close()
        kill_group(job.process)
        status = job.process.wait()
        if reason is None and status == SSH_FAILED and job.label is not None:
            reason = UNREACHABLE
        if reason is not None:
            self.reasons[job.label] = reason
        elif status:
            self.reasons[job.label] = CRASHED

    def end_all(self):
        for job in self.running:
            kill_group(job.process)
            job.process.wait()
        self.running = []
        self.selector.close()

    def take(self, document, label):
        if label is None or label not in self.answered:
            self.answered.add(label)
            ranked = self.launcher in RANK_LAUNCHERS
            name = "rank-" + label if ranked and label is not None else label and self.pseudonym(label)
            self.fold.add(document, name, named=not ranked)

    def finish(self, nodes):
        """Count every node that gave no document, with the best reason there is."""
        self.emitted.finish()
        reasons_by_label = dict(self.emitted.failures())
        if self.launcher in RANK_LAUNCHERS:
            failures = self.of_ranks(nodes, reasons_by_label)
        else:
            silent = [node for node in nodes if node not in self.answered]
            failures = [(node, self.reason_of(node, reasons_by_label.get(node))) for node in silent]
        # A launcher that calls a node otherwise than the user does must not make it fail beside its own document.
        lacking = len(nodes) - self.fold.reported - len(self.fold.failures)
        for node, reason in failures[: max(0, lacking)]:
            self.fold.fail(self.pseudonym(node), reason)
        if self.fold.failures:
            self.tell()

    def tell(self):
        """Pass on what the launcher itself said: it knows best why it refuses, such as to run as root."""
        for line in self.emitted.of_nobody()[:MAX_LAUNCHER_LINES]:
            self.progress.note("%s says: %s" % (self.launcher, line))

    def of_ranks(self, nodes, reasons_by_label):
        """(node, reason) where the launcher told ranks and no names: who is missing shows by the pseudonyms."""
        lacking = len(nodes) - self.fold.reported - len(self.fold.failures)
        silent = [node for node in nodes if not self.fold.seen & {self.pseudonym(node), self.pseudonym(short(node))}]
        if len(silent) != lacking:
            named = [node for node in nodes if node in reasons_by_label]
            silent = named[:lacking] + ["rank-%d" % number for number in range(1, lacking - len(named) + 1)]
        reasons = [reason for label, reason in sorted(reasons_by_label.items(), key=str) if str(label).isdigit()]
        reasons += [self.reason_of(None, reasons_by_label.get(None))] * lacking
        of_others = iter(reasons)
        return [(node, reasons_by_label.get(node) or next(of_others)) for node in silent]

    def reason_of(self, label, stated_reason):
        """What was said of the connection tells most; then late is late; then other words, and how it ended."""
        if stated_reason in (UNREACHABLE, PYTHON_MISSING):
            return stated_reason
        ended = self.reasons.get(label) or self.reasons.get(None)
        return TIMEOUT if ended == TIMEOUT else stated_reason or ended or CRASHED


def short(name):
    return name.partition(".")[0]


def has_ended(process):
    """Whether a process has ended; it stays unreaped, so that its number still names its group."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def kill_group(process):
    """End a process and its whole group, whatever they do about signals."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
