"""Receivers that attack who calls them: they redirect, answer without end, lead elsewhere, or are very many."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from submissions.errors import WebhookRefused
from submissions.models import Account, Delivery, Webhook
from submissions.notifications import outbox, webhooks
from tests.submissions.notifications.test_silent_receivers import short_patience, silent  # noqa: F401

pytestmark = pytest.mark.django_db

Answer = Callable[[socket.socket], None]


class RawReceiver:
    """Takes connections and writes what it is told to; counts both."""

    def __init__(self, answer: Answer) -> None:
        self.requests: list[bytes] = []
        self.sent = 0
        self._answer = answer
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                self.requests.append(connection.recv(65536))
                self._answer(connection)

    def stop(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(10)


@pytest.fixture
def receive(settings) -> Iterator[Callable[[Answer], RawReceiver]]:
    settings.INSECURE_LOCAL = True
    receivers: list[RawReceiver] = []

    def make(answer: Answer) -> RawReceiver:
        receivers.append(RawReceiver(answer))
        return receivers[-1]

    yield make
    for receiver in receivers:
        receiver.stop()


def call(receiver: RawReceiver, path: str = "/") -> webhooks.Reply:
    return webhooks.make_call(webhooks.Call(f"http://127.0.0.1:{receiver.port}{path}", b"{}", {"X": "y"}))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_a_private_host_is_not_followed(receive, status: int) -> None:
    inner = receive(lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n"))
    head = f"HTTP/1.1 {status} Elsewhere\r\nLocation: http://127.0.0.1:{inner.port}/\r\nContent-Length: 0\r\n\r\n"
    outer = receive(lambda connection: connection.sendall(head.encode()))
    assert call(outer) == webhooks.Reply(False, f"HTTP {status}")
    assert (len(outer.requests), inner.requests) == (1, [])


def send_without_end(connection: socket.socket) -> None:
    connection.settimeout(5)
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(bytes(65536))


def send_a_line_without_end(connection: socket.socket) -> None:
    connection.settimeout(5)
    while True:
        connection.sendall(b"HTTP/1.1 200 OK" * 4096)


def test_a_huge_answer_is_read_to_its_first_line(receive) -> None:
    """Its connection ends at once: the receiver cannot send more than buffers hold."""
    receiver = receive(send_without_end)
    assert call(receiver) == webhooks.Reply(True, "HTTP 200")
    receiver.stop()


def test_an_endless_line_is_read_to_its_status(receive) -> None:
    receiver = receive(send_a_line_without_end)
    assert call(receiver) == webhooks.Reply(True, "HTTP 200")
    receiver.stop()


def test_an_answer_byte_by_byte_is_given_up(receive) -> None:
    ended = threading.Event()

    def drip(connection: socket.socket) -> None:
        for letter in b"HTTP/1.1 200 OK and more than anybody waits for":
            connection.sendall(bytes([letter]))
            if ended.wait(0.05):
                return

    receiver = receive(drip)
    reply = call(receiver)
    ended.set()
    assert (reply.delivered, reply.answered) == (False, False), reply


def test_a_body_that_nobody_takes_is_given_up(settings) -> None:
    """The receiver takes the connection, and nothing of what is sent."""
    settings.INSECURE_LOCAL = True
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        reply = webhooks.make_call(webhooks.Call(url, bytes(64 << 20), {}))
    assert (reply.delivered, reply.answered) == (False, False)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/\r\nX-Other: 1",
        "https://example.org/\nX-Other: 1",
        "https://example.org/\tx",
        "https://example.org/a b",
        "https://example.org\r\nHost: inner/",
        "https://example.org/\x00",
        "https://example.org/\u2028",
        "https://ex\u00e4mple.org/",
        "https://a:b@example.org/",
        "https://example.org@127.0.0.1/",
        "https://[::1%25eth0]/",
        "https://[::ffff:7f00:1]/",
    ],
)
def test_an_address_that_would_write_other_headers_or_hide_its_host_is_refused(settings, url: str) -> None:
    settings.INSECURE_LOCAL = False
    with pytest.raises(WebhookRefused):
        webhooks._public_addresses(webhooks._url_parts(url))


def test_an_escaped_line_end_stays_escaped_in_the_request(receive) -> None:
    receiver = receive(lambda connection: connection.sendall(b"HTTP/1.1 204 Taken\r\n\r\n"))
    assert call(receiver, "/hook%0d%0aX-Other:%201?a=%0aHost:x").delivered
    (request,) = receiver.requests
    head = request.partition(b"\r\n\r\n")[0].split(b"\r\n")
    assert head[0] == b"POST /hook%0d%0aX-Other:%201?a=%0aHost:x HTTP/1.1"
    assert [line for line in head if line.lower().startswith((b"x-other", b"host"))] == [
        f"Host: 127.0.0.1:{receiver.port}".encode()
    ]


def test_a_name_that_moves_inside_between_two_deliveries_is_not_called(settings, monkeypatch, cast) -> None:
    """Public while it is added, private when it is called: each call looks the name up, and goes to what it saw."""
    settings.INSECURE_LOCAL = False
    answers = ["8.8.8.8", "10.0.0.1", "::ffff:10.0.0.1", "64:ff9b::a00:1"]
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (answers.pop(0), 0))]
    )
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("it was called"))
    hook = webhooks.add_webhook(cast.alice.account, "https://moving.example/hook")
    for _ in range(3):
        reply = webhooks.make_call(webhooks.Call(hook.url, b"{}", {}))
        assert reply == webhooks.Reply(False, "moving.example is not a public address.", answered=False)
    assert answers == []


def test_many_accounts_with_silent_receivers_delay_nobody_who_answers(cast, receiver, silent) -> None:  # noqa: F811
    """New receivers have not failed yet. They wait until those were called that have taken a delivery before."""
    hook = webhooks.add_webhook(cast.alice.account, receiver.url)
    webhooks._new_trial(hook)
    assert outbox._send_webhooks() and receiver.types == ["trial"]
    for number in range(12):
        account = Account.objects.create_user(f"mallory-{number}")
        for path in range(2):
            webhooks._new_trial(Webhook.objects.create(account=account, url=f"{silent}/{number}/{path}"))
    for _ in range(3):
        webhooks._new_trial(hook)
    for _ in range(3):
        assert [delivery.webhook_id for delivery in outbox._next_receivers()] == [hook.pk]
        assert outbox._send_webhooks()
    assert receiver.types == ["trial"] * 4
    assert not Delivery.objects.exclude(webhook=hook).exclude(attempts=0).exists()
    assert len(outbox._next_receivers()) == outbox.CALLS_AT_ONCE
