"""The web server's worker process: one loop speaks with all clients, and a thread only ever works for a whole request.

gunicorn's own threaded worker reads a request in the thread that answers it, so a client that announces a body and
sends none holds a thread for as long as it likes. Here the loop collects head and body, without blocking, and sends the
answer; a thread neither waits for bytes that arrive nor for bytes that leave (docs/decisions/0026).

What a request is refused for is decided before its body is read: `BODY_LIMIT` of the application is asked, in a thread,
once the head is whole and the body is not. A client that is slower than the limits below is closed.

Nothing here knows Django's views. gunicorn.conf.py names this worker.
"""

from __future__ import annotations

import errno
import json
import os
import resource
import selectors
import socket
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from queue import Empty, SimpleQueue
from typing import Any

from gunicorn.http import wsgi
from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import InvalidChunkSize, InvalidHeader, InvalidRequestLine, LimitRequestHeaders, NoMoreData
from gunicorn.http.message import Request
from gunicorn.http.unreader import IterUnreader
from gunicorn.workers.base import Worker as BaseWorker

from registry import environment
from registry.serving.answers import Answer, NoRoom
from registry.serving.bodies import IN_MEMORY_BYTES, Body, ChunkedBody, NoBody
from registry.serving.connections import BETWEEN_REQUESTS, HEAD_BYTES, PIECE_BYTES, Connection, State

# Seconds in which a client has to send a whole head, 40 KiB of a body or the rest of it, or take 40 KiB of an answer.
PATIENCE_S = environment.read_seconds("CLIENT_PATIENCE_S", 10)
SLOWEST_BYTES_PER_S = 4096
# A refused client that still sends reads the answer only if its bytes are taken from it; so many are, and dropped.
DROPPED_BYTES = 256 * 1024 * 1024
# Of one account and process. A body that is late is on the disk meanwhile, and tiny chunks are work for the loop.
BODIES_AT_ONCE = 32
# A process that stops still takes the requests that were on their way, and says that they are the last.
ON_THE_WAY_S = 1.0
# Answered by a thread of their own each, so that a load balancer hears from a process whose threads are all at work.
PROBES = ("/livez", "/readyz", "/healthz")
# Of the environ of a request whose body has more bytes than BODY_LIMIT permits, none of which the application can read.
TOO_LARGE = "highwater.body_too_large"
# The application's attribute: environ -> bytes that its body may have and the account that sends it (None for
# strangers), or None where the head is refused already.
BODY_LIMIT = "body_limit"


class Worker(BaseWorker):
    """gunicorn's worker class: `registry.serving.worker.Worker`."""

    connections: OrderedDict[Connection, None]

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Check that the loop speaks what is configured; TLS and HTTP/2 are the proxy's.

        Raises RuntimeError where it does not.
        """
        if cfg.is_ssl or cfg.proxy_protocol not in (False, "off") or "h2" in cfg.http_protocols:
            raise RuntimeError("registry.web_server speaks HTTP/1.1 without TLS, behind a proxy (docs/operate.md)")
        tempfile.gettempdir()  # chosen once, for all processes: a full one is told later, not left for another

    def init_process(self) -> None:
        self.connections = OrderedDict()  # the one that changed its state longest ago comes first
        self.threads = ThreadPoolExecutor(self.cfg.threads, "request")
        self.probe_threads = {path: ThreadPoolExecutor(1, "probe") for path in PROBES}
        self.calls: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
        self.poller = selectors.DefaultSelector()
        self.accepting = False
        self.looked_at_clocks = 0.0
        self.capacity = min(self.cfg.worker_connections, _usable_descriptors() // 3)
        super().init_process()

    def handle_quit(self, sig: int, frame: Any) -> None:
        self.threads.shutdown(wait=False, cancel_futures=True)
        super().handle_quit(sig, frame)

    # The loop

    def run(self) -> None:
        """Serve until told to stop; then finish what has begun, within the graceful timeout."""
        self.poller.register(self.PIPE[0], selectors.EVENT_READ, (self._run_calls,))
        while self.alive and self.ppid == os.getppid():
            self._accept_new(len(self.connections) < self.capacity or self._may_close() is not None)
            self._turn()
        self._stop_listening()
        begun = time.monotonic()
        while self.connections and (lasted_s := time.monotonic() - begun) < self.cfg.graceful_timeout:
            if lasted_s >= ON_THE_WAY_S:
                for connection in [candidate for candidate in self.connections if candidate.state in BETWEEN_REQUESTS]:
                    self._close(connection)
            self._turn(0.1)
        for connection in list(self.connections):
            self._close(connection)
        self.threads.shutdown(wait=False, cancel_futures=True)

    def _turn(self, at_most_s: float = 1.0) -> None:
        self.notify()
        for key, _ in self.poller.select(min(at_most_s, PATIENCE_S / 4)):
            self._safely(*key.data)
        now = time.monotonic()
        if now - self.looked_at_clocks >= PATIENCE_S / 20:
            self.looked_at_clocks = now
            for connection in [candidate for candidate in self.connections if candidate.deadline < now]:
                self._too_late(connection)

    def _run_calls(self) -> None:
        """What threads and signals left in the pipe, and what threads want done."""
        with suppress(BlockingIOError):
            os.read(self.PIPE[0], 4096)
        for _ in range(self.calls.qsize()):
            with suppress(Empty):
                self._safely(*self.calls.get_nowait())

    def _safely(self, function: Callable[..., object], *arguments: Any) -> None:
        """An error with one client must not end what the process does for all others."""
        try:
            function(*arguments)
        except Exception:
            self.log.exception("Error in the loop of the web server")
            for connection in arguments:
                if isinstance(connection, Connection):
                    self._close(connection)

    def _call(self, function: Callable[..., object], *arguments: Any) -> None:
        """Have the loop call this; from any thread."""
        self.calls.put((function, *arguments))
        with suppress(OSError):  # full: the loop will wake anyway
            os.write(self.PIPE[1], b".")

    def _accept_new(self, accept: bool) -> None:
        if accept == self.accepting:
            return
        self.accepting = accept
        for listener in self.sockets:
            listener.setblocking(False)
            if accept:
                self.poller.register(listener, selectors.EVENT_READ, (self._accept, listener))
            else:
                self.poller.unregister(listener)

    def _stop_listening(self) -> None:
        """Take all clients that wait, then close the sockets: whoever comes later is refused at once.

        A proxy asks another host then. One that waited until the process ends would be cut off in the middle.
        """
        self._accept_new(False)
        for listener in self.sockets:
            while self._accept(listener):
                pass
            listener.close()

    def _accept(self, listener: Any) -> bool:
        """Take a client, if one waits. One at a time, so that another process which has less to do takes the next."""
        if len(self.connections) >= self.capacity and not self._make_room():
            return False
        try:
            sock, address = listener.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self._make_room()
            elif error.errno not in (errno.EAGAIN, errno.ECONNABORTED):
                raise
            return False
        sock.setblocking(False)
        with suppress(OSError):  # a Unix socket has no such option
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = Connection(sock, address, listener.getsockname())
        self._enter(connection, State.HEAD)
        self._read(connection)  # most requests are here already
        return True

    def _may_close(self) -> Connection | None:
        """Who waits longest without having sent a request; where there is none, who moved least lately."""
        idle = next((connection for connection in self.connections if connection.may_be_closed), None)
        return idle or next(
            (connection for connection in self.connections if connection.state is not State.THREAD), None
        )

    def _make_room(self) -> bool:
        slowest = self._may_close()
        if slowest is not None:
            self._close(slowest)
        return slowest is not None

    def _enter(self, connection: Connection, state: State, within_s: float = PATIENCE_S) -> None:
        connection.state, connection.moved = state, 0
        connection.deadline = float("inf") if state is State.THREAD else time.monotonic() + within_s
        self.connections[connection] = None
        self.connections.move_to_end(connection)
        if state is State.THREAD:
            self._watch(connection, 0)
        elif state is State.ANSWER:
            self._watch(connection, selectors.EVENT_WRITE)
        else:
            self._watch(connection, selectors.EVENT_READ)

    def _watch(self, connection: Connection, events: int) -> None:
        if events == connection.watched:
            return
        if connection.watched:
            self.poller.unregister(connection.sock)
        if events:
            act = self._read if events == selectors.EVENT_READ else self._send
            self.poller.register(connection.sock, events, (act, connection))
        connection.watched = events

    def _close(self, connection: Connection) -> None:
        if self.connections.pop(connection, self) is self:
            return
        self._watch(connection, 0)
        connection.sock.close()
        connection.body.close()
        if connection.answer is not None:
            connection.answer.gone = True
            if connection.answer.whole:
                connection.answer.forget()

    def _progress(self, connection: Connection, size: int) -> None:
        """A deadline moves once enough has: one byte now and then is no progress."""
        connection.moved += size
        if connection.moved >= SLOWEST_BYTES_PER_S * PATIENCE_S:
            connection.moved, connection.deadline = 0, time.monotonic() + PATIENCE_S
            self.connections.move_to_end(connection)

    def _too_late(self, connection: Connection) -> None:
        if connection.state is State.BODY or (connection.state is State.HEAD and connection.received):
            self._tell(connection, 408, "Request Timeout", "request.timeout", "The request came too slowly")
        else:
            self._close(connection)

    # Requests that arrive

    def _read(self, connection: Connection) -> None:
        if connection not in self.connections:  # closed after the poller said that it has something
            return
        try:
            data = connection.sock.recv(connection.reads_at_once)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            self._close(connection)
        elif connection.state is State.CLOSING:
            connection.moved += len(data)
            if connection.moved > DROPPED_BYTES:
                self._close(connection)
        elif connection.state is State.BODY:
            connection.received += data
            self._progress(connection, len(data))
            self._take_body(connection)
        else:
            connection.received += data
            if connection.state is State.IDLE:
                self._enter(connection, State.HEAD)
            self._look_for_head(connection)

    def _look_for_head(self, connection: Connection) -> None:
        received = connection.received
        if received and not (received[:1].isalpha() or bytes(received[:2]) in (b"\r", b"\r\n")):
            self._refuse(connection, InvalidRequestLine(received[:16].decode("latin-1")))  # such as TLS
            return
        end = received.find(b"\r\n\r\n", max(2 if received[:2] == b"\r\n" else 0, connection.searched - 3))
        connection.searched = len(received)
        if end >= 0 and end <= HEAD_BYTES:
            head = bytes(received[: end + 4])
            del received[: end + 4]
            connection.searched = 0
            self._parse(connection, head)
        elif len(received) > HEAD_BYTES:
            self._refuse(connection, LimitRequestHeaders(f"more than {HEAD_BYTES} bytes"))

    def _parse(self, connection: Connection, head: bytes) -> None:
        connection.requests += 1
        try:
            request = Request(self.cfg, IterUnreader([head]), connection.address, connection.requests)
        except (NoMoreData, StopIteration):
            self._refuse(connection, InvalidRequestLine(head[:16].decode("latin-1")))
            return
        except Exception as error:
            self._refuse(connection, error)
            return
        if request.version >= (1, 1) and not any(name == "HOST" for name, _ in request.headers):
            self._refuse(connection, InvalidHeader("no Host"))  # RFC 9112 section 3.2
            return
        connection.request = request
        # gunicorn would send it itself, once the body is asked for; here that is too late.
        connection.expects_permission, request._expected_100_continue = request._expected_100_continue, False
        reader = request.body.reader
        connection.body.close()
        connection.body = ChunkedBody() if isinstance(reader, ChunkedReader) else Body(reader.length)
        if not connection.received and not connection.body.complete:
            self._ask_application(connection)  # also where the client waits for "100 Continue"
        else:
            self._take_body(connection, has_permission=False)

    def _take_body(self, connection: Connection, has_permission: bool = True) -> None:
        """Keep what came; a body that came whole with its head needs no permission."""
        body = connection.body
        try:
            body.take(connection.received)
            body.file.flush()
        except InvalidChunkSize as error:
            self._refuse(connection, error)
            return
        except OSError as error:
            self.log.error("A request could not be kept in %s: %s", tempfile.gettempdir(), error)
            self._tell_no_room(connection)
            return
        if not has_permission and not (body.complete and body.size <= IN_MEMORY_BYTES):
            self._ask_application(connection)
        elif has_permission and body.size > connection.body_limit:
            self._refuse_as_too_large(connection, body.size)
        elif body.complete:
            self._answer_request(connection, body.file)

    def _ask_application(self, connection: Connection) -> None:
        """Whether more of this body may come, and how much."""
        self._enter(connection, State.THREAD)
        future = self.threads.submit(self._body_limit, connection)
        future.add_done_callback(lambda done: self._call(self._permitted, connection, done))

    def _body_limit(self, connection: Connection) -> tuple[int, str | None] | None:
        request = connection.request
        ask = getattr(self.wsgi, BODY_LIMIT, None)
        if ask is None:
            return IN_MEMORY_BYTES, None
        _, environ = wsgi.create(request, connection.sock, connection.address, connection.server, self.cfg)
        limit: tuple[int, str | None] | None = ask(environ | {"wsgi.input": NoBody()})
        return limit

    def _permitted(self, connection: Connection, done: Future[tuple[int, str | None] | None]) -> None:
        if error := done.exception():
            self._refuse(connection, error)
            return
        permitted = done.result()
        if permitted is None:
            self._answer_request(connection, NoBody(), close=True)
            return
        limit, connection.sender = permitted
        body = connection.body
        if max(body.length or 0, body.size) > limit:
            self._refuse_as_too_large(connection, max(body.length or 0, body.size))
        elif body.complete:
            self._answer_request(connection, body.file)
        else:
            connection.body_limit = limit
            self._close_slowest_of(connection.sender)
            if connection.expects_permission:
                with suppress(OSError):
                    connection.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")
            self._enter(connection, State.BODY)

    def _close_slowest_of(self, sender: str | None) -> None:
        """Keep to BODIES_AT_ONCE: who sends more has the one closed that moved least lately; the new one is taken."""
        bodies = [
            connection
            for connection in self.connections
            if connection.state is State.BODY and connection.sender == sender is not None
        ]
        if len(bodies) >= BODIES_AT_ONCE:
            title = "This account sends too much at the same time"
            self._tell(bodies[0], 429, "Too Many Requests", "request.throttled", title)

    def _refuse_as_too_large(self, connection: Connection, size: int) -> None:
        """The application says so in its own words, without reading."""
        self._answer_request(connection, NoBody(), close=True, too_large=size)

    # Answers

    def _pool(self, connection: Connection) -> ThreadPoolExecutor:
        request = connection.request
        if request.method in ("GET", "HEAD") and connection.body.size == 0:
            return self.probe_threads.get(request.path, self.threads)
        return self.threads

    def _answer_request(
        self, connection: Connection, source: Any, *, close: bool = False, too_large: int | None = None
    ) -> None:
        if not isinstance(source, NoBody):
            source.seek(0)
        connection.request.body = source
        self._enter(connection, State.THREAD)
        connection.waits_since = time.monotonic()
        answer = connection.answer = Answer(lambda: self._call(self._begin_to_send, connection))
        answered = self._pool(connection).submit(self._run_application, connection, answer, close, too_large)
        answered.add_done_callback(lambda done: self._call(self._answered, connection, answer, done))

    def _run_application(self, connection: Connection, answer: Answer, close: bool, too_large: int | None) -> bool:
        """In a thread: whether the connection may be used again."""
        request, begun = connection.request, datetime.now()
        # Whoever closed its side may wait for the answer; but when all wait for long, those who left go out first.
        if time.monotonic() - connection.waits_since > PATIENCE_S and connection.gave_up:
            return False
        try:
            response, environ = wsgi.create(request, answer, connection.address, connection.server, self.cfg)
            environ["wsgi.multithread"] = True
            _with_length(environ, connection.body.size if too_large is None else too_large, too_large)
            self.nr += 1
            if self.nr >= self.max_requests:
                self.alive = False
            if close or not self.alive or not self.cfg.keepalive:
                response.force_close()
            self._write(response, self.wsgi(environ, response.start_response))
            self.log.access(response, request, environ, datetime.now() - begun)
            return not response.should_close()
        except BrokenPipeError:
            return False
        except Exception as error:
            if answer.begun:
                self.log.exception("Error while %s was being sent", request.uri)
                return False
            answer.forget()
            if isinstance(error, NoRoom):
                self.log.error("An answer could not be kept in %s: %s", tempfile.gettempdir(), error)
                answer.no_room = True
                return False
            self.handle_error(request, answer, connection.address, error)
            return False

    def _write(self, response: Any, parts: Iterable[bytes]) -> None:
        try:
            if isinstance(parts, wsgi.FileWrapper):
                response.write_file(parts)
            else:
                for part in parts:
                    response.write(part)
            response.close()
        finally:
            if hasattr(parts, "close"):
                parts.close()

    def _begin_to_send(self, connection: Connection) -> None:
        if connection in self.connections and connection.state is State.THREAD:
            self._enter(connection, State.ANSWER)

    def _answered(self, connection: Connection, answer: Answer, done: Future[bool]) -> None:
        answer.whole = True
        connection.keep = done.exception() is None and done.result()
        if connection not in self.connections:
            answer.forget()
            return
        connection.body.close()
        if answer.no_room:
            self._tell_no_room(connection)
            return
        self._enter(connection, State.ANSWER)
        self._send(connection)

    def _send(self, connection: Connection) -> None:
        """As much as the client takes now, and no more than a few pieces, since others wait."""
        answer = connection.answer
        if connection not in self.connections or answer is None:
            return
        try:
            for _ in range(4):
                if not connection.unsent:
                    connection.unsent = memoryview(answer.read(PIECE_BYTES))
                if not connection.unsent:
                    self._sent_all(connection, answer)
                    return
                size = connection.sock.send(connection.unsent)
                connection.unsent = connection.unsent[size:]
                self._progress(connection, size)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self._close(connection)

    def _sent_all(self, connection: Connection, answer: Answer) -> None:
        if not answer.whole:  # the application is still writing
            self._enter(connection, State.THREAD)
            return
        answer.forget()
        connection.answer = None
        if connection.keep:
            self._enter(connection, State.HEAD if connection.received else State.IDLE, self._idle_s(connection))
            if connection.received:
                self._look_for_head(connection)
            return
        # Closed at once, a connection on which bytes arrive is reset, and the answer with it.
        with suppress(OSError):
            connection.sock.shutdown(socket.SHUT_WR)
        connection.received.clear()
        self._enter(connection, State.CLOSING)

    def _idle_s(self, connection: Connection) -> float:
        return PATIENCE_S if connection.received else self.cfg.keepalive

    def _refuse(self, connection: Connection, error: BaseException) -> None:
        """What is no request, or whose body breaks off: gunicorn's words for it."""
        answer = self._own_answer(connection)
        self.handle_error(None, answer, connection.address, error)
        self._finish_own(connection, answer)

    def _tell(self, connection: Connection, status: int, reason: str, code: str, title: str) -> None:
        """An answer of this server, as problem+json."""
        problem = {"type": f"/docs/problems/#{code}", "title": title, "status": status, "code": code}
        content = json.dumps(problem | {"detail": title, "hint": "Try again."}).encode()
        head = f"HTTP/1.1 {status} {reason}\r\nContent-Type: application/problem+json\r\n"
        head += f"Content-Length: {len(content)}\r\nRetry-After: 10\r\nConnection: close\r\n\r\n"
        answer = self._own_answer(connection)
        answer.sendall(head.encode() + content)
        self._finish_own(connection, answer)

    def _tell_no_room(self, connection: Connection) -> None:
        self._tell(connection, 503, "Service Unavailable", "storage.full", "There is no room for the request")

    def _own_answer(self, connection: Connection) -> Answer:
        connection.answer = Answer(lambda: None)
        connection.keep = False
        connection.body.close()
        return connection.answer

    def _finish_own(self, connection: Connection, answer: Answer) -> None:
        answer.whole = True
        self._enter(connection, State.ANSWER)
        self._send(connection)


def _with_length(environ: dict[str, Any], size: int, too_large: int | None) -> None:
    """A body that came in chunks is whole now: the application gets it with its length, like any other."""
    if environ.pop("HTTP_TRANSFER_ENCODING", None) is not None or too_large is not None:
        environ["CONTENT_LENGTH"] = str(size)
    if too_large is not None:
        environ[TOO_LARGE] = True


def _usable_descriptors() -> int:
    """Files that this process may open, of which a few are its own; the soft limit, often 1,024, is raised."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    requested_limit = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft != resource.RLIM_INFINITY and soft < requested_limit:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (requested_limit, hard))
            soft = requested_limit
    return max(64, (requested_limit if soft == resource.RLIM_INFINITY else soft) - 200)
