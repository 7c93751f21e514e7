"""Studies by the API: questions of a small constructed record, their tables, refusals, files and what they cost."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re
from datetime import timedelta
from typing import Any

import pyarrow.parquet
import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

from registry.models import Fact, Measurement, ObservedParameter, Result
from registry.presentation.plots import vega as plot_vega
from registry.query.facts import axes, fact_index
from registry.studies.chart import study_chart
from tests.registry.record import IOR, make_platform, make_release, make_result
from validators.parameters import parameters as of_systems

pytestmark = pytest.mark.django_db

STUDY = "/api/v1/study/?"
WRITE = "metric=write.bandwidth.max"
GIB, GB = 2**30, 10**9


def measure(result: Result, op: str, value: float, unit: str = "GB/s", **facts: Any) -> None:
    factor = {"GB/s": GB, "GiB/s": GIB, "kIOPS": 1000, "%": 1}[unit]
    canonical = {"GB/s": "B/s", "GiB/s": "B/s", "kIOPS": "ops/s", "%": "%"}[unit]
    canonical_fields = {"quantity": "bandwidth", "stat": "max", "value": value * factor, "unit": canonical}
    printed_fields = {"printed_value": value, "printed_unit": unit, "position": result.measurements.count() + 1}
    Measurement.objects.create(result=result, op=op, **canonical_fields | printed_fields | facts)


@pytest.fixture
def fabrics() -> dict[str, Result]:
    """Four runs of ior: two fabrics, with and without direct I/O; `late` has another trust, `bare` has no fabric."""
    release = make_release("T1")
    results = {}
    for name, parameters, facts_ in (
        ("ib", {"fabric": "InfiniBand", "direct_io": True, "osts": 2}, {}),
        ("tcp", {"fabric": "TCP", "direct_io": True, "osts": 2}, {}),
        ("late", {"fabric": "TCP", "direct_io": True, "osts": 4}, {"trust": "reported"}),
        ("bare", {"direct_io": False}, {"client_nodes": None}),
    ):
        results[name] = make_result(release, f"hw-{name}", None, tool="ior", parameters=parameters, **facts_)
    measure(results["ib"], "write", 58.9)
    measure(results["ib"], "read", 85.3)
    measure(results["tcp"], "write", 35.7)
    measure(results["late"], "write", 36.5, context={"qualifier": "about"})
    measure(results["bare"], "write", 20.0)
    fact_index.rebuild_facts(result.pk for result in results.values())
    return results


@pytest.fixture
def repeated() -> None:
    """Three runs of one system that are alike in all that is known of them: 20, 35.7 and 58.9 GB/s."""
    release = make_release("T2")
    for place, value in enumerate((58.9, 35.7, 20.0)):
        result = make_result(release, f"alike-{place}", None, tool="ior", parameters=IOR | {"fabric": "TCP"})
        measure(result, "write", value)
        fact_index.rebuild_facts([result.pk])


def rows(client: Client, query: str) -> list[dict[str, Any]]:
    answer = client.get(STUDY + query)
    assert answer.status_code == 200, answer.content
    return answer.json()["rows"]


def refused(client: Client, query: str, code: str) -> dict[str, Any]:
    answer = client.get(STUDY + query)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert answer.json()["hint"]
    return answer.json()


def test_a_number_is_returned_as_printed_with_its_unit(client, fabrics) -> None:
    infiniband_rows = [
        row for row in rows(client, f"{WRITE}&x=fabric&series=direct_io") if row["fabric"] == "InfiniBand"
    ]
    assert [(row["value"], row["unit"], row["printed_value"], row["printed_unit"]) for row in infiniband_rows] == [
        (58.9, "GB/s", 58.9, "GB/s")
    ]
    assert (infiniband_rows[0]["result"], infiniband_rows[0]["trust"], infiniband_rows[0]["direct_io"]) == (
        "hw-ib",
        "imported",
        "true",
    )


def test_a_repeated_measurement_has_its_interval_and_a_single_one_has_none(client, fabrics) -> None:
    fabrics["ib"].measurements.filter(op="write").update(repeats=[57.9 * GB, 58.9 * GB, 59.9 * GB])
    document = client.get(f"{STUDY}{WRITE}&x=fabric&per=target&unit=GB/s").json()
    intervals = {(row["fabric"], row["trust"]): [row[f"interval_{name}"] for name in REACH] for row in document["rows"]}
    low, high = (29.45 * math.exp(sign * 4.303 / 58.9) for sign in (-1, 1))
    assert intervals == {
        ("InfiniBand", "imported"): [pytest.approx(low), pytest.approx(high), "repeats", 3],
        ("TCP", "imported"): UNKNOWN,
        ("TCP", "reported"): UNKNOWN,
        (None, "imported"): UNKNOWN,
    }
    drawn = {point["place"]: point for point in document["chart"]["data"]["values"] if point["trust"] == "imported"}
    assert (drawn["InfiniBand"]["low"], drawn["InfiniBand"]["high"]) == (pytest.approx(low), pytest.approx(high))
    assert drawn["InfiniBand"]["words"].endswith("GB/s per target, imported, 95 % range 27.375 to 31.682 by 3 runs")
    assert drawn["TCP"]["words"] == "TCP: 17.85 GB/s per target, imported, not repeated"
    study_page = client.get(f"/study/?{WRITE}&x=fabric").content.decode()
    assert "Solid lines with ends: 95 % range by repeats" in study_page and "<small>3 runs</small>" in study_page
    assert study_page.count('<span class="soft">not repeated</span>') == 3


REACH = ("low", "high", "basis", "runs")
UNKNOWN = [None] * 4


def test_two_runs_are_too_few_for_an_interval(client, fabrics) -> None:
    fabrics["ib"].measurements.filter(op="write").update(repeats=[57.9 * GB, 58.9 * GB])
    assert {row["interval_basis"] for row in rows(client, f"{WRITE}&x=fabric")} == {None}


def test_values_without_repeats_are_marked_and_have_no_error_bar(client, fabrics) -> None:
    document = client.get(f"{STUDY}{WRITE}&x=fabric").json()
    assert all(row[f"interval_{name}"] is None for row in document["rows"] for name in REACH)
    assert {point["spread"] for point in document["chart"]["data"]["values"]} == {"not repeated"}
    assert document["chart"]["usermeta"]["repeats"] == "not repeated"
    picture = client.get(f"{STUDY}{WRITE}&x=fabric&format=svg").content.decode()
    assert "not repeated<" in picture
    study_page = client.get(f"/study/?{WRITE}&x=fabric").content.decode()
    assert "Not repeated: how far a single measurement would move" in study_page and "95 %" not in study_page
    lines = list(csv.DictReader(client.get(f"{STUDY}{WRITE}&x=fabric&format=csv").content.decode().splitlines()))
    assert {(line["interval_low"], line["interval_basis"], line["interval_runs"]) for line in lines} == {
        ("", "not repeated", "")
    }
    table = pyarrow.parquet.read_table(io.BytesIO(client.get(f"{STUDY}{WRITE}&x=fabric&format=parquet").content))
    assert table["interval_low"].null_count == table["interval_runs"].null_count == len(lines)


def test_the_range_of_several_results_is_no_uncertainty(client, repeated) -> None:
    """20 to 58.9 GB/s of several results: a dashed line with its ends in words, and no interval."""
    document = client.get(f"{STUDY}{WRITE}&x=tool&trust=imported").json()
    (row,) = document["rows"]
    assert (row["count"], row["low"], row["high"], row["interval_basis"]) == (3, 20.0, 58.9, None)
    (point,) = document["chart"]["data"]["values"]
    assert point["spread"] == "several"
    assert point["words"].endswith("imported, median of 3 measurements, lowest to highest 20 to 58.9")
    assert document["chart"]["usermeta"]["repeats"] == "dashed line: lowest to highest of several"
    study_page = client.get(f"/study/?{WRITE}&x=tool&trust=imported").content.decode()
    assert "do not show the uncertainty of a measurement" in " ".join(study_page.split()) and "95 %" not in study_page
    text = client.get(f"{STUDY}{WRITE}&x=tool&trust=imported&format=csv").content.decode()
    assert "not repeated" not in text


def test_a_repeated_one_among_many_points_keeps_its_interval(client, fabrics) -> None:
    """However many points there are: none is called not repeated because nobody looked."""
    release = fabrics["ib"].release
    for place in range(80):
        measure(make_result(release, f"many-{place}", None, tool="ior"), "write", 10.0 + place)
    fabrics["ib"].measurements.filter(op="write").update(repeats=[57.9 * GB, 58.9 * GB, 59.9 * GB])
    runs_by_result = {row["result"]: row["interval_runs"] for row in rows(client, f"{WRITE}&x=result")}
    assert len(runs_by_result) == 84 and runs_by_result.pop("hw-ib") == 3
    assert set(runs_by_result.values()) == {None}


def test_levels_of_trust_never_share_a_point(client, fabrics) -> None:
    document = client.get(f"{STUDY}{WRITE}&x=fabric").json()
    tcp = [(row["value"], row["trust"], row["qualifier"]) for row in document["rows"] if row["fabric"] == "TCP"]
    assert tcp == [(35.7, "imported", None), (36.5, "reported", "about")]
    assert document["trust"] == {"imported": 3, "reported": 1}
    drawn = document["chart"]["data"]["values"]
    assert {(point["value"], point["trust"]) for point in drawn} >= {(35.7, "imported"), (36.5, "reported")}


def test_unknown_values_are_missing_and_not_drawn(client, fabrics) -> None:
    document = client.get(f"{STUDY}{WRITE}&x=fabric").json()
    assert [(row["fabric"], row["value"]) for row in document["rows"]][-1] == (None, 20.0)
    assert document["missing"] == 1
    assert 20.0 not in [point["value"] for point in document["chart"]["data"]["values"]]


def test_numbers_of_different_meaning_never_share_a_point(client, fabrics) -> None:
    document = client.get(f"{STUDY}metric=bandwidth&x=fabric&p.fabric=InfiniBand").json()
    assert [axis["name"] for axis in document["axes"]] == ["fabric", "op"]
    assert [(row["op"], row["value"]) for row in document["rows"]] == [("read", 85.3), ("write", 58.9)]


def test_numbers_along_an_axis_are_numbers_in_order(client, fabrics) -> None:
    target_rows = rows(client, f"{WRITE}&x=targets&series=fabric")
    assert [(row["targets"], row["fabric"]) for row in target_rows] == [
        (2, "InfiniBand"), (2, "TCP"), (4, "TCP"), (None, None)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ("p.fabric=TCP", {35.7, 36.5}),
        ("p.targets=2", {58.9, 35.7}),
        ("p.direct_io=false", {20.0}),
        ("trust=reported", {36.5}),
        ("client_nodes__gte=1", {58.9, 35.7, 36.5}),
        ("context.qualifier=about", {36.5}),
        ("tool=mdtest", set()),
    ],
)
def test_filters_choose_results(client, fabrics, filters, expected) -> None:
    assert {row["value"] for row in rows(client, f"{WRITE}&x=result&{filters}")} == expected


def test_values_at_one_place_have_median_quartiles_and_count(client, repeated) -> None:
    (summary,) = rows(client, f"{WRITE}&x=tool&trust=imported")
    assert (summary["value"], summary["low"], summary["high"], summary["count"]) == (
        pytest.approx(35.7), pytest.approx(20.0), pytest.approx(58.9), 3
    )  # fmt: skip
    assert (summary["q1"], summary["q3"]) == (pytest.approx(27.85), pytest.approx(47.3))
    assert summary["result"] is None


def test_another_unit_is_converted_when_asked_for(client, fabrics) -> None:
    (converted,) = rows(client, f"{WRITE}&x=result&p.fabric=InfiniBand&unit=GiB/s")
    assert (converted["value"], converted["unit"]) == (pytest.approx(58.9 * GB / GIB), "GiB/s")
    assert (converted["printed_value"], converted["printed_unit"]) == (58.9, "GB/s")


def test_numbers_printed_in_two_units_are_shown_in_one(client, fabrics) -> None:
    measure(fabrics["ib"], "write", 10.0, "GiB/s", stat="min")
    document = client.get(f"{STUDY}metric=write.bandwidth&x=stat&p.fabric=InfiniBand").json()
    assert [(row["stat"], row["value"]) for row in document["rows"]] == [
        ("max", pytest.approx(58.9 * GB / GIB)), ("min", 10.0)
    ]  # fmt: skip
    assert {row["unit"] for row in document["rows"]} == {document["unit"]} == {"GiB/s"}


def test_a_number_is_divided_by_what_is_known_and_missing_otherwise(client, fabrics) -> None:
    row_by_result = {row["result"]: row for row in rows(client, f"{WRITE}&x=result&per=target")}
    assert (row_by_result["hw-ib"]["value"], row_by_result["hw-ib"]["divisor"]) == (pytest.approx(29.45), 2)
    assert (
        row_by_result["hw-bare"]["value"],
        row_by_result["hw-bare"]["missing"],
        row_by_result["hw-bare"]["count"],
    ) == (None, 1, 0)


def test_a_divisor_may_be_an_axis_as_well(client, fabrics) -> None:
    row_by_result = {row["result"]: row for row in rows(client, f"{WRITE}&x=targets&series=result&per=target")}
    assert (row_by_result["hw-ib"]["value"], row_by_result["hw-ib"]["targets"]) == (pytest.approx(29.45), 2)
    assert (row_by_result["hw-bare"]["value"], row_by_result["hw-bare"]["targets"]) == (None, None)


@pytest.mark.parametrize("known", ["0", "many", "-4"])
def test_a_divisor_that_is_no_positive_number_is_missing(client, fabrics, known) -> None:
    Fact.objects.filter(name="targets").update(text=known)
    assert {row["value"] for row in rows(client, f"{WRITE}&x=result&per=target")} == {None}


def test_a_score_has_no_unit(client) -> None:
    release = make_release("T1")
    results = [
        make_result(release, f"hw-{score}", score, client_nodes=nodes) for score, nodes in ((4.0, 10), (2.5, 20))
    ]
    fact_index.rebuild_facts(result.pk for result in results)
    document = client.get(f"{STUDY}metric=score&x=client_nodes").json()
    assert [(row["client_nodes"], row["value"], row["unit"]) for row in document["rows"]] == [
        (10, 4.0, ""),
        (20, 2.5, ""),
    ]


def test_releases_are_ordered_by_time(client) -> None:
    for slug, held_on in (("B", "2025-05-01"), ("A", "2025-11-01")):
        fact_index.rebuild_facts([make_result(make_release(slug, held_on), f"hw-{slug}").pk])
    assert [row["release"] for row in rows(client, "metric=score&x=release")] == ["B", "A"]


def test_withdrawn_and_superseded_results_do_not_count(client, fabrics) -> None:
    Result.objects.filter(pk=fabrics["tcp"].pk).update(withdrawn_at=timezone.now())
    Result.objects.filter(pk=fabrics["late"].pk).update(revises=fabrics["ib"])
    assert {row["result"] for row in rows(client, f"{WRITE}&x=result")} == {"hw-late", "hw-bare"}


def test_a_study_can_use_results_of_an_earlier_date(client, fabrics) -> None:
    then = timezone.now() + timedelta(hours=1)
    later = then + timedelta(hours=1)
    Result.objects.filter(pk=fabrics["tcp"].pk).update(withdrawn_at=later)
    Result.objects.filter(pk=fabrics["late"].pk).update(recorded_at=later, revises=fabrics["ib"])
    moment = then.isoformat().replace("+00:00", "Z")
    assert {row["result"] for row in rows(client, f"{WRITE}&x=result&as_of={moment}")} == {"hw-ib", "hw-tcp", "hw-bare"}
    assert rows(client, f"{WRITE}&x=result&as_of=2001-01-01") == []


def test_facts_of_nodes_are_axes(client, fabrics) -> None:
    nps_fields = {"parameter": "bios.nps", "role": "oss"}
    for value, instances in ((1, 2), (4, 6)):
        ObservedParameter.objects.create(
            result=fabrics["ib"], value=value, text=str(value), instances=instances, key="", **nps_fields
        )
    fact_index.rebuild_facts([fabrics["ib"].pk])
    nps_by_result = {row["result"]: row["nps"] for row in rows(client, f"{WRITE}&x=result&series=nps")}
    assert (nps_by_result["hw-ib"], nps_by_result["hw-tcp"]) == ("4; 1", None)
    for name in ("bios.nps", "bios.nps@oss", "nps"):
        assert {row["result"] for row in rows(client, f"{WRITE}&x=result&p.{name}=1")} == {"hw-ib"}
    assert rows(client, f"{WRITE}&x=result&p.bios.nps@mds=1") == []


def test_cpu_partitions_are_the_effective_ones(client, fabrics) -> None:
    """0 asks Lustre to decide, and stood on the axis as a count."""
    for result, parameter, key, value in (
        ("ib", "libcfs.cpu_npartitions", "", 0), ("ib", "lnet.cpu_partition_table", "partitions", 8),
        ("ib", "lnet.cpu_partition_table", "cpus_of_0", "0-5"), ("tcp", "libcfs.cpu_npartitions", "", 0),
    ):  # fmt: skip
        ObservedParameter.objects.create(
            result=fabrics[result], parameter=parameter, key=key, role="oss", value=value, text=str(value), instances=1
        )
    fact_index.rebuild_facts([fabrics["ib"].pk, fabrics["tcp"].pk])
    partitions = {row["result"]: row["cpt"] for row in rows(client, f"{WRITE}&x=result&series=cpt")}
    assert (partitions["hw-ib"], partitions["hw-tcp"]) == (8, None)


def test_maps_of_a_system_have_their_axes(client, fabrics) -> None:
    for parameter, key, text in (
        ("os.distribution", "id", "rhel"), ("os.distribution", "version", "8.10"), ("lnet.networks", "tcp", "2"),
        ("lnet.networks", "o2ib", "1"), ("lustre.fs.ost_count", "visible", "7"), ("lustre.fs.ost_count", "active", "6"),
    ):  # fmt: skip
        ObservedParameter.objects.create(
            result=fabrics["bare"], parameter=parameter, key=key, role="client", value=text, text=text, instances=1
        )
    fact_index.rebuild_facts([fabrics["bare"].pk])
    (map_row,) = rows(client, f"{WRITE}&x=os&series=fabric,targets&p.os.distribution/version=8.10")
    assert (map_row["os"], map_row["fabric"], map_row["targets"]) == ("rhel 8.10", "o2ib; tcp", 7)


def test_each_axis_reads_one_value_of_a_system() -> None:
    """A parameter that is a map is read by one of its entries, or told as a whole."""
    by_id = of_systems()
    read = [source.partition("@") for ax in axes.list_axes() for source in ax.reads]
    sources = [(name, role) for name, _, role in read if name.partition("/")[0] in by_id]
    assert len(sources) > 30 and all(role for _, role in sources)
    maps = {name for name, _ in sources if "/" not in name and by_id[name].kind == "map"}
    assert maps == {"lnet.networks", "os.distribution"}


@pytest.mark.parametrize("name", ["lustre_version", "release_of_site"])
def test_versions_are_ordered_as_versions(client, fabrics, name) -> None:
    versions = {"ib": "2.9", "tcp": "2.12", "late": "2.10" if name == "release_of_site" else "2.15"}
    for result, version in versions.items():
        fabrics[result].parameters |= {name: version}
        fabrics[result].save()
    fact_index.rebuild_facts(fabric.pk for fabric in fabrics.values())
    listed_versions = [row[name] for row in rows(client, f"{WRITE}&x={name}&series=trust")]
    assert listed_versions == [*sorted(versions.values(), key=lambda text: int(text[2:])), None]


@pytest.mark.parametrize("ordered", [("4k", "64k", "1M"), ("4096B", "64.0KiB", "1 GiB"), ("512", "4k", "1m")])
def test_sizes_are_ordered_as_sizes(client, fabrics, ordered) -> None:
    """4k lies below 1M, though 1 lies below 4."""
    for result, size in zip(("late", "ib", "tcp"), ordered, strict=True):
        fabrics[result].parameters |= {"site_size": size}
        fabrics[result].save()
    fact_index.rebuild_facts(fabric.pk for fabric in fabrics.values())
    assert [row["site_size"] for row in rows(client, f"{WRITE}&x=site_size&series=trust")] == [*ordered, None]


def test_a_version_is_found_as_it_is_written(client, fabrics) -> None:
    for result, version in {"ib": "2.1", "tcp": "2.10", "late": "1.0", "bare": 8}.items():
        fabrics[result].parameters |= {"version": version}
        fabrics[result].save()
    fact_index.rebuild_facts(fabric.pk for fabric in fabrics.values())
    ids_by_version = {text: {row["result"] for row in rows(client, f"{WRITE}&x=result&p.version={text}")} for text in
             ("2.1", "2.10", "1.0", "8.0")}  # fmt: skip
    assert ids_by_version == {"2.1": {"hw-ib"}, "2.10": {"hw-tcp"}, "1.0": {"hw-late"}, "8.0": {"hw-bare"}}


def test_sources_of_an_axis_are_tried_in_order(fabrics) -> None:
    result = fabrics["ib"]
    result.parameters = {"osts": 8, "targets": 9, "size": 4.0, "nested": {"a": 1}}
    result.platform = make_platform("p-1", "Platform One")
    result.save()
    fact_index.rebuild_facts([result.pk])
    facts = dict(Fact.objects.filter(result=result).values_list("name", "text"))
    assert (facts["targets"], facts["osts"], facts["size"], facts["platform"]) == ("9", "8", "4", "Platform One")
    assert not {"nested", "fabric", "release_id"} & facts.keys()


def test_the_context_of_a_measurement_is_an_axis(client, fabrics) -> None:
    context_rows = rows(client, f"{WRITE}&x=context.qualifier&trust=reported")
    assert [(row["context.qualifier"], row["value"]) for row in context_rows] == [("about", 36.5)]


def test_metrics_and_axes_are_listed(client, fabrics) -> None:
    metrics = [result["metric"] for result in client.get("/api/v1/study/metrics/").json()["results"]]
    assert {"score", "read.bandwidth.max", "write.bandwidth.max"} == set(metrics) - {
        "bandwidth_gib_per_s", "rate_kiops"
    }  # fmt: skip
    axes = {result["name"]: result for result in client.get("/api/v1/study/axes/").json()["results"]}
    assert (axes["transfer_size"]["unit"], axes["osts"]["title"]) == ("B", "OSTs")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "study.no-metric"),
        ("metric=write.bandwidth.max", "study.no-metric"),
        ("x=fabric", "study.no-metric"),
        ("metric=wrote.bandwidth&x=fabric", "study.unknown-metric"),
        ("metric=score&metric=write&x=fabric", "study.unknown-metric"),
        (f"{WRITE}&x=fabrik", "study.unknown-axis"),
        (f"{WRITE}&x=fabric&series=colour", "study.unknown-axis"),
        (f"{WRITE}&x=fabric&series=a,b,c,d,e", "query.invalid-value"),
        (f"{WRITE}&x=fabric&x=lnd", "query.invalid-value"),
        (f"{WRITE}&x=fabric&per=person", "query.invalid-value"),
        (f"{WRITE}&x=fabric&unit=furlong", "query.invalid-value"),
        (f"{WRITE}&x=fabric&unit=s", "study.mixed-units"),
        (f"{WRITE}&x=fabric&chart=pie", "query.invalid-value"),
        (f"{WRITE}&x=fabric&as_of=yesterday", "query.invalid-value"),
        (f"{WRITE}&x=fabric&as_of=2026-13-45", "query.invalid-value"),
        (f"{WRITE}&x=fabric&theme=pink&format=svg", "query.invalid-value"),
        (f"{WRITE}&x=fabric&trust=gold", "query.invalid-value"),
        (f"{WRITE}&x=fabric&serie=op", "query.unknown-parameter"),
        (f"{WRITE}&x=fabric&p.=4", "query.invalid-value"),
        (f"{WRITE}&x=fa%00bric", "query.invalid-value"),
        (f"{WRITE}&x=fabric&p.fabric=none&format=png", "study.nothing-to-draw"),
        ("metric=score&x=context.iter", "query.invalid-value"),
        ("metric=score&x=fabric&context.of=bandwidth", "query.invalid-value"),
    ],
)
def test_invalid_queries_are_refused_with_a_code(client, fabrics, query, code) -> None:
    refused(client, query, code)


def test_a_misspelt_name_gets_the_nearest_one(client, fabrics) -> None:
    assert "fabric" in refused(client, f"{WRITE}&x=fabrik", "study.unknown-axis")["hint"]
    assert (
        "write.bandwidth.max" in refused(client, "metric=write.bandwith.max&x=fabric", "study.unknown-metric")["hint"]
    )


def test_times_and_shares_are_not_divided(client, fabrics) -> None:
    measure(fabrics["ib"], "io", 13.0, "%", quantity="share")
    assert "shares" in refused(client, "metric=io.share&x=fabric&per=target", "query.invalid-value")["detail"]


def test_numbers_of_one_part_are_not_divided_again(client, fabrics) -> None:
    measure(fabrics["ib"], "write", 9.0, "GB/s", stat="per_drive")
    of_one = "metric=write.bandwidth.per_drive&x=fabric&per=target"
    assert "per_drive is of one part" in refused(client, of_one, "query.invalid-value")["detail"]
    of_all = client.get(f"{STUDY}metric=write.bandwidth&x=fabric&per=target").json()
    assert of_all["metrics"] == ["write.bandwidth.max"]


def test_metrics_of_different_units_are_refused(client, fabrics) -> None:
    measure(fabrics["ib"], "write", 9.0, "kIOPS", quantity="ops_rate")
    problem = refused(client, "metric=write&x=fabric", "study.mixed-units")
    assert "B/s" in problem["detail"] and "ops/s" in problem["detail"]


@pytest.fixture
def rates(db: None) -> dict[str, Result]:
    """Rates of five benchmarks, which report files, requests and messages per second under four names."""
    release = make_release("R1")
    results = {}
    for tool, op, quantity, printed_unit in (
        ("fio", "write", "iops", "ops/s"),
        ("ior", "write", "ops_rate", "ops/s"),
        ("iozone", "write", "rate", "ops/s"),
        ("mdtest", "file_create", "rate", "ops/s"),
        ("lst", "send", "rate", "RPC/s"),
    ):
        results[tool] = make_result(release, f"hw-{tool}", None, tool=tool)
        Measurement.objects.create(
            result=results[tool], op=op, quantity=quantity, stat="mean", value=100.0, unit="ops/s",
            printed_value=100.0, printed_unit=printed_unit, position=1,
        )  # fmt: skip
    fact_index.rebuild_facts(result.pk for result in results.values())
    return results


@pytest.mark.parametrize(
    ("metric", "tools"),
    [
        ("io_rate", ["fio", "ior", "iozone"]),
        ("write.io_rate", ["fio", "ior", "iozone"]),
        ("io_rate.mean", ["fio", "ior", "iozone"]),
        ("metadata_rate", ["mdtest"]),
        ("send.message_rate.mean", ["lst"]),
        ("iops", ["fio"]),
        ("ops_rate", ["ior"]),
        ("write.rate", ["iozone"]),
        ("write", ["fio", "ior", "iozone"]),
    ],
)
def test_a_canonical_quantity_finds_what_tools_report_it_under(client, rates, metric, tools) -> None:
    answer = client.get(f"{STUDY}metric={metric}&x=tool").json()
    assert [row["tool"] for row in answer["rows"]] == tools
    assert answer["coded_notes"] == []
    assert answer["chart"] is not None


@pytest.mark.parametrize("metric", ["write.io_rate.max", "volume", "stonewall_bandwidth"])
def test_a_quantity_that_nobody_reported_is_refused(client, rates, metric) -> None:
    assert refused(client, f"metric={metric}&x=tool", "study.unknown-metric")


def test_a_quantity_of_an_operation_that_only_other_tools_report_has_no_rows(client, rates) -> None:
    assert client.get(f"{STUDY}metric=file_create.io_rate&x=tool").json()["rows"] == []


def test_a_misspelt_quantity_gets_the_nearest_one(client, rates) -> None:
    assert "message_rate" in refused(client, "metric=mesage_rate&x=tool", "study.unknown-metric")["hint"]


def test_an_ambiguous_quantity_is_noted_and_not_compared(client, rates) -> None:
    answer = client.get(f"{STUDY}metric=rate&x=tool").json()
    (note,) = answer["coded_notes"]
    assert note["code"] == "study.mixed-quantities"
    assert "rate is I/O rate and message rate and metadata rate" in note["message"]
    assert answer["chart"] is None
    assert {row["tool"]: row["canonical_quantity"] for row in answer["rows"]} == {
        "iozone": "io_rate", "lst": "message_rate", "mdtest": "metadata_rate",
    }  # fmt: skip
    assert "canonical_quantity" in [axis["name"] for axis in answer["axes"]]
    page = client.get("/study/?metric=rate&x=tool").content.decode()
    assert html.escape(note["message"]) in " ".join(page.split())
    assert refused(client, "metric=rate&x=tool&format=svg", "study.nothing-to-draw")


def test_an_unknown_quantity_is_compared_with_none(client, rates) -> None:
    result = make_result(rates["lst"].release, "hw-new", None, tool="new-benchmark")
    measure(result, "send", 1.0, "kIOPS", quantity="rate", stat="mean")
    fact_index.rebuild_facts([result.pk])
    (note,) = client.get(f"{STUDY}metric=send.rate&x=tool").json()["coded_notes"]
    assert "something that is not known and message rate" in note["message"]


def test_times_of_a_phase_and_of_an_entry_stay_apart_at_one_place(client, rates) -> None:
    """mdtest reports both as time, in seconds: of the whole phase, or of one file."""
    for value, printed_unit in ((2.0, "s"), (0.002, "ms/op")):
        Measurement.objects.create(
            result=rates["mdtest"], op="file_stat", quantity="time", stat="mean", value=value, unit="s",
            printed_value=value, printed_unit=printed_unit, position=2 + int(value),
        )  # fmt: skip
    rows = client.get(f"{STUDY}metric=file_stat.time&x=tool").json()["rows"]
    assert [(row["canonical_quantity"], row["count"]) for row in rows] == [("duration", 1), ("metadata_latency", 1)]
    (row,) = client.get(f"{STUDY}metric=file_stat.duration&x=tool").json()["rows"]
    assert row["value"] == 2.0


def test_too_many_points_are_refused(client, fabrics, monkeypatch) -> None:
    monkeypatch.setattr("registry.studies.run.MOST_ROWS", 3)
    refused(client, f"{WRITE}&x=result", "study.too-many-points")
    refused(client, f"{WRITE}&x=result&trust=imported&trust=reported", "study.too-many-points")
    assert len(rows(client, f"{WRITE}&x=trust")) == 2


def test_an_axis_with_sql_is_an_unknown_name(client, fabrics) -> None:
    refused(client, f"{WRITE}&x=fabric%27)%20OR%201=1--", "study.unknown-axis")
    refused(client, f"{WRITE}&x=context.a%27%20OR%201=1--", "query.unknown-parameter")


def test_csv_and_parquet_hold_the_same_table(client, fabrics) -> None:
    query = f"{STUDY}{WRITE}&x=targets&series=fabric"
    columns = client.get(query).json()["columns"]
    text = list(csv.reader(io.StringIO(client.get(f"{query}&format=csv").content.decode())))
    assert (text[0], text[1][:3]) == (columns, ["2", "InfiniBand", "58.9"])
    table = pyarrow.parquet.read_table(io.BytesIO(client.get(f"{query}&format=parquet").content))
    assert table.column_names == columns
    assert table["value"].to_pylist()[:2] == [58.9, 35.7]
    assert table["targets"].to_pylist() == [2, 2, 4, None]
    assert table.schema.metadata[b"unit"] == b"GB/s"


def test_pictures_are_drawn_without_a_browser(client, fabrics) -> None:
    drawn = client.get(f"{STUDY}{WRITE}&x=fabric&format=svg")
    assert drawn["Content-Type"] == "image/svg+xml"
    assert b"<svg" in drawn.content[:200] and b"InfiniBand: 58.9 GB/s, imported" in drawn.content
    assert b"GB/s, full: verified, two thirds: derived, one third: imported, light: reported" in drawn.content
    assert b"var(--" not in drawn.content
    dark = client.get(f"{STUDY}{WRITE}&x=fabric&format=svg&theme=dark").content
    assert b"#0f171e" in dark and b"#0f171e" not in drawn.content
    assert client.get(f"{STUDY}{WRITE}&x=fabric&format=png").content.startswith(b"\x89PNG")


@pytest.mark.parametrize("chart", ["auto", "bars", "lines", "points", "box", "heat", "radar"])
def test_every_chart_is_drawn_from_the_table_alone(client, fabrics, chart) -> None:
    answer = client.get(f"{STUDY}metric=bandwidth&x=targets&series=op,fabric&chart={chart}&format=svg")
    assert answer.status_code == 200
    assert b"85.3" in answer.content


def row(op: str, platform: str, value: float, low: float, high: float) -> dict[str, Any]:
    figures = {"low": low, "q1": low, "value": value, "q3": high, "high": high}
    return {"op": op, "platform": platform, "unit": "GB/s", "trust": "reported", "count": 1} | figures


def drawn_chart(title: str, axes: list[str], unit: str, study_rows: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    plot = study_chart.make_plot(title, axes, unit, study_rows, kind)
    assert plot is not None
    return plot_vega.write_vega(plot)


def radar(rows: list[tuple[str, str, float]]) -> dict[str, Any]:
    radar_rows = [row(op, platform, value, value, value) for op, platform, value in rows]
    return drawn_chart("Phases", ["op", "platform"], "GB/s", radar_rows, "radar")


def test_bars_show_the_range_of_several_measurements() -> None:
    study_rows = [row("write", "A", 10, 8, 40) | {"count": 3}, row("read", "A", 20, 20, 20)]
    spec = drawn_chart("Phases", ["op", "platform"], "GB/s", study_rows, "bars")
    (spread,) = [layer for layer in spec["layer"] if layer["mark"]["type"] == "rule"]
    assert (spread["encoding"]["x"]["field"], spread["encoding"]["x2"]["field"]) == ("low", "high")
    assert [(point["low"], point["high"]) for point in spec["data"]["values"]] == [(8, 40), (20, 20)]
    assert all(layer["encoding"]["x"]["scale"]["domainMax"] == 40 for layer in spec["layer"][1:])


@pytest.mark.parametrize("kind", ["bars", "points", "box", "lines"])
def test_a_chart_has_range_lines_only_for_points_with_a_range(kind) -> None:
    study_rows = [row("write", "A", 10, 10, 10), row("read", "A", 20, 20, 20)]

    def drawn(rows: list[dict[str, Any]]) -> list[str]:
        layers = drawn_chart("Phases", ["op", "platform"], "GB/s", rows, kind)["layer"]
        return [layer["mark"]["type"] for layer in layers if layer["mark"]["type"] == "rule"]

    assert drawn(study_rows) == []
    assert drawn([study_rows[0] | {"low": 8, "high": 40, "count": 3}, study_rows[1]]) == ["rule"]


def test_numbers_in_charts_are_written_out() -> None:
    study_rows = [
        row("write", "A", 1217062, 1217062, 1217062),
        row("read", "A", 0.5, 0.5, 0.5),
        row("stat", "A", 0, 0, 0),
    ]
    spec = drawn_chart("Phases", ["op", "platform"], "ops/s", study_rows, "bars")
    assert [point["shown"] for point in spec["data"]["values"]] == ["1,217,062", "0.5", "0"]
    assert spec["data"]["values"][0]["words"] == "write: 1,217,062 ops/s, reported"
    assert spec["encoding"]["x"]["scale"]["range"] == [0, {"expr": "width - 72"}]


def test_series_are_labelled_by_their_differences() -> None:
    study_rows = [row("write", "A", 1, 1, 1) | {"mode": "closed"}, row("write", "B", 2, 2, 2) | {"mode": "closed"}]
    spec = drawn_chart("Phases", ["op", "platform", "mode"], "GB/s", study_rows, "bars")
    assert [point["series"] for point in spec["data"]["values"]] == ["A", "B"]
    study_rows = [row("write", "A", 1, 1, 1) | {"mode": ""}, row("read", "A", 2, 2, 2) | {"mode": "standard"}]
    spec = drawn_chart("Phases", ["op", "mode"], "GB/s", study_rows, "bars")
    assert [point["series"] for point in spec["data"]["values"]] == ["mode of the benchmark not stated", "standard"]


def test_cells_of_a_heat_map_are_one_colour_in_depths() -> None:
    """Custom properties can't be mixed: a scale from one to another is black."""
    study_rows = [row("write", "A", 10, 10, 10), row("write", "B", 400, 400, 400)]
    spec = drawn_chart("Phases", ["op", "platform"], "GB/s", study_rows, "heat")
    cells, figures = spec["layer"]
    assert cells["mark"]["fill"] == "var(--s1)"
    assert 0 < min(cells["encoding"]["fillOpacity"]["scale"]["range"]) < 0.5
    assert "var(" not in json.dumps([cells["encoding"], figures["encoding"]])
    assert spec["encoding"]["x"]["title"] == "operation; cells in GB/s"


def test_a_radar_has_a_spoke_for_each_place_from_zero_to_its_largest_value() -> None:
    spec = radar([("write", "A", 10), ("read", "A", 30), ("stat", "A", 2000), ("find", "A", 0), ("write", "B", 5)])
    points = {(point["place"], point["series"]): (point["x"], point["y"]) for point in spec["data"]["values"]}
    assert points["write", "A"] == pytest.approx((0, 1))  # the first spoke points up, the others go clockwise
    assert points["write", "B"] == pytest.approx((0, 0.5))
    assert points["read", "A"] == pytest.approx((1, 0))
    assert points["stat", "A"] == pytest.approx((0, -1))
    assert points["find", "A"] == pytest.approx((0, 0))
    named = [
        point["label"]
        for layer in spec["layer"]
        for point in layer.get("data", {}).get("values", [])
        if "label" in point
    ]
    assert named == [["read", "30 GB/s"], ["find", "0 GB/s"], "write 10 GB/s", "stat 2,000 GB/s"]
    assert "stat, A: 2,000 GB/s, reported" in [point["words"] for point in spec["data"]["values"]]


def test_a_radar_of_two_spokes_is_bars_and_of_more_series_than_colours_a_heat_map() -> None:
    spec = radar([("write", "A", 10), ("read", "A", 30)])
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["bar", "text"]
    spec = radar([(op, platform, 10) for op in ("write", "read", "stat") for platform in "ABCDE"])
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["rect", "text"]


@pytest.mark.parametrize(("kind", "field"), [("auto", "value"), ("points", "value"), ("box", "q1")])
def test_widely_ranging_values_have_a_labelled_logarithmic_scale(kind: str, field: str) -> None:
    study_rows = [row("find", "A", 13229, 13229, 13229), row("stat", "A", 20.4, 20.4, 20.4)]
    spec = drawn_chart("Phases", ["op"], "kIOPS", study_rows, kind)
    (value_axis,) = [
        layer["encoding"]["x"] for layer in spec["layer"] if layer["encoding"].get("x", {}).get("field") == field
    ]
    assert (value_axis["scale"]["type"], value_axis["title"]) == ("log", "kIOPS, logarithmic")
    assert value_axis["axis"]["values"] == [100, 1000, 10000]


def test_bars_and_axes_with_a_zero_begin_at_zero() -> None:
    study_rows = [row("find", "A", 13229, 13229, 13229), row("stat", "A", 20.4, 20.4, 20.4)]
    assert drawn_chart("Phases", ["op"], "kIOPS", study_rows, "bars")["encoding"]["x"]["scale"]["zero"]
    study_rows.append(row("read", "A", 0, 0, 0))
    assert "logarithmic" not in json.dumps(drawn_chart("Phases", ["op"], "kIOPS", study_rows, "points"))


def test_numeric_axes_name_their_unit() -> None:
    study_rows = [row("write", "A", value, value, value) | {"targets": targets} for value, targets in ((1, 2), (2, 4))]
    spec = drawn_chart("Phases", ["targets"], "GB/s", study_rows, "bars")
    assert [point["place"] for point in spec["data"]["values"]] == [
        "object storage targets 2",
        "object storage targets 4",
    ]


def test_an_unchanged_answer_costs_304(client, fabrics) -> None:
    tag = client.get(f"{STUDY}{WRITE}&x=fabric")["ETag"]
    assert client.get(f"{STUDY}{WRITE}&x=fabric", headers={"If-None-Match": tag}).status_code == 304


def test_a_study_costs_the_same_queries_however_many_results(client, fabrics, django_assert_num_queries) -> None:
    # names of metrics, the groups (in a transaction of their own), contexts, results, their facts, who was repeated,
    # why facts of the axes are missing; the results, measurements and systems that ceilings come from
    with django_assert_num_queries(13):
        rows(client, f"{WRITE}&x=result&series=fabric,targets,trust")
    Measurement.objects.filter(op="write").update(repeats=[1.0, 2.0, 3.0])
    with django_assert_num_queries(15):
        rows(client, f"{WRITE}&x=result&series=fabric,targets,trust")


# Pages


def page(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, address
    return answer.content.decode()


def chosen(content: str, label: str) -> str:
    """What a select with that label has chosen: its value, or its text where it has no value."""
    (options,) = re.findall(rf'<select[^>]*aria-label="{label}">(.*?)</select>', content, re.DOTALL)
    value, text = re.search(r'<option(?: value="([^"]*)")? selected>([^<]*)', options).groups()
    return value or text


def test_a_query_has_a_page_with_form_chart_and_table(client, fabrics) -> None:
    content = page(client, f"/study/?{WRITE}&x=fabric&series=direct_io&per=target&p.direct_io=true&chart=bars")
    choices = [chosen(content, label) for label in ("Metric", "Horizontal axis", "Series 1", "Divided by", "Chart")]
    assert choices == ["write.bandwidth.max", "fabric", "direct_io", "target", "bars"]
    assert '<input name="p.direct_io" value="true"' in content
    assert 'data-chart="/api/v1/study/?' in content and "<b>29.45</b>" in content
    assert '<span class="unit">GB/s per target</span>' in content and "Divided by</th>" in content
    assert 'href="/results/hw-ib/"' in content


def test_the_embedding_snippet_is_escaped_twice() -> None:
    answer = {"title": 'Reads vs. "writes"', "chart": {"description": ""}}
    content = render_to_string("studies/study.html", {"answer": answer, "forms": {"svg": "/s/?a=1&b=2"}})
    (pasted,) = re.findall(r"<pre[^>]*>(.*?)</pre>", content)
    assert html.unescape(pasted).endswith('/s/?a=1&amp;b=2" alt="Reads vs. &quot;writes&quot;">')


def test_without_a_script_the_chart_is_drawn_and_each_mark_leads_to_its_result(client, fabrics) -> None:
    content = page(client, f"/study/?{WRITE}&x=fabric&p.fabric=InfiniBand&p.fabric=TCP")
    wide, thin = re.findall(r'<svg class="ch (?:wide|thin)".*?</svg>', content, re.DOTALL)
    for drawn in (wide, thin):
        assert drawn.count("<a href=") == drawn.count('aria-label="TCP: ') + 1 == 3
        assert '<a href="/results/hw-ib/" aria-label="InfiniBand: 58.9 GB/s, imported, not repeated' in drawn
    assert 'role="group"' in wide and "No ceiling is drawn" in content


def test_points_without_a_value_are_counted_on_the_page(client, fabrics) -> None:
    content = page(client, f"/study/?{WRITE}&x=fabric")
    assert re.search(r'scope="row"[^>]*>\N{EM DASH}</th>', content)
    assert "1 row without a value or an x value, not drawn." in content
    assert "reported</span>" in content and "imported</span>" in content


def test_a_condition_of_the_form_gets_its_own_name_in_the_address(client, fabrics) -> None:
    answer = client.get("/study/", {"metric": "write.bandwidth.max", "x": "result", "series": "", "condition": "fabric",
                                    "is": "TCP"})  # fmt: skip
    assert answer.status_code == 302
    content = page(client, answer["Location"])
    assert '<input name="p.fabric" value="TCP"' in content
    assert "hw-tcp" in content and "hw-ib" not in content


def test_a_condition_without_a_value_changes_nothing(client, fabrics) -> None:
    content = page(client, f"/study/?{WRITE}&x=result&condition=fabric&is=&p.fabric=&series=&per=&as_of=")
    assert "hw-ib" in content and "hw-tcp" in content


def test_an_empty_page_asks_for_a_metric_and_an_axis(client, fabrics) -> None:
    content = page(client, "/study/")
    assert "Choose a metric and an axis" in content and "write.bandwidth.max" in content


def test_a_query_without_rows_gets_a_hint(client, fabrics) -> None:
    assert "No results match." in page(client, f"/study/?{WRITE}&x=fabric&p.fabric=none")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("metric=none&x=fabric", "study.unknown-metric"),
        (f"{WRITE}&x=none", "study.unknown-axis"),
        (f"{WRITE}&x=fabric&per=none", "query.invalid-value"),
        (WRITE, "study.no-metric"),
    ],
)
def test_errors_of_a_query_are_shown_above_the_form(client, fabrics, query, code) -> None:
    content = page(client, f"/study/?{query}", 400)
    assert f'href="/docs/problems/#{code}"' in content and 'aria-label="Horizontal axis"' in content
    assert "Choose a metric and an axis" not in content


def test_the_form_keeps_an_unanswered_query(client, fabrics) -> None:
    content = page(client, f"/study/?{WRITE}&x=fabric&series=direct_io&per=drive&p.raid=GridRAID&as_of=yesterday", 400)
    choices = [chosen(content, label) for label in ("Metric", "Horizontal axis", "Series 1", "Divided by")]
    assert choices == ["write.bandwidth.max", "fabric", "direct_io", "drive"]
    assert 'name="p.raid" value="GridRAID"' in content and 'name="as_of" value="yesterday"' in content


def test_a_wrong_name_stays_in_the_form(client, fabrics) -> None:
    content = page(client, f"/study/?{WRITE}&x=fabrik&series=colour&p.fabric=TCP", 400)
    assert [chosen(content, label) for label in ("Metric", "Horizontal axis", "Series 1")] == [
        "write.bandwidth.max", "fabrik", "colour",
    ]  # fmt: skip
    assert '<input name="p.fabric" value="TCP"' in content


def test_divided_numbers_are_rounded_like_computed_ones(client, fabrics) -> None:
    of_three = make_result(
        None, "hw-three", None, tool="ior", parameters={"fabric": "RoCE", "osts": 3}, trust="reported"
    )
    measure(of_three, "write", 58.9)
    fact_index.rebuild_facts([of_three.pk])
    assert "<b>19.63</b>" in page(client, f"/study/?{WRITE}&x=fabric&per=target&p.fabric=RoCE")


def test_curated_studies_are_pages(client) -> None:
    index = page(client, "/studies/")
    assert 'href="/studies/e2000-drives/"' in index
    content = page(client, "/studies/e2000-drives/")
    assert "14,000" in content and "MB/s" in content
    assert "100 * (1 - comb(of - slow, stripes)" in page(client, "/studies/perlmutter-stragglers/")
    assert "/studies/cori/" in page(client, "/studies/corii/", 404)


def test_a_curated_study_of_a_record_without_its_results_is_empty(client) -> None:
    assert client.get("/api/v1/studies/e2000-lst-rate/").json()["rows"] == []
    assert "No results match." in page(client, "/studies/e2000-lst-rate/")


def test_hostile_names_are_escaped(client, fabrics) -> None:
    fabrics["ib"].facts.filter(name="fabric").update(text="<script>alert(1)</script>")
    content = page(client, f"/study/?{WRITE}&x=fabric&series=result")
    assert "<script>alert" not in content and "&lt;script&gt;alert" in content


def test_the_page_of_a_question_costs_few_queries(client, fabrics, django_assert_num_queries) -> None:
    with django_assert_num_queries(17):
        page(client, f"/study/?{WRITE}&x=result&series=fabric")


@pytest.mark.parametrize(
    ("bounds", "value", "qualifier"),
    [
        ([(30.0, "below"), (20.0, ""), (10.0, "")], 20.0, "below"),
        ([(30.0, "above"), (20.0, ""), (10.0, "")], 20.0, None),
        ([(30.0, "below"), (20.0, "below")], 25.0, "below"),
        ([(30.0, "above"), (20.0, "below")], 15.0, "above"),
        ([(30.0, "about"), (20.0, "")], 25.0, "about"),
    ],
)
def test_a_median_of_bounds_is_a_bound(client, db, bounds, value, qualifier) -> None:
    release = make_release("T1")
    for place, (bound, word) in enumerate(bounds):
        result = make_result(release, f"hw-{place}", None, trust="reported", tool="ior", parameters={"fabric": "TCP"})
        measure(result, "write", bound, context={"qualifier": word} if word else {})
        fact_index.rebuild_facts([result.pk])
    (row,) = rows(client, f"{WRITE}&x=fabric&trust=reported")
    assert (row["value"], row["qualifier"], row["count"]) == (pytest.approx(value), qualifier, len(bounds))
    bounded = any(word in ("below", "above") for _, word in bounds)
    assert (row["low"] is None, row["high"] is None) == (bounded, bounded)
    (halved,) = rows(client, f"{WRITE}&x=fabric&trust=reported&per=client")
    assert (halved["value"], halved["qualifier"]) == (pytest.approx(value / 10), qualifier)


def test_a_chart_draws_a_bound_as_one(client, db) -> None:
    result = make_result(make_release("T1"), "hw-1", None, trust="reported", tool="ior", parameters={"fabric": "TCP"})
    measure(result, "write", 200.0, context={"qualifier": "below"})
    fact_index.rebuild_facts([result.pk])
    chart = client.get(STUDY + f"{WRITE}&x=fabric&trust=reported").json()["chart"]
    (point,) = chart["data"]["values"]
    assert (point["bound"], point["shown"]) == (True, "< 200")
    assert "less than 200 GB/s" in point["words"] and "dashed: a bound" in chart["usermeta"]["subtitle"]
    page = client.get(f"/study/?{WRITE}&x=fabric&trust=reported").content.decode()
    assert "less than</small>" in page
