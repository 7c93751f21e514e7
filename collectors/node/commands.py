"""Commands that a probe may run: a fixed list, no shell, an own session, a deadline, a limit; or a recording."""

import json
import os
import re
import selectors
import signal
import stat
import subprocess
import time
from collections import namedtuple

from collectors.errors import UsageError
from collectors.node import io_environment

# Reading tools only. None of them changes anything with the arguments that the probes give.
ALLOWED = frozenset(
    """
    beegfs beegfs-ctl ceph cpupower crm_mon cxi_stat daos df dmg dmidecode dpkg-query ethtool ibstat ip lctl lfs
    lnetctl lsblk lscpu lspci mdadm mmfsadm mmlscluster mmlsconfig mmlsdisk mmlsfs modinfo multipath
    numactl nvidia-smi nvme ofed_info rdma rpm smartctl sysctl tuned-adm uname weka zpool
    """.split()
)

# Never the user's PATH, which may name anything.
FOLDERS = (
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/lpp/mmfs/bin",
    "/opt/beegfs/sbin",
)
ENVIRONMENT = {"PATH": ":".join(FOLDERS), "LC_ALL": "C", "LANG": "C", "HOME": "/nonexistent", "TERM": "dumb"}
MESSAGE_LIMIT_BYTES = 4096
SECONDS_TO_REAP = 0.2
PIPE_BYTES = 64 * 1024
MAX_RECORDING_BYTES = 64 * 1024 * 1024

# What a job's environment may tell of the run; every other variable stays unread.
ALLOWED_VARIABLES = io_environment.NAMES | frozenset(
    """
    SLURM_JOB_NUM_NODES SLURM_NNODES SLURM_NTASKS SLURM_NPROCS SLURM_NTASKS_PER_NODE SLURM_TASKS_PER_NODE
    SLURM_JOB_EXCLUSIVE SLURM_LOCALID SLURM_PROCID PBS_NUM_NODES PBS_NUM_PPN PBS_NP PBS_TASKNUM FLUX_JOB_NNODES
    FLUX_JOB_SIZE FLUX_TASK_LOCAL_ID LSB_DJOB_NUMPROC LSB_MCPU_HOSTS JSM_NAMESPACE_SIZE JSM_NAMESPACE_LOCAL_SIZE
    OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_SIZE OMPI_COMM_WORLD_LOCAL_RANK OMPI_COMM_WORLD_RANK PMI_SIZE
    PMI_RANK PMI_LOCAL_SIZE PMI_LOCAL_RANK PALS_LOCAL_RANKID PALS_NODEID MPI_LOCALNRANKS MPI_LOCALRANKID
    MPICH_MPIIO_HINTS ROMIO_HINTS DAOS_POOL DAOS_CONT CUFILE_ENV_PATH_JSON LD_PRELOAD
    """.split()
)
MAX_VARIABLE_CHARACTERS = 2048
# Control sequences of a terminal, whose ends are printable.
TERMINAL = re.compile("\x1b\\[[0-?]*[ -/]*[@-~]")

Outcome = namedtuple("Outcome", "output message status reason")
Outcome.__doc__ = """What a command did: standard output (bytes), the begin of standard error (text), exit status
(negative: the signal that ended it), and why it counts for nothing (one of facts.REASONS) or None."""


def allowed_environment(environment):
    """The variables of ALLOWED_VARIABLES that are set, and IOR's of MPI-IO hints; printable and short."""
    names = {name for name in environment if name in ALLOWED_VARIABLES or io_environment.HINT.fullmatch(name)}
    return {
        name: "".join(c for c in TERMINAL.sub("", environment[name]) if c.isprintable())[:MAX_VARIABLE_CHARACTERS]
        for name in sorted(names)
    }


def find(name):
    """The path of an allowed command, or None. One that runs with another user's rights is not taken."""
    for folder in FOLDERS:
        place = os.path.join(folder, name)
        try:
            status = os.stat(place)
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode) and os.access(place, os.X_OK):
            return None if status.st_mode & (stat.S_ISUID | stat.S_ISGID) else place
    return None


def run(argv, limit, timeout_s):
    """Run a command for at most `timeout_s` seconds and `limit` bytes; what outlives that is killed and left."""
    place = find(argv[0])
    if place is None:
        return Outcome(b"", "", 127, "not_installed")
    try:
        child = subprocess.Popen(
            argv,
            executable=place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env=ENVIRONMENT,
            cwd="/",
        )
    except OSError as error:
        denied = isinstance(error, PermissionError)
        return Outcome(b"", error.strerror or "", 126, "permission_denied" if denied else "not_installed")
    try:
        output, message, reason = listen(child, limit, timeout_s)
    finally:
        stop(child)
    return Outcome(output, message.decode("utf-8", "replace"), child.returncode or 0, reason)


def listen(child, limit, timeout_s):
    """Read both pipes until the child has ended, the limit is passed or the time is over.

    The end of the child counts, not the end of its pipes: a grandchild may hold those open for ever.
    """
    ends = time.monotonic() + timeout_s
    heard = {child.stdout: b"", child.stderr: b""}
    with selectors.DefaultSelector() as selector:
        for pipe in heard:
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, selectors.EVENT_READ)
        while True:
            ended = child.poll() is not None
            drain(selector, heard, 0 if ended else 0.02)
            if max(map(len, heard.values())) > limit:
                return b"", b"", "output_limit"
            if ended or not selector.get_map():
                break
            if time.monotonic() > ends:
                return b"", b"", "timeout"
    if child.poll() is None:
        try:
            child.wait(max(0.0, ends - time.monotonic()))
        except subprocess.TimeoutExpired:
            return b"", b"", "timeout"
    return heard[child.stdout], heard[child.stderr][:MESSAGE_LIMIT_BYTES], None


def drain(selector, heard, wait_s):
    """Take what the pipes have now; one read empties a pipe."""
    for key, _events in selector.select(wait_s):
        block = os.read(key.fd, PIPE_BYTES)
        heard[key.fileobj] += block
        if not block:
            selector.unregister(key.fileobj)


def stop(child):
    """End the child's whole session and close our ends. What cannot be killed is left to the kernel."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except OSError:
        pass
    try:
        child.wait(SECONDS_TO_REAP)
    except subprocess.TimeoutExpired:
        pass
    child.stdout.close()
    child.stderr.close()


class Recorded:
    """Commands played from a recording instead of run: `{"commands": [{"argv", "rc", "stdout_file", "stderr"}]}`."""

    def __init__(self, path):
        self.folder = os.path.dirname(os.path.abspath(path))
        try:
            with open(path, encoding="utf-8") as stream:
                entries = json.load(stream)["commands"]
            self.entries = [entry for entry in entries if isinstance(entry["argv"], list)]
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            raise UsageError("collector.commands", path + " is no recording of commands.", "Give a commands.json.")

    def play(self, argv, limit, timeout_s):
        """The Outcome of the recorded command with this argv, else with one that begins alike, else not installed."""
        entry = next((entry for entry in self.entries if entry["argv"] == argv), None)
        entry = entry or next((entry for entry in self.entries if begins_alike(entry["argv"], argv)), None)
        if entry is None:
            return Outcome(b"", "", 127, "not_installed")
        if entry.get("delay_s", 0) > timeout_s:
            return Outcome(b"", "", -signal.SIGKILL, "timeout")
        output = self.output(entry)
        if len(output) > limit or entry.get("generate", {}).get("bytes", 0) > limit:
            return Outcome(b"", "", -signal.SIGKILL, "output_limit")
        status = int(entry.get("rc", 0))
        return Outcome(output, str(entry.get("stderr", "")), 128 - status if status > 128 else status, None)

    def output(self, entry):
        if "stdout_file" not in entry:
            return str(entry.get("stdout", "")).encode("utf-8", "replace")
        place = os.path.realpath(os.path.join(self.folder, entry["stdout_file"]))
        if not place.startswith(self.folder + os.sep):
            return b""
        try:
            with open(place, "rb") as stream:
                return stream.read(MAX_RECORDING_BYTES)
        except OSError:
            return b""


def begins_alike(recorded, argv):
    shorter = min(len(recorded), len(argv))
    return recorded[:shorter] == argv[:shorter]
