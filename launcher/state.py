"""The folder a command works in, and who is using it.

STATE/environment/   installed packages (elsewhere if HIGHWATER_VENV says so)
STATE/               what `up` and `manage` keep: postgres18/, valkey/, bundles/, mail/, logs/, secret_key
STATE/test/          the same for `test`
STATE/bench/         the same for `bench`
"""

import fcntl
import hashlib
import json
import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from launcher.console import LauncherError, say

CHECKOUT = Path(__file__).resolve().parent.parent
# sockaddr_un holds 108 bytes including the end; PostgreSQL's socket has the longer name of the two.
LONGEST_SOCKET_DIRECTORY = 107 - len("/postgres/.s.PGSQL.5432")


class ServicesRun(Exception):
    """Another launcher holds the folder and lets others use its services; `environment` reaches them."""

    def __init__(self, environment: dict[str, str]) -> None:
        super().__init__(environment)
        self.environment = environment


class State:
    """One folder of state; at most one launcher runs services in it at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def prepare(self) -> None:
        """Make the folder. Raises LauncherError where that is not possible."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LauncherError(f"cannot make the state folder {self.folder}: {error.strerror}") from error

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def preparation(self) -> Path:
        """The stamp of a database that has all migrations and data of this checkout."""
        return self.folder / "prepared"

    def forget_preparation(self) -> None:
        """To be called before anything else may change the database: the next start prepares it again."""
        self.preparation.unlink(missing_ok=True)

    def secret_key(self) -> str:
        """The key that signs sessions, made once and readable by its owner only."""
        path = self.folder / "secret_key"
        if not path.exists():
            new = path.with_suffix(f".{os.getpid()}")
            new.touch(mode=0o600)
            new.write_text(secrets.token_urlsafe(50))
            new.rename(path)
        return path.read_text()

    def sockets(self, *, reachable: bool = True) -> Path:
        """The folder of the Unix sockets: in the state if its path fits and others may enter, else in a private one."""
        usual = self.folder / "sockets"
        if reachable and len(os.fsencode(usual)) <= LONGEST_SOCKET_DIRECTORY:
            usual.mkdir(exist_ok=True)
            return usual
        return own_folder(Path(tempfile.gettempdir()), self.folder)

    @contextmanager
    def held(self, command: str, *, refuse: str | None = None, share: str | None = None) -> Iterator["Lock"]:
        """Hold the folder for as long as services run in it.

        Raises LauncherError if a launcher runs `refuse` in it, and ServicesRun once one that runs `share` is ready;
        waits for one that runs another command.
        """
        self.prepare()
        with (self.folder / "lock").open("a+") as file:
            is_announced = False
            while not _try_lock(file):
                holder = self.holder()
                if refuse is not None and holder.get("command") == refuse:
                    raise LauncherError(f"already running: ./dev.py {refuse} (process {holder['pid']}, {self.folder})")
                is_shared = share is not None and holder.get("command") == share
                if is_shared and holder["environment"]:
                    raise ServicesRun(holder["environment"])
                if holder and not is_announced:
                    what = "is ready" if is_shared else "has finished"
                    say(f"waiting until ./dev.py {holder['command']} (process {holder['pid']}) {what}")
                    is_announced = True
                time.sleep(0.2)
            lock = Lock(file, command)
            try:
                yield lock
            finally:
                lock.clear()

    def holder(self) -> dict[str, Any]:
        """What the launcher that holds the folder wrote about itself; empty if none does."""
        try:
            with (self.folder / "lock").open("r+") as file:
                if _try_lock(file):
                    return {}
                holder: dict[str, Any] = json.load(file)
                return holder
        except (FileNotFoundError, json.JSONDecodeError):
            return {}


class Lock:
    """The held lock; its file tells other launchers who holds it and, once they run, where the services are."""

    def __init__(self, file: TextIO, command: str) -> None:
        self.file = file
        self.command = command
        os.fchmod(file.fileno(), 0o600)
        self.publish(None)

    def publish(self, environment: dict[str, str] | None) -> None:
        """Say which settings reach the running services."""
        self.clear()
        json.dump({"pid": os.getpid(), "command": self.command, "environment": environment}, self.file)
        self.file.flush()

    def clear(self) -> None:
        self.file.seek(0)
        self.file.truncate()


def own_folder(parent: Path, of: Path) -> Path:
    """A folder of ours in a shared one such as /tmp, the same at every call for the same `of`.

    Raises LauncherError if somebody else made it first.
    """
    name = "highwater-" + hashlib.sha256(os.fsencode(of)).hexdigest()[:12]
    folder = parent / name
    folder.mkdir(mode=0o755, exist_ok=True)
    status = folder.lstat()
    if folder.is_symlink() or status.st_uid != os.geteuid():
        raise LauncherError(f"{folder} belongs to somebody else; choose another state folder with --state")
    folder.chmod(0o755)
    return folder


def _try_lock(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
