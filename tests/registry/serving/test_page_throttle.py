"""Pages and pictures have a rate per address; a refusal is a page with Retry-After."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.core.cache import cache, caches
from django.db import connection
from django.test import Client

from registry.errors import Problem

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def rates(settings):
    cache.clear()
    settings.THROTTLE_RATES = {
        **settings.THROTTLE_RATES,
        "page": ("3/min", "100000/s"),
        "picture": ("1/min", "100000/s"),
        "read": ("100000/s", "100000/s"),
    }
    yield
    cache.clear()


def get(address: str, caller: str = "198.51.100.7"):
    return Client().get(address, REMOTE_ADDR=caller)


def test_pages_have_a_rate_per_address() -> None:
    assert [get("/docs/").status_code for _ in range(3)] == [200] * 3
    refused = get("/docs/")
    assert refused.status_code == 429 and 0 < int(refused["Retry-After"]) <= 60
    page = refused.content.decode()
    assert "Too many requests" in page and "Retry-After" not in page, "no browser shows the header"
    assert f"Wait {refused['Retry-After']} second" in page
    assert get("/docs/", "198.51.100.8").status_code == 200
    assert get("/docs/", "127.0.0.1").status_code == 200


@pytest.mark.parametrize(
    ("seconds", "hint", "expected"),
    [
        (1, "Try again after the seconds in Retry-After.", "Try again in 1 second."),
        (119, "Wait the seconds in `Retry-After`.", "Wait 119 seconds."),
        (121, "Wait as long as Retry-After says, then reload.", "Wait 3 minutes, then reload."),
        (86_400, "Send it again after the seconds in Retry-After, or ask.", "Send it again in 24 hours, or ask."),
        (None, "Try again after the seconds in Retry-After.", "Try again in a while."),
        (5, "Check the address.", "Check the address."),
        (None, "Accept both. By API, send `rules` as true.", "Accept both."),
        (None, "Send `reason`; the history keeps it.", ""),
    ],
)
def test_a_hint_of_a_page_says_how_long_to_wait(seconds: int | None, hint: str, expected: str) -> None:
    problem = Problem(hint=hint)
    problem.retry_after_s = seconds
    assert (problem.page_hint, problem.hint) == (expected, hint)


def test_probes_are_never_throttled() -> None:
    assert [get("/livez").status_code for _ in range(5)] == [200] * 5


@pytest.mark.parametrize(
    "caller", ["2001:db8:0:{:02x}::1", "2001:db8::{:x}", "2001:db8:0:7:{:x}::", "::ffff:198.51.100.7"]
)
def test_addresses_of_one_network_have_one_rate(caller: str) -> None:
    """One home has 2^72 addresses of IPv6, and may send each request from another one."""
    assert [get("/docs/", caller.format(number)).status_code for number in range(1, 5)] == [200, 200, 200, 429]
    assert get("/docs/", "2001:db8:1::1").status_code == 200
    assert get("/docs/", "::ffff:198.51.100.8").status_code == 200


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"


@pytest.mark.parametrize("accept", [BROWSER, "application/json, image/png", "image/avif", "*/*"])
@pytest.mark.parametrize("address", ["/api/v1/study/", "/api/v1/releases/", "/api/v1/"])
def test_answers_without_a_picture_spend_no_rate_of_pictures(address: str, accept: str) -> None:
    for _ in range(3):
        assert Client().get(address, REMOTE_ADDR="198.51.100.7", HTTP_ACCEPT=accept).status_code != 429


@pytest.mark.parametrize("accept", ["image/png", "image/svg+xml", "IMAGE/PNG", "image/avif, image/png"])
def test_a_picture_that_is_asked_for_by_its_type_counts_as_one(accept: str) -> None:
    def ask() -> int:
        return Client().get("/api/v1/study/", REMOTE_ADDR="198.51.100.7", HTTP_ACCEPT=accept).status_code

    assert ask() != 429
    assert ask() == 429


@pytest.mark.parametrize("headers", [{"HTTP_RANGE": "bytes=0-0"}, {"HTTP_IF_NONE_MATCH": '"x"'}, {}])
def test_parts_heads_and_conditions_count_as_pictures(headers: dict[str, str]) -> None:
    def ask(method: str) -> int:
        return Client().generic(method, "/results/hw-1/card.png", REMOTE_ADDR="198.51.100.7", **headers).status_code

    assert ask("HEAD") != 429
    assert (ask("HEAD"), ask("GET")) == (429, 429)


@pytest.mark.parametrize("name", ["X_FORWARDED_FOR", "FORWARDED", "X_REAL_IP", "CLIENT_IP", "X_CLIENT_IP"])
def test_a_caller_names_itself_in_vain_without_a_proxy(name: str) -> None:
    def ask(caller: str) -> int:
        return Client().get("/docs/", REMOTE_ADDR="198.51.100.7", **{f"HTTP_{name}": caller}).status_code

    assert [ask(f"192.0.2.{number}") for number in range(1, 5)] == [200, 200, 200, 429]


@pytest.mark.parametrize("address", ["/api/v1/study/?format=png", "/results/hw-1/card.png"])
def test_pictures_have_a_rate_of_their_own(address: str) -> None:
    assert get(address).status_code != 429
    assert get(address).status_code == 429
    assert get("/api/v1/releases/").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_simultaneous_requests_are_limited_to_the_rate() -> None:
    clients, start = [Client() for _ in range(12)], Barrier(12)

    # Who reads a count and then writes it would have read before anybody else has written.
    caches["default"]._cache.get_client(None, write=True).execute_command("CLIENT PAUSE", 300, "WRITE")

    def ask(client: Client) -> int:
        start.wait()
        try:
            return client.get("/docs/", REMOTE_ADDR="198.51.100.7").status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(clients)) as pool:
        answers = list(pool.map(ask, clients))
    assert sorted(answers) == [200] * 3 + [429] * 9


def test_counts_older_than_the_span_are_dropped() -> None:
    """By the clock of the cache; a refusal is not counted and puts nothing off."""
    counts = caches["default"]
    assert [counts.count_within("tested", 2, 60) for _ in range(2)] == [0, 0]
    assert 0 < counts.count_within("tested", 2, 60) <= 60
    assert counts.count_within("tested", 3, 60) == 0
    assert counts.count_within("tested", 1, 1e-9) == 0
    assert counts.count_within("tested", 1, 60) > 0


def test_a_refused_picture_of_the_api_is_a_problem() -> None:
    get("/api/v1/study/?format=png")
    problem = get("/api/v1/study/?format=png").json()
    assert (problem["status"], problem["code"]) == (429, "request.throttled")


def test_behind_a_proxy_each_caller_has_a_rate(settings) -> None:
    settings.TRUSTED_PROXY = True
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}

    def through_proxy(caller: str) -> int:
        return Client().get("/docs/", REMOTE_ADDR="127.0.0.1", HTTP_X_FORWARDED_FOR=caller).status_code

    assert [through_proxy("198.51.100.7") for _ in range(4)] == [200, 200, 200, 429]
    assert through_proxy("198.51.100.8") == 200
    # What a caller writes there itself stands before what the proxy adds.
    assert [through_proxy(f"192.0.2.{number}, 198.51.100.7") for number in range(2)] == [429, 429]
    # Some proxies add the port, which is another one for each connection.
    assert [through_proxy(f"198.51.100.7:{port}") for port in (1, 65535)] == [429, 429]
    assert [through_proxy(f"[2001:db8::{port}]:{port}") for port in range(1, 5)] == [200, 200, 200, 429]
    assert through_proxy("2001:db8::7") == 429
    # A proxy on this machine that names no caller is no loopback.
    assert [Client().get("/docs/", REMOTE_ADDR="127.0.0.1").status_code for _ in range(4)][-1] == 429
