"""A receiver of webhooks on this machine, and the turns of the scheduler that tell."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from submissions.notifications import outbox


def told_after(**wait: float) -> None:
    """As the scheduler does it, now and a while later."""
    outbox.send_due()
    with time_machine.travel(timezone.now() + timedelta(**wait), tick=True):
        outbox.send_due()


class Receiver(http.server.HTTPServer):
    """Keeps what it is sent, and answers with `statuses`, one after the other, then 200."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/hook"
        self.received: list[tuple[dict[str, str], bytes]] = []
        self.statuses: list[int] = []

    @property
    def types(self) -> list[str]:
        return [json.loads(body)["type"] for _, body in self.received]


class Handler(http.server.BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 200)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def receiver(settings) -> Iterator[Receiver]:
    settings.INSECURE_LOCAL = True
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()
