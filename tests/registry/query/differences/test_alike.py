"""Whether two configurations are known to be alike: what is not known makes them neither alike nor different."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.query.differences import alike
from registry.query.differences.alike import Likeness, compare_configurations, configuration_key
from validators import catalogue

facts = st.one_of(
    st.none(), st.just(""), st.just(float("nan")), st.booleans(), st.integers(0, 2), st.sampled_from(["1", "a", "true"])
)
configurations = st.dictionaries(st.sampled_from("abc"), facts)


@given(configurations, configurations, st.sets(st.sampled_from("abc")))
def test_configurations_share_a_key_only_if_known_to_be_alike(first, other, needed) -> None:
    keys = [configuration_key(configuration, sorted(needed)) for configuration in (first, other)]
    together = None not in keys and keys[0] == keys[1]
    assert together == (compare_configurations(first, other, needed).outcome is Likeness.ALIKE)


@given(configurations, configurations, st.sets(st.sampled_from("abc")))
def test_the_order_does_not_matter(first, other, needed) -> None:
    assert compare_configurations(first, other, needed).outcome == compare_configurations(other, first, needed).outcome


@given(configurations)
def test_an_incomplete_configuration_is_like_none(configuration) -> None:
    assert (
        compare_configurations(configuration | {"a": None}, configuration | {"a": None}, ["a"]).outcome
        is not Likeness.ALIKE
    )


@pytest.mark.parametrize(
    ("one", "other", "needed", "outcome", "differs", "unknown"),
    [
        ({"nodes": 10}, {"nodes": 10}, ["nodes"], "alike", (), ()),
        ({"nodes": 10}, {"nodes": "10"}, ["nodes"], "alike", (), ()),
        ({"nodes": 10}, {"nodes": 10.0}, ["nodes"], "alike", (), ()),
        ({"direct": True}, {"direct": 1}, [], "different", ("direct",), ()),
        ({"nodes": 10}, {"nodes": 300}, ["nodes"], "different", ("nodes",), ()),
        ({"nodes": None}, {"nodes": None}, ["nodes"], "unknown", (), ("nodes",)),
        ({}, {}, ["nodes"], "unknown", (), ("nodes",)),
        ({}, {}, [], "alike", (), ()),
        ({"nodes": 10}, {"nodes": 10, "bs": "4k"}, ["nodes"], "unknown", (), ("bs",)),
        ({"nodes": 10, "bs": " "}, {"nodes": 10, "bs": ""}, ["bs"], "unknown", (), ("bs",)),
        ({"nodes": 10}, {"nodes": 300, "bs": "4k"}, [], "different", ("nodes",), ("bs",)),
        ({"zero": 0}, {"zero": 0}, ["zero"], "alike", (), ()),
        ({"flag": False}, {"flag": False}, ["flag"], "alike", (), ()),
    ],
)
def test_two_configurations_are_compared_by_their_facts(one, other, needed, outcome, differs, unknown) -> None:
    assert compare_configurations(one, other, needed) == (Likeness(outcome), differs, unknown)


def test_every_benchmark_names_its_scale() -> None:
    for benchmark in catalogue.benchmarks():
        assert benchmark.descriptor["experiment"]["scale"], benchmark.tool
    assert alike.required_facts("a-tool-that-is-not-there") == ["client_nodes"]


def test_processes_follow_from_nodes_and_processes_of_each() -> None:
    assert alike.parameters_with_scale({"procs_per_node": 16}, 10, None)["tasks"] == 160
    assert "tasks" not in alike.parameters_with_scale({"procs_per_node": 16}, None, None)
    assert alike.parameters_with_scale({"procs_per_node": 16, "tasks": 40}, 10, None)["tasks"] == 40
