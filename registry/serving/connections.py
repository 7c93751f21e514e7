"""One client of the web server, and how far its request is."""

from __future__ import annotations

import socket
from enum import Enum, auto
from typing import Any

from registry.serving.answers import Answer
from registry.serving.bodies import IN_MEMORY_BYTES, Body, ChunkedBody

HEAD_BYTES = 32 * 1024
PIECE_BYTES = 256 * 1024


class State(Enum):
    """What a connection waits for."""

    HEAD = auto()  # the rest of a head
    IDLE = auto()  # another request
    BODY = auto()  # the rest of a body
    THREAD = auto()  # an answer, or a word on whether the body may come
    ANSWER = auto()  # that the client takes the answer
    CLOSING = auto()  # that the client, which has its answer, hangs up


BETWEEN_REQUESTS = (State.HEAD, State.IDLE, State.CLOSING)


class Connection:
    """One client, and how far its request is."""

    def __init__(self, sock: socket.socket, address: Any, server: Any) -> None:
        self.sock, self.address, self.server = sock, address, server
        self.state = State.HEAD
        self.watched = 0  # events that the poller waits for
        self.received = bytearray()
        self.searched = 0  # bytes of it in which the end of a head is not
        self.requests = 0
        self.request: Any = None  # gunicorn's, once a head was read
        self.expects_permission = False  # "Expect: 100-continue"
        self.body = Body(0)
        self.body_limit = 0
        self.sender: str | None = None  # the account that sends the body
        self.waits_since = 0.0  # for a thread
        self.answer: Answer | None = None
        self.unsent = memoryview(b"")
        self.keep = False
        self.deadline = 0.0
        self.moved = 0  # bytes since the deadline was set

    @property
    def reads_at_once(self) -> int:
        """Bytes; few where each may be work, since all others wait for it."""
        if self.state is State.CLOSING or (self.state is State.BODY and not isinstance(self.body, ChunkedBody)):
            return PIECE_BYTES
        return HEAD_BYTES

    @property
    def gave_up(self) -> bool:
        """Whether the client sends nothing more: it hung up, or closed its side and waits."""
        try:
            return self.sock.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    @property
    def may_be_closed(self) -> bool:
        """Whether it is the first to make room for a new client: who sends no request, or a body without an account."""
        if self.state is State.BODY:
            return self.body_limit <= IN_MEMORY_BYTES
        return self.state in BETWEEN_REQUESTS
