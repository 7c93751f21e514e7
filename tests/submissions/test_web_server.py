"""Strangers who are slow or silent: refused from the head, closed in the end, and in nobody's way meanwhile."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import re
import select
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import connection

from registry.serving.answers import FromFile
from registry.serving.worker import BODIES_AT_ONCE
from submissions.models import Submission
from tests.flows.faults import children
from tests.submissions.cast import leftovers
from tests.submissions.conftest import services_environment, somebody_waits, wait_until
from tests.submissions.web_server import serving_with, started_server

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]

UPLOADS = "/api/v1/submissions/"
MULTIPART = "Content-Type: multipart/form-data; boundary=x"
THREADS = 2
# Several times the threads of both processes.
MANY = 40


@pytest.fixture(scope="module")
def bundle_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bundles")


@pytest.fixture(scope="module")
def patient(django_db_setup, bundle_folder: Path) -> Iterator[str]:
    """A server that waits for longer than the tests take: nobody is answered because others were closed."""
    with serving_with(services_environment(bundle_folder) | {"CLIENT_PATIENCE_S": "3600"}, THREADS) as address:
        yield address


@pytest.fixture(scope="module")
def hurried(django_db_setup, bundle_folder: Path) -> Iterator[str]:
    """A server that waits for nobody for long."""
    with serving_with(services_environment(bundle_folder) | {"CLIENT_PATIENCE_S": "1"}, THREADS) as address:
        yield address


def connect(address: str, data: bytes = b"") -> socket.socket:
    parts = urlsplit(address)
    client = socket.create_connection((parts.hostname, parts.port), timeout=600)
    client.sendall(data)
    return client


def head(method: str, path: str, *headers: str) -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]).encode()


def answer(client: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Status, headers in small letters and body, when the server has closed its side; the client's stays open."""
    received = b""
    while data := client.recv(65536):
        received += data
    first, _, body = received.partition(b"\r\n\r\n")
    line, *headers = first.decode().split("\r\n")
    return int(line.split()[1]), {name.lower(): value for name, _, value in (h.partition(": ") for h in headers)}, body


def may_go_on(address: str) -> bool:
    """Whether the server would take another request on the connection."""
    client = http.client.HTTPConnection(urlsplit(address).netloc, timeout=600)
    try:
        client.request("GET", "/livez")
        return client.getresponse().headers["Connection"] == "keep-alive"
    finally:
        client.close()


def code(client: socket.socket) -> tuple[int, str, str]:
    status, headers, body = answer(client)
    return status, json.loads(body)["code"], headers["connection"]


def readable(clients: list[socket.socket]) -> list[socket.socket]:
    """Those to whom the server said something, or hung up, by now."""
    poll = select.poll()
    for client in clients:
        poll.register(client, select.POLLIN)
    spoken = {descriptor for descriptor, _ in poll.poll(0)}
    return [client for client in clients if client.fileno() in spoken]


def page(address: str) -> int:
    return answer(connect(address, head("GET", "/releases/", "Connection: close")))[0]


def bundle(content: bytes) -> bytes:
    field = "Content-Disposition: form-data; name="
    return (
        (
            f'--x\r\n{field}"sha256"\r\n\r\n{hashlib.sha256(content).hexdigest()}\r\n'
            f'--x\r\n{field}"bundle"; filename="run.tar.gz"\r\n\r\n'
        ).encode()
        + content
        + b"\r\n--x--\r\n"
    )


def upload(address: str, token: str, content: bytes) -> int:
    body = bundle(content)
    request = head("POST", UPLOADS, f"Authorization: Token {token}", MULTIPART, f"Content-Length: {len(body)}",
                   "Connection: close")  # fmt: skip
    return answer(connect(address, request + body))[0]


# Refused from the head: no byte of the body is ever sent here


@pytest.mark.parametrize(
    ("request_head", "status", "problem"),
    [
        (head("POST", UPLOADS, MULTIPART, "Content-Length: 1000"), 401, "auth.required"),
        (head("POST", UPLOADS, MULTIPART, "Content-Length: 250000000"), 401, "auth.required"),
        (head("POST", UPLOADS, MULTIPART, "Transfer-Encoding: chunked"), 401, "auth.required"),
        (head("POST", UPLOADS, MULTIPART, "Content-Length: 9", "Expect: 100-continue"), 401, "auth.required"),
        (head("POST", UPLOADS, MULTIPART, "Content-Length: 9", "Authorization: Token hw_no"), 401, "auth.failed"),
        (head("POST", UPLOADS, MULTIPART, "Content-Length: 9", "Cookie: sessionid=no"), 401, "auth.required"),
        (head("POST", "/api/v1/check/", MULTIPART, "Content-Length: 1000"), 401, "auth.required"),
        (head("POST", "/api/v1/nothing/", "Content-Length: 1000"), 404, "request.not-found"),
        (head("DELETE", "/api/v1/results/", "Content-Length: 1000"), 405, "request.method"),
        (head("POST", "/api/v1/receipts/", "Content-Length: 1000"), 405, "request.method"),
    ],
)
def test_requests_are_refused_before_their_body(patient, cast, request_head, status, problem) -> None:
    assert code(connect(patient, request_head)) == (status, problem, "close")


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/nothing/", [], 404),
        ("/login/", [], 403),  # no CSRF cookie, so no form of ours
        ("/submissions/new/", [], 302),
        ("/login/", ["Cookie: csrftoken=" + "a" * 32], 413),
    ],
)
def test_pages_refuse_before_the_body_too(patient, cast, path, headers, status) -> None:
    request = head("POST", path, MULTIPART, "Content-Length: 100000", *headers)
    received_status, headers, _ = answer(connect(patient, request))
    assert (received_status, headers["connection"]) == (status, "close")


@pytest.mark.parametrize(
    ("method", "path", "size", "problem"),
    [
        ("POST", UPLOADS, 66 * 2**20, "bundle.too-large"),
        ("POST", "/api/v1/check/", 66 * 2**20, "bundle.too-large"),
        ("POST", "/api/v1/tokens/", 2 * 2**20, "request.too-large"),
        ("PUT", "/api/v1/submissions/00000000-0000-0000-0000-000000000000/answers/", 2 * 2**20, "request.too-large"),
    ],
)
def test_a_content_length_over_the_limit_is_refused(patient, cast, method, path, size, problem) -> None:
    token = f"Authorization: Token {cast.alice.token}"
    request = head(method, path, token, MULTIPART, f"Content-Length: {size}")
    assert code(connect(patient, request)) == (413, problem, "close")


def test_chunks_without_end_are_too_large(patient, cast, bundles: Path) -> None:
    client = connect(patient, head("POST", UPLOADS, f"Authorization: Token {cast.alice.token}", MULTIPART,
                                   "Transfer-Encoding: chunked"))  # fmt: skip
    for _ in range(70):
        client.sendall(b"100000\r\n" + bytes(0x100000) + b"\r\n")
    assert code(client) == (413, "bundle.too-large", "close")
    assert leftovers(bundles) == []


@pytest.mark.parametrize(
    "chunks",
    [b"zz\r\n", b"-5\r\n", b"0x5\r\nhello\r\n", b"5\r\nhello!\r\n", b"5\nhello\r\n", b"5" * 17 + b"\r\n", b"\r\n",
     b"5\r\nhello\r\n0\r\nGET / HTTP/1.1\r\n\r\n", b"5;" + b"a" * 5000, b"1\r\na\r\n" * 50_000,
     b"0\r\n" + b"a: b\r\n" * 30_000],
)  # fmt: skip
def test_broken_chunks_are_refused(patient, cast, chunks) -> None:
    request = head("POST", UPLOADS, f"Authorization: Token {cast.alice.token}", MULTIPART, "Transfer-Encoding: chunked")
    client = connect(patient, request)
    with contextlib.suppress(OSError):
        client.sendall(chunks)
    assert answer(client)[0] == 400


@pytest.mark.parametrize(
    "request_head",
    [
        head("POST", UPLOADS, "Content-Length: 10", "Transfer-Encoding: chunked"),
        head("POST", UPLOADS, "Content-Length: 10", "Content-Length: 11"),
        head("POST", UPLOADS, "Content-Length: -1"),
        head("POST", UPLOADS, "Transfer-Encoding: chunked, chunked"),
        head("GET", "/", "X: " + "a" * 9000),
        head("GET", "/", *["X: " + "a" * 900] * 60),
        head("GET", "/" + "a" * 9000),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\r\n\r\n\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n",
    ],
)
def test_malformed_requests_are_refused(patient, request_head) -> None:
    client = connect(patient, request_head)
    assert 400 <= answer(client)[0] < 500


# What is honest in every way of sending it


def test_requests_that_come_at_once_are_answered_in_their_order(patient) -> None:
    client = connect(
        patient, head("GET", "/livez") + head("GET", "/nothing") + head("GET", "/livez", "Connection: close")
    )
    received = b""
    while data := client.recv(65536):
        received += data
    assert re.findall(rb"HTTP/1\.1 (\d+) ", received) == [b"200", b"404", b"200"]


def test_a_form_in_chunks_and_pieces_is_read_like_any_other(patient, cast, archive) -> None:
    content = archive()
    body, request = bundle(content), head("POST", UPLOADS, f"Authorization: Token {cast.alice.token}", MULTIPART,
                                        "Transfer-Encoding: chunked", "Connection: close")  # fmt: skip
    client = connect(patient)
    for byte in request:
        client.sendall(bytes([byte]))
    for start in range(0, len(body), 777):
        piece = body[start : start + 777]
        client.sendall(b"%X;name=value\r\n" % len(piece) + piece + b"\r\n")
    client.sendall(b"0\r\nTrailer: x\r\n\r\n")
    assert answer(client)[0] == 202
    assert Submission.objects.get().sha256 == hashlib.sha256(content).hexdigest()


def test_clients_that_wait_for_permission_get_it(patient, cast, archive) -> None:
    body = bundle(archive())
    client = connect(patient, head("POST", UPLOADS, f"Authorization: Token {cast.alice.token}", MULTIPART,
                                   f"Content-Length: {len(body)}", "Expect: 100-continue",
                                   "Connection: close"))  # fmt: skip
    assert client.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
    client.sendall(body)
    assert answer(client)[0] == 202


def test_clients_that_do_not_wait_for_100_continue_are_answered(patient) -> None:
    request = head("POST", "/preferences/", "Content-Type: application/x-www-form-urlencoded", "Content-Length: 10",
                 "Expect: 100-continue", "Connection: close")  # fmt: skip
    assert answer(connect(patient, request + b"theme=dark"))[0] == 302


def test_clients_that_close_their_side_get_all_answers(patient, cast, archive) -> None:
    body = bundle(archive())
    client = connect(patient, head("GET", "/releases/"))
    client.sendall(head("POST", UPLOADS, f"Authorization: Token {cast.alice.token}", MULTIPART,
                        f"Content-Length: {len(body)}") + body)  # fmt: skip
    client.shutdown(socket.SHUT_WR)
    received = b""
    while data := client.recv(65536):
        received += data
    assert re.findall(rb"HTTP/1\.1 (\d+) ", received) == [b"200", b"202"]


@pytest.mark.parametrize("name", ["SCRIPT_NAME", "PATH_INFO", "REMOTE_USER"])
def test_headers_do_not_set_server_variables(patient, name) -> None:
    assert answer(connect(patient, head("GET", "/livez", f"{name}: /other", "Connection: close")))[0] == 200


def test_a_truncated_file_aborts_the_response(tmp_path: Path) -> None:
    """Its length has been announced: what follows on the connection would be taken for its end."""
    path = tmp_path / "export"
    path.write_bytes(b"0123456789")
    with path.open("rb") as file:
        part = FromFile(file, 2, 8)
    os.truncate(path, 6)
    assert part.read(100) == b"2345"
    with pytest.raises(OSError):
        part.read(100)
    part.close()


@pytest.mark.deep
def test_a_full_disk_is_reported_until_it_has_space(
    django_db_setup, bundle_folder: Path, tmp_path: Path, cast, archive
) -> None:
    """A folder that is gone stands for a disk that is full: nothing can be written there."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    request_head = head("GET", "/docs/parameters/", "Connection: close")
    large = f"Content-Length: {1024 * 1024}"
    uploading = head("POST", UPLOADS, f"Authorization: Token {cast.alice.token}", MULTIPART, large)
    with serving_with(services_environment(bundle_folder) | {"TMPDIR": str(folder)}, THREADS, processes=8) as address:
        folder.rmdir()
        for request in (request_head, uploading + bytes(1024 * 1024)):
            client = connect(address, request)
            status, headers, body = answer(client)
            assert (status, headers["retry-after"], json.loads(body)["code"]) == (503, "10", "storage.full")
        assert page(address) == 200
        assert upload(address, cast.alice.token, archive()) == 202
        folder.mkdir()
        assert answer(connect(address, request_head))[0] == 200


def test_a_stopping_process_answers_running_requests(django_db_setup, bundle_folder: Path, cast) -> None:
    """Stopped while the first of two requests is answered, it answers the second, too, and says that it is the last."""
    environment = services_environment(bundle_folder) | {"GUNICORN_CMD_ARGS": "--max-requests 20"}
    with serving_with(environment, THREADS, processes=1) as address:
        with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None}) as other:
            other.execute("LOCK TABLE registry_release IN ACCESS EXCLUSIVE MODE")
            client = connect(address, head("GET", "/releases/") + head("HEAD", "/livez"))
            wait_until(somebody_waits)
            while may_go_on(address):
                pass
            other.rollback()
        received = b""
        while data := client.recv(65536):
            received += data
    assert re.findall(rb"HTTP/1\.1 (\d+) .*?Connection: ([a-z-]+)", received, re.DOTALL) == [
        (b"200", b"keep-alive"),
        (b"200", b"close"),
    ]


def test_a_stopping_process_answers_clients_that_wait_to_be_accepted(django_db_setup, bundle_folder: Path) -> None:
    """Behind a proxy they are uploads that were sent already; whoever comes later is refused, and asks another host."""
    with started_server(services_environment(bundle_folder), THREADS, processes=1) as (address, first):
        (serving,) = children(first.pid)
        os.kill(serving, signal.SIGSTOP)
        wait_until(lambda: status_of(serving, "State").startswith("T"))  # before, it would take the next signal first
        clients = [connect(address, head("GET", "/livez")) for _ in range(MANY)]
        first.terminate()
        wait_until(lambda: is_pending(serving, signal.SIGTERM))
        os.kill(serving, signal.SIGCONT)
        assert [answer(client)[0] for client in clients] == [200] * MANY
        first.wait(60)
        with pytest.raises(ConnectionRefusedError):
            connect(address)


def is_pending(process: int, number: signal.Signals) -> bool:
    """Whether a stopped process has a signal to take when it goes on."""
    return bool(int(status_of(process, "ShdPnd"), 16) >> (number - 1) & 1)


def status_of(process: int, name: str) -> str:
    """A row of a process's status: `T (stopped)` for its `State`."""
    (value,) = re.findall(rf"^{name}:\s*(.+)$", Path(f"/proc/{process}/status").read_text(), re.MULTILINE)
    return value


# Many of them at once


def test_an_account_that_sends_too_many_bodies_loses_its_slowest(patient, cast, archive) -> None:
    token = cast.alice.token
    request = head("POST", UPLOADS, f"Authorization: Token {token}", MULTIPART, "Content-Length: 60000000")
    with contextlib.ExitStack() as held:
        other = held.enter_context(connect(patient, request.replace(token.encode(), cast.bob.token.encode())))
        clients = [held.enter_context(connect(patient, request)) for _ in range(2 * BODIES_AT_ONCE + 5)]
        wait_until(lambda: len(readable(clients)) >= 5)
        closed = readable(clients)
        assert {code(client) for client in closed} == {(429, "request.throttled", "close")}
        assert readable([other]) == []
        assert upload(patient, token, archive()) == 202


@pytest.mark.deep
def test_requests_of_disconnected_clients_are_dropped_first(
    django_db_setup, bundle_folder: Path, cast, archive
) -> None:
    """One thread, held up by a lock: the upload behind it is of a client that hung up."""
    environment = services_environment(bundle_folder) | {"CLIENT_PATIENCE_S": "1"}
    content = bundle(archive())
    request = head(
        "POST", UPLOADS, f"Authorization: Token {cast.alice.token}", MULTIPART, f"Content-Length: {len(content)}"
    )
    with serving_with(environment, threads=1, processes=1) as address:
        with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None}) as other:
            other.execute("LOCK TABLE registry_release IN ACCESS EXCLUSIVE MODE")
            holding = connect(address, head("GET", "/releases/", "Connection: close"))
            wait_until(somebody_waits)
            connect(address, request + content).close()
            assert answer(connect(address, b"GET / HTTP/1.1\r\n"))[0] == 408  # so long it has waited
            other.rollback()
        assert answer(holding)[0] == 200
        assert page(address) == 200
    assert not Submission.objects.exists()


def silent(client: socket.socket) -> None:
    """Nothing more comes from this one."""


def byte_by_byte(client: socket.socket) -> None:
    with contextlib.suppress(OSError):
        client.sendall(b"a")


ACCOUNT = "Authorization: Token {token}"
STRANGERS: dict[str, tuple[bytes, Callable[[socket.socket], None]]] = {
    "sends nothing": (b"", silent),
    "half a head": (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-", byte_by_byte),
    "a form without its body": (head("POST", "/login/", "Cookie: csrftoken=x", "Content-Length: 1000"), silent),
    "a form byte by byte": (head("POST", "/login/", "Cookie: csrftoken=x", "Content-Length: 1000"), byte_by_byte),
    "JSON without its body": (head("POST", "/api/v1/tokens/", ACCOUNT, "Content-Length: 1000"), silent),
    "an upload without its body": (head("POST", UPLOADS, ACCOUNT, MULTIPART, "Content-Length: 1000000"), silent),
    "an upload byte by byte": (head("POST", UPLOADS, ACCOUNT, MULTIPART, "Content-Length: 1000000"), byte_by_byte),
    "chunks that stop": (head("POST", UPLOADS, ACCOUNT, MULTIPART, "Transfer-Encoding: chunked") + b"ff\r\na", silent),
    "half a TLS record": (b"\x16\x03\x01\x02\x00\x01", silent),
    "kept open": (head("GET", "/livez"), silent),
    "does not read its answer": (head("GET", "/docs/parameters/") * 40, silent),
}


@pytest.mark.parametrize("kind", STRANGERS)
def test_slow_strangers_block_no_account(patient, cast, archive, kind) -> None:
    """Nobody's patience ends while this test runs, so pages and uploads are answered beside all of them."""
    beginning, go_on = STRANGERS[kind]
    beginning = beginning.replace(b"{token}", cast.alice.token.encode())
    with contextlib.ExitStack() as held:
        clients = [held.enter_context(connect(patient, beginning)) for _ in range(MANY)]
        for performance in (2.0, 3.0):
            for client in clients:
                go_on(client)
            assert page(patient) == 200
            assert upload(patient, cast.alice.token, archive(performance=performance)) == 202


@pytest.mark.deep
@pytest.mark.parametrize("kind", [kind for kind in STRANGERS if kind != "does not read its answer"])
def test_idle_strangers_are_disconnected(hurried, cast, kind) -> None:
    beginning, go_on = STRANGERS[kind]
    with connect(hurried, beginning.replace(b"{token}", cast.alice.token.encode())) as client:
        stop = threading.Event()

        def trickle() -> None:
            while not stop.wait(0.1):
                go_on(client)

        slowly = threading.Thread(target=trickle)
        slowly.start()
        try:
            with contextlib.suppress(ConnectionResetError):
                while client.recv(65536):
                    pass
        finally:
            stop.set()
            slowly.join()
    assert page(hurried) == 200


@pytest.mark.deep
def test_clients_that_do_not_read_are_disconnected(hurried) -> None:
    """More answers than the buffers of both ends hold, none of them read: the server hangs up, and they break off."""
    with connect(hurried) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(60)
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            while True:  # until the server takes no more
                client.sendall(head("GET", "/docs/parameters/") * 10)
    assert page(hurried) == 200


@pytest.mark.deep
@pytest.mark.parametrize(
    ("beginning", "places"),
    [(b"GET / HTTP/1.1\r\n", 20), (head("GET", "/docs/parameters/") * 200, 3)],  # half a head; reads no answer
)
def test_a_full_server_drops_the_oldest_idle_connection(
    django_db_setup, bundle_folder: Path, cast, archive, beginning, places
) -> None:
    """More idle or slow clients than the server may hold: those that wait longest go, and who speaks is answered."""
    environment = services_environment(bundle_folder) | {
        "CLIENT_PATIENCE_S": "3600",
        "GUNICORN_CMD_ARGS": f"--worker-connections {places}",
    }
    with serving_with(environment, THREADS) as address, contextlib.ExitStack() as held:
        for _ in range(5 * places):
            held.enter_context(connect(address, beginning))
        assert page(address) == 200
        assert upload(address, cast.alice.token, archive()) == 202
