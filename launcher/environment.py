"""The project's Python environment: a venv with exactly the pinned packages, made once and then left alone."""

import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from launcher.console import LauncherError, say
from launcher.processes import spawn
from launcher.state import CHECKOUT

RUNTIME, LOCAL, DEVELOPMENT = "requirements", "requirements-local", "requirements-dev"
INSTALL = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps")


class Environment:
    """A venv in `folder`. A stamp beside each installed list makes a second start need neither pip nor network."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / "bin" / "python"
        # The wheels of PostgreSQL and Valkey. Beside the packages, not among them: their Python code is never run.
        self.servers = folder / "servers"

    def variables(self) -> dict[str, str]:
        """The caller's environment with this venv in front, as its activation script would leave it."""
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONHOME"}
        variables["VIRTUAL_ENV"] = str(self.folder)
        variables["PATH"] = os.pathsep.join([str(self.folder / "bin"), os.environ.get("PATH", os.defpath)])
        return variables

    def install(self, *lists: str) -> None:
        """Make the venv and install the lists, unless that is done. Raises LauncherError with pip's last words.

        LOCAL may fail, as it does where no wheel fits the machine: the system's servers are looked for next.
        """
        if all(self._has(name) for name in lists):
            return
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        with self.folder.with_name(f"{self.folder.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self._works():
                self._create()
            missing = [name for name in lists if not self._has(name)]
            # Servers and packages go to different places and install side by side; development builds on the latter.
            self._install_together([name for name in missing if name != DEVELOPMENT])
            self._install_together([name for name in missing if name == DEVELOPMENT])

    def _create(self) -> None:
        if importlib.util.find_spec("ensurepip") is None:
            raise LauncherError("Python's venv module is missing; as root: apt-get install python3-venv")
        say(f"making the environment in {self.folder} (first start only)")
        _wait(spawn([sys.executable, "-m", "venv", "--clear", str(self.folder)]), "the environment could not be made")

    def _install_together(self, lists: Sequence[str]) -> None:
        if lists:
            say("installing " + " and ".join(f"{name}.txt" for name in lists))
        started = {name: self._pip(name) for name in lists}
        for name, pip in started.items():
            output, _ = pip.communicate()
            if pip.returncode == 0:
                self._stamp(name).write_text(self._fingerprint(name))
            elif name == LOCAL:
                say(f"{name}.txt does not install here; looking for the system's servers\n{_last_lines(output)}")
            else:
                raise LauncherError(f"{name}.txt could not be installed:\n{_last_lines(output)}")

    def _pip(self, name: str) -> subprocess.Popen[str]:
        argv: list[str | Path] = [self.python, *INSTALL, "--require-hashes", "-r", CHECKOUT / f"{name}.txt"]
        if name == LOCAL:
            shutil.rmtree(self.servers, ignore_errors=True)
            argv += ["--target", self.servers]
        return spawn(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def _works(self) -> bool:
        return self.python.exists() and any(self.folder.glob("*.installed"))

    def _has(self, name: str) -> bool:
        stamp = self._stamp(name)
        return self.python.exists() and stamp.exists() and stamp.read_text() == self._fingerprint(name)

    def _stamp(self, name: str) -> Path:
        return self.folder / f"{name}.installed"

    def _fingerprint(self, name: str) -> str:
        """What the installed packages depend on: the pins, the place (scripts name it) and the interpreter."""
        pins = hashlib.sha256((CHECKOUT / f"{name}.txt").read_bytes()).hexdigest()
        return f"{pins} {self.folder} {os.path.realpath(self.python)}"


def _wait(process: subprocess.Popen[Any], otherwise: str) -> None:
    if process.wait() != 0:
        raise LauncherError(otherwise)


def _last_lines(output: str, lines: int = 8) -> str:
    return "\n".join(output.strip().splitlines()[-lines:])
