"""Which results of a line stand in one row, and why others do not; by hand, without the record."""

from __future__ import annotations

from dataclasses import replace

import pytest

from registry.platforms.gains import Point
from registry.platforms.matched_steps import (
    matched_strata,
    unmatched_pairs,
    varying_facts,
    without_repeated_number,
)
from registry.query.responses.declared_limits import Limit

ORDER = ["one", "two", "three"]
NEEDED = ["client_nodes", "tasks"]
RATE = ("unet3d", "samples_rate", False)


def point(name: str, value: float, step: str, limits: tuple[Limit, ...] = (), **conditions: str) -> Point:
    return Point(name, step, value, {}, conditions={"client_nodes": "5", "tasks": "40"} | conditions, limits=limits)


def ids(strata: list[list[Point]]) -> list[list[str]]:
    return [[member.result for member in stratum] for stratum in strata]


def test_equal_scale_and_options_make_a_stratum() -> None:
    points = [
        point("a", 293.0, "one"),
        point("b", 99.0, "one", client_nodes="1"),
        point("c", 567.0, "two", client_nodes="10"),
        point("d", 400.0, "two"),
        point("e", 110.0, "two", client_nodes="1"),
    ]
    assert ids(matched_strata(points, NEEDED)) == [["a", "d"], ["b", "e"]]
    assert unmatched_pairs(points, matched_strata(points, NEEDED), ORDER, NEEDED, RATE) == []


def test_the_best_of_unlike_runs_is_no_gain() -> None:
    points = [point("a", 293.0, "one"), point("b", 725.0, "two", client_nodes="20")]
    assert matched_strata(points, NEEDED) == []
    (pair,) = unmatched_pairs(points, [], ORDER, NEEDED, RATE)
    assert (pair.differs, pair.unknown, pair.reasons) == (("client_nodes",), (), ())


@pytest.mark.parametrize("missing", [{}, {"before": "40"}, {"after": "40"}])
def test_facts_unknown_for_both_match_nothing(missing: dict[str, str]) -> None:
    before, after = (
        replace(
            point(name, value, step),
            conditions={"client_nodes": "5"} | ({"tasks": missing[end]} if end in missing else {}),
        )
        for name, value, step, end in (("a", 1.0, "one", "before"), ("b", 2.0, "two", "after"))
    )
    assert matched_strata([before, after], NEEDED) == []
    (pair,) = unmatched_pairs([before, after], [], ORDER, NEEDED, RATE)
    assert (pair.differs, pair.unknown) == ((), ("tasks",))


def test_an_option_known_for_one_only_separates_results() -> None:
    points = [point("a", 1.0, "one", direct_io="true"), point("b", 2.0, "two")]
    assert matched_strata(points, NEEDED) == []
    (pair,) = unmatched_pairs(points, [], ORDER, NEEDED, RATE)
    assert pair.unknown == ("direct_io",)


def test_an_option_known_for_neither_separates_nothing() -> None:
    assert ids(matched_strata([point("a", 1.0, "one"), point("b", 2.0, "two")], NEEDED)) == [["a", "b"]]


@pytest.mark.parametrize(
    ("limit", "strata_ids"),
    [
        (Limit("other nodes"), []),
        (Limit("other nodes", quantity="samples_rate"), []),
        (Limit("other nodes", op="unet3d", others=frozenset({"a"})), []),
        (Limit("other nodes", quantity="time"), [["a", "b"]]),
        (Limit("other nodes", op="resnet50"), [["a", "b"]]),
        (Limit("other nodes", others=frozenset({"c"})), [["a", "b"]]),
    ],
)
def test_declared_limits_of_comparison_are_followed(limit: Limit, strata_ids: list[list[str]]) -> None:
    points = [point("a", 1.0, "one"), point("b", 2.0, "two", (limit,))]
    strata = matched_strata(points, NEEDED, "unet3d", "samples_rate")
    assert ids(strata) == strata_ids
    pairs = unmatched_pairs(points, strata, ORDER, NEEDED, RATE)
    assert [pair.reasons for pair in pairs] == ([] if strata_ids else [("other nodes",)])


def test_a_step_without_a_stratum_is_not_matched() -> None:
    points = [point("a", 1.0, "one"), point("b", 2.0, "two"), point("c", 9.0, "three", client_nodes="50")]
    strata = matched_strata(points, NEEDED)
    assert ids(strata) == [["a", "b"]]
    (pair,) = unmatched_pairs(points, strata, ORDER, NEEDED, RATE)
    assert (pair.before.result, pair.after.result) == ("b", "c")


def test_the_nearest_and_then_best_pair_represents_two_steps() -> None:
    points = [
        point("direct", 85.4, "one", direct_io="true", procs_per_node="64"),
        point("buffered", 83.3, "one", direct_io="false", procs_per_node="64"),
        point("slow", 82.1, "one", direct_io="false", procs_per_node="64"),
        point("new", 200.0, "two", direct_io="false", procs_per_node="8"),
    ]
    (pair,) = unmatched_pairs(points, [], ORDER, NEEDED, ("read", "bandwidth", False))
    assert (pair.before.result, pair.differs) == ("buffered", ("procs_per_node",))


def test_a_condition_that_repeats_the_value_is_ignored() -> None:
    points = [
        point("a", 15.0, "one", num_accelerators="15"),
        point("b", 20.0, "two", num_accelerators="20"),
    ]
    plain, repeated = without_repeated_number(points, "accelerators")
    assert repeated == {"num_accelerators"}
    assert ids(matched_strata(plain, NEEDED)) == [["a", "b"]]
    assert without_repeated_number(points, "samples_rate") == (points, frozenset())
    other = [*points, point("c", 30.0, "two", num_accelerators="31")]
    assert without_repeated_number(other, "accelerators")[1] == frozenset()
    assert without_repeated_number([point("a", 15.0, "one", num_accelerators="many")], "accelerators")[1] == frozenset()


def test_varying_facts_of_a_step_are_named() -> None:
    facts = {"fabric": ("hardware", "TCP"), "raid": ("hardware", "8+2")}
    points = [
        Point("a", "one", 36.5, facts),
        Point("b", "one", 63.4, facts | {"fabric": ("hardware", "InfiniBand")}),
        Point("c", "one", 60.0, {"raid": ("hardware", "8+2")}),
    ]
    assert varying_facts(points) == {"fabric": ["InfiniBand", "TCP"]}
    assert varying_facts(points[:1]) == {}
