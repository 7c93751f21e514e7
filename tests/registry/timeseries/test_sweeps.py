"""The standard sweep: a result fills the cell that its facts name, and no other; what got worse is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from registry.models import Measurement, Result
from registry.query.facts import fact_index
from registry.timeseries.sweeps import cells_of, explain_unplaced, is_met, load_sweep, place_result
from tests.html import page_source
from tests.registry.record import make_measurement, make_rate, make_release, make_result

BANDWIDTH, AT_ONCE, SMALL, METADATA = range(4)


# The file


def test_the_sweep_has_the_cells_of_its_source() -> None:
    assert [len(cells_of(part)) for part in load_sweep()["parts"]] == [2 * 2 * 6 * 2, 2, 6 * 2, 2 * 2 * 2 * 4]
    assert ("one shared file", "direct", "two JBODs, 4 OSTs", "read") in cells_of(load_sweep()["parts"][BANDWIDTH])


def test_the_file_follows_the_table_of_the_seed(shared: Path) -> None:
    table = json.loads((shared / "data/seed-tables/standard_sweep.json").read_text(encoding="utf-8"))
    bandwidth, small = load_sweep()["parts"][BANDWIDTH], load_sweep()["parts"][SMALL]
    assert len(bandwidth["axes"][0]["choices"]) == len(table["throughput"]["access"])
    assert [choice["title"] for choice in bandwidth["axes"][1]["choices"]] == table["parameters"]["ior_throughput"][
        "io"
    ]
    # "one client one thread (with and without overstriping) and multi-thread" is three choices.
    assert len(small["axes"][0]["choices"]) == len(table["iops"]["tests"]) + 2
    assert len(load_sweep()["parts"][METADATA]["axes"][1]["choices"]) == len(
        table["parameters"]["mdtest"]["file_sizes"]
    )


@pytest.mark.parametrize(
    ("condition", "known", "met"),
    [
        ({"one_of": ["2"]}, {"a": "2"}, True),
        ({"one_of": ["2"]}, {"b": "2"}, True),
        ({"one_of": ["2"]}, {"a": "3", "b": "2"}, False),
        ({"one_of": ["2"]}, {}, False),
        ({"none_of": ["1"]}, {}, True),
        ({"none_of": ["1"]}, {"a": "1"}, False),
        ({"at_least": 2}, {"a": "16"}, True),
        ({"at_least": 2}, {"a": "1"}, False),
        ({"at_least": 2}, {"a": "many"}, False),
        ({"at_least": 2}, {}, False),
        ({"absent": True}, {}, True),
        ({"absent": True}, {"b": "0"}, False),
    ],
)
def test_conditions_of_a_cell_are_met_by_known_facts(condition, known, met) -> None:
    assert is_met({"facts": ["a", "b"], **condition}, known) is met


FLASH = {"access": "file-per-process", "direct_io": "true", "targets": "2", "client_nodes": "20"}


@pytest.mark.parametrize(
    ("known", "cells", "open_axes"),
    [
        (FLASH, [("a file per process", "direct", "all flash, 2 OSTs")], []),
        (FLASH | {"jbods": "1"}, [("a file per process", "direct", "one JBOD, 2 OSTs")], []),
        (FLASH | {"targets": "3"}, [], ["targets and clients"]),
        ({"targets": "2"}, [], ["access", "page cache", "targets and clients"]),
        ({name: text for name, text in FLASH.items() if name != "client_nodes"}, [], ["targets and clients"]),
        (
            FLASH | {"client_nodes": "1", "tasks": "1", "overstriping": "true"},
            [("a file per process", "direct", "one client, one thread, overstriped")],
            [],
        ),
        (FLASH | {"client_nodes": "1"}, [], ["targets and clients"]),
        (FLASH | {"bidirectional": "true"}, [], []),
    ],
)
def test_a_run_of_ior_fills_the_cell_that_its_facts_name(known, cells, open_axes) -> None:
    assert place_result(load_sweep()["parts"][BANDWIDTH], known) == (cells, open_axes)


# As users see it

ADDRESS = "systems/site-one-test-system-a/sweep/"


def make_ior(name: str, software: str, written: float, day: str, **parameters: Any) -> None:
    settings = {
        "storage_software": software, "access": "file-per-process", "direct_io": True, "osts": 2, "started": day,
        "procs_per_node": 16, "transfer_size_bytes": 2**20,
    }  # fmt: skip
    result = make_result(make_release(name), name, None, tool="ior", parameters=settings | parameters)
    make_measurement(result, "write", written, stat="max")
    make_measurement(result, "read", 80.0, stat="max")
    fact_index.rebuild_facts([result.pk])


@pytest.fixture
def swept(db: None) -> None:
    """Two releases of the software, three runs of each; the newer one was recorded first, and writes slower."""
    make_ior("hw-new", "6.2", 45.0, "2026-04-01")
    make_ior("hw-old", "6.1", 50.0, "2026-01-01")
    make_ior("hw-fabric", "6.1", 90.0, "2026-02-01", fabric="InfiniBand HDR")
    make_ior("hw-vague", "6.1", 90.0, "2026-02-01", access="", direct_io=None)
    for measurement in Measurement.objects.filter(result__public_id__in=["hw-new", "hw-old"]):
        Measurement.objects.filter(pk=measurement.pk).update(
            repeats=[0.99 * measurement.value, measurement.value, 1.01 * measurement.value]
        )
    metadata = {"mdts": 1, "file_size_bytes": 0, "storage_software": "6.2"}
    result = make_result(make_release("hw-md"), "hw-md", None, tool="mdtest", parameters=metadata)
    make_rate(result, "file_create", "mean", 100_000.0)
    fact_index.rebuild_facts([result.pk])


def shown(client: Any) -> dict[str, Any]:
    return dict(client.get(f"/api/v1/{ADDRESS}").json())


def test_cells_are_measured_missing_equal_or_worse(client, swept, django_assert_num_queries) -> None:
    with django_assert_num_queries(4):
        answer = shown(client)
    assert (answer["cells"], answer["measured"], answer["regressed"], answer["results"]) == (94, 3, 1, 5)
    assert answer["releases"] == ["6.2", "6.1"]
    cells = {(*cell["choices"], cell["op"]): cell for cell in answer["parts"][BANDWIDTH]["cells"]}
    write = cells["a file per process", "direct", "all flash, 2 OSTs", "write"]
    assert (write["verdict"], write["latest"]["result"], write["before"]["result"]) == ("worse", "hw-new", "hw-old")
    assert write["ratio"] == pytest.approx(0.9)
    assert cells["a file per process", "direct", "all flash, 2 OSTs", "read"]["verdict"] == "equal"
    assert cells["one shared file", "direct", "all flash, 2 OSTs", "read"]["verdict"] == "missing"
    assert answer["parts"][BANDWIDTH]["unplaced"] == [
        {"axis": "access", "results": 1}, {"axis": "page cache", "results": 1},
    ]  # fmt: skip
    verdicts = {cell["verdict"] for cell in answer["parts"][METADATA]["cells"]}
    assert verdicts == {"missing", "first"}


def test_the_spread_of_repeats_decides_a_regression(client, swept) -> None:
    """45 after 50 GiB/s is worse where runs vary by 1 %, and not where those of one release vary by 20 %."""
    old = Measurement.objects.get(result__public_id="hw-old", op="write")
    Measurement.objects.filter(pk=old.pk).update(repeats=[0.8 * old.value, old.value, 1.2 * old.value])
    cells = shown(client)["parts"][BANDWIDTH]["cells"]
    (write,) = (cell for cell in cells if cell["op"] == "write" and cell["before"])
    assert (write["verdict"], write["ratio"]) == ("equal", pytest.approx(0.9))
    assert (write["interval_basis"], write["interval"][0] < 1 < write["interval"][1]) == ("repeats", True)


@pytest.mark.parametrize("single", ["hw-new", "hw-old"])
@pytest.mark.parametrize("repeats", [None, 2])
def test_fewer_than_three_runs_are_no_regression(client, swept, single, repeats) -> None:
    for measurement in Measurement.objects.filter(result__public_id=single):
        Measurement.objects.filter(pk=measurement.pk).update(repeats=repeats and [measurement.value] * repeats)
    answer = shown(client)
    assert (answer["regressed"], answer["not_repeated"]) == (0, 2)
    compared_cells = [cell for cell in answer["parts"][BANDWIDTH]["cells"] if cell["before"]]
    assert {(cell["verdict"], cell["interval"], cell["interval_basis"]) for cell in compared_cells} == {
        ("not_repeated", None, None)
    }
    assert sorted(cell["ratio"] for cell in compared_cells) == [pytest.approx(0.9), 1.0]
    page = page_source(client.get(f"/{ADDRESS}"))
    assert "Their difference may be" in page and "95 %" not in page
    assert '<span class="no">worse</span>' not in page


@pytest.mark.parametrize(
    ("old", "new", "unknown"),
    [
        ({}, {}, []),
        ({"fabric": "TCP"}, {"fabric": "TCP"}, []),
        ({"fabric": "TCP"}, {}, ["fabric"]),
        ({"procs_per_node": None}, {"procs_per_node": None}, ["procs_per_node"]),
        ({"transfer_size_bytes": None}, {"transfer_size_bytes": None}, ["transfer_size"]),
        ({"transfer_size_bytes": None}, {}, ["transfer_size"]),
    ],
)
def test_runs_not_known_to_be_alike_are_no_regression(client, db, old, new, unknown) -> None:
    make_ior("hw-old", "6.1", 50.0, "2026-01-01", **old)
    make_ior("hw-new", "6.2", 45.0, "2026-04-01", **new)
    (write,) = (cell for cell in shown(client)["parts"][BANDWIDTH]["cells"] if cell["op"] == "write" and cell["latest"])
    assert write["unknown"] == unknown
    page = page_source(client.get(f"/{ADDRESS}"))
    if unknown:
        assert (write["verdict"], write["before"], write["ratio"]) == ("unknown", None, None)
        assert f"not known of both: {unknown[0].replace('_', ' ')}" in page
    else:
        assert (write["before"]["result"], write["ratio"]) == ("hw-old", pytest.approx(0.9))


def test_a_bound_is_not_known_to_be_worse(client, db) -> None:
    for name, software, day in (("hw-old", "6.1", "2026-01-01"), ("hw-new", "6.2", "2026-04-01")):
        make_ior(name, software, 50.0, day)
    Measurement.objects.filter(result__public_id="hw-new", op="write").update(
        value=60.0 * 2**30, context={"qualifier": "below"}
    )
    (write,) = (cell for cell in shown(client)["parts"][BANDWIDTH]["cells"] if cell["op"] == "write" and cell["latest"])
    assert (write["verdict"], write["latest"]["qualifier"]) == ("unknown", "below")
    assert "less than 1.20" in page_source(client.get(f"/{ADDRESS}"))


def test_the_page_shows_each_cell_and_what_is_missing(client, swept) -> None:
    page = page_source(client.get(f"/{ADDRESS}"))
    for text in (
        "of 94 cells", "Write, a file per process, direct, all flash, 2 OSTs", '<span class="no">worse</span>',
        "missing", "/compare/?results=hw-old,hw-new", "1 result fills no cell: access", "6.2, 6.1",
    ):  # fmt: skip
        assert text in page, text
    assert f"/{ADDRESS}" in page_source(client.get("/systems/site-one-test-system-a/"))


def test_releases_without_dates_are_not_ordered(client, swept) -> None:
    Result.objects.filter(public_id="hw-old").update(release=None, parameters={}, trust="reported")
    Result.objects.filter(public_id="hw-new").update(release=None, parameters={}, trust="reported")
    assert {cell["verdict"] for cell in shown(client)["parts"][BANDWIDTH]["cells"]} == {"missing", "first"}


def test_a_system_without_results_misses_all_cells(client, db) -> None:
    make_result(make_release("T1"), "io500-1")
    answer = shown(client)
    assert (answer["measured"], answer["regressed"], answer["releases"], answer["results"]) == (0, 0, [], 0)
    assert "This system has no IOR or mdtest result that could fill a cell." in page_source(client.get(f"/{ADDRESS}"))


@pytest.mark.parametrize(
    ("address", "status", "code"),
    [
        ("systems/nothing/sweep/", 404, "record.no-system"),
        ("systems/site-one-test-system-a/sweep/?sweep=x", 400, "query.unknown-parameter"),
    ],
)
def test_invalid_sweep_addresses_are_refused(client, swept, address, status, code) -> None:
    answer = client.get(f"/api/v1/{address}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


# The sweep of the document that defines it


def test_results_without_a_cell_are_listed_with_missing_facts(client, loaded, db) -> None:
    """The slide on hard disks does not say whether processes shared a file: no cell of bandwidth is filled."""
    sweep = client.get("/api/v1/systems/hewlett-packard-enterprise-e1000-hdd/sweep/").json()
    bandwidth = sweep["parts"][BANDWIDTH]
    assert sweep["measured"] == 0 and bandwidth["unplaced"] == [{"axis": "access", "results": 9}]
    reasons = {(tuple(row["not_said"]), tuple(row["other"])) for row in bandwidth["unplaced_results"]}
    assert (len(bandwidth["unplaced_results"]), reasons) == (9, {(("access",), ())})
    page = page_source(client.get("/systems/hewlett-packard-enterprise-e1000-hdd/sweep/"))
    assert "9 results that fill no cell, and why" in page and "<td>access</td>" in page


def test_a_minimum_of_twenty_clients_is_not_a_single_client(client, loaded, db) -> None:
    """4 KiB operations of the flash unit: the newest of four fabrics, writes and reads."""
    sweep = client.get("/api/v1/systems/hewlett-packard-enterprise-e1000-ssu-f/sweep/").json()
    filled = [(cell["choices"], cell["op"]) for cell in sweep["parts"][SMALL]["cells"] if cell["latest"]]
    assert filled == [(["all flash, 2 OSTs"], "write"), (["all flash, 2 OSTs"], "read")]


def test_another_value_than_the_sweep_requires_is_not_missing() -> None:
    part = load_sweep()["parts"][BANDWIDTH]
    assert explain_unplaced(part, FLASH | {"access": "random"}) == {"access": []}
    assert explain_unplaced(part, {"targets": "2"}) == {
        "access": ["access"],
        "page cache": ["direct_io"],
        "targets and clients": ["client_nodes", "jbods", "tasks", "overstriping"],
    }
