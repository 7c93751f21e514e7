"""Custom rankings: formulas over a small constructed record, units, refusals, trust, and what they cost."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from registry.models import Release, Result
from registry.query.facts import fact_index
from registry.query.values.formulas import FormulaError
from registry.studies.custom_rankings import dimensions
from tests.registry.record import empty, make_measurement, make_rate, make_release, make_result

RANKING = "/api/v1/ranking/"
WRITE, READ = "[ior-easy-write.bandwidth.phase]", "[ior-easy-read.bandwidth.phase]"


@pytest.fixture(scope="module", autouse=True)
def record(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """a: write 8 GiB/s, read 6; b: write 4, read 4; c: write 10 of unknown clients; d: as a, but verified."""
    with django_db_blocker.unblock():
        release = make_release("T1")
        verified = {"trust": Result.Trust.VERIFIED, "bundle_sha256": "0" * 64}
        results = {
            "a": make_result(release, "hw-a", 10.0, client_nodes=4, parameters={"drives": 0, "wait": 2.5}),
            "b": make_result(release, "hw-b", 40.0, client_nodes=1, parameters={"drives": 8}),
            "c": make_result(release, "hw-c", 20.0, client_nodes=None),
            "d": make_result(release, "hw-d", 10.0, client_nodes=4, tool="ior", **verified),
        }
        for name, write, read in (("a", 8, 6), ("b", 4, 4), ("c", 10, 1), ("d", 8, 6)):
            make_measurement(results[name], "ior-easy-write", write)
            make_measurement(results[name], "ior-easy-read", read)
        make_measurement(results["b"], "ior-easy-write", 3)  # a second, worse one of the same metric
        make_rate(results["a"], "mdtest-easy-stat", "phase", 5000.0)
        make_rate(results["a"], "mdtest-easy-stat", "max", 6000.0)
        fact_index.rebuild_facts(result.pk for result in results.values())
    yield
    with django_db_blocker.unblock():
        empty()


pytestmark = pytest.mark.django_db


def ask(client: Client, formula: str, **query: Any) -> dict[str, Any]:
    answer = client.get(RANKING, {"formula": formula} | query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def ranks(document: dict[str, Any], trust: str = "imported") -> list[tuple[int, str, float]]:
    return [(row["rank"], row["result"], row["value"]) for row in document["rows"] if row["trust"] == trust]


def test_results_are_ordered_by_the_formula_with_unit_and_inputs(client) -> None:
    document = ask(client, f"({WRITE} + {READ}) / client_nodes")
    assert ranks(document) == [(1, "hw-b", 8.0), (2, "hw-a", 3.5)]
    assert (document["unit"], document["official"], document["order"]) == ("GiB/s", False, "most")
    first = document["rows"][0]
    assert (first["in.ior-easy-write.bandwidth.phase"], first["in.client_nodes"]) == (4.0, 1.0)
    assert [input_row["unit"] for input_row in document["inputs"]] == ["GiB/s", "GiB/s", ""]


def test_levels_of_trust_have_ranks_of_their_own(client) -> None:
    document = ask(client, WRITE)
    assert ranks(document) == [(1, "hw-c", 10.0), (2, "hw-a", 8.0), (3, "hw-b", 4.0)]
    assert ranks(document, "verified") == [(1, "hw-d", 8.0)]


def test_results_without_an_input_are_counted_without_a_rank(client) -> None:
    document = ask(client, f"{WRITE} / client_nodes")
    assert document["counts"]["imported"] == {"ranked": 2, "missing": 1}
    by_zero = ask(client, f"{WRITE} / drives", trust="imported")
    assert (ranks(by_zero), by_zero["counts"]["imported"]) == ([(1, "hw-b", 0.5)], {"ranked": 1, "missing": 2})
    per = ask(client, WRITE, per="drive", trust="imported")
    assert (ranks(per), per["title"]) == ([(1, "hw-b", 0.5)], f"{WRITE}, per drive")


@pytest.mark.parametrize(
    ("formula", "unit", "value"),
    [
        ("score * 2", "score", 20.0),
        (f"min({WRITE}, {READ}, {WRITE} - {READ})", "GiB/s", 2.0),
        (f"max({WRITE}, {READ})", "GiB/s", 8.0),
        (f"{WRITE} / {READ} - 1", "", 1 / 3),
        ("-client_nodes ** 2 + 20", "", 4.0),
        ("sqrt(client_nodes)", "", 2.0),
        (f"{WRITE} ** 2 / {WRITE}", "GiB/s", 8.0),
        ("[mdtest-easy-stat.rate.phase]", "kIOPS", 5.0),
        (
            f"sqrt({WRITE} * [mdtest-easy-stat.rate.phase])",
            "B^(1/2)\N{MIDDLE DOT}ops^(1/2)/s",
            (8 * 2**30 * 5000) ** 0.5,
        ),
        ("score ** -1", "1/score", 0.1),
        ("bandwidth_gib_per_s", "GiB/s", 3.0),
    ],
)
def test_a_formula_has_a_value_and_a_unit(client, formula, unit, value) -> None:
    Result.objects.filter(public_id="hw-a").update(bandwidth_gib_per_s=3.0)
    document = ask(client, formula)
    (ranked_row,) = [row for row in document["rows"] if row["result"] == "hw-a"]
    assert (document["unit"], ranked_row["value"]) == (unit, pytest.approx(value))


def test_units_are_converted_and_an_order_can_be_asked_for(client) -> None:
    document = ask(client, WRITE, unit="GB/s", order="least", trust="verified")
    assert (document["unit"], ranks(document, "verified")) == ("GB/s", [(1, "hw-d", pytest.approx(8 * 2**30 / 1e9))])
    assert [row[1] for row in ranks(ask(client, WRITE, order="least"))] == ["hw-b", "hw-a", "hw-c"]


def test_filters_and_limits_hold(client) -> None:
    assert [row[1] for row in ranks(ask(client, WRITE, client_nodes__gte=2))] == ["hw-a"]
    assert [row[1] for row in ranks(ask(client, WRITE, **{"p.drives": "8"}))] == ["hw-b"]
    assert ranks(ask(client, WRITE, limit=1)) == [(1, "hw-c", 10.0)]
    assert ask(client, WRITE, as_of="2020-01-01")["rows"] == []


def test_equal_values_share_a_rank(client) -> None:
    assert [row[0] for row in ranks(ask(client, "client_nodes ** 0"))] == [1, 1]


TRAINED = "[unet3d.samples_rate.mean]"


def test_a_measurement_that_is_printed_twice_has_one_rank(client) -> None:
    first = Result.objects.get(public_id="hw-c")
    copy = make_result(first.release, "hw-copy", None, same_as=first)
    make_measurement(copy, "ior-easy-write", 10)
    make_rate(copy, "mdtest-easy-stat", "phase", 4000.0)
    document = ask(client, WRITE)
    assert ranks(document) == [(1, "hw-c", 10.0), (2, "hw-a", 8.0), (3, "hw-b", 4.0)]
    assert document["counts"]["imported"] == {"ranked": 3, "missing": 0}
    assert [name for _, name, _ in ranks(ask(client, "[mdtest-easy-stat.rate.phase]"))] == ["hw-a", "hw-copy"]


@pytest.fixture
def trained(db: None) -> None:
    """Training runs of two accelerators, two divisions and two modes, one of unknown division."""
    release = make_release("M1")
    for name, rate, accelerator, division, mode, clients in (
        ("h3", 507.0, "h100", "closed", "training", 1),
        ("a3", 483.0, "a100", "closed", "training", 1),
        ("h1", 170.0, "h100", "closed", "training", 4),
        ("free", 900.0, "h100", "open", "training", 1),
        ("unsaid", 100.0, "h100", "", "training", None),
        ("long", 80.0, "h100", "closed", "checkpoint", 1),
    ):
        parameters = {"model": "unet3d", "accelerator": accelerator} | ({"division": division} if division else {})
        result = make_result(
            release,
            name,
            None,
            tool="mlperf-storage",
            mode=mode,
            client_nodes=clients,
            tasks=None,
            parameters=parameters,
        )
        number = {"value": rate, "unit": "ops/s", "printed_value": rate, "printed_unit": "samples/s", "scored": None}
        make_measurement(result, "unet3d", quantity="samples_rate", stat="mean", **number)
        fact_index.rebuild_facts([result.pk])


def test_sample_rates_are_not_divided_like_operations(client, trained) -> None:
    document = ask(client, f"{TRAINED} / client_nodes", tool="mlperf-storage")
    assert (document["unit"], document["inputs"][0]["unit"]) == ("samples/s", "samples/s")
    assert document["rows"][0]["in.unet3d.samples_rate.mean"] == 507.0
    refused = client.get(RANKING, {"formula": TRAINED, "unit": "kIOPS"})
    assert (refused.status_code, refused.json()["code"]) == (400, "ranking.unit")
    assert ask(client, TRAINED, unit="samples/s")["unit"] == "samples/s"
    mixed = client.get(RANKING, {"formula": f"{TRAINED} + [mdtest-easy-stat.rate.phase]"})
    assert (mixed.status_code, mixed.json()["detail"]) == (400, "A sum of different units: ops/s, samples/s.")


def test_modes_and_divisions_have_ranks_of_their_own(client, trained) -> None:
    document = ask(client, TRAINED, tool="mlperf-storage")
    groups = [(group["mode"], group["division"], group["ranked"]) for group in document["groups"]]
    assert groups == [
        ("training", "closed", 3),
        ("checkpoint", "closed", 1),
        ("training", "", 1),
        ("training", "open", 1),
    ]
    placed = [(row["group"], row["rank"], row["result"]) for row in document["rows"]]
    assert placed == [(0, 1, "h3"), (0, 2, "a3"), (0, 3, "h1"), (1, 1, "long"), (2, 1, "unsaid"), (3, 1, "free")]
    assert document["counts"] == {"imported": {"ranked": 6, "missing": 0}}
    page = client.get("/ranking/", {"formula": TRAINED, "tool": "mlperf-storage"}).content.decode()
    assert "4 groups, each with ranks of its own" in page and "division open" in page


def test_varying_influences_are_named_with_filters(client, trained) -> None:
    (closed, *_) = ask(client, TRAINED, tool="mlperf-storage")["groups"]
    varies = {fact["name"]: [(row["value"], row["count"]) for row in fact["values"]] for fact in closed["varies"]}
    assert varies == {"client_nodes": [("1", 2), ("4", 1)], "accelerator": [("h100", 2), ("a100", 1)]}
    page = client.get("/ranking/", {"formula": TRAINED, "tool": "mlperf-storage"}).content.decode()
    assert "Facts that differ among these rows" in page and "p.accelerator=a100" in page
    alone = ask(client, TRAINED, tool="mlperf-storage", **{"p.accelerator": "a100"})
    assert [row["result"] for row in alone["rows"]] == ["a3"]
    assert [group["varies"] for group in alone["groups"]] == [[]]


def test_divisors_of_the_formula_are_not_listed_as_varying(client, trained) -> None:
    (closed, *_) = ask(client, f"{TRAINED} / client_nodes", tool="mlperf-storage")["groups"]
    assert [fact["name"] for fact in closed["varies"]] == ["accelerator"]
    (closed, *_) = ask(client, TRAINED, per="client", tool="mlperf-storage")["groups"]
    assert [fact["name"] for fact in closed["varies"]] == ["accelerator"]


def test_facts_unknown_for_some_rows_are_listed_apart(client, trained) -> None:
    Result.objects.filter(public_id="h1").update(client_nodes=None)
    fact_index.rebuild_facts(Result.objects.filter(public_id="h1").values_list("pk", flat=True))
    (closed, *_) = ask(client, TRAINED, tool="mlperf-storage")["groups"]
    assert [fact["name"] for fact in closed["varies"]] == ["accelerator"]
    assert closed["unknown"] == [{"name": "client_nodes", "unknown": 1}]


@pytest.mark.parametrize(
    ("limit", "ranked"),
    [
        ({"reason": "Other nodes."}, ["b"]),
        ({"reason": "Other nodes.", "quantity": "bandwidth"}, ["b"]),
        ({"reason": "Other nodes.", "with": ["hw-rb"]}, ["b"]),
        ({"reason": "Other nodes.", "with": ["elsewhere"]}, ["a", "b"]),
        ({"reason": "Other nodes.", "quantity": "time"}, ["a", "b"]),
        ({"reason": "Other nodes.", "op": "read"}, ["a", "b"]),
    ],
)
def test_results_with_a_limit_of_comparison_have_no_rank(client, limit, ranked) -> None:
    release = Release.objects.get()
    for name, value in (("a", 2), ("b", 1)):
        limits = {"not_comparable_for": [limit]} if name == "a" else {}
        reported = {"trust": Result.Trust.REPORTED, "source": "A paper", "snapshot": limits}
        make_measurement(make_result(release, f"hw-r{name}", None, **reported), "ior-easy-write", value)
    document = ask(client, WRITE, trust="reported")
    assert [row["result"] for row in document["rows"]] == [f"hw-r{name}" for name in ranked]
    expected = [] if "a" in ranked else [{"result": "hw-ra", "reasons": ["Other nodes."]}]
    assert document["not_comparable"] == expected
    page = client.get("/ranking/", {"formula": WRITE, "trust": "reported"}).content.decode()
    assert ("has no rank: Other nodes." in page) is bool(expected)


@pytest.mark.parametrize(
    ("formula", "code"),
    [
        ("", "ranking.no-formula"),
        ("1 + 1", "ranking.formula"),
        ("score +", "ranking.formula"),
        ("__import__('os')", "ranking.formula"),
        ("score.__class__", "ranking.formula"),
        ("[score for score in client_nodes]", "ranking.unknown-name"),
        ("lambda: score", "ranking.formula"),
        ("score if client_nodes else score", "ranking.formula"),
        ("comb(client_nodes, 2)", "ranking.formula"),
        ("sqrt(score, score)", "ranking.formula"),
        ("score ** 65", "ranking.formula"),
        ("score ** client_nodes", "ranking.formula"),
        ("score * 1e999", "ranking.formula"),
        ("score * 1" + "0" * 150 + " ** 9", "ranking.formula"),
        ("(" * 99 + "score" + ")" * 99, "query.invalid-value"),
        ("(" * 90 + "score", "ranking.formula"),
        ("score + nothing_like_it", "ranking.unknown-name"),
        ("'; DROP TABLE registry_result; --", "ranking.formula"),
        ("[x'); DROP TABLE registry_result; --]", "ranking.unknown-name"),
        ("[mdtest-easy-stat.rate]", "ranking.unknown-name"),
        (f"{WRITE} + [mdtest-easy-stat.rate.phase]", "ranking.formula"),
        (f"{WRITE} + 1", "ranking.formula"),
        (f"min({WRITE}, client_nodes)", "ranking.formula"),
        ("sqrt(client_nodes - 100)", "ranking.formula"),
        ("score + score + [a] + [b] + [c] + [d] + [e] + [f] + [g] + [h]", "ranking.formula"),
        ("score\0", "query.invalid-value"),
        ("x" * 201, "query.invalid-value"),
    ],
)
def test_invalid_formulas_are_refused_with_a_code(client, formula, code) -> None:
    answer = client.get(RANKING, {"formula": formula})
    assert (answer.status_code, answer.json()["code"]) == (400, code), answer.content
    assert answer.json()["hint"]


def test_a_canonical_quantity_is_no_name_of_a_formula(client) -> None:
    """It may stand for several reported names, whose numbers no formula tells apart."""
    result = make_result(make_release("Q1"), "hw-lst", None, tool="lst")
    make_measurement(result, "send", quantity="rate", stat="mean_node", unit="ops/s", printed_unit="RPC/s")
    refused = client.get(RANKING, {"formula": "[send.message_rate.mean_node]"}).json()
    assert (refused["code"], refused["hint"]) == ("ranking.unknown-name", "Give one of [send.rate.mean_node].")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"unit": "kIOPS"}, "ranking.unit"),
        ({"unit": "parsec"}, "query.invalid-value"),
        ({"per": "moon"}, "query.invalid-value"),
        ({"order": "best"}, "query.invalid-value"),
        ({"limit": "0"}, "query.invalid-value"),
        ({"limit": "1001"}, "query.invalid-value"),
        ({"as_of": "yesterday"}, "query.invalid-value"),
        ({"x": "targets"}, "query.unknown-parameter"),
        ({"context.test": "1"}, "query.unknown-parameter"),
    ],
)
def test_invalid_queries_are_refused(client, query, code) -> None:
    answer = client.get(RANKING, {"formula": WRITE} | query)
    assert (answer.status_code, answer.json()["code"]) == (400, code)


def test_a_message_names_the_input_and_the_nearest_name(client) -> None:
    wrong = client.get(RANKING, {"formula": f"{WRITE} + client_node"}).json()
    assert "client_nodes" in wrong["hint"]
    mixed = client.get(RANKING, {"formula": f"{WRITE} + [mdtest-easy-stat.rate.phase]"}).json()
    assert mixed["detail"] == "A sum of different units: B/s, ops/s."


def test_a_ranking_costs_the_same_queries_however_many_results(client, django_assert_num_queries) -> None:
    # the names of facts and metrics, the unit of the metric, limits that sources set, the ranking in a transaction of
    # its own, what varies among its results, these, and who does not say the divisor
    with django_assert_num_queries(11):
        ask(client, f"{WRITE} / client_nodes")


def test_the_table_is_a_file_too(client) -> None:
    answer = client.get(RANKING, {"formula": f"{WRITE} / client_nodes", "format": "csv"})
    first = next(csv.DictReader(io.StringIO(answer.content.decode())))
    assert (first["rank"], first["result"], first["value"], first["in.client_nodes"]) == ("1", "hw-b", "4.0", "1.0")


def test_the_page_is_marked_unofficial_and_keeps_the_query(client) -> None:
    content = client.get("/ranking/", {"formula": f"{WRITE} / client_nodes", "p.drives": "8"}).content.decode()
    assert "<b>Unofficial.</b>" in content and "<b>4.000</b>" in content
    assert 'value="[ior-easy-write.bandwidth.phase] / client_nodes"' in content
    assert 'name="p.drives" value="8"' in content
    assert "Sign in to save this ranking" in content


def test_a_condition_of_the_form_gets_its_own_name(client) -> None:
    answer = client.get("/ranking/", {"formula": "score", "per": "", "condition": "drives", "is": "8"})
    assert answer["Location"] == "/ranking/?formula=score&p.drives=8"


@pytest.mark.parametrize("formula", ["score +", "<script>alert(1)</script>", "nothing"])
def test_a_page_of_an_invalid_query_shows_the_escaped_reason(client, formula) -> None:
    answer = client.get("/ranking/", {"formula": formula})
    assert answer.status_code == 400 and b"<script>alert" not in answer.content
    assert b"Not ranked" in answer.content and b'name="formula"' in answer.content


def test_an_empty_page_asks_for_a_formula_and_has_examples(client) -> None:
    content = client.get("/ranking/").content.decode()
    assert "Score per client node" in content and "Unofficial" not in content
    assert "Saved by people" not in client.get("/rankings/").content.decode()


# Units alone


@pytest.mark.parametrize(
    ("formula", "unit"),
    [
        ("b / w", "B/s/W"),
        ("b * t", "B"),
        ("n * t", "s"),
        ("b / b", ""),
        ("r ** 0.5 * r ** 0.5", "ops/s"),
        ("-b + b * 2", "B/s"),
        ("1 / t", "1/s"),
    ],
)
def test_units_follow_from_the_formula(formula, unit) -> None:
    units = {name: dimensions.of_unit(text) for name, text in
             {"b": "B/s", "w": "W", "t": "s", "n": "count", "r": "ops/s"}.items()}  # fmt: skip
    assert str(dimensions.of_formula(formula, units)) == unit


@pytest.mark.parametrize("formula", ["b + r", "b - 1", "max(b, n)", "2 ** b", "b ** n", "comb(n, n)", "min(b)", "q"])
def test_units_that_do_not_fit_are_refused(formula) -> None:
    units = {name: dimensions.of_unit(text) for name, text in {"b": "B/s", "r": "ops/s", "n": "count"}.items()}
    with pytest.raises(FormulaError):
        dimensions.of_formula(formula, units)


@pytest.mark.parametrize(("qualifier", "ranked"), [("below", 1), ("above", 1), ("about", 2), ("", 2)])
def test_a_bound_has_no_rank(client, qualifier, ranked) -> None:
    """Below 5 may be anything: such a result lacks a number, as one does that did not measure it."""
    for public_id, value, context in (("hw-x", 5.0, {"qualifier": qualifier} if qualifier else {}), ("hw-y", 4.0, {})):
        result = make_result(Release.objects.get(), public_id, None, trust="reported")
        make_measurement(result, "ior-easy-write", value, context=context)
        make_measurement(result, "ior-easy-read", 1.0)
        fact_index.rebuild_facts([result.pk])
    ranking = ask(client, f"{WRITE} / {READ}")
    assert ranking["counts"]["reported"] == {"ranked": ranked, "missing": 2 - ranked}
    assert [row[1] for row in ranks(ranking, "reported")] == ["hw-x", "hw-y"][-ranked:]
    words = {row["result"]: row["qualifier"] for row in ranking["rows"]}
    assert {name: word for name, word in words.items() if word} == ({"hw-x": "about"} if qualifier == "about" else {})
    page = client.get("/ranking/", {"formula": f"{WRITE} / {READ}"}).content.decode()
    assert ("<b>about 5.000</b>" in page) == (qualifier == "about")
