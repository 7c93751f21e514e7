"""What may be pooled and compared: plain values in and out, with figures worked out by hand."""

from __future__ import annotations

import pytest

from registry.comparison.balance import (
    Observation,
    count_facts,
    geometric_mean,
    match_observations,
    unbalanced_facts,
    unknown_facts,
    unknown_in_row,
    varying_facts,
)
from registry.query.values.qualified_values import qualified_number

NAMES = ["system", "direct_io", "client_nodes"]


def observe(result: str, value: float, qualifier: str = "", origin: str = "site/unit", **facts: str) -> Observation:
    return Observation(result, qualified_number(value, qualifier), facts, origin=origin)


# Inside one row


def test_a_fact_with_two_known_values_varies() -> None:
    row = count_facts([{"a": "1", "b": "x"}, {"a": "2", "b": "x"}, {"a": "2"}, {}])
    assert [(fact.fact, dict(fact.values), fact.unknown) for fact in varying_facts(row)] == [("a", {"2": 2, "1": 1}, 1)]


def test_unknown_values_do_not_vary() -> None:
    assert varying_facts(count_facts([{"a": "1"}, {}])) == []


@pytest.mark.parametrize("facts", [[], [{}], [{"a": "1"}], [{"a": "1"}, {"a": "1"}]])
def test_empty_single_and_equal_rows_do_not_vary(facts) -> None:
    assert varying_facts(count_facts(facts)) == []


def test_many_values_of_a_fact_are_all_counted() -> None:
    (fact,) = varying_facts(count_facts([{"a": str(number)} for number in range(500)] + [{"a": "7"}]))
    assert (len(fact.values), next(iter(fact.values.items()))) == (500, ("7", 2))


# Between rows


def unbalanced_names(*rows: list[dict[str, str]]) -> list[str]:
    counted = [count_facts(row) for row in rows]
    return [fact.fact for fact in unbalanced_facts(counted, ["a", "b"])]


def test_another_mix_of_values_is_unbalanced() -> None:
    assert unbalanced_names([{"a": "1"}], [{"a": "1"}, {"a": "2"}]) == ["a"]
    assert unbalanced_names([{"a": "1"}, {"a": "2"}], [{"a": "1"}, {"a": "2"}, {"a": "2"}]) == ["a"]


def test_the_same_shares_are_balanced_however_many_there_are() -> None:
    assert unbalanced_names([{"a": "1"}, {"a": "2"}], [{"a": "1"}, {"a": "2"}] * 3) == []


def test_unknown_is_neither_balanced_nor_unbalanced_but_named() -> None:
    rows = [count_facts([{"a": "1"}, {"a": "1"}]), count_facts([{}, {"a": "1"}]), count_facts([{}])]
    assert unbalanced_facts(rows, ["a", "b"]) == []
    assert [(fact.fact, fact.unknown) for fact in unknown_facts(rows, ["a", "b"])] == [("a", (0, 1, 1))]
    assert [fact.fact for fact in unknown_facts(rows, ["a", "b"], needed=["b"])] == ["a", "b"]


def test_facts_of_one_row_are_unknown_where_a_measurement_lacks_them() -> None:
    row = count_facts([{"a": "1", "c": "1"}, {"c": "2"}])
    assert unknown_in_row(row, ["c", "b", "a"]) == ["a"]
    assert unknown_in_row(row, ["c", "b", "a"], needed=["b", "c"]) == ["b", "a"]
    assert unknown_in_row(count_facts([]), ["a"], needed=["a"]) == []


# Matched


def test_matching_avoids_simpsons_paradox() -> None:
    """B is twice A within each kind of drive, though its median over all is far below that of A."""
    first = [observe("a1", 100, system="flash"), observe("a2", 102, system="flash"), observe("a3", 10, system="disk")]
    other = [observe("b1", 202, system="flash"), observe("b2", 20, system="disk"), observe("b3", 20, system="disk")]
    match = match_observations(first, other, NAMES)
    assert match.ratio is not None
    assert match.ratio.value == pytest.approx(2.0)
    assert [(dict(stratum.equal), stratum.ratio.value) for stratum in match.strata] == [
        ({"system": "flash"}, pytest.approx(2.0)),
        ({"system": "disk"}, pytest.approx(2.0)),
    ]
    assert match.strata[0].results == (("a1", "a2"), ("b1",))
    assert match.strata[0].unknown == ("direct_io", "client_nodes")
    assert match.unmatched == ((), ())


def test_the_mean_over_strata_is_geometric_and_each_counts_once() -> None:
    first = [observe("a", 1, system="x"), observe("b", 1, system="x"), observe("c", 1, system="y")]
    other = [observe("d", 4, system="x"), observe("e", 9, system="y")]
    match = match_observations(first, other, ["system"])
    assert match.ratio is not None
    assert match.ratio.value == pytest.approx(6.0)


def test_a_fact_known_on_one_side_only_never_matches() -> None:
    match = match_observations([observe("a", 1, client_nodes="4")], [observe("b", 2)], NAMES)
    assert (match.ratio, match.strata, match.unmatched) == (None, (), (("a",), ("b",)))
    assert match.nearest == {"client_nodes": ("4", None)}


def test_the_nearest_pair_lists_its_differences() -> None:
    first = [observe("a", 1, system="x", client_nodes="4"), observe("b", 1, system="y", client_nodes="8")]
    match = match_observations(first, [observe("c", 1, system="y", client_nodes="16")], NAMES)
    assert match.nearest == {"client_nodes": ("8", "16")}


def test_unknown_needed_facts_match_only_at_one_origin() -> None:
    def ratio(origin: str, other_origin: str) -> float | None:
        rows = [observe("a", 1, origin=origin, system="x"), observe("b", 2, origin=other_origin, system="x")]
        found_ratio = match_observations(rows[:1], rows[1:], NAMES, needed=["client_nodes"]).ratio
        return found_ratio and found_ratio.value

    assert ratio("site/x", "site/x") == 2
    assert ratio("site/x", "other/x") is None
    assert ratio("", "") is None


def test_other_meanings_do_not_match() -> None:
    rows = [Observation("a", qualified_number(1), {}, ("write",)), Observation("b", qualified_number(2), {}, ("read",))]
    assert match_observations(rows[:1], rows[1:], []).strata == ()


def test_other_differences_are_named_without_the_compared_fact() -> None:
    first = [observe("a", 1, system="x", fabric="IB", lnd="ko2iblnd", software="6.1")]
    other = [observe("b", 2, system="x", fabric="TCP", lnd="ksocklnd", software="6.2")]
    (stratum,) = match_observations(first, other, ["system"], compared=["fabric", "lnd"]).strata
    assert stratum.differs == {"software": (("6.1",), ("6.2",))}


def test_a_ratio_of_bounds_is_a_bound() -> None:
    first, other = [observe("a", 100)], [observe("b", 200, "below")]
    match = match_observations(first, other, [])
    assert match.ratio is not None
    assert (match.ratio.qualifier, match.ratio.value) == ("below", 2.0)
    match = match_observations(other, first, [])
    assert match.ratio is not None
    assert (match.ratio.qualifier, match.ratio.value) == ("above", 0.5)
    match = match_observations(other, other, [])
    assert match.ratio is not None
    assert (match.ratio.qualifier, match.ratio.value) == ("unknown", None)


@pytest.mark.parametrize(("value", "other_value"), [(0, 1), (1, 0), (-1, 2), (2, -1), (0, 0)])
def test_zero_and_negative_values_have_no_ratio(value, other_value) -> None:
    match = match_observations([observe("a", value)], [observe("b", other_value)], [])
    assert match.ratio is None
    assert match.strata[0].ratio is None


def test_a_thousand_strata_of_large_ratios_do_not_overflow() -> None:
    assert geometric_mean([qualified_number(1e6)] * 1000).value == pytest.approx(1e6)
    assert geometric_mean([]) is None


def test_empty_groups_have_no_matched_ratio() -> None:
    assert match_observations([], [observe("a", 1)], NAMES).ratio is None
