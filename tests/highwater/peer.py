"""A registry of a few lines: it answers what a test told it to, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """Status, body (a document as JSON, or bytes) and headers."""

    body: Any = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Request:
    """What came in: method, path with query, headers and body."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Peer:
    """Its address, and the requests so far, in order."""

    url: str
    requests: list[Request] = field(default_factory=list)


@contextmanager
def answering(answer: Callable[[Request], Answer]) -> Iterator[Peer]:
    """A server on this machine that answers each request with what `answer` makes of it."""
    requests: list[Request] = []

    class Handler(BaseHTTPRequestHandler):
        def respond(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            request = Request(self.command, self.path, dict(self.headers), body)
            requests.append(request)
            chosen = answer(request)
            content = chosen.body if isinstance(chosen.body, bytes) else json.dumps(chosen.body).encode()
            self.send_response(chosen.status)
            for name, value in chosen.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(0 if chosen.status == 304 else len(content)))
            self.end_headers()
            if chosen.status != 304:
                self.wfile.write(content)

        do_GET = do_POST = respond

        def log_message(self, format: str, *arguments: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Peer(f"http://127.0.0.1:{server.server_port}", requests)
        server.shutdown()
