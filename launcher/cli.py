"""The command line of ./dev.py."""

import argparse
import os
import signal
from pathlib import Path
from urllib.parse import urlsplit

from launcher import commands
from launcher.console import LauncherError, Stopped, say
from launcher.state import CHECKOUT

USAGE = """usage: ./dev.py COMMAND

  up [--port 8000] [--no-demo] [--no-demonstration]
                                 start everything and print the address once it answers; Ctrl-C stops it
  test [--deep] [PYTEST ARGS]    run all tests on services of their own; --deep: those too long for every run, too
  check                          format, lint, types, templates, migrations, OpenAPI file, documentation, deployment
  manage ARGS...                 manage.py with the settings and services of `up`
  exec CMD...                    a command in the project's environment, without services
  collector [--out FILE]         build the single file highwater.pyz; --wheel: a wheel
  bench [NAME]                   benchmarks of our own code, one JSON line per figure

Every command takes --state DIR (or HIGHWATER_STATE) as its first option: the folder for all that it makes.
The default is .local/ in the checkout. docs/start.md tells more.
"""


def main(arguments: list[str]) -> int:
    """Run one command; returns its exit status: 2 for wrong usage, 1 for what the launcher could not do."""
    # A shell script's background job begins with SIGINT ignored; whoever sends it to us means it.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup leaves it
        signal.signal(signal.SIGHUP, _stop)
    try:
        return _dispatch(arguments)
    except LauncherError as error:
        say(f"dev.py: {error}")
        return 1
    except Stopped as stopped:
        return 128 + stopped.number


def _stop(number: int, frame: object) -> None:
    for again in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(again, signal.SIG_IGN)
    raise Stopped(number)


def _dispatch(arguments: list[str]) -> int:
    state, arguments = _take_state(arguments)
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(USAGE, end="")
        return 0 if arguments else 2
    name, rest = arguments[0], arguments[1:]
    if state is None:
        state, rest = _take_state(rest)
    folder = Path(state or os.environ.get("HIGHWATER_STATE") or CHECKOUT / ".local").absolute()
    match name:
        case "up":
            return _up(folder, rest)
        case "test":
            return commands.test(folder, rest)
        case "check" if not rest:
            return commands.check(folder)
        case "manage":
            return commands.manage(folder, rest)
        case "exec" if command := rest[1:] if rest[:1] == ["--"] else rest:
            return commands.execute(folder, command)
        case "collector":
            return _collector(folder, rest)
        case "bench":
            return commands.bench(folder, rest)
        case "check":
            say(f"dev.py: check takes no arguments\n\n{USAGE}")
        case "exec":
            say(f"dev.py: exec needs a command to run\n\n{USAGE}")
        case _:
            say(f"dev.py: no command {name!r}\n\n{USAGE}")
    return 2


def _take_state(arguments: list[str]) -> tuple[str | None, list[str]]:
    """Take --state from the front, where it cannot be meant for pytest or manage.py."""
    if arguments and arguments[0].startswith("--state="):
        return arguments[0].removeprefix("--state="), arguments[1:]
    if len(arguments) > 1 and arguments[0] == "--state":
        return arguments[1], arguments[2:]
    return None, arguments


def _up(folder: Path, arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev.py up")
    parser.add_argument("--port", type=int, default=8000, help="the next free one if it is busy (default: 8000)")
    parser.add_argument("--no-demo", action="store_true", help="no history, no open release: an empty record")
    parser.add_argument("--no-demonstration", action="store_true", help="the history, without the runs of /tour/")
    parser.add_argument("--state", type=Path, default=folder, help="the folder for all that it makes")
    options = parser.parse_args(arguments)
    steps = commands.preparation(
        demo=not options.no_demo, demonstration=not (options.no_demo or options.no_demonstration)
    )
    return commands.up(options.state.absolute(), options.port, steps)


def _address(text: str) -> str:
    """https://host without a slash at its end, as SITE_URL is written. ValueError: it is none."""
    parts = urlsplit(text)
    plain = text.isascii() and text.isprintable() and " " not in text
    if not plain or parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError(text)
    return text.rstrip("/")


def _collector(folder: Path, arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev.py collector")
    parser.add_argument(
        "--out", type=Path, help="file to write (default: highwater.pyz in the state folder); for --wheel a folder"
    )
    parser.add_argument("--wheel", action="store_true", help="a wheel for pip instead, written to the state folder")
    parser.add_argument(
        "--registry",
        metavar="URL",
        type=_address,
        help="the address that the file sends to where nothing else is set, as the registry of that SITE_URL serves it",
    )
    parser.add_argument("--state", type=Path, default=folder, help="the folder for all that it makes")
    options = parser.parse_args(arguments)
    if options.wheel:
        return commands.collector_wheel(options.out or options.state.absolute())
    return commands.collector(options.out or options.state.absolute() / "highwater.pyz", options.registry or "")
