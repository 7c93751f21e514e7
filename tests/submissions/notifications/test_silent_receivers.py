"""A receiver that never answers holds up nobody else's, and is left alone after a while."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from submissions.models import Delivery, Webhook
from submissions.notifications import outbox, webhooks

pytestmark = pytest.mark.django_db


@pytest.fixture
def silent(settings) -> Iterator[str]:
    """The address of a host that takes connections and says nothing."""
    settings.INSECURE_LOCAL = True
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture(autouse=True)
def short_patience(monkeypatch) -> None:
    monkeypatch.setattr(webhooks, "TIMEOUT_S", 0.3)
    monkeypatch.setattr(outbox, "ANSWERED_WITHIN_S", 0.6)


def test_forty_test_calls_to_a_silent_host_delay_no_other_account(cast, receiver, silent) -> None:
    for number in range(4):
        hook = webhooks.add_webhook(cast.charlie.account, f"{silent}/{number}")
        for _ in range(10):
            webhooks._new_trial(hook)
    webhooks.try_out(webhooks.add_webhook(cast.alice.account, receiver.url))
    assert outbox._send_webhooks()
    assert receiver.types == ["trial"]
    assert Delivery.objects.filter(attempts=1).count() == 1 + outbox.CALLS_OF_ACCOUNT


def test_a_silent_receiver_waits_longer_until_it_answers(cast, silent, receiver) -> None:
    hook = webhooks.add_webhook(cast.alice.account, f"{silent}/")
    first, second = (webhooks.try_out(hook) for _ in range(2))
    outbox.send_due()
    hook.refresh_from_db()
    assert (hook.failures, Delivery.objects.get(pk=second.pk).attempts) == (1, 0)
    assert hook.rest_until <= timezone.now() + timedelta(minutes=1)
    with time_machine.travel(timezone.now() + timedelta(minutes=1, seconds=5), tick=True):
        outbox.send_due()
        hook.refresh_from_db()
        assert hook.failures == 2
        assert hook.rest_until > timezone.now() + timedelta(seconds=100)
    Webhook.objects.update(url=receiver.url)
    with time_machine.travel(timezone.now() + timedelta(minutes=10), tick=True):
        outbox.send_due()
    hook.refresh_from_db()
    assert (hook.failures, hook.rest_until, len(receiver.received)) == (0, None, 2)
    assert {*Delivery.objects.values_list("state", flat=True)} == {"delivered"}
    assert first.pk < second.pk


def test_receivers_that_answered_last_time_are_called_first(cast, receiver, silent) -> None:
    dead = webhooks.add_webhook(cast.charlie.account, f"{silent}/dead")
    Webhook.objects.filter(pk=dead.pk).update(failures=3)
    webhooks.try_out(dead)
    webhooks.try_out(webhooks.add_webhook(cast.alice.account, receiver.url))
    assert [delivery.account_id for delivery in outbox._next_receivers()] == [
        cast.alice.account.pk,
        cast.charlie.account.pk,
    ]


@pytest.fixture
def endless(settings) -> Iterator[tuple[str, list[socket.socket]]]:
    """The address of a host that sends one byte after the other of a handshake that never ends, and its connections."""
    settings.INSECURE_LOCAL = True
    connections: list[socket.socket] = []
    ended = threading.Event()

    def serve_endlessly() -> None:
        while not ended.wait(0.05):
            with suppress(BlockingIOError):
                connections.append(listening.accept()[0])
                connections[-1].sendall(b"\x16\x03\x03\x3f\xff")
            for connection in connections:
                with suppress(OSError):
                    connection.sendall(b"\x02")

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        listening.setblocking(False)
        serving = threading.Thread(target=serve_endlessly)
        serving.start()
        yield f"https://127.0.0.1:{listening.getsockname()[1]}/", connections
        ended.set()
        serving.join()
        for connection in connections:
            connection.close()


def test_a_handshake_without_end_is_broken_off(cast, endless, monkeypatch) -> None:
    monkeypatch.setattr(webhooks, "TIMEOUT_S", 60)
    url, connections = endless
    before = {*threading.enumerate()}
    hook = webhooks.add_webhook(cast.alice.account, url)
    webhooks.try_out(hook)
    assert outbox._send_webhooks()
    for thread in {*threading.enumerate()} - before:
        thread.join(10)
        assert not thread.is_alive(), "a thread waits for a receiver that was given up"
    hook.refresh_from_db()
    assert (len(connections), hook.failures) == (1, 1)


def test_a_call_that_was_broken_off_before_it_connects_ends_at_once(cast, endless) -> None:
    """Its name server may answer after the call was given up."""
    call = webhooks.Call(endless[0], b"{}", {})
    call.break_off()
    assert webhooks.make_call(call) == webhooks.Reply(False, "ConnectionError: no answer in time", answered=False)


@pytest.fixture
def name_servers(monkeypatch) -> Iterator[threading.Event]:
    """They answer when this is set."""
    answering, real = threading.Event(), socket.getaddrinfo

    def look_up(host, *arguments, **options):
        if host.endswith(".example"):
            answering.wait(60)
            raise socket.gaierror("no answer")
        return real(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    yield answering
    answering.set()


def test_name_servers_without_an_answer_hold_up_few_requests(cast, receiver, name_servers) -> None:
    before = {*threading.enumerate()}
    answers = [cast.alice.post("webhooks/", {"url": f"https://n{number}.example/"}) for number in range(4)]
    details = [(answer.status_code, answer.json()["detail"]) for answer in answers]
    assert details == [
        (422, "n0.example was not found in time."),
        (422, "n1.example was not found in time."),
        (422, "Other names are being looked up."),
        (422, "Other names are being looked up."),
    ]
    name_servers.set()
    for thread in {*threading.enumerate()} - before:
        thread.join(10)
    assert cast.alice.post("webhooks/", {"url": receiver.url}).status_code == 201


def test_the_address_that_was_looked_at_is_the_one_that_is_called(settings, monkeypatch) -> None:
    """A name may lead elsewhere a moment later."""
    settings.INSECURE_LOCAL = False
    answers, called = ["8.8.8.8", "127.0.0.1", "127.0.0.1"], []

    def look_up(*_: object, **__: object) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (answers.pop(0), 0))]

    def connect(address: tuple[str, int], *_: object) -> None:
        called.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket, "create_connection", connect)
    assert not webhooks.make_call(webhooks.Call("https://moving.example/", b"{}", {})).answered
    assert (called, len(answers)) == ([("8.8.8.8", 443)], 2)
    assert "not a public address" in webhooks.make_call(webhooks.Call("https://moving.example/", b"{}", {})).words
    assert len(called) == 1


@pytest.mark.parametrize("other", ["10.0.0.1", "64:ff9b::a9fe:a9fe", "::ffff:127.0.0.1", "fe80::1%eth0"])
def test_a_name_with_one_internal_address_is_not_called(settings, monkeypatch, other: str) -> None:
    settings.INSECURE_LOCAL = False
    rows = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in ("8.8.8.8", other)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: rows)
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("it was called"))
    assert "not a public address" in webhooks.make_call(webhooks.Call("https://mixed.example/", b"{}", {})).words


def test_an_error_status_of_a_receiver_is_an_answer(cast, receiver) -> None:
    receiver.statuses[:] = [500]
    hook = webhooks.add_webhook(cast.alice.account, receiver.url)
    webhooks.try_out(hook)
    outbox.send_due()
    hook.refresh_from_db()
    assert (hook.failures, hook.rest_until) == (0, None)


def test_test_calls_of_an_account_are_limited(cast, receiver) -> None:
    addresses = [cast.alice.post("webhooks/", {"url": f"{receiver.url}/{n}"}).json()["id"] for n in range(2)]
    answers = [cast.alice.post(f"webhooks/{addresses[n % 2]}/deliveries/") for n in range(webhooks.MOST_TRIALS + 1)]
    assert [answer.status_code for answer in answers] == [202] * webhooks.MOST_TRIALS + [429]
    assert answers[-1].json()["code"] == "webhook.trials"
    assert int(answers[-1]["Retry-After"]) > 0
    other = cast.bob.post("webhooks/", {"url": receiver.url}).json()["id"]
    assert cast.bob.post(f"webhooks/{other}/deliveries/").status_code == 202
    with time_machine.travel(timezone.now() + timedelta(hours=2), tick=True):
        assert cast.alice.post(f"webhooks/{addresses[0]}/deliveries/").status_code == 202
