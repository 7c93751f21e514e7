"""Divisors from descriptions and archives, and why a fact is missing: by API and on pages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from registry.models import PublicSystemSnapshot, Result
from registry.query.facts import fact_index
from tests.html import page_source
from tests.registry.record import make_measurement, make_release, make_result

pytestmark = pytest.mark.django_db

TIB = 2**40


def describe(result: Result, *storage: dict[str, Any]) -> None:
    document = {
        "node_classes": [],
        "storage_systems": [{"name": "scratch", "type": "lustre", **facts} for facts in storage],
    }
    PublicSystemSnapshot.objects.create(result=result, sha256="a" * 64, summary={}, document=document)


@pytest.fixture
def kinds() -> dict[str, Result]:
    """One result for each reason, and two with the number."""
    release = make_release("t1", "2030-05-01")
    verified = {"trust": "verified", "bundle_sha256": "a" * 64}
    results = {
        "listed": make_result(release, "io500-1"),
        "archived": make_result(release, "io500-2", client_nodes=None, snapshot={"measured_client_nodes": 12}),
        "unknown": make_result(release, "io500-3", client_nodes=None),
        "reported": make_result(release, "paper-1", trust="reported", client_nodes=None),
        "bare": make_result(release, "hw-1", client_nodes=None, **verified),
        "described": make_result(release, "hw-2", client_nodes=None, **verified),
        "odd": make_result(release, "hw-3", client_nodes=None, parameters={"drives": "many", "osts": 0}, **verified),
    }
    describe(results["described"], {"data_targets": 4, "metadata_targets": 2, "usable_bytes": 1536 * TIB})
    for place, result in enumerate(results.values(), 1):
        make_measurement(result, "write", 4.0 * place, stat="max")
    fact_index.rebuild_facts(result.pk for result in results.values())
    return results


def study(query: str) -> Any:
    return Client().get(f"/api/v1/study/?metric=write.bandwidth.max&{query}").json()


def gaps(answer: Any) -> dict[str, int]:
    return {gap["reason"]: gap["results"] for gap in answer["gaps"]}


def test_client_nodes_of_the_archive_replace_missing_ones_of_the_list(kinds: dict[str, Result]) -> None:
    answer = study("x=result&per=client&trust=imported")
    divisors = {row["result"]: row["divisor"] for row in answer["rows"]}
    assert divisors == {"io500-1": 10, "io500-2": 12, "io500-3": None}
    assert answer["gaps"] == [
        {
            "name": "client_nodes",
            "reason": "not-in-list",
            "why": "The list that it was copied from has no client nodes, nor has its archive.",
            "results": 1,
        }
    ]


@pytest.mark.parametrize(("per", "divisor"), [("target", 4), ("pib", 1.5)])
def test_values_are_divided_by_a_described_storage_system(kinds: dict[str, Result], per: str, divisor: float) -> None:
    (row,) = [row for row in study(f"x=result&per={per}")["rows"] if row["result"] == "hw-2"]
    assert row["divisor"] == divisor


def test_two_described_storage_systems_give_no_divisor(kinds: dict[str, Result]) -> None:
    describe(kinds["bare"], {"data_targets": 4}, {"data_targets": 4})
    fact_index.rebuild_facts([kinds["bare"].pk])
    (row,) = [row for row in study("x=result&per=target")["rows"] if row["x" if "x" in row else "result"] == "hw-1"]
    assert row["divisor"] is None


def test_a_missing_divisor_has_a_reason_by_kind_of_source(kinds: dict[str, Result]) -> None:
    assert gaps(study("x=result&per=drive")) == {
        "not-in-list": 3,
        "not-in-document": 1,
        "no-description": 1,
        "not-described": 1,
        "not-a-number": 1,
    }
    assert gaps(study("x=result&per=client&trust=reported")) == {"not-in-document": 1}


def test_a_missing_axis_value_has_a_reason(kinds: dict[str, Result]) -> None:
    answer = study("x=rack_units")
    assert {gap["name"] for gap in answer["gaps"]} == {"rack_units"}
    assert sum(gaps(answer).values()) == 7
    page = page_source(Client().get("/study/?metric=write.bandwidth.max&x=rack_units"))
    assert "3 results: The list that it was copied from has no rack units, nor has its archive." in page


def test_complete_answers_have_no_gaps_and_cost_no_query(
    kinds: dict[str, Result], django_assert_max_num_queries: Any
) -> None:
    query = "x=tool&per=client&client_nodes=10"
    assert study(query)["gaps"] == []
    with django_assert_max_num_queries(11):  # three of them for ceilings
        study(query)


def test_an_undivided_result_of_a_comparison_has_a_reason(kinds: dict[str, Result]) -> None:
    answer = Client().get("/api/v1/compare/?results=io500-1,hw-1,hw-3&per=drive").json()
    assert [divisor["reason"] for divisor in answer["per"]["divisors"]] == [
        "not-in-list",
        "no-description",
        "not-a-number",
    ]
    (note,) = [note["message"] for note in answer["notes"] if note["code"] == "compare.no-divisor"]
    assert "has no drives" in note and "no number above zero" in note


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("client_nodes=12", ["io500-2"]),
        ("client_nodes__gte=11", ["io500-2"]),
        ("client_nodes__lte=11", ["io500-1"]),
        ("client_nodes__lte=12", ["io500-2", "io500-1"]),
    ],
)
def test_results_are_found_by_the_clients_of_their_archive(
    kinds: dict[str, Result], query: str, ids: list[str]
) -> None:
    rows = Client().get(f"/api/v1/results/?{query}").json()["results"]
    assert [row["id"] for row in rows] == ids


def test_the_form_of_results_has_both_ends(kinds: dict[str, Result]) -> None:
    page = page_source(Client().get("/results/?client_nodes__lte=12"))
    assert 'name="client_nodes__gte"' in page and 'name="client_nodes__lte"' in page
    assert "io500-2" in page and "io500-3" not in page


# One measurement twice


def test_a_measurement_that_is_printed_twice_counts_once(kinds: dict[str, Result]) -> None:
    release = make_release("t2", "2030-06-01")
    facts = {"trust": "reported", "system_name": "Twice", "parameters": {"fabric": "IB"}}
    first, again, other = (make_result(release, f"twice-{number}", **facts) for number in (1, 2, 3))
    for result, value in ((first, 10.0), (again, 10.0), (other, 40.0)):
        make_measurement(result, "write", value, stat="max")
    Result.objects.filter(pk=again.pk).update(same_as=first)
    fact_index.rebuild_facts([first.pk, again.pk, other.pk])
    (row,) = study("x=fabric&unit=GiB/s&system=Twice")["rows"]
    assert (row["count"], row["value"]) == (2, 25.0)
    alone = study("x=result&unit=GiB/s&q=twice-2")["rows"]
    assert [row["result"] for row in alone] == ["twice-2"]


def test_a_copy_of_another_trust_has_its_own_row(kinds: dict[str, Result]) -> None:
    Result.objects.filter(public_id="paper-1").update(same_as=kinds["listed"])
    rows = study("x=tool")["rows"]
    assert {row["trust"]: row["count"] for row in rows} == {"imported": 3, "reported": 1, "verified": 3}


def test_both_results_of_one_measurement_are_marked(kinds: dict[str, Result]) -> None:
    Result.objects.filter(public_id="paper-1").update(same_as=kinds["listed"])
    copy, counted = (Client().get(f"/api/v1/results/{name}/").json() for name in ("paper-1", "io500-1"))
    assert (copy["same_as"], copy["printed_again"]) == ("io500-1", [])
    assert (counted["same_as"], counted["printed_again"]) == (None, ["paper-1"])
    pages = {name: page_source(Client().get(f"/results/{name}/")) for name in ("paper-1", "io500-1")}
    assert 'the same measurement as <a href="/results/io500-1/">' in pages["paper-1"]
    assert 'printed once more as <a href="/results/paper-1/">' in pages["io500-1"]
    listed = {row["id"]: row["same_as"] for row in Client().get("/api/v1/results/").json()["results"]}
    assert listed["paper-1"] == "io500-1" and json.dumps(listed["io500-1"]) == "null"
