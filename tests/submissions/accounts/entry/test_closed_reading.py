"""A closed registry: every route as a stranger, as a reader with a session, and with tokens of all kinds."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from django.contrib.sessions.models import Session
from django.core import checks
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from registry import environment
from submissions.accounts import tokens
from submissions.accounts.entry import closed_reading
from submissions.models import Account, Token
from tests.html import page_source
from tests.registry.record import make_file, make_list, make_measurement, make_release, make_result

pytestmark = pytest.mark.django_db
PASSWORD = "tides rise twice a day"
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
MARK = "Zwillingsmarke"
"""In every name of the record below, and nowhere in the code."""
SAMPLES = {
    "release": "zwillingsmarke-1", "name": "full", "list": "full", "public_id": "hw-1", "award": "overall",
    "form": "svg", "slug": "zwillingsmarke-machine", "id": "1", "path": "checkpoint", "section": "results", "kind": "x",
    "version": "1", "username": "gil", "secret": "x", "beginning": "x", "key": "x", "list_name": "full",
}  # fmt: skip
OPEN_ROUTES = {"livez", "readyz", "healthz", "metrics", "login/", "logout/", "preferences/"}


@pytest.fixture(autouse=True)
def closed(settings) -> None:
    cache.clear()
    settings.READ_REQUIRES_LOGIN = True
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def record(db):
    release = make_release("zwillingsmarke-1", name=f"{MARK} list")
    result = make_result(release, "hw-1", institution=MARK, system_name=f"{MARK} machine")
    make_measurement(result)
    make_file(result, f"{MARK}.txt")
    make_list(release, "full", [result], title=MARK)
    return result


@pytest.fixture
def reader(db) -> Account:
    return Account.objects.create_user("gil", password=PASSWORD)


def routes(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[str]:
    """The pattern of every address of the site, but those of Django's administration below its first."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern).replace("^", "").replace("$", "")
        if isinstance(pattern, URLResolver):
            yield from [route] if route == "admin/" else routes(pattern, route)
        elif isinstance(pattern, URLPattern):
            yield route


def address_of(route: str) -> str:
    """An address of the route, with names of the record where it takes some."""
    filled = re.sub(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)", lambda part: SAMPLES.get(part[1], "x"), route)
    filled = re.sub(r"<(?:uuid):\w+>", "00000000-0000-0000-0000-000000000001", filled)
    filled = re.sub(r"<(?:int:)\w+>", "1", filled)
    filled = re.sub(r"<(?:\w+:)?(\w+)>", lambda part: SAMPLES.get(part[1], "x"), filled)
    return "/" + filled.replace("\\", "").replace("?", "")


ROUTES = sorted({address_of(route) for route in routes()})


def test_the_crawl_knows_the_site() -> None:
    assert len(ROUTES) > 250
    assert {"/", "/results/hw-1/", "/api/v1/results/", "/log/checkpoint", "/lists/feed.atom"} <= set(ROUTES)
    assert not [address for address in ROUTES if "<" in address or "(" in address]


def test_every_route_is_closed_to_strangers(client, record) -> None:
    faults: dict[str, object] = {}
    for number, address in enumerate(ROUTES):
        others = [("head", {}), ("options", {}), ("post", HTML), ("get", {"Authorization": "Basic Z2lsOng="})]
        for method, headers in [("get", {}), ("get", HTML), others[number % len(others)]]:
            answer = getattr(client, method)(address, headers=headers)
            if MARK.lower() in answer.content.decode(errors="replace").lower():
                faults[address] = "names the record"
            if closed_reading.is_open(address):
                continue
            to_sign_in = answer.status_code == 302 and answer["Location"].startswith("/login/?next=/")
            if answer.status_code != 401 and not to_sign_in and answer.status_code != 403:
                faults[address] = answer.status_code
            if "no-store" not in answer.get("Cache-Control", "") or "Access-Control-Allow-Origin" in answer:
                faults[address] = "may be kept"
    assert faults == {}


def test_open_addresses_are_listed_and_none_shows_the_record() -> None:
    open_addresses = {address for address in ROUTES if closed_reading.is_open(address)}
    assert {f"/{route}" for route in OPEN_ROUTES} <= open_addresses
    assert all(address.strip("/") in {route.strip("/") for route in OPEN_ROUTES} or address.startswith("/account/")
               for address in open_addresses)  # fmt: skip


@pytest.mark.parametrize(
    "path", ["/no/such/page/", "/api/v1/no-such/", "/results/hw-2/", "/results/hw-1", "/lists/x/y/"]
)
def test_missing_pages_answer_like_closed_pages(client, record, path) -> None:
    known_answer, missing_answer = client.get("/results/hw-1/"), client.get(path)
    assert (missing_answer.status_code, missing_answer.json()) == (known_answer.status_code, known_answer.json())
    assert known_answer.json()["code"] == "auth.required"


def test_the_address_of_a_sign_in_page_hides_the_tray(client, record, reader) -> None:
    for page in ("/login/", "/account/request/", "/account/password/reset/"):
        assert MARK not in page_source(client.get(f"{page}?r=hw-1"))
    client.force_login(reader)
    assert MARK in page_source(client.get("/about/?r=hw-1"))


def test_a_session_reads_pages_calls_and_files(client, record, reader) -> None:
    client.force_login(reader)
    for path in ("/", "/results/hw-1/", "/api/v1/results/hw-1/", "/lists/zwillingsmarke-1/full/", "/lists/feed.atom"):
        answer = client.get(path, headers=HTML if not path.startswith("/api/") else {})
        assert answer.status_code == 200
        assert answer["Cache-Control"] == "private, no-store"
    assert MARK in page_source(client.get("/results/hw-1/"))


def with_token(reader: Account, *scopes: str) -> dict[str, str]:
    return {"Authorization": f"Token {tokens.create_token(reader, scopes=scopes)[1]}"}


@pytest.mark.parametrize("path", ["/results/hw-1/", "/api/v1/results/", "/lists/feed.atom", "/log/key"])
def test_a_token_for_reading_reads_pages_calls_and_files(client, record, reader, path) -> None:
    answer = client.get(path, headers=with_token(reader, "read"))
    assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-store")


def test_a_token_that_is_not_for_reading_reads_nothing(client, record, reader) -> None:
    headers = with_token(reader, "submit")
    for path in ("/results/hw-1/", "/api/v1/results/", "/robots.txt"):
        answer = client.get(path, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "permission.scope")
    # What it is for goes on: the call itself says what is wrong with the form.
    assert client.post("/api/v1/submissions/", headers=headers).status_code == 400


@pytest.mark.parametrize("header", ["Token hw_0", "Bearer hw_0", "Token", "Token a b", "Token \u00e9"])
def test_a_wrong_token_is_refused_everywhere(client, record, header) -> None:
    for path in ("/results/hw-1/", "/api/v1/results/", "/no/such/"):
        answer = client.get(path, headers={"Authorization": header})
        assert (answer.status_code, answer.json()["code"]) == (401, "auth.failed")


def test_a_token_that_ended_and_an_account_that_was_closed_read_nothing(client, record, reader) -> None:
    headers = with_token(reader, "read")
    Account.objects.filter(pk=reader.pk).update(is_active=False)
    assert client.get("/results/hw-1/", headers=headers).status_code == 401
    Account.objects.filter(pk=reader.pk).update(is_active=True)
    assert client.get("/results/hw-1/", headers=headers).status_code == 200
    Token.objects.update(expires_at="2020-01-01T00:00:00Z")
    assert client.get("/results/hw-1/", headers=headers).status_code == 401


def test_a_role_that_needs_a_second_factor_reads_nothing_without(client, record, reader, settings) -> None:
    settings.REQUIRE_SECOND_FACTOR_FOR = ("submitter",)
    answer = client.get("/results/hw-1/", headers=with_token(reader, "read"))
    assert (answer.status_code, answer.json()["code"]) == (403, "account.second-factor")
    client.force_login(reader)
    assert client.get("/results/hw-1/", headers=HTML)["Location"] == "/account/2fa/"


def test_a_page_is_found_again_after_signing_in(client, record, reader) -> None:
    answer = client.get("/results/hw-1/?r=hw-1&a=%C3%A9", headers=HTML)
    assert answer["Location"] == "/login/?next=/results/hw-1/%3Fr%3Dhw-1%26a%3D%25C3%25A9"
    page = client.get(answer["Location"])
    assert "You need an account to read this registry." in page_source(page)
    fields = {"username": "gil", "password": "wrong", "next": "/results/hw-1/?r=hw-1"}
    wrong_answer = client.post(answer["Location"], fields)
    assert 'name="next" value="/results/hw-1/?r=hw-1"' in page_source(wrong_answer)


def test_the_upload_page_explains_why_it_needs_an_account(client) -> None:
    answer = client.get("/submissions/new/", headers=HTML, follow=True)
    page = page_source(answer)
    assert "To submit a run you need an account." in page and 'href="/account/request/"' in page
    form = page_source(client.get("/account/request/"))
    assert "You need an account to read this registry. To submit runs you need one" in form


def test_an_open_registry_says_that_reading_needs_no_account(client, settings) -> None:
    settings.READ_REQUIRES_LOGIN = False
    assert "Reading the public record needs no account;" in page_source(client.get("/account/request/"))
    assert client.get("/results/").status_code == 200


def test_health_is_asked_without_an_account(client) -> None:
    assert client.get("/livez").json() == {"ok": True}
    assert client.get("/readyz").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 404


def test_open_sign_up_on_a_closed_registry_is_warned_of(settings) -> None:
    def warned() -> bool:
        return "submissions.W020" in {message.id for message in checks.run_checks(include_deployment_checks=True)}

    assert not warned()
    settings.SIGNUP_OPEN = True
    assert warned()


def test_a_host_without_accounts_cannot_ask_for_one(monkeypatch) -> None:
    monkeypatch.setenv("READ_REQUIRES_LOGIN", "true")
    with pytest.raises(ImproperlyConfigured, match="PUBLIC_ONLY has no accounts"):
        environment.read_closed("READ_REQUIRES_LOGIN", public_only=True)
    assert environment.read_closed("READ_REQUIRES_LOGIN", public_only=False)


# What was typed


TYPED = {"title": "Reads <by> client", "password": "not kept", "csrfmiddlewaretoken": "not kept"}


def kept_in(page: str) -> str:
    match = re.search(r'name="kept_input" value="([^"]+)"', page)
    assert match is not None
    return match[1]


def test_typed_input_is_offered_again_after_signing_in(client, reader) -> None:
    refused = client.post("/study/save/", TYPED, headers=HTML)
    page = page_source(refused)
    assert refused.status_code == 403 and "What you typed is kept" in page and 'action="/login/"' in page
    fields = {"username": "gil", "next": "/account/kept/", "kept_input": kept_in(page)}
    wrong_answer = client.post("/login/", fields | {"password": "wrong"})
    assert kept_in(page_source(wrong_answer)) == fields["kept_input"]
    right_answer = client.post("/login/", fields | {"password": PASSWORD})
    assert right_answer["Location"] == "/account/kept/"
    kept_page = page_source(client.get("/account/kept/"))
    assert 'action="/study/save/"' in kept_page and 'name="title" value="Reads &lt;by&gt; client"' in kept_page
    assert "not kept" not in kept_page
    assert "Nothing is kept" in page_source(client.get("/account/kept/"))


@pytest.mark.parametrize("form_text", ["", "x", "x" * 100_000, "eyJwYXRoIjoiLyJ9:1:x"])
def test_input_with_a_foreign_signature_is_dropped(client, reader, form_text) -> None:
    client.post("/login/", {"username": "gil", "password": PASSWORD, "kept_input": form_text})
    assert "Nothing is kept" in page_source(client.get("/account/kept/"))


def test_a_form_too_long_to_keep_leads_to_the_sign_in_page(client) -> None:
    long_text = "".join(random.Random(7).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=200_000))
    answer = client.post("/study/save/", {"title": long_text}, headers=HTML)
    assert answer.status_code == 302 and answer["Location"].startswith("/login/?next=")


@pytest.mark.parametrize(
    ("sender", "page"),
    [
        ("http://testserver/study/?metric=score&x=system", "/study/%3Fmetric%3Dscore%26x%3Dsystem"),
        ("https://elsewhere.example/study/", "/submissions/"),
        ("http://testserver:81/study/", "/submissions/"),
        ("javascript:alert(1)", "/submissions/"),
        ("", "/submissions/"),
    ],
)
@pytest.mark.parametrize("is_closed", [True, False])
def test_a_form_that_is_not_stored_leads_back_to_its_page(settings, sender, page, is_closed) -> None:
    """Not to its own address, which takes no reader."""
    settings.READ_REQUIRES_LOGIN = is_closed
    answer = Client().post("/study/save/", {"title": ""}, headers=HTML | {"Referer": sender})
    assert answer["Location"] == f"/login/?next={page}"


def test_a_stranger_has_nothing_stored(client) -> None:
    before = set(Session.objects.values_list("session_key", flat=True))
    client.post("/study/save/", TYPED, headers=HTML)
    assert set(Session.objects.values_list("session_key", flat=True)) == before


def test_a_form_of_another_site_is_refused_before(reader) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post("/study/save/", TYPED, headers=HTML).status_code == 302
    assert "kept_input" not in page_source(client.post("/study/save/", TYPED, headers=HTML))
