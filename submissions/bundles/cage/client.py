"""Have hostile bytes read in the cage: start the warm process, hand over open files, wait, and mistrust the answer."""

from __future__ import annotations

import array
import json
import logging
import math
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError

from submissions.bundles.cage import jobs, plain_json, server

log = logging.getLogger(__name__)

ANSWER_BYTES = 64 * 1024 * 1024
"""Of the largest answer that is read."""
_ROOT = Path(__file__).resolve().parents[3]
_START_S = 60.0
_GRACE_S = 2.0
"""So long after its processor time is over, a job is not waited for; also for a server that says no more."""
_KEPT_VARIABLES = ("PATH", "TMPDIR", "LANG", "LC_ALL", "TZ", "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE")
_UNSTORABLE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
"""What might stand for a character that PostgreSQL refuses."""


class CageError(Exception):
    """A job gave no answer that can be used."""


class JobFailed(CageError):
    """It raised, or its process died, or its answer is none: nobody knows why, and another try may help."""


class OutOfTime(CageError):
    """It was stopped after its time. Another try would take as long."""


class TooMuch(CageError):
    """It needed more memory than it may have, or had more to say. Another try would, too."""


class Busy(CageError):
    """Other jobs of this process did not end in time."""


class Cage:
    """One warm process and the way to it; it does one job at a time. Threads take turns, forks start their own."""

    def __init__(self, module: str = jobs.__name__) -> None:
        self._module = module
        self._turn = threading.Lock()
        self._owner = 0
        self._server: subprocess.Popen[bytes] | None = None
        self._control = socket.socket()
        self.holds: dict[str, bool] = {}
        """What confines the jobs beside limits, as the server found: `seccomp`, `network_namespace`."""

    def do_job(
        self,
        job: Callable[..., Any],
        paths: Sequence[Path],
        arguments: Mapping[str, Any],
        *,
        seconds: float,
        out: IO[bytes] | None = None,
        wait_s: float = -1,
    ) -> Any:
        """The answer of a job of the module, which reads these paths and may write to `out`, within so many seconds.

        Raises OutOfTime, TooMuch, JobFailed, and Busy where other jobs last longer than `wait_s`, if that is given;
        OSError where a path can't be opened.
        """
        if not self._turn.acquire(timeout=wait_s):
            raise Busy("Other jobs of this process did not end in time.")
        with ExitStack() as opened:
            opened.callback(self._turn.release)
            files = [opened.enter_context(_OpenFile(path)) for path in paths]
            request = {"job": job.__name__, "names": [path.name for path in paths], "arguments": arguments}
            try:
                return self._pass_job(
                    json.dumps(request).encode(), [*files, *([out.fileno()] if out else [])], seconds, out
                )
            except CageError:
                raise
            except BaseException:  # a limit of Celery's, or a server that broke: what it does now is of no use
                self._end_server()
                raise

    def _pass_job(self, request: bytes, files: list[int], seconds: float, out: IO[bytes] | None) -> Any:
        limits = {"seconds": seconds, "memory_bytes": settings.CHECK_MEMORY_BYTES, "writes": out is not None}
        request_out, request_in = os.pipe()
        answer_out, answer_in = os.pipe()
        with ExitStack() as opened:
            opened.callback(os.close, answer_out)
            sending = opened.enter_context(os.fdopen(request_in, "wb", buffering=0))
            try:
                self._begin_job(json.dumps(limits).encode(), [request_out, answer_in, *files])
            finally:
                os.close(request_out)
                os.close(answer_in)
            with suppress(BrokenPipeError):  # it died before it read all of it
                _write_all(sending, request)
            sending.close()
            answer, why = _read_answer(answer_out, time.monotonic() + seconds)
            return self._judge_answer(answer, why, seconds)

    def _begin_job(self, limits: bytes, descriptors: list[int]) -> None:
        """Send a job to the server; a new one, where there is none or it has died meanwhile."""
        sent = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
        if self._is_mine():
            with suppress(OSError):
                self._control.sendmsg([limits], sent)
                return
        self._end_server()
        self._start_server()
        self._control.sendmsg([limits], sent)

    def _judge_answer(self, answer: bytes, why: type[CageError] | None, seconds: float) -> Any:
        """The result that an answer holds, by how the child ended."""
        if why is not None:
            with suppress(OSError):
                self._control.send(b"stop")
        ended = self._child_status()
        status, signalled = ended["status"], os.WTERMSIG(ended["status"]) if os.WIFSIGNALED(ended["status"]) else 0
        if why is TooMuch:
            raise TooMuch(f"It has more to say than {ANSWER_BYTES} bytes.")
        if why is OutOfTime or signalled == signal.SIGXCPU or ended["cpu_s"] >= seconds:
            raise OutOfTime(f"It was stopped after {seconds:.0f} s.")
        if signalled == signal.SIGKILL or (not signalled and os.WEXITSTATUS(status) == server.NO_MEMORY):
            raise TooMuch(f"It needs more memory than {settings.CHECK_MEMORY_BYTES} bytes.")
        document = _parse_answer(answer)
        for record in document["log"]:
            log.log(logging.ERROR if record["level"] == "ERROR" else logging.WARNING, "In the cage: %s", record["text"])
        if status != server.DONE or "result" not in document:
            raise JobFailed(str(document.get("failed", f"The process ended with wait status {status}.")))
        return document["result"]

    def _child_status(self) -> dict[str, Any]:
        """What the server says of the child. Raises JobFailed where it says nothing, for it is gone."""
        self._control.settimeout(_GRACE_S + 10)
        try:
            reply = self._control.recv(4096)
        except OSError:
            reply = b""
        if not reply:
            self._end_server()
            raise JobFailed("The cage itself ended.")
        ended: dict[str, Any] = json.loads(reply)
        return ended

    # The warm process

    def _is_mine(self) -> bool:
        return self._server is not None and self._owner == os.getpid()

    def _start_server(self) -> None:
        """Start a server whose environment holds nothing but where programs and temporary files lie."""
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        with theirs:
            self._server = subprocess.Popen(  # noqa: S603  # our own module
                [sys.executable, "-s", "-m", server.__name__, self._module],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                cwd=_ROOT,
                env=environment,
                start_new_session=True,
            )
        self._owner = os.getpid()
        self._control.settimeout(_START_S)
        try:
            hello = self._control.recv(4096)
        except TimeoutError:
            hello = b""
        if not hello:
            self._end_server()
            raise JobFailed("The cage did not start; its standard error says why.")
        self.holds = json.loads(hello)
        if not self.holds["seccomp"]:
            log.error(
                "Checks are NOT confined as they should be: the kernel refuses seccomp. %s",
                "They have no network." if self.holds["network_namespace"] else "They can reach network and files.",
            )

    def _end_server(self) -> None:
        """Forget the server; the kernel ends it, and its child, when nobody holds the socket any more."""
        self._control.close()
        if self._server is not None and self._owner == os.getpid():
            self._server.kill()
            self._server.wait()
        self._server = None


_cage = Cage()


def do_job(
    job: Callable[..., Any],
    paths: Sequence[Path],
    arguments: Mapping[str, Any],
    *,
    seconds: float,
    out: IO[bytes] | None = None,
    wait_s: float = -1,
) -> Any:
    """Have a job of `jobs` done in the cage of this process. Raises as `Cage.do_job` does."""
    answer = _cage.do_job(job, paths, arguments, seconds=seconds, out=out, wait_s=wait_s)
    _note_barrier(_cage.holds)
    return answer


BARRIERS = ("seccomp", "network_namespace", "none")
"""What keeps a job from network and files, strongest first. A namespace keeps it from the network alone."""
SEEN_FOR_S = 86_400


def barriers_seen() -> list[str]:
    """The barriers behind which jobs of any worker ran in the last SEEN_FOR_S. Raises RedisError without the cache."""
    return [name for name in BARRIERS if cache.get(f"cage:{name}")]


def _note_barrier(holds: Mapping[str, bool]) -> None:
    with suppress(RedisError):
        cache.set(f"cage:{next((name for name in BARRIERS if holds.get(name)), 'none')}", 1, SEEN_FOR_S)


class _OpenFile:
    """An open descriptor of a regular file that is no link; closed behind the job."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)

    def __enter__(self) -> int:
        return self._descriptor

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def _write_all(pipe: IO[bytes], content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[pipe.write(rest) or 0 :]


def _read_answer(pipe: int, deadline: float) -> tuple[bytes, type[CageError] | None]:
    """All that a child writes until it closes the pipe; and why it has to be stopped, if it does not."""
    pieces, size = list[bytes](), 0
    while True:
        ready, _, _ = select.select([pipe], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            return b"", OutOfTime
        piece = os.read(pipe, 1024 * 1024)
        if not piece:
            return b"".join(pieces), None
        size += len(piece)
        if size > ANSWER_BYTES:
            return b"", TooMuch
        pieces.append(piece)


def _read_number(number: str) -> float | None:
    value = float(number)
    return value if math.isfinite(value) else None


_DECODER = json.JSONDecoder(parse_float=_read_number, parse_constant=lambda _: None)
"""Numbers that PostgreSQL refuses become None as they are read."""


def _parse_answer(answer: bytes) -> dict[str, Any]:
    """An answer as an object that can be stored. Raises JobFailed for what is none: who wrote it read hostile bytes."""
    try:
        document = _DECODER.decode(answer.decode())
        if _UNSTORABLE.search(answer):
            document = plain_json.to_jsonb_safe(document)
        records = document["log"]
        if not all(isinstance(record[name], str) for record in records for name in ("name", "level", "text")):
            raise TypeError("a record of the log is no text")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise JobFailed(f"The answer of {len(answer)} bytes can't be read: {error}"[:500]) from error
    parsed: dict[str, Any] = document
    return parsed
