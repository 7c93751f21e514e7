"""Studies do not pool what is not alike: values of rows, what differs between them, matched ratios, pictures, pages."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from django.test import Client

from registry.models import Measurement, Result
from registry.query.facts import fact_index
from registry.studies import curated
from registry.studies.balance import members
from tests.html import page_source
from tests.registry.record import IOR, make_release, make_result

pytestmark = pytest.mark.django_db

STUDY = "/api/v1/study/?"
WRITE = "metric=write.bandwidth.max"
GB = 10**9


@pytest.fixture
def measure(db):
    """Puts a run of IOR on the record that writes so many GB/s; alike in all but what is named."""
    release = make_release("T1")

    def put(id: str, value: float, qualifier: str = "", context: dict[str, Any] | None = None, **facts: Any) -> Result:
        columns = {name: facts.pop(name) for name in ("client_nodes", "tasks", "system_name", "trust") if name in facts}
        settings = {name: text for name, text in (IOR | facts).items() if text is not None}
        result = Result.objects.filter(public_id=id).first() or make_result(
            release, id, None, tool="ior", parameters=settings, **columns
        )
        Measurement.objects.create(
            result=result,
            position=result.measurements.count() + 1,
            op="write",
            quantity="bandwidth",
            stat="max",
            value=value * GB,
            unit="B/s",
            printed_value=value,
            printed_unit="GB/s",
            context=(context or {}) | ({"qualifier": qualifier} if qualifier else {}),
        )
        fact_index.rebuild_facts([result.pk])
        return result

    return put


@pytest.fixture
def simpson(measure) -> None:
    """TCP writes 0.6 of InfiniBand on each kind of drive, and was measured on flash alone."""
    measure("ib-flash", 60.0, fabric="IB", system_name="flash")
    measure("ib-disk-1", 20.0, fabric="IB", system_name="disk")
    measure("ib-disk-2", 21.0, fabric="IB", system_name="disk")
    measure("tcp-flash", 36.0, fabric="TCP", system_name="flash")


def ask(client: Client, query: str) -> dict[str, Any]:
    answer = client.get(STUDY + query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def codes(answer: dict[str, Any]) -> list[str]:
    return [note["code"] for note in answer["coded_notes"]]


def marks(chart: dict[str, Any]) -> set[str]:
    return {layer["mark"]["type"] for layer in chart["layer"]}


# Inside a row


def test_a_point_of_different_measurements_has_no_single_value(client, simpson) -> None:
    rows = {row["fabric"]: row for row in ask(client, f"{WRITE}&x=fabric")["rows"]}
    assert [rows["IB"][name] for name in ("value", "q1", "q3", "value_basis")] == [None, None, None, "unlike"]
    assert [rows["IB"][name] for name in ("low", "high", "count", "n")] == [20.0, 60.0, 3, 3]
    assert [rows["TCP"][name] for name in ("value", "value_basis", "n")] == [36.0, "measurement", 1]
    (fact,) = [fact for fact in rows["IB"]["varies"] if fact["moves"]]
    assert (fact["fact"], fact["unknown"], fact["distinct"]) == ("system", 0, 2)
    assert fact["values"] == [{"value": "disk", "count": 2}, {"value": "flash", "count": 1}]


def test_points_that_are_alike_keep_their_median(client, measure) -> None:
    for place, value in enumerate((10.0, 30.0, 20.0)):
        measure(f"alike-{place}", value, fabric="IB")
    answer = ask(client, f"{WRITE}&x=fabric&chart=bars")
    (row,) = answer["rows"]
    assert [row[name] for name in ("value", "low", "high", "value_basis", "n")] == [20.0, 10.0, 30.0, "median", 3]
    assert (codes(answer), answer["unbalanced"], answer["splits"], row["varies"]) == ([], [], [], [])
    assert "bar" in marks(answer["chart"])


def test_a_median_of_possibly_different_measurements_is_marked(client, measure) -> None:
    measure("known", 10.0, fabric="IB", transfer_size_bytes=2**20)
    measure("unknown", 30.0, fabric="IB", transfer_size_bytes=None)
    answer = ask(client, f"{WRITE}&x=fabric")
    (row,) = answer["rows"]
    assert (row["value"], row["value_basis"]) == (20.0, "median-unknown")
    assert ("transfer_size", 1, 1) in [(fact["fact"], fact["measurements"], fact["rows"]) for fact in answer["unknown"]]
    assert answer["unbalanced"] == []
    assert "not known to be alike" in page_source(client.get(f"/study/?{WRITE}&x=fabric"))


def test_a_fact_that_is_not_known_to_move_the_number_is_named_and_pools(client, measure) -> None:
    measure("a", 10.0, fabric="IB", colour="red")
    measure("b", 30.0, fabric="IB", colour="blue")
    (row,) = ask(client, f"{WRITE}&x=fabric")["rows"]
    assert (row["value"], row["value_basis"]) == (20.0, "median")
    assert [(fact["fact"], fact["moves"]) for fact in row["varies"]] == [("colour", False)]


def test_facts_bound_to_an_axis_are_not_pooled(client, measure) -> None:
    """Drivers come with fabrics, so that these compare; but one fabric through two drivers is no one thing."""
    measure("a", 10.0, fabric="IB", lnd="o2ib")
    measure("b", 30.0, fabric="IB", lnd="sock")
    measure("c", 30.0, fabric="TCP", lnd="sock")
    answer = ask(client, f"{WRITE}&x=fabric")
    assert [row["value"] for row in answer["rows"]] == [None, 30.0]
    assert answer["unbalanced"] == []


def test_measurements_of_one_result_are_unlike_where_their_contexts_differ(client, measure) -> None:
    measure("a", 10.0, fabric="IB", context={"transfer_size_bytes": 4096})
    measure("a", 30.0, fabric="IB", context={"transfer_size_bytes": 65536})
    (row,) = ask(client, f"{WRITE}&x=fabric")["rows"]
    assert (row["value"], row["count"], row["n"]) == (None, 2, 1)
    assert [fact["fact"] for fact in row["varies"] if fact["moves"]] == ["transfer_size"]


def test_iterations_of_one_result_are_alike(client, measure) -> None:
    measure("a", 10.0, fabric="IB", context={"iter": 0})
    measure("a", 30.0, fabric="IB", context={"iter": 1})
    (row,) = ask(client, f"{WRITE}&x=fabric")["rows"]
    assert (row["value"], row["value_basis"], row["varies"]) == (20.0, "median", [])


def test_the_most_frequent_of_many_values_are_named_and_all_counted(client, measure) -> None:
    for number in range(9):
        measure(f"run-{number}", 10.0 + number, fabric="IB", client_nodes=1 + number // 2)
    (row,) = ask(client, f"{WRITE}&x=fabric")["rows"]
    (fact,) = [fact for fact in row["varies"] if fact["fact"] == "client_nodes"]
    assert (fact["distinct"], len(fact["values"]), fact["values"][0]["count"]) == (5, 5, 2)


# Between rows


def test_matching_avoids_simpsons_paradox(client, simpson) -> None:
    answer = ask(client, f"{WRITE}&x=fabric")
    (pair,) = answer["matched"]
    assert (pair["first"], pair["other"], pair["n_strata"]) == ("IB", "TCP", 1)
    assert pair["ratio"] == pytest.approx(0.6)
    assert pair["strata"][0]["results"] == [["ib-flash"], ["tcp-flash"]]
    assert pair["strata"][0]["values"] == [60.0, 36.0]
    assert pair["unmatched"] == [2, 0]
    (unbalanced,) = answer["unbalanced"]
    assert unbalanced["fact"] == "system"
    assert [
        (mix["row"], {value["value"]: value["count"] for value in mix["values"]}) for mix in unbalanced["rows"]
    ] == [
        (0, {"disk": 2, "flash": 1}),
        (1, {"flash": 1}),
    ]
    assert codes(answer) == ["study.unlike", "study.unbalanced"]


def test_no_bar_is_drawn_where_points_differ_in_what_moves_the_number(client, simpson) -> None:
    for kind in ("bars", "box", "lines", "radar", "heat", "auto"):
        chart = ask(client, f"{WRITE}&x=fabric&chart={kind}")["chart"]
        assert marks(chart) <= {"point", "text"}, kind
        points = chart["data"]["values"]
        assert sorted(point["value"] for point in points) == [20.0, 21.0, 36.0, 60.0]
        assert {point["address"] for point in points} == {
            f"/results/{id}/" for id in ("ib-flash", "ib-disk-1", "ib-disk-2", "tcp-flash")
        }
    picture = page_source(client.get(f"{STUDY}{WRITE}&x=fabric&format=svg"))
    assert "/results/tcp-flash/" in picture and "each point is one measurement" in picture


def test_single_measurements_that_differ_in_more_than_the_axis_are_points(client, measure) -> None:
    measure("ib", 60.0, fabric="IB", client_nodes=16)
    measure("tcp", 36.0, fabric="TCP", client_nodes=4)
    answer = ask(client, f"{WRITE}&x=fabric&chart=bars")
    assert [row["value"] for row in answer["rows"]] == [60.0, 36.0]
    assert codes(answer) == ["study.unbalanced"]
    assert "bar" not in marks(answer["chart"])
    (pair,) = answer["matched"]
    assert (pair["ratio"], pair["n_strata"]) == (None, 0)
    assert [(fact["fact"], fact["first"], fact["other"]) for fact in pair["nearest"]] == [("client_nodes", "16", "4")]


def test_a_split_separates_pooled_points(client, simpson) -> None:
    (split,) = ask(client, f"{WRITE}&x=fabric")["splits"]
    assert (split["fact"], split["question"]) == ("system", f"{WRITE}&x=fabric&series=system")
    answer = ask(client, split["question"])
    values = {(row["fabric"], row["system"]): row["value"] for row in answer["rows"]}
    assert values == {("IB", "flash"): 60.0, ("IB", "disk"): 20.5, ("TCP", "flash"): 36.0}
    assert codes(answer) == []
    (pair,) = [pair for pair in answer["matched"] if pair["axis"] == "fabric"]
    assert (pair["ratio"], pair["at"]["system"]) == (pytest.approx(0.6), "flash")


def test_results_are_matched_within_one_trust_level(client, measure) -> None:
    measure("a", 60.0, fabric="IB", client_nodes=16)
    measure("b", 36.0, fabric="TCP", client_nodes=4, trust="reported")
    answer = ask(client, f"{WRITE}&x=fabric")
    assert (answer["unbalanced"], answer["matched"]) == ([], [])


def test_a_fact_unknown_on_one_side_matches_nothing(client, measure) -> None:
    measure("a", 60.0, fabric="IB", procs_per_node=8)
    measure("b", 36.0, fabric="TCP")
    (pair,) = ask(client, f"{WRITE}&x=fabric")["matched"]
    assert (pair["ratio"], pair["nearest"][0]["fact"], pair["nearest"][0]["other"]) == (None, "procs_per_node", None)


def test_a_fact_unknown_on_both_sides_matches_within_one_system(client, measure) -> None:
    for fabric, value in (("IB", 60.0), ("TCP", 36.0)):
        measure(fabric, value, fabric=fabric, client_nodes=None, tasks=None)
    (pair,) = ask(client, f"{WRITE}&x=fabric")["matched"]
    assert pair["ratio"] == pytest.approx(0.6)
    assert {"client_nodes", "tasks"} <= set(pair["strata"][0]["unknown"])
    measure("other", 100.0, fabric="IB", client_nodes=None, tasks=None, system_name="another")
    systems = ask(client, f"{WRITE}&x=system&p.fabric=IB")["matched"]
    assert [(pair["ratio"], pair["n_strata"]) for pair in systems] == [(None, 0)]


@pytest.mark.parametrize(
    ("limit", "ratio"),
    [
        ({}, None),
        ({"quantity": "bandwidth", "with": ["tcp-flash"]}, None),
        ({"op": "write", "with": ["other", "tcp-flash"]}, None),
        ({"quantity": "time"}, 0.6),
        ({"op": "read"}, 0.6),
        ({"with": ["other"]}, 0.6),
    ],
)
def test_limits_of_comparison_exclude_results_from_strata(client, simpson, limit, ratio) -> None:
    text = "The drives were <not> the same."
    forbidding = {"not_comparable_for": [{"reason": text} | limit]}
    Result.objects.filter(public_id="ib-flash").update(snapshot=forbidding)
    (pair,) = ask(client, f"{WRITE}&x=fabric")["matched"]
    assert pair["ratio"] == (ratio and pytest.approx(ratio))
    expected = [] if ratio else [{"result": "ib-flash", "reasons": [text]}]
    assert pair["not_comparable"] == expected
    page = page_source(client.get(f"/study/?{WRITE}&x=fabric"))
    assert ("is left out: The drives were &lt;not&gt; the same." in page) == (ratio is None)


@pytest.mark.parametrize(("limit", "ratio"), [({"op": "write", "quantity": "bandwidth"}, None), ({"op": "read"}, 0.6)])
def test_a_formula_follows_the_limits_of_its_inputs(client, simpson, limit, ratio) -> None:
    forbidding = {"not_comparable_for": [{"reason": "Other drives."} | limit]}
    Result.objects.filter(public_id="ib-flash").update(snapshot=forbidding)
    (pair,) = ask(client, "metric=[write.bandwidth.max]*1&x=fabric")["matched"]
    assert pair["ratio"] == (ratio and pytest.approx(ratio))
    assert pair["not_comparable"] == ([] if ratio else [{"result": "ib-flash", "reasons": ["Other drives."]}])


def test_a_matched_ratio_of_a_bound_is_a_bound(client, measure) -> None:
    measure("a", 100.0, fabric="IB", trust="reported")
    measure("b", 200.0, qualifier="below", fabric="TCP", trust="reported")
    (pair,) = ask(client, f"{WRITE}&x=fabric")["matched"]
    assert (pair["ratio"], pair["qualifier"]) == (2.0, "below")
    assert pair["strata"][0]["qualifiers"] == [None, "below"]
    assert "less than 2.00" in page_source(client.get(f"/study/?{WRITE}&x=fabric"))


def test_bounds_of_several_operations_are_kept_separate(client, measure) -> None:
    for id, value, word in (("a", 100.0, ""), ("b", 200.0, "below")):
        result = measure(id, value, qualifier=word, fabric="IB", trust="reported")
        reads = {"op": "read", "position": 9, "value": 3 * value * GB, "printed_value": 3 * value, "context": {}}
        written = result.measurements.values("quantity", "stat", "unit", "printed_unit").get()
        Measurement.objects.create(result=result, **written | reads)
    rows = {row["op"]: row for row in ask(client, "metric=bandwidth.max&x=fabric")["rows"]}
    assert [(rows[op]["value"], rows[op]["qualifier"]) for op in ("write", "read")] == [(150.0, "below"), (450.0, None)]


def test_a_bound_is_kept_beside_a_value_in_another_unit(client, measure) -> None:
    measure("a", 100.0, fabric="IB", trust="reported")
    result = measure("b", 200.0, qualifier="below", fabric="IB", trust="reported")
    result.measurements.update(printed_unit="MB/s", printed_value=200_000.0)
    (row,) = ask(client, f"{WRITE}&x=fabric&unit=GB/s")["rows"]
    assert (row["value"], row["qualifier"], row["count"]) == (
        150.0,
        "below",
        2,
    )  # from (100 + 0) / 2 to (100 + 200) / 2
    assert (row["low"], row["high"]) == (None, None)


def test_results_as_an_axis_are_shown_and_not_compared(client, simpson) -> None:
    answer = ask(client, f"{WRITE}&x=result&chart=bars")
    assert (codes(answer), answer["matched"], answer["unbalanced"]) == ([], [], [])
    assert "bar" in marks(answer["chart"])


def test_points_along_a_numeric_axis_are_compared_with_the_first(client, measure) -> None:
    for nodes in (1, 2, 4, 8, 16, 32, 64, 128):
        measure(f"run-{nodes}", 10.0 * nodes, fabric="IB", client_nodes=nodes)
    pairs = ask(client, f"{WRITE}&x=client_nodes")["matched"]
    assert [(pair["first"], pair["other"], pair["ratio"]) for pair in pairs] == [
        (1, nodes, pytest.approx(nodes)) for nodes in (2, 4, 8, 16, 32, 64, 128)
    ]


# Many


def test_large_integers_on_an_axis_stay_distinct(client, measure) -> None:
    measure("a", 100.0, seed=9007199254740993)  # 2**53 + 1, which as a float is 2**53
    measure("b", 100.0, seed=9007199254740992)
    assert [row["seed"] for row in ask(client, f"{WRITE}&x=seed")["rows"]] == [9007199254740992, 9007199254740993]


def test_many_measurements_are_examined_by_an_even_sample(client, measure, monkeypatch) -> None:
    for number in range(12):
        measure(f"run-{number}", 10.0 + number, fabric="IB", client_nodes=1 + number)
    monkeypatch.setattr(members, "MOST_EXAMINED", 4)
    answer = ask(client, f"{WRITE}&x=fabric")
    (row,) = answer["rows"]
    assert (row["value"], row["count"], row["n"], row["low"], row["high"]) == (None, 12, 12, 10.0, 21.0)
    assert (answer["examined"], answer["matched"], codes(answer)) == (4, [], ["study.unlike", "study.sampled"])
    assert len(answer["chart"]["data"]["values"]) == 4


@pytest.mark.parametrize(
    ("counts", "most", "positions"),
    [
        ([3, 1], 4, [[0, 1, 2], [0]]),
        ([10, 1], 4, [[0, 5], [0]]),
        ([100], 4, [[0, 25, 50, 75]]),
        ([5, 5, 5], 2, [[0, 2], [0, 2], [0, 2]]),
        ([], 2, []),
    ],
)
def test_a_sample_is_even_and_has_two_of_each_point(counts, most, positions) -> None:
    assert members.choose_positions(counts, most) == positions


# Files and pages


def test_files_name_varying_facts(client, simpson) -> None:
    address = f"{STUDY}{WRITE}&x=fabric&format="
    lines = list(csv.DictReader(io.StringIO(page_source(client.get(f"{address}csv")))))
    assert [(line["value"], line["n"], line["value_basis"], line["varies_text"]) for line in lines] == [
        ("", "3", "unlike", "system: disk (2), flash (1)"),
        ("36.0", "1", "measurement", ""),
    ]
    table = pyarrow.parquet.read_table(io.BytesIO(client.get(f"{address}parquet").content))
    assert table["n"].to_pylist() == [3, 1]
    assert table["value"].to_pylist() == [None, 36.0]
    assert table["varies_text"].to_pylist()[0] == "system: disk (2), flash (1)"


def test_the_page_shows_varying_facts_splits_and_matches(client, simpson) -> None:
    page = page_source(client.get(f"/study/?{WRITE}&x=fabric"))
    assert "not one number" in page and "system: disk (2), flash (1)" in page
    assert ">When measurements share a point</a>" in page and "study.unlike" not in page
    assert f'href="/study/?{WRITE.replace("&", "&amp;")}&amp;x=fabric&amp;series=system"' in page
    assert "TCP <small>against</small> IB" in page and "<b>0.6</b>" in page
    assert '<a href="/results/tcp-flash/">tcp-flash</a>' in page
    assert "Each point is one measurement" in page and "are at their median" not in page
    assert 'href="/docs/studies/#what-is-not-pooled"' in page


def test_hostile_values_are_escaped_on_page_and_in_chart(client, measure) -> None:
    hostile = "<script>alert(1)</script>\"'&"
    measure("a", 60.0, fabric="IB", lnd=hostile)
    measure("b", 36.0, fabric="IB", lnd="javascript:alert(1)")
    measure("c", 36.0, fabric=hostile)
    page = page_source(client.get(f"/study/?{WRITE}&x=fabric"))
    assert "<script>alert" not in page
    picture = page_source(client.get(f"{STUDY}{WRITE}&x=fabric&format=svg"))
    assert "<script" not in picture
    assert 'href="javascript' not in picture


# The shipped record


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize("op", ["write", "read"])
def test_the_cost_of_tcp_is_that_of_the_tables(client, shared: Path, op: str) -> None:
    """TCP by InfiniBand on the same flash unit, once with and once without the page cache, from the slides' table."""
    with (shared / "data" / "seed-tables" / "e1000_fabric_ior_flash.csv").open(encoding="utf-8", newline="") as lines:
        table_values = {
            (line["test"], line["fabric"].split(" ")[1 if "Ethernet" in line["fabric"] else 0]): float(line["value"])
            for line in csv.DictReader(lines)
            if line["io"].lower() == op and "64PPN" in line["test"] and line["value"]
        }
    tests = sorted({test for test, _ in table_values})
    expected = [table_values[test, "(TCP)"] / table_values[test, "IB"] for test in tests]
    assert len(expected) == 2
    answer = ask(client, f"metric={op}.bandwidth.max&x=fabric&tool=ior")
    (pair,) = [
        pair
        for pair in answer["matched"]
        if (pair["first"], pair["other"]) == ("InfiniBand HDR", "200 Gb/s Ethernet, TCP")
    ]
    assert sorted(stratum["ratio"] for stratum in pair["strata"]) == pytest.approx(sorted(expected))
    assert pair["ratio"] == pytest.approx(math.prod(expected) ** 0.5)
    if op == "write":
        assert 0.575 < min(expected) <= pair["ratio"] <= max(expected) < 0.61
    assert all(stratum["equal"]["drive_model"] == "Samsung PM1733" for stratum in pair["strata"])
    assert all(stratum["differs"][0]["fact"] == "storage_software" for stratum in pair["strata"])
    values = {row["fabric"]: row["value"] for row in answer["rows"]}
    assert values["200 Gb/s Ethernet, TCP"] is None
    assert values["InfiniBand HDR"] is None
    assert "bar" not in marks(answer["chart"])


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize("form", ["json", "csv", "svg"])
def test_an_unmeasured_median_is_not_shown(client, form) -> None:
    """7,004 MiB/s with 16 drives per controller and 10,261 with 32 have a middle that is neither."""
    question = f"{STUDY}metric=bandwidth.per_drive&x=targets&tool=obdfilter-survey&series=op"
    text = page_source(client.get(f"{question}&format={form}"))
    assert "8632" not in text and "8,632" not in text
    answer = client.get(f"{question},drives_per_controller").json()
    reads = {
        (row["targets"], row["drives_per_controller"]): row["value"] for row in answer["rows"] if row["op"] == "read"
    }
    assert reads == {(2, 16): 6971, (4, 16): 7004, (4, 32): 10261}


MEASUREMENTS = {
    *("e1000-e2000-ior", "es400-bandwidth", "es400-rates", "filesystems", "list-growth", "perlmutter-ost-bandwidth"),
    *("io500-after-stonewall", "io500-closing", "io500-imbalance", "io500-late-work", "scores-by-clients"),
}
"""Curated studies whose points differ in more than their axes: every measurement is drawn."""


@pytest.mark.usefixtures("loaded")
def test_curated_studies_draw_bars_only_of_similar_points(client) -> None:
    drawn = set()
    for slug in curated.load_studies():
        answer = client.get(f"/api/v1/studies/{slug}/").json()
        unlike = {note["code"] for note in answer["coded_notes"]} & {"study.unlike", "study.unbalanced"}
        draws_points = bool(answer["chart"]) and answer["chart"]["usermeta"].get("drawn") == "measurements"
        assert draws_points == bool(unlike), slug
        assert all(row["value"] is None for row in answer["rows"] if row.get("value_basis") == "unlike")
        drawn |= {slug} if draws_points else set()
    assert drawn == MEASUREMENTS


@pytest.mark.usefixtures("loaded")
def test_platforms_are_not_matched_where_their_runs_differ(client) -> None:
    """An E2000 was measured by 8 processes per node, and an E1000 by 64."""
    answer = ask(client, "metric=write.bandwidth.max&x=platform&tool=ior&p.direct_io=false")
    (pair,) = answer["matched"]
    assert pair["n_strata"] == 0
    assert {"procs_per_node", "client_nodes"} <= {fact["fact"] for fact in pair["nearest"]}
    assert json.dumps(answer["rows"]).count('"unlike"') == 1
