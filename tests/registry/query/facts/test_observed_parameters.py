"""Published descriptions of systems: filters by parameter, values seen, and results that have none."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client

from registry.models import ObservedParameter, PublicSystemSnapshot, Result
from registry.models.snapshots import text_of
from registry.query.facts import observed_parameters
from registry.query.questions import filters
from tests.html import page_source
from tests.make_system import make_class, make_parameter, make_system
from tests.registry.record import make_list, make_measurement, make_release, make_result
from validators.system import facts

pytestmark = pytest.mark.django_db


def observe(result: Result, **changes) -> None:
    document = make_system(node_classes=[make_class(**changes)])
    ObservedParameter.objects.bulk_create(
        ObservedParameter(result=result, **columns) for columns in observed_parameters.observed_rows(document)
    )


@pytest.fixture
def two() -> tuple[Result, Result]:
    release = make_release("SC99")
    first, second = make_result(release, "hw-1"), make_result(release, "hw-2", score=20.0)
    observe(first)
    observe(
        second,
        parameters=[make_parameter("lustre.client.osc.checksums", True), make_parameter("lustre.version", "2.12.9")],
    )
    return first, second


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("p.lustre.version=2.15.4", ["hw-1"]),
        ("p.lustre.client.osc.checksums=true", ["hw-2"]),
        ("p.lustre.client.osc.checksums=false", ["hw-1"]),
        ("p.lustre.client.osc.max_rpcs_in_flight=8", ["hw-1"]),
        ("p.lustre.client.osc.max_rpcs_in_flight=8.0", ["hw-1"]),
        ("p.lustre.client.osc.max_rpcs_in_flight=9", []),
        ("p.vm.sysctl/vm.dirty_ratio=10", ["hw-1"]),
        ("p.vm.sysctl=10", ["hw-1"]),
        ("p.vm.sysctl/vm.swappiness=10", []),
        ("p.lustre.version=2.15.4&p.lustre.version=2.12.9", ["hw-2", "hw-1"]),
        ("p.lustre.version=2.15.4&p.lustre.client.osc.checksums=true", []),
        ("p.lustre.version=NaN", []),
        ("p.nothing=1", []),
    ],
)
def test_results_are_found_by_a_parameter_of_their_system(two, query: str, expected: list[str]) -> None:
    answer = Client().get(f"/api/v1/results/?{query}")
    assert answer.status_code == 200, answer.content
    assert [row["id"] for row in answer.json()["results"]] == expected


def test_a_parameter_of_the_run_is_still_found(two) -> None:
    Result.objects.filter(public_id="hw-2").update(parameters={"api": "POSIX"})
    answer = Client().get("/api/v1/results/?p.api=POSIX")
    assert [row["id"] for row in answer.json()["results"]] == ["hw-2"]


def test_values_seen_of_a_parameter(two) -> None:
    assert observed_parameters.values_seen("lustre.client.osc.checksums") == [
        {"key": "", "role": "client", "value": False, "text": "false", "results": 1, "instances": 80},
        {"key": "", "role": "client", "value": True, "text": "true", "results": 1, "instances": 10},
    ]
    assert observed_parameters.values_seen("lustre.client.osc.active") == []


def test_withdrawn_and_superseded_results_do_not_count_as_seen(two) -> None:
    first, second = two
    Result.objects.filter(pk=second.pk).update(revises=first)
    assert [row["text"] for row in observed_parameters.values_seen("lustre.version")] == ["2.12.9"]
    Result.objects.filter(pk=second.pk).update(withdrawn_at="2026-01-01T00:00:00Z")
    assert observed_parameters.values_seen("lustre.version") == []


def test_values_seen_are_one_query(two, django_assert_num_queries) -> None:
    with django_assert_num_queries(1):
        observed_parameters.values_seen("lustre.version")


def test_volatile_parameters_are_not_stored() -> None:
    node_class = make_class(parameters=[make_parameter("lustre.client.osc.grant", 4096)])
    assert list(observed_parameters.observed_rows(make_system(node_classes=[node_class]))) == []


@pytest.mark.parametrize(
    ("value", "text"), [(8, "8"), (8.0, "8"), (0.5, "0.5"), (True, "true"), (None, "null"), ("x" * 300, "x" * 200)]
)
def test_values_have_one_text(value: object, text: str) -> None:
    assert text_of(value) == text


def test_a_result_without_a_description_has_a_note(two) -> None:
    answer = Client().get("/api/v1/results/hw-1/system/")
    assert (answer.status_code, answer.json()["code"]) == (404, "record.no-description")
    answer = Client().get("/api/v1/results/hw-9/system/")
    assert (answer.status_code, answer.json()["code"]) == (404, "record.no-result")


# What differs between results


def describe(result: Result, **changes) -> None:
    document = make_system(node_classes=[make_class(**changes)])
    PublicSystemSnapshot.objects.create(
        result=result, sha256="0" * 64, summary=facts.summary(document), document=document
    )


def test_comparisons_list_other_differing_parameters(two, django_assert_num_queries) -> None:
    describe(two[0])
    describe(two[1], os={"kernel": "6.1.0"})
    with django_assert_num_queries(3):
        system_comparison = Client().get("/api/v1/compare/?results=hw-1,hw-2").json()["system"]
    assert system_comparison["described"] == [True, True]
    kernel = next(row for row in system_comparison["differences"] if row["name"] == "kernel")
    assert (kernel["subject"], kernel["values"]) == ("Clients", [["5.14.0-427.el9.x86_64"], ["6.1.0"]])


def test_results_without_descriptions_are_compared_all_the_same(two) -> None:
    comparison = Client().get("/api/v1/compare/?results=hw-1,hw-2").json()
    assert comparison["system"] == {"described": [False, False], "differences": [], "equal": 0, "unknown": 0}
    assert comparison["comparable"] is True


def test_the_page_shows_numbers_parameters_and_systems_side_by_side(two, django_assert_max_num_queries) -> None:
    make_measurement(two[0], value_gib_per_s=2.0)
    make_measurement(two[1], value_gib_per_s=3.0)
    describe(two[0])
    describe(two[1], os={"kernel": "6.1.0"})
    Result.objects.filter(pk=two[1].pk).update(parameters={"api": "<DFS>"})
    with django_assert_max_num_queries(3):
        text = Client().get("/compare/?results=hw-1,hw-2").content.decode()
    for words in (
        "1.500",
        "&lt;DFS&gt;",
        "6.1.0",
        "5.14.0-427.el9.x86_64",
        ">Operating system</th>",
        "<small>Clients</small>",
    ):
        assert words in text, words


def test_the_page_without_chosen_results_asks_for_them() -> None:
    answer = Client().get("/compare/")
    assert (answer.status_code, "Choose 2 to 20 results" in answer.content.decode()) == (200, True)


def test_the_page_without_chosen_results_leads_to_an_example(two) -> None:
    assert "Example:" not in page_source(Client().get("/compare/"))
    make_list(make_release("T9", "2030-01-01"), "full", list(Result.objects.order_by("public_id")))
    assert '<a href="/compare/?results=hw-1,hw-2">' in page_source(Client().get("/compare/"))


@pytest.mark.parametrize(
    ("query", "status"), [("nothing", 404), ("hw-1,nothing", 404), (",".join(map(str, range(21))), 400)]
)
def test_an_invalid_query_gets_an_error_page(two, query: str, status: int) -> None:
    assert Client().get("/compare/", {"results": query}).status_code == status


def test_a_parameter_is_looked_up_by_index_in_a_large_record(two) -> None:
    first, _ = two
    ObservedParameter.objects.bulk_create(
        ObservedParameter(
            result=first, parameter=f"site.p{number}", key="", role="client", value=1, text="1", instances=1
        )
        for number in range(20_000)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE registry_observedparameter")
    plan = Result.objects.filter(filters.parameter_condition("lustre.version", "2.15.4")).explain()
    assert "observed_by_value" in plan
    assert "Seq Scan on registry_observedparameter" not in plan


def test_the_page_of_results_keeps_a_parameter_that_was_asked_for(two) -> None:
    text = Client().get("/results/?p.lustre.version=2.15.4").content.decode()
    assert "/results/hw-1/" in text and "/results/hw-2/" not in text
    assert '<input name="p.lustre.version" maxlength="200" value="2.15.4">' in text
    assert "p.lustre.version=2.15.4" in text.split("CSV")[0]
