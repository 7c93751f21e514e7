"""What some results share: same values, other values, and what is not said."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.models import PublicSystemSnapshot, Result
from registry.parameters.shared import list_shared
from registry.query.best_results import FIRST_ROWS, MORE_ROWS
from registry.query.facts import fact_index
from tests.html import page_source
from tests.registry.record import described, make_measurement, make_release, make_result

SHARED = "/api/v1/parameters/shared/"


def test_equal_other_and_unknown_values_are_counted() -> None:
    rows = list_shared([{"nps": "1", "os": "a"}, {"nps": "1", "os": "b"}, {"nps": "2"}, {"only": "here"}])
    assert [(row.name, row.values, row.known_results, row.unknown, row.is_shared) for row in rows] == [
        ("nps", [("1", 2), ("2", 1)], 3, 1, False),
        ("os", [("a", 1), ("b", 1)], 2, 2, False),
    ]


def test_a_fact_equal_in_all_known_results_is_shared() -> None:
    (row,) = list_shared([{"dom": "on"}, {"dom": "on"}, {}])
    assert (row.is_shared, row.unknown) == (True, 1)
    assert list_shared([]) == list_shared([{"dom": "on"}]) == []


@pytest.fixture
def systems(db: None) -> dict[str, Result]:
    """Best first: B 40 (and 30 of an older run), A 20, C 10, all Lustre; D 99 of a document, E 50 of BeeGFS."""
    release = make_release("T1")
    results = {}
    for name, system, score, facts in (
        ("a", "A", 20.0, {"parameters": {"stripe_count": -1, "nps": 1}}),
        ("b", "B", 40.0, {"parameters": {"stripe_count": -1, "nps": 4}}),
        ("b-older", "B", 30.0, {"parameters": {"stripe_count": 7}}),
        ("c", "C", 10.0, {}),
        ("d", "D", 99.0, {"trust": Result.Trust.REPORTED}),
        ("e", "E", 50.0, {"filesystem_family": "BeeGFS"}),
        ("f", "F", None, {}),
    ):
        results[name] = make_result(release, f"hw-{name}", score, system_name=system, **facts)
    fact_index.rebuild_facts(result.pk for result in results.values())
    return results


def ask(client: Client, query: str = "filesystem_type=Lustre") -> dict[str, Any]:
    answer = client.get(f"{SHARED}?{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def fact(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(row for row in document["facts"] if row["name"] == name)


def test_the_best_result_of_each_system_counts(client, systems) -> None:
    document = ask(client)
    assert [row["id"] for row in document["results"]] == ["hw-b", "hw-a", "hw-c"]
    assert [row["id"] for row in ask(client, "filesystem_type=Lustre&top=2")["results"]] == ["hw-b", "hw-a"]
    assert [row["id"] for row in ask(client, "trust=reported&trust=imported&top=2")["results"]] == ["hw-d", "hw-e"]


def test_a_system_with_many_of_the_best_results_counts_once(client, systems) -> None:
    release = Result.objects.get(public_id="hw-b").release
    for number in range(3 * FIRST_ROWS * MORE_ROWS):
        make_result(release, f"hw-b-{number}", 41.0 + number, system_name="B")
    results = ask(client, "filesystem_type=Lustre&top=3")["results"]
    assert [row["id"] for row in results] == [f"hw-b-{3 * FIRST_ROWS * MORE_ROWS - 1}", "hw-a", "hw-c"]


def test_a_fact_has_counts_of_equal_and_unknown_results(client, systems) -> None:
    document = ask(client)
    assert fact(document, "stripe_count") == {
        "name": "stripe_count",
        "title": "stripe count",
        "kind": "tuning",
        "value": "-1",
        "results": 2,
        "known_results": 2,
        "unknown": 1,
        "shared": True,
        "values": [{"value": "-1", "results": 2}],
    }
    assert (fact(document, "nps")["shared"], fact(document, "nps")["results"]) == (False, 1)
    assert {row["name"] for row in document["facts"]}.isdisjoint({"system", "institution", "release"})


def test_tunables_of_described_systems_are_shared_and_described_ones_are_counted(client, systems) -> None:
    for name in ("a", "b"):
        described(systems[name], **{"lustre.client.osc.max_rpcs_in_flight": "16"})
        PublicSystemSnapshot.objects.create(result=systems[name], document={}, summary={}, sha256="0" * 64)
    fact_index.rebuild_facts(result.pk for result in systems.values())
    document = ask(client)
    assert document["described"] == 2 and document["tunables_known"] == 3
    row = fact(document, "max_rpcs_in_flight")
    assert (row["title"], row["kind"], row["value"], row["results"], row["unknown"]) == (
        *("RPCs in flight", "tuning", "16", 2, 1),
    )
    assert sum("rpcs_in_flight" in row["name"] for row in document["facts"]) == 1


def test_named_results_are_compared_in_their_order(client, systems) -> None:
    document = ask(client, "results=hw-c,hw-b-older,hw-a")
    assert ([row["id"] for row in document["results"]], document["by"], document["top"]) == (
        *(["hw-c", "hw-b-older", "hw-a"], None, None),
    )
    missing = client.get(f"{SHARED}?results=hw-a,hw-none")
    assert (missing.status_code, missing.json()["code"]) == (404, "record.no-result")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("top=1", "query.invalid-value"),
        ("top=101", "query.invalid-value"),
        ("top=ten", "query.invalid-value"),
        ("by=speed", "query.invalid-value"),
        ("results=hw-a", "query.invalid-value"),
        ("nope=1", "query.unknown-parameter"),
        ("client_nodes__lte=few", "query.invalid-value"),
    ],
)
def test_an_invalid_query_is_refused_by_page_and_api(client, systems, query: str, code: str) -> None:
    answer = client.get(f"{SHARED}?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    page = client.get(f"/parameters/shared/?{query}")
    assert page.status_code == 400 and code in page.content.decode()


def test_the_page_has_a_note_on_unknown_tunables(client, db) -> None:
    for name in ("a", "b"):
        result = make_result(make_release(f"T{name}"), f"hw-{name}", 10.0, system_name=name)
        make_measurement(result)
        fact_index.rebuild_facts([result.pk])
    page = page_source(client.get("/parameters/shared/?filesystem_type=Lustre"))
    assert "No tunables are known.</b> None of these 2 results has a system document" in page
    assert "No fact is stated by two or more of them." in page


def test_the_page_of_an_empty_answer_links_back(client, db) -> None:
    page = client.get("/parameters/shared/?filesystem_type=Lustre").content.decode()
    assert "No results match these filters" in page and 'href="/parameters/shared/"' in page


def test_the_cost_does_not_grow_with_the_results(client, systems) -> None:
    with CaptureQueriesContext(connection) as queries:
        ask(client)
    assert len(queries) <= 4
