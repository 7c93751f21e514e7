"""Gains from step to step, and what they are put down to; by hand, without the record."""

from __future__ import annotations

import pytest

from registry.models import Fact
from registry.platforms.gains import (
    Facts,
    Point,
    best_point,
    by_cause,
    by_possible,
    improvement_factor,
    make_change,
    shortest_chain,
    steps_of,
)
from registry.platforms.sizing_groups import count_units, units_for
from registry.query.differences import configuration_diff
from registry.query.facts import fact_index
from registry.query.values.qualified_values import qualified_number
from tests.html import page_source
from tests.registry.record import make_measurement, make_platform, make_release, make_result

OLD: Facts = {
    "platform": ("hardware", "One"),
    "lustre_version": ("software", "2.12"),
    "nps": ("tuning", "4"),
    "client_nodes": ("conditions", "10"),
}


def point(name: str, value: float, step: str = "one", **facts: str) -> Point:
    changed = {fact: (OLD.get(fact, ("tuning", ""))[0], text) for fact, text in facts.items()}
    return Point(name, step, value, {**OLD, **changed})


START = point("a", 10.0)
END = point("z", 60.0, "two", platform="Two", lustre_version="2.15", nps="1")


def test_a_chain_of_single_changes_separates_hardware_software_and_tuning() -> None:
    between = [
        point("m", 20.0, "two", platform="Two"),
        point("n", 30.0, "two", platform="Two", lustre_version="2.15"),
        point("far", 31.0, "two", platform="Two", lustre_version="2.15", client_nodes="20"),
    ]
    links = shortest_chain([START, *between, END], START, END)
    assert [(link.before.result, link.after.result, link.cause) for link in links] == [
        ("a", "m", "hardware"),
        ("m", "n", "software"),
        ("n", "z", "tuning"),
    ]
    assert by_cause(links) == {"hardware": 2.0, "software": 1.5, "tuning": 2.0}


def test_a_chain_without_its_middle_separates_no_cause() -> None:
    assert shortest_chain([START, point("m", 20.0, platform="Two"), END], START, END) == []
    step = make_change(START, END)
    assert (step.cause, step.may_be, step.factor) == ("", ["hardware", "software", "tuning"], qualified_number(6.0))
    assert by_possible([step, step]) == [
        {"may_be": ["hardware", "software", "tuning"], "factor": 36.0, "factor_qualifier": ""}
    ]


@pytest.mark.parametrize(
    ("lacking", "may_be"),
    [
        ("lustre_version", ["hardware", "software"]),
        ("nps", ["hardware", "tuning"]),
        ("client_nodes", ["hardware", "conditions"]),
    ],
)
def test_a_fact_recorded_by_one_result_only_may_have_changed(lacking: str, may_be: list[str]) -> None:
    after = point("b", 20.0, platform="Two")
    partial = Point("b", "one", 20.0, {name: fact for name, fact in after.facts.items() if name != lacking})
    assert make_change(START, after).cause == "hardware"
    assert (make_change(START, partial).cause, make_change(START, partial).may_be) == ("", may_be)


def test_a_kind_recorded_by_no_result_may_have_changed() -> None:
    facts = {"platform": ("hardware", "One")}
    step = make_change(Point("a", "x", 1.0, facts), Point("b", "y", 2.0, facts))
    assert (step.cause, step.may_be, dict(step.differs)) == ("", ["software", "tuning"], {})


def test_changed_conditions_are_no_gain() -> None:
    assert make_change(START, point("b", 20.0, platform="Two", client_nodes="20")).cause == ""


def test_lower_times_are_better_and_zero_has_no_factor() -> None:
    gained = improvement_factor(qualified_number(2900.0), qualified_number(1485.0), lower_is_better=True)
    assert gained is not None and gained.value == pytest.approx(1.953, abs=0.001)
    assert best_point([START, END], lower_is_better=True) is START
    assert improvement_factor(qualified_number(0.0), qualified_number(5.0), lower_is_better=False) is None
    assert improvement_factor(qualified_number(5.0), qualified_number(0.0), lower_is_better=True) is None
    with pytest.raises(ValueError, match="zero"):
        make_change(point("a", 0.0), END)
    assert shortest_chain([START, point("zero", 0.0), END], START, END) == []


def test_steps_have_their_best_and_empty_ones_are_left_out() -> None:
    rows = steps_of([point("a", 10.0), point("b", 8.0), END], ["one", "between", "two"], lower_is_better=False)
    assert [(row["step"], row["result"], row["low"], row["high"], row["count"]) for row in rows] == [
        ("one", "a", 8.0, 10.0, 2),
        ("two", "z", 60.0, 60.0, 1),
    ]
    assert [(row["x_first"], row["x_before"]) for row in rows] == [(1.0, None), (6.0, 6.0)]


def bound(name: str, value: float, qualifier: str, step: str = "one") -> Point:
    return Point(name, step, value, OLD, qualifier=qualifier)


def test_an_upper_bound_is_best_only_among_upper_bounds() -> None:
    assert best_point([bound("a", 200.0, "below"), point("b", 150.0)], lower_is_better=False).result == "b"
    assert best_point([bound("a", 200.0, "below"), bound("b", 150.0, "below")], lower_is_better=False).result == "a"
    assert best_point([bound("a", 200.0, "above"), point("b", 150.0)], lower_is_better=False).result == "a"
    assert best_point([bound("a", 10.0, "above"), point("b", 20.0)], lower_is_better=True).result == "b"


@pytest.mark.parametrize(
    ("first", "last", "times", "qualifier"),
    [
        ((85.4, ""), (200.0, "below"), 2.342, "below"),
        ((85.4, "below"), (200.0, ""), 2.342, "above"),
        ((85.4, "about"), (200.0, ""), 2.342, "about"),
        ((85.4, "below"), (200.0, "below"), None, "unknown"),
    ],
)
def test_the_gain_over_a_bound_is_a_bound(first, last, times, qualifier) -> None:
    points = [bound("a", *first), bound("z", *last, "two")]
    (_, row) = steps_of(points, ["one", "two"], lower_is_better=False)
    assert row["x_first"] == (times and pytest.approx(times, abs=0.001))
    assert (row["x_first_qualifier"], row["x_before_qualifier"]) == (qualifier, qualifier)
    step = make_change(*points)
    (possible,) = by_possible([step])
    assert (possible["factor"], possible["factor_qualifier"]) == (row["x_first"], qualifier)
    assert shortest_chain(points, *points) == [] or qualifier == "about"


@pytest.mark.parametrize(
    ("rates", "answer"),
    [
        ([(200.0, "below")], (6, None, None, 0, "above")),
        ([(200.0, "below"), (100.0, "below")], (6, None, None, 0, "above")),
        ([(300.0, "below")], (4, None, None, 0, "above")),
        ([(200.0, "below about")], (5, None, None, 0, "above")),
        ([(200.0, "above")], (None, None, 5, 0, "below")),
        ([(200.0, "below"), (100.0, "above")], (6, None, 10, 0, "")),
        ([(200.0, "")], (None, 5, None, 1, "")),
        ([(200.0, "about")], (None, 5, None, 1, "about")),
        ([(200.0, ""), (100.0, "")], (5, 7, 10, 2, "")),
        ([(500.0, "below"), (200.0, ""), (100.0, "")], (5, 7, 10, 2, "")),
    ],
)
def test_units_of_bounds_and_of_one_measurement_are_no_range(rates, answer) -> None:
    assert tuple(count_units(1000.0, [qualified_number(*rate) for rate in rates]).values()) == answer


@pytest.mark.parametrize(
    ("fact", "kind"),
    [
        ("platform", "hardware"),
        ("fabric", "hardware"),
        ("drive_model", "hardware"),
        ("storage_software", "software"),
        ("lustre.version@oss", "software"),
        ("kernel.version@client", "software"),
        ("nps", "tuning"),
        ("bios.nps@oss", "tuning"),
        ("lustre.client.osc.checksums@client", "tuning"),
        ("stripe_count", "tuning"),
        ("client_nodes", "conditions"),
        ("transfer_size_bytes", "conditions"),
        ("anything_else", "conditions"),
        ("no.such.parameter@oss", "conditions"),
    ],
)
def test_every_fact_is_of_one_kind(fact: str, kind: str) -> None:
    assert configuration_diff.fact_category(fact) == kind


@pytest.mark.parametrize(
    ("target", "of_one", "units"), [(1000.0, 100.0, 10), (1001.0, 100.0, 11), (0.3, 0.1, 3), (1e-300, 1.0, 1)]
)
def test_units_are_whole(target: float, of_one: float, units: int) -> None:
    assert units_for(target, of_one) == units


def test_a_unit_with_rate_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing"):
        units_for(1.0, 0.0)


# From the record


@pytest.fixture
def measured(db: None) -> None:
    """Two generations, and between their best results one step for each cause."""
    old = make_platform("maker-100", "Maker 100")
    new = make_platform("maker-200", "Maker 200", predecessor=old)
    releases = [make_release(slug, held_on) for slug, held_on in (("T2", "2026-05-01"), ("T1", "2025-05-01"))]
    for name, value, platform, release, lustre, nps in (
        ("hw-a", 10.0, old, releases[1], "2.12", 4),
        ("hw-b", 20.0, new, releases[1], "2.12", 4),
        ("hw-c", 30.0, new, releases[0], "2.15", 4),
        ("hw-d", 60.0, new, releases[0], "2.15", 1),
    ):
        parameters = {"lustre_version": lustre, "nps": nps}
        result = make_result(release, name, None, platform=platform, parameters=parameters, filesystem_version=lustre)
        make_measurement(result, "ior-easy-write", value)
        fact_index.rebuild_facts([result.pk])


def test_published_results_separate_causes(client, measured) -> None:
    (row,) = client.get("/api/v1/generations/maker-200/").json()["rows"]
    assert [(step["step"], step["result"], step["x_first"]) for step in row["steps"]] == [
        ("Maker 100", "hw-a", 1.0),
        ("Maker 200", "hw-d", 6.0),
    ]
    assert row["by_cause"] == {"hardware": 2.0, "software": 1.5, "tuning": 2.0}
    assert [link["after"] for link in row["chain"]] == ["hw-b", "hw-c", "hw-d"]
    page = page_source(client.get("/generations/maker-200/"))
    assert "hardware 2.00\N{MULTIPLICATION SIGN}, software 1.50\N{MULTIPLICATION SIGN}" in page


def test_releases_are_ordered_by_date(client, measured) -> None:
    generations = client.get("/api/v1/generations/maker-100/?x=release").json()
    assert generations["order"] == ["T1", "T2"]
    assert [step["result"] for step in generations["rows"][0]["steps"]] == ["hw-b", "hw-d"]


def test_steps_along_an_unknown_axis_are_refused(client, measured) -> None:
    answer = client.get("/api/v1/generations/maker-100/?x=relase")
    assert (answer.status_code, answer.json()["code"]) == (400, "study.unknown-axis")
    assert "release" in answer.json()["hint"]


def test_filters_choose_what_is_compared(client, measured) -> None:
    (row,) = client.get("/api/v1/generations/maker-200/?p.nps=4").json()["rows"]
    assert row["by_cause"] == {"hardware": 2.0, "software": 1.5}


def test_a_missing_link_separates_no_cause(client, measured) -> None:
    Fact.objects.filter(result__public_id="hw-b").delete()
    (row,) = client.get("/api/v1/generations/maker-200/").json()["rows"]
    assert (row["chain"], row["changes"][0]["may_be"]) == ([], ["hardware", "software", "tuning"])
