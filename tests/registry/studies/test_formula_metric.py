"""Formulas as metrics of studies: one value for each result, units checked, bounds kept, what lacks counted."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.models import Result
from registry.query.facts import fact_index
from registry.studies.formula_metric import formula_title, is_formula
from tests.registry.record import make_measurement, make_rate, make_release, make_result

pytestmark = pytest.mark.django_db

STUDY = "/api/v1/study/"
HARD, EASY = "[ior-hard-write.bandwidth]", "[ior-easy-write.bandwidth]"
SHARE = f"{HARD}/{EASY}"


@pytest.fixture
def halves() -> dict[str, Result]:
    """Lustre: hard over easy 1/4, 2/4 and 3/4, and one without hard; DAOS: 9/10; one that has neither."""
    release = make_release("T1")
    results = {}
    for name, family, hard, easy in (
        ("a", "Lustre", 1.0, 4.0),
        ("b", "Lustre", 4.0, 8.0),
        ("c", "Lustre", 3.0, 4.0),
        ("d", "Lustre", None, 4.0),
        ("e", "DAOS", 9.0, 10.0),
        ("f", "DAOS", None, None),
    ):
        results[name] = make_result(release, f"hw-{name}", filesystem_family=family, client_nodes=4)
        if hard:
            make_measurement(results[name], "ior-hard-write", hard)
        if easy:
            make_measurement(results[name], "ior-easy-write", easy)
    fact_index.rebuild_facts(result.pk for result in results.values())
    return results


def ask(client: Client, formula: str, x: str = "filesystem", **query: Any) -> dict[str, Any]:
    answer = client.get(STUDY, {"metric": formula, "x": x} | query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def points(document: dict[str, Any]) -> dict[str, tuple[float | None, int, int]]:
    """By file system value, count and missing."""
    return {row["filesystem"]: (row["value"], row["count"], row["missing"]) for row in document["rows"]}


def test_each_result_gives_one_value_and_they_are_pooled_by_the_median(client, halves) -> None:
    document = ask(client, SHARE)
    assert points(document) == {"Lustre": (0.5, 3, 1), "DAOS": (0.9, 1, 0)}
    lustre = next(row for row in document["rows"] if row["filesystem"] == "Lustre")
    assert (lustre["low"], lustre["high"]) == (0.25, 0.75)
    assert (document["unit"], document["metrics"]) == ("", [SHARE])
    assert document["title"] == "ior-hard-write bandwidth/ior-easy-write bandwidth by file system"


def test_results_without_an_input_are_counted(client, halves) -> None:
    assert ask(client, SHARE)["coded_notes"] == [
        {
            "code": "study.formula-input-missing",
            "message": "1 result lacks ior-hard-write.bandwidth: the formula gives no value there.",
        }
    ]
    assert ask(client, SHARE, system="none-of-these")["rows"] == []


def test_a_computed_number_is_not_printed_anywhere(client, halves) -> None:
    (daos,) = [row for row in ask(client, SHARE)["rows"] if row["filesystem"] == "DAOS"]
    assert (daos["result"], daos["printed_value"], daos["printed_unit"], daos["qualifier"]) == (
        "hw-e",
        None,
        None,
        None,
    )
    assert (daos["interval_low"], daos["interval_basis"]) == (None, None)


def test_a_formula_with_a_unit_is_answered_in_the_usual_or_another_one(client, halves) -> None:
    total = f"{HARD} + {EASY}"
    assert (ask(client, total)["unit"], points(ask(client, total))["DAOS"][0]) == ("GiB/s", 19.0)
    assert points(ask(client, total, unit="MiB/s"))["DAOS"][0] == 19 * 1024
    assert points(ask(client, f"{EASY} / client_nodes"))["DAOS"][0] == 2.5
    assert points(ask(client, EASY + "*1", per="client"))["DAOS"][0] == 2.5


def test_a_unit_that_has_no_name_of_its_own_is_written_out(client, halves) -> None:
    make_rate(halves["e"], "find", "phase", 5.0)
    document = ask(client, f"{EASY} / [find.rate]")
    assert (document["unit"], points(document)["DAOS"]) == ("B/ops", (2 * 2**30, 1, 0))


def test_division_by_zero_gives_no_value(client, halves) -> None:
    halves["e"].measurements.filter(op="ior-easy-write").update(value=0.0)
    assert points(ask(client, SHARE))["DAOS"] == (None, 0, 1)


def test_least_and_largest_need_all_their_numbers(client, halves) -> None:
    assert points(ask(client, f"min({HARD}, {EASY})")) == {"Lustre": (3.0, 3, 1), "DAOS": (9.0, 1, 0)}
    assert points(ask(client, f"max({HARD}, {EASY})"))["DAOS"] == (10.0, 1, 0)
    assert points(ask(client, f"sqrt({HARD} * {EASY}) - {HARD}"))["Lustre"][1:] == (3, 1)


def test_the_best_measurement_of_a_metric_is_used(client, halves) -> None:
    make_measurement(halves["e"], "ior-easy-write", 9.0)
    make_measurement(halves["e"], "ior-hard-write", 8.0)
    assert points(ask(client, SHARE))["DAOS"] == (0.9, 1, 0)


def test_a_formula_of_a_bound_is_a_bound(client, halves) -> None:
    halves["e"].trust = Result.Trust.REPORTED
    halves["e"].save()
    halves["e"].measurements.filter(op="ior-hard-write").update(context={"qualifier": "below"})
    (daos,) = [row for row in ask(client, SHARE)["rows"] if row["filesystem"] == "DAOS" and row["count"]]
    assert (daos["value"], daos["qualifier"]) == (0.9, "below")
    (inverse,) = [row for row in ask(client, f"{EASY}/{HARD}")["rows"] if row["filesystem"] == "DAOS"]
    assert (inverse["value"], inverse["qualifier"]) == (pytest.approx(10 / 9), "above")


def test_a_bound_divided_by_a_bound_is_unknown(client, halves) -> None:
    Result.objects.filter(public_id="hw-e").update(trust=Result.Trust.REPORTED)
    halves["e"].measurements.update(context={"qualifier": "below"})
    (daos,) = [row for row in ask(client, SHARE)["rows"] if row["filesystem"] == "DAOS"]
    assert (daos["value"], daos["qualifier"], daos["missing"]) == (None, "unknown", 1)


def test_a_median_with_a_bound_in_it_is_a_bound_as_far_as_it_is_known(client, halves) -> None:
    """Values 1/4, 2/4 and below 3/4: the median is 1/2 at most."""
    Result.objects.filter(public_id__in=["hw-a", "hw-b", "hw-c"]).update(trust=Result.Trust.REPORTED)
    halves["c"].measurements.filter(op="ior-hard-write").update(context={"qualifier": "below"})
    (lustre,) = [row for row in ask(client, SHARE)["rows"] if row["filesystem"] == "Lustre" and row["count"]]
    assert (lustre["value"], lustre["qualifier"], lustre["low"]) == (0.5, "below", None)


@pytest.mark.parametrize(
    ("formula", "detail"),
    [
        (f"{EASY} + score", "A sum of different units: B/s, score."),
        ("[nope.bandwidth] / score", "No result has 'nope.bandwidth'."),
        ("[write/", "[write/: '[' was never closed."),
        ("(1 + 2)", "It names nothing that results have."),
        ("score ** 65 * 1", "An exponent is a number up to 64."),
        ("__import__('os')*1", "is not known here."),
        (f"{EASY} ** 64 / 1", "Value out of range: overflow, of some result."),
    ],
)
def test_a_formula_that_cannot_be_computed_is_refused(client, halves, formula: str, detail: str) -> None:
    answer = client.get(STUDY, {"metric": formula, "x": "filesystem"})
    assert (answer.status_code, answer.json()["code"]) == (400, "study.formula")
    assert answer.json()["detail"].endswith(detail) and answer.json()["hint"]


def test_a_formula_is_the_only_metric_and_has_no_context(client, halves) -> None:
    both = client.get(f"{STUDY}?metric={EASY}*1&metric=score&x=filesystem")
    assert (both.status_code, both.json()["code"]) == (400, "study.formula")
    context = client.get(STUDY, {"metric": SHARE, "x": "filesystem", "context.size": "1"})
    assert (context.status_code, context.json()["code"]) == (400, "query.invalid-value")


def test_the_page_shows_the_formula_and_its_share_with_four_digits(client, halves) -> None:
    page = client.get("/study/", {"metric": f"{EASY}/{HARD}", "x": "filesystem"}).content.decode()
    assert "<b>1.111</b>" in page and "lacks ior-hard-write.bandwidth" in page
    assert f"<option selected>{EASY}/{HARD}</option>" in page


def test_a_formula_costs_few_queries_however_many_results_there_are(client, halves) -> None:
    with CaptureQueriesContext(connection) as few:
        ask(client, SHARE)
    release = halves["a"].release
    assert release
    for number in range(30):
        result = make_result(release, f"hw-more-{number}")
        make_measurement(result, "ior-hard-write", 1.0)
        make_measurement(result, "ior-easy-write", 2.0)
        fact_index.rebuild_facts([result.pk])
    with CaptureQueriesContext(connection) as many:
        ask(client, SHARE)
    assert len(many) == len(few) <= 16


@pytest.mark.parametrize(
    ("word", "expected"),
    [("ior-hard-write.bandwidth", False), ("score", False), ("score/2", True), ("[a.b]", True), ("min(a,b)", True)],
)
def test_a_name_with_an_arithmetic_operator_is_a_formula(word: str, expected: bool) -> None:
    assert is_formula(word) is expected


def test_numbers_keep_their_point_in_a_title() -> None:
    assert formula_title("[a-b.bandwidth.max]*0.5") == "a-b bandwidth max*0.5"
