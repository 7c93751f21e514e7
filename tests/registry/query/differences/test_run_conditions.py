"""Scale and options of runs: what has to be equal, and what may differ."""

from __future__ import annotations

import pytest

from registry.query.differences.alike import Likeness
from registry.query.differences.run_conditions import Run, compare_runs, conditions_of_run

OPTIONS = {"access": "shared", "transfer_size_bytes": 2**20, "direct_io": True}


def run(client_nodes: int | None = 10, tasks: int | None = 80, mode: str = "", **parameters: object) -> Run:
    return Run("ior", OPTIONS | parameters, client_nodes, tasks, mode)


def test_scale_and_options_are_conditions_and_parts_of_the_system_are_not() -> None:
    described = run(fabric="TCP", drives=24, nps=4, tool_version="4.0", io500_release="SC22", started="2026-01-01")
    assert conditions_of_run(described) == {
        "access": "shared",
        "transfer_size_bytes": "1048576",
        "direct_io": "true",
        "client_nodes": "10",
        "tasks": "80",
    }


def test_compared_facts_are_left_out_and_processes_computed() -> None:
    assert conditions_of_run(Run("ior", {"procs_per_node": 8}, 4), ["client_nodes"]) == {
        "procs_per_node": "8",
        "tasks": "32",
    }


@pytest.mark.parametrize(
    ("other", "outcome", "differs", "unknown"),
    [
        (run(), Likeness.ALIKE, (), ()),
        (run(fabric="TCP", nps=2), Likeness.ALIKE, (), ()),
        (run(client_nodes=20), Likeness.DIFFERENT, ("client_nodes",), ()),
        (run(direct_io=False), Likeness.DIFFERENT, ("direct_io",), ()),
        (run(client_nodes=None), Likeness.UNKNOWN, (), ("client_nodes",)),
        (run(mode="open"), Likeness.UNKNOWN, (), ("mode",)),
    ],
)
def test_runs_are_alike_where_scale_and_options_are_known_to_be(other, outcome, differs, unknown) -> None:
    assert compare_runs(run(), other) == (outcome, differs, unknown)


def test_facts_in_the_measurements_are_not_required_of_the_run() -> None:
    bare = Run("ior", {name: value for name, value in OPTIONS.items() if name != "transfer_size_bytes"}, 10, 80)
    assert compare_runs(bare, bare).unknown == ("transfer_size_bytes",)
    assert compare_runs(bare, bare, ["transfer_size_bytes"]).outcome is Likeness.ALIKE
