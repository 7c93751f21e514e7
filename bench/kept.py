"""Answers that are kept: a frozen list to 50 clients at once, beside /livez and the rendered page."""

from __future__ import annotations

import http.client
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from django.conf import settings
from django.test import Client

from bench.figures import figure
from bench.site import web
from bench.synthetic import LIST_NAME, record

CLIENTS, REQUESTS, ROUNDS = 50, 3000, 40
GZIP = {"Accept-Encoding": "gzip"}


def run(size: int) -> None:
    page = f"/lists/{record(size)}/{LIST_NAME}/"
    conditions = {"results": size, "clients": CLIENTS}
    with web() as site:
        address = site.address
        _, tag = _ask(http.client.HTTPConnection(urlsplit(address).netloc), page, GZIP)
        addresses = {
            "/livez": ("/livez", {}),
            "kept list page": (page, GZIP),
            "kept list page, 304": (page, GZIP | {"If-None-Match": tag}),
            "kept list API": (f"/api/v1{page}", GZIP),
        }
        rates = {name: _rate(address, path, headers) for name, (path, headers) in addresses.items()}
    for name, rate in rates.items():
        figure("kept", name, rate, "1/s", **conditions)
        if name != "/livez":
            figure("kept", f"{name} to /livez", rate / rates["/livez"], "x", **conditions)
    _compare_cpu(page, size)


def _compare_cpu(page: str, size: int) -> None:
    """CPU time in this process, through all middleware: rendering the page, and telling from what is kept."""
    client, ms = Client(HTTP_HOST="localhost"), {}
    tag = client.get(page, headers=GZIP)["ETag"]
    for name, kept_bytes, headers in (
        ("rendered page", 0, GZIP),
        ("kept page", 2**25, GZIP),
        ("kept page, 304", 2**25, GZIP | {"If-None-Match": tag}),
    ):
        settings.KEPT_ANSWERS_BYTES = kept_bytes
        client.get(page, headers=headers)
        begun = time.process_time()
        for _ in range(ROUNDS):
            client.get(page, headers=headers)
        ms[name] = (time.process_time() - begun) / ROUNDS * 1000
    settings.KEPT_ANSWERS_BYTES = 0
    for name, value in ms.items():
        figure("kept", f"CPU of {name}", value, "ms", results=size, rounds=ROUNDS)
        figure("kept", f"CPU of {name} to rendering", value / ms["rendered page"], "x", results=size, rounds=ROUNDS)


def _rate(address: str, path: str, headers: dict[str, str]) -> float:
    """Answers per second to so many clients, each on a connection of its own that stays open."""
    place = urlsplit(address).netloc

    def one_client(_: int) -> None:
        connection = http.client.HTTPConnection(place, timeout=60)
        for _ in range(REQUESTS // CLIENTS):
            status, _ = _ask(connection, path, headers)
            assert status in (200, 304), (path, status)
        connection.close()

    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(one_client, range(CLIENTS)))
        begun = time.perf_counter()
        list(clients.map(one_client, range(CLIENTS)))
        return REQUESTS / (time.perf_counter() - begun)


def _ask(connection: http.client.HTTPConnection, path: str, headers: dict[str, str]) -> tuple[int, str]:
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    return answer.status, answer.headers.get("ETag", "")
