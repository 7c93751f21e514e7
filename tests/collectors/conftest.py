"""The collector as its users run it: a process of its own, under every Python that is here."""

import compileall
import contextlib
import fcntl
import io
import os
import pty
import shutil
import signal
import subprocess
import sys
import termios
import time
import zipfile
from pathlib import Path

import pytest

from launcher import collector_file
from tests.collectors.registry_peer import Peer, serving
from tests.collectors.warm import Warm

CHECKOUT = Path(__file__).resolve().parents[2]
MINORS = range(6, 14)
THIS_MINOR = sys.version_info[1]


def find_python(minor):
    """The path of Python 3.MINOR, from the running one, pyenv's versions or PATH; None where it is not here."""
    if sys.version_info[:2] == (3, minor):
        return sys.executable
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for candidate in sorted(versions.glob(f"3.{minor}.*/bin/python3.{minor}")):
        return str(candidate)
    on_path = shutil.which(f"python3.{minor}")
    works = on_path and subprocess.run([on_path, "--version"], capture_output=True).returncode == 0
    return on_path if works else None


def wait_until(true, seconds=60):
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends, f"not within {seconds} s"
        time.sleep(0.01)


@pytest.fixture(
    params=[pytest.param(minor, marks=[] if minor in (6, THIS_MINOR) else pytest.mark.deep) for minor in MINORS],
    ids=lambda minor: f"3.{minor}",
)
def every_python(request):
    """Each interpreter from 3.6 to 3.13 in turn; all but the oldest and the running one in deep runs alone."""
    python = find_python(request.param)
    if python is None:
        pytest.skip(f"Python 3.{request.param} is not installed here")
    return python


@pytest.fixture(
    params=[6, pytest.param(THIS_MINOR, marks=pytest.mark.deep if find_python(6) else [])],
    ids=lambda minor: f"3.{minor}",
)
def oldest_and_this_python(request):
    """For what takes time: Python 3.6, where most can go wrong; in deep runs also the one that runs the tests."""
    python = find_python(request.param)
    if python is None:
        pytest.skip(f"Python 3.{request.param} is not installed here")
    return python


@pytest.fixture(scope="session")
def collectors_alone(tmp_path_factory):
    """A folder with nothing of the project but the collector, as pip leaves it: the wheel, compiled.

    For this Python and the oldest, which most tests run: each process would compile it again, as none may write here.
    """
    folder = tmp_path_factory.mktemp("alone")
    with zipfile.ZipFile(io.BytesIO(collector_file.wheel()[1])) as wheel:
        wheel.extractall(folder)
    compileall.compile_dir(folder, quiet=1)
    if python := find_python(6):
        rules = "data/rules"  # for later ones only
        subprocess.run([python, "-m", "compileall", "-q", "-x", rules, folder / "collectors"], check=True)
    return folder


@pytest.fixture
def peer():
    with serving(Peer()) as server:
        yield server


def take_terminal():
    """Make standard input the terminal of this session, so that Ctrl-C reaches it."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def start_of(source):
    """The environment that Python reads at its start, with the collector in a folder."""
    return {"PYTHONPATH": str(source), "LC_ALL": "C"}


class Collector:
    """Runs the collector in an empty home, with its own temporary folder, so that leftovers are seen."""

    def __init__(self, tmp_path, source, warm):
        self.warm = warm
        self.cwd = tmp_path / "work"
        self.home = tmp_path / "home"
        self.scratch = tmp_path / "scratch"
        for folder in (self.cwd, self.home, self.scratch):
            folder.mkdir()
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(self.scratch),
            "no_proxy": "*",
            **start_of(source),
        }

    def start(self, *arguments, python=sys.executable, stdin=subprocess.DEVNULL):
        return subprocess.Popen(
            [python, "-B", "-m", "collectors", *map(str, arguments)],
            cwd=self.cwd,
            env=self.environ,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="surrogateescape",
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def __call__(self, *arguments, python=sys.executable, typed=None):
        """Run to the end; no run of any test may end in a traceback or leave a temporary file.

        `typed` comes on standard input, which is no terminal.
        """
        if python == sys.executable and self.warm.fits(self.environ):
            status, stdout, stderr = self.warm.run([*map(str, arguments)], self.environ, self.cwd, typed)
            return self._completed(arguments, status, stdout, stderr)
        stdin = subprocess.DEVNULL if typed is None else subprocess.PIPE
        process = self.start(*arguments, python=python, stdin=stdin)
        stdout, stderr = process.communicate(typed, timeout=600)
        return self._completed(arguments, process.returncode, stdout, stderr)

    def _completed(self, arguments, status, stdout, stderr):
        assert "Traceback" not in stderr, stderr
        assert list(self.scratch.iterdir()) == []
        return subprocess.CompletedProcess(arguments, status, stdout, stderr)

    def at_terminal(self, *arguments, answers=(), python=sys.executable):
        """Run at a terminal of its own, where a person answers: `answers` are (end of a prompt, what is typed).

        Each is typed once its prompt stands there. Returns the exit status and all that the terminal showed.
        """
        ours, theirs = pty.openpty()
        # A session of its own, else the terminal of who runs the tests would be asked.
        process = subprocess.Popen(
            [python, "-B", "-m", "collectors", *map(str, arguments)],
            cwd=self.cwd,
            env=self.environ,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=take_terminal,
        )
        os.close(theirs)
        output, waiting, answered = b"", list(answers), 0
        with contextlib.suppress(OSError):  # the other end is closed
            while block := os.read(ours, 4096):
                output += block
                if waiting and waiting[0][0].encode() in output[answered:]:
                    answered = len(output)
                    os.write(ours, waiting.pop(0)[1].encode())
        os.close(ours)
        status = process.wait(60)
        assert waiting == [], output
        assert b"Traceback" not in output
        return status, output.decode(errors="replace")

    def write_config(self, text, mode=0o600):
        path = self.home / ".config" / "highwater" / "config.ini"
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(mode)
        return path


@pytest.fixture(scope="session")
def warm(tmp_path_factory, collectors_alone):
    """The process of which runs with this Python are forked."""
    process = Warm(tmp_path_factory.mktemp("warm"), {"PATH": os.environ["PATH"], **start_of(collectors_alone)})
    yield process
    process.close()


@pytest.fixture
def collector(tmp_path, collectors_alone, warm):
    """The collector where nothing else of the project is installed, with no server set."""
    return Collector(tmp_path, collectors_alone, warm)


@pytest.fixture
def alice(collector, peer):
    """The collector of Alice, who has a token of the peer."""
    collector.environ.update(HIGHWATER_URL=peer.url, HIGHWATER_TOKEN="alice-token")
    return collector


@pytest.fixture
def results(tmp_path):
    """A result folder as a benchmark leaves it: files, a folder, a long name, a name beyond ASCII."""
    folder = tmp_path / "2025.10.01-09.00.00"
    (folder / "ior-easy").mkdir(parents=True)
    (folder / "result_summary.txt").write_text("[RESULT] BW phase 1 ior_easy_write 1.000 GiB/s : time 300.00 seconds\n")
    (folder / "result.txt").write_text("[run]\nprocs = 1\n")
    (folder / "ior-easy" / "write.txt").write_bytes(b"\0\xff" * 70000)
    (folder / ("long-" * 30 + ".txt")).write_text("x")
    (folder / "Prüfung.txt").write_text("ü")
    return folder
