"""A result among similar ones: which are similar, where its numbers stand, and how better ones differ."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.models import Result
from registry.query.facts import axes, fact_index
from registry.query.values.qualified_values import qualified_number
from registry.results.likeness import (
    RULE,
    Standing,
    compare_facts,
    conditions_of,
    list_differences,
    missing_conditions,
    place_among,
)
from tests.html import page_source
from tests.registry.record import IOR, described, make_measurement, make_release, make_result

OWN = {"filesystem": "Lustre", "client_nodes": "10", "drives": "24"}


# The rule, over plain values


def verdict(facts: dict[str, str], own: dict[str, str] | None = None) -> tuple[bool, list[str]]:
    return compare_facts(conditions_of("io500", own or OWN), facts)


@pytest.mark.parametrize(
    ("clients", "is_like"), [("5", True), ("20", True), ("4", False), ("21", False), ("10", True), ("many", False)]
)
def test_a_similar_scale_is_half_to_twice(clients: str, is_like: bool) -> None:
    assert verdict(OWN | {"client_nodes": clients})[0] is is_like


def test_another_or_unknown_file_system_is_not_similar() -> None:
    assert verdict(OWN | {"filesystem": "lustre"}) == (True, [])
    assert not verdict(OWN | {"filesystem": "BeeGFS"})[0]
    assert not verdict({"client_nodes": "10", "drives": "24"})[0]


def test_unknown_drives_keep_a_result_in_the_group_and_are_named() -> None:
    assert verdict({"filesystem": "Lustre", "client_nodes": "10"}) == (True, ["drives"])
    assert not verdict(OWN | {"drives": "100"})[0]
    assert verdict(OWN, {"filesystem": "Lustre", "client_nodes": "10"}) == (True, [])


def test_needed_facts_of_a_benchmark_are_conditions() -> None:
    conditions = conditions_of("ior", {"filesystem": "Lustre", "client_nodes": "4", "access": "file-per-process"})
    assert [condition.fact for condition in missing_conditions(conditions)] == [
        *("tasks", "transfer_size_bytes", "direct_io"),
    ]
    assert missing_conditions(conditions_of("io500", OWN)) == []


def test_a_place_counts_better_equal_and_worse_results() -> None:
    others = [qualified_number(value) for value in (1.0, 2.0, 2.0, 3.0)]
    assert place_among(qualified_number(2.0), others, lower_is_better=False) == Standing(1, 2, 1, 0)
    assert place_among(qualified_number(1.5), others, lower_is_better=True) == Standing(1, 0, 3, 0)


def test_a_bound_may_leave_the_place_unknown() -> None:
    others = [qualified_number(3.0, "below"), qualified_number(1.0, "above"), qualified_number(9.0)]
    assert place_among(qualified_number(2.0), others, lower_is_better=False) == Standing(1, 0, 0, 2)
    assert place_among(qualified_number(4.0), others[:1], lower_is_better=False) == Standing(0, 0, 1, 0)


def test_differences_common_to_all_better_results_come_first() -> None:
    better = [{"stripe": "-1", "os": "a", "nps": "1"}, {"stripe": "-1", "os": "b", "cpt": "8"}]
    rows = list_differences({"stripe": "1", "os": "c", "nps": "1"}, better)
    assert [(row.fact, row.own, row.values, row.unknown) for row in rows] == [
        ("stripe", "1", [("-1", 2)], 0),
        ("os", "c", [("a", 1), ("b", 1)], 0),
        ("cpt", "", [("8", 1)], 1),
    ]


def test_the_rule_names_existing_facts_with_reasons() -> None:
    rule = json.loads(RULE.read_text(encoding="utf-8"))
    assert all(row["why"].endswith(".") and len(row["why"]) > 40 for row in rule["facts"])
    assert {row["fact"] for row in rule["facts"]} - {"$scale", "$settings"} <= set(axes.by_name())
    assert {row["rule"] for row in rule["facts"]} == {"equal", "within"}


# Over a small record


@pytest.fixture
def crowd(db: None) -> dict[str, Result]:
    """Own: 10 GiB/s of Lustre on 10 clients. Like: B 20 and (older) 12, C 5, D 10. Not like: E, F, G, and its own."""
    release, later = make_release("T1"), make_release("T2", "2026-11-01")
    results: dict[str, Result] = {}
    for name, system, value, facts in (
        ("own", "A", 10.0, {"parameters": {"stripe_count": 1}}),
        ("b", "B", 20.0, {"parameters": {"stripe_count": -1}}),
        ("b-older", "B", 12.0, {}),
        ("c", "C", 5.0, {"client_nodes": 20}),
        ("d", "D", 10.0, {"client_nodes": 5}),
        ("e", "E", 50.0, {"client_nodes": 50}),
        ("f", "F", 50.0, {"filesystem_family": "BeeGFS"}),
        ("g", "G", 50.0, {"client_nodes": None}),
        ("h", "H", 50.0, {"trust": Result.Trust.REPORTED}),
        ("i", "I", 50.0, {"mode": "extended"}),
        ("own-older", "A", 9.0, {}),
    ):
        held = later if name == "own" else release
        results[name] = make_result(held, f"hw-{name}", value, system_name=system, **facts)
        make_measurement(results[name], "ior-easy-write", value)
    fact_index.rebuild_facts(result.pk for result in results.values())
    return results


def ask(client: Client, public_id: str = "hw-own", **query: str) -> dict[str, Any]:
    answer = client.get(f"/api/v1/results/{public_id}/among/", query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def number(document: dict[str, Any], op: str) -> dict[str, Any]:
    return next(row for row in document["numbers"] if row["op"] == op)


def test_each_other_system_counts_once_with_its_best(client, crowd) -> None:
    document = ask(client)
    assert (document["systems"], document["results"], set(document["like"])) == (
        *(3, 4),
        {"hw-b", "hw-b-older", "hw-c", "hw-d"},
    )
    score = number(document, "score")
    assert [score[name] for name in ("better", "equal", "worse", "unknown", "without")] == [1, 1, 1, 0, 0]
    assert (score["best"], score["best_result"], score["median"]) == (20.0, "hw-b", 10.0)
    assert (document["few"], score["share_not_better"]) == (True, None)


def test_clients_that_an_archive_states_are_of_a_similar_scale(client, crowd) -> None:
    release = crowd["b"].release
    for name, counted in (("near", 20), ("far", 21)):
        make_result(
            *(release, f"hw-{name}", 1.0),
            system_name=name,
            client_nodes=None,
            snapshot={"measured_client_nodes": counted},
        )
    fact_index.rebuild_facts(Result.objects.values_list("pk", flat=True))
    assert set(ask(client)["like"]) == {"hw-b", "hw-b-older", "hw-c", "hw-d", "hw-near"}


def test_five_systems_give_a_share(client, crowd) -> None:
    for name in ("J", "K"):
        make_measurement(make_result(crowd["b"].release, f"hw-{name}", 1.0, system_name=name), "ior-easy-write", 1.0)
    fact_index.rebuild_facts(Result.objects.values_list("pk", flat=True))
    document = ask(client)
    assert (document["few"], number(document, "score")["share_not_better"]) == (False, 0.8)


def test_better_results_are_listed_with_their_differences(client, crowd) -> None:
    document = ask(client)
    assert [(row["id"], row["value"], row["ratio"]) for row in document["better"]] == [("hw-b", 20.0, 2.0)]
    assert document["differences"] == [
        {
            "name": "stripe_count",
            "title": "stripe count",
            "kind": "tuning",
            "own": "1",
            "values": [{"value": "-1", "results": 1}],
            "unknown": 0,
        }
    ]


def test_the_chosen_metric_decides_better(client, crowd) -> None:
    make_measurement(crowd["own"], "ior-hard-write", 8.0)
    make_measurement(crowd["c"], "ior-hard-write", 9.0)
    document = ask(client, metric="ior-hard-write.bandwidth")
    assert (document["metric"], [row["id"] for row in document["better"]]) == (
        *("ior-hard-write.bandwidth.phase", ["hw-c"]),
    )
    hard = number(document, "ior-hard-write")
    assert (hard["better"], hard["worse"], hard["without"]) == (1, 0, 2)


def test_parameters_of_described_systems_are_differences_too(client, crowd) -> None:
    described(crowd["own"], **{"lustre.client.osc.checksums": "1"})
    described(crowd["b"], **{"lustre.client.osc.checksums": "0"})
    fact_index.rebuild_facts([crowd["own"].pk, crowd["b"].pk])
    names = {row["title"]: (row["own"], row["values"][0]["value"]) for row in ask(client)["differences"]}
    assert names["network checksums"] == ("1", "0")
    assert len(names) == 2


def test_client_processes_are_one_difference(client, crowd) -> None:
    for name, tasks in (("own", 160), ("b", 320)):
        Result.objects.filter(pk=crowd[name].pk).update(tasks=tasks, parameters={"procs": tasks})
    fact_index.rebuild_facts([crowd["own"].pk, crowd["b"].pk])
    titles = [row["title"] for row in ask(client)["differences"]]
    assert titles.count("client processes") == 1


def test_a_result_of_unknown_scale_has_no_group(client, crowd) -> None:
    document = ask(client, "hw-g")
    assert document["missing"] == [{"name": "client_nodes", "title": "client nodes"}]
    assert (document["systems"], document["better"], document["like"]) == (0, [], [])
    page = page_source(client.get("/results/hw-g/among/"))
    assert "This result does not state: client nodes." in page


@pytest.mark.parametrize("forbidding", ["hw-own", "hw-b"])
def test_results_with_a_limit_of_comparison_have_no_place(client, crowd, forbidding) -> None:
    limit = {"reason": "Other nodes.", "op": "ior-easy-write", "with": ["hw-b", "hw-b-older", "hw-own"]}
    Result.objects.filter(public_id=forbidding).update(snapshot={"not_comparable_for": [limit]})
    document = ask(client, metric="ior-easy-write.bandwidth")
    bandwidth, score = number(document, "ior-easy-write"), number(document, "score")
    expected = {"hw-own": (0, None, 1), "hw-b": (1, "hw-b-older", 0)}  # hw-b wrote 20, hw-b-older 12 and own 10 GiB/s
    better, best, without = expected[forbidding]
    assert [row["id"] for row in document["better"]] == ([best] if best else [])
    assert (bandwidth["better"], bandwidth["without"]) == (better, without)
    assert (score["better"], score["best_result"]) == (1, "hw-b")


def test_a_reported_result_is_compared_with_reported_ones(client, crowd) -> None:
    other = make_result(crowd["b"].release, "hw-other", 60.0, system_name="J", trust=Result.Trust.REPORTED)
    fact_index.rebuild_facts([other.pk])
    assert ask(client, "hw-h")["like"] == ["hw-other"]


def test_runs_of_other_settings_are_not_similar(client, db) -> None:
    release = make_release("T1")
    results = []
    for name, parameters in (("a", IOR), ("b", IOR), ("c", IOR | {"transfer_size_bytes": 4096}), ("d", {})):
        results.append(make_result(release, f"hw-{name}", None, tool="ior", system_name=name, parameters=parameters))
        make_measurement(results[-1], "write", 5.0, stat="max")
    fact_index.rebuild_facts(result.pk for result in results)
    assert ask(client, "hw-a")["like"] == ["hw-b"]
    assert [row["name"] for row in ask(client, "hw-d")["missing"]] == ["access", "transfer_size_bytes", "direct_io"]


def test_a_bound_leaves_the_share_unknown(client, crowd) -> None:
    Result.objects.exclude(public_id="hw-own-older").update(trust=Result.Trust.REPORTED)
    crowd["c"].measurements.update(value=30.0 * 2**30, context={"qualifier": "below"})
    write = number(ask(client), "ior-easy-write")
    assert (write["better"], write["unknown"], write["median"]) == (2, 1, None)


@pytest.mark.parametrize("metric", ["nope", "score.x", "find.rate", "\0", "x" * 300])
def test_a_metric_missing_in_the_result_is_refused(client, crowd, metric: str) -> None:
    answer = client.get("/api/v1/results/hw-own/among/", {"metric": metric})
    assert answer.status_code == 400
    assert answer.json()["code"] in ("study.unknown-metric", "query.invalid-value")
    assert client.get("/results/hw-own/among/", {"metric": metric}).status_code == 400


def test_a_result_that_is_not_there_is_not_found(client, db) -> None:
    answer = client.get("/api/v1/results/hw-none/among/")
    assert (answer.status_code, answer.json()["code"]) == (404, "record.no-result")
    assert client.get("/results/hw-none/among/").status_code == 404
    assert client.get("/api/v1/results/hw-none/among/?x=1").status_code == 400


def test_a_result_without_numbers_has_no_place(client, crowd) -> None:
    bare = make_result(crowd["b"].release, "hw-bare", None, system_name="Z")
    fact_index.rebuild_facts([bare.pk])
    document = ask(client, "hw-bare")
    assert (document["metric"], document["numbers"], document["better"]) == (None, [], [])
    assert client.get("/results/hw-bare/among/").status_code == 200


def test_the_result_page_links_the_group_and_the_group_a_comparison(client, crowd) -> None:
    assert '<a href="/results/hw-own/among/">' in page_source(client.get("/results/hw-own/"))
    page = page_source(client.get("/results/hw-own/among/"))
    assert 'href="/compare/?results=hw-own,hw-b"' in page
    assert "Similar are 4 results of 3 other systems" in page and "These are few" in page
    assert re.search(r">1</td><td [^>]*>-1 <small>\N{MULTIPLICATION SIGN} 1</small></td>", page)


def test_names_of_better_systems_are_escaped(client, crowd) -> None:
    Result.objects.filter(public_id="hw-b").update(system_name="<script>alert(1)</script>")
    assert "<script>alert" not in page_source(client.get("/results/hw-own/among/"))


def test_the_cost_does_not_grow_with_similar_results(client, crowd) -> None:
    with CaptureQueriesContext(connection) as few:
        ask(client)
    for place in range(20):
        result = make_result(crowd["b"].release, f"hw-more-{place}", 3.0 + place, system_name=f"M{place}")
        make_measurement(result, "ior-easy-write", 3.0)
        fact_index.rebuild_facts([result.pk])
    with CaptureQueriesContext(connection) as many:
        ask(client)
    assert len(many) == len(few) <= 6
