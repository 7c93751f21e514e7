"""Why an IO500 score is what it is: the phase that limits it, and where the time of each phase went."""

from __future__ import annotations

import math
from typing import Any

import pytest

from registry.models import Result
from registry.query.facts import fact_index
from registry.results.limiting_phase import PhaseValue, find_limit, score_rise, score_rises
from tests.registry.record import make_measurement, make_rate, make_release, make_result

PHASES = ("ior-easy-write", "ior-hard-write", "ior-easy-read", "ior-hard-read")
RATES = ("mdtest-easy-write", "find")
MISSING = [{"op": "ior-easy-write", "quantity": "rank_imbalance", "reason": "no-table"}]


# The arithmetic


def test_a_bandwidth_phase_weighs_an_eighth_and_a_rate_a_sixteenth() -> None:
    bandwidth = PhaseValue("ior-hard-read", "bandwidth", 1.0, 256.0)
    assert score_rise(bandwidth, 4) == pytest.approx(100)
    assert score_rise(PhaseValue("find", "rate", 1.0, 65536.0), 8) == pytest.approx(100)
    assert score_rise(PhaseValue("find", "rate", 5.0, 4.0), 8) == 0, "above the median"
    assert score_rise(PhaseValue("find", "rate", 5.0, None), 8) is None


def test_the_rise_is_that_of_the_score() -> None:
    """As the score is defined: the root of two geometric means."""
    values = {"ior-a": 2.0, "ior-b": 8.0, "mdtest-a": 3.0}
    phases = [PhaseValue(name, name.partition("-")[0], value, 16.0) for name, value in values.items()]
    score = ((2 * 8) ** (1 / 2) * 3) ** (1 / 2)
    rises = score_rises(phases)
    assert rises["ior-a"] == pytest.approx(100 * (((16 * 8) ** (1 / 2) * 3) ** (1 / 2) / score - 1))
    assert rises["mdtest-a"] == pytest.approx(100 * (((2 * 8) ** (1 / 2) * 16) ** (1 / 2) / score - 1))


@pytest.mark.parametrize(
    ("rises", "expected"),
    [
        ({"a": 1.0, "b": 3.0, "c": 0.0}, ("b", "")),
        ({"a": 2.0, "b": 2.0}, ("a", "")),
        ({"a": 0.0, "b": 0.0}, (None, "not-below")),
        ({"a": 9.0, "b": None}, (None, "few")),
        ({"a": None}, (None, "few")),
        ({}, (None, "no-score")),
    ],
)
def test_no_phase_is_named_if_another_might_be_the_limit(rises: dict[str, Any], expected: tuple[str, str]) -> None:
    assert find_limit(rises) == expected


# Of the record


def measure(result: Result, factor: float = 1.0, **of_phases: float) -> Result:
    """Score and phases of a result: 10 GiB/s and 10,000 operations/s, times the factor, or times that of a phase."""
    bandwidth = math.prod(of_phases.get(phase, factor) for phase in PHASES) ** (1 / 4)
    rate = math.prod(of_phases.get(phase, factor) for phase in RATES) ** (1 / 2)
    Result.objects.filter(pk=result.pk).update(score=10 * math.sqrt(bandwidth * rate))
    for phase in PHASES:
        make_measurement(result, phase, 10.0 * of_phases.get(phase, factor))
    for phase in RATES:
        make_rate(result, phase, "phase", 10_000 * of_phases.get(phase, factor))
    return result


@pytest.fixture
def crowd(db: None) -> Result:
    """A result whose ior-hard-read is a 256th of that of five like systems, and whose find is a fourth."""
    release = make_release("T1")
    own = make_result(release, "hw-own", system_name="A", snapshot={"missing_measurements": MISSING})
    measure(own, **{"ior-hard-read": 1 / 256, "find": 1 / 4})
    results = [own, *(measure(make_result(release, f"hw-{name}", system_name=name)) for name in "BCDEF")]
    make_measurement(own, "ior-easy-write", 0.0, quantity="time", value=300.0, unit="s", scored=None)
    for quantity, percent in (("close_share", 12.5), ("wear_out_share", 0.0)):
        fields = {"value": percent, "printed_value": percent, "unit": "%", "printed_unit": "%", "scored": None}
        make_measurement(own, "ior-easy-write", quantity=quantity, **fields)
    fact_index.rebuild_facts([result.pk for result in results])
    return own


def ask(client: Any, public_id: str = "hw-own") -> dict[str, Any]:
    response = client.get(f"/api/v1/results/{public_id}/phases/")
    assert response.status_code == 200
    document: dict[str, Any] = response.json()
    return document


def test_the_phase_that_would_raise_the_score_most_limits_it(client, crowd) -> None:
    document = ask(client)
    assert document["limiting_phase"] == "ior-hard-read"
    assert document["score_rise_percent"] == pytest.approx(100)
    assert (document["systems"], document["unlimited_reason"]) == (5, None)
    rises = {row["phase"]: row["score_rise_percent"] for row in document["phases"]}
    assert rises["find"] == pytest.approx(100 * (4 ** (1 / 4) - 1)), "one of two rates here"
    assert rises["ior-easy-write"] == 0
    page = client.get("/results/hw-own/").content.decode()
    assert "IOR hard read limits this score most: at the median of 5 similar systems" in page


def test_missing_shares_are_listed_with_reasons(client, crowd) -> None:
    first = ask(client)["phases"][0]
    assert (first["phase"], first["seconds"], first["ranks"]) == ("ior-easy-write", 300.0, None)
    assert [(row["quantity"], row["percent"], row["reason"]) for row in first["shares"]] == [
        ("close_share", 12.5, None),
        ("wear_out_share", 0.0, None),
        ("rank_imbalance", None, "no-table"),
    ]
    page = client.get("/results/hw-own/").content.decode()
    assert "No table with a row for each rank is among the files that were read." in page
    assert "imbalance of ranks of IOR easy write" in page
    assert "12.5" in page


def test_four_similar_systems_are_too_few_for_a_limit(client, crowd) -> None:
    Result.objects.filter(public_id="hw-F").update(withdrawn_at="2026-01-01T00:00:00Z")
    document = ask(client)
    assert (document["limiting_phase"], document["unlimited_reason"], document["systems"]) == (None, "few", 4)
    assert {row["median"] for row in document["phases"]} == {None}
    assert (
        "every phase is known of 4 similar systems, and 5 are needed" in client.get("/results/hw-own/").content.decode()
    )


def test_a_rare_phase_leaves_the_limit_unknown(client, crowd) -> None:
    Result.objects.get(public_id="hw-F").measurements.filter(op="find").delete()
    document = ask(client)
    assert (document["limiting_phase"], document["unlimited_reason"]) == (None, "few")


def test_a_result_with_unknown_clients_has_no_similar_systems(client, crowd) -> None:
    Result.objects.filter(pk=crowd.pk).update(client_nodes=None)
    fact_index.rebuild_facts([crowd.pk])
    document = ask(client)
    assert (document["unlimited_reason"], document["unknown_facts"]) == ("unknown-facts", ["client nodes"])
    assert "does not state its client nodes" in client.get("/results/hw-own/").content.decode()


def test_a_run_without_a_score_and_one_above_all_have_no_limit(client, crowd) -> None:
    Result.objects.filter(pk=crowd.pk).update(score=None)
    assert ask(client)["unlimited_reason"] == "no-score"
    best = measure(make_result(crowd.release, "hw-best", system_name="G"), factor=7.0)
    fact_index.rebuild_facts([best.pk])
    assert ask(client, "hw-best")["unlimited_reason"] == "not-below"


def test_a_score_that_does_not_follow_from_the_known_phases_has_no_limit(client, crowd) -> None:
    """One phase is not known, or is 0: it might be the one that limits."""
    find = crowd.measurements.get(op="find", quantity="rate")
    crowd.measurements.filter(pk=find.pk).update(value=0.0)
    Result.objects.filter(pk=crowd.pk).update(score=0.0)
    assert ask(client)["unlimited_reason"] == "other-score"
    find.delete()
    Result.objects.filter(pk=crowd.pk).update(score=10.0)
    document = ask(client)
    assert (document["limiting_phase"], document["unlimited_reason"]) == (None, "other-score")
    assert "the known phases do not give its score" in client.get("/results/hw-own/").content.decode()


def test_a_result_whose_files_were_not_read_for_it_has_no_section(client, crowd) -> None:
    document = ask(client, "hw-B")
    assert document["shares_read"] is False
    assert document["phases"][0]["shares"] == []
    assert 'id="why"' not in client.get("/results/hw-B/").content.decode()


def test_another_benchmark_has_no_limiting_phase(client, crowd) -> None:
    other = make_result(crowd.release, "hw-ior", None, tool="ior")
    make_measurement(other, "write", 3.0, stat="max")
    document = ask(client, "hw-ior")
    assert (document["phases"], document["unlimited_reason"]) == ([], "no-score")
    assert client.get("/api/v1/results/nobody/phases/").status_code == 404


def test_an_unscored_phase_is_never_limiting(client, crowd) -> None:
    make_measurement(crowd, "ior-rnd4K-easy-read", 1e-6, scored=False)
    rows = {row["phase"]: row for row in ask(client)["phases"]}
    assert rows["ior-rnd4K-easy-read"]["score_rise_percent"] is None
    assert ask(client)["limiting_phase"] == "ior-hard-read"
