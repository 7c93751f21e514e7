"""A registry as on several machines, all on loopback: the services that a site would use, and the deployed files.

PostgreSQL with a replica, PgBouncer, Valkey with TLS, nginx, two webs, a web of readers on the replica, three workers,
a prompt worker and two schedulers. Their commands are those of deploy/systemd, the way to them is deploy/nginx.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from launcher import databases
from tests.running import OF_THE_TESTS, ROOT, free_port, wait_until

HOST, READERS = "registry.example.org", "read.registry.example.org"
RESTART_S = 2.0
"""As `RestartSec` of the units says."""
WEBS = ("web 1", "web 2")
REPLICA_WEB = "web of readers"
WORKERS = ("worker 1", "worker 2", "worker 3")
OTHERS = ("prompt", "scheduler 1", "scheduler 2")
SERVICES = ("nginx", "pgbouncer", "valkey", "replica", "primary")
SYSTEM_POSTGRES = Path("/usr/lib/postgresql")
SERVER_LINE = re.compile(r"server 127\.0\.0\.1:(\d{4})")


def missing_programs() -> list[str]:
    """What this machine lacks for the drill, by name."""
    names = [name for name in ("nginx", "pgbouncer", "openssl", "redis-server") if find_program(name) is None]
    return names if any(SYSTEM_POSTGRES.glob("*/bin/pg_basebackup")) else [*names, "pg_basebackup"]


def find_program(name: str) -> str | None:
    return shutil.which(name, path=os.pathsep.join([os.environ["PATH"], "/usr/sbin"]))


@dataclass
class Part:
    """A program that is started again two seconds after its end, as systemd would."""

    name: str
    argv: Sequence[str | Path]
    environment: Mapping[str, str]
    log: Path
    account: databases.Account | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    process: subprocess.Popen[bytes] | None = None
    stopping: bool = False
    ended_at: float = field(default=0.0)

    def start(self) -> None:
        owner = {"user": self.account.user, "group": self.account.group, "extra_groups": []} if self.account else {}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.argv, env=self.environment, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, **owner,
            )  # fmt: skip
        self.ended_at = 0.0

    def kill(self) -> None:
        """End it at once, with all its processes."""
        assert self.process is not None
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def restart(self) -> None:
        """Ask it to stop, wait until it has, start it again: what `systemctl restart` does."""
        assert self.process is not None
        self.stopping = True
        self.process.send_signal(self.stop_signal)
        self.process.wait(180)
        self.start()
        self.stopping = False

    def start_if_ended(self, now: float) -> None:
        """Start it again once it has been gone for long enough."""
        if self.stopping or self.process is None or self.process.poll() is None:
            return
        self.ended_at = self.ended_at or now
        if now - self.ended_at >= RESTART_S:
            self.start()


class Machines:
    """All parts of the registry, its addresses, and how each is asked whether it is there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        names = ("primary", "replica", "pgbouncer", "valkey", "https", "http", *WEBS, REPLICA_WEB)
        self.ports = {name: free_port() for name in names}
        self.account = databases.unprivileged_account()
        self.parts: dict[str, Part] = {}
        self.closing = threading.Event()
        for name in ("logs", "state", "static", "nginx", "counts"):
            (folder / name).mkdir()
        make_certificate(folder)
        self.trust = ssl.create_default_context(cafile=str(folder / "certificate.pem"))

    # Services

    def start_databases(self) -> None:
        """The primary with its tables, then a replica of it."""
        for name in ("sockets", "primary.parent"):
            databases.make_private(self.folder / name, self.account)
        binaries = max(SYSTEM_POSTGRES.glob("*/bin"), key=lambda path: int(path.parent.name))
        primary, replica = self.folder / "primary.parent" / "data", self.folder / "primary.parent" / "replica"
        databases.create_cluster(primary, binaries, self.account)
        self._start_postgres("primary", primary, binaries)
        copied = databases.run_as(
            self.account,
            [binaries / "pg_basebackup", "--pgdata", replica, "--write-recovery-conf", "--wal-method", "stream",
             "--host", "127.0.0.1", "--port", str(self.ports["primary"]), "--username", databases.ROLE,
             "--create-slot", "--slot", "replica", "--checkpoint", "fast"],
        )  # fmt: skip
        assert copied.returncode == 0, copied.stdout
        self._start_postgres("replica", replica, binaries)

    def _start_postgres(self, name: str, data: Path, binaries: Path) -> None:
        options = {
            "listen_addresses": "127.0.0.1", "port": self.ports[name], "wal_level": "replica", "max_connections": 200,
            "unix_socket_directories": self.folder / "sockets", "timezone": "UTC", "max_standby_streaming_delay": "5s",
        }  # fmt: skip
        settings = [word for key, value in options.items() for word in ("-c", f"{key}={value}")]
        argv = [binaries / "postgres", "-D", data, *settings]
        self._add(Part(name, argv, os.environ, self._log(name), self.account, signal.SIGINT))
        wait_until(lambda: self.reaches_database(name), f"{name} to answer")

    def reaches_database(self, name: str) -> bool:
        """Whether the primary, the replica or the pooler answers a statement."""
        try:
            with psycopg.connect(self.database_url(name), connect_timeout=2, autocommit=True) as connection:
                return connection.execute("SELECT 1").fetchone() == (1,)
        except psycopg.Error:
            return False

    def database_url(self, name: str, user: str = databases.ROLE) -> str:
        return f"postgresql://{user}@127.0.0.1:{self.ports[name]}/{databases.DATABASE}"

    def start_pgbouncer(self) -> None:
        """In session mode, the one that the registry accepts."""
        lines = [
            f"[databases]\n{databases.DATABASE} = host=127.0.0.1 port={self.ports['primary']}",
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {self.ports['pgbouncer']}\nunix_socket_dir =",
            f"auth_type = trust\nauth_file = {self.folder / 'users.txt'}\npool_mode = session",
            "max_client_conn = 500\ndefault_pool_size = 150\nignore_startup_parameters = extra_float_digits,options",
        ]
        if self.account is not None:
            lines.append("user = postgres")
        (self.folder / "users.txt").write_text(f'"{databases.ROLE}" ""\n"{databases.LOGIN}" ""\n')
        (self.folder / "pgbouncer.ini").write_text("\n".join(lines) + "\n")
        argv = [find_program("pgbouncer") or "", self.folder / "pgbouncer.ini"]
        self._add(Part("pgbouncer", argv, os.environ, self._log("pgbouncer")))
        wait_until(lambda: self.reaches_database("pgbouncer"), "PgBouncer to answer")

    def start_valkey(self) -> None:
        """With TLS alone; Redis speaks the same."""
        (self.folder / "valkey").mkdir()
        argv = [
            *(find_program("redis-server") or "", "--port", "0", "--tls-port", str(self.ports["valkey"])),
            *("--bind", "127.0.0.1", "--tls-auth-clients", "no", "--dir", self.folder / "valkey"),
            *("--tls-cert-file", self.folder / "certificate.pem", "--tls-key-file", self.folder / "key.pem"),
            *("--tls-ca-cert-file", self.folder / "certificate.pem", "--appendonly", "yes", "--save", ""),
        ]
        self._add(Part("valkey", argv, os.environ, self._log("valkey")))

    # The registry

    def prepare(self) -> None:
        """The steps of an installation, as the owner of the tables."""
        for step in ("migrate --no-input", "load_catalogue", "collectstatic --no-input"):
            self.manage(*step.split())
        self.manage("grant_rights", "--login", databases.LOGIN)

    def environment(self, database_url: str = "", **more: str) -> dict[str, str]:
        """What /etc/highwater/settings would hold."""
        tls = f"ssl_cert_reqs=required&ssl_ca_certs={self.folder / 'certificate.pem'}"
        broker = f"rediss://127.0.0.1:{self.ports['valkey']}"
        own = {name: value for name, value in os.environ.items() if name not in OF_THE_TESTS}
        return own | {
            "SECRET_KEY": "drill-" * 12,
            "ALLOWED_HOSTS": f"{HOST},{READERS},127.0.0.1",
            "SITE_URL": f"https://{HOST}",
            "TRUSTED_PROXY": "true",
            "DATABASE_URL": database_url or self.database_url("pgbouncer", databases.LOGIN),
            **databases.ROLES,
            "BROKER_URL": f"{broker}/0?{tls}",
            "CACHE_URL": f"{broker}/1?{tls}",
            "HIGHWATER_STATE": str(self.folder / "state"),
            # One address reads and uploads for all the clients of the drill.
            **{"THROTTLE_READ": "99999/min", "THROTTLE_PAGE": "99999/min", "THROTTLE_UPLOAD": "99999/h"},
            **more,
        }

    def start_registry(self) -> None:
        """Webs, workers and schedulers, each by the command of its unit."""
        for name in WEBS:
            self._add_unit(name, "web", self.environment())
        replica = self.environment(self.database_url("replica", databases.LOGIN), PUBLIC_ONLY="true")
        self._add_unit(REPLICA_WEB, "web", replica)
        for name in (*WORKERS, *OTHERS):
            self._add_unit(name, name.split()[0], self.environment())

    def _add_unit(self, name: str, unit: str, environment: Mapping[str, str]) -> None:
        text = (ROOT / "deploy" / "systemd" / f"highwater-{unit}.service").read_text().replace("\\\n", " ")
        (command,) = re.findall(r"^ExecStart=(.+)$", text, re.MULTILINE)
        places = {
            "/opt/highwater/environment/bin/python": sys.executable,
            "127.0.0.1:8000": f"127.0.0.1:{self.ports.get(name, 0)}",
            "--workers 4": "--workers 1",  # all machines share the processors of this one
            "--concurrency 2": "--concurrency 1",
            "/var/lib/highwater/schedule": str(self.folder / f"schedule {name[-1]}").replace(" ", "-"),
            "%%h": name.replace(" ", "-"),
        }
        for old, new in places.items():
            command = command.replace(old, new)
        counts = self.folder / "counts" / name.replace(" ", "-")
        counts.mkdir()
        own = {**environment, "PROMETHEUS_MULTIPROC_DIR": str(counts)} if unit == "web" else environment
        self._add(Part(name, shlex.split(command), own, self._log(name)))

    def start_nginx(self) -> None:
        """The deployed file, with the addresses and folders of the drill."""
        ports = iter([*WEBS, REPLICA_WEB, *WEBS])
        site = (ROOT / "deploy" / "nginx" / "highwater.conf").read_text()
        site = SERVER_LINE.sub(lambda _: f"server 127.0.0.1:{self.ports[next(ports)]}", site)
        places = {
            "listen 80": f"listen 127.0.0.1:{self.ports['http']}",
            "listen 443": f"listen 127.0.0.1:{self.ports['https']}",
            "/etc/ssl/certs/registry.example.org.pem": str(self.folder / "certificate.pem"),
            "/etc/ssl/private/registry.example.org.key": str(self.folder / "key.pem"),
            "/var/cache/nginx/highwater": str(self.folder / "nginx" / "cache"),
        }
        for old, new in places.items():
            assert old in site
            site = site.replace(old, new)
        folders = "".join(
            f"{kind}_temp_path {self.folder}/nginx/{kind};\n"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        text = (
            f"daemon off;\nuser root;\npid {self.folder}/nginx/pid;\nworker_processes 1;\nerror_log stderr;\n"
            f"events {{ worker_connections 1024; }}\nhttp {{\naccess_log off;\n{folders}{site}\n}}\n"
        )
        config = self.folder / "nginx" / "nginx.conf"
        config.write_text(text if os.geteuid() == 0 else text.replace("user root;\n", ""))
        argv = [find_program("nginx") or "", "-e", "stderr", "-p", self.folder / "nginx", "-c", config]
        tested = subprocess.run([*argv, "-t"], capture_output=True, text=True)
        assert tested.returncode == 0, tested.stderr
        self._add(Part("nginx", argv, os.environ, self._log("nginx")))

    # All of them

    def _add(self, part: Part) -> None:
        self.parts[part.name] = part
        part.start()

    def _log(self, name: str) -> Path:
        return self.folder / "logs" / f"{name}.log"

    def keep_running(self) -> None:
        """Start again what ended, until the drill is over; a thread of its own does."""
        while not self.closing.wait(0.1):
            for part in self.parts.values():
                part.start_if_ended(time.monotonic())

    def stop(self) -> None:
        """End every program, the databases last."""
        self.closing.set()
        for part in reversed(self.parts.values()):
            part.stopping = True
            if part.process is not None and part.process.poll() is None:
                part.process.send_signal(part.stop_signal)
        for part in reversed(self.parts.values()):
            assert part.process is not None
            with suppress(subprocess.TimeoutExpired):
                part.process.wait(20)
            part.kill()
            part.process.wait()

    def manage(self, *arguments: str) -> str:
        """What a management command prints, as the owner of the tables."""
        command = [sys.executable, "manage.py", *arguments]
        environment = self.environment(self.database_url("primary"))
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@contextmanager
def started_machines(folder: Path) -> Iterator[Machines]:
    """All of them, until the end of the block."""
    machines = Machines(folder)
    keeper = threading.Thread(target=machines.keep_running)
    try:
        machines.start_databases()
        machines.start_valkey()
        machines.prepare()
        machines.start_pgbouncer()
        machines.start_registry()
        machines.start_nginx()
        keeper.start()
        yield machines
    finally:
        machines.closing.set()
        if keeper.ident is not None:
            keeper.join()
        machines.stop()


def make_certificate(folder: Path) -> None:
    """One that signs itself, for the names of the drill."""
    names = f"subjectAltName=IP:127.0.0.1,DNS:{HOST},DNS:{READERS}"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-keyout", folder / "key.pem", "-out", folder / "certificate.pem", "-subj", f"/CN={HOST}", "-addext", names],
        check=True, capture_output=True,
    )  # fmt: skip
