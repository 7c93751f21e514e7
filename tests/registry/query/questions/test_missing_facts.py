"""What results do not say: counted apart, neither few nor many, in rankings, studies and lists of results."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from registry.query.facts import fact_index
from registry.query.questions.filters import InvalidValue
from registry.query.questions.missing_facts import NOTHING_ASKED, count_missing
from tests.html import page_source
from tests.registry.record import make_list, make_rate, make_release, make_result

pytestmark = pytest.mark.django_db


@pytest.fixture
def metadata() -> None:
    """Three production Lustre results of 10, 40 and unknown clients; only the first says its two MDTs. One BeeGFS."""
    release = make_release("T1")
    results = [
        make_result(release, "hw-few", 10.0, rate_kiops=300.0, client_nodes=10, parameters={"mdts": 2}),
        make_result(release, "hw-many", 20.0, rate_kiops=900.0, client_nodes=40),
        make_result(release, "hw-silent", 15.0, rate_kiops=600.0, client_nodes=None),
        make_result(release, "hw-bee", 12.0, rate_kiops=500.0, client_nodes=None, filesystem_family="BeeGFS"),
    ]
    for result in results:
        make_rate(result, "find", "phase", 1000.0)
    make_list(release, "production", results)
    fact_index.rebuild_facts(result.pk for result in results)


CONDITIONS = "filesystem_type=Lustre&list=production&client_nodes__lte=19"


def test_results_with_unknown_clients_are_counted_as_candidates(metadata) -> None:
    missing = count_missing(QueryDict(CONDITIONS), ["metadata_targets"])
    assert (missing.candidates, missing.results_by_fact) == (2, {"metadata_targets": 1, "client_nodes": 1})
    assert count_missing(QueryDict("client_nodes=10&client_nodes__gte=5")).results_by_fact == {"client_nodes": 2}


def test_certain_filters_count_no_candidates(metadata, django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        assert count_missing(QueryDict("filesystem_type=Lustre&trust=imported")) == NOTHING_ASKED
    with django_assert_num_queries(1):
        count_missing(QueryDict(CONDITIONS + "&p.mdts=2"), ["metadata_targets", "drives"])


def test_only_an_unknown_parameter_is_missing(metadata) -> None:
    missing = count_missing(QueryDict("filesystem_type=Lustre&p.mdts=4"))
    assert (missing.candidates, missing.results_by_fact) == (2, {"mdts": 2})
    assert count_missing(QueryDict("filesystem_type=Lustre&p.mdts=2")).candidates == 3


def test_a_wrong_value_is_refused(metadata) -> None:
    with pytest.raises(InvalidValue):
        count_missing(QueryDict("client_nodes__lte=few"))


def test_a_ranking_per_metadata_target_counts_missing_facts(client: Client, metadata) -> None:
    document: dict[str, Any] = client.get(f"/api/v1/ranking/?formula=rate_kiops&per=mdt&{CONDITIONS}").json()
    assert [(row["result"], row["value"]) for row in document["rows"]] == [("hw-few", 150.0)]
    assert (document["candidates"], document["missing_facts"]) == (
        2,
        [{"name": "client_nodes", "title": "client nodes", "results": 1}],
    )
    unnarrowed = client.get("/api/v1/ranking/?formula=rate_kiops&per=mdt&filesystem_type=Lustre").json()
    assert unnarrowed["missing_facts"] == [{"name": "metadata_targets", "title": "metadata targets", "results": 2}]
    page = page_source(client.get(f"/ranking/?formula=rate_kiops&per=mdt&{CONDITIONS}"))
    assert "2 results meet the conditions as far as they are known. Not known: client nodes of 1." in page


def test_a_study_lists_missing_facts(client: Client, metadata) -> None:
    document = client.get("/api/v1/study/?metric=rate_kiops&x=system&per=mdt&filesystem_type=Lustre").json()
    assert [(gap["name"], gap["reason"], gap["results"]) for gap in document["gaps"]] == [
        ("metadata_targets", "not-in-list", 2)
    ]
    assert [(row["n"], row["count"], row["missing"], row["value"]) for row in document["rows"]] == [(1, 1, 2, 150.0)]
    certain = client.get("/api/v1/study/?metric=rate_kiops&x=system&filesystem_type=Lustre").json()
    assert (certain["candidates"], certain["missing_facts"]) == (None, [])
    page = page_source(client.get("/study/?metric=rate_kiops&x=system&per=mdt&filesystem_type=Lustre"))
    assert "has no metadata targets, nor has its archive" in page


def test_the_results_page_has_ranges_and_counts_unknown_results(client: Client, metadata) -> None:
    page = page_source(client.get(f"/results/?{CONDITIONS}"))
    assert "hw-few" in page and "hw-silent" not in page and "hw-many" not in page
    assert "Not known: client nodes of 1." in page
    assert 'name="client_nodes__gte"' in page and 'name="client_nodes__lte"' in page
    assert '<option value="production" selected>' in page
