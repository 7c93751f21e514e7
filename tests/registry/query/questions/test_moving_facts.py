"""The facts that move a number, as data: each exists, says why, and who measured it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from registry.query.facts import axes, fact_index
from registry.query.questions import moving_facts
from validators import quantities

ROOT = Path(__file__).resolve().parents[4]


def reported_parameters() -> set[str]:
    files = (ROOT / "registry" / "loading" / "data" / "reported").glob("*.json")
    return {name for path in files for row in json.loads(path.read_text())["results"] for name in row["parameters"]}


def benchmark_parameters() -> set[str]:
    files = (ROOT / "validators" / "benchmarks").glob("*/benchmark.json")
    return {row["name"] for path in files for row in json.loads(path.read_text()).get("parameters", ())}


MLPERF = {"division", "model", "accelerator", "num_accelerators"}
"""Parameters of MLPerf Storage, as its reader names them."""
CONTEXTS = {f"context.{name}" for name in quantities.context_parts()}


def test_every_fact_exists_and_has_a_reason_and_a_source() -> None:
    names = {*axes.by_name(), *fact_index.COLUMNS, *reported_parameters(), *benchmark_parameters(), *MLPERF, *CONTEXTS}
    for row in moving_facts.list_moving_facts():
        assert row.fact in names, row.fact
        assert row.why.endswith("."), row.fact
        assert len(row.source) > 20, row.fact
    assert len({row.fact for row in moving_facts.list_moving_facts()}) == len(moving_facts.list_moving_facts())


def test_every_kind_is_named_and_every_quantity_is_of_one_kind() -> None:
    kinds = moving_facts.load_table()["kinds"]
    for row in moving_facts.list_moving_facts():
        assert row.moves == ("all",) or set(row.moves) <= set(kinds), row.fact
    numbers = [name for row in kinds.values() for name in row["numbers"]]
    assert len(numbers) == len(set(numbers))
    columns = {"score", "bandwidth_gib_per_s", "rate_kiops"}
    assert set(numbers) - columns == set(quantities.canonical_quantities()) - {"participant_count"}


def test_facts_bound_to_an_axis_are_influencing_facts() -> None:
    names = {row.fact for row in moving_facts.list_moving_facts()}
    for axis, along in moving_facts.load_table()["come_with"].items():
        assert along == ["all"] or set(along) <= names, axis


@pytest.mark.parametrize(
    ("number", "moves", "moves_not"),
    [
        ("bandwidth", "direct_io", "items_kind"),
        ("metadata_rate", "items_kind", "direct_io"),
        ("sample_rate", "num_accelerators", "direct_io"),
        ("score", "client_nodes", "accelerator"),
    ],
)
def test_a_quantity_depends_on_facts_of_its_kind(number, moves, moves_not) -> None:
    names = moving_facts.facts_moving([moving_facts.kind_of_number(number)])
    assert moves in names
    assert moves_not not in names


def test_a_quantity_of_no_kind_may_depend_on_every_fact() -> None:
    assert moving_facts.kind_of_number("nosuch") == ""
    assert len(moving_facts.facts_moving([""])) == len(moving_facts.list_moving_facts())


def test_an_axis_under_another_name_is_the_same_axis() -> None:
    assert "targets" in moving_facts.on_axes(["osts"])
    assert "lnd" in moving_facts.come_with(["fabric"])
    assert "lnd" not in moving_facts.on_axes(["fabric"])
    assert "direct_io" in moving_facts.come_with(["result"])
