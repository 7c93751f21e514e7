"""Loads the registry once and forks its programs from there, so that they share the memory of what is loaded.

Run by `up` inside the environment, with the settings of the registry: `python preloaded.py ROOM FILE...`. Each line on
standard input is one program as JSON, and the answer is its process id. The program becomes a child of who started this
process, in a session of its own, with the command line that it would have by itself: ROOM is a word as long as the
longest. Of the inherited FILEs it has those that are its own. Ends when standard input does.
"""

import ctypes
import gc
import json
import os
import runpy
import signal
import sys
import time
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
sys.path[0] = str(CHECKOUT)

PR_SET_PDEATHSIG = 1  # linux/prctl.h
COMMAND_FIELD = 45  # of /proc/self/stat after the name: where the command line begins in memory, then where it ends
MODULES = (
    "billiard.popen_fork",
    "billiard.sharedctypes",
    "billiard.synchronize",
    "celery.app.amqp",
    "celery.app.control",
    "celery.app.events",
    "celery.app.log",
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "celery.events",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer",
    "celery.worker.consumer.delayed_delivery",
    "celery.worker.loops",
    "celery.worker.pidbox",
    "celery.worker.strategy",
    "gunicorn.app.wsgiapp",
    "kombu.transport.redis",
    "registry.serving.worker",
)


def main() -> None:
    load_registry()
    set_command(sys.orig_argv[:2])
    gc.collect()
    gc.freeze()
    print("loaded", flush=True)
    # Not sys.stdin, which a program has for itself.
    with open(0, closefd=False) as orders:
        while line := orders.readline():
            print(start(json.loads(line)), flush=True)


def load_registry() -> None:
    """Import what any of the programs does; nothing is connected to, and no thread is started."""
    import django
    from django.conf import settings
    from django.urls import get_resolver
    from django.utils.module_loading import import_string

    django.setup()
    for middleware in settings.MIDDLEWARE:
        import_string(middleware)
    _ = get_resolver().url_patterns
    for module in MODULES:
        __import__(module)
    from billiard.util import get_pdeathsig

    from registry.celery import app

    app.loader.import_default_modules()
    app.finalize()
    # Each process of a worker names the signal at its parent's death, and loads a parser of C for it.
    get_pdeathsig()


def start(program: dict[str, Any]) -> int:
    """Fork twice: whoever is left by its parent becomes a child of the launcher. Returns the process id."""
    launcher = os.getppid()
    reading, writing = os.pipe()
    between = os.fork()
    if between == 0:
        parent = os.getpid()
        child = os.fork()
        if child:
            os.write(writing, str(child).encode())
            os._exit(0)
        os.close(reading)
        os.close(writing)
        while os.getppid() == parent:
            time.sleep(0.001)
        become(program, launcher)
    os.close(writing)
    os.waitpid(between, 0)
    process = int(os.read(reading, 32))
    os.close(reading)
    return process


def become(program: dict[str, Any], launcher: int) -> None:
    """Run the program in this process, as `python -m MODULE ARGUMENTS` would."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, program["orphan_signal"], 0, 0, 0)
    if os.getppid() != launcher:
        os.kill(os.getpid(), signal.SIGKILL)
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    log = os.open(program["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    for file in set(map(int, sys.argv[2:])) - set(program["files"]):
        os.close(file)
    set_command(program["argv"])
    _, _, module, *arguments = program["argv"]
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    sys.exit(0)


def set_command(words: list[str]) -> None:
    """Write another command line over this process's own, as far as there is room."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    begin, end = int(fields[COMMAND_FIELD]), int(fields[COMMAND_FIELD + 1])
    text = b"".join(word.encode() + b"\0" for word in words)
    ctypes.memmove(begin, text.ljust(end - begin, b"\0")[: end - begin - 1] + b"\0", end - begin)


if __name__ == "__main__":
    main()
