"""The warm process: it loads the readers once, and forks a confined child for each job.

Started by `client.py` with an empty environment and one socket as standard input. Each message there begins a job; it
carries the limits, and open files: the request (JSON), the answer (JSON), those to read, and one to write if asked for.
The reply is how the child ended. `stop`, or the end of the socket, kills the child.

What a child does before and after its job is paid by every check: what can be done once is done here (decision 71).
"""

from __future__ import annotations

import array
import gc
import importlib
import json
import logging
import os
import resource
import select
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from io import BufferedRandom, FileIO
from pathlib import Path
from typing import Any

from submissions.bundles.cage import confinement, plain_json
from validators.bundle import LIMITS, sources

MOST_FILES = 128
_SCRATCH_FILES = LIMITS.depth + 3
_FILE_BYTES = LIMITS.unpacked_bytes + LIMITS.packed_bytes
"""Of a scratch file, and of what a job writes: all that a bundle may unpack to, and a little."""
_OBJECTS_BEFORE_COLLECTING = 200_000
"""A child lives for one job: what it leaves behind goes with it."""
_PIECE_BYTES = 65_536
_MOST_RECORDS, _RECORD_CHARACTERS = 100, 8000
DONE, FAILED, NO_MEMORY = 0, 3, 4
"""Exit status of a child: the answer is whole; the job raised, and the answer says what; memory ran out."""


def serve_jobs(module: str) -> None:
    """Serve jobs of a module until the socket on standard input ends."""
    control = socket.socket(fileno=0)
    jobs = importlib.import_module(module)
    jobs.warm_up()
    alone = confinement.leave_network()
    confinement.become_nobody()
    confinement.gain_nothing()
    filtered = confinement.can_refuse_calls()
    scratch_files = [_open_scratch_file() for _ in range(_SCRATCH_FILES)]
    _offer_scratch_files(scratch_files)
    recorder = _Recorder()
    sys.addaudithook(recorder.note_opening)
    os.chdir("/")
    gc.collect()
    gc.freeze()  # what is loaded stays shared with every child
    control.send(json.dumps({"seccomp": filtered, "network_namespace": alone}).encode())
    while True:
        message, descriptors = _receive_job(control)
        if not message:
            return
        if message == b"stop":  # for a job that had just ended
            continue
        child = _Child(json.loads(message), descriptors, recorder, filtered)
        control.send(json.dumps(_run_child(control, jobs, child)).encode())
        for descriptor in scratch_files:
            if os.fstat(descriptor).st_size:
                os.ftruncate(descriptor, 0)


def _receive_job(control: socket.socket) -> tuple[bytes, list[int]]:
    descriptors = array.array("i")
    message, ancillary, _flags, _ = control.recvmsg(4096, socket.CMSG_LEN(MOST_FILES * descriptors.itemsize))
    for _level, _kind, data in ancillary:
        descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
    return message, list(descriptors)


def _run_child(control: socket.socket, jobs: Any, confined: _Child) -> dict[str, Any]:
    """How the child of one job ended: its wait status, and the processor time that it took (s)."""
    server = os.getpid()
    child = confinement.fork_child()
    if child == 0:
        status = FAILED
        try:
            confinement.die_with(server)
            gc.set_threshold(_OBJECTS_BEFORE_COLLECTING)
            status = confined.do_job(jobs)
        except MemoryError:
            status = NO_MEMORY
        finally:
            os._exit(status)
    for descriptor in confined.descriptors:
        os.close(descriptor)
    stopped, watched = False, [control.fileno()]
    ended = os.pidfd_open(child)
    while True:
        ready, _, _ = select.select([ended, *watched], [], [])
        if ended in ready:
            break
        stopped, watched = True, []
        control.recv(16)  # `stop`, or nothing: whoever asked is gone
        signal.pidfd_send_signal(ended, signal.SIGKILL)
    os.close(ended)
    _, status, usage = os.wait4(child, 0)
    return {"status": status, "cpu_s": usage.ru_utime + usage.ru_stime, "stopped": stopped}


class _Child:
    """One job in a process of its own; nothing of it outlives the job."""

    def __init__(
        self, limits: Mapping[str, Any], descriptors: Sequence[int], recorder: _Recorder, filtered: bool
    ) -> None:
        self.limits = limits
        self.descriptors = descriptors
        self.recorder = recorder
        self.filtered = filtered
        self.request, self.answer, *self.files = descriptors

    def do_job(self, jobs: Any) -> int:
        """Read the request, give up every right, do the job, and write the answer; the exit status."""
        request = json.loads(self._read_request())
        out = self.files.pop() if self.limits["writes"] else None
        paths = [Path(f"/handed/{number}/{name}") for number, name in enumerate(request["names"])]
        sources.use_descriptors(dict(zip(paths, self.files, strict=True)))
        self._confine_itself()
        job: Callable[..., Any] = getattr(jobs, request["job"])
        writing = {} if out is None else {"out": BufferedRandom(FileIO(out, "r+", closefd=False))}
        try:
            result = job(paths, request["arguments"], **writing)
            for written in writing.values():
                written.flush()
        except MemoryError:
            raise
        except Exception as error:
            logging.getLogger(__name__).exception("The job %s failed", request["job"])
            self._write_answer(
                {"log": self.recorder.records, "failed": f"{type(error).__name__}: {error}"[:_RECORD_CHARACTERS]}
            )
            return FAILED
        self._write_answer({"log": self.recorder.records, "result": result})
        return DONE

    def _confine_itself(self) -> None:
        null = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):  # the first was the way to the server
            os.dup2(null, standard)
        os.close(null)
        logging.root.handlers = [self.recorder]
        self.recorder.listens = True
        limits = self.limits
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        confinement.limit_resources(limits["seconds"], limits["memory_bytes"], _FILE_BYTES, min(most, MOST_FILES + 64))
        if self.filtered:
            confinement.refuse_calls()

    def _read_request(self) -> bytes:
        pieces = [os.read(self.request, _PIECE_BYTES)]
        while pieces[-1]:
            pieces.append(os.read(self.request, _PIECE_BYTES))
        os.close(self.request)
        return b"".join(pieces)

    def _write_answer(self, answer: Mapping[str, Any]) -> None:
        rest = memoryview(plain_json.to_text(answer).encode())
        while rest:
            rest = rest[os.write(self.answer, rest) :]


class _Recorder(logging.Handler):
    """What is logged goes back with the answer: the child has no log of its own, the server made one for all."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[dict[str, str]] = []
        self.listens = False
        """In a confined child; the server may open what it likes."""
        self.formats = False
        """A traceback is being written, which looks for lines of our source, and does without."""

    def note_opening(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Say which path was asked for: readers need none, so it is a file that should have been loaded before."""
        is_path = self.listens and event == "open" and not isinstance(arguments[0], int)
        if is_path and not self.formats and len(self.records) < _MOST_RECORDS:
            text = f"A confined job asked to open {arguments[0]!r}"[:_RECORD_CHARACTERS]
            self.records.append({"name": __name__, "level": "WARNING", "text": text})

    def emit(self, record: logging.LogRecord) -> None:
        if len(self.records) < _MOST_RECORDS:
            self.formats = True
            text = self.format(record)[:_RECORD_CHARACTERS]
            self.formats = False
            self.records.append({"name": record.name, "level": record.levelname, "text": text})


def _open_scratch_file() -> int:
    """A descriptor of a file without a name. Some file systems have none: then one that loses its name at once."""
    folder = tempfile.gettempdir()
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:
        descriptor, name = tempfile.mkstemp(dir=folder)
        Path(name).unlink()
        return descriptor


def _offer_scratch_files(descriptors: Sequence[int]) -> None:
    """From now on, a temporary file is one of these: a job can open no other. Closing one empties it for the next."""
    free = [*descriptors]

    class Scratch(FileIO):
        def close(self) -> None:
            if not self.closed:
                self.seek(0)
                self.truncate()
                free.append(self.fileno())
            super().close()

    def take_file(*_arguments: object, **_options: object) -> BufferedRandom:
        raw = Scratch(free.pop(), "r+", closefd=False)
        raw.seek(0)
        return BufferedRandom(raw)

    tempfile.TemporaryFile = take_file  # type: ignore[assignment]  # SpooledTemporaryFile looks it up there as well


if __name__ == "__main__":
    serve_jobs(sys.argv[1])
