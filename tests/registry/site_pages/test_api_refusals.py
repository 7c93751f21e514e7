"""What the read API refuses, always as problem+json with a code; and who may ask from where."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from redis.exceptions import ConnectionError as CacheAway
from rest_framework.exceptions import ValidationError

from registry.errors import problem_response
from registry.models import Release
from registry.web.throttles import ReadThrottle
from tests.registry.record import make_list, make_release, make_result

pytestmark = pytest.mark.django_db

RESULTS = "/api/v1/results/"
LIST = "/api/v1/lists/T1/full/"
EVERY = ["", "releases/", "lists/", "results/", "systems/", "sites/", "platforms/", "schemas/", "rules/", "benchmarks/"]


@pytest.fixture(autouse=True)
def ranked():
    release = make_release("T1")
    return make_list(release, "full", [make_result(release, "io500-1")])


def problem(answer, status: int, code: str) -> dict:
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    content = answer.json()
    assert content.keys() - {"errors"} == {"type", "title", "status", "code", "detail", "hint"}
    assert (content["status"], content["code"]) == (status, code)
    assert content["type"] == f"/docs/problems/#{code}"
    assert content["hint"]
    return content


@pytest.mark.parametrize("address", [RESULTS, LIST])
def test_an_unknown_filter_is_refused_with_the_nearest_one(client, address) -> None:
    content = problem(client.get(f"{address}?filesystem_typ=lustre"), 400, "query.unknown-parameter")
    assert "filesystem_type" in content["hint"]
    assert "client_nodes__gte" in content["detail"]
    assert list(content["errors"]) == ["filesystem_typ"]


def test_errors_inside_a_field_have_their_own_path() -> None:
    wrong = {"lists": {0: ["Too long."], 2: ["Too long."]}, "file": {"name": ["Missing."]}, "slug": ["Taken."]}
    answer = problem_response(ValidationError(wrong), {})
    assert answer.data["errors"] == {
        "lists.0": ["Too long."], "lists.2": ["Too long."], "file.name": ["Missing."], "slug": ["Taken."],
    }  # fmt: skip
    assert problem_response(ValidationError(["No."]), {}).data["errors"] == {"non_field_errors": ["No."]}


@pytest.mark.parametrize("address", EVERY)
def test_no_address_ignores_an_unknown_name(client, address) -> None:
    problem(client.get(f"/api/v1/{address}?surely_unknown=1"), 400, "query.unknown-parameter")


def test_a_parameter_filter_belongs_to_results_only(client) -> None:
    problem(client.get(f"{LIST}?p.stripe=4"), 400, "query.unknown-parameter")


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("trust=gold", "trust"),
        ("reproducibility=very", "reproducibility"),
        ("client_nodes__gte=ten", "client_nodes__gte"),
        ("client_nodes__gte=-1", "client_nodes__gte"),
        ("client_nodes__lte=1.5", "client_nodes__lte"),
        ("client_nodes=99999999999999999999", "client_nodes"),
        ("client_nodes=%D9%A1", "client_nodes"),  # a digit, but not one of ours
        ("page_size=0", "page_size"),
        ("page_size=501", "page_size"),
        ("page_size=all", "page_size"),
        ("ordering=institution", "ordering"),
        ("ordering=--score", "ordering"),
        ("ordering=-", "ordering"),
        ("institution=a%00b", "institution"),
        (f"q={'x' * 201}", "q"),
        ("&".join(f"tool=t{number}" for number in range(21)), "tool"),
        ("p.=4", "p."),
        ("p.a%00b=4", "p.a\0b"),
    ],
)
def test_a_wrong_value_is_refused_by_name(client, query, name) -> None:
    content = problem(client.get(f"{RESULTS}?{query}"), 400, "query.invalid-value")
    assert list(content["errors"]) == [name]


@pytest.mark.parametrize("query", ["new=maybe", "ordering=trust", "page_size=1001", "client_nodes__lte=x"])
def test_a_list_refuses_wrong_values_too(client, query) -> None:
    problem(client.get(f"{LIST}?{query}"), 400, "query.invalid-value")


@pytest.mark.parametrize("cursor", ["abc", "%00", "WzEsMl0", "é", "x" * 3000, "bnVsbA", "e30", "WyItaWQiLCJ4IiwxXQ"])
def test_a_cursor_that_was_not_given_is_refused(client, cursor) -> None:
    problem(client.get(f"{RESULTS}?cursor={cursor}"), 400, "query.bad-cursor")


def test_a_cursor_of_another_ordering_is_refused(client) -> None:
    make_result(make_release("T2"), "io500-2")
    following = client.get(f"{RESULTS}?page_size=1&ordering=-score").json()["next"]
    problem(client.get(following.replace("-score", "score")), 400, "query.bad-cursor")


def test_a_refusal_is_json_even_where_csv_was_asked_for(client) -> None:
    problem(client.get(f"{LIST}?format=csv&nope=1"), 400, "query.unknown-parameter")


@pytest.mark.parametrize("address", [RESULTS, LIST, "/api/v1/", "/api/v1/openapi.json"])
def test_an_unknown_format_is_refused_with_the_known_ones(client, address) -> None:
    content = problem(client.get(f"{address}?format=xml"), 406, "request.not-acceptable")
    assert "json" in content["detail"]


def test_an_unknown_accept_is_refused(client) -> None:
    problem(client.get(RESULTS, headers={"accept": "application/xml"}), 406, "request.not-acceptable")


@pytest.mark.parametrize("method", ["put", "delete"])
@pytest.mark.parametrize("address", ["", "results/", "results/io500-1/", "lists/T1/full/", "rules/", "openapi.json"])
def test_writing_where_only_reading_is_possible_is_refused(client, address, method) -> None:
    answer = getattr(client, method)(f"/api/v1/{address}")
    problem(answer, 405, "request.method")
    assert answer["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("address", ["/api/v1/nothing/", "/api/nothing", "/api/v1/results/io500-1/nothing/"])
def test_an_unknown_address_is_a_problem(client, address) -> None:
    assert client.get(address).status_code == 404
    assert client.get(address)["Content-Type"] == "application/problem+json"


def test_a_wrong_token_or_cookie_does_not_prevent_reading(client) -> None:
    answer = client.get(RESULTS, headers={"authorization": "Token wrong", "cookie": f"sessionid={'x' * 32}"})
    assert answer.status_code == 200
    assert "Cookie" not in answer.get("Vary", "")


@pytest.mark.parametrize("address", [*EVERY, "lists/T1/full/", "results/io500-1/", "openapi.json"])
def test_a_script_of_another_host_may_read(client, address) -> None:
    answer = client.get(f"/api/v1/{address}", headers={"origin": "https://notebook.example"})
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "ETag" in answer["Access-Control-Expose-Headers"]


def test_a_refusal_can_be_read_by_a_script_of_another_host(client) -> None:
    assert client.get(f"{RESULTS}?nope=1")["Access-Control-Allow-Origin"] == "*"


def test_pages_and_operations_are_not_open_to_scripts_of_other_hosts(client) -> None:
    assert "Access-Control-Allow-Origin" not in client.get("/healthz")
    assert "Access-Control-Allow-Origin" not in client.get("/metrics")


def test_options_say_what_may_be_done_and_cost_no_query(client, django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        answer = client.options(LIST)
    assert answer.status_code == 204
    assert {"GET", "HEAD", "OPTIONS"} <= set(answer["Allow"].split(", "))
    assert "GET" in answer["Access-Control-Allow-Methods"]


def test_head_is_get_without_content(client) -> None:
    get, head = client.get(LIST), client.head(LIST)
    assert (head.status_code, head.content) == (200, b"")
    assert (head["ETag"], head["Content-Type"]) == (get["ETag"], get["Content-Type"])


@pytest.fixture
def elsewhere() -> Client:
    """A caller from an address of its own, so that no other test spends its allowance."""
    return Client(REMOTE_ADDR=f"2001:db8::{uuid.uuid4().hex[:4]}:{uuid.uuid4().hex[:4]}")


def test_too_many_requests_get_a_retry_after(elsewhere, settings) -> None:
    settings.THROTTLE_RATES = {"read": ("2/min", "500/s")}
    assert [elsewhere.get(RESULTS).status_code for _ in range(2)] == [200, 200]
    answer = elsewhere.get(RESULTS)
    problem(answer, 429, "request.throttled")
    assert 0 < int(answer["Retry-After"]) <= 60


def test_loopback_has_a_rate_of_its_own_but_not_behind_an_undeclared_proxy(settings) -> None:
    settings.THROTTLE_RATES = {"read": ("1/min", "500/s")}
    caller = Client(REMOTE_ADDR="127.0.0.1")
    assert {caller.get(RESULTS).status_code for _ in range(5)} == {200}
    forwarded = Client(REMOTE_ADDR="127.0.0.99", HTTP_X_FORWARDED_FOR="127.0.0.1")
    cache.delete("counted_read_127.0.0.99/32")
    assert [forwarded.get(RESULTS).status_code for _ in range(2)] == [200, 429]
    cache.delete("counted_read_127.0.0.99/32")


def test_reading_works_without_the_cache(client, settings) -> None:
    settings.CACHES = {"default": {"BACKEND": "registry.web.cache_backend.Cache", "LOCATION": "redis://127.0.0.1:1/0"}}
    with pytest.raises(CacheAway):
        ReadThrottle.cache.get("anything")
    assert client.get(RESULTS).status_code == 200


def test_a_list_of_an_open_release_is_not_published_yet(client: Client) -> None:
    later = timezone.now() + timedelta(days=3)
    Release.objects.create(
        slug="sc99", name="SC99", held_on=later.date(), deadline=later, publishes=later, list_names=["ten"]
    )
    answer = client.get("/api/v1/lists/sc99/ten/")
    assert (answer.status_code, answer.json()["code"]) == (404, "record.no-list")
    assert f"not published yet. It publishes {later:%Y-%m-%d %H:%M} UTC" in answer.json()["hint"]
    assert "not published yet" in client.get("/lists/sc99/ten/").content.decode()
    assert "not published yet" not in client.get("/api/v1/lists/sc99/full/").json()["hint"]
