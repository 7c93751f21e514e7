"""While the database is away, hangs or takes too long: 503 everywhere, in the shape of the place."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from django.http import UnreadablePostError
from redis.exceptions import RedisError

from registry.errors import outage_problem
from tests.submissions.conftest import services_environment
from tests.submissions.web_server import serving_with

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]

PLACES = ["releases/", "login/", "api/v1/releases/", "api/v1/submissions/"]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bundles")


@pytest.fixture(scope="module")
def refusing(django_db_setup, stored: Path) -> Iterator[str]:
    """A site whose database refuses connections."""
    with serving_with(services_environment(stored) | {"DATABASE_URL": "postgresql:///x?host=/nonexistent"}) as address:
        yield address


@pytest.fixture(scope="module")
def hanging(django_db_setup, stored: Path) -> Iterator[str]:
    """A site whose database takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://x@127.0.0.1:{silent.getsockname()[1]}/x"
        with serving_with(services_environment(stored) | {"DATABASE_URL": url, "DATABASE_CONNECT_S": "2"}) as address:
            yield address


@pytest.fixture(scope="module")
def impatient(django_db_setup, stored: Path) -> Iterator[str]:
    """A site that gives a statement half a second."""
    with serving_with(services_environment(stored) | {"DATABASE_STATEMENT_S": "0.5"}) as address:
        yield address


def ask(address: str, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
    request = urllib.request.Request(f"{address}/{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            return answer.status, dict(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, dict(refusal.headers), refusal.read().decode()


def assert_unavailable(answer: tuple[int, dict[str, str], str], path: str, code: str) -> None:
    status, headers, body = answer
    assert (status, headers["Retry-After"]) == (503, "10"), body
    if path.startswith("api/"):
        assert headers["Content-Type"] == "application/problem+json"
        assert json.loads(body)["code"] == code
    else:
        assert "<title>" in body
        assert code in body


@pytest.mark.parametrize("path", PLACES)
@pytest.mark.parametrize("site", ["refusing", "hanging"])
def test_an_unreachable_database_is_reported_everywhere(request, site, path) -> None:
    answer = ask(request.getfixturevalue(site), path, Authorization="Token hw_x")
    assert_unavailable(answer, path, "database.unavailable")


@pytest.mark.parametrize("site", ["refusing", "hanging"])
def test_signed_in_accounts_get_the_same_outage_page(request, site) -> None:
    answer = ask(request.getfixturevalue(site), "submissions/", Cookie="sessionid=abcdefghijklmnopqrstuvwxyz012345")
    assert_unavailable(answer, "submissions/", "database.unavailable")


@pytest.mark.parametrize("site", ["refusing", "hanging"])
def test_a_host_without_its_database_is_live_and_not_ready(request, site) -> None:
    address = request.getfixturevalue(site)
    assert ask(address, "livez")[0] == 200
    for path in ("readyz", "healthz"):
        status, _, body = ask(address, path)
        assert (status, json.loads(body)) == (503, {"ok": False, "database": False})


@pytest.mark.parametrize(
    ("path", "table"), [("releases/", "registry_release"), ("api/v1/releases/", "registry_release")]
)
def test_a_statement_that_takes_too_long_has_a_code_of_its_own(impatient, path, table) -> None:
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None}) as other:
        other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        assert_unavailable(ask(impatient, path), path, "database.timeout")
        other.rollback()
    assert ask(impatient, path)[0] == 200


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/login/", {"login": "alice", "password": "no"}),
        ("/account/signup/", {"username": "zoe", "email": "zoe@example.org", "password1": "a", "password2": "a"}),
        ("/account/reauthenticate/", {"password": "no"}),
    ],
)
def test_forms_with_counted_attempts_are_refused_without_the_cache(client, cast, settings, path, form) -> None:
    client.raise_request_exception = False
    client.force_login(cast.alice.account) if "reauthenticate" in path else None
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": "redis://127.0.0.1:1/0"}}
    answer = client.post(path, form)
    assert_unavailable((answer.status_code, answer.headers, answer.content.decode()), path, code="service.unavailable")


def test_a_wrong_host_writes_one_line_without_a_traceback(client, caplog) -> None:
    assert client.get("/", headers={"host": "elsewhere.example"}).status_code == 400
    (record,) = [record for record in caplog.records if record.name == "django.security.DisallowedHost"]
    assert record.exc_info is None
    assert "elsewhere.example" in record.getMessage()


def test_commands_and_workers_have_no_statement_timeout() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)
    assert connection.settings_dict["OPTIONS"]["connect_timeout"] == 3


@pytest.mark.parametrize("error", [RedisError("x"), UnreadablePostError("refused before its body was read")])
def test_temporary_errors_are_outages(error) -> None:
    assert outage_problem(error).code == "service.unavailable"


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("x"), psycopg.errors.UniqueViolation("x")])
def test_other_errors_are_not_outages(error) -> None:
    assert outage_problem(error) is None


def test_a_chained_outage_is_an_outage() -> None:
    try:
        try:
            raise psycopg.OperationalError("gone")
        except psycopg.OperationalError as gone:
            raise RuntimeError("could not render") from gone
    except RuntimeError as error:
        assert outage_problem(error).code == "database.unavailable"
