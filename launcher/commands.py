"""The commands of ./dev.py, each told from top to bottom."""

import hashlib
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from launcher import checks, collector_file, databases, site
from launcher.console import LauncherError, Stopped, say
from launcher.environment import DEVELOPMENT, LOCAL, RUNTIME, Environment
from launcher.preload import Preloaded
from launcher.processes import Running, spawn, stop
from launcher.state import CHECKOUT, ServicesRun, State


def environment_of(state_folder: Path) -> Environment:
    """The environment of a state folder, or the one that HIGHWATER_VENV names."""
    named = os.environ.get("HIGHWATER_VENV")
    return Environment(Path(named).absolute() if named else state_folder / "environment")


def preparation(*, demo: bool, demonstration: bool) -> tuple[str, ...]:
    """The management commands that make a database ready.

    Without `demo` nothing is put into the record; without `demonstration` the made-up runs of /tour/ are taken out.
    """
    record = ("load_catalogue", "load_demo") if demo else ("load_catalogue --without-history",)
    login = () if databases.setting("DATABASE_URL") else (f"grant_rights --login {databases.LOGIN}",)
    return ("migrate", *login, *record, "load_demonstration" if demonstration else "load_demonstration --remove")


def up(state_folder: Path, port: int, steps: Sequence[str]) -> int:
    """Everything on this machine, until Ctrl-C or SIGTERM; `steps` make its database ready."""
    state, environment = State(state_folder), environment_of(state_folder)
    with state.held("up", refuse="up") as lock:
        environment.install(RUNTIME, *local_wheels())
        with services(state, environment, durable=True) as (variables, servers), site.listen(port) as listening:
            chosen = listening.getsockname()[1]
            variables.setdefault("SITE_URL", f"http://127.0.0.1:{chosen}")
            own = databases.for_services(variables)
            preloaded = Preloaded(environment.python, own, [listening.fileno()])
            started: list[Running] = []
            try:
                site.prepare(state, environment, variables, steps)
                programs = site.programs(state, environment, own, listening.fileno(), preloaded)
                started.extend(map(Running, programs))
                site.wait_until_ready(chosen, environment, started)
                lock.publish(variables)
                say(f"logs in {state.logs}; Ctrl-C stops everything")
                print(f"ready http://127.0.0.1:{chosen}/", flush=True)
                site.keep_running(servers, started)
            except Stopped:
                say("stopping")
            finally:
                preloaded.end()
                stop(started)
    return 0


def manage(state_folder: Path, arguments: list[str]) -> int:
    """Run manage.py with the settings of `up` and its services, which are started for this command if need be."""
    state, environment = State(state_folder), environment_of(state_folder)
    environment.install(RUNTIME, *local_wheels())
    command: list[str | Path] = [environment.python, CHECKOUT / "manage.py", *arguments]
    try:
        with state.held("manage", share="up"), services(state, environment, durable=True) as (variables, _):
            state.forget_preparation()
            return run(command, variables)
    except ServicesRun as up:
        state.forget_preparation()
        replace_by(command, up.environment)


def execute(state_folder: Path, arguments: list[str]) -> int:
    """Become a command in the project's environment. Raises LauncherError where there is no such command."""
    environment = environment_of(state_folder)
    environment.install(RUNTIME)
    variables = environment.variables()
    # Found from any folder, so that paths among the arguments mean what they mean to the caller.
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, [str(CHECKOUT), os.environ.get("PYTHONPATH")]))
    try:
        replace_by(arguments, variables)
    except FileNotFoundError as error:
        raise LauncherError(f"no command {arguments[0]!r} in the environment") from error


def test(state_folder: Path, arguments: list[str]) -> int:
    """pytest on a PostgreSQL and a Valkey of its own; prints nothing after pytest's last line."""
    state, environment = State(state_folder / "test"), environment_of(state_folder)
    with state.held("test", refuse="test"):
        environment.install(RUNTIME, *local_wheels(), DEVELOPMENT)
        with services(state, environment, durable=False) as (variables, _):
            # The tests of the launcher start launchers, which need not install everything again.
            variables["HIGHWATER_VENV"] = str(environment.folder)
            # Some hundred processes are started, of which each would compile the same files again.
            variables.pop("PYTHONDONTWRITEBYTECODE", None)
            pytest: list[str | Path] = [
                environment.python,
                "-m",
                "pytest",
                *distribution(arguments),
                *patience(arguments),
                *arguments,
            ]
            return run(pytest, variables, folder=CHECKOUT)


def distribution(arguments: list[str]) -> list[str]:
    """How tests are run: all in three processes, as many wait more than they work; some, or with a debugger, in one."""
    own = any(argument.startswith(("-n", "--dist", "--pdb", "--collect-only", "--co")) for argument in arguments)
    paths = any(
        (CHECKOUT / argument.partition("::")[0]).exists() for argument in arguments if not argument.startswith("-")
    )
    return [] if own or paths else ["-n", "3", "--dist", "loadfile", "--no-loadscope-reorder"]


def patience(arguments: list[str]) -> list[str]:
    """When a test is taken to hang, and ended: a deep one after an hour, others after what pyproject.toml says."""
    return ["-o", "faulthandler_timeout=3600"] if "--deep" in arguments else []


def check(state_folder: Path) -> int:
    """Everything that can be said of the code without running it."""
    environment = environment_of(state_folder)
    environment.install(RUNTIME, DEVELOPMENT)
    return 0 if checks.run_all(environment) else 1


def collector(out: Path, registry: str = "") -> int:
    """Write highwater.pyz, ready to run, as the registry of that address serves it; print its path and sha256."""
    _write_built(out, collector_file.build(registry=registry))
    out.chmod(0o755)
    return 0


def collector_wheel(folder: Path) -> int:
    """Write the collector as a wheel, for pip; print its path and sha256."""
    name, content = collector_file.wheel()
    _write_built(folder / name, content)
    return 0


def _write_built(out: Path, content: bytes) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(content)
    print(f"{out} sha256:{hashlib.sha256(content).hexdigest()}")


def bench(state_folder: Path, arguments: list[str]) -> int:
    """The benchmarks of our own code, on services that keep their data from one run to the next."""
    state, environment = State(state_folder / "bench"), environment_of(state_folder)
    with state.held("bench", refuse="bench"):
        environment.install(RUNTIME, *local_wheels())
        with services(state, environment, durable=True) as (variables, _):
            return run([environment.python, "-m", "bench", *arguments], variables, folder=CHECKOUT)


def local_wheels() -> list[str]:
    """The list of embedded servers, where one is needed."""
    return [] if databases.setting("DATABASE_URL") and databases.setting("BROKER_URL") else [LOCAL]


@contextmanager
def services(
    state: State, environment: Environment, *, durable: bool
) -> Iterator[tuple[dict[str, str], list[Running]]]:
    """Run the servers that no setting names for the length of a block.

    Yields the variables that Django needs, and the list of running servers.
    """
    servers = databases.servers(state, environment, durable=durable)
    started = databases.start(servers)
    try:
        variables = settings(state, environment, servers)
        if durable and not databases.setting("DATABASE_URL"):
            variables = databases.ROLES | variables
        yield variables, started
    finally:
        stop(started)


def settings(state: State, environment: Environment, servers: list[databases.Server]) -> dict[str, str]:
    """The caller's environment, completed by what a registry on this machine needs."""
    variables = environment.variables()
    for name in ("DATABASE_URL", "BROKER_URL", "CACHE_URL", "SECRET_KEY"):
        variables.pop(f"{name}_FILE", None)
    variables |= databases.given_settings()
    for server in servers:
        variables |= server.settings
    variables["SECRET_KEY"] = databases.setting("SECRET_KEY") or state.secret_key()
    variables["HIGHWATER_STATE"] = str(state.folder)
    variables.setdefault("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
    variables.setdefault("INSECURE_LOCAL", "true")
    variables["DJANGO_SETTINGS_MODULE"] = "registry.settings"
    return variables


def run(argv: Sequence[str | Path], variables: Mapping[str, str], folder: Path | None = None) -> int:
    """Run a command in the foreground and pass on its exit status; Ctrl-C is for the command, not for us."""
    command = spawn(argv, orphan_signal=signal.SIGTERM, env=dict(variables), cwd=folder)
    usual = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        status = command.wait()
    except Stopped:
        command.terminate()
        command.wait()
        raise
    finally:
        signal.signal(signal.SIGINT, usual)
    return status if status >= 0 else 128 - status


def replace_by(argv: Sequence[str | Path], variables: Mapping[str, str]) -> NoReturn:
    """Become another program; signals and exit status are then its own."""
    os.execvpe(argv[0], [str(part) for part in argv], dict(variables))
