"""Runs of the collector as processes forked from one that has imported it: a start costs a tenth.

Each has its own arguments, environment, folder and streams, and ends as any process does. What Python itself reads
at its start cannot differ between them: whoever changes that starts a process of its own.

Run as a program, this is the process that is forked: WARM LISTENING_SOCKET.
"""

import contextlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

READ_AT_START = ("PYTHON", "LC_", "LANG", "TZ", "SSL_", "OPENSSL", "LD_")
FILES = 4
"""The request and three streams: a stream of bytes would need an end mark, and has no place for 100 kB at once."""
STATUS_BYTES = 100
ENDS_AFTER_S = 600


class Warm:
    """One process that has imported the collector from a folder, and what runs it."""

    def __init__(self, folder, environ):
        self.environ = start_environ(environ)
        self.path = str(folder / "warm")
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(self.path)
        listening.listen()
        self.process = subprocess.Popen(
            [sys.executable, "-B", __file__, str(listening.fileno())],
            env={**self.environ, "PATH": environ["PATH"]},
            stdin=subprocess.PIPE,  # which ends with this process, however that ends
            stdout=subprocess.DEVNULL,
            pass_fds=[listening.fileno()],
        )
        listening.close()

    def fits(self, environ):
        """Whether Python would start with this environment as it did here."""
        return start_environ(environ) == self.environ

    def run(self, arguments, environ, cwd, typed):
        """Run to the end; the exit status, or minus a signal, and what was printed on both streams."""
        with contextlib.ExitStack() as opened:
            request, stdin, stdout, stderr = files = [
                opened.enter_context(tempfile.TemporaryFile()) for _ in range(FILES)
            ]
            request.write(json.dumps({"arguments": arguments, "environ": environ, "cwd": str(cwd)}).encode())
            stdin.write((typed or "").encode("utf-8", "surrogateescape"))
            for file in (request, stdin):
                file.seek(0)
            server = opened.enter_context(socket.socket(socket.AF_UNIX))
            server.settimeout(ENDS_AFTER_S)
            server.connect(self.path)
            socket.send_fds(server, [b"."], [file.fileno() for file in files])
            status = json.loads(server.recv(STATUS_BYTES))
            for file in (stdout, stderr):
                file.seek(0)
            return status, *(file.read().decode("utf-8", "surrogateescape") for file in (stdout, stderr))

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)
        Path(self.path).unlink()


def start_environ(environ):
    """What Python reads of an environment when it starts, and never again."""
    return {name: value for name, value in environ.items() if name.startswith(READ_AT_START)}


def serve(listening):
    """Fork for each connection; only forked processes return, with the arguments of their run."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        readable, _, _ = select.select([listening, sys.stdin], [], [])
        if sys.stdin in readable:
            sys.exit()
        connection, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            return wait_for_fork(connection)
        connection.close()


def wait_for_fork(connection):
    """Fork once more, wait, and tell how it ended; the fork returns with its arguments."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, (requested, *streams), _, _ = socket.recv_fds(connection, 1, FILES)
    with os.fdopen(requested) as file:
        request = json.load(file)
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        connection.send(json.dumps(os.waitstatus_to_exitcode(status)).encode())
        os._exit(0)
    connection.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environ"])
    time.tzset()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return request["arguments"]


if __name__ == "__main__":
    import collectors.cli
    import collectors.server.client

    sys.argv = [collectors.__file__, *serve(socket.socket(fileno=int(sys.argv[1])))]
    runpy.run_module("collectors", run_name="__main__")
